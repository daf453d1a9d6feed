"""The three ways in which OpenSpiel can be told what dice do.

``streams`` (unless told otherwise) lets chance pick one of a few streams of dice, another set at
every depth: a sample of what the dice can do, fixed once for all. ``exact`` lists all results with
their probabilities, for games that are small enough to be solved. ``sampled`` throws dice when the
time comes, with one outcome for OpenSpiel to see, so that every game is another one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from sandtable import dice
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError, suggestion
from sandtable.types import Game, Position, State

__all__ = ["DEFAULT_STREAMS", "MOST_THROWS", "Chance", "results_of_action", "results_of_start"]

MOST_THROWS = 10_000  # ways the dice can fall before we give up
Result = tuple[State, float]  # what may come, and how likely it is

DEFAULT_STREAMS = 256
ENDLESS_STREAMS = 2**31  # of which chance=sampled draws
WAYS = ("streams", "exact", "sampled")
PURPOSE = "chance node"


class Tape:
    """Dice that show what stands on them, and zeros after that."""

    def __init__(self) -> None:
        self.shown: list[int] = []
        self.bounds: list[int] = []
        self.thrown = 0

    def below(self, bound: int) -> int:
        """Show the next number."""
        if self.thrown == len(self.shown):
            self.shown.append(0)
            self.bounds.append(int(bound))
        self.thrown += 1
        return self.shown[self.thrown - 1]

    def turned(self) -> bool:
        """Go on to the next way the throws can fall; say whether there is one."""
        self.thrown = 0
        while self.shown and self.shown[-1] + 1 == self.bounds[-1]:
            self.shown.pop()
            self.bounds.pop()
        if self.shown:
            self.shown[-1] += 1
        return bool(self.shown)

    @property
    def chance(self) -> float:
        """How likely the throws are that stand on the tape."""
        return float(1.0 / np.prod(np.array(self.bounds, dtype=np.float64)))


def shown_below(tape: Tape, bound: int) -> np.int64:
    """Stand for ``dice.below``."""
    return np.int64(tape.below(bound))


def shown_coin(tape: Tape) -> np.int64:
    """Stand for ``dice.coin``."""
    return np.int64(tape.below(2))


def endless(tape: Tape) -> None:
    """Stand for throws that have no list of results."""
    raise SandtableError("it draws numbers that cannot be listed, not whole ones below a bound")


def plain(function: Any) -> Any:
    """Return the Python function of a kernel."""
    return getattr(function, "py_func", function)


STAND_INS = {
    plain(dice.below): shown_below,
    plain(dice.coin): shown_coin,
    plain(dice.draw): endless,
    plain(dice.uniform): endless,
}


@functools.cache
def with_tapes(kernel: Any) -> Callable[..., Any]:
    """Return a kernel as plain Python that takes a tape for its dice, with all it calls."""
    copied: Callable[..., Any] = rewritten(plain(kernel), dict(STAND_INS))
    return copied


def rewritten(function: FunctionType, done: dict[Any, Any]) -> Any:
    """Copy a function whose global names of kernels stand for such copies."""
    if function not in done:
        names: dict[str, Any] = dict(function.__globals__)
        done[function] = FunctionType(function.__code__, names, function.__name__)
        used = list(named_in(function.__code__))
        for name in used:
            called = plain(names.get(name))
            if isinstance(called, FunctionType):
                names[name] = rewritten(called, done)
            elif isinstance(called, ModuleType):
                names[name] = rewritten_module(called, used, done)
    return done[function]


def rewritten_module(module: ModuleType, used: list[str], done: dict[Any, Any]) -> Any:
    """Return a module with copies for those of its kernels that are used, or as it is."""
    kernels = [name for name in used if hasattr(getattr(module, name, None), "py_func")]
    if not kernels:
        return module
    copies = {name: rewritten(plain(getattr(module, name)), done) for name in kernels}
    return SimpleNamespace(**{**vars(module), **copies})


def named_in(code: CodeType) -> Iterator[str]:
    """Return the global names that a function uses, also inside comprehensions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from named_in(constant)


def results_of_start(game: Game) -> list[Result]:
    """Return all starting positions with their probabilities."""
    return listed(game, "the start", with_tapes(game.rules.start))


def results_of_action(state: State, action: int) -> list[Result]:
    """Return all positions an action can lead to with their probabilities."""
    apply = with_tapes(state.game.rules.apply)

    def play(position: Position, tape: Tape) -> None:
        position[:] = state.position
        apply(position, action, tape)

    return listed(state.game, f"'{state.game.notation.action_name(action)}'", play)


def listed(game: Game, what: str, play: Callable[[Position, Tape], None]) -> list[Result]:
    """Let the dice fall in every way, and put together what ends in the same position."""
    found: dict[bytes, float] = {}
    tape, throws, going_on = Tape(), 0, True
    while going_on:
        position = game.empty_position()
        try:
            play(position, tape)
        except SandtableError as problem:
            raise SandtableError(f"no exact chance for {what} in {game.spec}: {problem}") from None
        key = position.tobytes()
        found[key] = found.get(key, 0.0) + tape.chance
        throws += 1
        if throws > MOST_THROWS:
            raise SandtableError(
                f"no exact chance for {what} in {game.spec}: the dice can fall in more than "
                f"{MOST_THROWS} ways; take chance=streams or chance=sampled"
            )
        going_on = tape.turned()
    positions = (np.frombuffer(key, dtype=np.int16) for key in found)
    return [
        (State(game, position), chance)
        for position, chance in zip(positions, found.values(), strict=True)
    ]


@dataclass(frozen=True)
class Chance:
    """How dice are thrown in a game of OpenSpiel."""

    way: str = "streams"
    streams: int = DEFAULT_STREAMS
    dice: Dice = field(default_factory=Dice.fresh, compare=False)  # for sampled chance

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise SandtableError(
                f"chance is {', '.join(WAYS[:-1])} or {WAYS[-1]}, got '{self.way}'."
                + suggestion(self.way, WAYS)
            )
        if self.streams < 1:
            raise SandtableError(f"streams is 1 or more, got {self.streams}")

    @property
    def sampled(self) -> bool:
        """Whether the state throws the dice, and not whoever walks through the game."""
        return self.way == "sampled"

    @property
    def most_outcomes(self) -> int:
        """How many outcomes a chance node has at most."""
        return {"streams": self.streams, "exact": MOST_THROWS, "sampled": 1}[self.way]

    def draw(self) -> int:
        """Draw the number of a stream of dice for sampled chance."""
        return self.dice.below(ENDLESS_STREAMS)

    def results(self, game: Game, before: State | None, action: int) -> list[Result] | None:
        """List what dice can do in an action (of the start: with no state before), if exact."""
        if self.way != "exact":
            return None
        return results_of_start(game) if before is None else results_of_action(before, action)

    def thrown(
        self,
        game: Game,
        before: State | None,
        action: int,
        outcome: int,
        depth: int,
        results: list[Result] | None,
    ) -> State:
        """Return the state after an action whose dice fall as this outcome says."""
        most = ENDLESS_STREAMS if self.sampled else len(results or range(self.streams))
        if not 0 <= outcome < most:
            raise IllegalAction(f"chance picks a number below {most}, got {outcome}")
        if results is not None:
            return results[outcome][0]
        # The set of streams is another one at every depth, so that no throw is ever repeated.
        dice = Dice(outcome, PURPOSE, depth)
        return game.start(dice) if before is None else before.play(action, dice)
