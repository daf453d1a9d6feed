"""The incomplete beta function, and the quantiles and limits that are made of it."""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

from sandtable.compiled import kernel

__all__ = ["binomial_limits", "incomplete_beta", "student_quantile"]

FRACTION_STEPS = 100_000
TINY = 1e-300
PRECISION = 1e-15
HALVINGS = 60
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
def chance_of_more(successes: float, trials: float, share: float) -> float:
    """Return the chance of more successes, and half of that of as many (mid-P)."""
    as_many = 1.0
    if successes > 0.0:
        as_many = incomplete_beta(successes, trials - successes + 1.0, share)
    more = 0.0
    if successes < trials:
        more = incomplete_beta(successes + 1.0, trials - successes, share)
    return (as_many + more) / 2.0


@kernel
def share_with_chance(successes: float, trials: float, chance: float) -> float:
    """Return the true share at which more successes come with a chance."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if chance_of_more(successes, trials, middle) > chance:
            high = middle
        else:
            low = middle
    return (low + high) / 2.0


@kernel
def binomial_limits(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the interval of a share from independent trials: the exact test's, with mid-P.

    The true shares that it holds are those at which neither as few nor as many successes would be
    rarer than (1 - level) / 2, the number that came being counted by half. ``successes`` need not
    be whole.

    >>> low, high = binomial_limits(8, 8, 0.95)
    >>> round(low, 4), high
    (0.6877, 1.0)
    """
    tail = (1.0 - level) / 2.0
    low = share_with_chance(successes, trials, tail) if successes > 0.0 else 0.0
    high = share_with_chance(successes, trials, 1.0 - tail) if successes < trials else 1.0
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
