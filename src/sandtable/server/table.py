"""One game in progress: every position it has gone through, so that any of them can be shown.

The table is the only place in the server that holds whole positions. What leaves it for a viewer
goes through ``shown``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.screens import BoardScreen, Data, screen_of
from sandtable.server.history import History
from sandtable.types import OVER, Game, Outcome, Position, State, illegal_action_line

__all__ = ["EVERYTHING", "SPECTATOR", "Table", "forfeit_of"]

SPECTATOR = -1  # a viewer who sees what no seat may hide
EVERYTHING = -2  # a viewer of a game that is over


@dataclass(frozen=True)
class Played:
    """One action that was played."""

    seat: int
    action: int


class Table:
    """A game with its history."""

    def __init__(self, game: Game, seed: int, number: int = 0, start: str | None = None) -> None:
        self.game = game
        self.seed, self.number, self.start = seed, number, start
        self.screen: BoardScreen = screen_of(game)
        dice = Dice(seed, "game", number)
        position = game.empty_position()
        if start is None:
            game.rules.start(position, dice.array)
        else:
            position[:] = game.notation.parse_position(start)
        self.positions: History[np.int16] = History(position)  # [ply]
        self.dice: History[np.uint64] = History(dice.array)  # [ply], as they lie then
        self.played: list[Played] = []

    @property
    def ply(self) -> int:
        """How many actions have been played."""
        return len(self.played)

    @property
    def turn(self) -> int:
        """The seat to act, or OVER."""
        return int(self.game.rules.turn(self.positions[-1]))

    @property
    def actions(self) -> tuple[int, ...]:
        """All actions so far."""
        return tuple(each.action for each in self.played)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by its rules, or None."""
        return State(self.game, self.positions[-1]).outcome

    def legal(self) -> NDArray[np.bool_]:
        """Return which actions are legal now."""
        mask = np.zeros(self.game.action_count, dtype=np.bool_)
        if self.turn != OVER:
            self.game.rules.legal(self.positions[-1], mask)
        return mask

    def play(self, action: int) -> None:
        """Play one action, or raise IllegalAction with a line for whoever wanted to act."""
        mask = self.legal()
        if not 0 <= action < len(mask) or not mask[action]:
            over = self.turn == OVER
            line = illegal_action_line(self.game, self.positions[-1], action, over)
            raise IllegalAction(line)
        seat = self.turn
        position, dice = self.positions[-1].copy(), self.dice[-1].copy()
        self.game.rules.apply(position, action, dice)
        self.positions.append(position)
        self.dice.append(dice)
        self.played.append(Played(seat, action))

    def cut(self, ply: int) -> None:
        """Go back to the position after so many actions."""
        self.positions.cut(ply + 1)
        self.dice.cut(ply + 1)
        del self.played[ply:]

    def closes(self, ply: int) -> bool:
        """Say whether the action that led to this ply ended a turn."""
        each = self.played[ply - 1]
        closing = self.game.turn_ending_actions
        turn = int(self.game.rules.turn(self.positions[ply]))
        return closing is None or each.action in closing or turn != each.seat

    def turn_start(self, seat: int) -> int | None:
        """Return the ply to which a seat goes back with its last turn, or None without one."""
        ply = self.ply
        while ply > 0 and self.played[ply - 1].seat != seat:
            ply -= 1
        if ply == 0:
            return None
        ply -= 1
        while ply > 0 and self.played[ply - 1].seat == seat and not self.closes(ply):
            ply -= 1
        return ply

    def can_undo_action(self, seat: int) -> bool:
        """Say whether the last action was this seat's, its turn is still open, and no dice fell."""
        if self.ply == 0 or self.turn != seat or self.played[-1].seat != seat:
            return False
        thrown = not np.array_equal(self.dice[-1], self.dice[-2])
        return not self.closes(self.ply) and not thrown

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
        seen, action = self.game.action_visible_to, self.played[ply - 1].action
        if viewer == EVERYTHING or seen is None:
            return True
        position = self.positions[ply - 1]
        seats = range(len(self.game.seats)) if viewer == SPECTATOR else (viewer,)
        return all(bool(seen(position, action, seat)) for seat in seats)

    def log_entry(self, ply: int, viewer: int) -> Data:
        """Return the action that led to this ply, and what happened, as a viewer may know it."""
        each = self.played[ply - 1]
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
        position, dice = self.positions[ply - 1].copy(), self.dice[ply - 1].copy()
        return self.screen.public_details(position, self.played[ply - 1].action, dice)

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


def forfeit_of(game: Game, seat: int, reason: str) -> Outcome:
    """Return the outcome when a seat gives up or cannot go on."""
    scores = tuple(
        low if other == seat else high for other, (low, high) in enumerate(game.score_bounds)
    )
    return Outcome(scores, reason, forfeited_by=seat)
