"""Figures with intervals: written, and told apart."""

from __future__ import annotations

import math

from sandtable.games.lucid.studies.measuring import gain
from sandtable.reproduce.studies import Measurement

__all__ = ["alike", "apart", "words"]

ALIKE = 0.5  # units by which scores may differ that are said to agree, as in the tables


def words(figure: Measurement) -> str:
    """Write a figure with its interval.

    >>> words(Measurement("score", 6.28, 6.15, 6.41, 1000))
    '6.28 (6.15 to 6.41)'
    """
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3g}"
    return f"{figure.value:.3g} ({figure.low:.3g} to {figure.high:.3g})"


def apart(one: Measurement, other: Measurement, comparisons: int = 1) -> int:
    """Return 1 if the first figure is surely higher, -1 if lower, 0 if that cannot be said.

    With several comparisons at once all of them are sure together.

    >>> apart(Measurement("score", 7, 6.9, 7.1), Measurement("score", 6, 5.9, 6.1))
    1
    """
    difference = gain([other], [one], comparisons)
    if math.isnan(difference.low):
        return 0
    return 1 if difference.low > 0 else -1 if difference.high < 0 else 0


def alike(one: Measurement, other: Measurement) -> bool:
    """Say whether two scores surely differ by less than half a unit; few games tell nothing.

    >>> alike(Measurement("score", 7, 6.9, 7.1), Measurement("score", 6.9, 6.8, 7.0))
    True
    >>> alike(Measurement("score", 7, 6.5, 7.5), Measurement("score", 6.9, 6.4, 7.4))
    False
    """
    difference = gain([other], [one])
    return bool(difference.low > -ALIKE and difference.high < ALIKE)
