"""Bots on their authors' machines: each keeps one WebSocket open, over which it is asked.

A bot plays one game at a time (see ``queue``). What it gets are the messages that external
programs get: views of its seat, and nothing else. When it leaves in the middle of a game, it
forfeits that game.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from starlette.websockets import WebSocketState

from sandtable.errors import SandtableError

__all__ = ["RemoteBots"]

SECONDS_TO_INTRODUCE = 20.0
LONGEST_LINE = 64 * 1024
SECONDS_TO_SEND = 10.0  # in which a line must have left for a bot, at most
SECONDS_TO_CLOSE = 1.0
MOST_BOTS = 500


class NotReading(Exception):
    """A line could not be sent in time: nobody takes it at the other end."""


class BotSocket:
    """One bot that is there."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.waiting: dict[int, asyncio.Future[str]] = {}
        self.asked = 0

    async def tell(
        self, line: str, number: int | None = None, seconds: float | None = None
    ) -> None:
        """Send a line; one with a number is to be answered."""
        message = {"message": json.loads(line)} | ({} if number is None else {"id": number})
        try:
            async with asyncio.timeout(min(SECONDS_TO_SEND, seconds or SECONDS_TO_SEND)):
                await self.socket.send_text(json.dumps(message))
        except TimeoutError:
            raise NotReading from None

    async def ask(self, line: str, seconds: float) -> str:
        """Send a line and wait for the answer."""
        self.asked += 1
        number = self.asked
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.waiting[number] = future
        try:
            clock = asyncio.get_running_loop()
            deadline = clock.time() + seconds
            await self.tell(line, number, seconds)
            return await asyncio.wait_for(future, max(deadline - clock.time(), 0.0))
        finally:
            self.waiting.pop(number, None)

    def hear(self, text: str) -> None:
        """Take in an answer; what nobody waits for any more is let go."""
        found = json.loads(text)
        if not isinstance(found, dict):
            raise ValueError("an answer is an object")
        number = found.get("id")
        if type(number) is not int:
            raise ValueError("an answer names its question by the number of that")
        future = self.waiting.get(number)
        if future is not None and not future.done():
            future.set_result(json.dumps(found.get("answer")))

    def leave(self) -> None:
        """Let everybody who waits know that there will be no answer."""
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(ConnectionError())


class RemoteBots:
    """All bots that are there now, by their numbers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.here: dict[int, BotSocket] = {}
        self.left: dict[int, float] = {}  # when those that are not here went
        self.clock = clock

    def connected(self) -> frozenset[int]:
        """Return who is there."""
        return frozenset(self.here)

    def away(self) -> dict[int, float]:
        """Return for how many seconds each bot is away that was here before."""
        now = self.clock()
        return {bot: now - left for bot, left in list(self.left.items())}

    def comes(self, bot: int, there: BotSocket) -> None:
        """Note that a bot is here."""
        self.here[bot] = there
        self.left.pop(bot, None)

    def goes(self, bot: int) -> None:
        """Note that a bot is not here any more."""
        del self.here[bot]
        self.left[bot] = self.clock()

    async def serve(self, socket: WebSocket, bot: int) -> None:
        """Keep a bot until it leaves; the newest of its connections counts."""
        if len(self.here) >= MOST_BOTS and bot not in self.here:
            await socket.close(4429, "there are too many bots; try again later")
            return
        mine = BotSocket(socket)
        former = self.here.get(bot)
        self.comes(bot, mine)
        if former is not None:
            former.leave()
            with suppress(RuntimeError):
                await former.socket.close(4409, "the same bot has come again")
        try:
            await socket.send_text(json.dumps({"ready": True}))
            while True:
                text = await socket.receive_text()
                if len(text) > LONGEST_LINE:
                    raise ValueError("an answer is too long")
                mine.hear(text)
        except (WebSocketDisconnect, RuntimeError):
            pass
        except (ValueError, RecursionError):
            with suppress(RuntimeError):
                await socket.close(4400, 'an answer is {"id": ..., "answer": {...}}')
        finally:
            mine.leave()
            if self.here.get(bot) is mine:
                self.goes(bot)

    async def pass_on(self, bot: int, line: str, seconds: float | None) -> dict[str, Any]:
        """Pass a worker's line on, and return what it is told."""
        there = self.here.get(bot)
        if there is None or there.socket.client_state is not WebSocketState.CONNECTED:
            return {"forfeit": "its author's machine is not connected"}
        try:
            if seconds is None:
                await there.tell(line)
                return {}
            return {"answer": await there.ask(line, seconds)}
        except NotReading:
            await self.drop(bot, there)
            return {"forfeit": "its author's machine does not read what it is sent"}
        except TimeoutError:
            return {"forfeit": f"no answer within {seconds:g} s"}
        except (ConnectionError, WebSocketDisconnect, RuntimeError):
            return {"forfeit": "its author's machine left the game"}

    async def drop(self, bot: int, there: BotSocket) -> None:
        """Let a bot go that is not to be reached; it may come again."""
        there.leave()
        if self.here.get(bot) is there:
            self.goes(bot)
        with suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            await asyncio.wait_for(there.socket.close(4408, "nothing is read"), SECONDS_TO_CLOSE)


async def introduction(socket: WebSocket) -> Mapping[str, str]:
    """Return who comes: the first message names league, bot and token."""
    try:
        text = await asyncio.wait_for(socket.receive_text(), SECONDS_TO_INTRODUCE)
        found = json.loads(text)
        return {name: str(found[name])[:200] for name in ("league", "bot", "token")}
    except (TimeoutError, ValueError, KeyError, TypeError, RecursionError):
        raise SandtableError('begin with {"league": ..., "bot": ..., "token": ...}') from None
