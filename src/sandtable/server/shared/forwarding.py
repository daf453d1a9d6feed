"""Whoever asks a server for a room that another one has is passed on to that one.

So an ordinary proxy may send anybody anywhere. While the other one does not answer, and may be
dead, the request waits: soon its lease has run out, and the room is taken over here.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import h11
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from sandtable.errors import DAMAGED, SandtableError
from sandtable.server.connections import PEER, encoded
from sandtable.server.limits import SAFE_METHODS
from sandtable.server.shared.exchange import (
    CLIENT,
    CONNECT_SECONDS,
    SECRET,
    Answer,
    Headers,
    ask,
    passed_on,
)
from sandtable.server.shared.storage import LEASE_SECONDS, Peer, SharedStorage
from sandtable.server.sockets import COME_AGAIN, REASONS
from sandtable.specs import without_files

if TYPE_CHECKING:
    from sandtable.server.application import Server

__all__ = ["Door", "Forwarder", "wanted_in"]

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

ROOM = re.compile(r"/api/rooms/([A-Za-z0-9_-]{12})(?:/.*)?")
CLASS = re.compile(r"/api/classes/([A-Za-z0-9_-]{8,20})(?:/.*)?")
JOB = re.compile(r"/api/jobs/([A-Za-z0-9_-]{4})[A-Za-z0-9_-]{8}")
ANALYSIS = "/api/analysis"  # which may be about a room
ANSWER_SECONDS = 120.0
SOON = 3.0  # seconds, for lists
PATIENCE = LEASE_SECONDS + 4.0  # in which a room changes hands
PAUSE = 0.25
MISDIRECTED, UNAVAILABLE = 421, 503
TROUBLES = (OSError, TimeoutError, h11.ProtocolError, WebSocketException)
LONGEST_FRAME = 1 << 26
NO_REASONS = (1001, 1005, 1006, 1012)  # it went away, or died
SOCKET_HEADERS = (b"sec-websocket-", b"origin", b"cookie")


def wanted_in(path: str) -> tuple[str, str] | None:
    """Return what a path is about, where one server has it.

    >>> wanted_in("/api/rooms/abcdefghijkl/socket"), wanted_in("/api/rooms")
    (('room', 'abcdefghijkl'), None)
    >>> wanted_in("/api/jobs/abcdefghijkl")
    ('job', 'abcd')
    """
    for kind, pattern in (("room", ROOM), ("class", CLASS), ("job", JOB)):
        found = pattern.fullmatch(path)
        if found:
            return kind, found[1]
    return None


class Forwarder:
    """Stands before the application, behind its guard."""

    def __init__(self, application: Any, server: Server, storage: SharedStorage) -> None:
        self.application, self.server, self.storage = application, server, storage
        self.secret = storage.database.secret().encode()
        self.lines: dict[str, set[asyncio.Task[Any]]] = {}  # by server: open WebSockets to it

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request here or hand it to whoever has what it is about."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        wanted = wanted_in(scope["path"])
        if scope["type"] == "websocket":
            if wanted is None or await self.wait_for_socket(wanted, scope, receive, send):
                await self.application(scope, receive, send)
            return
        if scope["path"] == ANALYSIS and scope["method"] == "POST":
            body = await body_of(receive)
            wanted, receive = room_asked_about(body), again(body, receive)
        if wanted is None or self.is_here(wanted):
            await self.application(scope, receive, send)
        else:
            await self.request(wanted, scope, receive, send)

    def is_here(self, wanted: tuple[str, str]) -> bool:
        """Say whether something is certainly here, without asking the database."""
        kind, name = wanted
        if kind == "room":
            return name in self.server.rooms.open
        return name in self.server.classes.open if kind == "class" else name == self.storage.mark

    def keeper(self, wanted: tuple[str, str]) -> Peer | None:
        """Return the other server that has something; None: nobody else does."""
        kind, name = wanted
        if self.is_here(wanted):
            return None
        if kind == "room":
            return self.storage.keeper_of(name)
        if kind == "class":
            return self.storage.keeper_of_class(name)
        marks = {peer.mark: peer for peer in self.storage.peers()}
        return marks.get(name)

    # --- requests -------------------------------------------------------------------------------

    async def request(
        self, wanted: tuple[str, str], scope: Message, receive: Receive, send: Send
    ) -> None:
        """Answer a request about something that another server may have."""
        body = await body_of(receive)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                peer = self.keeper(wanted)
            except SandtableError:  # the database does not answer
                await asyncio.sleep(PAUSE)
                continue
            if peer is None:
                await self.application(scope, again(body, receive), send)
                return
            try:
                answer = await self.ask(peer, scope, body)
            except TROUBLES:
                if scope["method"] not in SAFE_METHODS:
                    break  # nobody knows what came of it
            else:
                if answer.status != MISDIRECTED:
                    await tell(send, answer.status, answer.headers, answer.body)
                    return
            await asyncio.sleep(PAUSE)
        said = encoded({"error": "another server takes this over; look again in a moment"})
        headers = [(b"content-type", b"application/json"), (b"retry-after", b"2")]
        await tell(send, UNAVAILABLE, headers, said.encode())

    async def ask(self, peer: Peer, scope: Message, body: bytes) -> Answer:
        """Hand a request to another server."""
        query = scope["query_string"].decode("latin-1")
        target = scope["raw_path"].decode("latin-1") + (f"?{query}" if query else "")
        headers = [*passed_on(scope["headers"]), *self.own_headers(scope)]
        return await ask(peer.address, scope["method"], target, headers, body, ANSWER_SECONDS)

    def own_headers(self, scope: Message) -> list[tuple[bytes, bytes]]:
        """Return what shows that we are one of them, and who asks."""
        client = (scope.get("client") or ("unknown", 0))[0]
        return [(SECRET, self.secret), (CLIENT, str(client).encode("latin-1", "replace"))]

    async def told_by(self, address: str, target: str, headers: Headers = ()) -> Any:
        """Return what another server tells; None: it does not answer soon."""
        own = [*headers, (SECRET, self.secret), (CLIENT, b"127.0.0.1")]
        with suppress(*TROUBLES, *DAMAGED):
            answer = await ask(address, "GET", target, own, b"", SOON)
            return json.loads(answer.body) if answer.status == 200 else None
        return None

    async def gather(self, target: str, headers: Headers) -> list[Any]:
        """Ask all other servers for the same; those that do not answer soon are left out."""
        peers = self.storage.peers()
        asked = (self.told_by(peer.address, target, headers) for peer in peers)
        return [each for each in await asyncio.gather(*asked) if each is not None]

    # --- WebSockets -----------------------------------------------------------------------------

    async def wait_for_socket(
        self, wanted: tuple[str, str], scope: Message, receive: Receive, send: Send
    ) -> bool:
        """Pass a WebSocket on to whoever has its room; True: it is to be served here."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(SandtableError, *TROUBLES):
                peer = self.keeper(wanted)
                if peer is None:
                    return True
                line = await self.line_to(peer, scope)
                break
            await asyncio.sleep(PAUSE)
        else:
            await receive()
            await send({"type": "websocket.accept"})
            await close(send, COME_AGAIN)
            return False
        await receive()
        await send({"type": "websocket.accept"})
        await self.carry(peer, line, receive, send)
        return False

    async def line_to(self, peer: Peer, scope: Message) -> ClientConnection:
        """Open a WebSocket to another server for a client; raises OSError if it is not there."""
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in [*passed_on(scope["headers"]), *self.own_headers(scope)]
            if not name.startswith(SOCKET_HEADERS)
        ]
        path = scope["raw_path"].decode("latin-1")
        return await connect(
            f"ws://{peer.address}{path}",
            additional_headers=headers,
            user_agent_header=None,
            compression=None,
            max_size=LONGEST_FRAME,
            open_timeout=CONNECT_SECONDS,
            close_timeout=CONNECT_SECONDS,
            ping_interval=None,  # its lease tells whether the other server lives
            proxy=None,
        )

    async def carry(self, peer: Peer, line: ClientConnection, receive: Receive, send: Send) -> None:
        """Carry messages between a client and another server until one of them goes."""
        task = asyncio.create_task(outward(line, send))
        self.lines.setdefault(peer.server, set()).add(task)
        code: int | None = COME_AGAIN
        try:
            code = await inward(line, receive, task)
        finally:
            self.lines[peer.server].discard(task)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await line.close()
            if code is not None:
                with suppress(RuntimeError):
                    await close(send, code)

    def cut(self, living: set[str]) -> None:
        """Let go of lines to servers that are gone without a word: they sleep, or are cut off."""
        for server, tasks in list(self.lines.items()):
            if server not in living:
                for task in list(tasks):
                    task.cancel()


