"""Intervals by resampling, and for differences of paired values.

The bootstrap asks how a mean would scatter if the experiment were repeated with values drawn from
those that were seen. It is studentised (every resample is measured in its own standard error), so
that it follows the skewness of the values. The same values give the same interval.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import (
    LEVEL,
    Estimate,
    estimate_grouped_share,
    estimate_mean,
)

__all__ = ["RESAMPLES", "bootstrap_mean", "paired_difference", "paired_share_difference"]

RESAMPLES = 2000

Floats = NDArray[np.float64]


@functools.lru_cache(maxsize=4)
def resampled_counts(count: int, resamples: int, seed: int) -> Floats:
    """Return how often each value is drawn in every resample [resample, value]."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(count, np.full(count, 1 / count), size=resamples).astype(
        np.float64
    )


def bootstrap_mean(
    values: Floats, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Return the mean of independent values with its studentised bootstrap interval."""
    plain = estimate_mean(values, level)
    if len(values) < 2 or not plain.deviation:
        return plain
    count = len(values)
    weights = resampled_counts(count, resamples, seed) / count
    centred = values - plain.mean
    means = weights @ centred
    errors = np.sqrt(np.maximum(weights @ centred**2 - means**2, 0) / (count - 1))
    usable = errors > 0  # a resample of equal values says nothing about scatter
    tail = (1 - level) / 2
    low, high = np.quantile(means[usable] / errors[usable], [tail, 1 - tail])
    error = plain.deviation / math.sqrt(count)
    return Estimate(
        plain.mean, plain.deviation, plain.mean - high * error, plain.mean - low * error, count
    )


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

    It lies between -1 and 1, and its interval is that of grouped shares stretched over this range:
    it also holds near the ends, and equal differences do not make it a point.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values come in pairs, got {len(first)} and {len(second)}")
    half = estimate_grouped_share((1 + first - second) / 2, level)
    mean, low, high = (2 * each - 1 for each in (half.mean, half.low, half.high))
    return Estimate(mean, 2 * half.deviation, low, high, half.count)
