"""Elo and normalised Elo of pairs of games."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sandtable.arena.statistics.pairs import NORMALISED_ELO, elo_of_share, pair_counts
from sandtable.calibration.experiments import NEIGHBOURHOOD, Case, Drawn, Floats, Generator

__all__ = ["PAIRS", "VALUES", "cases"]

VALUES = np.arange(5) / 4  # results of a pair of games
PAIRS = {
    "as usual": (0.10, 0.22, 0.36, 0.22, 0.10),
    "90% shared": (0.005, 0.045, 0.90, 0.045, 0.005),
    "98% shared": (0.001, 0.009, 0.98, 0.009, 0.001),
    "few losses": (0.01, 0.04, 0.15, 0.30, 0.50),
    "nearly all won": (0.002, 0.003, 0.015, 0.03, 0.95),
}


def normalised(chances: Floats) -> float:
    """Return the normalised Elo of a distribution of the results of pairs."""
    mean = float(chances @ VALUES)
    deviation = math.sqrt(float(chances @ (VALUES - mean) ** 2))
    return NORMALISED_ELO / math.sqrt(2) * (mean - 0.5) / deviation


def case_of(words: str, section: str) -> Case:
    """Return the case of one distribution and one measure."""
    weights = np.array(PAIRS[words])
    plain = section == "Elo"

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        tilt = generator.uniform(-NEIGHBOURHOOD, NEIGHBOURHOOD) if move else 0.0
        chances = weights * np.exp(tilt * 2 * (VALUES - 0.5))
        chances /= chances.sum()
        results: Floats = generator.choice(VALUES, size=size, p=chances)
        truth = elo_of_share(float(chances @ VALUES)) if plain else normalised(chances)
        return np.column_stack([results, results]), [truth]

    return Case(
        section,
        words,
        draw,
        lambda pairs: [pair_counts(pairs).elo() if plain else pair_counts(pairs).normalised_elo()],
    )


def cases() -> Iterator[Case]:
    """Return all cases of leads."""
    for section in ("Elo", "Normalised Elo"):
        for words in PAIRS:
            yield case_of(words, section)
