"""Which deals tell most: pure functions of ratings and of how sure they are.

After the fit the ratings have a covariance. A deal between two bots adds information along their
difference: much where they are close (p (1 - p) for the chance p of either), little where one
always wins. By the formula of Sherman and Morrison that says at once by how much the sum of all
variances would fall; the deal that lowers it most is the next. So a bot that nobody knows is
played first, then pairs that are close and unsure. The covariance is brought up to date after each
choice, as if the deal had been played: one round spreads over many pairs. In games of more seats a
table is filled one by one, with whoever adds most to those who sit there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice

__all__ = ["Sureness", "choose_deals"]

Floats = NDArray[np.float64]
DIGITS = 9  # to which gains are compared: what rounding does to them must not choose


class Sureness:
    """The covariance of ratings, in logarithms of strength and about their mean.

    >>> sure = Sureness(np.zeros(3), np.eye(3), games=2)
    >>> before = sure.total
    >>> sure.play(0, 1)
    >>> bool(sure.total < before)
    True
    """

    def __init__(self, logs: Floats, covariance: Floats, games: int) -> None:
        count = len(logs)
        centre = np.eye(count) - 1 / count
        self.logs, self.games = logs, games
        self.covariance: Floats = centre @ covariance @ centre
        self.square: Floats = self.covariance @ self.covariance

    @property
    def total(self) -> float:
        """The sum of the variances."""
        return float(np.trace(self.covariance))

    def weights(self) -> Floats:
        """Return how much a deal of each pair tells [bot, bot]."""
        chance = 1 / (1 + np.exp(self.logs[None, :] - self.logs[:, None]))
        return np.asarray(self.games * chance * (1 - chance))

    def gains(self) -> Floats:
        """Return by how much a deal of each pair [bot, bot] would lower the sum."""
        weights = self.weights()
        apart, apart_squared = spread(self.covariance), spread(self.square)
        found: Floats = weights * apart_squared / (1 + weights * apart)
        np.fill_diagonal(found, -np.inf)
        return found

    def play(self, one: int, other: int, share: float = 1.0) -> None:
        """Take a deal of two for played; ``share`` of it, where more sit at the table."""
        weight = share * float(self.weights()[one, other])
        along = self.covariance[:, one] - self.covariance[:, other]
        apart = along[one] - along[other]
        part = weight / (1 + weight * apart)
        turned, outer = self.covariance @ along, np.outer(along, along)
        self.square = (
            self.square
            - part * (np.outer(turned, along) + np.outer(along, turned))
            + part**2 * float(along @ along) * outer
        )
        self.covariance = self.covariance - part * outer


def spread(matrix: Floats) -> Floats:
    """Return d' M d for the difference d of each pair."""
    diagonal = np.diag(matrix)
    return np.asarray(diagonal[:, None] + diagonal[None, :] - 2 * matrix)


def choose_deals(
    sure: Sureness,
    seats: int,
    count: int,
    dice: Dice,
    allowed: Callable[[tuple[int, ...]], bool] = lambda table: True,
) -> list[tuple[int, ...]]:
    """Return who plays the next deals, those that tell most first; the dice break ties.

    ``allowed`` says whether a table, in the order of the numbers, can tell anything new at all.

    >>> sure = Sureness(np.zeros(4), np.diag([9.0, 9.0, 1.0, 1.0]), games=2)
    >>> sorted(choose_deals(sure, seats=2, count=1, dice=Dice(1))[0])
    [0, 1]
    """
    bots = len(sure.logs)
    chosen: list[tuple[int, ...]] = []
    while len(chosen) < count and bots >= seats:
        table = fullest_table(sure.gains(), seats, shuffled(bots, dice), allowed)
        if table is None:
            break
        for place, one in enumerate(table):
            for other in table[:place]:
                sure.play(one, other, 2 / seats)
        chosen.append(tuple(table[each] for each in shuffled(seats, dice)))
    return chosen


def shuffled(count: int, dice: Dice) -> list[int]:
    """Return the numbers below ``count`` in an order that the dice give."""
    order = list(range(count))
    for place in range(count - 1, 0, -1):
        other = dice.below(place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def fullest_table(
    gains: Floats, seats: int, order: Sequence[int], allowed: Callable[[tuple[int, ...]], bool]
) -> list[int] | None:
    """Return who should sit at the next table; None: nobody can tell anything new."""
    count = len(gains)
    rounded = significant(gains)
    by_dice = rounded[np.ix_(order, order)]  # the first of equals is the one that the dice say
    left = np.triu(np.ones((count, count), dtype=np.bool_), 1)
    while left.any():
        first, second = divmod(int(np.argmax(np.where(left, by_dice, -np.inf))), count)
        left[first, second] = False
        table = [order[first], order[second]]
        while len(table) < seats:
            others = [each for each in order if each not in table]
            table.append(max(others, key=lambda each: float(rounded[each, table].sum())))
        if allowed(tuple(sorted(table))):
            return table
    return None


def significant(values: Floats) -> Floats:
    """Round to so many significant digits.

    >>> significant(np.array([[1.00000000001, 2.0]])).tolist()
    [[1.0, 2.0]]
    """
    size = np.abs(values, where=np.isfinite(values), out=np.zeros_like(values))
    digits = DIGITS - 1 - np.floor(np.log10(np.maximum(size, 1e-300)))
    scale = 10.0 ** np.clip(digits, -300, 300)
    found: Floats = np.where(np.isfinite(values), np.rint(values * scale) / scale, values)
    return found
