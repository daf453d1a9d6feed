"""What must outlive the server: rooms with every action, and texts that games save.

One SQLite file that one process writes. An action is committed before anybody hears of it, so a
killed server goes on where everybody saw it stop.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError

__all__ = ["Storage", "StoredRoom", "StoredSeat"]

FILE = "rooms.db"
LOCK = "lock"
SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rooms (
    room TEXT PRIMARY KEY,
    made_at REAL NOT NULL,
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    start TEXT,
    branched TEXT,
    seats TEXT NOT NULL,
    owner TEXT NOT NULL,
    clock TEXT,
    listed INTEGER NOT NULL,
    state TEXT NOT NULL,
    over INTEGER NOT NULL,
    archived INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS rooms_open ON rooms (over, made_at);
CREATE TABLE IF NOT EXISTS actions (
    room TEXT NOT NULL,
    ply INTEGER NOT NULL,
    action INTEGER NOT NULL,
    PRIMARY KEY (room, ply)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS setups (
    variant TEXT NOT NULL,
    name TEXT NOT NULL,
    rows TEXT NOT NULL,
    PRIMARY KEY (variant, name)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class StoredSeat:
    """Who holds a seat; a person has a token."""

    name: str
    agent: str | None  # None: a person
    token: str | None

    def as_data(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {"name": self.name, "agent": self.agent, "token": self.token}


@dataclass(frozen=True)
class StoredRoom:
    """What is kept of a room besides its actions."""

    room: str
    made_at: float
    game: str
    version: int
    seed: int
    start: str | None
    branched: str | None
    seats: tuple[StoredSeat, ...]
    owner: str
    clock: tuple[float, float] | None  # minutes, increment in seconds
    listed: bool
    state: dict[str, Any]  # what changes: clocks, pace, outcome, takebacks, rematch
    over: bool
    archived: bool


class Storage:
    """The file of the server's rooms."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.lock = (folder / LOCK).open("a")
        except OSError as problem:
            raise SandtableError(
                f"cannot write in the folder {folder}: {problem.strerror}; choose another with "
                "--data"
            ) from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.lock.close()
            raise SandtableError(
                f"another server is using the folder {folder}; choose another with --data"
            ) from None
        with self.clear_errors():
            self.database = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
            os.chmod(self.path, 0o600)  # noqa: PTH101 - tokens are in it
            self.database.execute("PRAGMA journal_mode = WAL")
            self.database.execute("PRAGMA synchronous = NORMAL")
            self.database.executescript(SCHEMA)
            self.check_version()

    @contextmanager
    def clear_errors(self) -> Iterator[None]:
        """Turn what the database reports into one line."""
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise SandtableError(f"cannot use {self.path}: {problem}") from problem

    def check_version(self) -> None:
        """Refuse a file that another version has written."""
        self.database.execute(
            "INSERT OR IGNORE INTO facts VALUES ('schema_version', ?)", (str(SCHEMA_VERSION),)
        )
        query = "SELECT value FROM facts WHERE name = 'schema_version'"
        found = self.database.execute(query).fetchone()[0]
        if found != str(SCHEMA_VERSION):
            raise SandtableError(
                f"{self.path} was written by another version of Sandtable (schema {found}, this "
                f"one knows {SCHEMA_VERSION}); choose another folder with --data"
            )

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()
        self.lock.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction."""
        with self.clear_errors():
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield self.database
            except BaseException:
                self.database.execute("ROLLBACK")
                raise
            self.database.execute("COMMIT")

    # --- rooms --------------------------------------------------------------------------------

    def add_room(self, room: StoredRoom) -> None:
        """Keep a new room."""
        row = (
            room.room,
            room.made_at,
            room.game,
            room.version,
            room.seed,
            room.start,
            room.branched,
            json.dumps([seat.as_data() for seat in room.seats]),
            room.owner,
            json.dumps(room.clock),
            int(room.listed),
            json.dumps(room.state),
            int(room.over),
            int(room.archived),
        )
        with self.writing() as database:
            database.execute(f"INSERT INTO rooms VALUES ({','.join('?' * len(row))})", row)

    def add_actions(
        self, room: str, first_ply: int, actions: Sequence[int], state: dict[str, Any], over: bool
    ) -> None:
        """Keep actions that follow those before, and what changed with them."""
        rows = [(room, first_ply + index, action) for index, action in enumerate(actions)]
        with self.writing() as database:
            database.executemany("INSERT INTO actions VALUES (?, ?, ?)", rows)
            update_state(database, room, state, over)

    def cut_actions(self, room: str, ply: int, state: dict[str, Any]) -> None:
        """Forget the actions after this ply."""
        with self.writing() as database:
            database.execute("DELETE FROM actions WHERE room = ? AND ply >= ?", (room, ply))
            update_state(database, room, state, False)

    def set_state(self, room: str, state: dict[str, Any], over: bool) -> None:
        """Keep what changed without an action."""
        with self.writing() as database:
            update_state(database, room, state, over)

    def set_archived(self, room: str) -> None:
        """Note that the record of a finished game is in the archive."""
        with self.writing() as database:
            database.execute("UPDATE rooms SET archived = 1 WHERE room = ?", (room,))

    def get_room(self, room: str) -> tuple[StoredRoom, list[int]] | None:
        """Return a room with its actions."""
        with self.clear_errors():
            row = self.database.execute("SELECT * FROM rooms WHERE room = ?", (room,)).fetchone()
            if row is None:
                return None
            query = "SELECT action FROM actions WHERE room = ? ORDER BY ply"
            actions = [action for (action,) in self.database.execute(query, (room,))]
        return stored_room(row), actions

    def finished_room(self, room: str) -> tuple[StoredRoom, int] | None:
        """Return a room whose game is over, and how many actions it had."""
        query = "SELECT * FROM rooms WHERE room = ? AND over = 1"
        with self.clear_errors():
            row = self.database.execute(query, (room,)).fetchone()
            if row is None:
                return None
            count = "SELECT COUNT(*) FROM actions WHERE room = ?"
            plies: int = self.database.execute(count, (room,)).fetchone()[0]
        return stored_room(row), plies

    def open_rooms(self) -> list[str]:
        """Return the rooms whose games go on, or whose records are not in the archive yet."""
        query = "SELECT room FROM rooms WHERE over = 0 OR archived = 0 ORDER BY made_at"
        with self.clear_errors():
            return [room for (room,) in self.database.execute(query)]

    def listed_rooms(self, most: int) -> list[str]:
        """Return the newest rooms that may be listed."""
        query = "SELECT room FROM rooms WHERE listed = 1 ORDER BY made_at DESC LIMIT ?"
        with self.clear_errors():
            return [room for (room,) in self.database.execute(query, (most,))]

    def forget_old_rooms(self, days: float) -> None:
        """Forget rooms that nobody has finished for so long, and those in the archive."""
        before = time.time() - days * 86400
        with self.writing() as database:
            database.execute("DELETE FROM rooms WHERE made_at < ?", (before,))
            database.execute("DELETE FROM actions WHERE room NOT IN (SELECT room FROM rooms)")

    # --- texts that games save --------------------------------------------------------------------
    # The table and its columns are named after set-ups, the first that were saved.

    def saved_texts(self, shelf: str) -> dict[str, str]:
        """Return the texts of a shelf by their names; a shelf is a word a game has for itself."""
        query = "SELECT name, rows FROM setups WHERE variant = ? ORDER BY name"
        with self.clear_errors():
            return dict(self.database.execute(query, (shelf,)).fetchall())

    def save_text(self, shelf: str, name: str, text: str) -> None:
        """Save a text under a name."""
        with self.writing() as database:
            database.execute("INSERT OR REPLACE INTO setups VALUES (?, ?, ?)", (shelf, name, text))

    def delete_text(self, shelf: str, name: str) -> bool:
        """Forget a saved text; say whether there was one."""
        with self.writing() as database:
            done = database.execute(
                "DELETE FROM setups WHERE variant = ? AND name = ?", (shelf, name)
            )
            return done.rowcount > 0


def update_state(
    database: sqlite3.Connection, room: str, state: dict[str, Any], over: bool
) -> None:
    """Write what changed in a room."""
    database.execute(
        "UPDATE rooms SET state = ?, over = ? WHERE room = ?", (json.dumps(state), int(over), room)
    )


def stored_room(row: Sequence[Any]) -> StoredRoom:
    """Read a room from its row."""
    clock = json.loads(row[9])
    return StoredRoom(
        room=row[0],
        made_at=row[1],
        game=row[2],
        version=row[3],
        seed=row[4],
        start=row[5],
        branched=row[6],
        seats=tuple(StoredSeat(**seat) for seat in json.loads(row[7])),
        owner=row[8],
        clock=None if clock is None else (clock[0], clock[1]),
        listed=bool(row[10]),
        state=json.loads(row[11]),
        over=bool(row[12]),
        archived=bool(row[13]),
    )
