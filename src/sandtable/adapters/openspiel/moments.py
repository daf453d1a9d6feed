"""Moments of a game with its whole past, shared by all that come after them.

Searches copy states thousands of times. A moment never changes and points at the one before, so a
copy costs nothing, and what a seat has seen is put together only when somebody asks for it.
"""

from __future__ import annotations

from typing import Any

from sandtable.adapters.openspiel.chance import PURPOSE, Chance
from sandtable.dice import DRAWS, Dice
from sandtable.registry import make_game
from sandtable.throws import Result
from sandtable.types import OVER, Game, State

__all__ = ["Moment", "begun", "replayed"]

START = -1  # the "action" whose dice are those of the start
UNSEEN = "?"


class Moment:
    """A position, or one in which dice are about to be thrown, and how it came about."""

    __slots__ = (
        "action",
        "before",
        "chance",
        "depth",
        "game",
        "given",
        "notes",
        "results",
        "state",
        "thrown",
        "turn",
    )

    def __init__(
        self,
        game: Game,
        chance: Chance,
        state: State | None,
        before: Moment | None = None,
        action: int = START,
        thrown: bool = False,
        given: bool = False,
    ) -> None:
        self.game, self.chance = game, chance
        self.state = state  # None: the game waits for the dice of its start
        self.before, self.action = before, action  # action: what led here, an outcome after a throw
        self.thrown = thrown  # the dice of the action are about to be thrown
        self.given = given  # the game goes on from a position that somebody gave
        self.depth: int = 0 if before is None else before.depth + 1
        self.turn = OVER if state is None else state.turn
        self.notes: dict[int, str] = {}  # what a seat saw of this moment
        self.results: list[Result] | None = None  # all that the dice can do, if they are listed

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

    def outcomes(self) -> list[tuple[int, float]]:
        """Return what chance can pick here, and how likely it is."""
        if self.chance.sampled:
            return [(0, 1.0)]
        results = self.listed()
        if results is not None:
            return [(number, chance) for number, (_, chance) in enumerate(results)]
        streams = self.chance.streams
        return [(stream, 1.0 / streams) for stream in range(streams)]

    def listed(self) -> list[Result] | None:
        """Return all that the dice can do here, if chance is exact."""
        if self.results is None:
            self.results = self.chance.results(self.game, self.state, self.action)
        return self.results

    def after(self, action: int) -> Moment:
        """Return the moment after an action, or after chance has picked an outcome."""
        if self.thrown:
            state = self.chance.thrown(
                self.game, self.state, self.action, action, self.depth, self.listed()
            )
            return Moment(self.game, self.chance, state, self, action)
        probe = Dice(0, PURPOSE)
        state = self.now.play(action, probe)
        if probe.array[DRAWS] > 0:  # forget what these dice showed, and ask chance
            return Moment(self.game, self.chance, self.state, self, action, thrown=True)
        return Moment(self.game, self.chance, state, self, action)

    @property
    def past(self) -> tuple[str | None, tuple[int, ...]]:
        """Where the game began (None: at its start) and all actions since, chance included."""
        actions: list[int] = []
        moment = self
        while moment.before is not None:
            actions.append(moment.action)
            moment = moment.before
        return (moment.now.line if moment.given else None), tuple(reversed(actions))

    def text_for(self, seat: int, whole: bool) -> str:
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
        name = self.game.notation.action_name(self.action) if self.action_visible(seat) else UNSEEN
        told = f"{self.game.seats[before.turn]} {name}"
        return told if self.thrown else f"{told}\n{self.view_line(seat)}"

    def action_visible(self, seat: int) -> bool:
        """Say whether a seat knows the action that led here."""
        before = self.before
        assert before is not None
        if seat == before.turn or self.game.action_visible_to is None:
            return True
        return bool(self.game.action_visible_to(before.now.position, self.action, seat))

    def __deepcopy__(self, memo: Any) -> Moment:
        return self  # it never changes

    def __reduce__(self) -> Any:
        return replayed, (self.game.spec, self.chance.way, self.chance.streams, *self.past)


def begun(game: Game, chance: Chance, state: State | None = None) -> Moment:
    """Return the first moment of a game, or of one that goes on from a whole position."""
    if state is not None:
        return Moment(game, chance, state, given=True)
    probe = Dice(0, PURPOSE)
    state = game.start(probe)
    thrown = bool(probe.array[DRAWS] > 0)
    return Moment(game, chance, None if thrown else state, thrown=thrown)


def replayed(
    spec: str, way: str, streams: int, line: str | None, actions: tuple[int, ...]
) -> Moment:
    """Play actions again, from the start or from a position in one line."""
    game = make_game(spec)
    moment = begun(game, Chance(way, streams), None if line is None else game.parse(line))
    for action in actions:
        moment = moment.after(action)
    return moment
