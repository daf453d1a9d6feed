"""The database of servers that share their rooms: its tables, its connections, its errors.

All of it lies in a schema of its own, so that an archive can lie in the same database. Every
statement is a transaction unless several are put together.

Every write waits until the database has it on its disk: whatever is killed, a server, a process of
the database or its machine, nothing that was told is lost. With ``SANDTABLE_SYNC=off`` nobody waits
for the disk, and a database that crashes may lose the last half second. Then all connections
break, and whoever connects anew reads everything again (``when_renewed``), so no game has a gap.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sandtable.errors import MissingExtra, SandtableError
from sandtable.records.connection import name_of, place_of, reason, without_secrets
from sandtable.server.storage import SYNC_VARIABLE, RoomLost

if TYPE_CHECKING:
    import psycopg

__all__ = ["Database"]

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]

SCHEMA_VERSION = 2  # 2: rooms have taken_at and served
LOCK_NUMBER = 5_364_214_714  # of the lock in the database under which tables are made
CONNECT_SECONDS = 2  # both are well below the lease: a silent database holds nobody up for long
STATEMENT_SECONDS = 3
RETRY_SECONDS = 1.0  # between attempts to connect: whoever comes in between is refused at once
SECRET_BYTES = 24
KEY_BYTES = 12
OPTIONS = (
    "-c search_path=sandtable_rooms "
    f"-c statement_timeout={1000 * STATEMENT_SECONDS} -c lock_timeout={1000 * CONNECT_SECONDS} "
    f"-c idle_in_transaction_session_timeout={1000 * STATEMENT_SECONDS}"
)

# A row of rooms is written with every action: room on its page keeps that from the indexes.
TABLES = """
CREATE SCHEMA IF NOT EXISTS sandtable_rooms;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS servers (
    server TEXT PRIMARY KEY,
    mark TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    renewed_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE IF NOT EXISTS rooms (
    room TEXT PRIMARY KEY,
    made_at DOUBLE PRECISION NOT NULL,
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    seed BIGINT NOT NULL,
    start TEXT,
    branched TEXT,
    seats TEXT NOT NULL,
    owner TEXT NOT NULL,
    clock TEXT,
    listed BOOLEAN NOT NULL,
    state TEXT NOT NULL,
    over BOOLEAN NOT NULL,
    archived BOOLEAN NOT NULL,
    acted_at TIMESTAMPTZ NOT NULL,
    class TEXT,
    keeper TEXT NOT NULL,
    tenure BIGINT NOT NULL,
    taken_at TIMESTAMPTZ NOT NULL,
    served DOUBLE PRECISION NOT NULL
) WITH (fillfactor = 60);
CREATE INDEX IF NOT EXISTS rooms_going_on ON rooms (keeper) WHERE NOT over OR NOT archived;
CREATE INDEX IF NOT EXISTS rooms_listed ON rooms (made_at) WHERE listed;
CREATE INDEX IF NOT EXISTS rooms_of_class ON rooms (class) WHERE class IS NOT NULL;
CREATE TABLE IF NOT EXISTS actions (
    room TEXT NOT NULL,
    ply INTEGER NOT NULL,
    action BIGINT NOT NULL,
    PRIMARY KEY (room, ply)
);
CREATE TABLE IF NOT EXISTS transcripts (
    room TEXT NOT NULL,
    ply INTEGER NOT NULL,
    entries TEXT NOT NULL,
    PRIMARY KEY (room, ply)
);
CREATE TABLE IF NOT EXISTS texts (
    shelf TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (shelf, name)
);
CREATE TABLE IF NOT EXISTS classes (
    class TEXT PRIMARY KEY,
    made_at DOUBLE PRECISION NOT NULL,
    over BOOLEAN NOT NULL,
    data TEXT NOT NULL,
    keeper TEXT NOT NULL,
    tenure BIGINT NOT NULL
);
"""


class Database:
    """One connection at a time, made again when it was lost."""

    def __init__(self, url: str) -> None:
        self.place = place_of(url)
        self.name = name_of(self.place)
        if isinstance(self.place, Path):
            raise SandtableError("rooms are shared through postgresql://USER:PASSWORD@HOST/NAME")
        try:
            import psycopg
        except ImportError:
            raise MissingExtra("rooms in a PostgreSQL database", "postgres") from None
        self.errors = psycopg.Error
        plain = self.place.set(drivername="postgresql")
        self.url = plain.render_as_string(hide_password=False)
        self.opened: psycopg.Connection[Any] | None = None
        self.tried_at = -RETRY_SECONDS
        waits = os.environ.get(SYNC_VARIABLE, "").lower() != "off"
        self.options = f"{OPTIONS} -c synchronous_commit={'on' if waits else 'off'}"
        self.when_renewed: Callable[[], None] | None = None  # what was told may be lost

    @contextmanager
    def clear_errors(self, kind: type[SandtableError] = SandtableError) -> Iterator[None]:
        """Turn what the database reports into one line."""
        try:
            yield
        except self.errors as problem:
            said = without_secrets(self.place, str(problem))
            line = f"the rooms in {self.name} cannot be used: {reason(self.place, said)}"
            raise kind(line) from problem

    def connection(self) -> psycopg.Connection[Any]:
        """Return the connection, made anew if it broke; while none can be made, fail quickly."""
        import psycopg

        if self.opened is not None and not self.opened.closed:
            return self.opened
        if time.monotonic() - self.tried_at < RETRY_SECONDS:
            raise psycopg.OperationalError("server closed the connection; it is tried again soon")
        self.tried_at = time.monotonic()
        known, self.opened = (
            self.opened,
            psycopg.connect(
                self.url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name="sandtable rooms",
                options=self.options,
                keepalives_idle=5,
                keepalives_interval=2,
                keepalives_count=2,
                tcp_user_timeout=1000 * STATEMENT_SECONDS,
            ),
        )
        self.tried_at = -RETRY_SECONDS
        if known is not None and self.when_renewed is not None:
            self.when_renewed()
        return self.opened

    def close(self) -> None:
        """Let go of the database."""
        if self.opened is not None:
            with suppress(self.errors):
                self.opened.close()

    def rows(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with self.clear_errors():
            return self.execute(query, values)

    def execute(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows; what goes wrong is the database's own error."""
        cursor = self.connection().execute(query.encode(), values)
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def writing(self, kind: type[SandtableError] = RoomLost) -> Iterator[None]:
        """Several statements as one transaction: all of it or nothing.

        When the connection breaks at its end nobody knows which: that is why a room is lost then.
        """
        with self.clear_errors(kind), self.connection().transaction():
            yield

    def set_up(self) -> None:
        """Make the tables where they are missing, and refuse those of another version."""
        with self.writing(SandtableError):
            self.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK_NUMBER,))
            for statement in TABLES.split(";"):
                if statement.strip():
                    self.execute(statement)
            found = self.fact("schema_version", str(SCHEMA_VERSION))
        if found != str(SCHEMA_VERSION):
            raise SandtableError(
                f"the rooms in {self.name} were written by another version of Sandtable (schema "
                f"{found}, this one knows {SCHEMA_VERSION}); choose another database with --rooms"
            )

    def fact(self, name: str, first: str) -> str:
        """Return what all servers know under a name; whoever comes first says what it is."""
        add = "INSERT INTO facts VALUES (%s, %s) ON CONFLICT DO NOTHING"
        self.execute(add, (name, first))
        return str(self.execute("SELECT value FROM facts WHERE name = %s", (name,))[0][0])

    def secret(self) -> str:
        """Return what servers show each other."""
        with self.clear_errors():
            return self.fact("secret", secrets.token_urlsafe(SECRET_BYTES))

    def key(self) -> str:
        """Return the key that all these servers want: a link of one opens the others."""
        with self.clear_errors():
            return self.fact("key", secrets.token_urlsafe(KEY_BYTES))
