"""The one database of a server of leagues: opened, locked for writers, read by everybody.

It is opened as archives are: a SQLite file, or a PostgreSQL server named by a URL. Every change is
one transaction, and writers wait for each other, also those of other processes.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, insert, inspect, select, update

from sandtable.errors import ArchiveError, SandtableError
from sandtable.files import make_folder
from sandtable.league import tables
from sandtable.league.kinds import digest_of
from sandtable.league.names import checked_name, checked_title
from sandtable.records.connection import (
    clear_errors,
    name_of,
    open_engine,
    place_of,
    use_write_ahead_log,
)
from sandtable.registry import make_game
from sandtable.types import Game

__all__ = ["LONGEST_MOVE", "League", "NoSuchThing", "Store", "new_token", "now_text"]

LOCK_NUMBER = 5_364_214_713  # of the lock in a server under which everything is written
SEEDS = 2**63
LONGEST_MOVE = 3600  # seconds


class NoSuchThing(SandtableError):
    """Somebody asked for a league, a bot or a game that is not there."""


def now_text() -> str:
    """Return the time as it is written."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_token() -> str:
    """Return a secret of 192 bits."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class League:
    """A league as it stands in its table."""

    id: int
    name: str
    title: str
    game_spec: str
    version: int
    seed: str
    move_time: float
    most_rounds: int | None
    join_key: str | None
    made_at: str

    @property
    def game(self) -> Game:
        """The game; an error if its rules are not those the league began with."""
        found = make_game(self.game_spec)
        if found.version != self.version:
            raise SandtableError(
                f"the league '{self.name}' plays version {self.version} of {self.game_spec}, and "
                f"version {found.version} is installed; begin a new league"
            )
        return found

    @property
    def private(self) -> bool:
        """Whether its pages want the join key."""
        return self.join_key is not None

    def opens(self, key: str | None) -> bool:
        """Say whether this key opens the league; a public one is open to all."""
        if self.join_key is None:
            return True
        return key is not None and secrets.compare_digest(digest_of(key), self.join_key)

    def deal_seed(self, test: int, number: int) -> int:
        """Return the seed of a deal: nobody finds one from another, or from a record.

        >>> league = League(1, "open", "Open", "skirmish", 1, "7", 10.0, None, None, "")
        >>> league.deal_seed(0, 0) == league.deal_seed(0, 1)
        False
        """
        text = f"test {test} deal {number}".encode()
        made = hashlib.blake2b(text, key=self.seed.encode()[:64], digest_size=8).digest()
        return int.from_bytes(made, "big") % SEEDS


class Store:
    """The database, and the leagues in it."""

    def __init__(self, place: str | Path) -> None:
        self.place = place_of(place)
        self.name = name_of(self.place)
        self.engine = open_engine(self.place)

    @classmethod
    def open(cls, place: str | Path, *, create: bool = True) -> Store:
        """Open a database, or make a new one."""
        store = cls(place)
        try:
            store.set_up(create)
        except BaseException:
            store.close()
            raise
        return store

    def set_up(self, create: bool) -> None:
        """Make the tables where they lack, and check their version."""
        file = self.place if isinstance(self.place, Path) else None
        if file is not None and not file.exists():
            if not create:
                raise NoSuchThing(
                    f"there are no leagues in {file}; 'sandtable league new' makes one"
                )
            make_folder(file.parent)
            with self.clear_errors():
                file.touch(0o600)
        with self.reading() as connection:
            there = inspect(connection).has_table(tables.facts.name)
        if not there:
            if not create:
                raise NoSuchThing(f"{self.name} holds no leagues; 'sandtable league new' makes one")
            if file is not None:
                with self.clear_errors():
                    use_write_ahead_log(self.engine)
            with self.writing() as connection:
                tables.metadata.create_all(connection)
                if connection.scalar(select(tables.facts.c.schema_version)) is None:
                    connection.execute(
                        insert(tables.facts).values(schema_version=tables.SCHEMA_VERSION)
                    )
        if file is not None:
            with self.clear_errors():
                os.chmod(file, 0o600)  # noqa: PTH101 - seeds of dice to come are in it
        with self.reading() as connection:
            version = connection.scalar(select(tables.facts.c.schema_version))
        if version != tables.SCHEMA_VERSION:
            raise SandtableError(
                f"{self.name} was written by another version of Sandtable (schema {version}, this "
                f"one knows {tables.SCHEMA_VERSION})"
            )

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    @contextmanager
    def clear_errors(self) -> Iterator[None]:
        """Turn what the database reports into one line."""
        try:
            with clear_errors(self.place):
                yield
        except ArchiveError as problem:
            said = str(problem).removeprefix("archive ")
            raise SandtableError(f"the database of leagues, {said}") from problem

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that has the right to write from its first moment."""
        with self.clear_errors(), self.engine.connect() as connection:
            connection.execution_options(begin="IMMEDIATE")
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})")
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self.clear_errors(), self.engine.connect() as connection, connection.begin():
            yield connection

    # --- leagues ----------------------------------------------------------------------------------

    def add_league(
        self,
        name: str,
        game: str,
        *,
        title: str = "",
        seed: int | None = None,
        move_time: float = 10.0,
        most_rounds: int | None = None,
        join_key: str | None = None,
    ) -> League:
        """Begin a league; with a join key it is private."""
        made = make_game(game)
        if not 0 < move_time <= LONGEST_MOVE:
            raise SandtableError(
                f"a bot may think more than 0 and at most {LONGEST_MOVE} s, got {move_time:g}"
            )
        values = {
            "name": checked_name(name, "a league"),
            "title": checked_title(title or f"{made.title}: {name}"),
            "game": made.spec,
            "version": made.version,
            "seed": str(secrets.randbelow(SEEDS) if seed is None else seed),
            "move_time": move_time,
            "most_rounds": most_rounds,
            "join_key": None if join_key is None else digest_of(join_key),
            "made_at": now_text(),
        }
        with self.writing() as connection:
            taken = select(tables.leagues.c.id).where(tables.leagues.c.name == name)
            if connection.scalar(taken) is not None:
                raise SandtableError(f"there is a league '{name}' already; choose another name")
            connection.execute(insert(tables.leagues).values(values))
        return self.league(name)

    def league(self, name: str) -> League:
        """Return a league by its name."""
        query = select(tables.leagues).where(tables.leagues.c.name == name)
        with self.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise NoSuchThing("there is no such league")
        return league_of(row)

    def leagues(self) -> list[League]:
        """Return all leagues, the oldest first."""
        with self.reading() as connection:
            found = connection.execute(select(tables.leagues).order_by(tables.leagues.c.id))
            return [league_of(row) for row in found]

    def count(self, table: Any, *conditions: Any) -> int:
        """Count rows."""
        query = select(func.count()).select_from(table).where(*conditions)
        with self.reading() as connection:
            return int(connection.scalar(query) or 0)

    def set_join_key(self, league: League, join_key: str | None) -> None:
        """Give a league another join key, or make it public."""
        kept = None if join_key is None else digest_of(join_key)
        change = update(tables.leagues).where(tables.leagues.c.id == league.id)
        with self.writing() as connection:
            connection.execute(change.values(join_key=kept))


def league_of(row: Row[Any]) -> League:
    """Return a league from its row."""
    return League(
        row.id, row.name, row.title, row.game, row.version, row.seed, row.move_time,
        row.most_rounds, row.join_key, row.made_at,
    )  # fmt: skip
