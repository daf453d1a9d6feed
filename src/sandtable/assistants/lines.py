"""Lines to a seat: the messages of docs/web-protocol.md, to a room here or to one of a server."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from sandtable.errors import SandtableError
from sandtable.screens import Data
from sandtable.server.client_messages import UnreadableMessage, read_message
from sandtable.server.connections import Connection, encoded
from sandtable.server.room import Room
from sandtable.server.rooms import Rooms
from sandtable.server.sockets import Participant

__all__ = ["Line", "LineClosed", "LocalLine", "SocketLine"]

OPEN_SECONDS = 30.0
MOST_BYTES = 16 << 20  # of one message of a server


class LineClosed(SandtableError):
    """Nothing more comes over a line; the text says why."""


class Line(ABC):
    """Messages in both directions, for one seat."""

    @abstractmethod
    async def send(self, message: Data) -> None:
        """Send a message."""

    @abstractmethod
    async def receive(self) -> Data:
        """Return the next message, or raise LineClosed."""

    @abstractmethod
    async def close(self) -> None:
        """Let the seat go."""


class LocalLine(Line):
    """A line to a room of this process, through the door that browsers use."""

    def __init__(self, rooms: Rooms, room: Room, token: str) -> None:
        self.room = room
        self.connection = Connection()
        self.participant = Participant(rooms, room, self.connection)
        if not room.join(self.connection, token):
            raise SandtableError("this seat is not yours any more")

    async def send(self, message: Data) -> None:
        """Do what a message asks; the answer comes back as from a server."""
        try:
            read = read_message(encoded(message))
        except UnreadableMessage as problem:
            self.connection.complain("shape", str(problem), problem.identity)
        else:
            self.participant.obey(read)

    async def receive(self) -> Data:
        """Return the next message."""
        text = await self.connection.outgoing.get()
        if text is None:
            raise LineClosed("messages were not read in time")
        found: Data = json.loads(text)
        return found

    async def close(self) -> None:
        """Leave the room."""
        self.room.leave(self.connection)


class SocketLine(Line):
    """A line to a room of a server that runs elsewhere."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    @classmethod
    async def open(cls, address: str, token: str) -> SocketLine:
        """Open a WebSocket and join the room, or say in one line why that cannot be."""
        try:
            socket = await connect(
                address, max_size=MOST_BYTES, open_timeout=OPEN_SECONDS, proxy=None
            )
            await socket.send(encoded({"type": "join", "token": token}))
        except (OSError, TimeoutError, WebSocketException) as problem:
            raise SandtableError(f"the server does not answer ({short(problem)})") from None
        return cls(socket)

    async def send(self, message: Data) -> None:
        """Send a message."""
        try:
            await self.socket.send(encoded(message))
        except ConnectionClosed as problem:
            raise LineClosed(closing_words(problem)) from None

    async def receive(self) -> Data:
        """Return the next message."""
        try:
            found: Any = json.loads(await self.socket.recv())
        except ConnectionClosed as problem:
            raise LineClosed(closing_words(problem)) from None
        except ValueError:
            raise LineClosed("the server sent what is no message") from None
        if not isinstance(found, dict):
            raise LineClosed("the server sent what is no message")
        return found

    async def close(self) -> None:
        """Close the WebSocket."""
        await self.socket.close()


def closing_words(problem: ConnectionClosed) -> str:
    """Return why a WebSocket was closed."""
    reason = problem.rcvd.reason if problem.rcvd else ""
    return f"the server closed the line: {reason}" if reason else "the line to the server broke"


def short(problem: BaseException) -> str:
    """Return what went wrong, in a few words."""
    said = " ".join(str(problem).split())
    return said[:200] or type(problem).__name__
