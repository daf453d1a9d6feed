"""Moments of a game with its whole past, shared by all that come after them.

Searches copy states thousands of times. A moment never changes and points at the one before, so a
copy costs nothing, and what a seat has seen is put together only when somebody asks for it.
"""

from __future__ import annotations

from typing import Any

from sandtable.dice import DRAWS, Dice
from sandtable.errors import IllegalAction
from sandtable.registry import make_game
from sandtable.types import OVER, Game, State

__all__ = ["Moment", "begun", "replayed"]

PURPOSE = "chance node"
START = -1  # the "action" whose dice are those of the start
UNSEEN = "?"


class Moment:
    """A position, or one in which dice are about to be thrown, and how it came about."""

    __slots__ = (
        "action",
        "before",
        "depth",
        "game",
        "given",
        "notes",
        "state",
        "streams",
        "thrown",
        "turn",
    )

    def __init__(
        self,
        game: Game,
        streams: int,
        state: State | None,
        before: Moment | None = None,
        action: int = START,
        thrown: bool = False,
        given: bool = False,
    ) -> None:
        self.game, self.streams = game, streams
        self.state = state  # None: the game waits for the dice of its start
        self.before, self.action = before, action  # action: what led here, a stream after a throw
        self.thrown = thrown  # the dice of the action are about to be thrown
        self.given = given  # the game goes on from a position that somebody gave
        self.depth: int = 0 if before is None else before.depth + 1
        self.turn = OVER if state is None else state.turn
        self.notes: dict[int, str] = {}  # what a seat saw of this moment

    @property
    def now(self) -> State:
        """The position; while dice are thrown the one before the action."""
        assert self.state is not None
        return self.state

    @property
    def line(self) -> str:
        """The position in one line, with the action whose dice are missing."""
        if self.state is None:
            return "start ..."
        name = f" {self.game.notation.action_name(self.action)} ..." if self.thrown else ""
        return self.state.line + name

    def after(self, action: int) -> Moment:
        """Return the moment after an action, or after chance has picked a stream."""
        if self.thrown:
            if not 0 <= action < self.streams:
                raise IllegalAction(f"chance picks a stream below {self.streams}, got {action}")
            # The set of streams is another one at every depth, so that no throw is ever repeated.
            dice = Dice(action, PURPOSE, self.depth)
            waiting = self.state is None
            state = self.game.start(dice) if waiting else self.now.play(self.action, dice)
            return Moment(self.game, self.streams, state, self, action)
        probe = Dice(0, PURPOSE)
        state = self.now.play(action, probe)
        if probe.array[DRAWS] > 0:  # forget what these dice showed, and ask chance
            return Moment(self.game, self.streams, self.state, self, action, thrown=True)
        return Moment(self.game, self.streams, state, self, action)

    @property
    def past(self) -> tuple[str | None, tuple[int, ...]]:
        """Where the game began (None: at its start) and all actions since, chance included."""
        actions: list[int] = []
        moment = self
        while moment.before is not None:
            actions.append(moment.action)
            moment = moment.before
        return (moment.now.line if moment.given else None), tuple(reversed(actions))

    def seen_by(self, seat: int, whole: bool) -> str:
        """Return what a seat sees, or with ``whole`` everything it has seen since the beginning."""
        if not whole:
            return self.view_line(seat)
        notes: list[str] = []
        moment: Moment | None = self
        while moment is not None:
            notes.append(moment.note(seat))
            moment = moment.before
        return "\n".join(note for note in reversed(notes) if note)

    def view_line(self, seat: int) -> str:
        """Return what a seat sees, in one line."""
        return "" if self.state is None else self.state.view(seat).line

    def note(self, seat: int) -> str:
        """Return what a seat learnt when this moment came."""
        if seat not in self.notes:
            self.notes[seat] = self.learnt(seat)
        return self.notes[seat]

    def learnt(self, seat: int) -> str:
        """Put together the action, as far as the seat may know it, and what it sees now."""
        before = self.before
        if before is None or before.thrown:  # the start, or dice: they show in the position
            return self.view_line(seat)
        state = before.now
        mover = before.turn
        seen = (
            seat == mover
            or self.game.seen is None
            or self.game.seen(state.position, self.action, seat)
        )
        name = self.game.notation.action_name(self.action) if seen else UNSEEN
        told = f"{self.game.seats[mover]} {name}"
        return told if self.thrown else f"{told}\n{self.view_line(seat)}"

    def __deepcopy__(self, memo: Any) -> Moment:
        return self  # it never changes

    def __reduce__(self) -> Any:
        return replayed, (self.game.spec, self.streams, *self.past)


def begun(game: Game, streams: int, state: State | None = None) -> Moment:
    """Return the first moment of a game, or of one that goes on from a whole position."""
    if state is not None:
        return Moment(game, streams, state, given=True)
    probe = Dice(0, PURPOSE)
    state = game.start(probe)
    thrown = bool(probe.array[DRAWS] > 0)
    return Moment(game, streams, None if thrown else state, thrown=thrown)


def replayed(spec: str, streams: int, line: str | None, actions: tuple[int, ...]) -> Moment:
    """Play actions again, from the start or from a position in one line."""
    game = make_game(spec)
    moment = begun(game, streams, None if line is None else game.parse(line))
    for action in actions:
        moment = moment.after(action)
    return moment
