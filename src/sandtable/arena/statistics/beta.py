"""The incomplete beta function, and the quantiles and limits that are made of it."""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

from sandtable.compiled import kernel

__all__ = ["binomial_limits", "bounded_limits", "incomplete_beta", "student_quantile"]

FRACTION_STEPS = 100_000
TINY = 1e-300
PRECISION = 1e-15
HALVINGS = 60
MIDDLE = 0.5  # weight of the number that came (mid-P)
IMPOSSIBLE = 0.0005  # a share at which so many would come as rarely as this is in no interval
MOST_FREEDOM = 1e7  # with more degrees of freedom Student's distribution is the normal one


@kernel
def beta_fraction(first: float, second: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    total = first + second
    above, below = 1.0, 1.0 - total * x / (first + 1.0)
    below = 1.0 / (below if abs(below) > TINY else TINY)
    result = below
    for step in range(1, FRACTION_STEPS):
        for odd in range(2):
            if odd:
                term = -(first + step) * (total + step) * x
                term /= (first + 2.0 * step) * (first + 2.0 * step + 1.0)
            else:
                term = step * (second - step) * x
                term /= (first + 2.0 * step - 1.0) * (first + 2.0 * step)
            below = 1.0 + term * below
            below = 1.0 / (below if abs(below) > TINY else TINY)
            above = 1.0 + term / above
            above = above if abs(above) > TINY else TINY
            result *= below * above
        if abs(below * above - 1.0) < PRECISION:
            break
    return result


@kernel
def incomplete_beta(first: float, second: float, x: float) -> float:
    """Return the chance that a beta variable with two parameters above zero is below x.

    >>> round(incomplete_beta(2.0, 3.0, 0.4), 6)
    0.5248
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    logarithm = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    front = math.exp(logarithm + first * math.log(x) + second * math.log1p(-x))
    if x < (first + 1.0) / (first + second + 2.0):
        return front * beta_fraction(first, second, x) / first
    return 1.0 - front * beta_fraction(second, first, 1.0 - x) / second


@kernel
def chance_of_more(
    successes: float, trials: float, share: float, least: float, weight: float
) -> float:
    """Return the chance of more successes and, by a weight, of as many.

    Given that there are ``least`` of them or more: with fewer nothing would have been told.
    """
    as_many, more, told = 1.0, 0.0, 1.0
    if successes > 0.0:
        as_many = incomplete_beta(successes, trials - successes + 1.0, share)
    if successes < trials:
        more = incomplete_beta(successes + 1.0, trials - successes, share)
    if least > 0.0:
        told = incomplete_beta(least, trials - least + 1.0, share)
    return (more + weight * (as_many - more)) / told if told > 0.0 else 0.0


@kernel
def share_with_chance(
    successes: float, trials: float, chance: float, least: float, weight: float
) -> float:
    """Return the true share at which more successes come with a chance."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if chance_of_more(successes, trials, middle, least, weight) > chance:
            high = middle
        else:
            low = middle
    return (low + high) / 2.0


@kernel
def binomial_limits(
    successes: float, trials: float, level: float, least: float = 0.0
) -> tuple[float, float]:
    """Return the interval of a share from independent trials: the exact test's, with mid-P.

    The true shares that it holds are those at which neither as few nor as many successes would be
    rarer than (1 - level) / 2, the number that came being counted by half. ``successes`` need not
    be whole.

    >>> low, high = binomial_limits(8, 8, 0.95)
    >>> round(low, 4), high
    (0.6877, 1.0)

    With ``least`` it is an interval that is told only if so many successes came or more. The test
    is then one of the results that could be told; and for true shares so small that even the fewest
    of them are not too few, all of 1 - level is for too many. Shares at which that many successes
    would hardly ever come, told or not, are left out.

    >>> low, high = binomial_limits(8, 50, 0.95, 4)
    >>> round(low, 4), round(high, 4)
    (0.079, 0.2812)
    >>> low, high = binomial_limits(5, 50, 0.95, 5)
    >>> round(low, 4), round(high, 4)
    (0.0131, 0.1834)
    """
    tail = (1.0 - level) / 2.0
    high = 1.0
    if successes < trials:
        high = share_with_chance(successes, trials, 1.0 - tail, least, MIDDLE)
    if successes <= 0.0:
        return 0.0, high
    if least <= 0.0:
        return share_with_chance(successes, trials, tail, 0.0, MIDDLE), high
    low = 0.0
    if successes > least:
        one_sided = share_with_chance(successes, trials, 2.0 * tail, least, MIDDLE)
        reached = share_with_chance(least, trials, 1.0 - tail, least, MIDDLE)
        low = share_with_chance(successes, trials, tail, least, MIDDLE)
        low = min(one_sided, max(low, reached))
    impossible = share_with_chance(successes, trials, min(IMPOSSIBLE, tail), 0.0, 1.0)
    return max(low, impossible), high


@kernel
def bounded_limits(
    mean: float, trials: float, level: float, is_either: bool = False
) -> tuple[float, float]:
    """Return limits of a mean of values between 0 and 1 that hold it in a part ``level`` or more.

    Whatever the values are: no sum of them is far from its mean more than e times as often as the
    one of values that are 0 or 1 (Bentkus, Annals of Probability 32, 2004). For a test only: what
    is shown would be far too wide. Where values are either 0 or 1 (``is_either``) there is no need
    for that factor, and the limits are those of Clopper and Pearson.

    >>> low, high = bounded_limits(1.0, 8, 0.95, True)
    >>> round(low, 4), high
    (0.6306, 1.0)
    >>> low, high = bounded_limits(1.0, 8, 0.95)
    >>> round(low, 4), high
    (0.5565, 1.0)
    """
    tail = (1.0 - level) / 2.0 / (1.0 if is_either else math.e)
    came = mean * trials
    low = share_with_chance(came, trials, tail, 0.0, 1.0) if mean > 0.0 else 0.0
    high = share_with_chance(came, trials, 1.0 - tail, 0.0, 0.0) if mean < 1.0 else 1.0
    return low, high


@functools.lru_cache(maxsize=4096)
def student_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's distribution for a number of degrees of freedom above zero.

    >>> round(student_quantile(0.975, 7), 4)
    2.3646
    """
    if freedom > MOST_FREEDOM:
        return NormalDist().inv_cdf(probability)
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if incomplete_beta(freedom / 2, 0.5, middle) / 2 > 1 - probability:
            high = middle
        else:
            low = middle
    share = (low + high) / 2  # freedom / (freedom + quantile squared)
    return math.sqrt(freedom * (1 - share) / share) if share < 1 else 0.0
