"""Tests and verdicts where there is nothing to be found: how often they err."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from sandtable.arena.statistics.intervals import (
    estimate_grouped_share,
    paired_share_difference,
    simultaneous_level,
)
from sandtable.arena.statistics.lead_likelihood import likeliest
from sandtable.arena.statistics.pairs import NORMALISED_ELO
from sandtable.arena.statistics.ratings import plackett_luce
from sandtable.arena.statistics.sprt import SequentialTest, log_ratio
from sandtable.arena.tournaments.ledger import Ledger
from sandtable.arena.tournaments.schedules import ROUND_ROBIN, Tournament
from sandtable.arena.tournaments.standings import AgentStanding, cross_table, find_cycles, ranked
from sandtable.calibration.experiments import FEW_PUBLISHED, ErrorCase, Generator
from sandtable.calibration.leads import PAIRS, VALUES
from sandtable.reproduce.comparison import AGREES, CANNOT_BE_TOLD, Figure, difference, verdict
from sandtable.reproduce.reproduction import comparisons

__all__ = [
    "SimulatedGames",
    "cases",
    "equal_agents",
    "equal_rows",
    "published_difference",
    "sequential",
]

OUR_GAMES = 2000  # beside a few published ones


def sequential(
    words: str, weights: Sequence[float], truth: float | None, low: float, high: float, wrong: int
) -> ErrorCase:
    """Return a sequential test of pairs; ``wrong`` is the sign of the ratio that is an error."""
    test = SequentialTest(low, high)
    chances = np.maximum(np.array(weights), 1e-12)
    if truth is not None:
        chances = likeliest(chances, VALUES, truth * math.sqrt(2) / NORMALISED_ELO)

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        counts = np.zeros((experiments, len(VALUES)))
        going = np.arange(experiments)
        errors = deals = looks = 0
        while len(going):
            looks += 1
            counts[going] += generator.multinomial(test.batch, chances, size=len(going))
            ratios = log_ratio(counts[going], VALUES, 2, low, high)
            ended = (ratios <= test.limits[0]) | (ratios >= test.limits[1])
            errors += int((wrong * ratios[ended] > 0).sum())
            deals += looks * test.batch * int(ended.sum())
            going = going[~ended]
        return errors, round(deals / experiments)

    return ErrorCase("The sequential test", words, run)


@cache
def share_of_games(won: int, games: int) -> Figure:
    """Return the figure of so many games won; the same ones come again and again."""
    return Figure.of_share(won / games, games)


def published_difference(games: int, share: float) -> ErrorCase:
    """Return the comparison of a few published games with many of ours, both equally good."""

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            theirs, ours = (
                share_of_games(int(generator.binomial(count, share)), count)
                for count in (games, OUR_GAMES)
            )
            errors += verdict(theirs, ours) not in (AGREES, CANNOT_BE_TOLD)
        return errors, games

    label = f"{games} published games, {share:.0%} won"
    return ErrorCase("Equal figures that are called different", label, run, FEW_PUBLISHED)


def equal_rows(rows: int, games: int, share: float) -> ErrorCase:
    """Return a table of equal rows, of which none should hold where their number is allowed for."""

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            found = []
            for _ in range(rows):
                theirs, ours = (
                    share_of_games(int(generator.binomial(count, share)), count)
                    for count in (games, OUR_GAMES)
                )
                found.append(difference(theirs, ours))
            errors += comparisons(found)["differ_allowing_for_number"] > 0
        return errors, rows * games

    label = f"{rows} equal rows, {games} published games, {share:.0%} won"
    return ErrorCase("Equal figures that are called different", label, run)


class SimulatedGames(Ledger):
    """The games of a tournament that nobody played: pairs of a round robin, in both seats.

    >>> SimulatedGames(3, 4, np.random.default_rng(0)).players.shape
    (24, 2)
    """

    def __init__(self, agents: int, deals: int, generator: Generator) -> None:
        names = tuple(f"agent {number}" for number in range(agents))
        self.tournament = Tournament(ROUND_ROBIN, ("nothing",), names, deals, 0)
        self.luck, self.dice, self.levels_count = False, True, False
        self.times = None
        pairs = np.array(list(itertools.combinations(range(agents), 2)))
        both = np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)
        self.players = np.tile(both, (deals, 1))
        won = generator.random(len(self.players)) < 0.5
        self.scores = np.column_stack([won, ~won]).astype(np.float64)
        self.shares = self.adjusted = self.scores
        self.unit = np.repeat(np.arange(deals), len(both))
        self.match = np.tile(np.repeat(np.arange(len(pairs)), 2), deals)

    def standings(self) -> list[AgentStanding]:
        """Return the standings, the best first, as those of every tournament are made."""
        count = len(self.tournament.agents)
        ratings = plackett_luce(self.players, self.scores, count, groups=self.unit)
        found = []
        for agent, name in enumerate(self.tournament.agents):
            held = self.held_by(agent)
            wins = estimate_grouped_share(
                self.by_unit(self.shares, held), games=self.games_of_unit(held)
            )
            found.append(
                AgentStanding(name, (), 0, wins, None, wins, ratings[agent], None, None, 0)
            )
        return list(ranked(self, found, winners=True))


def equal_agents(agents: int, deals: int) -> ErrorCase:
    """Return a tournament of equal agents, in which a sure order or a circle is an error."""

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            games = SimulatedGames(agents, deals, generator)
            sure = any(each.sure for each in games.standings())
            circles, _ = find_cycles(games, cross_table(games, winners=True))
            errors += sure or bool(circles)
        return errors, deals

    label = f"{agents} equal agents: an order or a circle that is sure"
    return ErrorCase("Standings", label, run)


def gauntlet(opponents: int, deals: int) -> ErrorCase:
    """Return equal opponents of one agent, a game a deal: none of them is surely the best."""
    level = simultaneous_level((opponents + 1) * opponents // 2)

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            won = (generator.random((opponents, deals)) < 0.5).astype(np.float64)
            best, *others = won[np.argsort(-won.sum(axis=1), kind="stable")]
            errors += any(
                paired_share_difference(best, other, level).tested[0] > 0 for other in others
            )
        return errors, deals

    label = f"{opponents} equal opponents, {deals} deals of a game: an order that is sure"
    return ErrorCase("Standings", label, run)


def lost_deals(games: int, deals: int, share_of_lost: float) -> ErrorCase:
    """Return two equal agents that share deals of many games, but for rare ones wholly lost."""
    by_dice = 4
    chance = (0.5 * games / (1 - share_of_lost) - (games - by_dice) / 2) / by_dice

    def run(generator: Generator, experiments: int) -> tuple[int, int]:
        errors = 0
        for _ in range(experiments):
            won = (games - by_dice) / 2 + generator.binomial(by_dice, chance, deals)
            shares = np.where(generator.random(deals) < share_of_lost, 0.0, won / games)
            low, high = paired_share_difference(shares, 1 - shares, games=games).tested
            errors += low > 0 or high < 0
        return errors, deals

    label = (
        f"2 equal agents, {deals} deals of {games}, {share_of_lost:.0%} lost: one is surely better"
    )
    return ErrorCase("Standings", label, run)


def cases() -> Iterator[ErrorCase]:
    """Return all experiments with tests."""
    usual, shared, rare = PAIRS["as usual"], PAIRS["90% shared"], PAIRS["98% shared"]
    shared_by_96 = (0.002, 0.018, 0.96, 0.018, 0.002)
    skewed = (0.05, 0.0, 0.85, 0.10, 0.0)
    yield from itertools.starmap(
        sequential,
        (
            ("as usual, a lead of 0 tested against 0..60", usual, 0.0, 0, 60, 1),
            ("as usual, a lead of 60 tested against 0..60", usual, 60.0, 0, 60, -1),
            ("90% shared, a lead of -49 tested against 0..60", shared, -49.0, 0, 60, 1),
            ("90% shared, a lead of 0 tested against 0..60", shared, 0.0, 0, 60, 1),
            ("90% shared, a lead of 60 tested against 0..60", shared, 60.0, 0, 60, -1),
            ("96% shared, a lead of -49 tested against 0..20", shared_by_96, -49.0, 0, 20, 1),
            ("as usual, a lead of 0 tested against 0..20", usual, 0.0, 0, 20, 1),
            ("96% shared, a lead of 0 tested against 0..20", shared_by_96, 0.0, 0, 20, 1),
            ("98% shared, a lead of -49 tested against 0..20", rare, -49.0, 0, 20, 1),
            ("98% shared, a lead of 60 tested against 0..60", rare, 60.0, 0, 60, -1),
            ("skewed, a lead of 0 tested against 0..60", skewed, None, 0, 60, 1),
            ("as usual, a lead of 0 tested against 0..200", usual, 0.0, 0, 200, 1),
            ("as usual, a lead of 200 tested against 0..200", usual, 200.0, 0, 200, -1),
        ),
    )
    shares = ((10, 0.7), (10, 0.9), (16, 0.5), (20, 0.9), (100, 0.5), (100, 0.97))
    yield from itertools.starmap(published_difference, shares)
    yield from itertools.starmap(equal_rows, ((40, 100, 0.5), (40, 100, 0.9), (40, 20, 0.7)))
    yield from itertools.starmap(equal_agents, ((2, 20), (3, 100), (5, 40), (10, 200)))
    yield from itertools.starmap(gauntlet, ((10, 8), (10, 20), (10, 50), (3, 50)))
    for share_of_lost in (0.01, 0.02, 0.06):
        for deals in (10, 40, 150, 400):
            yield lost_deals(18, deals, share_of_lost)
