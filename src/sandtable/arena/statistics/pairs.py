"""Two agents in paired games: Elo and normalised Elo with intervals.

Both games of a pair have the same dice, with the seats exchanged, so they are not independent and
count as one observation: the mean of the first agent's results, 0, 1/4, 1/2, 3/4 or 1. How often
each came is the pentanomial count, and all there is to know. (Deals of more games have more.)

**Elo** tells how large a share of the points is won: a share p is 400 log10(p / (1 - p)).

**Normalised Elo** tells how easily the difference is seen: 800 / ln 10 times the lead over an even
share in standard deviations of a game (that of a pair times the square root of 2). Where most games
are drawn, a small share is a sure lead; Elo hides that, and normalised Elo does not. The number of
games that a test needs depends on nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.beta import student_quantile
from sandtable.arena.statistics.intervals import (
    ALL_ALIKE,
    LEVEL,
    Estimate,
    estimate_grouped_share,
    without_interval,
)
from sandtable.arena.statistics.lead_likelihood import likeliest
from sandtable.arena.statistics.rare_events import average

__all__ = ["NORMALISED_ELO", "PairCounts", "elo_of_share", "pair_counts"]

NORMALISED_ELO = 800 / math.log(10)  # points for a lead of one standard deviation of a game
EVEN = 0.5
UNSEEN = 1e-3  # counted for a result that has not come yet, so that no chance is zero
MOST_LEAD = 100.0  # in deviations; more is infinite
LARGE_LEAD = 1.0  # in deviations of a deal: beyond it the rare losses decide how large they are
LEAST_NORMALISED = 50  # deals of an interval of normalised Elo, by simulation
EVENTS_OF_A_LARGE_LEAD = 20  # results other than the most common one, by simulation
TOO_FEW_NORMALISED = f"fewer than {LEAST_NORMALISED} deals: too few to tell the deviation"
TOO_FEW_LOSSES = (
    f"fewer than {EVENTS_OF_A_LARGE_LEAD} results differ from the most common one: too few to tell "
    "the deviation, in which a large lead is measured"
)
HALVINGS = 20

Floats = NDArray[np.float64]


def elo_of_share(share: float) -> float:
    """Return the lead in points of Elo that wins this share; infinite for all or nothing.

    >>> round(elo_of_share(0.64))
    100
    """
    if math.isnan(share):
        return math.nan
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else 400 * math.log10(share / (1 - share))


@dataclass(frozen=True)
class PairCounts:
    """How often each result of a deal came: ``counts[i]`` times the result ``values[i]``."""

    values: tuple[float, ...]  # rising, from 0 to 1: means over the games of a deal
    counts: tuple[int, ...]
    games: int  # of a deal

    @property
    def deals(self) -> int:
        """How many deals there are."""
        return sum(self.counts)

    def came(self) -> tuple[Floats, NDArray[np.int64]]:
        """Return the results that came, in rising order, and how often each did."""
        counts = np.array(self.counts, dtype=np.int64)
        return np.array(self.values)[counts > 0], counts[counts > 0]

    def joined(self, more: PairCounts) -> PairCounts:
        """Return the counts of both.

        >>> some = PairCounts((0.0, 0.5, 1.0), (1, 0, 2), 1)
        >>> some.joined(some).counts
        (2, 0, 4)
        """
        times = dict(zip(self.values, self.counts, strict=True))
        for value, count in zip(more.values, more.counts, strict=True):
            times[value] = times.get(value, 0) + count
        values = tuple(sorted(times))
        return PairCounts(values, tuple(times[value] for value in values), self.games)

    def share(self, level: float = LEVEL) -> Estimate:
        """Return the share of the points, with the interval of grouped shares."""
        values, counts = self.came()
        return estimate_grouped_share(values, level, self.games, counts)

    def elo(self, level: float = LEVEL) -> Estimate:
        """Return the lead in points of Elo; its interval is that of the share."""
        share = self.share(level)
        ends = (elo_of_share(each) for each in (share.mean, share.low, share.high))
        mean, low, high = ends
        limits = (elo_of_share(share.tested[0]), elo_of_share(share.tested[1]))
        return Estimate(mean, math.nan, low, high, self.deals, share.reason, limits)

    def normalised_elo(self, level: float = LEVEL) -> Estimate:
        """Return the lead in points of normalised Elo.

        The interval holds the leads whose likeliest distribution of results is not much less
        likely than the results themselves: by half the square of Student's quantile at most.
        Results that are all alike have no deviation and no lead in terms of it; and a large lead
        with few losses has no interval, since the deviation is known from these few alone.

        >>> few = PairCounts((0.0, 0.25, 0.5, 0.75, 1.0), (0, 1, 3, 6, 190), 2)
        >>> few.elo().shown, few.normalised_elo().shown
        (True, False)
        """
        values, counts = self.came()
        if len(values) < 2:
            return without_interval(math.nan, math.nan, self.deals, ALL_ALIKE)
        mean = average(values, counts)
        deviation = math.sqrt(average((values - mean) ** 2, counts))
        lead = (mean - EVEN) / deviation
        points = NORMALISED_ELO / math.sqrt(self.games)
        reason = self.share(level).reason
        events = self.deals - max(self.counts)
        if not reason and self.deals < LEAST_NORMALISED:
            reason = TOO_FEW_NORMALISED
        if not reason and abs(lead) > LARGE_LEAD and events < EVENTS_OF_A_LARGE_LEAD:
            reason = TOO_FEW_LOSSES
        if reason:
            return without_interval(points * lead, math.nan, self.deals, reason)
        limit = student_quantile(0.5 + level / 2, self.deals - 1) ** 2 / 2
        low, high = (self.end_of_lead(lead, side, limit) for side in (-1.0, 1.0))
        return Estimate(points * lead, math.nan, points * low, points * high, self.deals)

    def loss_of_lead(self, lead: float) -> float:
        """Return by how much the likeliest distribution with a lead is less likely than any."""
        counts = np.array(self.counts, dtype=np.float64)
        filled = np.where(counts == 0, UNSEEN, counts)
        chances = filled / filled.sum()
        best = likeliest(chances, np.array(self.values), lead)
        return float((filled * np.log(chances / best)).sum())

    def end_of_lead(self, lead: float, side: float, limit: float) -> float:
        """Return the lead on one side of the observed one that loses as much as the limit."""
        near, far = 0.0, 1.0
        while self.loss_of_lead(lead + side * far) < limit:
            near, far = far, 2 * far
            if far > MOST_LEAD:
                return side * math.inf
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            if self.loss_of_lead(lead + side * middle) < limit:
                near = middle
            else:
                far = middle
        return lead + side * far


def pair_counts(results: Floats) -> PairCounts:
    """Count the results [deal, game] of the first agent: 1 won, 1/2 drawn, 0 lost.

    Values between, where several share a win, are counted as they are.
    """
    games = results.shape[1]
    means = np.round(results.mean(axis=1), 12)
    steps = np.arange(2 * games + 1) / (2 * games)
    known = np.unique(np.concatenate([np.round(steps, 12), means]))
    counts = (means[:, None] == known).sum(axis=0)
    return PairCounts(tuple(known.tolist()), tuple(counts.tolist()), games)
