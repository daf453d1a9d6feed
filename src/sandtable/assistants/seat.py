"""A seat that an assistant holds: what it has been told of the game, and what it asks for."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from sandtable.assistants.lines import Line, LineClosed
from sandtable.errors import SandtableError
from sandtable.screens import Data

__all__ = ["Seat", "Tell"]

ANSWER_SECONDS = 20.0  # for whatever is answered at once
STATE_SECONDS = 120.0  # for the first state: a game may have to be compiled
TELL_SECONDS = 1.0  # between two words about what is waited for
FENCE = "pong"

# Called with seconds that have passed, seconds in all, and what is waited for.
Tell: TypeAlias = Callable[[float, float, str], Awaitable[None]]


@dataclass(eq=False)
class Question:
    """A message that waits for its answer."""

    identity: str
    answer: str  # the type of the message that answers it
    future: asyncio.Future[Data]
    problem: str | None = None


class Seat:
    """Follows the messages to one seat; all it knows has come that way."""

    def __init__(
        self, name: str, open_line: Callable[[], Awaitable[Line]], link: str | None = None
    ) -> None:
        self.name, self.open_line, self.link = name, open_line, link
        self.line: Line | None = None
        self.facts: Data = {}
        self.now: Data = {}
        self.log: dict[int, Data] = {}  # by ply
        self.you: int | None = None
        self.told = 0  # up to which ply its holder has been told
        self.gone: str | None = None  # why the line is closed
        self.questions: list[Question] = []
        self.news = asyncio.Condition()
        self.numbers = itertools.count(1)
        self.following: asyncio.Task[None] | None = None
        self.opening = asyncio.Lock()  # calls may come side by side

    # --- facts ------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Nothing can be played any more."""
        return bool(self.now) and self.now["turn"] is None

    @property
    def to_act(self) -> bool:
        """It is this seat's turn."""
        return bool(self.now) and self.now["legal"] is not None

    @property
    def spec(self) -> str:
        """The game that is played."""
        return str(self.facts["game"])

    @property
    def title(self) -> str:
        """What people call this seat."""
        return "nobody" if self.you is None else str(self.facts["seats"][self.you]["title"])

    # --- the line ---------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Open the line, or open it again after a break."""
        async with self.opening:
            whole = self.gone is None or self.over  # of a game that is over all is known
            if self.line is None or not whole:
                await self.open()

    async def open(self) -> None:
        """Open the line and wait for the first state."""
        if self.line is not None:
            await self.line.close()
        self.gone, self.now = None, {}
        self.line = await self.open_line()
        self.following = asyncio.create_task(self.follow(self.line))
        try:
            async with asyncio.timeout(STATE_SECONDS), self.news:
                await self.news.wait_for(lambda: bool(self.now) or self.gone is not None)
        except TimeoutError:
            self.gone = "the server does not answer"
        if not self.now:
            raise SandtableError(self.gone or "the line is closed")

    async def follow(self, line: Line) -> None:
        """Take in messages until there are no more."""
        try:
            while True:
                self.hear(await line.receive())
                async with self.news:
                    self.news.notify_all()
        except LineClosed as problem:
            self.gone = self.gone or str(problem)
        except (KeyError, TypeError, ValueError):
            self.gone = "the server sent what is no message"
        finally:
            self.gone = self.gone or "the line is closed"
            for question in self.questions:
                if not question.future.done():
                    question.future.set_exception(SandtableError(self.gone))
            self.questions.clear()
            async with self.news:
                self.news.notify_all()

    async def close(self) -> None:
        """Let the seat go; its game stays."""
        if self.following is not None:
            self.following.cancel()
            with suppress(asyncio.CancelledError):
                await self.following
        if self.line is not None:
            await self.line.close()

    def hear(self, message: Data) -> None:
        """Take in one message."""
        kind = message["type"]
        if kind == "state":
            self.facts, self.you, self.now = message["room"], message["you"], message["now"]
            self.log = {entry["ply"]: entry for entry in message["log"]}
            self.told = min(self.told, self.now["ply"])
        elif kind == "steps":
            self.now = message["now"]
            for step in message["steps"]:
                self.log[step["ply"]] = {key: step[key] for key in step if key != "board"}
        elif kind in ("draw", "rematch") and self.now:
            self.now[kind] = {key: message[key] for key in message if key != "type"}
        elif kind == "error":
            self.hear_error(message)
            return
        asked = next((each for each in self.questions if each.answer == kind), None)
        if asked is not None:
            self.questions.remove(asked)
            if not asked.future.done():
                asked.future.set_result(message)

    def hear_error(self, message: Data) -> None:
        """Take in that something cannot be done; what waits for a fence hears of it there."""
        if message["code"] == "token":
            self.gone = str(message["text"])
        for asked in [each for each in self.questions if each.identity == message.get("id")]:
            asked.problem = str(message["text"])
            if asked.answer != FENCE:
                self.questions.remove(asked)
                if not asked.future.done():
                    asked.future.set_exception(SandtableError(asked.problem))

    # --- asking -----------------------------------------------------------------------------------

    async def ask(
        self, message: Data, answer: str = FENCE, seconds: float = ANSWER_SECONDS
    ) -> Data:
        """Send a message and return what answers it, or raise a SandtableError.

        Most messages are answered by nothing if all is well; a ping behind them is a fence.
        """
        assert self.line is not None
        identity = str(next(self.numbers))
        future: asyncio.Future[Data] = asyncio.get_running_loop().create_future()
        question = Question(identity, answer, future)
        self.questions.append(question)
        try:
            await self.line.send(message | {"id": identity})
            if answer == FENCE:
                await self.line.send({"type": "ping"})
            async with asyncio.timeout(seconds):
                found = await future
        except TimeoutError:
            raise SandtableError(f"no answer within {seconds:g} s") from None
        finally:
            # A fence that nobody waits for any more is still to come, and must not open another.
            if question in self.questions and answer != FENCE:
                self.questions.remove(question)
        if question.problem is not None:
            raise SandtableError(question.problem)
        return found

    async def view(self) -> Data:
        """Return the position as text; a server that cannot tell it is asked no more."""
        try:
            return await self.ask({"type": "look"}, "view")
        except SandtableError:
            return {"type": "view", "ply": self.now["ply"], "line": None, "text": None}

    async def play(self, actions: list[int]) -> None:
        """Play actions in a row."""
        await self.ask({"type": "play", "ply": self.now["ply"], "actions": actions})

    async def settle(self, seconds: float, tell: Tell) -> None:
        """Wait until this seat is to act or the game is over, for so long."""
        began = time.monotonic()
        while not (self.to_act or self.over or self.gone):
            passed = time.monotonic() - began
            if passed >= seconds:
                return
            await tell(passed, seconds, self.waits_for())
            with suppress(TimeoutError):
                async with asyncio.timeout(min(TELL_SECONDS, seconds - passed)), self.news:
                    await self.news.wait()

    def waits_for(self) -> str:
        """Say who is to act."""
        turn = self.now.get("turn")
        if turn is None:
            return str(self.now.get("status", ""))
        held = self.facts["seats"][turn]
        if held["kind"] == "person":
            return f"{held['title']} ({held['name']}) is to act"
        getting_ready = self.now.get("preparing")
        return f"{held['title']} ({held['agent']}) " + (
            "gets ready to play" if getting_ready else "thinks"
        )

    def untold(self) -> list[Data]:
        """Return what has happened since its holder was told, and note that it is told now."""
        found = [self.log[ply] for ply in sorted(self.log) if ply > self.told]
        self.told = self.now["ply"]
        return found

    def outcome(self) -> dict[str, Any] | None:
        """Return how the game ended."""
        found: dict[str, Any] | None = self.now.get("outcome")
        return found
