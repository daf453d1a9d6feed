"""Skirmish as pictures."""

from __future__ import annotations

from sandtable.games.skirmish.notation import SkirmishNotation
from sandtable.types import Position

__all__ = ["SkirmishDrawing"]


class SkirmishDrawing:
    """Text and SVG drawings."""

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        return SkirmishNotation().position_line(position)

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what happened."""
        return []
