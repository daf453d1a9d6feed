"""Where the kernels of a game are tried: arrays between fences, and copies that tell of changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.conformance.report import Report
from sandtable.dice import Dice
from sandtable.types import OVER, Game, Position

__all__ = ["Bench", "Fenced"]

FENCE = 16  # elements on either side of an array
PURPOSE = "conformance"


class Fenced:
    """An array between two fences, so that a kernel that writes beside its array is found out."""

    def __init__(self, shape: tuple[int, ...], dtype: type, post: float) -> None:
        size = int(np.prod(shape))
        self._whole: NDArray[Any] = np.full(size + 2 * FENCE, post, dtype=dtype)
        self._fence = self._whole[:FENCE].tobytes()
        self.array: NDArray[Any] = self._whole[FENCE : FENCE + size].reshape(shape)

    def intact(self) -> bool:
        """Say whether nothing was written beside the array."""
        ends = self._whole[:FENCE].tobytes(), self._whole[-FENCE:].tobytes()
        return ends == (self._fence, self._fence)


class Bench:
    """The kernels of one game with the arrays they work on; every method returns fresh copies."""

    def __init__(self, game: Game, report: Report, seed: int) -> None:
        self.game = game
        self.rules = game.rules
        self.report = report
        self.seed = seed
        self._position = Fenced((game.position_size,), np.int16, 23130)
        self._mask = Fenced((game.action_count,), np.bool_, 0)
        self._planes = Fenced(game.plane_shape, np.float32, -7.5)
        self._scores = Fenced((len(game.seats),), np.float64, -7.5)
        self._measures = Fenced((len(game.seats), len(game.measures)), np.float64, -7.5)

    def dice(self, purpose: str, number: int) -> Dice:
        """Return a stream of the kit's own."""
        return Dice(self.seed, f"{PURPOSE} {purpose}", number)

    def start(self, dice: Dice) -> Position:
        """Return a starting position."""
        self._position.array[:] = self.game.empty_position()
        self.rules.start(self._position.array, dice.array)
        return self._position.array.copy()

    def turn(self, position: Position) -> int:
        """Return the seat to act."""
        return int(self.rules.turn(position))

    def legal(self, position: Position, before: bool = False) -> tuple[int, NDArray[np.bool_]]:
        """Return the number of legal actions and the mask, which held ``before`` everywhere."""
        self._mask.array[:] = before
        count = int(self.rules.legal(position, self._mask.array))
        return count, self._mask.array.copy()

    def apply(self, position: Position, action: int, dice: Dice) -> Position:
        """Return the position after an action."""
        self._position.array[:] = position
        self.rules.apply(self._position.array, action, dice.array)
        return self._position.array.copy()

    def scores(self, position: Position, before: float = np.nan) -> NDArray[np.float64]:
        """Return the scores, in an array that held ``before``."""
        self._scores.array[:] = before
        self.rules.score(position, self._scores.array)
        return self._scores.array.copy()

    def measures(self, position: Position, before: float = np.nan) -> NDArray[np.float64]:
        """Return the measures [seat, measure], in an array that held ``before``."""
        self._measures.array[:] = before
        if self.rules.measure is not None:
            self.rules.measure(position, self._measures.array)
        return self._measures.array.copy()

    def hide(self, position: Position, seat: int) -> Position:
        """Return the view of a seat."""
        self._position.array[:] = position
        self.rules.hide(self._position.array, seat)
        return self._position.array.copy()

    def guess(self, view: Position, seat: int, dice: Dice) -> Position:
        """Return a position the view allows."""
        self._position.array[:] = view
        self.rules.guess(self._position.array, seat, dice.array)
        return self._position.array.copy()

    def encode(self, view: Position, seat: int, before: float = np.nan) -> NDArray[np.float32]:
        """Return the planes, in an array that held ``before``."""
        self._planes.array[:] = before
        self.rules.encode(view, seat, self._planes.array)
        return self._planes.array.copy()

    def random_action(self, mask: NDArray[np.bool_], choices: Dice) -> int:
        """Return one of the marked actions, each as likely."""
        marked = np.flatnonzero(mask)
        return int(marked[choices.below(len(marked))])

    def play_out(self, position: Position, dice: Dice, choices: Dice) -> bool:
        """Play at random to the end; say whether there was one within the longest game."""
        for _ in range(self.game.max_actions + 1):
            seat = self.turn(position)
            if seat == OVER:
                return True
            count, mask = self.legal(position)
            if count < 1 or not mask.any():
                return False
            position = self.apply(position, self.random_action(mask, choices), dice)
        return False

    def check_fences(self) -> None:
        """Check that no kernel has written beside the array it was given."""
        for name, fenced, kernels in (
            ("position", self._position, "start, apply, hide or guess"),
            ("mask", self._mask, "legal"),
            ("planes", self._planes, "encode"),
            ("scores", self._scores, "score"),
            ("measures", self._measures, "measure"),
        ):
            self.report.expect(
                "own array", fenced.intact(), f"{kernels} wrote beside the array of the {name}"
            )


def copied(dice: Dice) -> Dice:
    """Return a stream that goes on from the same place."""
    other = Dice(0)
    other.array[:] = dice.array
    return other
