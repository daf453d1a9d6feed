"""What workers ask for: deals, more time, files, the ear of remote bots; and what they bring."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandtable.league.application import LeaguesNow, Worker
from sandtable.league.bots import file_data
from sandtable.league.queue import Wants
from sandtable.league.store import LONGEST_MOVE

__all__ = ["router"]

router = APIRouter(dependencies=[Worker])

Words = Annotated[str, Field(max_length=200)]
WorkerName = Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,60}$")]
DealNumber = Annotated[int, Field(ge=1, lt=2**31)]
LONGEST_RECORD = 4_000_000


class Body(BaseModel):
    """What a request brings; fields that are not known are mistakes."""

    model_config = ConfigDict(extra="forbid")


class LeaseWanted(Body):
    """A worker that has nothing to do."""

    worker: WorkerName
    sandbox: bool
    games: Annotated[dict[Words, int], Field(max_length=1000)]
    most: Annotated[int, Field(ge=1, le=32)]


class LeaseNamed(Body):
    """A lease."""

    lease: Words


class Renewed(LeaseNamed):
    """A lease, and who has it."""

    worker: WorkerName | None = None
    sandbox: bool = False


class GivenBack(LeaseNamed):
    """A lease, and those of its deals that could not be played."""

    lost: Annotated[list[DealNumber], Field(max_length=32)] = []


class Brought(LeaseNamed):
    """A deal that was played."""

    deal: DealNumber
    records: Annotated[list[Annotated[str, Field(max_length=LONGEST_RECORD)]], Field(max_length=64)]
    worker: Words = ""


class LineForBot(LeaseNamed):
    """A line for a remote bot."""

    deal: DealNumber
    bot: Annotated[int, Field(ge=1, lt=2**31)]
    line: Annotated[str, Field(max_length=LONGEST_RECORD)]
    seconds: Annotated[float, Field(gt=0, le=LONGEST_MOVE)] | None


@router.post("/lease")
def lease(leagues: LeaguesNow, wanted: LeaseWanted) -> dict[str, Any]:
    """Lease deals; none where there is nothing to play now."""
    leagues.seen(wanted.worker, wanted.sandbox)
    found = leagues.queue.lease(
        Wants(wanted.worker, wanted.most, wanted.sandbox, leagues.presence(), wanted.games)
    )
    return {
        "lease": found.token,
        "seconds": found.seconds,
        "deals": list(found.deals),
        "elsewhere": found.elsewhere,
    }


@router.post("/renew")
def renew(leagues: LeaguesNow, wanted: Renewed) -> dict[str, Any]:
    """Keep what is being played."""
    if wanted.worker is not None:
        leagues.seen(wanted.worker, wanted.sandbox)
    return {"deals": leagues.queue.renew(wanted.lease)}


@router.post("/release")
def release(leagues: LeaguesNow, wanted: GivenBack) -> dict[str, Any]:
    """Give back what is not played."""
    leagues.queue.release(wanted.lease, wanted.lost)
    return {}


@router.post("/result")
async def result(leagues: LeaguesNow, request: Request) -> dict[str, Any]:
    """Take the games of a deal; those of one that is there already change nothing.

    It may be large, so it is read only when the token has been looked at.
    """
    try:
        brought = Brought.model_validate_json(await request.body())
    except ValidationError:
        raise HTTPException(422, "a result has a lease, a deal and its records") from None
    new = await asyncio.to_thread(
        leagues.queue.finish, brought.deal, brought.records, brought.worker
    )
    return {"new": new}


@router.get("/files/{digest}")
def file(leagues: LeaguesNow, digest: str) -> Response:
    """Send the file of a bot."""
    return Response(file_data(leagues.store, digest), media_type="application/octet-stream")


@router.post("/ask")
async def ask(leagues: LeaguesNow, question: LineForBot) -> dict[str, Any]:
    """Pass a line on to a remote bot of a deal that this lease has."""
    held = await asyncio.to_thread(leagues.queue.holds, question.lease, question.deal)
    if question.bot not in held:
        raise HTTPException(409, "this lease has no such deal any more")
    return await leagues.remote.pass_on(question.bot, question.line, question.seconds)
