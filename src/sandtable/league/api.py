"""What authors and programs ask for, as JSON: joining, registering, the table, tests, and bots'
sockets."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse
from pydantic import Field

from sandtable.errors import SandtableError
from sandtable.league.application import NOT_SEEN, AuthorNow, LeagueHere, Leagues, LeaguesNow
from sandtable.league.bots import (
    add_author,
    add_bot,
    author_by_token,
    bots_of,
    retire,
)
from sandtable.league.kinds import PROGRAM, REMOTE, WEIGHTS
from sandtable.league.link import client_text
from sandtable.league.relay import introduction
from sandtable.league.store import League, NoSuchThing
from sandtable.league.trials import add_trial
from sandtable.league.work_routes import Body
from sandtable.server.listener import network_of

__all__ = ["league_data", "router"]

router = APIRouter()

Name = Annotated[str, Field(max_length=100)]
NOT_ACCEPTED = (
    "{} are not accepted here: there is no sandbox on this server (its operator may start it with "
    "--programs)"
)


class Joining(Body):
    """Somebody who joins a league."""

    name: Name
    key: Annotated[str, Field(max_length=200)] | None = None


class TestWanted(Body):
    """A test of a bot against another."""

    first: Name
    second: Name
    low: Annotated[float, Field(ge=-2000, le=2000)] = 0.0
    high: Annotated[float, Field(ge=-2000, le=2000)] = 20.0
    most: Annotated[int, Field(ge=8, le=100_000)] = 2000


def league_data(leagues: Leagues, league: League) -> dict[str, Any]:
    """Return a league as JSON has it: nothing of it tells dice to come."""
    return {
        "name": league.name,
        "title": league.title,
        "game": league.game_spec,
        "version": league.version,
        "move_time": league.move_time,
        "private": league.private,
        "deals": leagues.queue.waiting(league),
        "table": leagues.standings(league).as_data(),
    }


@router.get("/leagues")
def listed(leagues: LeaguesNow) -> list[dict[str, Any]]:
    """List the public leagues."""
    return [
        {"name": each.name, "title": each.title, "game": each.game_spec}
        for each in leagues.store.leagues()
        if not each.private
    ]


@router.get("/leagues/{league}")
def shown(leagues: LeaguesNow, league: LeagueHere) -> dict[str, Any]:
    """Return where a league stands."""
    return league_data(leagues, league)


@router.post("/leagues/{league}/authors")
def join(leagues: LeaguesNow, league: str, wanted: Joining, request: Request) -> dict[str, str]:
    """Join a league; the token is told this once."""
    try:
        found = leagues.store.league(league)
    except NoSuchThing:
        found = None
    if found is None or not found.opens(wanted.key):
        raise HTTPException(404, NOT_SEEN)
    address = network_of(request.client.host if request.client else "unknown")
    if not found.private and not leagues.may_join(address):
        raise HTTPException(429, "too many have joined from your address; wait a minute")
    return {"token": add_author(leagues.store, found, wanted.name)}


@router.post("/leagues/{league}/bots")
async def register(
    leagues: LeaguesNow,
    league: LeagueHere,
    author: AuthorNow,
    request: Request,
    name: Annotated[str, Query(max_length=100)],
    kind: Annotated[str, Query(max_length=20)],
    spec: Annotated[str, Query(max_length=500)] = "",
) -> dict[str, Any]:
    """Register a bot; the body is its file, if it has one."""
    data = await request.body()
    if kind == PROGRAM and not leagues.programs:
        raise HTTPException(409, NOT_ACCEPTED.format("programs"))
    if kind == WEIGHTS and not leagues.weights:
        raise HTTPException(409, NOT_ACCEPTED.format("weights"))
    made = await asyncio.to_thread(
        add_bot, leagues.store, league, author, name, kind, spec, data or None
    )
    return made.as_data()


@router.get("/leagues/{league}/bots")
def bots(leagues: LeaguesNow, league: LeagueHere) -> list[dict[str, Any]]:
    """List the bots of a league."""
    return [bot.as_data() for bot in bots_of(leagues.store, league)]


@router.post("/leagues/{league}/bots/{bot}/retire")
def retired(leagues: LeaguesNow, league: LeagueHere, author: AuthorNow, bot: str) -> dict[str, str]:
    """Retire a bot; its games stay."""
    retire(leagues.store, league, author, bot)
    return {"retired": bot}


@router.post("/leagues/{league}/tests")
def test(
    leagues: LeaguesNow, league: LeagueHere, author: AuthorNow, wanted: TestWanted
) -> dict[str, int]:
    """Begin a sequential test of a bot of one's own."""
    made = add_trial(
        leagues.store, league, wanted.first, wanted.second,
        low=wanted.low, high=wanted.high, most=wanted.most, author=author,
    )  # fmt: skip
    return {"test": made.id}


@router.get("/client.py")
def client() -> PlainTextResponse:
    """Return the library for bots on their authors' machines: one file."""
    return PlainTextResponse(client_text(), media_type="text/x-python")


@router.websocket("/bot")
async def bot_socket(socket: WebSocket) -> None:
    """Keep the connection of a remote bot."""
    leagues: Leagues = socket.app.state.leagues
    await socket.accept()
    try:
        said = await introduction(socket)
        number = await asyncio.to_thread(bot_of_token, leagues, said)
    except WebSocketDisconnect:
        return
    except SandtableError as problem:
        with suppress(RuntimeError):
            await socket.close(4401, str(problem)[:100])
        return
    await leagues.remote.serve(socket, number)


def bot_of_token(leagues: Leagues, said: Any) -> int:
    """Return the remote bot that somebody may speak for."""
    author = author_by_token(leagues.store, said["token"])
    wrong = "no remote bot of this name and token in that league"
    try:
        league = leagues.store.league(said["league"])
    except NoSuchThing:
        raise SandtableError(wrong) from None
    for bot in bots_of(leagues.store, league):
        own = author is not None and author.league == league.id and bot.author == author.name
        if own and bot.name == said["bot"] and bot.kind == REMOTE and bot.plays:
            return bot.id
    raise SandtableError(wrong)
