"""Gravwell as pictures: a plain one in text, and the same as SVG."""

from __future__ import annotations

from sandtable.games import svg
from sandtable.games.gravwell.layout import FIRST_HULK, MOST_SHIPS, NOTHING, SHIPS, TILES
from sandtable.games.gravwell.notation import GravwellNotation
from sandtable.types import Position

__all__ = ["GravwellDrawing"]

ROW = 11  # tiles in a row of the text drawing


class GravwellDrawing:
    """The track in rows, with the position's line under it."""

    def text(self, position: Position) -> str:
        """Draw for the terminal."""
        cells = [f"{tile}{ships_on(position, tile)}".ljust(8) for tile in range(TILES)]
        rows = ["".join(cells[first : first + ROW]).rstrip() for first in range(0, TILES, ROW)]
        return "\n".join([*rows, "", GravwellNotation().position_line(position)])

    def svg(self, position: Position) -> str:
        """Draw as a whole SVG document."""
        lines = self.text(position).splitlines()
        words = [svg.text(10, 20 + 20 * row, line, 12) for row, line in enumerate(lines)]
        return svg.tag(
            "svg",
            *words,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 900 {30 + 20 * len(lines)}",
        )

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell nothing; the positions show it."""
        return []


def ships_on(position: Position, tile: int) -> str:
    """Return the signs of the ships on a tile: seats from 1, hulks as x."""
    signs = [
        "x" if ship >= FIRST_HULK else str(ship + 1)
        for ship in range(MOST_SHIPS)
        if position[SHIPS + ship] == tile and tile != NOTHING
    ]
    return f"({''.join(signs)})" if signs else ""
