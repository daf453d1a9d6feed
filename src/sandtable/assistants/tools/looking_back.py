"""Tools: finished games, move by move, and what programs think of them."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from sandtable.assistants.calls import (
    AgentSpec,
    RecordName,
    answer,
    modest_agent,
    teller,
    with_progress,
)
from sandtable.assistants.host import Host
from sandtable.assistants.running_server import RunningServer
from sandtable.assistants.telling import happened
from sandtable.errors import SandtableError
from sandtable.records.lines import record_from_line, record_to_line
from sandtable.records.record import Record
from sandtable.screens import Data
from sandtable.server.archive_pages import matching_games
from sandtable.server.replays import Replays, analysis_request, archived_game
from sandtable.server.requests import Question
from sandtable.server.table import EVERYTHING, Table

__all__ = ["add"]

MOST_STEPS = 200
MOST_LISTED = 100
ANALYSIS_SECONDS = 120.0
ARCHIVE_SECONDS = 10.0  # in which a game that has just ended is kept
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Filter = Annotated[str | None, Field(max_length=100)]
Place = Annotated[int, Field(ge=0, le=1 << 24)]
SeatName = Annotated[
    str | None,
    Field(max_length=40, description="as this seat saw the game; none: everything"),
]


def add(server: MCPServer[Any], host: Host, running: RunningServer) -> None:
    """Give a server these tools."""
    replays = Replays()

    @server.tool(annotations=READS)
    async def list_records(
        game: Filter = None,
        agent: Filter = None,
        offset: Annotated[int, Field(ge=0, le=1 << 31)] = 0,
        limit: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 20,
    ) -> CallToolResult:
        """List finished games of the archive, the newest first; by game and agent if wanted."""
        asked: Data = {"game": game, "agent": agent, "everything": True}
        asked |= {"offset": offset, "limit": limit}
        found = json.loads(await asyncio.to_thread(matching_games, host.archive, asked))
        data = [listed(each) for each in found["games"]]
        lines = [f"{found['total']} finished games, {len(data)} shown:"]
        lines += [f"  {record_words(each)}" for each in data]
        return answer("\n".join(lines), {"total": found["total"], "records": data})

    @server.tool(annotations=READS)
    async def show_record(
        record: RecordName,
        first: Place = 0,
        count: Annotated[int, Field(ge=0, le=MOST_STEPS)] = 30,
        seat: SeatName = None,
    ) -> CallToolResult:
        """Look at a finished game: its players and result, some actions, the board after them.

        'first' and 'count' choose the actions after which the board is drawn.
        """
        kept = await found_record(host, running, record)
        table = await replays.table(kept)
        return answer(*await asyncio.to_thread(shown, kept, table, first, count, seat))

    @server.tool(annotations=READS)
    async def analyse_record(
        record: RecordName,
        context: Context[Any, Any],
        ply: Place = 0,
        agent: AgentSpec | None = None,
        playouts: Annotated[int, Field(ge=10, le=2000)] = 200,
    ) -> CallToolResult:
        """Ask what could be played in a finished game after 'ply' actions, the best first.

        An agent that has values answers from the view of whoever is to move; without an agent
        every action is judged by random playouts, with intervals.
        """
        kept = await found_record(host, running, record)
        table = await replays.table(kept)
        bounded = None if agent is None else await asyncio.to_thread(modest_agent, agent)
        question = Question(what="candidates", archive=record, ply=ply, playouts=playouts)
        request = analysis_request(table, question, bounded)
        name = f"analysis candidates {table.game.name} {bounded}"
        work = host.pool.ask(request, limit=ANALYSIS_SECONDS, name=name)
        reply = await with_progress(work, teller(context), ANALYSIS_SECONDS, "it is thought about")
        result: Data = reply["result"]
        return answer(candidates_words(table, ply, result), result)


async def found_record(host: Host, running: RunningServer, name: str) -> Record:
    """Return a finished game: of the archive here, or one that was played on the running server."""
    for seat in host.seats.values():
        if seat.link is not None and seat.now.get("archive") == name:
            data = await running.get(f"/api/rooms/{seat.facts['room']}/record")
            return record_from_line(json.dumps(data), name)
    deadline = time.monotonic() + ARCHIVE_SECONDS
    while host.rooms.archiving and time.monotonic() < deadline:  # it is on its way there
        await asyncio.sleep(0.02)
    return await host.rooms.archived(name)


def listed(found: Data) -> Data:
    """Return what a list tells of one game."""
    return {
        "record": found["id"],
        "game": found["game"],
        "players": dict(zip(found["seats"], found["names"], strict=True)),
        "outcome": found["outcome"],
        "plies": found["plies"],
    }


def record_words(found: Data) -> str:
    """Tell of one game in a line."""
    players = ", ".join(f"{seat} {name}" for seat, name in found["players"].items())
    outcome = found["outcome"]
    end = "broken off" if outcome is None else outcome["reason"]
    scores = "" if outcome is None else f" {outcome['scores']}"
    return f"{found['record']}: {found['game']}; {players}; {found['plies']} actions; {end}{scores}"


def shown(
    record: Record, table: Table, first: int, count: int, seat: str | None
) -> tuple[str, Data]:
    """Return some of a recorded game, whole or as a seat saw it, as text and as data."""
    game = table.game
    viewer = EVERYTHING if seat is None else game.seat_number(seat)
    if first > table.ply:
        raise SandtableError(f"that game has {table.ply} actions, not {first}")
    last = min(first + count, table.ply)
    entries = [table.log_entry(ply, viewer) for ply in range(first + 1, last + 1)]
    titles = [{"title": title} for title in table.screen.titles()]
    view = table.shown(last, viewer)
    assert view is not None
    about = listed(archived_game(record))
    line = game.notation.position_line(view)
    parts = [
        record_words(about),
        "\n".join(happened({"seats": titles}, entries)),
        f"After {last} of {table.ply} actions:\n{game.drawing.text(view).rstrip()}",
        f"In one line: {line}",
    ]
    data = about | {
        "first": first,
        "actions": [entry["text"] for entry in entries],
        "position": line,
        "line": record_to_line(record) if seat is None else None,
    }
    return "\n\n".join(part for part in parts if part), data


def candidates_words(table: Table, ply: int, found: Data) -> str:
    """Tell in words what could be played."""
    by = found["by"] or f"{found['playouts']} random playouts of each action"
    seat = table.game.seats[found["seat"]]
    lines = [f"After {ply} actions {seat} is to move. By {by} (scale: {found['scale']}):"]
    for each in found["candidates"]:
        value = "" if each["value"] is None else f" {each['value']:g}"
        between = "" if each["low"] is None else f" ({each['low']:g} to {each['high']:g})"
        lines.append(f"  {each['text']}:{value}{between}")
    return "\n".join(lines)
