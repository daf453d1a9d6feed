"""What can be concluded from scores: pure functions, tested on known numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LEVEL",
    "Estimate",
    "estimate_grouped_share",
    "estimate_mean",
    "estimate_share",
    "free_of_luck",
    "student_quantile",
    "win_shares",
]

LEVEL = 0.95
FOLDS = 10


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard deviation and the interval that covers the truth 95% of the time."""

    mean: float
    deviation: float
    low: float
    high: float
    count: int


def student_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's distribution.

    Exact for one and two degrees of freedom; above, the expansion around the normal quantile
    (Abramowitz and Stegun 26.7.5), right to three digits from five degrees on.
    """
    if freedom == 1:
        return math.tan(math.pi * (probability - 0.5))
    if freedom == 2:
        alpha = 4 * probability * (1 - probability)
        return float(2 * (probability - 0.5) * math.sqrt(2 / alpha))
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / freedom ** (index + 1) for index, term in enumerate(terms)))


def estimate_mean(values: NDArray[np.float64], level: float = LEVEL) -> Estimate:
    """Return the mean of independent values with Student's interval."""
    count = len(values)
    mean = float(values.mean()) if count else math.nan
    if count < 2:
        return Estimate(mean, math.nan, math.nan, math.nan, count)
    deviation = float(values.std(ddof=1))
    margin = student_quantile(0.5 + level / 2, count - 1) * deviation / math.sqrt(count)
    return Estimate(mean, deviation, mean - margin, mean + margin, count)


def estimate_share(share: float, count: int, level: float = LEVEL) -> Estimate:
    """Return a share of games with Wilson's interval, which also holds near 0 and 1."""
    if not count:
        return Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    spread = math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    margin = z * spread / (1 + z * z / count)
    deviation = math.sqrt(share * (1 - share))
    return Estimate(share, deviation, max(0.0, centre - margin), min(1.0, centre + margin), count)


def estimate_grouped_share(shares: NDArray[np.float64], level: float = LEVEL) -> Estimate:
    """Return the mean of shares [group] of games that go together, with an interval.

    A group is one observation, however many games it has. The interval is that of Agresti and
    Coull, which belongs to shares of any value too: z squared / 2 observations of nothing and as
    many of everything are added, and the mean and deviation of them all are taken. So it also
    holds near 0 and 1, and equal shares in all groups do not make it a point.
    """
    count = len(shares)
    mean = float(shares.mean()) if count else math.nan
    if count < 2:
        return Estimate(mean, math.nan, math.nan, math.nan, count)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    total = count + z * z
    centre = (float(shares.sum()) + z * z / 2) / total
    squares = float((shares**2).sum()) + z * z / 2
    margin = z * math.sqrt(max(squares / total - centre**2, 0.0) / total)
    deviation = float(shares.std(ddof=1))
    return Estimate(mean, deviation, max(0.0, centre - margin), min(1.0, centre + margin), count)


def win_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return who won each game [game, seat]; those with the same best score share the win."""
    best = scores == scores.max(axis=1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares


def free_of_luck(
    scores: NDArray[np.float64], luck: NDArray[np.float64], folds: int = FOLDS
) -> NDArray[np.float64]:
    """Return the scores of one seat [game] less what the dice gave it, without bias.

    ``luck`` [game, term] holds terms with mean zero. Their weights are fitted by least squares,
    and each game is corrected with weights fitted on the other folds only: so the correction is
    independent of the game's own luck and has mean zero exactly, however the weights come out.
    """
    count = len(scores)
    if count < 2 * folds or not luck.shape[1]:
        return scores
    corrected = scores.copy()
    fold_of_game = np.arange(count) % folds
    for fold in range(folds):
        inside = fold_of_game == fold
        others = luck[~inside]
        centred = others - others.mean(axis=0)
        target = scores[~inside] - scores[~inside].mean()
        weights = np.linalg.lstsq(centred, target, rcond=None)[0]
        corrected[inside] -= luck[inside] @ weights
    return corrected
