"""Boards of games that have no file here: their own drawings."""

from __future__ import annotations

from typing import Any

import numpy as np

from sandtable.types import OVER, Game, Position

__all__ = ["PlainBoards"]


class PlainBoards:
    """Shows a game as it draws itself, and its actions as text."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def board(self, position: Position, viewer: int | None) -> dict[str, Any]:
        """Return the drawings."""
        drawing = self.game.drawing
        return {
            "game": self.game.name,
            "svg": drawing.svg(position),
            "text": drawing.text(position),
        }

    def public(self, position: Position) -> Position | None:
        """Return the position if nothing is hidden; what all may know is not known here."""
        return None if self.game.hidden else np.array(position)

    def action(self, view: Position, action: int) -> dict[str, Any]:
        """Return an action as its text."""
        closing = self.game.turn_ending_actions
        kind = "end" if closing is not None and action in closing else "play"
        name = self.game.notation.action_name(action)
        return {"kind": kind, "from": None, "to": None, "label": name}

    def barred(self, view: Position) -> list[dict[str, Any]]:
        """Return nothing: what cannot be played is plain to see."""
        return []

    def facts(self, position: Position, action: int, dice: Any) -> Any:
        """Return nothing: the drawing tells what happened."""
        return None

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, facts: Any
    ) -> list[dict[str, Any]]:
        """Tell in words what the dice did."""
        lines = [] if action is None else self.game.drawing.events(before, action, after)
        found = [{"kind": "told", "text": line} for line in lines]
        if int(self.game.rules.turn(after)) == OVER:
            found.append({"kind": "over", "text": self.game.notation.reason(after)})
        return found
