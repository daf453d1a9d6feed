"""Experiments whose truth is known, repeated: how often an interval holds it, and a test errs.

Results are drawn from a distribution with a known mean, and the functions that every report calls
make an interval of them. The share of experiments whose interval holds the truth is its coverage.
An interval that is not shown neither holds nor misses: the coverage is that of those shown.

**What a coverage must be.** Between 93 and 97.5%, for an interval of 95%. Games are won or lost, so
a coverage jumps up and down by a few points as the true share moves from one to the next: with 20
games at 50% it is 96, at 52% it is 93. No interval can avoid that. So a coverage is the mean over a
neighbourhood, true odds of up to a third more or less (`NEIGHBOURHOOD`); the one at the very share
stands beside it, and is not judged.

**Every figure that is shown can fail.** One that lies outside is measured again with ten times the
experiments, and then counts as it is. One that lies inside is not measured again, so that a truth
half a point outside may pass now and then; other seeds tell. A case whose interval is shown in
fewer than one experiment of twenty has no figure and cannot fail: fewer than one of twenty can then
show a wrong interval, which is what is promised of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import Estimate

__all__ = [
    "COVERAGE", "ERRORS", "FEW_PUBLISHED", "NEIGHBOURHOOD", "NOT_JUDGED", "SIZES", "Band", "Case",
    "ErrorCase", "Measured",
    "measure", "measure_errors", "moved",
]  # fmt: skip

SIZES = (8, 20, 50, 200, 1000)
NEIGHBOURHOOD = 0.3  # by which the logarithm of the true odds may be moved
ALWAYS = 0.995  # share of experiments from which on an interval counts as always shown
RARELY = 0.05  # share of experiments that show an interval, below which it counts as not shown
MOST = 20  # experiments drawn for one that is shown, at most
AGAIN = 10  # times as many experiments, where a figure lies outside its band

Floats = NDArray[np.float64]
Generator = np.random.Generator
Drawn = tuple[Floats, Sequence[float]]  # results, and the truth of every estimate


@dataclass(frozen=True)
class Band:
    """Between which shares something should lie.

    >>> Band(0.93, 0.975).holds(0.94), Band(0.93, 0.975).holds(0.98)
    (True, False)
    """

    low: float
    high: float

    def holds(self, share: float, experiments: int = 0, errors: float = 0.0) -> bool:
        """Say whether a share lies in the band, or so many standard errors from it."""
        return all(
            sign * (share - end) <= errors * math.sqrt(end * (1 - end) / max(experiments, 1))
            for sign, end in ((-1, self.low), (1, self.high))
        )


COVERAGE, ERRORS = Band(0.93, 0.975), Band(0.0, 0.05)
NOT_JUDGED = Band(1e-9, 1.0)  # what nobody can promise, and is told
FEW_PUBLISHED = Band(0.0, 0.07)  # of comparisons with 10 to 100 games, where a game is a large step


@dataclass(frozen=True)
class Case:
    """An experiment whose truth is known, and what is estimated in it.

    ``draw`` takes a generator, a size, and whether the truth is moved within its neighbourhood.
    """

    section: str
    label: str
    draw: Callable[[Generator, int, bool], Drawn]
    estimate: Callable[[Floats], Sequence[Estimate]]
    sizes: tuple[int, ...] = SIZES
    band: Band = COVERAGE


@dataclass(frozen=True)
class ErrorCase:
    """A test that errs with some chance."""

    section: str
    label: str
    run: Callable[[Generator, int], tuple[int, int]]  # experiments to errors, mean deals or games
    band: Band = ERRORS


@dataclass(frozen=True)
class Measured:
    """What was found for one case and size, or for one test."""

    section: str
    label: str
    size: int
    share: float  # of intervals shown that hold the truth, or of tests that err
    at_the_share: float  # the same without moving the truth
    shown: float  # share of experiments that had an interval
    experiments: int  # that had one
    band: Band

    @property
    def rarely_shown(self) -> bool:
        """Whether the case counts as one without an interval."""
        return self.shown < RARELY

    @property
    def part_shown(self) -> str:
        """How often the interval is shown, as a page writes it where that is not always."""
        return f" [{100 * self.shown:.0f}%]" if self.shown < ALWAYS else ""

    def holds(self, errors: float = 0.0) -> bool:
        """Say whether the share is in its band, or so many standard errors of chance from it."""
        return self.rarely_shown or self.band.holds(self.share, self.experiments, errors)


def moved(generator: Generator, chance: float) -> float:
    """Return a chance from the neighbourhood of another; certainty stays certain.

    >>> 0.42 < moved(np.random.default_rng(0), 0.5) < 0.58
    True
    """
    if not 0 < chance < 1:
        return chance
    odds = math.log(chance / (1 - chance)) + generator.uniform(-NEIGHBOURHOOD, NEIGHBOURHOOD)
    return 1 / (1 + math.exp(-odds))


def count(case: Case, size: int, wanted: int, generator: Generator, move: bool) -> list[int]:
    """Return how many intervals were looked at, shown and right, until as many are shown."""
    total = shown = right = 0
    while shown < wanted and total < MOST * wanted:
        if total >= wanted and shown < RARELY * total:
            break
        results, truths = case.draw(generator, size, move)
        for found, truth in zip(case.estimate(results), truths, strict=True):
            total += 1
            shown += found.shown
            right += found.shown and found.low - 1e-9 <= truth <= found.high + 1e-9
    return [total, shown, right]


def measure(case: Case, size: int, experiments: int, seed: int = 0, again: int = AGAIN) -> Measured:
    """Repeat one experiment, and count the intervals that hold the truth.

    >>> from sandtable.calibration.shares import single_games
    >>> 0.85 < measure(single_games(0.5), 50, experiments=100, again=1).share < 1
    True
    """
    found = None
    for wanted in dict.fromkeys((experiments, again * experiments)):
        generator = np.random.default_rng([seed, size, *case.label.encode()])
        total, shown, right = count(case, size, wanted, generator, True)
        _, there, right_there = count(case, size, min(shown, experiments) or 1, generator, False)
        found = Measured(
            case.section,
            case.label,
            size,
            right / shown if shown else 1.0,
            right_there / there if there else 1.0,
            shown / total,
            shown,
            case.band,
        )
        if found.holds():
            break
    assert found is not None
    return found


def measure_errors(
    case: ErrorCase, experiments: int, seed: int = 0, again: int = AGAIN
) -> Measured:
    """Repeat a test, and count its errors."""
    found = None
    for repeats in dict.fromkeys((experiments, again * experiments)):
        generator = np.random.default_rng([seed, *case.label.encode()])
        errors, size = case.run(generator, repeats)
        share = errors / repeats
        found = Measured(case.section, case.label, size, share, share, 1.0, repeats, case.band)
        if found.holds():
            break
    assert found is not None
    return found
