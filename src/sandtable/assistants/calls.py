"""What the tools share: answers in words and as data, and progress while something takes long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Annotated, Any, TypeAlias, TypeVar

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent
from pydantic import Field

from sandtable.assistants.seat import TELL_SECONDS, Tell
from sandtable.errors import SandtableError
from sandtable.screens import Data
from sandtable.server.allowed_specs import ONLY_WITH_PERMISSION, allowed_hint
from sandtable.specs import parse_spec

__all__ = [
    "AgentSpec",
    "GameHandle",
    "GameSpec",
    "RecordName",
    "Seconds",
    "answer",
    "modest_agent",
    "teller",
    "with_progress",
]

LONGEST_SPEC = 300
MOST_SECONDS = 55  # most clients give a call up after a minute

GameSpec: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_SPEC,
        description="a game: its name, or name:option=value,... as list_games tells",
    ),
]
AgentSpec: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_SPEC,
        description="an agent: its name, or name:option=value,... as list_agents tells",
    ),
]
GameHandle: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="the name of your game, as start_game, open_room or join_room returned it",
    ),
]
RecordName: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^[0-9a-f]{1,40}-[0-9]{1,18}$",
        description="the name of a finished game, as list_records tells",
    ),
]
Seconds: TypeAlias = Annotated[
    float,
    Field(ge=0, le=MOST_SECONDS, description="how long to wait at most, in seconds"),
]

Found = TypeVar("Found")


def modest_agent(text: str) -> str:
    """Return the clean spec of an agent that an assistant may name: as a guest of the browser.

    >>> modest_agent("random")
    'random'
    """
    name = parse_spec(text).name
    if name in ONLY_WITH_PERMISSION:
        raise SandtableError(
            f"'{name}' is not for assistants: it starts programs, or sends things elsewhere"
        )
    return allowed_hint(text)


def answer(text: str, data: Data) -> CallToolResult:
    """Return what a tool says: words to read, and the same as data for programs.

    >>> answer("It is over.", {"over": True}).structured_content
    {'over': True}
    """
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def teller(context: Context[Any, Any]) -> Tell:
    """Return what tells a client how far something has come."""

    async def tell(passed: float, seconds: float, words: str) -> None:
        await context.report_progress(round(passed, 1), seconds, words)

    return tell


async def with_progress(work: Awaitable[Found], tell: Tell, seconds: float, words: str) -> Found:
    """Wait for something that ends by itself, and tell every second that it goes on."""
    task = asyncio.ensure_future(work)
    began = time.monotonic()
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=TELL_SECONDS)
            if done:
                return task.result()
            await tell(time.monotonic() - began, seconds, words)
    finally:
        if not task.done():
            task.cancel()
