"""Where tournaments of classes outlive the server: in the file of the rooms, whole or not at all.

A round and its rooms are written in one transaction: a server that is killed has begun all games
of a round or none. A table that older versions do not know does them no harm.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from sandtable.errors import DAMAGED, SandtableError
from sandtable.server.classes.tournament import ClassTournament
from sandtable.server.storage import FILE, Storage, StoredRoom

__all__ = ["ClassShelf", "ClassStorage", "read_classes", "read_rows"]

SCHEMA = """
CREATE TABLE IF NOT EXISTS classes (
    class TEXT PRIMARY KEY,
    made_at REAL NOT NULL,
    data TEXT NOT NULL
)
"""
ALL = "SELECT class, data FROM classes ORDER BY made_at DESC"
LONGEST_REASON = 200

LOG = logging.getLogger(__name__)


class ClassShelf(Protocol):
    """Where tournaments are kept: beside the rooms, wherever these are."""

    def save(self, tournament: ClassTournament, rooms: Iterable[StoredRoom] = ()) -> None:
        """Keep a tournament as it is now, with the rooms that begin with it."""
        ...

    def all(self) -> list[ClassTournament]:
        """Return the tournaments with which a server that starts goes on, the newest first."""
        ...

    def taken(self, name: str) -> ClassTournament | None:
        """Return a tournament that is now this server's and was not before."""
        ...

    def everywhere(self) -> list[ClassTournament]:
        """Return those of other servers too, where there are others."""
        ...


class ClassStorage:
    """The tournaments in the file of a server."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        with storage.writing() as database:
            database.execute(SCHEMA)

    def save(self, tournament: ClassTournament, rooms: Iterable[StoredRoom] = ()) -> None:
        """Keep a tournament as it is now, with the rooms that begin with it."""
        row = tournament.name, tournament.made_at, json.dumps(tournament.as_data())
        with self.storage.writing() as database:
            for room in rooms:
                self.storage.insert_room(database, room)
            database.execute("INSERT OR REPLACE INTO classes VALUES (?, ?, ?)", row)

    def all(self) -> list[ClassTournament]:
        """Return all tournaments, the newest first."""
        with self.storage.clear_errors():
            return read_rows(self.storage.database.execute(ALL).fetchall())

    def taken(self, name: str) -> ClassTournament | None:
        """Return None: all were there when the server started, or came since."""
        return None

    def everywhere(self) -> list[ClassTournament]:
        """Return none: there is no other server."""
        return []


def read_rows(rows: Sequence[tuple[str, str]]) -> list[ClassTournament]:
    """Read tournaments from their rows; one that is damaged is told of, and keeps no other."""
    found = []
    for name, data in rows:
        try:
            found.append(ClassTournament.from_data(json.loads(data)))
        except DAMAGED as problem:
            said = f"{type(problem).__name__}: {problem}"[:LONGEST_REASON]
            LOG.warning("class %r is damaged and left out (%s)", name, said)
    return found


def read_classes(folder: Path) -> list[ClassTournament]:
    """Return the tournaments in the folder of a server, whether it is running or not."""
    path = folder / FILE
    if not path.is_file():
        raise SandtableError(
            f"there is no server's folder at {folder}; name the one of sandtable serve with --data"
        )
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            return read_rows(database.execute(ALL).fetchall())
        finally:
            database.close()
    except sqlite3.Error as problem:
        if "no such table" in str(problem):
            return []
        raise SandtableError(f"cannot read {path}: {problem}") from problem
