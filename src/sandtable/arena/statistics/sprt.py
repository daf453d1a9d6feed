"""The sequential test: is one agent better than another, with as few games as that takes.

Two hypotheses about the lead in normalised Elo are compared: that it is ``low``, and that it is
``high``. After every batch of deals the logarithm of their likelihood ratio is taken; the test
ends as soon as it leaves the range from log(beta / (1 - alpha)) to log((1 - beta) / alpha) (Wald).
If the lead is ``low`` or less, ``high`` is accepted with a chance of at most about alpha; if it is
``high`` or more, ``low`` is accepted with a chance of at most about beta. One may look at it at
any time: that is what it is made for, and what no interval of a fixed number of games is.

The hypotheses leave open how the results are distributed (drawish or not, how alike the games of a
deal are). So the ratio is the generalised one: each hypothesis gets the distribution of highest
likelihood among all that have its lead. That follows Van den Bergh ("Normalized Elo practical",
2020), as the frameworks of computer chess do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.lead_likelihood import likeliest
from sandtable.arena.statistics.pairs import NORMALISED_ELO, UNSEEN, PairCounts, pair_counts
from sandtable.errors import SandtableError

__all__ = [
    "ACCEPTED",
    "BATCH",
    "REJECTED",
    "UNDECIDED",
    "RunningTest",
    "SequentialTest",
    "Verdict",
    "log_ratio",
]

ACCEPTED, REJECTED, UNDECIDED = "accepted", "rejected", "undecided"
BATCH = 8  # deals between two looks

Floats = NDArray[np.float64]


def log_ratio(counts: Floats, values: Floats, games: int, low: float, high: float) -> Floats:
    """Return log(likelihood of ``high`` / likelihood of ``low``) for counts [..., value].

    ``low`` and ``high`` are leads in normalised Elo, ``games`` how many make a deal.

    >>> counts = np.array([5.0, 50, 425, 20, 0])  # of pairs that gave 0, 1/4, 1/2, 3/4 and 1
    >>> float(log_ratio(counts, np.arange(5) / 4, games=2, low=0, high=60).round(2))
    -38.77
    """
    filled = np.where(counts == 0, UNSEEN, counts)
    chances = filled / filled.sum(axis=-1, keepdims=True)
    least, most = (points * math.sqrt(games) / NORMALISED_ELO for points in (low, high))
    under_low, under_high = (likeliest(chances, values, lead) for lead in (least, most))
    ratio: Floats = (filled * np.log(under_high / under_low)).sum(axis=-1)
    return ratio


@dataclass(frozen=True)
class Verdict:
    """Where a test stands: the ratio, the decision, and how many deals it rests on."""

    decision: str
    ratio: float
    counts: PairCounts

    @property
    def deals(self) -> int:
        """How many deals the decision rests on."""
        return self.counts.deals


@dataclass(frozen=True)
class SequentialTest:
    """Two leads in normalised Elo, and how often the test may be wrong about each."""

    low: float = 0.0
    high: float = 20.0
    alpha: float = 0.05  # chance of accepting ``high`` when ``low`` is true
    beta: float = 0.05  # chance of accepting ``low`` when ``high`` is true
    batch: int = BATCH  # deals between two looks

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise SandtableError(
                f"impossible bounds: the lower one, {self.low:g}, must be below the upper one, "
                f"{self.high:g}"
            )
        if not all(0 < each < 0.5 for each in (self.alpha, self.beta)):
            raise SandtableError(
                f"alpha and beta must lie between 0 and 0.5, got {self.alpha:g} and {self.beta:g}"
            )

    @property
    def limits(self) -> tuple[float, float]:
        """Return the ratios at which ``low`` and ``high`` are accepted."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def ratio(self, counts: PairCounts) -> float:
        """Return the logarithm of the likelihood ratio of the results so far."""
        if not counts.deals:
            return 0.0
        plain = np.array(counts.counts, dtype=np.float64)
        values = np.array(counts.values)
        return float(log_ratio(plain, values, counts.games, self.low, self.high))

    def decision(self, ratio: float) -> str:
        """Say what a ratio means: ``accepted`` is the upper lead."""
        lowest, highest = self.limits
        return ACCEPTED if ratio >= highest else REJECTED if ratio <= lowest else UNDECIDED

    def judge(self, results: Floats, looked: int = 0) -> Verdict:
        """Go through the results [deal, game] of the first agent, batch by batch, as they came.

        Each is 1 (won), 1/2 or 0. The first looks, ``looked`` of them, are known to decide nothing.

        The verdict is that of the first look at which the test ends: so it is the same whoever
        played how many games beyond it. A last part of a batch is not looked at.
        """
        ends = np.arange(self.batch, len(results) + 1, self.batch)
        ends = ends[min(looked, max(len(ends) - 1, 0)) :]
        if not len(ends):
            return Verdict(UNDECIDED, 0.0, pair_counts(results[:0]))
        games = results.shape[1]
        steps = 2 * games
        counts = np.cumsum(half_points(results), axis=0)[ends - 1].astype(np.float64)
        ratios = log_ratio(counts, np.arange(steps + 1) / steps, games, self.low, self.high)
        lowest, highest = self.limits
        outside = np.flatnonzero((ratios <= lowest) | (ratios >= highest))
        look = int(outside[0]) if len(outside) else len(ends) - 1
        ratio = float(ratios[look])
        return Verdict(self.decision(ratio), ratio, pair_counts(results[: ends[look]]))


