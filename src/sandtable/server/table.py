"""One game in progress: every position it has gone through, so that any of them can be shown.

The table is the only place in the server that holds whole positions. What leaves it for a viewer
goes through ``shown``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sandtable.dice import Dice
from sandtable.errors import SandtableError
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
        self.turns = [0]  # [ply] how many turns were closed

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
            told = self.screen.events(before, each.seat, action, after, details)
            events = [event | {"text": self.screen.with_titles(event["text"])} for event in told]
        return {
            "ply": ply,
            "seat": each.seat,
            "action": action,
            "text": name,
            "events": events,
            "turn_label": self.turn_label(ply - 1, before),
        }

    def turn_label(self, ply: int, view: Position | None) -> str:
        """Return the number of the turn that was open at a ply, of which a viewer sees this."""
        label = None if view is None else self.screen.turn_label(view)
        return str(self.closed_turns(ply) + 1) if label is None else label

    def closed_turns(self, ply: int) -> int:
        """Count the turns that were over at a ply."""
        while len(self.turns) <= ply:
            self.turns.append(self.turns[-1] + self.turn_ended(len(self.turns)))
        return self.turns[ply]

    def cut(self, ply: int) -> None:
        """Go back to the position after so many actions."""
        super().cut(ply)
        del self.turns[ply + 1 :]

    def progress(self, viewer: int) -> str:
        """Say how far the game is, from what a viewer may see."""
        seen = self.shown(self.ply, viewer)
        return "" if seen is None else self.screen.progress(seen)

    def ending(self) -> str:
        """Say what a screen tells of the end; only for games that are over by their rules."""
        return self.screen.with_titles(
            self.screen.ending(self.positions[-1].copy(), self.luck_sum())
        )

    def luck_sum(self) -> list[float] | None:
        """Add up how lucky the throws were, by playing every action once more."""
        apply = self.game.rules.apply_with_luck
        if apply is None:
            return None
        luck = np.zeros(len(self.game.luck))
        for ply, action in enumerate(self.actions):
            apply(self.positions[ply].copy(), action, self.dice_states[ply].copy(), luck)
        return [float(term) for term in luck]

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

    def why_not(self, seat: int, start: str, goal: str | None) -> str:
        """Say why a seat cannot go somewhere now, from its view alone."""
        view = self.shown(self.ply, seat)
        assert view is not None
        try:
            return self.screen.with_titles(self.screen.why_not(view, start, goal))
        except (SandtableError, ValueError, LookupError):  # no such places
            return ""

    def action_data(self, view: Position, action: int) -> Data:
        """Return one action."""
        name = self.game.notation.action_name(action)
        return {"action": action, "text": name, **self.screen.action(view, action)}
