"""All games of a tournament in long columns, and what counts as one observation.

Games of one deal have the same dice in all pairings and in all rotations, so a deal, over all that
was played on it, is one observation. Where a game has no dice and the suite has several levels, one
level is one observation: to play it again and again tells more about that level and nothing about
others. And where neither the game nor the agents throw dice all deals of a match are alike: however
many there are, they are one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.behaviour import throws_dice
from sandtable.arena.play.plan import MatchPlan, Results
from sandtable.arena.statistics.intervals import (
    LEVEL,
    Estimate,
    all_alike,
    estimate_grouped_share,
    estimate_mean,
    free_of_luck,
    paired_difference,
    paired_share_difference,
    win_shares,
)
from sandtable.arena.statistics.ratings import NOBODY, Rating, plackett_luce
from sandtable.arena.tournaments.schedules import Tournament
from sandtable.registry import make_game

__all__ = ["Figures", "Ledger", "observed_on_levels", "same_every_time", "without_luck"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Figures(Protocol):
    """What standings are made of, from all games or from what is left of them."""

    tournament: Tournament
    luck: bool  # some game counts it
    dice: bool  # some game has them
    levels_count: bool  # a level is one observation

    @property
    def games(self) -> int:
        """How many games there are."""
        ...

    def games_of(self, agent: int) -> int:
        """Return in how many games an agent took part."""
        ...

    def seats_of(self, agent: int) -> list[int]:
        """Return the seats that an agent sat in."""
        ...

    def score(self, agent: int, bounds: tuple[float, float]) -> Estimate:
        """Return the mean score of an agent."""
        ...

    def score_without_luck(self, agent: int) -> Estimate:
        """Return the mean score of an agent freed of luck."""
        ...

    def share_won(self, agent: int) -> Estimate:
        """Return the share of games won in each of an agent's seats."""
        ...

    def lead(self, one: int, other: int, winners: bool, level: float) -> Estimate:
        """Return by how much one agent leads another on what both played."""
        ...

    def meeting(self, one: int, other: int, winners: bool, level: float) -> Estimate | None:
        """Return how one did against the other; None: they have not met."""
        ...

    def ratings(self) -> list[Rating]:
        """Return the ratings of all agents."""
        ...

    def same_deals(self, match: int) -> bool:
        """Say whether in a match without dice all deals went the same."""
        ...


