"""Reading without a key: pages are made a few at a time, and never in the event loop.

Whoever plays waits for the event loop only. A page of the archive takes as long to make as many
moves, so it comes from a process of its own; what is quickly made comes from a thread.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import HTTPException
from fastapi.responses import Response

from sandtable.server.connections import NotFound, encoded
from sandtable.server.pool import AgentPool
from sandtable.server.settings import Settings

__all__ = ["Desk", "as_json", "in_pieces"]

Result = TypeVar("Result")
PIECE = 1 << 16
MOST_DOWNLOADS = 2
PAGE_SECONDS = 60.0


class Desk:
    """Where readers wait until it is their turn."""

    def __init__(self, settings: Settings) -> None:
        limits = settings.limits
        self.archive = str(settings.archive)
        self.pool = AgentPool(0, limits.readers)
        self.pool.start()
        self.places = asyncio.Semaphore(limits.readers)
        self.most_waiting = limits.readers_waiting
        self.waiting = 0
        self.downloads: set[object] = set()  # that were granted and are not over

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place; if too many do, say so."""
        if self.waiting >= self.most_waiting:
            raise HTTPException(429, "many are reading here; wait a moment")
        self.waiting += 1
        try:
            async with self.places:
                yield
        finally:
            self.waiting -= 1

    async def read(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Do something in a thread when there is a place."""
        async with self.place():
            return await asyncio.to_thread(work, *arguments)

    async def archive_text(self, kind: str, **asked: Any) -> str:
        """Return a page of the archive as text; see ``archive_pages``."""
        request = {"operation": "page", "page": kind, "archive": self.archive, **asked}
        async with self.place():
            reply = await self.pool.ask(request, limit=PAGE_SECONDS, name=f"page {kind}")
        if "missing" in reply:
            raise NotFound(reply["missing"])
        return str(reply["text"])

    async def archive_page(self, kind: str, **asked: Any) -> Response:
        """Answer with a page of the archive."""
        text = await self.archive_text(kind, **asked)
        return Response(text, media_type="application/json")

    async def close(self) -> None:
        """Send everybody home."""
        await self.pool.close()

    def download(self, lines: Iterator[str]) -> Iterator[str]:
        """Give out many lines; each such reader holds a connection to the archive, so few may.

        It counts from now on, not from the first line on: of many who ask at once few get in.
        """
        if len(self.downloads) >= MOST_DOWNLOADS:
            raise HTTPException(429, "others are downloading; wait a moment")
        return Download(in_pieces(lines), self.downloads)

    async def page(self, work: Callable[..., Any], *arguments: Any) -> Response:
        """Answer with what something returns, which is done and written in a thread."""
        return await self.read(lambda: as_json(work(*arguments)))


class Download(Iterator[str]):
    """A download, counted until it is through or nobody holds it: it may never have begun.

    >>> going_on: set[object] = set()
    >>> one = Download(iter(["a"]), going_on)
    >>> len(going_on), list(one), len(going_on)
    (1, ['a'], 0)
    """

    def __init__(self, pieces: Iterator[str], going_on: set[object]) -> None:
        self.pieces = pieces
        place = object()
        going_on.add(place)
        self.leave = weakref.finalize(self, going_on.discard, place)

    def __next__(self) -> str:
        try:
            return next(self.pieces)
        except BaseException:
            self.leave()
            raise


def as_json(data: Any) -> Response:
    """Return data as an answer."""
    return Response(encoded(data), media_type="application/json")


def in_pieces(lines: Iterator[str]) -> Iterator[str]:
    """Put lines together to pieces that are worth a step to another thread and back.

    >>> list(in_pieces(iter(["a", "b"])))
    ['ab']
    """
    waiting: list[str] = []
    length = 0
    for line in lines:
        waiting.append(line)
        length += len(line)
        if length >= PIECE:
            yield "".join(waiting)
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting)
