"""A running ``sandtable serve``, as a client sees it: its rooms, and the way to a seat in one.

Only the one server that ``sandtable mcp`` was started with is ever called: an assistant can name
rooms, and no other places.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sandtable.assistants.lines import SocketLine, short
from sandtable.assistants.seat import Seat
from sandtable.errors import SandtableError
from sandtable.screens import Data
from sandtable.server.addresses import is_loopback, shown_host

__all__ = ["Invitation", "RunningServer"]

USUAL = "http://127.0.0.1:8000"
SECONDS = 30.0
MOST_BYTES = 4 << 20
ROOM = re.compile(r"[A-Za-z0-9_-]{12}")
SEAT_NAME_BYTES = 9


@dataclass(frozen=True)
class Invitation:
    """What a link to a room says: which room, and perhaps the token of a seat.

    >>> Invitation("AAAAAAAAAAAA", None).token is None
    True
    """

    room: str
    token: str | None


class RunningServer:
    """The server whose rooms an assistant may join.

    >>> RunningServer("http://localhost:8000").address
    'http://localhost:8000'
    """

    def __init__(self, address: str = USUAL, key: str | None = None) -> None:
        parts = urlsplit(address)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise SandtableError(f"'{address}' is no address of a server; write {USUAL}")
        self.secure = parts.scheme == "https"
        self.host = parts.hostname
        self.port = port or (443 if self.secure else 80)
        shown = parts.netloc.rpartition("@")[2]
        self.address = f"{parts.scheme}://{shown}"
        self.key = key

    # --- over HTTP --------------------------------------------------------------------------------

    async def get(self, path: str) -> Any:
        """Return what a path gives."""
        return await asyncio.to_thread(self.request, "GET", path, None)

    async def post(self, path: str, body: Data) -> Any:
        """Return what the server answers to a body."""
        return await asyncio.to_thread(self.request, "POST", path, body)

    def request(self, method: str, path: str, body: Data | None) -> Any:
        """Ask the server; what it refuses is an error in its words."""
        kind = HTTPSConnection if self.secure else HTTPConnection
        connection = kind(self.host, self.port, timeout=SECONDS)
        headers = {"Host": shown_host(self.host, self.port), "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.key is not None:
            headers["X-Sandtable-Key"] = self.key
        try:
            given = None if body is None else json.dumps(body).encode()
            connection.request(method, path, given, headers)
            response = connection.getresponse()
            text = response.read(MOST_BYTES + 1)
            if len(text) > MOST_BYTES:
                raise SandtableError(f"{self.address} sent more than can be read")
            found = json.loads(text)
        except (OSError, HTTPException) as problem:
            raise SandtableError(
                f"no server answers at {self.address} ({short(problem)}); start one with "
                "'sandtable serve', or name it with 'sandtable mcp --server URL'"
            ) from None
        except ValueError:
            raise SandtableError(f"{self.address} is no server of Sandtable") from None
        finally:
            connection.close()
        if response.status >= 400:
            line = found.get("error") if isinstance(found, dict) else None
            raise SandtableError(f"the server refuses: {line or response.status}")
        return found

    # --- rooms ------------------------------------------------------------------------------------

    def invitation(self, text: str) -> Invitation:
        """Read a link to a room of this server, or the name of one.

        >>> RunningServer().invitation("/room/AAAAAAAAAAAA#token=xyz")
        Invitation(room='AAAAAAAAAAAA', token='xyz')
        """
        parts = urlsplit(text.strip())
        if parts.scheme or parts.netloc:
            self.check_own(parts.scheme, parts.hostname, parts.netloc)
        name = parts.path.rpartition("/")[2]
        if not ROOM.fullmatch(name) or parts.path.rpartition("/")[0] not in ("", "/room"):
            raise SandtableError(f"'{text[:100]}' is no link to a room; it looks like /room/ROOM")
        tokens = parse_qs(parts.fragment).get("token")
        return Invitation(name, tokens[0] if tokens else None)

    def check_own(self, scheme: str, host: str | None, place: str) -> None:
        """Refuse a link to another server than this one."""
        own = urlsplit(self.address)
        port = place.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
        same_port = int(port) == self.port if port.isdigit() else not port and own.port is None
        here = host is not None and is_loopback(host) and is_loopback(self.host)
        if scheme != own.scheme or not same_port or not (here or host == self.host):
            raise SandtableError(
                f"only rooms of {self.address} can be joined; for another server start "
                "'sandtable mcp --server URL'"
            )

    async def take(self, wanted: Invitation, seat: str | None, name: str) -> Seat:
        """Take a seat: the one of the invitation, or an open one, and give it a name."""
        path = f"/api/rooms/{wanted.room}"
        token = wanted.token
        if token is None:
            number = open_seat(await self.get(path), seat)
            claimed = await self.post(f"{path}/seats/{number}", {"name": name})
            token = str(claimed["token"])
        found = self.seat(wanted.room, token)
        await found.ready()
        if found.you is None:
            await found.close()
            raise SandtableError("this link is for watching; ask for the link of a seat")
        if wanted.token is not None and name:
            await self.post(f"{path}/seats/{found.you}", {"name": name, "token": token})
        return found

    def seat(self, room: str, token: str) -> Seat:
        """Return the seat of a room that a token gives, under a name of its own."""
        scheme, _, place = self.address.partition("://")
        socket = f"{'wss' if scheme == 'https' else 'ws'}://{place}/api/rooms/{room}/socket"

        async def line() -> SocketLine:
            return await SocketLine.open(socket, token)

        link = f"{self.address}/room/{room}"
        return Seat(secrets.token_urlsafe(SEAT_NAME_BYTES), line, link)


def open_seat(summary: Data, wanted: str | None) -> int:
    """Return the number of an open seat of a room, the one of this name if one is wanted."""
    free: list[int] = summary["open_seats"]
    names = [summary["seats"][number] for number in free]
    if not free:
        raise SandtableError(
            "no seat of this room is open; ask whoever made it for the link of a seat"
        )
    if wanted is None:
        return free[0]
    for number, each in zip(free, names, strict=True):
        if wanted.lower() in (each["seat"].lower(), each["title"].lower(), str(number)):
            return number
    raise SandtableError(
        f"'{wanted[:40]}' is no open seat here; open: {', '.join(each['seat'] for each in names)}"
    )
