"""Routes: the archive of finished games, their replay, and questions about them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from sandtable.errors import BrokenRecord, SandtableError
from sandtable.records import replay
from sandtable.records.lines import record_from_line, record_to_line
from sandtable.records.record import Record
from sandtable.server.application import KnowsAll, Operator, Server, ServerNow
from sandtable.server.archive_list import Day, GameIds, Who, narrowed_games
from sandtable.server.connections import Refused
from sandtable.server.jobs import Job
from sandtable.server.replays import analysis_request
from sandtable.server.requests import Question, RecordLines
from sandtable.server.routes.rooms import download, room_of
from sandtable.server.table import Table

__all__ = ["router"]

router = APIRouter()

GameId = Annotated[str, InPath(pattern=r"^[0-9a-f]{1,40}-[0-9]{1,18}$")]
NameFilter = Annotated[str | None, Query(max_length=100)]
Experiments = Annotated[str | None, Query(pattern=r"^[0-9a-f]{1,40}(,[0-9a-f]{1,40}){0,63}$")]
MOST_RECORDS = 2000  # in one upload
MOST_DOWNLOADED = 100_000
ANALYSIS_SECONDS = 120.0


@router.get("/archive", response_model=None)
async def search(
    server: ServerNow,
    everything: KnowsAll,
    game: NameFilter = None,
    agent: NameFilter = None,
    experiments: Experiments = None,
    offset: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """Search the archive; without the key, games of listed rooms."""
    return await server.desk.archive_page(
        "games",
        game=game,
        agent=agent,
        experiments=None if experiments is None else experiments.split(","),
        everything=everything,
        offset=offset,
        limit=limit,
    )


@router.get("/archive/records")
async def download_all(
    server: ServerNow,
    everything: KnowsAll,
    game: NameFilter = None,
    agent: NameFilter = None,
    who: Who = None,
    only: GameIds = None,
    since: Day = None,
    until: Day = None,
) -> StreamingResponse:
    """Give all records that are found, as JSON lines."""
    asked: dict[str, Any] = {
        "game": game,
        "agent": agent,
        "who": who,
        "since": since,
        "until": until,
    }
    asked |= {"only": None if only is None else only.split(","), "everything": everything}

    def lines() -> Iterator[str]:
        query = narrowed_games(asked)
        for number, finding in enumerate(server.archive.search(query)):
            if number >= MOST_DOWNLOADED:
                return
            if finding.record is not None:
                yield record_to_line(finding.record) + "\n"

    headers = {"Content-Disposition": 'attachment; filename="games.jsonl"'}
    pieces = server.desk.download(lines())
    return StreamingResponse(pieces, headers=headers, media_type="application/jsonl")


@router.get("/archive/{identity}", response_model=None)
async def get_game(server: ServerNow, everything: KnowsAll, identity: GameId) -> Response:
    """Tell about one game."""
    return await server.desk.archive_page("game", identity=identity, everything=everything)


@router.get("/archive/{identity}/record", response_class=PlainTextResponse)
async def get_record(
    server: ServerNow, everything: KnowsAll, identity: GameId
) -> PlainTextResponse:
    """Give the record of one game."""
    line = await server.desk.archive_text("record", identity=identity, everything=everything)
    return download(line, identity)


@router.get("/archive/{identity}/steps", response_model=None)
async def get_steps(
    server: ServerNow,
    everything: KnowsAll,
    identity: GameId,
    first: Annotated[int, Query(ge=0, le=1 << 24)] = 0,
    count: Annotated[int, Query(ge=0, le=200)] = 50,
    seat: Annotated[int | None, Query(ge=0, le=7)] = None,
) -> Response:
    """Show some of a game, whole or as a seat saw it."""
    return await server.desk.archive_page(
        "steps", identity=identity, everything=everything, first=first, count=count, seat=seat
    )


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
    agent = question.agent
    if agent is not None:
        from sandtable.server.allowed_specs import allowed_agent

        agent = allowed_agent(agent, server.settings.external)
    request = analysis_request(table, question, agent)

    async def work(job: Job) -> None:
        name = f"analysis {question.what} {table.game.name} {agent}"
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
