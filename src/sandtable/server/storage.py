"""What must outlive the server: rooms with every action, and texts that games save.

One SQLite file that one process writes. An action is committed before anybody hears of it, so a
killed server goes on where everybody saw it stop. The disk is waited for beside the games, from
a tenth of a second after an action on: a power cut can lose the last actions, of that time and of
what the disk itself needs, never half of one. If that fails, the system may have dropped what it
could not write, and says so once: the next change is refused until all of it was written again.
With ``SANDTABLE_SYNC=full`` the disk is waited for before anybody hears of an action, and a power
cut loses nothing.

What is old is told by the time the server has run (``Storage.running_time``), not by the clock of
the machine, which may be set wrong: a room is forgotten only when its game is over and archived.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from sandtable.errors import SandtableError
from sandtable.files import sync_folder
from sandtable.system.locks import lock_file

__all__ = [
    "SYNC_VARIABLE",
    "Elsewhere",
    "RoomLost",
    "RoomStorage",
    "Storage",
    "StoredRoom",
    "StoredSeat",
    "stored_room",
]

LOG = logging.getLogger(__name__)
FILE = "rooms.db"
LOCK = "lock"
SYNC_VARIABLE = "SANDTABLE_SYNC"
SYNC_SECONDS = 0.1  # between waits for the disk
SCHEMA_VERSION = 2  # 2: rooms have acted_at
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
    archived INTEGER NOT NULL,
    acted_at REAL NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS rooms_open ON rooms (over, made_at);
CREATE TABLE IF NOT EXISTS actions (
    room TEXT NOT NULL,
    ply INTEGER NOT NULL,
    action INTEGER NOT NULL,
    PRIMARY KEY (room, ply)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS transcripts (
    room TEXT NOT NULL,
    ply INTEGER NOT NULL,
    entries TEXT NOT NULL,
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


class RoomLost(SandtableError):
    """What is in memory of a room may not be true any more: only its storage can tell.

    Another server has taken it over, or the database fell silent while something was written.
    """


class Elsewhere(SandtableError):
    """Another server, which lives, has what was asked for."""


class RoomStorage(Protocol):
    """Where rooms outlive a server: a file of its own, or a database that several servers share."""

    def take_room(self, room: str) -> tuple[StoredRoom, list[int]] | None:
        """Return a room with its actions, to be played on here."""
        ...

    def seconds_served(self, room: str) -> float:
        """Return how long another server let a taken room go on after its last change."""
        ...

    def let_go(self, room: str) -> None:
        """Write nothing into a room until it was taken again."""
        ...

    def get_room(self, room: str) -> tuple[StoredRoom, list[int]] | None:
        """Return a room with its actions."""
        ...

    def finished_room(self, room: str) -> tuple[StoredRoom, int] | None:
        """Return a room whose game is over, and how many actions it had."""
        ...

    def open_rooms(self) -> list[str]:
        """Return the rooms with which a server that starts has to go on."""
        ...

    def listed_rooms(self, most: int) -> list[str]:
        """Return the newest rooms that may be listed."""
        ...

    def add_room(self, room: StoredRoom, instead: tuple[str, dict[str, Any]] | None = None) -> None:
        """Keep a new room, and with it what changes in a finished one that it follows."""
        ...

    def set_seats(self, room: StoredRoom) -> None:
        """Keep who sits where from now on."""
        ...

    def add_actions(
        self, room: str, first_ply: int, actions: Sequence[int], state: dict[str, Any], over: bool
    ) -> None:
        """Keep actions that follow those before, and what changed with them."""
        ...

    def cut_actions(self, room: str, ply: int, state: dict[str, Any]) -> None:
        """Forget the actions after this ply."""
        ...

    def set_state(self, room: str, state: dict[str, Any], over: bool) -> None:
        """Keep what changed without an action."""
        ...

    def set_archived(self, room: str) -> None:
        """Note that the record of a finished game is in the archive."""
        ...

    def add_transcript(self, room: str, ply: int, entries: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a program said about its decision after so many actions."""
        ...

    def transcript(self, room: str) -> list[dict[str, Any]]:
        """Return all that programs said in a room, in its order."""
        ...

    def forget_old_rooms(self, days: float) -> int:
        """Forget archived rooms in which nothing happened for long."""
        ...

    def saved_texts(self, shelf: str) -> dict[str, str]:
        """Return the texts of a shelf by their names."""
        ...

    def save_text(self, shelf: str, name: str, text: str) -> None:
        """Save a text under a name."""
        ...

    def delete_text(self, shelf: str, name: str) -> bool:
        """Forget a saved text; say whether there was one."""
        ...

    def close(self) -> None:
        """Let go of the file, or of the database."""
        ...


