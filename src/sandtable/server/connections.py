"""The browsers that look at a room, and how each of them hears of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sandtable.errors import SandtableError
from sandtable.server.table import SPECTATOR

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = ["PEER", "Audience", "Connection", "NotFound", "Refused", "encoded", "readable"]

MOST_WAITING = 256  # messages a client has not read yet
PEER = "sandtable.peer"  # in a scope: another server asks
PRESENCE_SECONDS = 1.0  # presence is told at most that often


class Refused(Exception):
    """What a client asked for cannot be done; nothing has changed."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class NotFound(SandtableError):
    """There is no such room, game or job."""


def encoded(data: Any) -> str:
    """Return data as it goes over the wire."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def readable(text: str) -> str:
    """Return text as it can be sent: halves of letters, which JSON can smuggle in, are replaced.

    >>> readable("a" + chr(0xD800))
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


class Connection:
    """Messages on their way to a client. One that does not read them is let go."""

    def __init__(self) -> None:
        self.viewer = SPECTATOR
        self.role = "spectator"
        self.outgoing: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self.too_slow = False
        self.dismissed = False  # it is asked to come again

    def dismiss(self) -> None:
        """End it after what is on its way."""
        self.dismissed = True
        while self.outgoing.full():
            self.outgoing.get_nowait()
        self.outgoing.put_nowait(None)

    def send_text(self, text: str) -> None:
        """Put a message into the queue."""
        if self.too_slow or self.dismissed:
            return
        try:
            self.outgoing.put_nowait(text)
        except asyncio.QueueFull:
            self.too_slow = True
            while not self.outgoing.empty():
                self.outgoing.get_nowait()
            self.outgoing.put_nowait(None)

    def send(self, message: dict[str, Any]) -> None:
        """Put a message into the queue."""
        self.send_text(encoded(message))

    def complain(self, code: str, text: str, identity: str | None = None) -> None:
        """Say that something cannot be done."""
        message = {"type": "error", "code": code, "text": text}
        self.send(message if identity is None else message | {"id": identity})


class Audience:
    """The clients of one room."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.connections: set[Connection] = set()
        self.presence_due = False

    def enter(self, connection: Connection) -> None:
        """Let a client in."""
        self.connections.add(connection)
        self.announce_presence()

    def leave(self, connection: Connection) -> None:
        """Let a client go."""
        self.connections.discard(connection)
        self.announce_presence()

    @property
    def spectators(self) -> int:
        """How many only watch."""
        return sum(connection.viewer < 0 for connection in self.connections)

    def viewers(self) -> set[int]:
        """Return the different viewers who are there."""
        return {connection.viewer for connection in self.connections}

    def announce_presence(self) -> None:
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

    def send(self, make: Callable[[int], str]) -> None:
        """Send every viewer a message; ``make(viewer)`` is called once for each kind."""
        self.room.broadcast.changed()
        made: dict[int, str] = {}
        for connection in list(self.connections):
            viewer = connection.viewer
            if viewer not in made:
                made[viewer] = make(viewer)
            connection.send_text(made[viewer])

    def send_state(self, why: str) -> None:
        """Send everybody the whole state."""
        self.room.broadcast.changed()
        made: dict[tuple[int, str], str] = {}
        for connection in list(self.connections):
            key = connection.viewer, connection.role
            if key not in made:
                made[key] = self.room.broadcast.state(*key, why)
            connection.send_text(made[key])
