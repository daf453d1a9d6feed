"""The interval of a mean whose values often are the same, as where games are won, drawn or lost.

The mean is that common value, plus the mean excess above it, less the mean shortfall below it. Each
of these is treated as an event of one size, which comes with some chance, and the chance has the
interval of binomial trials; size and scale are such that variance and skewness are the observed
ones. So it holds where events are rare, near the bounds and far from them.

With very few events no interval is right: if something comes once in a thousand games, nearly all
matches of fifty games have none, and whatever interval they get holds the truth always or never. So
an interval is shown only from a number of events on (``events_needed``); and since matches that
show one are no longer all matches, its limits are those of a test *given* that so many events came.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.beta import binomial_limits, student_quantile

__all__ = [
    "EVENTS_AT_A_BOUND",
    "average",
    "events_needed",
    "limits_around_common",
    "normal_quantile",
]

EVENTS_AT_A_BOUND = 5  # values other than the common one, of an interval that is shown
EVENTS_BETWEEN = 9  # the same where they can be on both sides of it
MORE_FOR_SIZES = 0.2  # part by which more are needed, for sizes with a kurtosis of 2
BALANCE = 4  # events on one side are as good as so many fewer that had to come on the other
LEAST_FREEDOM = 3.0
FREEDOM_OF_AN_EVENT = 3  # by simulation: the limits of the trials allow for part of it already
SMALL = 1e-9

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def average(values: Floats, counts: Integers) -> float:
    """Return the mean of values, of which ``counts`` says how often each came.

    >>> average(np.array([1.0, 4.0]), np.array([2, 1]))
    2.0
    """
    return float(values @ counts / counts.sum())


def events_needed(
    values: Floats, common: float, bounds: tuple[float, float], counts: Integers
) -> int:
    """Return how many values other than the common one an interval needs to be shown.

    At a bound, the more the more their sizes differ: one large loss among small ones weighs as much
    as all of them, and how often such losses come is known from few.

    >>> results, bounds = np.array([0.0, 0.5, 1.0]), (0.0, 1.0)
    >>> events_needed(results, 1.0, bounds, np.array([8, 0, 12]))
    5
    >>> events_needed(results, 1.0, bounds, np.array([2, 6, 12]))
    6
    >>> events_needed(results, 0.5, bounds, np.array([8, 9, 3]))
    9
    """
    if common not in bounds:
        return EVENTS_BETWEEN
    other = values != common
    sizes = np.abs(values - common)[other]
    return math.ceil(
        EVENTS_AT_A_BOUND * (1 + MORE_FOR_SIZES * looseness(sizes, counts[other])) - SMALL
    )


def looseness(sizes: Floats, counts: Integers) -> float:
    """Return the kurtosis of the ``sizes`` about zero, less 1: nothing for sizes that are alike.

    >>> looseness(np.array([1.0]), np.array([9]))
    0.0
    """
    squares = average(sizes**2, counts) if len(sizes) else 0.0
    return average(sizes**4, counts) / squares**2 - 1 if squares else 0.0


def limits_around_common(
    values: Floats,
    common: float,
    bounds: tuple[float, float],
    level: float,
    counts: Integers | None = None,
    is_told: bool = True,
) -> tuple[float, float]:
    """Return the limits of a mean whose values often are the same, ``common`` one.

    ``counts`` says how often each of the values came (None: once). With ``is_told`` they are the
    ends of an interval that is shown from a number of events on only, and otherwise the limits for
    a test, which is made however many events there are.

    Events of a kind that never came are taken to be as large as those of the other kind, or if none
    came at all as large as the bounds allow. The intervals of both kinds are put together as
    Newcombe does for differences (Statistics in Medicine 17, 1998), the correlation included.

    The more the sizes differ, the less is known of the variance: the margins grow by the quantile
    of Student's distribution with as many degrees of freedom as the estimate of the variance has.

    >>> low, high = limits_around_common(np.array([1.0] * 45 + [0.0] * 5), 1.0, (0.0, 1.0), 0.95)
    >>> round(low, 3), round(high, 3)
    (0.817, 0.987)
    """
    times = np.ones(len(values), dtype=np.int64) if counts is None else counts
    count = int(times.sum())
    excess, shortfall = np.maximum(values - common, 0.0), np.maximum(common - values, 0.0)
    events = [int(times[away > 0].sum()) for away in (excess, shortfall)]
    least_events = events_needed(values, common, bounds, times) if is_told else 0
    rooms = (max(bounds[1] - common, 0.0), max(common - bounds[0], 0.0))
    sizes = [event_size(excess, times), event_size(shortfall, times)]
    ends, means, spreads = [], [], []
    for side, away in enumerate((excess, shortfall)):
        own, other = sizes[side], sizes[1 - side]
        size, scale = own if own[0] else (min(other[0] or rooms[side], rooms[side]), 1.0)
        mean = average(away, times)
        came = min(mean / size, 1.0) * count if size else 0.0
        needed = min(max(least_events - BALANCE * events[1 - side], 0), events[side])
        least = needed * came / events[side] if needed else 0.0
        low, high = binomial_limits(came, float(count), level, least)
        ends.append((scale * (mean - size * low), scale * (size * high - mean)))
        means.append(mean)
        spreads.append(math.sqrt(average((away - mean) ** 2, times)))
    product = spreads[0] * spreads[1]
    correlation = -means[0] * means[1] / product if product else 0.0
    (up_less, up_more), (down_less, down_more) = ends
    mean = common + means[0] - means[1]
    other_values = values != common
    sizes_of_events = np.abs(values - common)[other_values]
    factor = variance_allowance(sizes_of_events, times[other_values], level)
    below = up_less**2 + down_more**2 - 2 * correlation * up_less * down_more
    above = up_more**2 + down_less**2 - 2 * correlation * up_more * down_less
    return mean - factor * math.sqrt(max(below, 0.0)), mean + factor * math.sqrt(max(above, 0.0))


def event_size(away: Floats, counts: Integers) -> tuple[float, float]:
    """Return the size of an event that comes or not, and by what its deviations are to be scaled.

    The skewness is that of the values with this size, and the variance with this scale.
    """
    total, squares, cubes = (float(away**power @ counts) for power in (1, 2, 3))
    if not total:
        return 0.0, 1.0
    size, mean = cubes / squares, total / int(counts.sum())
    return size, math.sqrt((squares / total - mean) / (size - mean)) if size > mean else 1.0


def variance_allowance(sizes: Floats, counts: Integers, level: float) -> float:
    """Return by what factor margins grow because the ``sizes`` of the events differ.

    How often events come is allowed for by the limits of binomial trials; how large they are is
    only estimated, and so is the variance. The variance of its estimate is in proportion to the
    kurtosis of the sizes about the common value, less 1: nothing for events of one size.

    >>> variance_allowance(np.array([1.0]), np.array([9]), 0.95)
    1.0
    """
    count = int(counts.sum())
    loose = looseness(sizes, counts)
    if loose < SMALL:
        return 1.0
    freedom = max(FREEDOM_OF_AN_EVENT * count / loose, LEAST_FREEDOM)
    return student_quantile(0.5 + level / 2, round(freedom, 1)) / normal_quantile(level)


def normal_quantile(level: float) -> float:
    """Return how many standard deviations an interval of normal values reaches to each side."""
    return NormalDist().inv_cdf(0.5 + level / 2)
