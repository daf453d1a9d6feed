"""Ratings from a cross table: the model of Bradley and Terry, where only totals are known.

The model is that of ``ratings`` for two seats, and so are the scale and the prior; only games whose
single results are at hand can tell how much games of one deal depend on each other. Here every
game counts as one independent observation, and intervals begin with the share of games an agent
won, as they do for single games. How many games were drawn is not known either: the more, the wider
the intervals are than they need be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import LEVEL, estimate_share
from sandtable.arena.statistics.ratings import PRIOR, Choices, Rating, fit, rated

__all__ = ["bradley_terry"]

Floats = NDArray[np.float64]


def choices_of_table(points: Floats) -> Choices:
    """Return one choice for each pair and winner; ``points`` [agent, other] are games won."""
    count = len(points)
    winners, losers = np.nonzero(points)
    rows = np.arange(len(winners))
    won, among = np.zeros((2, len(rows), count))
    won[rows, winners] = 1.0
    among[rows, winners] = among[rows, losers] = 1.0
    return Choices(won, among, rows, points[winners, losers], rows)


def bradley_terry(points: Floats, *, prior: float = PRIOR, level: float = LEVEL) -> list[Rating]:
    """Rate agents from the points [agent, other] they won against each other (a draw: 1/2 each)."""
    if points.ndim != 2 or points.shape[0] != points.shape[1] or (points < 0).any():
        raise ValueError("a cross table is square and has no negative points")
    if points.diagonal().any():
        raise ValueError("nobody plays against themselves in a cross table")
    games = points.sum(axis=0) + points.sum(axis=1)
    if not games.any():
        raise ValueError("ratings need at least one game")
    choices = choices_of_table(points)
    logs = fit(choices, prior)
    played = [round(each) for each in games.tolist()]
    shares = [
        estimate_share(float(points[player].sum() / each) if each else 0.0, each, level)
        for player, each in enumerate(played)
    ]
    return rated(choices, logs, prior, played, shares)
