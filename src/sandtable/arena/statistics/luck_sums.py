"""Scores without luck from sums: what is left of games in bounded memory.

Weights, mean, deviation and skewness of scores without luck follow from sums of products of two and
of three columns, by folds. They are taken in one row after the other, so that neither a cut nor the
number of workers has an influence on a single bit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import FOLDS
from sandtable.compiled import kernel

__all__ = ["Key", "LuckParts", "LuckSums"]

Key = tuple[int, int]  # number of the match, game of a deal

Floats = NDArray[np.float64]


@kernel
def add_products(rows: Any, first: Any, sums: Any, lost: Any) -> None:
    """Add the products of all columns of rows [row, column] to sums [fold, column, column].

    What rounding loses is kept beside and made good (Kahan): the number of rows does not matter.
    """
    count, width = rows.shape
    folds = sums.shape[0]
    for row in range(count):
        fold = (first + row) % folds
        for one in range(width):
            for other in range(one + 1):
                added = rows[row, one] * rows[row, other] - lost[fold, one, other]
                total = sums[fold, one, other] + added
                lost[fold, one, other] = (total - sums[fold, one, other]) - added
                sums[fold, one, other] = total


@kernel
def add_cubes(rows: Any, first: Any, origin: Any, cubes: Any) -> None:
    """Add the products of three columns of rows [row, column], less ``origin``, to cubes.

    Cubes [fold, column, column, column] has them where no column comes after the one before it.
    """
    count, width = rows.shape
    folds = cubes.shape[0]
    away = np.empty(width)
    for row in range(count):
        fold = (first + row) % folds
        for one in range(width):
            away[one] = rows[row, one] - origin[one]
        for one in range(width):
            for other in range(one + 1):
                product = away[one] * away[other]
                for third in range(other + 1):
                    cubes[fold, one, other, third] += product * away[third]


class LuckSums:
    """Sums over deals of some games each, that is over rows.

    A row of a deal holds a one, its scores [game, seat], and its luck [game, term]. Third moments
    are sums of what rows are away from the first one, the one aside: so the digits of values that
    are far from zero are not lost. The fold of a deal is its number, which begins at ``first``.
    """

    def __init__(self, games: int, seats: int, terms: int, first: int = 0) -> None:
        self.games, self.seats, self.terms = games, seats, terms
        width = 1 + games * (seats + terms)
        self.sums = np.zeros((FOLDS, width, width))
        self.lost = np.zeros((FOLDS, width, width))
        self.cubes = np.zeros((FOLDS, width, width, width))
        self.origin = np.zeros(width)
        self.first = first
        self.deals = 0

    def add(self, scores: Floats, luck: Floats) -> None:
        """Take in deals: scores [deal, game, seat], luck [deal, game, term]."""
        count = len(scores)
        rows = np.concatenate(
            [np.ones((count, 1)), scores.reshape(count, -1), luck.reshape(count, -1)], axis=1
        )
        if not self.deals and count:
            self.origin[1:] = rows[0, 1:]
        fold = (self.first + self.deals) % FOLDS
        add_products(rows, fold, self.sums, self.lost)
        add_cubes(rows, fold, self.origin, self.cubes)
        self.deals += count

    def score_column(self, game: int, seat: int) -> int:
        """Return where a score stands in a row."""
        return 1 + game * self.seats + seat

    def luck_columns(self, game: int) -> slice:
        """Return where the luck of a game stands in a row."""
        first = 1 + self.games * self.seats + game * self.terms
        return slice(first, first + self.terms)

    def outside(self, fold: int, game: int, seat: int) -> Floats:
        """Return the sums of the other folds, of the columns: one, a score, the luck with it."""
        luck = self.luck_columns(game)
        columns = [0, self.score_column(game, seat), *range(luck.start, luck.stop)]
        others = self.sums.sum(axis=0) - self.sums[fold]
        found: Floats = others[np.ix_(columns, columns)]
        return found

    def third(self, fold: int, mix: Floats, mean: float) -> float:
        """Return the sum of the third powers of a mix of the columns of a fold, less a mean."""
        away = mix.copy()
        away[0] = float(mix @ self.origin) - mean  # the column of ones is not less its origin
        cubes = self.cubes[fold] * orderings(len(mix))
        return float(np.einsum("ijk,i,j,k", cubes, away, away, away))


class LuckParts:
    """Sums over several parts, each of deals of the same games: games have a match and a number.

    The weights of a game are those of all parts that have it. With ``sums`` of one match:

    >>> generator = np.random.default_rng(0)
    >>> luck = generator.normal(size=(1000, 1, 1))
    >>> scores = 5 + np.concatenate([luck, -luck], axis=2)
    >>> sums = LuckSums(games=1, seats=2, terms=1)
    >>> sums.add(scores, luck)
    >>> mean, deviation, _, deals = LuckParts([(sums, [(0, 0)])]).moments([np.array([[1.0, 0.0]])])
    >>> round(mean, 6), round(deviation, 6), deals
    (5.0, 0.0, 1000)
    """

    def __init__(self, parts: Sequence[tuple[LuckSums, Sequence[Key]]]) -> None:
        self.parts = parts
        self.known: dict[tuple[int, Key, int], Floats] = {}

    def weights(self, fold: int, key: Key, seat: int) -> Floats:
        """Return the weights of luck in one game of a deal, fitted on the other folds."""
        if (fold, key, seat) not in self.known:
            sums = functools.reduce(
                np.add,
                (part.outside(fold, keys.index(key), seat)
                 for part, keys in self.parts if key in keys),
            )  # fmt: skip
            around = scatter(sums)[1:, 1:]
            fitted = np.linalg.lstsq(around[1:, 1:], around[1:, 0], rcond=None)[0]
            self.known[fold, key, seat] = fitted.astype(np.float64)
        return self.known[fold, key, seat]

    def mixed(self, part: int, fold: int, shares: Floats) -> Floats:
        """Return the mix of columns that frees a sum of scores by ``shares`` [game, seat]."""
        sums, keys = self.parts[part]
        mix = np.zeros(sums.sums.shape[1])
        for game, seat in np.argwhere(shares):
            share = shares[game, seat]
            mix[sums.score_column(int(game), int(seat))] += share
            weights = self.weights(fold, keys[game], int(seat))
            mix[sums.luck_columns(int(game))] -= share * weights
        return mix

    def moments(self, shares: Sequence[Floats]) -> tuple[float, float, float, int]:
        """Return the moments of sums of scores by shares [game, seat], one array for each part.

        They are the mean, the deviation, the mean third power of what deals are away from the mean,
        and the number of deals; parts without any share are left out.
        """
        means, counts, inside, where = [], [], [], []
        for number, (sums, _) in enumerate(self.parts):
            for fold in range(FOLDS):
                count = float(sums.sums[fold, 0, 0])
                if not count or not shares[number].any():
                    continue
                mix = self.mixed(number, fold, shares[number])
                means.append(float(mix @ whole(sums.sums[fold])[0]) / count)
                inside.append(float(mix @ scatter(sums.sums[fold]) @ mix))
                counts.append(count)
                where.append((sums, fold, mix))
        deals = int(sum(counts))
        if deals < 2:
            return math.nan, math.nan, math.nan, deals
        mean = float(np.dot(means, counts)) / deals
        between = float(np.dot((np.array(means) - mean) ** 2, counts))
        deviation = float(np.sqrt((sum(inside) + between) / (deals - 1)))
        cubes = sum(sums.third(fold, mix, mean) for sums, fold, mix in where)
        return mean, deviation, cubes / deals, deals


def whole(sums: Floats) -> Floats:
    """Return sums of products [column, column] of which one half is given."""
    found: Floats = np.tril(sums) + np.tril(sums, -1).T
    return found


def scatter(sums: Floats) -> Floats:
    """Return the products of sums around their means."""
    both = whole(sums)
    around: Floats = both - np.outer(both[0], both[0]) / both[0, 0]
    return around


@functools.cache
def orderings(width: int) -> Floats:
    """Return in how many orders three columns [column, column, column] can stand."""
    one, other, third = np.indices((width, width, width))
    twice = (one == other).astype(np.int64) + (other == third)
    found: Floats = np.array([6.0, 3.0, 1.0])[twice]
    return found
