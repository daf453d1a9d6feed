"""Stratego as a board in SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandtable.games.stratego.squares import square_name
from sandtable.games.svg import box, tag, text

if TYPE_CHECKING:
    from sandtable.games.stratego.drawing import Situation

__all__ = ["document"]

CELL = 60


def document(seen: Situation) -> str:
    """Draw the board with its pieces."""
    parts = []
    for piece in seen.pieces:
        x, y = (piece.square % 10 + 0.5) * CELL, (piece.square // 10 + 0.5) * CELL
        fill = ("#cf4a3a", "#2e6cb3")[piece.seat]
        name = square_name(piece.square, seen.side)
        parts.append(box(x, y, CELL - 6, CELL - 6, fill=fill, data_square=name))
        parts.append(text(x, y + 8, seen.shown_rank(piece.rank), 22, text_anchor="middle"))
    size = seen.side * CELL
    return tag("svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {size} {size}")
