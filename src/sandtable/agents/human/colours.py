"""Drawings for the terminal in colour: pieces and names in the colour of their seat.

A game says by ``piece_patterns`` of its drawing how the pieces of each seat are written (regular
expressions, by seat). Without them only the names of the seats are coloured. The letters stay the
same, so nothing hangs on colour alone.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

from sandtable.types import Game

__all__ = ["painted", "wants_colour"]

RESET = "\x1b[0m"
BY_NAME = {"red": 91, "green": 92, "yellow": 93, "blue": 94, "black": 97, "white": 97}
BY_SEAT = (96, 93, 95, 92)  # cyan, yellow, magenta, green: told apart on dark and light


def wants_colour(stream: TextIO | None = None) -> bool:
    """Say whether a stream is a terminal whose owner has not asked for plain text."""
    chosen = stream or sys.stdout
    return chosen.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def seat_code(name: str, seat: int) -> int:
    """Return the colour of a seat: the one it is named after, or one by its place."""
    return BY_NAME.get(name, BY_SEAT[seat % len(BY_SEAT)])


def painted(game: Game, text: str) -> str:
    """Return a drawing or a sentence with the colours of the seats in it.

    >>> from sandtable.registry import make_game
    >>> painted(make_game("lucid"), "b3 moves").startswith("\\x1b[94mb3\\x1b[0m")
    True
    """
    patterns = tuple(getattr(game.drawing, "piece_patterns", ()))
    parts, codes = [], {}
    for seat, name in enumerate(game.seats):
        own = [rf"\b{re.escape(name)}\b", rf"\b{re.escape(name.capitalize())}\b"]
        own += patterns[seat : seat + 1]
        parts.append(f"(?P<seat{seat}>{'|'.join(own)})")
        codes[f"seat{seat}"] = seat_code(name, seat)

    def paint(found: re.Match[str]) -> str:
        return f"\x1b[{codes[found.lastgroup or '']}m{found[0]}{RESET}"

    return re.sub("|".join(parts), paint, text)
