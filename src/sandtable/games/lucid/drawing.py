"""Operation Lucid as pictures (a first version, replaced below by the drawing helper)."""

from __future__ import annotations

from sandtable.types import Position


class LucidDrawing:
    """Text and SVG drawings."""

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        from sandtable.games.lucid.notation import LucidNotation

        return LucidNotation().position_line(position)

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what the dice did."""
        return []
