"""An assistant for tests: the SDK's own client, with every answer checked."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

from mcp import Client

from sandtable.assistants.host import Host, HostSettings
from sandtable.assistants.running_server import RunningServer
from sandtable.assistants.service import make_service

NOWHERE = "http://127.0.0.1:1"


class Assistant:
    """A client that reads answers as an assistant would."""

    def __init__(self, client: Client, host: Host | None = None) -> None:
        self.client, self.host = client, host
        self.heard: list[str] = []  # all that was ever told
        self.progress: list[tuple[float, float | None, str | None]] = []

    async def raw(self, tool: str, **arguments: Any) -> tuple[bool, str, Any]:
        async def note(done: float, total: float | None, words: str | None) -> None:
            self.progress.append((done, total, words))

        result = await self.client.call_tool(tool, arguments, progress_callback=note)
        text = "\n".join(block.text for block in result.content)
        self.heard.append(f"{text} {result.structured_content}")
        return bool(result.is_error), text, result.structured_content

    async def call(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        wrong, text, data = await self.raw(tool, **arguments)
        assert not wrong, text
        return text, data

    async def refused(self, tool: str, **arguments: Any) -> str:
        wrong, text, data = await self.raw(tool, **arguments)
        assert wrong, text
        assert data is None
        assert text.strip() == text and len(text.splitlines()) == 1, text
        assert "Traceback" not in text
        return text


@asynccontextmanager
async def assistant(server: str = NOWHERE, mode: str = "auto", **more: Any):
    async with (
        Host(HostSettings(**more)) as host,
        Client(make_service(host, RunningServer(server)), mode=mode) as client,
    ):
        yield Assistant(client, host)


async def play_out(players: dict[str, tuple[Assistant, str]], most: int = 1000) -> dict[str, Any]:
    """Play a game to its end, every seat its first, middle or last action in turn; the last look.

    ``players`` are by seat: who plays it, and the name of its game.
    """
    name = next(iter(players))
    for number in range(most):
        who, game = players[name]
        _, data = await who.call("look", game=game, wait=0)
        if data["over"]:
            return data
        if not data["your_turn"]:
            name = next(seat for seat in players if data["view"]["to_move"] == seat)
            continue
        legal = data["legal"]
        await who.call("play", game=game, actions=legal[number * 7 % len(legal)], wait=0)
    raise AssertionError("the game does not end")
