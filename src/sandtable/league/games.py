"""Finished games of a league: listed, read, exported. Of others nothing is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, select

from sandtable.league import tables
from sandtable.league.bots import numbers
from sandtable.league.queue import unpacked
from sandtable.league.results import Places, read_places
from sandtable.league.store import League, NoSuchThing, Store
from sandtable.records.lines import record_from_line
from sandtable.records.record import Record

__all__ = ["PlayedDeal", "all_records", "game_of", "played_deals"]

PAGE = 200


@dataclass(frozen=True)
class PlayedDeal:
    """A deal that is over."""

    id: int
    test: int
    number: int
    bots: tuple[int, ...]
    members: tuple[int, ...]
    places: Places
    forfeits: tuple[tuple[int, str], ...]
    done_at: str


def played_deals(
    store: Store,
    league: League,
    *,
    bot: int | None = None,
    test: int | None = None,
    before: int | None = None,
    most: int = 50,
) -> list[PlayedDeal]:
    """Return deals that are over, the newest first."""
    deals = tables.deals.c
    wanted: ColumnElement[bool] = (deals.league == league.id) & (deals.state == tables.DONE)
    if test is not None:
        wanted &= deals.test == test
    if before is not None:
        wanted &= deals.id < before
    if bot is not None:
        alone, first, middle, last = f"[{bot}]", f"[{bot}, %", f"%, {bot}, %", f"%, {bot}]"
        held = deals.members == alone
        for pattern in (first, middle, last):
            held |= deals.members.like(pattern)
        wanted &= held
    query = select(tables.deals).where(wanted).order_by(deals.id.desc()).limit(most)
    with store.reading() as connection:
        return [
            PlayedDeal(
                row.id, row.test, row.number, numbers(row.bots), numbers(row.members),
                read_places(row.places),
                tuple((bot, reason) for bot, reason in json.loads(row.forfeits)), row.done_at,
            )
            for row in connection.execute(query)
        ]  # fmt: skip


def game_of(store: Store, league: League, deal: int, rotation: int) -> Record:
    """Return one game of a deal that is over."""
    games, deals = tables.games.c, tables.deals.c
    query = (
        select(games.record)
        .join(tables.deals, deals.id == games.deal)
        .where(deals.league == league.id, deals.state == tables.DONE)
        .where(games.deal == deal, games.rotation == rotation)
    )
    with store.reading() as connection:
        data = connection.scalar(query)
    if data is None:
        raise NoSuchThing("there is no such game in this league")
    return record_from_line(unpacked(data), f"game {deal}-{rotation}")


def all_records(store: Store, league: League) -> Iterator[Record]:
    """Return all games of a league, deal by deal."""
    deals = tables.deals.c
    after = 0
    while True:
        wanted = (deals.league == league.id) & (deals.state == tables.DONE) & (deals.id > after)
        chosen = select(deals.id).where(wanted).order_by(deals.id).limit(PAGE)
        with store.reading() as connection:
            page = list(connection.scalars(chosen))
            lines = lines_of(connection, page)
        for line in lines:
            yield record_from_line(line, "a game of the league")
        if not page:
            return
        after = page[-1]


def lines_of(connection: Connection, page: list[int]) -> list[str]:
    """Return the lines of the games of some deals."""
    games = tables.games.c
    query = select(games.record).where(games.deal.in_(page))
    return [
        unpacked(each) for each in connection.scalars(query.order_by(games.deal, games.rotation))
    ]
