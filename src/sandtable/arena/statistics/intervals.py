"""What can be concluded from scores: pure functions, tested on known numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.beta import binomial_limits, student_quantile

__all__ = [
    "ALL_ALIKE",
    "LEAST_COUNT",
    "LEVEL",
    "TOO_FEW",
    "UNBOUNDED",
    "Estimate",
    "all_alike",
    "estimate_grouped_share",
    "estimate_mean",
    "estimate_share",
    "free_of_luck",
    "holm",
    "paired_difference",
    "paired_share_difference",
    "simultaneous_level",
    "student_quantile",
    "win_shares",
    "without_interval",
]

LEVEL = 0.95
FOLDS = 10
LEAST_COUNT = 8  # observations of an interval
COMMON_SHARE = 1 / 3  # of all values: from then on a value is a common one
LEAST_FREEDOM = 3.0
SMALL = 1e-9
UNBOUNDED = (-math.inf, math.inf)
TOO_FEW = f"fewer than {LEAST_COUNT} observations"
ALL_ALIKE = "all results are alike"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard deviation and the interval that covers the truth 95% of the time.

    >>> Estimate(mean=0.5, deviation=0.5, low=0.4, high=0.6, count=100).shown
    True
    """

    mean: float
    deviation: float
    low: float
    high: float
    count: int
    reason: str = ""  # why there is no interval, where there is none

    @property
    def shown(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)


def without_interval(mean: float, deviation: float, count: int, reason: str) -> Estimate:
    """Return a mean that nothing more can be said about."""
    return Estimate(mean, deviation, math.nan, math.nan, count, reason)


def estimate_mean(
    values: Floats, level: float = LEVEL, bounds: tuple[float, float] = UNBOUNDED
) -> Estimate:
    """Return the mean of independent values with an interval.

    ``bounds`` are the lowest and the highest value that could have come. Where a third of the
    values or more are the same, as with games won, drawn and lost, the interval is that of
    ``limits_around_common``; otherwise it is Student's. Values that are all alike say nothing about
    how values scatter: they have an interval only if there are bounds.

    >>> estimate_mean(np.array([2.0, 4, 4, 4, 5, 5, 7, 9, 1, 6, 8])).mean
    5.0
    >>> always = estimate_mean(np.ones(50), bounds=(0, 1))
    >>> round(always.low, 3), always.high
    (0.942, 1)
    >>> estimate_mean(np.ones(50)).reason
    'all results are alike'
    """
    count = len(values)
    mean = float(values.mean()) if count else math.nan
    deviation = float(values.std(ddof=1)) if count > 1 else math.nan
    if count < LEAST_COUNT:
        return without_interval(mean, deviation, count, TOO_FEW)
    known, counts = np.unique(values, return_counts=True)
    often = int(counts.argmax())
    common, share = float(known[often]), counts[often] / count
    if share == 1 and not math.isfinite(bounds[1] - bounds[0]):
        return without_interval(mean, 0.0, count, ALL_ALIKE)
    if share >= COMMON_SHARE:
        low, high = limits_around_common(values, common, bounds, level)
    else:
        margin = student_quantile(0.5 + level / 2, count - 1) * deviation / math.sqrt(count)
        low, high = mean - margin, mean + margin
    return Estimate(mean, deviation, max(bounds[0], low), min(bounds[1], high), count)


