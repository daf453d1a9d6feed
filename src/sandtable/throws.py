"""Listing all that dice can do: the results of an action, or of a start, with their probabilities.

A kernel is run as plain Python with dice that show what stands on a tape, again and again, until
the throws have fallen in every way. That takes dice with a list of results: whole numbers below a
bound, coins, and outcomes with given chances.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from sandtable import dice
from sandtable.errors import SandtableError
from sandtable.types import Game, Position, State

__all__ = ["MOST_THROWS", "Result", "results_of_action", "results_of_start"]

MOST_THROWS = 10_000  # ways the dice can fall before we give up
Result = tuple[State, float]  # what may come, and how likely it is


class Tape:
    """Dice that show what stands on them, and zeros after that."""

    def __init__(self) -> None:
        self.shown: list[int] = []
        self.chances: list[Sequence[float]] = []  # of what each throw can show
        self.thrown = 0

    def below(self, bound: int) -> int:
        """Show the next number, each as likely."""
        return self.picked((1.0 / int(bound),) * int(bound))

    def picked(self, chances: Sequence[float]) -> int:
        """Show the next outcome of those with these chances."""
        if self.thrown == len(self.shown):
            self.shown.append(0)
            self.chances.append(chances)
        self.thrown += 1
        return self.shown[self.thrown - 1]

    def turned(self) -> bool:
        """Go on to the next way the throws can fall; say whether there is one."""
        self.thrown = 0
        while self.shown and self.shown[-1] + 1 == len(self.chances[-1]):
            self.shown.pop()
            self.chances.pop()
        if self.shown:
            self.shown[-1] += 1
        return bool(self.shown)

    @property
    def chance(self) -> float:
        """How likely the throws are that stand on the tape."""
        return math.prod(
            chances[shown] for chances, shown in zip(self.chances, self.shown, strict=True)
        )


def shown_below(tape: Tape, bound: int) -> np.int64:
    """Stand for ``dice.below``."""
    return np.int64(tape.below(bound))


def shown_coin(tape: Tape) -> np.int64:
    """Stand for ``dice.coin``."""
    return np.int64(tape.below(2))


def shown_outcome(tape: Tape, chances: Sequence[float]) -> int:
    """Stand for ``dice.picked``."""
    return tape.picked(tuple(chances))


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
    plain(dice.picked): shown_outcome,
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
    held = vars(module)  # to ask the module itself may wake up what it only offers
    kernels = [name for name in used if hasattr(held.get(name), "py_func")]
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
