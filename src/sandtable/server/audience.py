"""Everybody who looks at a room, and how each of them hears of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from sandtable.server.connection import Connection, encoded

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = ["Audience"]

PRESENCE_SECONDS = 1.0  # presence is told at most that often


class Audience:
    """The clients of one room."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.connections: set[Connection] = set()
        self.presence_due = False

    def enter(self, connection: Connection) -> None:
        """Let a client in."""
        self.connections.add(connection)
        self.tell_presence()

    def leave(self, connection: Connection) -> None:
        """Let a client go."""
        self.connections.discard(connection)
        self.tell_presence()

    @property
    def spectators(self) -> int:
        """How many only watch."""
        return sum(connection.viewer < 0 for connection in self.connections)

    def viewers(self) -> set[int]:
        """Return the different viewers who are there."""
        return {connection.viewer for connection in self.connections}

    def tell_presence(self) -> None:
        """Tell who is there, soon."""
        if not self.presence_due:
            self.presence_due = True
            asyncio.get_running_loop().call_later(PRESENCE_SECONDS, self.send_presence)

    def send_presence(self) -> None:
        """Tell who is there."""
        self.presence_due = False
        here = {connection.viewer for connection in self.connections}
        message = {
            "type": "presence",
            "seats": [seat in here for seat in range(len(self.room.game.seats))],
            "spectators": self.spectators,
        }
        text = encoded(message)
        for connection in self.connections:
            connection.send_text(text)

    def tell(self, make: Callable[[int], str]) -> None:
        """Send every viewer a message; ``make(viewer)`` is called once for each kind."""
        self.room.broadcast.changed()
        made: dict[int, str] = {}
        for connection in list(self.connections):
            viewer = connection.viewer
            if viewer not in made:
                made[viewer] = make(viewer)
            connection.send_text(made[viewer])

    def tell_state(self, why: str) -> None:
        """Send everybody the whole state."""
        self.room.broadcast.changed()
        made: dict[tuple[int, str], str] = {}
        for connection in list(self.connections):
            key = connection.viewer, connection.role
            if key not in made:
                made[key] = self.room.broadcast.state(*key, why)
            connection.send_text(made[key])
