"""The games of a long tournament in bounded memory.

Every figure is a mean over deals, and all that is told of it follows from the different values and
how often each came, of which there are few (``observations``); scores without luck follow from sums
(``luck_sums``). A deal is taken in when all matches on its game have played it, and then let go.
Deals are taken in by fixed numbers of them, in their order: so neither the cut into chunks nor the
number of workers has an influence on a single bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.plan import Chunk, Results
from sandtable.arena.statistics.intervals import FOLDS
from sandtable.arena.statistics.luck_sums import Key, LuckSums
from sandtable.arena.statistics.totals import DealCounts, calm_enough
from sandtable.arena.tournaments.counted_figures import CountedFigures
from sandtable.arena.tournaments.ledger import (
    Figures,
    Ledger,
    observed_on_levels,
    same_every_time,
)
from sandtable.arena.tournaments.observations import (
    Name,
    Placings,
    Stretch,
    observed,
    sittings_of,
)
from sandtable.arena.tournaments.schedules import Tournament
from sandtable.arena.tournaments.waiting import WaitingGames
from sandtable.registry import make_game

__all__ = ["CountedGames", "may_be_counted"]

DEALS_AT_ONCE = 2048
FEW_PLACES = 64  # of a table that counts one figure
LEAST_DEALS = 10 * FOLDS  # of a match whose luck is told from sums
MOST_COLUMNS = 48  # of sums: those of three columns take their third power
MOST_NUMBERS = 4_000_000  # of all sums

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def may_be_counted(tournament: Tournament, results: Sequence[Results]) -> bool:
    """Say whether counts and sums will tell everything: if not, the games themselves are needed.

    Scores without luck need them where many can be the same, and where sums would be too large.
    """
    terms = {len(each.game.luck) for each in results}
    if terms == {0}:
        return True
    for each in results:
        each.close()
    columns = [
        sum(plan.game == spec and len(plan.orders) * (len(each.game.seats) + len(each.game.luck))
            for plan, each in zip(tournament.matches, results, strict=True))
        for spec in tournament.suite
    ]  # fmt: skip
    return (
        len(terms) == 1
        and max(columns) < MOST_COLUMNS
        and sum(FOLDS * (1 + count) ** 3 for count in columns) < MOST_NUMBERS
        and all(each.games >= LEAST_DEALS * each.games_per_deal for each in results)
        and all(map(calm_enough, results))
    )


class CountedGames:
    """Collects the chunks of a tournament of any length, in whatever order they come.

    >>> from sandtable.arena.play.plan import PlanPlayer
    >>> from sandtable.arena.tournaments.schedules import make_tournament
    >>> agents = ["lucid/simple-blue", "lucid/axes-red"]
    >>> counted = CountedGames(make_tournament("round-robin", ["lucid"], agents, 40, seed=0))
    >>> counted.add(0, PlanPlayer(counted.tournament.matches[0]).play(0, 40, keep_records=False))
    >>> counted.rows[0].taken, counted.figures().games_of(0)
    (40, 40)
    """

    def __init__(self, tournament: Tournament, deals_at_once: int = DEALS_AT_ONCE) -> None:
        self.tournament = tournament
        self.deals_at_once = deals_at_once
        plans = tournament.matches
        games = [make_game(plan.game) for plan in plans]
        self.winners = make_game(tournament.suite[0]).has_winner
        self.luck = any(game.luck for game in games)
        self.dice = any(game.chance for game in games)
        self.on_levels = observed_on_levels(tournament)
        self.rows = [WaitingGames(len(plan.orders)) for plan in plans]
        self.sittings = [
            sittings_of(match, plan, tournament.agents) for match, plan in enumerate(plans)
        ]
        self.places = [
            [match for match, plan in enumerate(plans) if plan.game == spec]
            for spec in tournament.suite
        ]
        self.place_of = {match: place for place, those in enumerate(self.places) for match in those}
        self.deals = [
            DealCounts(len(plan.orders), len(game.seats), FEW_PLACES)
            for plan, game in zip(plans, games, strict=True)
        ]
        self.alike = [same_every_time(plan) and not self.dice for plan in plans]
        self.placings = Placings(len(tournament.agents))
        self.tables: dict[Name, DealCounts] = {}
        self.first_values: dict[Name, float] = {}
        self.luck_sums = {
            place: self.new_sums(place, those) for place, those in enumerate(self.places) if those
        } if self.luck else {}  # fmt: skip

    def new_sums(self, place: int, matches: Sequence[int], first: int = 0) -> LuckSums:
        """Return empty sums of the games of some matches."""
        game = make_game(self.tournament.suite[place])
        count = sum(len(self.sittings[match]) for match in matches)
        return LuckSums(count, len(game.seats), len(game.luck), first)

    def add(self, match: int, chunk: Chunk) -> None:
        """Take in some games of a match."""
        self.rows[match].add(chunk)
        matches = self.places[self.place_of[match]]
        ready = min(self.rows[each].deals for each in matches)
        if ready < self.tournament.deals:
            ready -= ready % self.deals_at_once
        while (first := self.rows[match].taken) < ready:
            self.take(matches, first, min(first + self.deals_at_once, ready))
            for each in matches:
                self.rows[each].let_go(min(first + self.deals_at_once, ready))

    def take(self, matches: Sequence[int], first: int, end: int) -> None:
        """Count some whole deals."""
        stretch = self.stretch(matches, first, end)
        for match in matches:
            self.deals[match].add(self.rows[match].waiting(first, end)[0])
            if self.alike[match]:
                self.alike[match] = self.rows[match].alike(first, end)
        for name, values in self.values(stretch):
            self.first_values.setdefault(name, float(values.ravel()[0]))
            width = values.shape[1] if values.ndim > 1 else 1
            if name not in self.tables:
                self.tables[name] = DealCounts(1, width, FEW_PLACES)
            self.tables[name].add(values.reshape(len(values), 1, width))
        if self.luck:
            self.luck_sums[self.place_of[matches[0]]].add(stretch.scores, stretch.luck)

    def stretch(self, matches: Sequence[int], first: int, end: int) -> Stretch:
        """Return some deals of some matches on the same game, side by side."""
        found = [self.rows[match].waiting(first, end) for match in matches]
        scores, luck = (np.concatenate([each[part] for each in found], axis=1) for part in (0, 1))
        games = tuple(each for match in matches for each in self.sittings[match])
        return Stretch(first, games, scores, luck)

    def values(self, stretch: Stretch) -> Iterator[tuple[Name, Floats]]:
        """Return the values of all figures of a stretch [deal], and those of places [deal, ...]."""
        if self.on_levels:
            return  # all follows from the deals of each match
        yield from observed(stretch, self.winners, self.luck)
        if self.winners:
            for agent, rows in self.placings.rows(stretch):
                yield ("places", agent, rows.shape[1]), rows

    def rest(self) -> Iterator[tuple[int, list[int], int, int]]:
        """Return what is waiting: place, matches that have played these deals, first, end."""
        for place, matches in enumerate(self.places):
            if not matches:
                continue
            first = self.rows[matches[0]].taken
            for end in sorted({self.rows[match].deals for match in matches}):
                if end > first:
                    there = [match for match in matches if self.rows[match].deals >= end]
                    yield place, there, first, end
                    first = end

    def deals_of(self, match: int) -> tuple[Floats, Integers]:
        """Return the different deals [deal, game, seat] of a match, and how often each came."""
        rows, counts = self.deals[match].rows()
        own = self.rows[match]
        if own.deals > own.taken:
            waiting = own.waiting(own.taken, own.deals)[0]
            rows = np.concatenate([rows, waiting])
            counts = np.concatenate([counts, np.ones(len(waiting), dtype=np.int64)])
        return rows, counts

    def all_deals_alike(self, match: int) -> bool:
        """Say whether two or more deals of a match all went the same, as they had to."""
        own = self.rows[match]
        if not self.alike[match] or own.deals < 2:
            return False
        return own.deals == own.taken or own.alike(own.taken, own.deals)

    @property
    def forfeits(self) -> list[list[tuple[int, int, str]]]:
        """The forfeits of all matches, as far as their deals are whole."""
        return [
            [each for each in own.forfeits if each[0] < own.deals * own.games_per_deal]
            for own in self.rows
        ]

    def figures(self) -> Figures:
        """Return what is known so far."""
        alike = [self.all_deals_alike(match) for match in range(len(self.rows))]
        one_observation = not self.dice and all(
            same for same, own in zip(alike, self.rows, strict=True) if own.deals
        )
        if self.on_levels or one_observation:
            return self.counted_ledger(alike)
        waiting: dict[Name, list[Floats]] = {}
        parts: list[tuple[LuckSums, list[Key]]] = [
            (sums, self.keys(self.places[place])) for place, sums in self.luck_sums.items()
            if sums.deals
        ]  # fmt: skip
        for place, matches, first, end in self.rest():
            stretch = self.stretch(matches, first, end)
            for name, values in self.values(stretch):
                self.first_values.setdefault(name, float(values.ravel()[0]))
                waiting.setdefault(name, []).append(values)
            if self.luck:
                sums = self.new_sums(place, matches, first)
                sums.add(stretch.scores, stretch.luck)
                parts.append((sums, self.keys(matches)))
        return CountedFigures(self, waiting, parts, alike)

    def keys(self, matches: Sequence[int]) -> list[Key]:
        """Return the names of the games of a deal of some matches."""
        return [(each.match, each.rotation) for match in matches for each in self.sittings[match]]

    def counted_ledger(self, alike: Sequence[bool]) -> Ledger:
        """Return a ledger of the different deals: for observations that are not deals."""
        found, times = [], []
        for match, plan in enumerate(self.tournament.matches):
            rows, counts = self.deals_of(match)
            results = Results(make_game(plan.game), len(plan.orders))
            results.scores = rows.reshape(-1, rows.shape[2])
            results.luck = np.zeros((len(results.scores), len(results.game.luck)))
            found.append(results)
            times.append(np.repeat(counts, len(plan.orders)))
        return Ledger(self.tournament, found, times, alike)
