"""One request from server to server over HTTP/1.1: a connection, a question, an answer.

Servers show each other a secret that lies in their database, so nobody else is answered there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import h11

__all__ = ["CLIENT", "CONNECT_SECONDS", "SECRET", "Answer", "Headers", "ask", "passed_on"]

SECRET, CLIENT = b"x-sandtable-peer", b"x-sandtable-client"
CONNECT_SECONDS = 2.0
PIECE = 1 << 16
# Of one connection only, or made anew by whoever passes a message on.
OWN = {
    b"connection", b"content-length", b"date", b"expect", b"host", b"keep-alive", b"server", b"te",
    b"transfer-encoding", b"upgrade", CLIENT, SECRET,
}  # fmt: skip
Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Answer:
    """What another server answered."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def passed_on(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers that belong to a message and not to its connection.

    >>> passed_on([(b"Host", b"one"), (b"Authorization", b"Bearer 1"), (b"connection", b"close")])
    [(b'authorization', b'Bearer 1')]
    """
    return [(name.lower(), value) for name, value in headers if name.lower() not in OWN]


async def ask(
    address: str, method: str, target: str, headers: Headers, body: bytes, seconds: float
) -> Answer:
    """Ask another server; raises OSError, TimeoutError or h11.ProtocolError where it cannot."""
    host, _, port = address.rpartition(":")
    async with asyncio.timeout(CONNECT_SECONDS):
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    try:
        async with asyncio.timeout(seconds):
            line = h11.Connection(h11.CLIENT)
            own = [(b"host", address.encode()), (b"connection", b"close")]
            own.append((b"content-length", str(len(body)).encode()))
            request = h11.Request(method=method, target=target, headers=[*headers, *own])
            sent = [line.send(request), line.send(h11.Data(body)), line.send(h11.EndOfMessage())]
            writer.write(b"".join(filter(None, sent)))
            await writer.drain()
            return await answer_on(line, reader)
    finally:
        writer.close()


async def answer_on(line: h11.Connection, reader: asyncio.StreamReader) -> Answer:
    """Read an answer to its end."""
    status, headers, pieces = 0, [], []
    while True:
        event = line.next_event()
        if event is h11.NEED_DATA:
            line.receive_data(await reader.read(PIECE))
        elif isinstance(event, h11.Response):
            status, headers = event.status_code, passed_on(event.headers)
        elif isinstance(event, h11.Data):
            pieces.append(bytes(event.data))
        elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
            return Answer(status, headers, b"".join(pieces))
