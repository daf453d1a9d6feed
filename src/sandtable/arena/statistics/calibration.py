"""How often intervals hold the truth and tests err, by simulated experiments whose truth is known.

Every case is an experiment that can be repeated as often as one likes: results are drawn from a
distribution with a known mean, and the same functions as in every report make an interval of them.
The share of experiments whose interval holds the truth is its coverage, which should be 95%.

A coverage is *in its band* between 93 and 97.5%, give or take what chance does to so many
experiments. Where nearly all deals end alike there are so few different outcomes that no interval
can come close to 95% from both sides: it then only must not be too narrow. Such cases are coarse.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.alpha_rank import cycles
from sandtable.arena.statistics.intervals import (
    Estimate,
    estimate_grouped_share,
    estimate_mean,
    estimate_share,
    free_of_luck,
    paired_share_difference,
    simultaneous_level,
)
from sandtable.arena.statistics.lead_likelihood import likeliest
from sandtable.arena.statistics.pairs import NORMALISED_ELO, pair_counts
from sandtable.arena.statistics.ratings import ELO, plackett_luce
from sandtable.arena.statistics.sprt import SequentialTest, log_ratio

__all__ = ["SIZES", "Band", "Case", "ErrorCase", "Measured", "cases", "error_cases", "measure"]

SIZES = (8, 20, 50, 200, 1000)
COARSE_EVENTS = 8.0  # deals that end otherwise than most do, expected in an experiment
SLOW = 5  # experiments of a slow case are fewer by this factor
CHANCE = 2.6  # standard errors of a simulated share that chance may move it by

Floats = NDArray[np.float64]
Generator = np.random.Generator
Draw = Callable[[Generator, int], Floats]


@dataclass(frozen=True)
class Band:
    """Between which shares something should lie."""

    low: float
    high: float

    def holds(self, share: float, experiments: int) -> bool:
        """Say whether a share of so many experiments can come from within the band."""
        return all(
            sign * (share - end) <= CHANCE * math.sqrt(max(end * (1 - end), 1e-4) / experiments)
            for sign, end in ((-1, self.low), (1, self.high))
        )


COVERAGE, AT_LEAST, ERRORS = Band(0.93, 0.975), Band(0.93, 1.0), Band(0.0, 0.05)


@dataclass(frozen=True)
class Case:
    """An experiment whose truth is known, and what is estimated in it."""

    section: str
    label: str
    draw: Draw  # results of one experiment, of a size
    estimate: Callable[[Floats], Sequence[Estimate]]
    truth: Sequence[float]  # one for each estimate
    often: float = 0.0  # chance of the most common result; 0: there is none
    sizes: tuple[int, ...] = SIZES
    slow: bool = False
    limit: str = ""  # why it cannot hold, where that is known

    def band(self, size: int) -> Band:
        """Return what the coverage should be."""
        coarse = self.often and size * (1 - self.often) < COARSE_EVENTS
        return AT_LEAST if coarse else COVERAGE


@dataclass(frozen=True)
class Measured:
    """What was found for one case and size, or for one test."""

    section: str
    label: str
    size: int
    share: float  # of intervals that hold the truth, or of tests that err
    shown: float  # share of experiments that had an interval
    experiments: int
    band: Band
    limit: str = ""

    @property
    def holds(self) -> bool:
        """Whether the share is in its band, or known not to be."""
        return bool(self.limit) or self.band.holds(self.share, self.experiments)


def measure(case: Case, size: int, experiments: int, seed: int = 0) -> Measured:
    """Repeat one experiment, and count the intervals that hold the truth.

    >>> won = shares_of_games("a half", 0.5)
    >>> 0.85 < measure(won, 50, experiments=100).share < 1
    True
    """
    generator = np.random.default_rng([seed, size, len(case.label), *case.label.encode()])
    repeats = max(experiments // (SLOW if case.slow else 1), 1)
    holding = shown = total = 0
    for _ in range(repeats):
        for found, truth in zip(case.estimate(case.draw(generator, size)), case.truth, strict=True):
            total += 1
            shown += found.shown
            holding += found.shown and found.low - 1e-9 <= truth <= found.high + 1e-9
    share = holding / shown if shown else 1.0
    band = case.band(size)
    return Measured(case.section, case.label, size, share, shown / total, repeats, band, case.limit)


def one(function: Callable[[Floats], Estimate]) -> Callable[[Floats], Sequence[Estimate]]:
    """Return a function of one estimate as one of several."""
    return lambda values: (function(values),)


def shares_of_games(words: str, share: float, drawn: float = 0.0) -> Case:
    """Single games: a share of the points, and a share of draws."""
    chances = np.array([1 - share - drawn / 2, drawn, share - drawn / 2])

    def draw(generator: Generator, size: int) -> Floats:
        results: Floats = generator.choice([0.0, 0.5, 1.0], size=size, p=chances)
        return results

    often = float(chances.max())
    return Case("Shares of single games", words, draw, one(estimate_grouped_share), [share], often)


def shares_of_deals(
    words: str, games: int, share: float, alike: float = 0.0, limit: str = ""
) -> Case:
    """Deals of several games, of which a part are decided by the dice for all games alike."""

    def draw(generator: Generator, size: int) -> Floats:
        own = generator.binomial(games, share, size=size) / games
        common = (generator.random(size) < share).astype(np.float64)
        results: Floats = np.where(generator.random(size) < alike, common, own)
        return results

    def chance_of(won: int) -> float:
        own = math.comb(games, won) * share**won * (1 - share) ** (games - won)
        common = {games: share, 0: 1 - share}.get(won, 0.0)
        return alike * common + (1 - alike) * own

    often = max(map(chance_of, range(games + 1)))
    often = often if often >= 1 / 3 else 0.0
    made = one(estimate_grouped_share)
    return Case("Shares of deals", words, draw, made, [share], often, limit=limit)


def mean_scores() -> Iterator[Case]:
    """Scores of several kinds."""
    section = "Mean scores"

    def made(
        words: str,
        draw: Draw,
        truth: float,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        often: float = 0.0,
    ) -> Case:
        estimate = one(lambda values: estimate_mean(values, bounds=bounds))
        return Case(section, words, draw, estimate, [truth], often)

    yield made("normal", lambda generator, size: generator.normal(3, 2, size), 3.0)
    yield made("skewed (gamma, shape 4)", skewed_scores, 2.0)
    yield made(
        "80% nothing, the rest 3",
        lambda generator, size: np.where(generator.random(size) < 0.2, 3.0, 0.0),
        0.6,
        (0.0, 15.0),
        0.8,
    )
    yield made(
        "won 80%, drawn 15%, lost 5%",
        lambda generator, size: generator.choice([1.0, 0.0, -1.0], size=size, p=[0.8, 0.15, 0.05]),
        0.75,
        (-1.0, 1.0),
        0.8,
    )
    yield Case(section, "freed of luck", lucky_scores, one(freed_mean), [4.0], sizes=SIZES[1:])


def skewed_scores(generator: Generator, size: int) -> Floats:
    """Return scores with a long tail."""
    return np.asarray(generator.gamma(4, 0.5, size), dtype=np.float64)


def lucky_scores(generator: Generator, size: int) -> Floats:
    """Return scores and two terms of luck [game, column] with weights that nobody knows."""
    luck = generator.uniform(-1, 1, size=(size, 2)) * generator.integers(0, 5, size=(size, 1))
    scores = 4 + 2.0 * luck[:, 0] - 0.7 * luck[:, 1] + generator.normal(0, 1, size)
    return np.column_stack([scores, luck])


def freed_mean(columns: Floats) -> Estimate:
    """Estimate the mean of scores freed of luck."""
    return estimate_mean(free_of_luck(columns[:, 0], columns[:, 1:]))


def differences() -> Iterator[Case]:
    """Two agents on the same deals of two games, with leads of several sizes."""
    for lead in (0.0, 0.1, 0.8):
        chances = np.array([[0.5 - lead / 2, 0.5 + lead / 2]])

        def draw(generator: Generator, size: int, chances: Floats = chances) -> Floats:
            won: Floats = generator.binomial(2, np.repeat(chances, size, axis=0)) / 2
            return won

        common = max(float(np.convolve(*both_results(row)).max()) for row in chances)
        estimate = one(lambda won: paired_share_difference(won[:, 1], won[:, 0]))
        often = common if common >= 1 / 3 else 0.0
        yield Case("Differences of shares", f"lead of {lead:g}", draw, estimate, [lead], often)


def both_results(chances: Floats) -> tuple[Floats, Floats]:
    """Return the distributions of the wins of one agent and of the losses of another."""
    first, second = (np.array([(1 - p) ** 2, 2 * p * (1 - p), p * p]) for p in chances.tolist())
    return first, second[::-1]


PAIRS = {
    "as usual": (0.10, 0.22, 0.36, 0.22, 0.10),
    "90% shared": (0.005, 0.045, 0.90, 0.045, 0.005),
    "98% shared": (0.001, 0.009, 0.98, 0.009, 0.001),
    "few losses": (0.01, 0.04, 0.15, 0.30, 0.50),
}


def pair_leads() -> Iterator[Case]:
    """Elo and normalised Elo of pairs of games."""
    values = np.arange(5) / 4
    for words, weights in PAIRS.items():
        chances = np.array(weights)
        mean = float(chances @ values)
        deviation = math.sqrt(float(chances @ (values - mean) ** 2))
        truth = NORMALISED_ELO / math.sqrt(2) * (mean - 0.5) / deviation

        def draw(generator: Generator, size: int, chances: Floats = chances) -> Floats:
            shares: Floats = generator.choice(values, size=size, p=chances)
            return shares

        def estimate(shares: Floats) -> Sequence[Estimate]:
            return (pair_counts(np.column_stack([shares, shares])).normalised_elo(),)

        often = float(chances.max()) if chances.max() >= 1 / 3 else 0.5
        yield Case("Normalised Elo", words, draw, estimate, [truth], often, slow=True)


def rated_agents() -> Iterator[Case]:
    """Round robins of agents with leads of several sizes."""
    for leads in ((0, 0), (400, 0), (1000, 0), (240, 120, 0), (1000, 500, 0)):
        truth = np.array(leads, dtype=np.float64) - np.mean(leads)
        count = len(leads)
        pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]

        def draw(
            generator: Generator, size: int, pairs: Sequence[tuple[int, int]] = tuple(pairs),
            truth: Floats = truth,
        ) -> Floats:  # fmt: skip
            players = np.repeat(np.array(pairs), size, axis=0)
            away = truth[players[:, 1]] - truth[players[:, 0]]
            won = generator.random(len(players)) < 1 / (1 + np.exp(away / ELO))
            return np.column_stack([players, won, ~won])

        def estimate(games: Floats, count: int = count) -> Sequence[Estimate]:
            players = games[:, :2].astype(np.int64)
            found = plackett_luce(players, games[:, 2:].astype(np.float64), count)
            return [Estimate(each.rating, 0.0, each.low, each.high, each.games) for each in found]

        rarest = 1 / (1 + math.exp(max(abs(leads[i] - leads[j]) for i, j in pairs) / ELO))
        words = "leads of " + ", ".join(f"{lead}" for lead in leads)
        yield Case("Ratings", words, draw, estimate, truth.tolist(), 1 - rarest, slow=True)


RARE_DEALS = "3% of the deals are lost in all games: no results without one can tell of it"


def cases() -> list[Case]:
    """Return all experiments with intervals."""
    singles = [
        shares_of_games(f"{share:.1%} won", share) for share in (0.02, 0.1, 0.5, 0.8, 0.98, 0.998)
    ]
    drawn = [
        shares_of_games(f"{share:.1%} of the points, {part:.0%} drawn", share, part)
        for share, part in ((0.5, 0.5), (0.7, 0.5), (0.5, 0.9), (0.51, 0.98), (0.98, 0.04))
    ]
    deals = [
        shares_of_deals(f"{games} games a deal, {share:.0%} won", games, share)
        for games in (2, 4, 18)
        for share in (0.5, 0.8, 0.98)
    ]
    dependent = [
        shares_of_deals("4 games a deal, 50% won, 60% of deals decided by dice", 4, 0.5, 0.6),
        shares_of_deals("18 games a deal, 90% won, all decided by dice", 18, 0.9, 1.0),
        shares_of_deals(
            "18 games a deal, 90% won, 30% of deals decided by dice", 18, 0.9, 0.3, RARE_DEALS
        ),
    ]
    more = [*mean_scores(), *differences(), *pair_leads(), *rated_agents()]
    return [*singles, *drawn, *deals, *dependent, *more]


@dataclass(frozen=True)
class ErrorCase:
    """A test that errs with some chance, and how often it may."""

    section: str
    label: str
    run: Callable[[Generator, int], tuple[int, int]]  # errors, and mean deals or games
    slow: bool = False

    def measure(self, experiments: int, seed: int = 0) -> Measured:
        """Repeat the test, and count its errors."""
        generator = np.random.default_rng([seed, *self.label.encode()])
        repeats = max(experiments // (SLOW if self.slow else 1), 1)
        errors, size = self.run(generator, repeats)
        share = errors / repeats
        return Measured(self.section, self.label, size, share, 1.0, repeats, ERRORS)


def sequential(words: str, weights: Sequence[float], truth: float | None, low: float, high: float,
               wrong: int) -> ErrorCase:  # fmt: skip
    """Return a sequential test of pairs; ``wrong`` is the sign of the ratio that is an error."""
    values = np.arange(5) / 4
    test = SequentialTest(low, high)
    chances = np.maximum(np.array(weights), 1e-12)
    if truth is not None:
        chances = likeliest(chances, values, truth * math.sqrt(2) / NORMALISED_ELO)

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        counts = np.zeros((experiments, len(values)))
        going = np.arange(experiments)
        errors = deals = looks = 0
        while len(going):
            looks += 1
            counts[going] += generator.multinomial(test.batch, chances, size=len(going))
            ratios = log_ratio(counts[going], values, 2, low, high)
            ended = (ratios <= test.limits[0]) | (ratios >= test.limits[1])
            errors += int((wrong * ratios[ended] > 0).sum())
            deals += looks * test.batch * int(ended.sum())
            going = going[~ended]
        return errors, round(deals / experiments)

    return ErrorCase("The sequential test", words, run)


def published_difference(games: int, share: float) -> ErrorCase:
    """Return the comparison of a few published games with many of ours, both equally good."""
    label = f"{games} published games, {share:.0%} won"

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            theirs, ours = (
                estimate_share(int(generator.binomial(count, share)) / count, count)
                for count in (games, 2000)
            )
            away = ours.mean - theirs.mean
            below = math.hypot(ours.mean - ours.low, theirs.high - theirs.mean)
            above = math.hypot(ours.high - ours.mean, theirs.mean - theirs.low)
            errors += away > below or -away > above
        return errors, games

    return ErrorCase("Equal figures that are called different", label, run)


def equal_agents(agents: int, deals: int) -> ErrorCase:
    """Return a tournament of equal agents, in which a sure order or a circle is an error."""
    pairs = list(itertools.combinations(range(agents), 2))
    level = simultaneous_level(len(pairs))

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            points = np.zeros((deals, agents))
            beats = np.zeros((agents, agents), dtype=np.bool_)
            for first, second in pairs:
                share = generator.binomial(2, 0.5, size=deals) / 2
                points[:, first] += share
                points[:, second] += 1 - share
                estimate = estimate_grouped_share(share, level)
                beats[first, second] = estimate.low > 0.5
                beats[second, first] = estimate.high < 0.5
            points /= agents - 1
            leader = int(points.mean(axis=0).argmax())
            leads = [
                paired_share_difference(points[:, leader], points[:, other], level)
                for other in range(agents)
                if other != leader
            ]
            errors += any(lead.low > 0 for lead in leads) or bool(cycles(beats))
        return errors, deals

    label = f"{agents} equal agents: an order or a circle that is sure"
    return ErrorCase("Standings", label, run, slow=True)


def error_cases() -> list[ErrorCase]:
    """Return all experiments with tests."""
    usual, shared = PAIRS["as usual"], PAIRS["90% shared"]
    skewed, rare = (0.05, 0.0, 0.85, 0.10, 0.0), PAIRS["98% shared"]
    leads = [
        ("as usual, a lead of 0 tested against 0..60", usual, 0.0, 0, 60, 1),
        ("as usual, a lead of 60 tested against 0..60", usual, 60.0, 0, 60, -1),
        ("90% shared, a lead of -49 tested against 0..60", shared, -49.0, 0, 60, 1),
        ("90% shared, a lead of 0 tested against 0..60", shared, 0.0, 0, 60, 1),
        ("90% shared, a lead of 60 tested against 0..60", shared, 60.0, 0, 60, -1),
        ("98% shared, a lead of -49 tested against 0..20", rare, -49.0, 0, 20, 1),
        ("98% shared, a lead of 60 tested against 0..60", rare, 60.0, 0, 60, -1),
        ("skewed, a lead of 0 tested against 0..60", skewed, None, 0, 60, 1),
        ("as usual, a lead of 0 tested against 0..200", usual, 0.0, 0, 200, 1),
        ("as usual, a lead of 200 tested against 0..200", usual, 200.0, 0, 200, -1),
    ]
    shares = [(10, 0.7), (10, 0.9), (16, 0.5), (20, 0.9), (100, 0.5), (100, 0.97)]
    return [
        *(sequential(*each) for each in leads),
        *(published_difference(*each) for each in shares),
        *(equal_agents(*each) for each in ((5, 40), (10, 200))),
    ]