def limits_around_common(
    values: Floats, common: float, bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval of a mean whose values often are the same, ``common`` one.

    The mean is that value, plus the mean excess above it, less the mean shortfall below it. Each of
    these is treated as an event of one size, which comes with some chance, and the chance has the
    interval of binomial trials; size and scale are such that variance and skewness are the observed
    ones. So it holds where events are rare, near the bounds and far from them. Events of a kind
    that never came are taken to be as large as those of the other kind, or if none came at all as
    large as the bounds allow. Both intervals are put together as Newcombe does for differences
    (Statistics in Medicine 17, 1998), the correlation included.

    The more the sizes differ, the less is known of the variance: the margins grow by the quantile
    of Student's distribution with as many degrees of freedom as the estimate of the variance has
    (none are lost where there are just two values, n - 1 with normal ones).
    """
    count = len(values)
    excess, shortfall = np.maximum(values - common, 0.0), np.maximum(common - values, 0.0)
    rooms = (max(bounds[1] - common, 0.0), max(common - bounds[0], 0.0))
    sizes = [event_size(excess), event_size(shortfall)]
    ends, means, spreads = [], [], []
    for own, other, room, away in zip(sizes, sizes[::-1], rooms, (excess, shortfall), strict=True):
        size, scale = own if own[0] else (min(other[0] or room, room), 1.0)
        mean = float(away.mean())
        chance = min(mean / size, 1.0) if size else 0.0
        low, high = binomial_limits(chance * count, float(count), level)
        ends.append((scale * (mean - size * low), scale * (size * high - mean)))
        means.append(mean)
        spreads.append(float(away.std()))
    product = spreads[0] * spreads[1]
    correlation = -means[0] * means[1] / product if product else 0.0
    (up_less, up_more), (down_less, down_more) = ends
    mean = common + means[0] - means[1]
    factor = variance_allowance(values, level)
    below = up_less**2 + down_more**2 - 2 * correlation * up_less * down_more
    above = up_more**2 + down_less**2 - 2 * correlation * up_more * down_less
    return mean - factor * math.sqrt(max(below, 0.0)), mean + factor * math.sqrt(max(above, 0.0))


def event_size(away: Floats) -> tuple[float, float]:
    """Return the size of an event that comes or not, and by what its deviations are to be scaled.

    The skewness is that of the values with this size, and the variance with this scale.
    """
    total, squares, cubes = (float((away**power).sum()) for power in (1, 2, 3))
    if not total:
        return 0.0, 1.0
    size, mean = cubes / squares, total / len(away)
    return size, math.sqrt((squares / total - mean) / (size - mean)) if size > mean else 1.0


def variance_allowance(values: Floats, level: float) -> float:
    """Return by what factor margins grow because the variance is only estimated.

    Given the mean, the variance of an estimated variance is in proportion to kurtosis - 1 -
    skewness squared: nothing for two values, 2 for normal ones, whose degrees of freedom are n - 1.
    In small samples it comes out too small, by about n / (n - 4).
    """
    count = len(values)
    away = values - values.mean()
    variance = float((away**2).mean())
    if variance <= 0:
        return 1.0
    skewness, kurtosis = (float((away**power).mean()) / variance ** (power / 2) for power in (3, 4))
    looseness = max(kurtosis - 1 - skewness**2, 0.0) * count / max(count - 4, 2)
    if looseness < SMALL:
        return 1.0
    freedom = max(2 * (count - 1) / looseness, LEAST_FREEDOM)
    ratio = student_quantile(0.5 + level / 2, round(freedom, 1)) / normal_quantile(level)
    return ratio * math.sqrt(1 + min(looseness / 2, 1.0) / (count - 1))


def normal_quantile(level: float) -> float:
    """Return how many standard deviations an interval of normal values reaches to each side."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def simultaneous_level(comparisons: int, level: float = LEVEL) -> float:
    """Return the level of each of several intervals, so that with ``level`` all of them hold.

    >>> round(simultaneous_level(10), 4)
    0.995
    """
    return 1 - (1 - level) / max(comparisons, 1)


def holm(chances: Sequence[float], level: float = LEVEL) -> list[bool]:
    """Return which of several differences hold, given how likely each would be by chance.

    If all were chance, one or more would be called real with a chance of at most 1 - level (Holm,
    Scandinavian Journal of Statistics 6, 1979).

    >>> holm([0.01, 0.04, 0.03, 0.2])
    [True, False, False, False]

    One that is not a number, because nothing can be told, does not hold.

    >>> holm([math.nan, 0.001])
    [False, True]
    """
    holds = [False] * len(chances)
    known = [index for index, chance in enumerate(chances) if not math.isnan(chance)]
    for place, index in enumerate(sorted(known, key=lambda index: chances[index])):
        if chances[index] > (1 - level) / (len(chances) - place):
            break
        holds[index] = True
    return holds


def estimate_share(share: float, count: int, level: float = LEVEL, effect: float = 1.0) -> Estimate:
    """Return a share of independent games with the exact interval (mid-P), right near 0 and 1 too.

    For games of which nothing but the share is known: where single results are at hand, and some
    are draws, ``estimate_grouped_share`` is narrower. ``effect`` is the design effect of games that
    go together: so many of them count for one.

    >>> found = estimate_share(0.9, 50)
    >>> round(found.low, 3), round(found.high, 3)
    (0.792, 0.962)
    """
    if not count:
        return without_interval(math.nan, math.nan, 0, TOO_FEW)
    trials = count / effect
    low, high = binomial_limits(min(max(share, 0.0), 1.0) * trials, trials, level)
    return Estimate(share, math.sqrt(max(share * (1 - share), 0.0)), low, high, count)


def estimate_grouped_share(shares: Floats, level: float = LEVEL) -> Estimate:
    """Return the mean of shares [group] of games that go together, with an interval.

    A group is one observation, however many games it has, and the interval is that of a mean
    between 0 and 1 (``estimate_mean``): it follows the variance that was seen, also near 0 and 1,
    and equal shares in all groups do not make it a point.
    """
    return estimate_mean(np.round(shares, 12), level, (0.0, 1.0))


def all_alike(deals: Floats) -> bool:
    """Say whether two or more deals [deal, result] all went the same.

    In a game without dice that is one deal played again and again: it counts as one observation.

    >>> all_alike(np.array([[1.0, 0.0], [1.0, 0.0]])), all_alike(np.array([[1.0], [0.0]]))
    (True, False)
    """
    return len(deals) > 1 and bool((deals == deals[0]).all())


def win_shares(scores: Floats) -> Floats:
    """Return who won each game [game, seat]; those with the same best score share the win."""
    best = scores == scores.max(axis=1, keepdims=True)
    shares: Floats = best / best.sum(axis=1, keepdims=True)
    return shares


def free_of_luck(scores: Floats, luck: Floats, folds: int = FOLDS) -> Floats:
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


def paired_difference(first: Floats, second: Floats, level: float = LEVEL) -> Estimate:
    """Return the mean difference of values that belong together one by one.

    What both have in common (the dice of a deal, the level) drops out, so the interval is narrower
    than that of two independent means, and the more so the more alike they are.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values come in pairs, got {len(first)} and {len(second)}")
    return estimate_mean(first - second, level)


def paired_share_difference(first: Floats, second: Floats, level: float = LEVEL) -> Estimate:
    """Return the mean difference of shares that belong together one by one.

    It lies between -1 and 1: its interval also holds near the ends, and equal differences do not
    make it a point.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values come in pairs, got {len(first)} and {len(second)}")
    return estimate_mean(np.round(first - second, 12), level, (-1.0, 1.0))