async def outward(line: ClientConnection, send: Send) -> int:
    """Carry what the other server says to the client; return the code with which it closed."""
    with suppress(ConnectionClosed):
        async for text in line:
            await send({"type": "websocket.send", "text": str(text)})
    code = line.close_code
    return COME_AGAIN if code is None or code in NO_REASONS else int(code)


async def inward(line: ClientConnection, receive: Receive, task: asyncio.Task[int]) -> int | None:
    """Carry what the client says to the other server; return the code to close with, if any."""
    while True:
        reading = asyncio.ensure_future(receive())
        await asyncio.wait({reading, task}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            return COME_AGAIN if task.cancelled() or task.exception() else task.result()
        message = reading.result()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        with suppress(ConnectionClosed):  # the other task hears of it
            await line.send(text if text is not None else message.get("bytes", b""))


async def close(send: Send, code: int) -> None:
    """Close a WebSocket that was accepted."""
    await send({"type": "websocket.close", "code": code, "reason": REASONS.get(code, "")})


async def tell(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    """Send an answer."""
    length = (b"content-length", str(len(body)).encode())
    head = {"type": "http.response.start", "status": status, "headers": [*headers, length]}
    await send(head)
    await send({"type": "http.response.body", "body": body})


async def body_of(receive: Receive) -> bytes:
    """Read the body of a request, which the guard has bounded."""
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read once more."""
    left = [body]

    async def given() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return given


def room_asked_about(body: bytes) -> tuple[str, str] | None:
    """Return the room that a question is about.

    >>> room_asked_about(b'{"what": "values", "room": "abcdefghijkl"}')
    ('room', 'abcdefghijkl')
    """
    with suppress(*DAMAGED):
        asked = json.loads(body)
        if isinstance(asked, dict) and isinstance(asked.get("room"), str):
            return wanted_in(f"/api/rooms/{asked['room']}")
    return None


class Door:
    """Tells requests of other servers, on a port of their own, from those of everybody else."""

    def __init__(self, outside: Any, inside: Any, secret: str, port: int) -> None:
        self.outside, self.inside = outside, inside  # with the guard, and without
        self.secret, self.port = secret.encode(), port

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let in whoever shows the secret at the port of the servers; others meet the guard."""
        where = scope.get("server")
        if scope["type"] == "lifespan" or where is None or where[1] != self.port:
            await self.outside(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if not hmac.compare_digest(headers.get(SECRET, b""), self.secret):
            if scope["type"] == "http":
                await tell(send, 403, [], b"")
            else:
                await receive()
                await send({"type": "websocket.close", "code": 4403, "reason": ""})
            return
        client = headers.get(CLIENT, b"unknown").decode("latin-1")
        with without_files():  # whatever games and agents it names
            await self.inside({**scope, "client": (client, 0), PEER: True}, receive, send)
