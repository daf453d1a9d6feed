"""Tools beside the moves of a game: advice, draws, giving up, taking back, another game."""

from __future__ import annotations

from typing import Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations

from sandtable.assistants.calls import AgentSpec, GameHandle, answer, teller, with_progress
from sandtable.assistants.host import Host
from sandtable.assistants.running_server import RunningServer
from sandtable.assistants.tools.playing import USUAL_WAIT, look_at
from sandtable.screens import Data

__all__ = ["add"]

HINT_SECONDS = 120.0  # the first one may have to be compiled
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def add(server: MCPServer[Any], host: Host, running: RunningServer) -> None:
    """Give a server these tools."""

    @server.tool(annotations=CHANGES)
    async def take_back(
        game: GameHandle, what: Literal["action", "turn"] = "action"
    ) -> CallToolResult:
        """Take back your last action of a turn that is still open, or your last turn.

        A turn can be taken back only if all others are programs.
        """
        found = await host.seat(game)
        await found.ask({"type": "undo", "ply": found.now["ply"], "scope": what})
        return answer(*await look_at(found))

    @server.tool(annotations=CHANGES)
    async def resign(game: GameHandle) -> CallToolResult:
        """Give your game up."""
        found = await host.seat(game)
        await found.ask({"type": "resign"})
        return answer(*await look_at(found))

    @server.tool(annotations=CHANGES)
    async def draw(game: GameHandle, say: Literal["offer", "accept", "decline"]) -> CallToolResult:
        """Offer a draw, or answer an offer, in games of two that are played for a win."""
        found = await host.seat(game)
        await found.ask({"type": "draw", "answer": say})
        return answer(*await look_at(found))

    @server.tool(annotations=CHANGES)
    async def play_again(game: GameHandle, context: Context[Any, Any]) -> CallToolResult:
        """Offer or accept another game with the same seats, once yours is over."""
        found = await host.seat(game)
        if found.now["rematch"]["room"] is None:
            await found.ask({"type": "rematch"})
        link = found.now["rematch"]["link"]
        if link is None:
            words = "The others are asked for another game; call play_again again to see."
            return answer(words, {"game": None})
        way = running.invitation(link)
        assert way.token is not None
        if found.link is None:
            host.ways[way.token] = way.room
            again = await host.sit(way.token)
        else:
            again = await host.add(running.seat(way.room, way.token))
        await again.settle(USUAL_WAIT, teller(context))
        text, data = await look_at(again)
        return answer(f"The name of your new game: {again.name}\n\n{text}", data)

    @server.tool(annotations=READS)
    async def ask_agent(
        game: GameHandle, context: Context[Any, Any], agent: AgentSpec | None = None
    ) -> CallToolResult:
        """Ask a program what it would play in your place, and what it thinks of your position.

        It sees what you see and nothing more. Only on your turn, and only if all others are
        programs. Without an agent the adviser of the game answers.
        """
        found = await host.seat(game)
        asked: Data = {"type": "hint"} | ({} if agent is None else {"agent": agent})
        work = found.ask(asked, "hint", HINT_SECONDS)
        told = await with_progress(work, teller(context), HINT_SECONDS, "the program thinks")
        return answer(advice(told), {key: told[key] for key in ("agent", "text", "thoughts")})


def advice(told: Data) -> str:
    """Tell in words what a program would play."""
    lines = [f"{told['agent']} would play: {told['text']}"]
    thoughts = told["thoughts"]
    if thoughts is None:
        return lines[0]
    meaning = {"chance": "chance to win", "score": "final score"}.get(
        thoughts["scale"], "its own numbers"
    )
    if thoughts["value"] is not None:
        lines.append(f"It values your position at {thoughts['value']:g} ({meaning}).")
    for each in thoughts["candidates"]:
        value = "" if each["value"] is None else f" value {each['value']:g}"
        share = "" if each["share"] is None else f" share {each['share']:g}"
        lines.append(f"  {each['text']}:{value}{share}")
    for belief in thoughts["beliefs"]:
        ranks = ", ".join(f"{what} {chance:g}" for what, chance in belief["ranks"].items())
        lines.append(f"  it believes of {belief['place']}: {ranks}")
    return "\n".join(lines)
