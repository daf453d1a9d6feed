"""One game in progress: every position it has gone through, so that any of them can be shown.

The table is the only place in the server that holds whole positions. What leaves it for a viewer
goes through ``shown``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sandtable.dice import Dice
from sandtable.screens import BoardScreen, Data, screen_of
from sandtable.session import Session
from sandtable.types import Game, Position

__all__ = ["EVERYTHING", "SPECTATOR", "Table"]

SPECTATOR = -1  # a viewer who sees what no seat may hide
EVERYTHING = -2  # a viewer of a game that is over


class Table(Session):
    """A game with its history, and what viewers see of it."""

    def __init__(self, game: Game, seed: int, number: int = 0, start: str | None = None) -> None:
        given = None if start is None else game.parse(start)
        super().__init__(game, Dice(seed, "game", number), given, keep_history=True)
        self.seed, self.number, self.start = seed, number, start
        self.screen: BoardScreen = screen_of(game)

    # --- what viewers see ---------------------------------------------------------------------

    def kind_of_viewer(self, viewer: int, over: bool) -> int:
        """Return the viewer who sees the same: one for all where nothing is hidden."""
        return EVERYTHING if over or not self.game.hidden else viewer

    def shown(self, ply: int, viewer: int) -> Position | None:
        """Return a copy of a position as a viewer may see it; None: nothing of it."""
        position = self.positions[ply]
        if viewer == SPECTATOR:
            return self.screen.public(position)
        seen = position.copy()
        if viewer != EVERYTHING:
            self.game.rules.hide(seen, viewer)
        return seen

    def board(self, ply: int, viewer: int) -> Data:
        """Return a board as a viewer may see it."""
        seen = self.shown(ply, viewer)
        if seen is None:
            return {"game": self.game.name, "svg": None, "text": None}
        return self.screen.board(seen, viewer if viewer >= 0 else None)

    def sees_action(self, ply: int, viewer: int) -> bool:
        """Say whether a viewer may know the action that led to this ply."""
        if viewer == EVERYTHING:
            return True
        seats = range(len(self.game.seats)) if viewer == SPECTATOR else (viewer,)
        return all(self.action_seen(ply, seat) for seat in seats)

    def log_entry(self, ply: int, viewer: int) -> Data:
        """Return the action that led to this ply, and what happened, as a viewer may know it."""
        each = self.moves[ply - 1]
        action = each.action if self.sees_action(ply, viewer) else None
        name = None if action is None else self.game.notation.action_name(action)
        before, after = self.shown(ply - 1, viewer), self.shown(ply, viewer)
        events: list[Data] = []
        if before is not None and after is not None:
            details = self.public_details(ply)
            events = self.screen.events(before, each.seat, action, after, details)
        return {"ply": ply, "seat": each.seat, "action": action, "text": name, "events": events}

    def public_details(self, ply: int) -> Any:
        """Return what everybody saw happen inside an action."""
        position, dice = self.positions[ply - 1].copy(), self.dice_states[ply - 1].copy()
        return self.screen.public_details(position, self.actions[ply - 1], dice)

    def legal_actions(self, seat: int) -> list[Data]:
        """Return what a seat can play now, made from its view."""
        view = self.shown(self.ply, seat)
        assert view is not None
        mask = np.zeros(self.game.action_count, dtype=np.bool_)
        self.game.rules.legal(view, mask)
        return [self.action_data(view, int(action)) for action in np.flatnonzero(mask)]

    def forbidden_moves(self, seat: int) -> list[Data]:
        """Return what a seat might try and may not play now, with the reason; from its view."""
        view = self.shown(self.ply, seat)
        assert view is not None
        return self.screen.forbidden_moves(view)

    def action_data(self, view: Position, action: int) -> Data:
        """Return one action."""
        name = self.game.notation.action_name(action)
        return {"action": action, "text": name, **self.screen.action(view, action)}
