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

from sandtable.arena.statistics.pairs import EVEN, NORMALISED_ELO, PairCounts, pair_counts
from sandtable.errors import SandtableError

__all__ = ["ACCEPTED", "BATCH", "REJECTED", "UNDECIDED", "SequentialTest", "Verdict", "log_ratio"]

ACCEPTED, REJECTED, UNDECIDED = "accepted", "rejected", "undecided"
BATCH = 8  # deals between two looks
UNSEEN = 1e-3  # counted for a result that has not come yet, so that no chance is zero
FIXED_POINT_STEPS = 60
WHOLE_STEPS = 10
NEWTON_STEPS = 60
PRECISION = 1e-9

Floats = NDArray[np.float64]


def tilted(chances: Floats, pulls: Floats) -> Floats:
    """Return the distribution of highest likelihood under which the mean of ``pulls`` is zero.

    It is chances / (1 + x pulls) with the x at which that mean is zero: a falling function of x
    between two poles. Newton's steps are for that function times the distances from both, which is
    smooth; those that leave the bracket are replaced by its middle.
    """
    first, last = -1 / pulls.max(axis=-1, keepdims=True), -1 / pulls.min(axis=-1, keepdims=True)
    low, high, x = first, last, np.zeros_like(first)  # zero lies between the poles
    for _ in range(NEWTON_STEPS):
        pulled = pulls / (1 + x * pulls)
        mean = (chances * pulled).sum(axis=-1, keepdims=True)
        slope = -(chances * pulled**2).sum(axis=-1, keepdims=True)
        low, high = np.where(mean > 0, x, low), np.where(mean > 0, high, x)
        inside = (x - first) * (last - x)
        smooth_slope = slope * inside + mean * (first + last - 2 * x)
        stepped = x - mean * inside / np.where(smooth_slope < 0, smooth_slope, -np.inf)
        kept = (stepped >= low) & (stepped <= high) & (stepped > first) & (stepped < last)
        following = np.where(kept, stepped, (low + high) / 2)
        settled = np.abs(mean * (following - x)).max() < PRECISION**2
        x = following
        if settled:
            break
    weighted = chances / (1 + x * pulls)
    result: Floats = weighted / weighted.sum(axis=-1, keepdims=True)
    return result


def moments(chances: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return means and standard deviations, each with a last axis of length one."""
    mean = (chances * values).sum(axis=-1, keepdims=True)
    return mean, np.sqrt((chances * (values - mean) ** 2).sum(axis=-1, keepdims=True))


def likeliest(chances: Floats, values: Floats, lead: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the likeliest distribution whose mean lies ``lead`` deviations above one half.

    The condition is not linear in the distribution; it is made so around the one found before,
    again and again, until nothing changes. Where nearly all results are alike that can go too far
    and to and fro, so that half a step is better; the second answer says where it settled.
    """
    found = before = np.full_like(chances, 1 / len(values))
    settled = np.zeros(chances.shape[:-1], dtype=np.bool_)
    for step in range(FIXED_POINT_STEPS):
        mean, deviation = moments(found, values)
        pulls = values - EVEN - lead * (deviation + (values - mean) ** 2 / deviation) / 2
        solvable = (pulls.max(axis=-1) > 0) & (pulls.min(axis=-1) < 0)
        possible = solvable[..., None]
        following = tilted(chances, np.where(possible, pulls, values - EVEN))
        settled = solvable & (np.abs(following - found).max(axis=-1) < PRECISION)
        if settled.all():
            return following, settled
        goal = following if step < WHOLE_STEPS else (found + following) / 2
        found, before = np.where(possible, goal, (found + before) / 2), found
    return found, settled


def log_ratio(counts: Floats, values: Floats, games: int, low: float, high: float) -> Floats:
    """Return log(likelihood of ``high`` / likelihood of ``low``) for counts [..., value].

    ``low`` and ``high`` are leads in normalised Elo, ``games`` how many make a deal. Where a
    likeliest distribution was not found, the ratio is the one that it comes to with many deals:
    that of normal results of unknown deviation.
    """
    filled = np.where(counts == 0, UNSEEN, counts)
    total = filled.sum(axis=-1)
    chances = filled / total[..., None]
    least, most = (each * math.sqrt(games) / NORMALISED_ELO for each in (low, high))
    under_low, low_settled = likeliest(chances, values, least)
    under_high, high_settled = likeliest(chances, values, most)
    exact = (filled * np.log(under_high / under_low)).sum(axis=-1)
    mean, deviation = moments(chances, values)
    lead = ((mean - EVEN) / deviation)[..., 0]
    normal = total / 2 * np.log((1 + (lead - least) ** 2) / (1 + (lead - most) ** 2))
    ratio: Floats = np.where(low_settled & high_settled, exact, normal)
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

    def judge(self, results: Floats) -> Verdict:
        """Go through the results [deal, game] of the first agent, batch by batch, as they came.

        Each is 1 (won), 1/2 or 0.

        The verdict is that of the first look at which the test ends: so it is the same whoever
        played how many games beyond it. A last part of a batch is not looked at.
        """
        ends = np.arange(self.batch, len(results) + 1, self.batch)
        if not len(ends):
            return Verdict(UNDECIDED, 0.0, pair_counts(results[:0]))
        games = results.shape[1]
        steps = 2 * games
        came = np.rint(results.sum(axis=1) * 2).astype(np.int64)[:, None] == np.arange(steps + 1)
        counts = np.cumsum(came, axis=0)[ends - 1].astype(np.float64)
        ratios = log_ratio(counts, np.arange(steps + 1) / steps, games, self.low, self.high)
        lowest, highest = self.limits
        outside = np.flatnonzero((ratios <= lowest) | (ratios >= highest))
        look = int(outside[0]) if len(outside) else len(ends) - 1
        ratio = float(ratios[look])
        return Verdict(self.decision(ratio), ratio, pair_counts(results[: ends[look]]))
