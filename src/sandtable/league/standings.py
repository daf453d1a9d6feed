"""Where a league stands: ratings with intervals, the cross table, and how sure the ratings are.

Everything is told from counts of deals that went alike, so that a league may go on for ever. In a
game without dice, deals that were played in the same way are one observation, however often they
came.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, func, select

from sandtable.arena.statistics.intervals import Estimate, estimate_grouped_share
from sandtable.arena.statistics.ratings import (
    NOBODY,
    PRIOR,
    Rating,
    choices_of,
    fit,
    plackett_luce,
    slope_and_curvature,
)
from sandtable.league import tables
from sandtable.league.bots import Bot, bots_of
from sandtable.league.results import Places, read_places
from sandtable.league.schedule import Sureness
from sandtable.league.store import League, Store

__all__ = ["Counted", "Row", "Standings", "counted_deals", "exhausted_tables", "forfeits_of",
           "points", "standings_of", "sureness_of"]  # fmt: skip

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Counted:
    """Deals of the same bots that ended alike, and how many of them count."""

    members: tuple[int, ...]
    places: Places
    times: int


def counted_deals(
    connection: Connection, league: League, test: int = 0, before_round: int | None = None
) -> list[Counted]:
    """Return what has been played, for the ratings or for a test, in an order of its own.

    With ``before_round`` only rounds before that one count.
    """
    deals = tables.deals.c
    wanted: ColumnElement[bool] = (deals.league == league.id) & (deals.test == test)
    wanted &= deals.state == tables.DONE
    if before_round is not None:
        wanted &= deals.round < before_round
    alike = func.count() if league.game.chance else func.count(deals.played.distinct())
    query = (
        select(deals.members, deals.places, alike.label("times"))
        .where(wanted)
        .group_by(deals.members, deals.places)
    )
    found = [
        Counted(tuple(json.loads(row.members)), read_places(row.places), int(row.times))
        for row in connection.execute(query)
    ]
    return sorted(found, key=lambda each: (each.members, each.places))


def exhausted_tables(
    connection: Connection, league: League, before_round: int
) -> set[tuple[int, ...]]:
    """Return the tables of a game without dice that played the same games again.

    Another deal between them would tell nothing new.
    """
    if league.game.chance:
        return set()
    deals = tables.deals.c
    query = (
        select(deals.members)
        .where(deals.league == league.id, deals.test == 0, deals.state == tables.DONE)
        .where(deals.round < before_round)
        .group_by(deals.members)
        .having(func.count() > 1, func.count(deals.played.distinct()) == 1)
    )
    return {tuple(json.loads(members)) for members in connection.scalars(query)}


@dataclass(frozen=True)
class Comparisons:
    """The same as arrays: a row for each comparison, and the deal that it belongs to."""

    players: Integers  # [row, member] places in the list of bots
    scores: Floats  # [row, member] higher is better
    groups: Integers  # [row]
    repeats: Integers  # [group]

    @classmethod
    def of(cls, counted: Sequence[Counted], bots: Sequence[int]) -> Comparisons:
        """Turn counted deals into arrays."""
        place = {bot: index for index, bot in enumerate(bots)}
        width = max((len(each.members) for each in counted), default=1)
        players, scores, groups = [], [], []
        for number, each in enumerate(counted):
            own = [place[bot] for bot in each.members]
            empty = width - len(own)
            for row in each.places:
                players.append(own + [NOBODY] * empty)
                scores.append([-float(rank) for rank in row] + [-np.inf] * empty)
                groups.append(number)
        return cls(
            np.array(players, dtype=np.int64).reshape(-1, width),
            np.array(scores, dtype=np.float64).reshape(-1, width),
            np.array(groups, dtype=np.int64),
            np.array([each.times for each in counted], dtype=np.int64),
        )


def sureness_of(counted: Sequence[Counted], bots: Sequence[int], games: int) -> Sureness:
    """Return how sure the ratings of some bots are, after these deals.

    Others may have played; they count as opponents.

    >>> deals = [Counted((1, 2), ((0, 1),), 9), Counted((1, 2), ((1, 0),), 1)]
    >>> sure = sureness_of(deals, [1, 2, 3], games=1)
    >>> bool(sure.logs[0] > sure.logs[1]), bool(sure.covariance[2, 2] > sure.covariance[0, 0])
    (True, True)
    """
    everybody = sorted({*bots, *(bot for each in counted for bot in each.members)})
    rows = Comparisons.of(counted, everybody)
    choices = choices_of(rows.players, rows.scores, len(everybody), rows.repeats[rows.groups])
    logs = fit(choices) if len(rows.players) else np.zeros(len(everybody))
    _, curvature = slope_and_curvature(choices, logs, PRIOR)
    chosen = [everybody.index(bot) for bot in bots]
    covariance: Floats = np.linalg.inv(curvature).astype(np.float64)[np.ix_(chosen, chosen)]
    return Sureness(logs[chosen], covariance, games)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    bot: Bot
    rating: Rating | None  # None: it has not played
    deals: int
    share: Estimate | None  # of the points against everybody it met
    forfeits: int


@dataclass(frozen=True)
class Standings:
    """The table of a league, the best first, and who did how against whom."""

    rows: tuple[Row, ...]
    cross: Mapping[tuple[int, int], tuple[Estimate, int]] = field(default_factory=dict)  # deals
    deals: int = 0
    notes: tuple[str, ...] = ()

    def as_data(self) -> list[dict[str, object]]:
        """Return the table as JSON has it; the ends of an interval may be unknown (null)."""
        return [
            {
                "bot": row.bot.name,
                "author": row.bot.author,
                "kind": row.bot.kind,
                "plays": row.bot.plays,
                "rating": None if row.rating is None else rounded(row.rating.rating),
                "low": None if row.rating is None else rounded(row.rating.low),
                "high": None if row.rating is None else rounded(row.rating.high),
                "deals": row.deals,
                "share": None if row.share is None else rounded(row.share.mean, 6),
                "forfeits": row.forfeits,
            }
            for row in self.rows
        ]


def rounded(value: float, digits: int = 3) -> float | None:
    """Return a number as JSON can have it.

    >>> rounded(1.23456), rounded(float("inf"))
    (1.235, None)
    """
    return round(float(value), digits) if np.isfinite(value) else None


def forfeits_of(
    connection: Connection, league: League, before_round: int | None = None
) -> dict[int, int]:
    """Return how many games each bot forfeited, in deals for the ratings."""
    deals = tables.deals.c
    query = select(deals.forfeits).where(
        deals.league == league.id, deals.test == 0, deals.state == tables.DONE,
        deals.forfeits != "[]",
    )  # fmt: skip
    if before_round is not None:
        query = query.where(deals.round < before_round)
    found: dict[int, int] = defaultdict(int)
    for text in connection.scalars(query):
        for bot, _ in json.loads(text):
            found[bot] += 1
    return dict(found)


def standings_of(store: Store, league: League) -> Standings:
    """Return where a league stands now."""
    bots = bots_of(store, league)
    with store.reading() as connection:
        counted = counted_deals(connection, league)
        forfeits = forfeits_of(connection, league)
    met = pairs_of(counted)
    games = max((len(each.places) for each in counted), default=1)
    everything = everybody_against(counted)
    numbers = [bot.id for bot in bots]
    ratings: list[Rating] = []
    if counted:
        rows = Comparisons.of(counted, numbers)
        ratings = plackett_luce(
            rows.players, rows.scores, len(bots), groups=rows.groups, repeats=rows.repeats
        )
    lines = []
    for place, bot in enumerate(bots):
        shares, times = everything.get(bot.id, ([], []))
        deals = sum(times)
        share = share_of(shares, times, games) if deals else None
        rating = ratings[place] if deals else None
        lines.append(Row(bot, rating, deals, share, forfeits.get(bot.id, 0)))
    lines.sort(key=lambda row: (row.rating is None, -(row.rating or NO_RATING).rating, row.bot.id))
    cross = {
        pair: (share_of(shares, times, games), sum(times)) for pair, (shares, times) in met.items()
    }
    reasons = {row.rating.reason for row in lines if row.rating and row.rating.reason}
    return Standings(
        tuple(lines), cross, sum(each.times for each in counted), tuple(sorted(reasons))
    )


NO_RATING = Rating(0.0, 0.0, 0.0, 0)
Shares = tuple[list[float], list[int]]  # shares of points, and how often each came


def points(places: Places, one: int, other: int) -> float:
    """Return the share of the points that a member won against another.

    >>> points(((0, 1), (0, 0)), 0, 1)
    0.75
    """
    won = [(1 + (row[other] > row[one]) - (row[other] < row[one])) / 2 for row in places]
    return sum(won) / len(won)


def pairs_of(counted: Sequence[Counted]) -> dict[tuple[int, int], Shares]:
    """Return how each bot did against each other that it met."""
    found: dict[tuple[int, int], Shares] = defaultdict(lambda: ([], []))
    for each in counted:
        for one, bot in enumerate(each.members):
            for other, opponent in enumerate(each.members):
                if one != other:
                    shares, times = found[bot, opponent]
                    shares.append(points(each.places, one, other))
                    times.append(each.times)
    return dict(found)


def everybody_against(counted: Sequence[Counted]) -> dict[int, Shares]:
    """Return how each bot did in all its deals."""
    found: dict[int, Shares] = defaultdict(lambda: ([], []))
    for each in counted:
        seats = range(len(each.members))
        for one, bot in enumerate(each.members):
            against = [points(each.places, one, other) for other in seats if other != one]
            shares, times = found[bot]
            shares.append(sum(against) / len(against))
            times.append(each.times)
    return dict(found)


def share_of(shares: Sequence[float], times: Sequence[int], games: int) -> Estimate:
    """Return a share of points with its interval, where one holds."""
    return estimate_grouped_share(
        np.array(shares), games=games, counts=np.array(times, dtype=np.int64)
    )
