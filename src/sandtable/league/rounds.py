"""Rounds: the deals that are chosen together, from what was stored before, and nothing else.

Round r is chosen from the results of the rounds up to r - 2 and from who could play when it was
made, which is stored with it. So whoever plays which deal when, and whoever dies meanwhile, has no
influence on what is played: the same league with the same bots comes to the same table. Meanwhile
round r - 1 is played, so that workers do not wait for the slowest of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, insert, select

from sandtable.arena.play.plan import rotations
from sandtable.dice import Dice
from sandtable.league import tables
from sandtable.league.bots import Bot, bots_in
from sandtable.league.kinds import REMOTE, SANDBOXED
from sandtable.league.schedule import choose_deals
from sandtable.league.standings import (
    counted_deals,
    exhausted_tables,
    forfeits_of,
    sureness_of,
)
from sandtable.league.store import League, now_text
from sandtable.types import Game

__all__ = ["Presence", "add_round", "games_of_deal", "make_rating_round", "open_rounds"]

FEWEST_DEALS, MOST_DEALS = 8, 64  # of a round; between them one for each bot
FORFEITS_TO_STOP = 10  # games; a bot that forfeits nearly all it plays is chosen no more
SHARE_TO_STOP = 0.9
SCHEDULE = "league schedule"  # the stream that breaks ties


@dataclass(frozen=True)
class Presence:
    """Who can play now, beside bots that always can, and how long ago the others could."""

    connected: Collection[int] = ()  # remote bots, by number
    sandbox: bool = False  # whether a worker with one was here lately
    away: Mapping[int, float] = field(default_factory=dict)  # seconds since remote bots left
    without_sandbox: float = 0.0  # seconds since a worker with a sandbox was here
    since: float = 0.0  # seconds that anybody has looked: nobody was away longer

    def has(self, bot: Bot) -> bool:
        """Say whether a bot can play now."""
        if bot.kind == REMOTE:
            return bot.id in self.connected
        return bot.kind not in SANDBOXED or self.sandbox

    def seconds_away(self, bot: Bot) -> float:
        """Return for how long a bot could not play.

        >>> far = Bot(3, "far", "ann", REMOTE, "", None, "", None)
        >>> Presence(since=900.0, away={3: 2.0}).seconds_away(far)
        2.0
        """
        if self.has(bot):
            return 0.0
        if bot.kind in SANDBOXED:
            return self.without_sandbox
        return self.away.get(bot.id, self.since)


def games_of_deal(game: Game) -> int:
    """Return how many games a deal of different bots has."""
    return len(rotations([str(seat) for seat in range(len(game.seats))]))


def open_rounds(connection: Connection, league: League, test: int) -> tuple[int, list[int]]:
    """Return how many rounds there are, and which of them are not finished."""
    rounds, deals = tables.rounds.c, tables.deals.c
    made = select(func.count()).select_from(tables.rounds)
    made = made.where(rounds.league == league.id, rounds.test == test)
    unfinished = (
        select(deals.round)
        .where(deals.league == league.id, deals.test == test)
        .where(deals.state.in_((tables.OPEN, tables.LEASED)))
        .distinct()
    )
    return int(connection.scalar(made) or 0), sorted(connection.scalars(unfinished))


def make_rating_round(connection: Connection, league: League, presence: Presence) -> int:
    """Choose the deals of the next round, if it may be made by now; return how many."""
    number, unfinished = open_rounds(connection, league, 0)
    over = league.most_rounds is not None and number >= league.most_rounds
    if over or any(each < number - 1 for each in unfinished):
        return 0
    game = league.game
    known = max(number - 1, 0)  # rounds before that one are finished
    roster = [bot for bot in able(connection, league, known) if presence.has(bot)]
    seats = len(game.seats)
    if len(roster) < seats:
        return 0
    sure = sureness_of(
        counted_deals(connection, league, before_round=known),
        [bot.id for bot in roster],
        games_of_deal(game) if game.has_winner else 1,
    )
    for table in tables_of(connection, league, number - 1):  # they are being played
        places = [place for place, bot in enumerate(roster) if bot.id in table]
        for place, one in enumerate(places):
            for other in places[:place]:
                sure.play(one, other, 2 / seats)
    done = exhausted_tables(connection, league, known)
    dice = Dice(int(league.seed) % 2**63, SCHEDULE, number)
    count = min(max(len(roster), FEWEST_DEALS), MOST_DEALS)
    chosen = choose_deals(
        sure, seats, count, dice,
        lambda table: tuple(sorted(roster[each].id for each in table)) not in done,
    )  # fmt: skip
    named = [tuple(roster[each].id for each in table) for table in chosen]
    if named:
        add_round(connection, league, 0, number, [bot.id for bot in roster], named)
    return len(named)


def able(connection: Connection, league: League, before_round: int) -> list[Bot]:
    """Return the bots that are chosen: not retired, and not forfeiting all they play."""
    forfeits = forfeits_of(connection, league, before_round)
    deals = tables.deals.c
    played: dict[int, int] = defaultdict(int)
    query = (
        select(deals.members, func.count().label("times"))
        .where(deals.league == league.id, deals.test == 0, deals.state == tables.DONE)
        .where(deals.round < before_round)
        .group_by(deals.members)
    )
    for row in connection.execute(query):
        for bot in json.loads(row.members):
            played[bot] += row.times
    games = games_of_deal(league.game)
    return [
        bot
        for bot in bots_in(connection, league)
        if bot.plays and not hopeless(forfeits.get(bot.id, 0), played.get(bot.id, 0) * games)
    ]


def hopeless(forfeits: int, games: int) -> bool:
    """Say whether a bot forfeits nearly all it plays.

    >>> hopeless(12, 12), hopeless(12, 40)
    (True, False)
    """
    return forfeits >= FORFEITS_TO_STOP and forfeits >= SHARE_TO_STOP * games


def tables_of(connection: Connection, league: League, number: int) -> list[tuple[int, ...]]:
    """Return who meets in a round."""
    deals = tables.deals.c
    query = select(deals.members).where(
        deals.league == league.id, deals.test == 0, deals.round == number
    )
    return [tuple(json.loads(text)) for text in connection.scalars(query.order_by(deals.number))]


def add_round(
    connection: Connection,
    league: League,
    test: int,
    number: int,
    roster: Sequence[int],
    chosen: Sequence[Sequence[int]],
) -> None:
    """Store a round with its deals."""
    connection.execute(
        insert(tables.rounds).values(
            league=league.id, test=test, number=number, roster=json.dumps(list(roster)),
            made_at=now_text(),
        )
    )  # fmt: skip
    deals = tables.deals.c
    counted = select(func.count()).select_from(tables.deals)
    counted = counted.where(deals.league == league.id, deals.test == test)
    first = int(connection.scalar(counted) or 0)
    rows = [
        {
            "league": league.id,
            "test": test,
            "round": number,
            "number": first + place,
            "seed": str(league.deal_seed(test, first + place)),
            "bots": json.dumps(list(bots)),
            "members": json.dumps(sorted(bots)),
            "state": tables.OPEN,
            "attempts": 0,
        }
        for place, bots in enumerate(chosen)
    ]
    connection.execute(insert(tables.deals), rows)
