"""The figures of a long tournament, from counts and sums: the same as from all its games."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import (
    LEVEL,
    Estimate,
    estimate_from_moments,
    estimate_grouped_share,
    estimate_mean,
)
from sandtable.arena.statistics.luck_sums import Key, LuckParts, LuckSums
from sandtable.arena.statistics.ratings import (
    NOBODY,
    PlacesOfGroups,
    Rating,
    choices_of,
    rate_groups,
)
from sandtable.arena.tournaments.observations import Name, Sitting

if TYPE_CHECKING:
    from sandtable.arena.tournaments.counted import CountedGames

__all__ = ["CountedFigures"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class CountedFigures:
    """What standings are made of, from what is left of the games and from those that wait."""

    def __init__(
        self,
        counted: CountedGames,
        waiting: Mapping[Name, Sequence[Floats]],
        parts: Sequence[tuple[LuckSums, Sequence[Key]]],
        alike: Sequence[bool],
    ) -> None:
        self.counted = counted
        self.waiting = waiting
        self.parts = LuckParts(parts)
        self.alike = alike
        self.tournament = counted.tournament
        self.luck, self.dice, self.levels_count = counted.luck, counted.dice, False

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(own.deals * own.games_per_deal for own in self.counted.rows)

    def sittings(self, chosen: Callable[[Sitting], bool]) -> list[Sitting]:
        """Return the games of a deal that are chosen, of matches that have been played."""
        return [
            each
            for own, sittings in zip(self.counted.rows, self.counted.sittings, strict=True)
            for each in sittings
            if own.deals and chosen(each)
        ]

    def games_of(self, agent: int) -> int:
        """Return in how many games an agent took part."""
        played = self.sittings(lambda each: agent in each.players)
        return sum(self.counted.rows[each.match].deals for each in played)

    def seats_of(self, agent: int) -> list[int]:
        """Return the seats that an agent sat in."""
        played = self.sittings(lambda each: agent in each.players)
        return sorted({seat for each in played for seat in each.seats(agent)})

    def same_deals(self, match: int) -> bool:
        """Say whether in a match without dice all deals went the same."""
        return self.alike[match]

    def games_of_unit(self, chosen: Callable[[Sitting], bool]) -> int:
        """Return how many of the chosen games make up one observation."""
        played = self.sittings(chosen)
        games, units = 0, [0] * len(self.counted.places)
        for each in played:
            deals = self.counted.rows[each.match].deals
            place = self.counted.place_of[each.match]
            games += deals
            units[place] = max(units[place], deals)
        return math.ceil(games / sum(units)) if games else 1

    def games_of_unit_of(self, agent: int) -> int:
        """Return how many games of an agent make up one observation."""
        return self.games_of_unit(lambda each: agent in each.players)

    def values(self, name: Name) -> tuple[Floats, Integers]:
        """Return the different values of a figure, and how often each came."""
        values: Floats = np.zeros(0)
        counts: Integers = np.zeros(0, dtype=np.int64)
        if name in self.counted.tables:
            rows, counts = self.counted.tables[name].rows()
            values = rows[:, 0] if name[0] == "places" else rows[:, 0, 0]
        for each in self.waiting.get(name, ()):
            values = np.concatenate([values, each]) if len(values) else each
            counts = np.concatenate([counts, np.ones(len(each), dtype=np.int64)])
        return values, counts

    def score(self, agent: int, bounds: tuple[float, float]) -> Estimate:
        """Return the mean score of an agent."""
        values, counts = self.values(("score", agent, 0))
        games = self.games_of_unit_of(agent)
        return estimate_mean(values, bounds=bounds, games=games, counts=counts)

    def score_without_luck(self, agent: int) -> Estimate:
        """Return the mean score of an agent freed of luck."""
        moments = self.parts.moments(self.shares_of(agent))
        return estimate_from_moments(*moments, games=self.games_of_unit_of(agent))

    def shares_of(self, agent: int) -> list[Floats]:
        """Return for every part of the sums how much each seat [game, seat] counts for an agent."""
        return [self.shares(keys, sums.seats, lambda each: each.seats(agent))
                for sums, keys in self.parts.parts]  # fmt: skip

    def shares(
        self, keys: Sequence[Key], seats: int, chosen: Callable[[Sitting], list[int]]
    ) -> Floats:
        """Return equal shares of the chosen seats [game, seat]; none if there are none."""
        found = np.zeros((len(keys), seats))
        for row, (match, rotation) in enumerate(keys):
            found[row, chosen(self.counted.sittings[match][rotation])] = 1.0
        return found / max(float(found.sum()), 1.0)

    def shares_against(self, one: int, other: int) -> list[Floats]:
        """Return the same for the games with another agent, each of which counts the same."""
        met = [self.shares(keys, sums.seats,
                           lambda each: each.seats(one) if other in each.players else [])
               for sums, keys in self.parts.parts]  # fmt: skip
        found = []
        for each in met:
            in_game = each.sum(axis=1, keepdims=True)
            games = max(int((in_game > 0).sum()), 1)
            found.append(each / np.where(in_game > 0, in_game, 1.0) / games)
        return found

    def share_won(self, agent: int) -> Estimate:
        """Return the share of games won in each of an agent's seats."""
        values, counts = self.values(("share", agent, 0))
        return estimate_grouped_share(values, games=self.games_of_unit_of(agent), counts=counts)

    def lead(self, one: int, other: int, winners: bool, level: float) -> Estimate:
        """Return by how much one agent leads another on what both played."""
        games = max(self.games_of_unit_of(each) for each in (one, other))
        if not winners and self.luck:
            both = [
                first - second if first.any() and second.any() else np.zeros_like(first)
                for first, second in zip(self.shares_of(one), self.shares_of(other), strict=True)
            ]
            return estimate_from_moments(*self.parts.moments(both), games=games, level=level)
        values, counts = self.values(("lead", min(one, other), max(one, other)))
        values = values if one < other else -values
        if winners:
            return estimate_mean(np.round(values, 12), level, (-1.0, 1.0), games, counts)
        return estimate_mean(values, level, games=games, counts=counts)

    def meeting(self, one: int, other: int, winners: bool, level: float = LEVEL) -> Estimate | None:
        """Return how one did against the other; None: they have not met."""
        together = self.sittings(lambda each: one in each.players and other in each.players)
        if not together:
            return None
        games = self.games_of_unit(lambda each: one in each.players and other in each.players)
        if not winners and self.luck:
            moments = self.parts.moments(self.shares_against(one, other))
            return estimate_from_moments(*moments, games=games, level=level)
        name = ("meeting", one, other)
        if winners:
            name = ("meeting", min(one, other), max(one, other))
        values, counts = self.values(name)
        if not self.dice and all(self.alike[each.match] for each in together):
            values, counts = np.array([self.counted.first_values[name]]), np.ones(1, dtype=np.int64)
        if not winners:
            return estimate_mean(values, level, games=games, counts=counts)
        return estimate_grouped_share(values if one < other else 1 - values, level, games, counts)

    def ratings(self) -> list[Rating]:
        """Return the ratings of all agents."""
        counted = self.counted
        count = len(self.tournament.agents)
        seats = max(len(each.players) for those in counted.sittings for each in those)
        players, scores, times = [], [], []
        for match, sittings in enumerate(counted.sittings):
            rows, often = counted.deals_of(match)
            for each in sittings:
                width = len(each.players)
                sitting = np.full((len(rows), seats), NOBODY, dtype=np.int64)
                sitting[:, :width] = each.players
                points = np.full((len(rows), seats), -np.inf)
                points[:, :width] = rows[:, each.rotation]
                players.append(sitting)
                scores.append(points)
                times.append(often)
        choices = choices_of(
            np.concatenate(players), np.concatenate(scores), count, np.concatenate(times)
        )
        games = [self.games_of(agent) for agent in range(count)]
        return rate_groups(choices, games, self.places_of)

    def places_of(self, agent: int, logs: Floats) -> PlacesOfGroups:
        """Return what an agent took in the games of each deal, given the strengths of all."""
        expected, met = self.counted.placings.expected(agent, logs)
        won, hoped, there, often = [], [], [], []
        names = {*self.counted.tables, *self.waiting}
        for name in sorted(each for each in names if each[:2] == ("places", agent)):
            rows, counts = self.values(name)
            rivals = rows[:, 1:].T.astype(np.int64)
            won.append(rows[:, 0])
            hoped.append(sum((expected[each] for each in rivals), np.zeros(len(rows))))
            there.append(sum((met[each] for each in rivals), np.zeros(len(rows))))
            often.append(counts)
        return PlacesOfGroups(
            np.concatenate(won), np.concatenate(hoped), np.concatenate(there), np.concatenate(often)
        )
