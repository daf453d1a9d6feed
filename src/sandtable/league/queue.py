"""The queue: deals are leased to workers, renewed while they are played, and brought back once.

A lease that is not renewed ends, and somebody else gets the deal. A result is taken from whoever
brings it first, and a second one changes nothing. Everything is in the database: a server that is
killed goes on where it was.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from sandtable.errors import SandtableError
from sandtable.league import tables
from sandtable.league.bots import Bot, bots_in, numbers
from sandtable.league.kinds import REMOTE, SANDBOXED
from sandtable.league.results import read_records, result_of
from sandtable.league.rounds import Presence, make_rating_round
from sandtable.league.store import League, NoSuchThing, Store, league_of, new_token, now_text
from sandtable.league.trials import end_if_decided, make_trial_round, open_trials
from sandtable.records.lines import record_to_line

__all__ = ["LEASE_SECONDS", "Lease", "Queue", "Wants"]

LEASE_SECONDS = 60.0
MOST_ATTEMPTS = 8  # leases of a deal that nobody brought back
NOBODY = f"{MOST_ATTEMPTS} workers did not bring it back"
PATIENCE = 600.0  # seconds that a deal waits for a bot or a worker that is not there
MOST_AT_ONCE = 32
LOOKED_AT = 400  # open deals of a league


@dataclass(frozen=True)
class Wants:
    """What a worker asks for, and who can play."""

    worker: str
    most: int = 1  # deals
    sandbox: bool = False  # whether it can run programs and networks
    presence: Presence = field(default_factory=Presence)
    games: Mapping[str, int] | None = None  # versions of rules it has; None: whatever there is


@dataclass(frozen=True)
class Lease:
    """Deals that a worker has for a time."""

    token: str
    seconds: float
    deals: tuple[dict[str, Any], ...]
    elsewhere: int = 0  # deals that others have now


class Queue:
    """What is to be played next, in all leagues of a database."""

    def __init__(
        self, store: Store, seconds: float = LEASE_SECONDS, patience: float = PATIENCE
    ) -> None:
        self.store = store
        self.seconds, self.patience = seconds, patience
        self.turn = 0  # which league is first

    def lease(self, wants: Wants, now: float | None = None) -> Lease:
        """Give a worker deals to play; none where there is nothing that it can."""
        now = time.time() if now is None else now
        token, most = new_token(), max(1, min(wants.most, MOST_AT_ONCE))
        found: list[dict[str, Any]] = []
        with self.store.writing() as connection:
            expire(connection, now)
            leagues = [league_of(row) for row in connection.execute(
                select(tables.leagues).order_by(tables.leagues.c.id))]  # fmt: skip
            self.turn += 1
            for place in range(len(leagues)):
                league = leagues[(place + self.turn) % len(leagues)]
                if len(found) < most and knows(wants, league):
                    found += self.take(connection, league, wants, most - len(found), token, now)
            others = (
                select(func.count())
                .select_from(tables.deals)
                .where(tables.deals.c.state == tables.LEASED, tables.deals.c.lease != token)
            )
            elsewhere = int(connection.scalar(others) or 0)
        return Lease(token, self.seconds, tuple(found), elsewhere)

    def take(
        self,
        connection: Connection,
        league: League,
        wants: Wants,
        most: int,
        token: str,
        now: float,
    ) -> list[dict[str, Any]]:
        """Lease up to so many deals of a league, making new rounds where too few are open."""
        bots = {bot.id: bot for bot in bots_in(connection, league)}
        chosen = self.playable(connection, league, bots, wants, most)
        if len(chosen) < most:
            more = make_rating_round(connection, league, wants.presence)
            for trial in open_trials(connection, league):
                end_if_decided(connection, league, trial)
                more += make_trial_round(
                    connection, league, trial, lambda bot: wants.presence.has(bots[bot])
                )
            if more:
                chosen = self.playable(connection, league, bots, wants, most)
        for row in chosen:
            values = {
                "state": tables.LEASED,
                "lease": token,
                "lease_until": now + self.seconds,
                "attempts": row.attempts + 1,
                "worker": wants.worker,
            }
            connection.execute(
                update(tables.deals).where(tables.deals.c.id == row.id).values(values)
            )
        return [deal_data(league, row, bots) for row in chosen]

    def playable(
        self,
        connection: Connection,
        league: League,
        bots: Mapping[int, Bot],
        wants: Wants,
        most: int,
    ) -> list[Row[Any]]:
        """Return open deals that this worker can play, the oldest first.

        One that was given back before is played alone: if it is what ends workers, it ends no other
        deal with it. Those whose bots have been away for long are given up: a round must come to
        its end.
        """
        deals = tables.deals.c
        query = (
            select(tables.deals)
            .where(deals.league == league.id, deals.state == tables.OPEN)
            .order_by(deals.id)
            .limit(LOOKED_AT)
        )
        chosen: list[Row[Any]] = []
        busy = bots_at_play(connection, league)
        for row in connection.execute(query).all():
            players = [bots[each] for each in numbers(row.bots)]
            if not all(wants.presence.has(bot) for bot in players):
                if max(map(wants.presence.seconds_away, players)) > self.patience:
                    give_up(connection, row.id, "a bot was not there")
                continue
            remote = {bot.id for bot in players if bot.kind == REMOTE}
            strange = any(bot.kind in SANDBOXED for bot in players)
            if remote & busy or (strange and not wants.sandbox):
                continue
            if row.attempts and chosen:
                continue
            chosen.append(row)
            busy |= remote
            if row.attempts or len(chosen) == most:
                break
        return chosen

    def renew(self, token: str, now: float | None = None) -> int:
        """Keep what a worker plays; return how many deals that is."""
        now = time.time() if now is None else now
        deals = tables.deals.c
        with self.store.writing() as connection:
            return connection.execute(
                update(tables.deals)
                .where(deals.lease == token, deals.state == tables.LEASED)
                .values(lease_until=now + self.seconds)
            ).rowcount

    def release(self, token: str, lost: Collection[int] = ()) -> None:
        """Take back what a worker does not play; what it has lost counts as an attempt."""
        deals = tables.deals.c
        held = (deals.lease == token) & (deals.state == tables.LEASED)
        with self.store.writing() as connection:
            tried = held & deals.id.in_(list(lost))
            connection.execute(
                update(tables.deals)
                .where(tried, deals.attempts >= MOST_ATTEMPTS)
                .values(state=tables.VOID, lease=None, worker=NOBODY, done_at=now_text())
            )
            connection.execute(
                update(tables.deals).where(tried).values(state=tables.OPEN, lease=None)
            )
            connection.execute(
                update(tables.deals)
                .where(held)
                .values(state=tables.OPEN, lease=None, attempts=deals.attempts - 1)
            )

    def holds(self, token: str, deal: int) -> tuple[int, ...]:
        """Return the bots of a deal, if this lease has it; otherwise nothing."""
        deals = tables.deals.c
        query = select(deals.bots).where(
            deals.id == deal, deals.lease == token, deals.state == tables.LEASED
        )
        with self.store.reading() as connection:
            text = connection.scalar(query)
        return () if text is None else numbers(text)

    def finish(self, deal: int, lines: Sequence[str], worker: str) -> bool:
        """Take the records of a deal; False: it was there already, or given up."""
        with self.store.reading() as connection:
            row = connection.execute(select(tables.deals).where(tables.deals.c.id == deal)).first()
            if row is None:
                raise NoSuchThing("there is no such deal")
            league = league_of(connection.execute(
                select(tables.leagues).where(tables.leagues.c.id == row.league)).one())  # fmt: skip
            everybody = bots_in(connection, league)
        names = {bot.id: bot.name for bot in everybody}
        kinds = {bot.id: bot.kind for bot in everybody}
        if row.state in (tables.DONE, tables.VOID):
            return False
        if row.worker is None:  # it stays with a deal that was given back
            raise SandtableError("nobody has leased that deal yet")
        bots = numbers(row.bots)
        remote = any(kinds[bot] == REMOTE for bot in bots)
        records = read_records(
            league.game, [names[bot] for bot in bots], int(row.seed), lines,
            attempt=max(row.attempts - 1, 0) if remote else None,
        )  # fmt: skip
        result = result_of(league.game, bots, records)
        with self.store.writing() as connection:
            changed = connection.execute(
                update(tables.deals)
                .where(tables.deals.c.id == deal)
                .where(tables.deals.c.state.in_((tables.OPEN, tables.LEASED)))
                .values(
                    state=tables.DONE, lease=None, lease_until=None, worker=worker or row.worker,
                    places=result.places_text, played=result.played,
                    forfeits=result.forfeits_text, done_at=now_text(),
                )
            ).rowcount  # fmt: skip
            if not changed:
                return False
            rows = [
                {"deal": deal, "rotation": rotation, "record": packed(record_to_line(record))}
                for rotation, record in enumerate(records)
            ]
            connection.execute(insert(tables.games), rows)
            for trial in open_trials(connection, league) if row.test else ():
                if trial.id == row.test:
                    end_if_decided(connection, league, trial)
        return True

    def waiting(self, league: League) -> dict[str, int]:
        """Return how many deals of a league are in each state."""
        deals = tables.deals.c
        query = select(deals.state, func.count().label("times")).where(deals.league == league.id)
        with self.store.reading() as connection:
            rows = connection.execute(query.group_by(deals.state)).all()
        return {row.state: int(row.times) for row in rows}


def knows(wants: Wants, league: League) -> bool:
    """Say whether the worker, and we, have the rules of a league."""
    try:
        name = league.game.name
    except SandtableError:  # its rules are not installed any more: other leagues go on
        return False
    return wants.games is None or wants.games.get(name) == league.version


def bots_at_play(connection: Connection, league: League) -> set[int]:
    """Return who plays now: a remote bot plays one game at a time."""
    deals = tables.deals.c
    query = select(deals.bots).where(deals.league == league.id, deals.state == tables.LEASED)
    return {bot for text in connection.scalars(query) for bot in numbers(text)}


def expire(connection: Connection, now: float) -> None:
    """Take back what was not renewed in time; what nobody survives is given up."""
    deals = tables.deals.c
    late = (deals.state == tables.LEASED) & (deals.lease_until < now)
    connection.execute(
        update(tables.deals)
        .where(late, deals.attempts >= MOST_ATTEMPTS)
        .values(
            state=tables.VOID, lease=None, done_at=now_text(), worker=NOBODY
        )
    )  # fmt: skip
    connection.execute(
        update(tables.deals).where(late).values(state=tables.OPEN, lease=None, lease_until=None)
    )


def give_up(connection: Connection, deal: int, reason: str) -> None:
    """Play a deal no more."""
    connection.execute(
        update(tables.deals)
        .where(tables.deals.c.id == deal)
        .values(state=tables.VOID, worker=reason, done_at=now_text())
    )


def deal_data(league: League, row: Row[Any], bots: Mapping[int, Bot]) -> dict[str, Any]:
    """Return what a worker is told of a deal."""
    players = [bots[each] for each in numbers(row.bots)]
    return {
        "deal": row.id,
        "league": league.name,
        "game": league.game_spec,
        "version": league.version,
        "seed": int(row.seed),
        "attempt": row.attempts,  # before this one
        "move_time": league.move_time,
        "bots": [
            {"id": bot.id, "name": bot.name, "kind": bot.kind, "spec": bot.spec, "file": bot.file}
            for bot in players
        ],
    }


def packed(line: str) -> bytes:
    """Compress the line of a record.

    >>> unpacked(packed("a line"))
    'a line'
    """
    return zlib.compress(line.encode("utf-8"))


def unpacked(data: bytes) -> str:
    """Return the line of a record."""
    try:
        return zlib.decompress(data).decode("utf-8")
    except (zlib.error, UnicodeDecodeError):
        raise SandtableError("a stored game is damaged") from None
