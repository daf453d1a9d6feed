"""A game in progress, whoever plays it: the arena, a server, a record, a person, a learner.

``Session.play`` is the only door: it checks one action, plays it, and notes who may know of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.types import OVER, Game, Outcome, Position, State, check_legal

__all__ = ["History", "Move", "Session", "action_is_seen", "ends_turn"]

Number = TypeVar("Number", bound=np.generic)

FIRST_ROOM = 16
GROWTH = 1.5


class Move(NamedTuple):
    """One action that was played.

    >>> Move(0, 3).action
    3
    """

    seat: int
    action: int


class History(Generic[Number]):
    """A list of equal arrays in one block of memory, a third of what arrays of their own take.

    >>> rows = History(np.zeros(2, dtype=np.int16))
    >>> rows.append(np.array([3, 4], dtype=np.int16))
    >>> len(rows), rows[-1].tolist()
    (2, [3, 4])
    >>> rows.cut(1)
    >>> rows[-1].tolist()
    [0, 0]
    """

    def __init__(self, first: NDArray[Number]) -> None:
        self.rows: NDArray[Number] = np.empty((FIRST_ROOM, len(first)), dtype=first.dtype)
        self.count = 0
        self.append(first)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> NDArray[Number]:
        """Return one array, which must not be written; -1 is the last one."""
        if not -self.count <= place < self.count:
            raise IndexError(f"there are {self.count} arrays, not one at {place}")
        row: NDArray[Number] = self.rows[place if place >= 0 else self.count + place]
        return row

    def append(self, row: NDArray[Number]) -> None:
        """Add a copy of an array."""
        if self.count == len(self.rows):
            larger = np.empty((int(self.count * GROWTH), self.rows.shape[1]), self.rows.dtype)
            larger[: self.count] = self.rows
            self.rows = larger
        self.rows[self.count] = row
        self.count += 1

    def cut(self, count: int) -> None:
        """Keep the first arrays only, so many."""
        self.count = min(self.count, count)


class Session:
    """One game, from its start or from a given state on.

    ``position`` and ``dice`` change in place with every action. ``keep_history`` also keeps all
    that came before, for those who go back or show it: ``positions`` and ``dice_states``, one of
    each before the first action and after every action, and ``moves``. ``observers`` are the seats
    for which ``announced`` says what they learn of the last action. ``count_luck`` adds up
    ``luck`` in games that can tell it.

    >>> from sandtable.registry import make_game
    >>> session = Session(make_game("lucid"), Dice(1, "game", 0), keep_history=True)
    >>> session.play(session.state.legal[0])
    >>> session.ply, session.turn
    (1, 0)
    >>> session.cut(0)
    >>> session.actions
    []
    """

    def __init__(
        self,
        game: Game,
        dice: Dice,
        start: State | None = None,
        *,
        observers: Sequence[int] = (),
        keep_history: bool = False,
        count_luck: bool = False,
    ) -> None:
        self.game, self.dice = game, dice
        self.observers = tuple(observers)
        self.announced: tuple[int | None, ...] = ()  # [observer] None: it may not know the action
        self.actions: list[int] = []
        self.luck: NDArray[np.float64] = np.zeros(len(game.luck))
        self._apply_with_luck = game.rules.apply_with_luck if count_luck else None
        self._mask = np.zeros(game.action_count, dtype=np.bool_)
        self.position: Position = game.empty_position()
        if start is None:
            game.rules.start(self.position, dice.array)
        else:
            self.position[:] = start.position
        self.keep_history = keep_history
        if keep_history:
            self.moves: list[Move] = []
            self.positions: History[np.int16] = History(self.position)  # [ply]
            self.dice_states: History[np.uint64] = History(dice.array)  # [ply]

    @property
    def ply(self) -> int:
        """How many actions have been played."""
        return len(self.actions)

    @property
    def turn(self) -> int:
        """The seat to act, or OVER."""
        return int(self.game.rules.turn(self.position))

    @property
    def state(self) -> State:
        """The whole position now."""
        return State(self.game, self.position)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by its rules, or None."""
        return self.state.outcome

    @property
    def measures(self) -> NDArray[np.float64]:
        """What the game tells of every seat [seat, measure]; not a number while it goes on."""
        values = np.full((len(self.game.seats), len(self.game.measures)), np.nan)
        if self.game.rules.measure is not None and self.turn == OVER:
            self.game.rules.measure(self.position, values)
        return values

    def view(self, seat: int) -> State:
        """Return what a seat may know of the position now."""
        position = np.array(self.position)
        self.game.rules.hide(position, seat)
        return State(self.game, position, seat)

    def check(self, action: int) -> int:
        """Return the seat to act if it may play an action now, or raise IllegalAction."""
        return check_legal(self.game, self.position, action, self._mask)

    def play(self, action: int) -> None:
        """Play one action of the seat to act; IllegalAction leaves everything as it was."""
        rules = self.game.rules
        seat = self.check(action)
        if self.observers:
            self.announced = tuple(
                action if action_is_seen(self.game, self.position, action, observer) else None
                for observer in self.observers
            )
        if self._apply_with_luck is not None:
            self._apply_with_luck(self.position, action, self.dice.array, self.luck)
        else:
            rules.apply(self.position, action, self.dice.array)
        self.actions.append(action)
        if self.keep_history:
            self.moves.append(Move(seat, action))
            self.positions.append(self.position)
            self.dice_states.append(self.dice.array)

    # --- with history ---------------------------------------------------------------------------

    def cut(self, ply: int) -> None:
        """Go back to the position after so many actions, and to the dice as they lay then."""
        if not self.keep_history:
            raise SandtableError("only a session that keeps its history can go back")
        if self._apply_with_luck is not None:
            raise SandtableError("a session that counts luck cannot go back: luck has no history")
        self.positions.cut(ply + 1)
        self.dice_states.cut(ply + 1)
        del self.moves[ply:], self.actions[ply:]
        self.position[:] = self.positions[-1]
        self.dice.array[:] = self.dice_states[-1]

    def action_seen(self, ply: int, seat: int) -> bool:
        """Say whether a seat may know the action that led to this ply."""
        action = self.actions[ply - 1]
        return action_is_seen(self.game, self.positions[ply - 1], action, seat)

    def turn_ended(self, ply: int) -> bool:
        """Say whether the action that led to this ply ended a turn."""
        turn_after = int(self.game.rules.turn(self.positions[ply]))
        return ends_turn(self.game, *self.moves[ply - 1], turn_after)

    def turn_start(self, seat: int) -> int | None:
        """Return the ply to which a seat goes back with its last turn, or None without one."""
        ply = self.ply
        while ply > 0 and self.moves[ply - 1].seat != seat:
            ply -= 1
        if ply == 0:
            return None
        ply -= 1
        while ply > 0 and self.moves[ply - 1].seat == seat and not self.turn_ended(ply):
            ply -= 1
        return ply

    def can_undo_action(self, seat: int) -> bool:
        """Say whether the last action was this seat's, its turn is still open, and no dice fell."""
        if self.ply == 0 or self.turn != seat or self.moves[-1].seat != seat:
            return False
        thrown = not np.array_equal(self.dice_states[-1], self.dice_states[-2])
        return not self.turn_ended(self.ply) and not thrown


def action_is_seen(game: Game, position: Position, action: int, seat: int) -> bool:
    """Say whether a seat learns which action is played in a position.

    >>> from sandtable.registry import make_game
    >>> game = make_game("lucid")
    >>> action_is_seen(game, game.start().position, 0, 1)
    True
    """
    visible = game.action_visible_to
    return visible is None or bool(visible(position, action, seat))


def ends_turn(game: Game, seat: int, action: int, turn_after: int) -> bool:
    """Say whether the turn of a seat was over with an action, after which ``turn_after`` is to act.

    >>> from sandtable.registry import make_game
    >>> ends_turn(make_game("skirmish"), 0, 17, 1)
    True
    """
    ending = game.turn_ending_actions
    return ending is None or action in ending or turn_after != seat
