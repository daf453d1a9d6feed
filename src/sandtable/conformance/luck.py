"""Checks of apply_with_luck: it does what apply does, and its terms have mean zero."""

from __future__ import annotations

import numpy as np

from sandtable.conformance.bench import Bench, Fenced, copied
from sandtable.dice import Dice
from sandtable.types import Position

__all__ = ["Luck"]

MOST_DEVIATIONS = 5.0  # of a sum from zero; one honest term in two million goes beyond
CLOSE = 1e-9


class Luck:
    """Adds up the terms of all throws and judges their mean.

    Each term adds what a throw gave beyond its mean, so whatever the players do the sum over all
    throws is about as large as the root of the sum of squares.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._luck = Fenced((len(bench.game.luck),), np.float64, -7.5)
        self._sums = np.zeros(len(bench.game.luck))
        self._squares = np.zeros(len(bench.game.luck))

    def check(
        self, position: Position, action: int, dice: Dice, after: Position, dice_after: Dice
    ) -> None:
        """Play an action again, with luck; ``dice`` stand where apply found them."""
        apply_with_luck = self.bench.rules.apply_with_luck
        if apply_with_luck is None or not self.bench.game.luck:
            return
        again, other = copied(dice), position.copy()
        self._luck.array[:] = 0.0
        apply_with_luck(other, action, dice.array, self._luck.array)
        same = np.array_equal(other, after) and np.array_equal(dice.array, dice_after.array)
        self.bench.report.expect("luck", same, "apply_with_luck does something else than apply")
        given = self._luck.array.copy()
        self._sums += given
        self._squares += given**2
        if given.any():
            other[:] = position
            self._luck.array[:] = 1.0
            apply_with_luck(other, action, again.array, self._luck.array)
            added = np.allclose(self._luck.array - 1.0, given, atol=CLOSE)
            self.bench.report.expect("luck", added, "luck is not added to what was there before")

    def check_means(self) -> None:
        """Judge the mean of every term over all throws."""
        self.bench.report.expect("luck", self._luck.intact(), "luck is written beside its array")
        for name, total, squares in zip(
            self.bench.game.luck, self._sums, self._squares, strict=True
        ):
            if squares > 0:
                deviations = total / np.sqrt(squares)
                self.bench.report.expect(
                    "luck",
                    bool(abs(deviations) < MOST_DEVIATIONS),
                    f"'{name}' is {deviations:+.1f} standard deviations from mean zero",
                )