class RunningTest:
    """A test to which results are brought as they come, and of which only counts are left.

    >>> running = RunningTest(SequentialTest(low=0, high=60), games=2)
    >>> for _ in range(20):
    ...     verdict = running.add(np.array([[1.0, 0.5], [1.0, 1.0], [0.0, 1.0], [1.0, 0.5]]))
    >>> verdict.decision, verdict.deals
    ('accepted', 24)
    """

    def __init__(self, test: SequentialTest, games: int) -> None:
        self.test, self.games = test, games
        self.steps = np.zeros(2 * games + 1, dtype=np.int64)  # deals by half points won
        self.counts: PairCounts = pair_counts(np.zeros((0, games)))
        self.rest = np.zeros((0, games))  # of a batch that is not whole yet
        self.verdict = Verdict(UNDECIDED, 0.0, self.counts)

    @property
    def deals(self) -> int:
        """How many deals were looked at."""
        return self.counts.deals

    def add(self, results: Floats) -> Verdict:
        """Take in the next results [deal, game] of the first agent; a test that has ended stays."""
        if self.verdict.decision != UNDECIDED:
            return self.verdict
        rows = np.concatenate([self.rest, results])
        whole = len(rows) - len(rows) % self.test.batch
        self.rest = rows[whole:]
        if whole:
            self.look(rows[:whole])
        return self.verdict

    def look(self, rows: Floats) -> None:
        """Look at whole batches of results."""
        ends = np.arange(self.test.batch, len(rows) + 1, self.test.batch)
        came = half_points(rows)
        counts = self.steps + np.cumsum(came, axis=0)[ends - 1]
        ratios = log_ratio(
            counts.astype(np.float64),
            np.arange(len(self.steps)) / (len(self.steps) - 1),
            self.games,
            self.test.low,
            self.test.high,
        )
        lowest, highest = self.test.limits
        outside = np.flatnonzero((ratios <= lowest) | (ratios >= highest))
        look = int(outside[0]) if len(outside) else len(ends) - 1
        self.steps = counts[look]
        self.counts = self.counts.joined(pair_counts(rows[: ends[look]]))
        ratio = float(ratios[look])
        self.verdict = Verdict(self.test.decision(ratio), ratio, self.counts)


def half_points(results: Floats) -> NDArray[np.bool_]:
    """Return how many half points the games of each deal gave [deal, number of half points]."""
    points = np.rint(results.sum(axis=1) * 2).astype(np.int64)
    came: NDArray[np.bool_] = points[:, None] == np.arange(2 * results.shape[1] + 1)
    return came
