"""Intervals for differences of paired values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import LEVEL, Estimate, estimate_mean

__all__ = ["paired_difference", "paired_share_difference"]

Floats = NDArray[np.float64]


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
