"""One browser that looks at a room."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from sandtable.errors import SandtableError
from sandtable.server.table import SPECTATOR

__all__ = ["Connection", "NotFound", "Refused", "encoded"]

MOST_WAITING = 256  # messages a client has not read yet


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


class Connection:
    """Messages on their way to a client. One that does not read them is let go."""

    def __init__(self) -> None:
        self.viewer = SPECTATOR
        self.role = "spectator"
        self.outgoing: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self.too_slow = False

    def send_text(self, text: str) -> None:
        """Put a message into the queue."""
        if self.too_slow:
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