class Ledger:
    """One row for each game; empty seats have NOBODY in them.

    Equal games can be counted together: ``times`` [match][game] says how often each came. Then it
    is known from elsewhere in which matches all deals went the same (``alike``).
    """

    def __init__(
        self,
        tournament: Tournament,
        results: Sequence[Results],
        times: Sequence[Integers] | None = None,
        alike: Sequence[bool] | None = None,
    ) -> None:
        self.tournament = tournament
        self.results = results
        self.alike = alike
        games = [make_game(plan.game) for plan in tournament.matches]
        self.luck = any(game.luck for game in games)
        self.dice = any(game.chance for game in games)
        self.levels_count = observed_on_levels(tournament)
        seats = max(len(game.seats) for game in games)
        total = sum(len(each.scores) for each in results)
        self.players = np.full((total, seats), NOBODY, dtype=np.int64)  # [game, seat]
        self.scores = np.full((total, seats), -np.inf)  # [game, seat]
        self.adjusted = np.full((total, seats), np.nan)  # [game, seat] freed of luck
        self.shares = np.zeros((total, seats))  # [game, seat] of the win
        self.match = np.zeros(total, dtype=np.int64)  # [game]
        self.unit = np.zeros(total, dtype=np.int64)  # [game] number of the observation
        self.times: Integers | None = np.concatenate(times) if times is not None else None
        at = 0
        for index, plan in enumerate(tournament.matches):
            count = len(results[index].scores)
            self.enter(slice(at, at + count), index, plan)
            at += count
        if not self.dice and not self.levels_count and self.all_alike(self.match >= 0):
            self.unit[:] = 0

    def enter(self, rows: slice, index: int, plan: MatchPlan) -> None:
        """Write the games of one match into these rows."""
        found = self.results[index]
        count, width = found.scores.shape
        games_per_deal = len(plan.orders)
        agents = self.tournament.agents
        sitting = [
            [agents.index(agent) for agent in plan.seated(each)] for each in range(games_per_deal)
        ]
        self.players[rows, :width] = np.tile(np.array(sitting), (count // games_per_deal, 1))
        self.scores[rows, :width] = found.scores
        self.adjusted[rows, :width] = without_luck(found, games_per_deal)
        if count:
            self.shares[rows, :width] = win_shares(found.scores)
        self.match[rows] = index
        place = self.tournament.suite.index(plan.game)
        deals = place * self.tournament.deals + np.arange(count) // games_per_deal
        self.unit[rows] = place if self.levels_count else deals

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.scores) if self.times is None else int(self.times.sum())

    def often(self, chosen: Flags) -> Integers:
        """Return how often each of the chosen games came."""
        if self.times is None:
            return np.ones(int(chosen.sum()), dtype=np.int64)
        return self.times[chosen]

    def rows_with(self, held: Flags) -> Flags:
        """Return the games with seats that are held [game, seat]."""
        return np.asarray(held.any(axis=1), dtype=np.bool_)

    def games_of(self, agent: int) -> int:
        """Return in how many games an agent took part."""
        return int(self.often(self.rows_with(self.held_by(agent))).sum())

    def seats_of(self, agent: int) -> list[int]:
        """Return the seats that an agent sat in."""
        return [int(seat) for seat in np.flatnonzero(self.held_by(agent).any(axis=0))]

    def all_alike(self, chosen: Flags) -> bool:
        """Say whether in every match of the chosen games all deals went the same."""
        return all(self.same_deals(match) for match in np.unique(self.match[chosen]).tolist())

    def same_deals(self, match: int) -> bool:
        """Say whether a match without dice had the same scores and measures in all deals."""
        if self.alike is not None:
            return self.alike[match]
        found, plan = self.results[match], self.tournament.matches[match]
        deals = len(found.scores) // len(plan.orders)
        facts = (found.scores, found.measures)
        alike = deals > 1 and all(
            all_alike(np.nan_to_num(each).reshape(deals, -1)) for each in facts if each.size
        )
        return alike and same_every_time(plan)

    def held_by(self, agent: int) -> Flags:
        """Return the seats [game, seat] of an agent."""
        held: Flags = self.players == agent
        return held

    def by_unit(self, values: Floats, held: Flags) -> Floats:
        """Return the means over each observation [unit] of the values [game, seat] that are held.

        Observations without any are not numbers.
        """
        rows, _ = np.nonzero(held)
        size = int(self.unit.max()) + 1 if len(self.unit) else 0
        return self.means(values[held], rows, size)

    def means(self, values: Floats, rows: NDArray[np.intp], size: int) -> Floats:
        """Return the means of values over each observation, given the row of each of them."""
        units = self.unit[rows]
        counts: Floats = np.bincount(units, minlength=size).astype(np.float64)
        if self.times is not None:
            counts = np.bincount(units, weights=self.times[rows], minlength=size).astype(np.float64)
            values = values * self.times[rows]
        sums = np.bincount(units, weights=values, minlength=size)
        means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

    def known_means(self, values: Floats, held: Flags) -> Floats:
        """Return the means over the observations that have any."""
        means = self.by_unit(values, held)
        found: Floats = means[~np.isnan(means)]
        return found

    def games_of_unit(self, held: Flags) -> int:
        """Return how many games with seats that are held [game, seat] make up one observation."""
        there = self.rows_with(held)
        units = len(np.unique(self.unit[there]))
        return math.ceil(int(self.often(there).sum()) / units) if units else 1

    def score(self, agent: int, bounds: tuple[float, float]) -> Estimate:
        """Return the mean score of an agent."""
        held = self.held_by(agent)
        means = self.known_means(self.scores, held)
        return estimate_mean(means, bounds=bounds, games=self.games_of_unit(held))

    def score_without_luck(self, agent: int) -> Estimate:
        """Return the mean score of an agent freed of luck."""
        held = self.held_by(agent)
        return estimate_mean(self.known_means(self.adjusted, held), games=self.games_of_unit(held))

    def share_won(self, agent: int) -> Estimate:
        """Return the share of games won in each of an agent's seats."""
        held = self.held_by(agent)
        return estimate_grouped_share(
            self.known_means(self.shares, held), games=self.games_of_unit(held)
        )

    def lead(self, one: int, other: int, winners: bool, level: float) -> Estimate:
        """Return by how much one agent leads another on what both played."""
        values = self.shares if winners else self.adjusted
        first, second = (self.by_unit(values, self.held_by(each)) for each in (one, other))
        both = ~np.isnan(first) & ~np.isnan(second)
        difference = paired_share_difference if winners else paired_difference
        games = max(self.games_of_unit(self.held_by(each)) for each in (one, other))
        return difference(first[both], second[both], level, games)

    def meeting(self, one: int, other: int, winners: bool, level: float = LEVEL) -> Estimate | None:
        """Return how one did against the other; None: they have not met."""
        both = self.games_between(one, other)
        if not both.any():
            return None
        games = self.games_of_unit(self.held_by(one) & both[:, None])
        if winners:
            return estimate_grouped_share(self.ahead(one, other), level, games)
        return estimate_mean(self.score_against(one, other), level, games=games)

    def ratings(self) -> list[Rating]:
        """Return the ratings of all agents."""
        _, groups = np.unique(self.unit, return_inverse=True)
        count = len(self.tournament.agents)
        return plackett_luce(self.players, self.scores, count, groups=groups, times=self.times)

    def ahead(self, one: int, other: int) -> Floats:
        """Return for each observation the share in which ``one`` came in before ``other``."""
        both = self.games_between(one, other)
        first, second = self.held_by(one)[both], self.held_by(other)[both]
        scores = np.where(np.isfinite(self.scores[both]), self.scores[both], 0.0)
        results = (1 + np.sign(scores[:, :, None] - scores[:, None, :])) / 2
        pairs = first[:, :, None] & second[:, None, :]
        shares = (results * pairs).sum(axis=(1, 2)) / np.maximum(pairs.sum(axis=(1, 2)), 1)
        return self.observations(shares, both)

    def score_against(self, one: int, other: int) -> Floats:
        """Return for each observation the mean score against another, freed of luck."""
        both = self.games_between(one, other)
        own = self.held_by(one)[both]
        scores = np.where(own, self.adjusted[both], 0.0).sum(axis=1) / np.maximum(
            own.sum(axis=1), 1
        )
        return self.observations(scores, both)

    def games_between(self, one: int, other: int) -> Flags:
        """Return in which games two agents met."""
        return np.logical_and(self.held_by(one).any(axis=1), self.held_by(other).any(axis=1))

    def observations(self, values: Floats, chosen: Flags) -> Floats:
        """Return the means over each observation of the values of the chosen games."""
        means = self.means(values, np.flatnonzero(chosen), 0)
        means = means[~np.isnan(means)]
        alike = not self.dice and not self.levels_count and self.all_alike(chosen)
        return means[:1] if alike else means


def observed_on_levels(tournament: Tournament) -> bool:
    """Say whether a level is one observation: there are several, and no dice."""
    chance = any(make_game(plan.game).chance for plan in tournament.matches)
    return len(tournament.suite) > 1 and not chance


def same_every_time(plan: MatchPlan) -> bool:
    """Say whether no agent of a match throws dice."""
    return not any(throws_dice(plan.game, agent) for agent in plan.agents)


def without_luck(results: Results, games_per_deal: int) -> Floats:
    """Return the scores [game, seat] freed of luck, fitted for every rotation on its own."""
    adjusted = results.scores.copy()
    for rotation in range(games_per_deal):
        rows = slice(rotation, None, games_per_deal)
        for seat in range(adjusted.shape[1]):
            adjusted[rows, seat] = free_of_luck(results.scores[rows, seat], results.luck[rows])
    return adjusted
