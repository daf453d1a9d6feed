"""How long things take: repeated tries, each beside a yardstick taken right before it.

Work is timed by the processor time of this process, so that waiting for a busy core does not count,
and by the clock on the wall. A core that is shared is slower even while it is ours, so every try
comes with the rate of random draws at that moment: their ratio is what two runs are compared by.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import Dice, draw

__all__ = ["Effort", "Timing", "draw_rate", "many_draws", "measured", "summed_up"]

DRAWS = 400_000  # in one look at the yardstick, a few milliseconds
LEAST = 1e-9  # seconds, where a clock has not moved


@dataclass(frozen=True)
class Effort:
    """How carefully to measure."""

    tries: int
    seconds: float  # of a try, about


@dataclass(frozen=True)
class Timing:
    """What several tries of the same work have shown; medians, and how far the tries differ."""

    rate: float  # of work done per second of processor time
    spread: float  # half of the distance between the quartiles of the rates, as a share
    relative: float  # the rate divided by that of random draws in the same moment
    relative_spread: float  # of these ratios
    wall: float  # work done per second on the clock on the wall
    tries: int


@kernel
def many_draws(dice: NDArray[np.uint64], count: int) -> np.uint64:
    """Draw so often; the result keeps the compiler from dropping the work."""
    last = np.uint64(0)
    for _ in range(count):
        last ^= draw(dice)
    return last


def draw_rate() -> float:
    """The yardstick of this moment: random draws per second of processor time."""
    dice = Dice(0).array
    many_draws(dice, 1)
    began = time.process_time()
    many_draws(dice, DRAWS)
    return DRAWS / max(time.process_time() - began, LEAST)


def measured(work: Callable[[], float], effort: Effort) -> Timing:
    """Time some work, which returns how much of it was done; the first time is for compilers."""
    work()
    began = time.process_time()
    work()
    once = max(time.process_time() - began, LEAST)
    repeats = max(1, round(effort.seconds / once))
    rates, relative, walls = [], [], []
    for _ in range(effort.tries):
        draws = draw_rate()
        began, began_on_wall = time.process_time(), time.perf_counter()
        amount = sum(work() for _ in range(repeats))
        rates.append(amount / max(time.process_time() - began, LEAST))
        walls.append(amount / max(time.perf_counter() - began_on_wall, LEAST))
        relative.append(rates[-1] / draws)
    return summed_up(rates, relative, walls)


def summed_up(rates: list[float], relative: list[float], walls: list[float]) -> Timing:
    """Return the medians of some tries with their spread."""
    return Timing(
        rate=statistics.median(rates),
        spread=half_distance(rates),
        relative=statistics.median(relative),
        relative_spread=half_distance(relative),
        wall=statistics.median(walls),
        tries=len(rates),
    )


def half_distance(values: list[float]) -> float:
    """Return half of the distance between the quartiles as a share of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / (2 * middle)
