"""What can be concluded from scores: pure functions, tested on known numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.beta import binomial_limits, bounded_limits, student_quantile
from sandtable.arena.statistics.rare_events import (
    EVENTS_AT_A_BOUND,
    average,
    events_needed,
    limits_around_common,
)

__all__ = [
    "ALL_ALIKE",
    "LEAST_COUNT",
    "LEAST_FOR_MANY",
    "LEVEL",
    "TOO_FEW",
    "UNBOUNDED",
    "UNKNOWN",
    "Estimate",
    "SupportsReason",
    "all_alike",
    "estimate_from_moments",
    "estimate_grouped_share",
    "estimate_mean",
    "estimate_share",
    "free_of_luck",
    "holm",
    "paired_difference",
    "paired_share_difference",
    "reason_lines",
    "simultaneous_level",
    "student_quantile",
    "win_shares",
    "without_interval",
]

LEVEL = 0.95
SMALL = 1e-9
FOLDS = 10
LEAST_COUNT = 20  # observations of an interval
LEAST_ALIKE = 8  # of which it is worth saying that they are all alike
LEAST_FOR_MANY = 50  # for one of many tests, each at a higher level: nothing is known of far ends
COMMON_SHARE = 1 / 3  # of all values: from then on a value is a common one
GAMES_OF_A_SMALL_DEAL = 2
LEAST_DEALS = 150  # of more games: fewer may have none of the rare deals that go wholly otherwise
UNBOUNDED = (-math.inf, math.inf)
UNKNOWN = (math.nan, math.nan)
TOO_FEW = f"fewer than {LEAST_COUNT} observations"
TOO_FEW_DEALS = (
    f"fewer than {LEAST_DEALS} deals of more than {GAMES_OF_A_SMALL_DEAL} games: rare deals that "
    "go wholly otherwise may not have come yet"
)
ALL_ALIKE = "all results are alike"

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard deviation and the interval that covers the truth 95% of the time.

    Where an interval would hold the truth too rarely or too often there is none, and the reason
    says why. ``limits`` may be there all the same, where it is known between which bounds results
    lie, and hold whatever the results are: what a test asks ("is it above a half?") can be told
    from far fewer results than how large something is.

    >>> Estimate(mean=0.5, deviation=0.5, low=0.4, high=0.6, count=100).shown
    True
    """

    mean: float
    deviation: float
    low: float
    high: float
    count: int
    reason: str = ""  # why there is no interval, where there is none
    limits: tuple[float, float] = UNKNOWN  # for tests; UNKNOWN: those of the interval

    @property
    def shown(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    @property
    def tested(self) -> tuple[float, float]:
        """The limits that tests use, whether they are shown or not; no numbers: none are known."""
        return (self.low, self.high) if math.isnan(self.limits[0]) else self.limits


def without_interval(
    mean: float, deviation: float, count: int, reason: str, limits: tuple[float, float] = UNKNOWN
) -> Estimate:
    """Return a mean whose interval is not shown."""
    return Estimate(mean, deviation, math.nan, math.nan, count, reason, limits)


def different(values: Floats, counts: Integers | None) -> tuple[Floats, Integers]:
    """Return the different values, sorted, and how often each came.

    >>> different(np.array([2.0, 1.0, 2.0]), np.array([1, 5, 3]))
    (array([1., 2.]), array([5, 4]))
    """
    if counts is None:
        known, times = np.unique(values, return_counts=True)
        return known, times
    known, places = np.unique(values, return_inverse=True)
    return known, np.bincount(places, weights=counts, minlength=len(known)).astype(np.int64)


def estimate_from_moments(
    mean: float, deviation: float, cubes: float, count: int, games: int = 1, level: float = LEVEL
) -> Estimate:
    """Return the mean of values of which no third are the same, from what is left of them.

    It is the estimate that ``estimate_mean`` makes of the values themselves.

    >>> found = estimate_from_moments(5.0, 2.0, 0.0, 400)
    >>> round(found.low, 3), round(found.high, 3)
    (4.803, 5.197)
    """
    reason = why_not_shown(count, count, 0, games)
    if reason:
        return without_interval(mean, deviation, count, reason)
    low, high = limits_from_moments(mean, deviation, cubes, count, level)
    limits = UNBOUNDED if level > LEVEL and count < LEAST_FOR_MANY else (low, high)
    return Estimate(mean, deviation, low, high, count, limits=limits)


def estimate_mean(
    values: Floats,
    level: float = LEVEL,
    bounds: tuple[float, float] = UNBOUNDED,
    games: int = 1,
    counts: Integers | None = None,
) -> Estimate:
    """Return the mean of independent values with an interval.

    ``bounds`` are the lowest and the highest value that could have come, ``games`` how many games
    each value is the mean of, and ``counts`` how often each came (None: once). Where a third of the
    values or more are the same, as with games won, drawn and lost, the interval is that of
    ``limits_around_common``; otherwise it is Student's, allowing for skewness. Only the different
    values and their numbers count, so that values in any order, counted or not, give the same bits.

    >>> round(estimate_mean(np.arange(30.0) ** 2).low, 1)
    194.8
    >>> estimate_mean(np.arange(9.0)).reason
    'fewer than 20 observations'
    >>> estimate_mean(np.ones(50), bounds=(0, 1)).reason
    'all results are alike'
    >>> estimate_mean(np.array([1.0] * 48 + [0.0, 0.0]), bounds=(0, 1)).reason
    'fewer than 5 results differ from the most common one'
    """
    known, times = different(values, counts)
    count = int(times.sum())
    mean = average(known, times) if count else math.nan
    deviation = math.nan
    if count > 1:
        deviation = math.sqrt(average((known - mean) ** 2, times) * count / (count - 1))
    events = count - int(times.max(initial=0))
    commons = [float(value) for value in known[times == count - events]]  # of several, none is it
    is_common = events <= (1 - COMMON_SHARE) * count
    needed = [events_needed(known, each, bounds, times) for each in commons] if is_common else []
    reason = why_not_shown(count, events, max(needed, default=0), games)
    if reason:
        limits = limits_of_bounded(mean, known, count, bounds, level)
        limits = limits if math.isfinite(limits[0]) else UNKNOWN
        return without_interval(mean, deviation, count, reason, limits)
    if is_common:
        shown, tested = (
            [limits_around_common(known, each, bounds, level, times, is_told) for each in commons]
            for is_told in (True, False)
        )
    else:
        cubes = average((known - mean) ** 3, times)
        shown = tested = [limits_from_moments(mean, deviation, cubes, count, level)]
    limits = widest(tested, bounds)
    if games > GAMES_OF_A_SMALL_DEAL:
        limits = with_unseen_deals(mean, limits, count, bounds, level)
    if level > LEVEL and count < LEAST_FOR_MANY:
        limits = limits_of_bounded(mean, known, count, bounds, level)
    return Estimate(mean, deviation, *widest(shown, bounds), count, limits=limits)


def with_unseen_deals(
    mean: float, limits: tuple[float, float], count: int, bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return limits for a test that allow for deals that are wholly won or lost and never came.

    Deals of many games are alike, but for rare ones that go wholly one way. Such as come too rarely
    for one of ``count`` deals leave no trace in the variance, and may decide the mean.

    >>> low, high = with_unseen_deals(0.5, (0.48, 0.52), 200, (0.0, 1.0), 0.95)
    >>> round(low, 4), round(high, 4)
    (0.4708, 0.5292)
    """
    if not all(map(math.isfinite, bounds)):
        return limits
    unseen = -math.log((1 - level) / 2) / count
    return (max(limits[0] - unseen * (mean - bounds[0]), bounds[0]),
            min(limits[1] + unseen * (bounds[1] - mean), bounds[1]))  # fmt: skip


def widest(
    limits: Sequence[tuple[float, float]], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the limits that hold all of the given ones, as far as the bounds allow.

    >>> widest([(0.1, 0.8), (0.2, 1.1)], (0.0, 1.0))
    (0.1, 1.0)
    """
    lows, highs = zip(*limits, strict=True)
    return max(bounds[0], min(lows)), min(bounds[1], max(highs))


def limits_of_bounded(
    mean: float, values: Floats, count: int, bounds: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return limits for a test of a mean that hold whatever the values are between the bounds.

    >>> low, high = limits_of_bounded(1.0, np.array([1.0]), 8, (-1.0, 1.0), 0.95)
    >>> round(low, 3), high
    (0.261, 1.0)
    >>> limits_of_bounded(1.0, np.array([1.0]), 8, UNBOUNDED, 0.95)
    (-inf, inf)
    """
    room = bounds[1] - bounds[0]
    if not count or not math.isfinite(room):
        return UNBOUNDED
    is_either = all(value in bounds for value in values.tolist())
    share = min(max((mean - bounds[0]) / room, 0.0), 1.0)
    low, high = bounded_limits(share, float(count), level, is_either)
    return bounds[0] + room * low, bounds[0] + room * high


def limits_from_moments(
    mean: float, deviation: float, cubes: float, count: int, level: float = LEVEL
) -> tuple[float, float]:
    """Return Student's interval of a mean, by Hall's transformation if the values are skewed.

    ``cubes`` is the mean of the third powers of what the values are away from their mean.

    Where a few values are far out on one side, Student's statistic leans to the other one: its own
    interval of 20 values with an exponential distribution holds the truth in 91.7%, and that of the
    transformed statistic in 94.3% (Hall, Journal of the Royal Statistical Society B 54, 1992).

    >>> low, high = limits_from_moments(mean=6.0, deviation=10**0.5, cubes=0.0, count=5)
    >>> round(low, 3), round(high, 3)
    (2.074, 9.926)
    """
    quantile = student_quantile(0.5 + level / 2, count - 1)
    spread = deviation**2 * (count - 1) / count
    skewness = cubes / spread**1.5 if spread else 0.0
    lean = skewness * math.sqrt((count - 1) / count) * count / (count - 2) / math.sqrt(count)
    ends = [each if abs(lean) < SMALL
            else 3 / lean * (math.cbrt(1 + lean * (each - lean / 6)) - 1)
            for each in (quantile, -quantile)]  # fmt: skip
    error = deviation / math.sqrt(count)
    return mean - error * ends[0], mean - error * ends[1]


def why_not_shown(count: int, events: int, needed: int, games: int) -> str:
    """Say why the interval of so many values is not shown; nothing if it is.

    ``events`` of them are not the most common one, and so many are ``needed``. The limits are those
    from which on ``sandtable calibrate`` finds intervals in their band.

    >>> why_not_shown(count=100, events=3, needed=5, games=1)
    'fewer than 5 results differ from the most common one'
    """
    if not events and count >= LEAST_ALIKE:
        return ALL_ALIKE
    if count < LEAST_COUNT:
        return TOO_FEW
    if events < needed:
        return f"fewer than {needed} results differ from the most common one"
    return TOO_FEW_DEALS if games > GAMES_OF_A_SMALL_DEAL and count < LEAST_DEALS else ""


class SupportsReason(Protocol):
    """A figure that says why it has no interval, where it has none."""

    @property
    def reason(self) -> str:
        """Why there is no interval; nothing: there is one."""
        ...


def reason_lines(figures: Iterable[tuple[str, SupportsReason | None]]) -> list[str]:
    """Say of named figures why some of them have no interval, a line for every reason.

    >>> unknown = without_interval(0.5, 0.5, 3, TOO_FEW)
    >>> reason_lines([("random, won", unknown), ("random, rating", unknown)])
    ['no interval of random, won; random, rating: fewer than 20 observations']
    """
    names: dict[str, list[str]] = {}
    for name, figure in figures:
        if figure is not None and figure.reason:
            names.setdefault(figure.reason, []).append(name)
    return [f"no interval of {'; '.join(those)}: {reason}" for reason, those in names.items()]


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
    (0.817, 0.987)
    >>> estimate_share(0.9, 10).reason
    'fewer than 20 observations'
    """
    if not count:
        return without_interval(math.nan, math.nan, 0, TOO_FEW)
    trials = count / effect
    won = min(max(share, 0.0), 1.0) * trials
    deviation = math.sqrt(max(share * (1 - share), 0.0))
    limits = binomial_limits(won, trials, level)
    rarer = min(won, trials - won)
    reason = why_not_shown(round(trials), math.floor(rarer + SMALL), EVENTS_AT_A_BOUND, 1)
    if reason:
        return without_interval(share, deviation, count, reason, limits)
    low, high = binomial_limits(rarer, trials, level, float(EVENTS_AT_A_BOUND))
    low, high = (low, high) if rarer == won else (1 - high, 1 - low)
    return Estimate(share, deviation, low, high, count, limits=limits)


def estimate_grouped_share(
    shares: Floats, level: float = LEVEL, games: int = 1, counts: Integers | None = None
) -> Estimate:
    """Return the mean of shares [group] of ``games`` that go together, with an interval.

    ``counts`` says how often each group came (None: once).

    A group is one observation, however many games it has, and the interval is that of a mean
    between 0 and 1 (``estimate_mean``): it follows the variance that was seen, also near 0 and 1,
    and equal shares in all groups do not make it a point.
    """
    return estimate_mean(np.round(shares, 12), level, (0.0, 1.0), games, counts)


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


def paired_difference(
    first: Floats, second: Floats, level: float = LEVEL, games: int = 1
) -> Estimate:
    """Return the mean difference of values that belong together one by one.

    What both have in common (the dice of a deal, the level) drops out, so the interval is narrower
    than that of two independent means, and the more so the more alike they are.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values come in pairs, got {len(first)} and {len(second)}")
    return estimate_mean(first - second, level, games=games)


def paired_share_difference(
    first: Floats, second: Floats, level: float = LEVEL, games: int = 1
) -> Estimate:
    """Return the mean difference of shares that belong together one by one.

    It lies between -1 and 1: its interval also holds near the ends, and equal differences do not
    make it a point.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values come in pairs, got {len(first)} and {len(second)}")
    return estimate_mean(np.round(first - second, 12), level, (-1.0, 1.0), games)
