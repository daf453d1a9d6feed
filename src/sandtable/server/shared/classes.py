"""Tournaments of classes where several servers share their rooms: each is looked after by one."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sandtable.server.classes.storage import read_rows
from sandtable.server.classes.tournament import ClassTournament
from sandtable.server.shared.storage import SharedStorage
from sandtable.server.storage import StoredRoom

__all__ = ["SharedClassStorage"]


class SharedClassStorage:
    """The tournaments in the database of all servers."""

    def __init__(self, storage: SharedStorage) -> None:
        self.storage = storage

    def save(self, tournament: ClassTournament, rooms: Iterable[StoredRoom] = ()) -> None:
        """Keep a tournament as it is now, with the rooms that begin with it."""
        data = json.dumps(tournament.as_data())
        made_at, over = tournament.made_at, tournament.over
        self.storage.save_class(tournament.name, made_at, over, data, rooms)

    def all(self) -> list[ClassTournament]:
        """Return none: a server that starts takes those whose keeper is gone, one by one."""
        return []

    def taken(self, name: str) -> ClassTournament | None:
        """Return a tournament, which is this server's from now on; raises Elsewhere."""
        if not self.storage.class_rows(name):
            return None
        self.storage.take_class(name)
        found = read_rows([(row[0], row[1]) for row in self.storage.class_rows(name)])
        return found[0] if found else None

    def everywhere(self) -> list[ClassTournament]:
        """Return the tournaments of all servers, the newest first."""
        return read_rows([(row[0], row[1]) for row in self.storage.class_rows()])
