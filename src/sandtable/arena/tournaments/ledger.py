"""All games of a tournament in long columns, and what counts as one observation.

Games of one deal have the same dice in all pairings and in all rotations, so a deal, over all that
was played on it, is one observation. Where a game has no dice and the suite has several levels, one
level is one observation: to play it again and again tells more about that level and nothing about
others. And where neither the game nor the agents throw dice all deals of a match are alike: however
many there are, they are one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.behaviour import throws_dice
from sandtable.arena.play.plan import MatchPlan, Results
from sandtable.arena.statistics.intervals import all_alike, free_of_luck, win_shares
from sandtable.arena.statistics.ratings import NOBODY
from sandtable.arena.tournaments.schedules import Tournament
from sandtable.registry import make_game

__all__ = ["Ledger", "without_luck"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Ledger:
    """One row for each game; empty seats have NOBODY in them."""

    def __init__(self, tournament: Tournament, results: Sequence[Results]) -> None:
        self.tournament = tournament
        self.results = results
        games = [make_game(plan.game) for plan in tournament.matches]
        self.luck = any(game.luck for game in games)
        self.dice = any(game.chance for game in games)
        self.levels_count = len(tournament.suite) > 1 and not self.dice
        seats = max(len(game.seats) for game in games)
        total = sum(len(each.scores) for each in results)
        self.players = np.full((total, seats), NOBODY, dtype=np.int64)  # [game, seat]
        self.scores = np.full((total, seats), -np.inf)  # [game, seat]
        self.adjusted = np.full((total, seats), np.nan)  # [game, seat] freed of luck
        self.shares = np.zeros((total, seats))  # [game, seat] of the win
        self.match = np.zeros(total, dtype=np.int64)  # [game]
        self.unit = np.zeros(total, dtype=np.int64)  # [game] number of the observation
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

    def all_alike(self, chosen: Flags) -> bool:
        """Say whether in every match of the chosen games all deals went the same."""
        return all(self.same_deals(match) for match in np.unique(self.match[chosen]).tolist())

    def same_deals(self, match: int) -> bool:
        """Say whether a match without dice had the same scores and measures in all deals."""
        found = self.results[match]
        deals = len(found.scores) // len(self.tournament.matches[match].orders)
        facts = (found.scores, found.measures)
        alike = deals > 1 and all(
            all_alike(np.nan_to_num(each).reshape(deals, -1)) for each in facts if each.size
        )
        plan = self.tournament.matches[match]
        return alike and not any(throws_dice(plan.game, agent) for agent in plan.agents)

    def held_by(self, agent: int) -> Flags:
        """Return the seats [game, seat] of an agent."""
        held: Flags = self.players == agent
        return held

    def by_unit(self, values: Floats, held: Flags) -> Floats:
        """Return the means over each observation [unit] of the values [game, seat] that are held.

        Observations without any are not numbers.
        """
        units = np.broadcast_to(self.unit[:, None], values.shape)[held]
        size = int(self.unit.max()) + 1 if len(self.unit) else 0
        counts = np.bincount(units, minlength=size)
        sums = np.bincount(units, weights=values[held], minlength=size)
        means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

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
        units = self.unit[chosen]
        counts = np.bincount(units)
        found = counts > 0
        means: Floats = np.bincount(units, weights=values)[found] / counts[found]
        alike = not self.dice and not self.levels_count and self.all_alike(chosen)
        return means[:1] if alike else means


def without_luck(results: Results, games_per_deal: int) -> Floats:
    """Return the scores [game, seat] freed of luck, fitted for every rotation on its own."""
    adjusted = results.scores.copy()
    for rotation in range(games_per_deal):
        rows = slice(rotation, None, games_per_deal)
        for seat in range(adjusted.shape[1]):
            adjusted[rows, seat] = free_of_luck(results.scores[rows, seat], results.luck[rows])
    return adjusted