def is_ours(lock: BinaryIO) -> bool:
    """Take the lock of a folder, if nobody has it."""
    try:
        return lock_file(lock)
    except OSError:
        return False


class Storage:
    """The file of the server's rooms."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.lock = (folder / LOCK).open("ab")
        except OSError as problem:
            raise SandtableError(
                f"cannot write in the folder {folder}: {problem.strerror}; choose another with "
                "--data"
            ) from None
        if not is_ours(self.lock):
            self.lock.close()
            raise SandtableError(
                f"another server is using the folder {folder}; choose another with --data"
            )
        self.waits = os.environ.get(SYNC_VARIABLE, "").lower() == "full"
        self.changed, self.closing = threading.Event(), threading.Event()
        self.unsafe: OSError | None = None  # why what was told may not be on the disk
        try:
            self.open()
        except BaseException:
            self.lock.close()
            raise
        self.syncing = threading.Thread(target=self.sync_beside, daemon=True)
        if not self.waits:
            self.syncing.start()

    def sync_beside(self) -> None:
        """Wait for the disk while there is something new, beside everything else."""
        log = self.path.with_name(f"{FILE}-wal")
        while self.changed.wait() and not self.closing.wait(SYNC_SECONDS):
            self.changed.clear()
            try:
                sync_folder(log)
            except OSError as problem:  # told once: the next wait would say that all is well
                LOG.warning("%s: the disk could not be waited for: %s", log, problem)
                self.unsafe = problem

    def make_safe(self) -> None:
        """Write what may not be on the disk once more, from the log to the file, and wait for it.

        A later wait for the log would succeed although the system has given up its pages.
        """
        problem, self.unsafe = self.unsafe, None
        if problem is None:
            return
        try:
            busy, *_ = self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            sync_folder(self.path)
        except (sqlite3.Error, OSError):
            busy = 1
        if busy:
            self.unsafe = problem
            raise SandtableError(
                f"cannot use {self.path}: the disk does not keep what is written "
                f"({problem.strerror}); it is tried again with the next change"
            )

    def open(self) -> None:
        """Open the database, or make it."""
        with self.clear_errors():
            self.database = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
        try:
            with self.clear_errors():
                os.chmod(self.path, 0o600)  # noqa: PTH101 - tokens are in it
                self.database.execute("PRAGMA journal_mode = WAL")
                self.database.execute(f"PRAGMA synchronous = {'FULL' if self.waits else 'NORMAL'}")
                self.database.executescript(SCHEMA)
                self.check_version()
            self.opened_at = time.monotonic()
            self.ran_before = float(self.fact("running_time") or 0.0)
        except BaseException:
            self.database.close()
            raise

    @contextmanager
    def clear_errors(self) -> Iterator[None]:
        """Turn what the database reports into one line."""
        try:
            yield
        except (sqlite3.Error, OSError) as problem:
            raise SandtableError(f"cannot use {self.path}: {problem}") from problem

    def fact(self, name: str) -> str | None:
        """Return something that is noted about the file itself."""
        query = "SELECT value FROM facts WHERE name = ?"
        with self.clear_errors():
            row = self.database.execute(query, (name,)).fetchone()
        return None if row is None else str(row[0])

    def check_version(self) -> None:
        """Bring a file of a former version up to date, and refuse that of a later one."""
        found = self.fact("schema_version")
        if found == str(SCHEMA_VERSION):
            return
        if found not in (None, "1"):
            raise SandtableError(
                f"{self.path} was written by another version of Sandtable (schema {found}, this "
                f"one knows {SCHEMA_VERSION}); choose another folder with --data"
            )
        with self.writing() as database:
            if found == "1":
                database.execute("ALTER TABLE rooms ADD COLUMN acted_at REAL NOT NULL DEFAULT 0")
            note_fact(database, "schema_version", str(SCHEMA_VERSION))

    @property
    def running_time(self) -> float:
        """Seconds that servers have run with this file: it never jumps, whatever clocks say."""
        return self.ran_before + time.monotonic() - self.opened_at

    def close(self) -> None:
        """Let go of the file."""
        with suppress(SandtableError), self.writing() as database:
            note_fact(database, "running_time", str(self.running_time))
        self.closing.set()
        self.changed.set()
        if self.syncing.is_alive():
            self.syncing.join()
        self.database.close()
        self.lock.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it or, whatever goes wrong, nothing."""
        with self.clear_errors():
            self.make_safe()
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield self.database
                self.database.execute("COMMIT")
                self.changed.set()
            except BaseException:
                if self.database.in_transaction:  # some errors have ended it already
                    self.database.execute("ROLLBACK")
                raise

    # --- rooms --------------------------------------------------------------------------------

    def add_room(self, room: StoredRoom, instead: tuple[str, dict[str, Any]] | None = None) -> None:
        """Keep a new room, and with it what changes in a finished one that it follows."""
        with self.writing() as database:
            self.insert_room(database, room)
            if instead is not None:
                self.update_state(database, *instead, over=True)

    def insert_room(self, database: sqlite3.Connection, room: StoredRoom) -> None:
        """Write a new room, in whatever else is written with it."""
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
            self.running_time,
        )
        database.execute(f"INSERT INTO rooms VALUES ({','.join('?' * len(row))})", row)

    def set_seats(self, room: StoredRoom) -> None:
        """Keep who sits where from now on."""
        seats = json.dumps([seat.as_data() for seat in room.seats])
        with self.writing() as database:
            database.execute("UPDATE rooms SET seats = ? WHERE room = ?", (seats, room.room))
            self.update_state(database, room.room, room.state, over=False)

    def add_actions(
        self, room: str, first_ply: int, actions: Sequence[int], state: dict[str, Any], over: bool
    ) -> None:
        """Keep actions that follow those before, and what changed with them."""
        rows = [(room, first_ply + index, action) for index, action in enumerate(actions)]
        with self.writing() as database:
            database.executemany("INSERT INTO actions VALUES (?, ?, ?)", rows)
            self.update_state(database, room, state, over)

    def cut_actions(self, room: str, ply: int, state: dict[str, Any]) -> None:
        """Forget the actions after this ply."""
        with self.writing() as database:
            database.execute("DELETE FROM actions WHERE room = ? AND ply >= ?", (room, ply))
            database.execute("DELETE FROM transcripts WHERE room = ? AND ply >= ?", (room, ply))
            self.update_state(database, room, state, False)

    def add_transcript(self, room: str, ply: int, entries: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a program said about its decision after so many actions."""
        row = (room, ply, json.dumps(list(entries)))
        with self.writing() as database:
            database.execute("INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?)", row)

    def transcript(self, room: str) -> list[dict[str, Any]]:
        """Return all that programs said in a room, in its order."""
        query = "SELECT entries FROM transcripts WHERE room = ? ORDER BY ply"
        with self.clear_errors():
            rows = self.database.execute(query, (room,)).fetchall()
        return [entry for (entries,) in rows for entry in json.loads(entries)]

    def set_state(self, room: str, state: dict[str, Any], over: bool) -> None:
        """Keep what changed without an action."""
        with self.writing() as database:
            self.update_state(database, room, state, over)

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

    def take_room(self, room: str) -> tuple[StoredRoom, list[int]] | None:
        """Return a room with its actions: all rooms of the file are ours."""
        return self.get_room(room)

    def seconds_served(self, room: str) -> float:
        """Return 0.0: there is no other server."""
        return 0.0

    def let_go(self, room: str) -> None:
        """Do nothing: a room of the file stays ours."""

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

    def forget_old_rooms(self, days: float) -> int:
        """Forget rooms whose games are over and archived, and in which nothing happened for long.

        Days are those that servers have run with this file. Return how many rooms were forgotten.
        """
        before = self.running_time - days * 86400
        with self.writing() as database:
            note_fact(database, "running_time", str(self.running_time))
            query = "DELETE FROM rooms WHERE over = 1 AND archived = 1 AND acted_at < ?"
            forgotten = database.execute(query, (before,)).rowcount
            if forgotten:
                for table in ("actions", "transcripts"):
                    left = f"DELETE FROM {table} WHERE room NOT IN (SELECT room FROM rooms)"
                    database.execute(left)
        return forgotten

    def update_state(
        self, database: sqlite3.Connection, room: str, state: dict[str, Any], over: bool
    ) -> None:
        """Write what changed in a room, and that something happened there."""
        database.execute(
            "UPDATE rooms SET state = ?, over = ?, acted_at = ? WHERE room = ?",
            (json.dumps(state), int(over), self.running_time, room),
        )

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


def note_fact(database: sqlite3.Connection, name: str, value: str) -> None:
    """Note something about the file itself."""
    database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))


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
