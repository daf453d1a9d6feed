"""Mean scores of several kinds, scores freed of luck, and differences of two agents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from sandtable.arena.statistics.intervals import (
    UNBOUNDED,
    Estimate,
    estimate_grouped_share,
    estimate_mean,
    free_of_luck,
    paired_difference,
    paired_share_difference,
)
from sandtable.calibration.experiments import (
    NOT_JUDGED,
    SIZES,
    Case,
    Drawn,
    Floats,
    Generator,
    moved,
)

__all__ = ["cases"]

Kind = Callable[[Generator, int, bool], Drawn]


def normal(generator: Generator, size: int, move: bool) -> Drawn:
    """Return scores with a normal distribution."""
    return generator.normal(3, 2, size), [3.0]


def skewed(shape: float) -> Kind:
    """Return scores with a long tail on one side, the longer the smaller the shape."""
    return lambda generator, size, move: (generator.gamma(shape, 1.0, size), [shape])


def rarely_something(generator: Generator, size: int, move: bool) -> Drawn:
    """Return scores of which most are zero."""
    chance = moved(generator, 0.2) if move else 0.2
    return np.where(generator.random(size) < chance, 3.0, 0.0), [3 * chance]


def rarely_much(generator: Generator, size: int, move: bool) -> Drawn:
    """Return scores of which most are zero and the others differ."""
    chance = moved(generator, 0.1) if move else 0.1
    sizes = generator.gamma(4, 0.5, size)
    return np.where(generator.random(size) < chance, sizes, 0.0), [2 * chance]


def won_drawn_lost(generator: Generator, size: int, move: bool) -> Drawn:
    """Return results between 1 and -1."""
    won, lost = (moved(generator, each) if move else each for each in (0.8, 0.05))
    chances = [won, 1 - won - lost, lost]
    return generator.choice([1.0, 0.0, -1.0], size=size, p=chances), [won - lost]


def lucky(generator: Generator, size: int, move: bool) -> Drawn:
    """Return scores and two terms of luck [game, column] with weights that nobody knows."""
    luck = generator.uniform(-1, 1, size=(size, 2)) * generator.integers(0, 5, size=(size, 1))
    scores = 4 + 2.0 * luck[:, 0] - 0.7 * luck[:, 1] + generator.normal(0, 1, size)
    return np.column_stack([scores, luck]), [4.0]


def mean_scores() -> Iterator[Case]:
    """Return the cases of means."""
    kinds: tuple[tuple[str, Kind, tuple[float, float]], ...] = (
        ("normal", normal, UNBOUNDED),
        ("skewed (gamma, shape 4)", skewed(4), UNBOUNDED),
        ("very skewed (exponential)", skewed(1), UNBOUNDED),
        ("80% nothing, the rest 3", rarely_something, (0.0, 15.0)),
        ("90% nothing, the rest skewed", rarely_much, (0.0, math.inf)),
        ("won 80%, drawn 15%, lost 5%", won_drawn_lost, (-1.0, 1.0)),
    )
    for label, kind, bounds in kinds:

        def estimate(values: Floats, bounds: tuple[float, float] = bounds) -> list[Estimate]:
            return [estimate_mean(values, bounds=bounds)]

        yield Case("Mean scores", label, kind, estimate)
    yield Case(
        "Mean scores",
        "freed of luck",
        lucky,
        lambda columns: [estimate_mean(free_of_luck(columns[:, 0], columns[:, 1:]))],
        SIZES,
    )


def share_differences(lead: float) -> Case:
    """Return two agents on the same deals of two games, with a lead."""
    strength = 0.5 + lead / 2

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        chance = moved(generator, strength) if move else strength
        won = generator.binomial(2, np.tile([1 - chance, chance], (size, 1))) / 2
        return won, [2 * chance - 1]

    return Case(
        "Differences of two agents",
        f"shares won, a lead of {lead:g}",
        draw,
        lambda won: [paired_share_difference(won[:, 1], won[:, 0], games=2)],
    )


def score_differences() -> Case:
    """Return scores of two agents that have much in common."""

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        dice = generator.normal(0, 2, size)
        both = [dice + generator.gamma(4, 0.5, size) + lead for lead in (0.3, 0.0)]
        return np.column_stack(both), [0.3]

    return Case(
        "Differences of two agents",
        "scores with the same dice",
        draw,
        lambda both: [paired_difference(both[:, 0], both[:, 1])],
    )


def rarely_forty(generator: Generator, size: int, move: bool) -> Drawn:
    """Return small scores, but for 3% that are ten deviations of the others away."""
    small = generator.integers(0, 4, size)
    return np.where(generator.random(size) < 0.03, 40.0, small), [0.97 * 1.5 + 0.03 * 40]


def rarely_lost(generator: Generator, size: int, move: bool) -> Drawn:
    """Return shares won of deals of eighteen games, 1% of which are wholly lost."""
    won = (8 + generator.binomial(2, 0.5, size)) / 18
    return np.where(generator.random(size) < 0.01, 0.0, won), [0.99 * 0.5]


def unknowable() -> Iterator[Case]:
    """Return means that hang on results which most experiments do not have, or hardly."""
    section = "Rare results that count for much, of which no interval can know (not judged)"

    def mean(values: Floats) -> list[Estimate]:
        return [estimate_mean(values, bounds=(0.0, 40.0))]

    def share(deals: Floats) -> list[Estimate]:
        return [estimate_grouped_share(deals, games=18)]

    yield Case(section, "97% 0 to 3, 3% 40", rarely_forty, mean, band=NOT_JUDGED)
    yield Case(section, "18 games a deal, 1% wholly lost", rarely_lost, share, band=NOT_JUDGED)


def cases() -> Iterator[Case]:
    """Return all cases of scores."""
    yield from unknowable()
    yield from mean_scores()
    yield from map(share_differences, (0.0, 0.1, 0.5, 0.8, 0.95))
    yield score_differences()
