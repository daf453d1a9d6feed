"""The rating of one player from games against opponents whose ratings are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import (
    LEVEL,
    Estimate,
    estimate_mean,
    student_quantile,
    without_interval,
)

__all__ = ["Result", "rating_against_known"]

Floats = NDArray[np.float64]
Result = tuple[float, float]  # the rating of an opponent, and the share of the point one got
STEP = 1.0
RANGE = np.arange(-500.0, 4000.0, STEP)
POINTS = 400 / math.log(10)


def rating_against_known(games: Sequence[Sequence[Result]]) -> Estimate:
    """Return the likeliest rating, with the interval of all that are not clearly less likely.

    A game is one observation, however many opponents it had. The likeliest rating is found as if
    one game more had been shared with an average opponent: somebody who has won every game has one
    too. Drawn games vary less than won and lost ones, and the interval follows what was seen. It is
    shown under the conditions of a share of games.

    >>> found = rating_against_known([[(1000.0, 1.0)], [(1000.0, 0.0)]] * 20)
    >>> round(found.mean), found.low < 1000 < found.high
    (1000, True)
    >>> rating_against_known([[(1000.0, 0.5)]] * 30).reason
    'all results are alike'
    """
    opponents = np.array([rating for game in games for rating, _ in game])
    points = np.array([share for game in games for _, share in game])
    weights = np.array([1 / len(game) for game in games for _ in game])
    likelihood = log_likelihood(opponents, points, weights)
    shared = log_likelihood(np.array([opponents.mean()]), np.array([0.5]), np.ones(1))
    rating = float(RANGE[int((likelihood + shared).argmax())])
    shares = np.array([sum(share for _, share in game) / len(game) for game in games])
    reason = estimate_mean(shares, bounds=(0.0, 1.0)).reason
    if reason:
        return without_interval(rating, math.nan, len(games), reason)
    quantile = student_quantile(0.5 + LEVEL / 2, len(games) - 1)
    likeliest = float(RANGE[int(likelihood.argmax())])
    clearly_less = quantile**2 / 2 * dispersion(games, likeliest)
    inside = np.flatnonzero(likelihood >= likelihood.max() - clearly_less)
    low, high = float(RANGE[inside[0]]) - STEP / 2, float(RANGE[inside[-1]]) + STEP / 2
    return Estimate(rating, math.nan, low, high, len(games))


def dispersion(games: Sequence[Sequence[Result]], rating: float) -> float:
    """Return the variance of the results, as a share of that of games which are won or lost.

    >>> dispersion([[(1000.0, 1.0)], [(1000.0, 0.0)], [(1000.0, 0.5)], [(1000.0, 0.5)]], 1000.0)
    0.5
    """
    if all(share in (0.0, 1.0) for game in games for _, share in game):
        return 1.0
    away = usual = 0.0
    for game in games:
        chances = [1 / (1 + math.exp((known - rating) / POINTS)) for known, _ in game]
        pairs = zip(chances, game, strict=True)
        away += (sum(share - chance for chance, (_, share) in pairs) / len(game)) ** 2
        usual += sum(chance * (1 - chance) for chance in chances) / len(game)
    return min(away / usual, 1.0)


def log_likelihood(opponents: Floats, points: Floats, weights: Floats) -> Floats:
    """Return how likely results are, for every rating of the range."""
    known, places = np.unique(opponents, return_inverse=True)
    won = np.bincount(places, points * weights)
    lost = np.bincount(places, (1 - points) * weights)
    leads = (RANGE[:, None] - known) / POINTS
    total: Floats = -np.logaddexp(0, -leads) @ won - np.logaddexp(0, leads) @ lost
    return total
