"""Routes: the archive of finished games, their replay, and questions about them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from fastapi.responses import PlainTextResponse, StreamingResponse
from sqlalchemy import func, select, text

from sandtable.errors import BrokenRecord, SandtableError
from sandtable.records import replay
from sandtable.records.archive import Archive
from sandtable.records.lines import record_from_line, record_to_line
from sandtable.records.record import Record
from sandtable.records.schema import narrowed
from sandtable.server.application import Operator, Server, ServerNow
from sandtable.server.connections import Refused
from sandtable.server.jobs import Job
from sandtable.server.replays import archived_game, curve_plies, steps_of
from sandtable.server.requests import Question, RecordLines
from sandtable.server.routes.rooms import download, room_of
from sandtable.server.table import Table
from sandtable.server.worker import packed

__all__ = ["router"]

router = APIRouter()

GameId = Annotated[str, InPath(pattern=r"^[0-9a-f]{1,40}-[0-9]{1,18}$")]
NameFilter = Annotated[str | None, Query(max_length=100)]
MOST_RECORDS = 2000  # in one upload
MOST_DOWNLOADED = 100_000
ANALYSIS_SECONDS = 120.0


def matching_games(
    archive: Archive, game: str | None, agent: str | None, offset: int, limit: int
) -> tuple[int, list[Record]]:
    """Return how many games there are, and some of them, the newest first."""
    query = narrowed(game or None, None, agent or None)
    with archive.reading() as connection:
        total = connection.scalar(select(func.count()).select_from(query.subquery())) or 0
        page = query.order_by(text("games.rowid DESC")).limit(limit).offset(offset)
        common: dict[str, dict[str, Any]] = {}
        findings = [archive.finding(row, common, connection) for row in connection.execute(page)]
    return total, [each.record for each in findings if each.record is not None]


@router.get("/archive")
async def search(
    server: ServerNow,
    game: NameFilter = None,
    agent: NameFilter = None,
    offset: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    """Search the archive."""
    total, records = await asyncio.to_thread(
        matching_games, server.archive, game, agent, offset, limit
    )
    return {"total": total, "games": [archived_game(record) for record in records]}


@router.get("/archive/records")
async def download_all(
    server: ServerNow, game: NameFilter = None, agent: NameFilter = None
) -> StreamingResponse:
    """Give all records that are found, as JSON lines."""

    def lines() -> Iterator[str]:
        for number, finding in enumerate(server.archive.search(narrowed(game, None, agent))):
            if number >= MOST_DOWNLOADED:
                return
            if finding.record is not None:
                yield record_to_line(finding.record) + "\n"

    headers = {"Content-Disposition": 'attachment; filename="games.jsonl"'}
    return StreamingResponse(lines(), headers=headers, media_type="application/jsonl")


@router.get("/archive/{identity}")
async def get_game(server: ServerNow, identity: GameId) -> dict[str, Any]:
    """Tell about one game."""
    return archived_game(await server.rooms.archived(identity))


@router.get("/archive/{identity}/record", response_class=PlainTextResponse)
async def get_record(server: ServerNow, identity: GameId) -> PlainTextResponse:
    """Give the record of one game."""
    record = await server.rooms.archived(identity)
    return download(record_to_line(record) + "\n", record.identity)


@router.get("/archive/{identity}/steps")
async def get_steps(
    server: ServerNow,
    identity: GameId,
    first: Annotated[int, Query(ge=0, le=1 << 24)] = 0,
    count: Annotated[int, Query(ge=0, le=200)] = 50,
    seat: Annotated[int | None, Query(ge=0, le=7)] = None,
) -> dict[str, Any]:
    """Show some of a game, whole or as a seat saw it."""
    table = await server.replays.table(await server.rooms.archived(identity))
    if seat is not None and seat >= len(table.game.seats):
        raise SandtableError(f"{table.game.name} has no seat {seat}")
    return await asyncio.to_thread(steps_of, table, first, count, seat)


@router.post("/archive", dependencies=[Operator])
async def upload(server: ServerNow, wanted: RecordLines) -> dict[str, Any]:
    """Keep records that somebody brings, if they replay."""
    records, problems = await asyncio.to_thread(read_records, wanted.lines)
    added = await asyncio.to_thread(server.archive.add, records)
    return {
        "added": added,
        "known": len(records) - added,
        "ids": [record.identity for record in records],
        "problems": problems,
    }


def read_records(lines: str) -> tuple[list[Record], list[str]]:
    """Read records and play each again; say what is wrong with the others."""
    records: list[Record] = []
    problems: list[str] = []
    given = [line for line in lines.splitlines() if line.strip()]
    if len(given) > MOST_RECORDS:
        raise SandtableError(f"at most {MOST_RECORDS} games at a time, got {len(given)}")
    for number, line in enumerate(given, start=1):
        try:
            record = record_from_line(line, f"line {number}")
            replay.check(record)
            records.append(record)
        except BrokenRecord as problem:
            problems.append(str(problem)[:300])
    return records, problems[:50]


@router.post("/analysis", dependencies=[Operator])
async def ask(server: ServerNow, question: Question) -> dict[str, Any]:
    """Begin to answer a question about a game."""
    table = await asked_about(server, question)
    if question.ply > table.ply:
        raise SandtableError(f"that game has {table.ply} actions, not {question.ply}")
    if question.seat is not None and question.seat >= len(table.game.seats):
        raise SandtableError(f"{table.game.name} has no seat {question.seat}")
    own_views = question.agent is not None and table.game.hidden
    plies = curve_plies(table, own_views) if question.what == "curve" else [question.ply]
    asked = question.model_dump() | {"seed": secrets.randbits(31), "plies": plies}
    if question.agent is not None:
        from sandtable.server.allowed_specs import allowed_agent

        asked["agent"] = allowed_agent(question.agent, server.settings.external)
    request = {
        "operation": "analysis",
        "game": table.game.spec,
        "positions": [packed(table.positions[ply]) for ply in plies],
        "question": asked,
    }

    async def work(job: Job) -> None:
        name = f"analysis {question.what} {table.game.name}"
        reply = await server.pool.ask(request, limit=ANALYSIS_SECONDS, name=name)
        job.result = reply["result"]

    title = f"{question.what} of {question.archive or question.room}"
    return {"job": server.jobs.add(Job("analysis", title), work).job}


async def asked_about(server: Server, question: Question) -> Table:
    """Return the game a question is about, if everything in it may be known."""
    if question.archive is not None:
        return await server.replays.table(await server.rooms.archived(question.archive))
    room = await room_of(server, question.room or "")
    if room.game.hidden and not room.over:
        raise Refused("not_allowed", "this game hides things, and is not over yet")
    return room.table
