"""Routes: the tournaments of classes, for hosts, players and whoever looks on."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Request
from fastapi import Path as InPath
from fastapi.responses import PlainTextResponse, Response

from sandtable.server.addresses import addresses_for_others, qr_picture
from sandtable.server.application import KnowsAll, Operator, Server, ServerNow
from sandtable.server.classes.pages import class_page, class_summary
from sandtable.server.classes.results import csv_text, result_data
from sandtable.server.connections import encoded
from sandtable.server.requests import (
    ClassDecision,
    ClassEntry,
    ClassProgram,
    EntryState,
    NewClass,
    PlayerState,
)

__all__ = ["router"]

router = APIRouter()

ClassName = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{8,20}$")]
PlayerNumber = Annotated[int, InPath(ge=0, le=999)]
Token = Annotated[str | None, Header(max_length=200)]
MOST_LISTED = 50
FRESH_SECONDS = 1.0  # in which all who look get the same text


def token_in(authorization: str | None) -> str | None:
    """Return the token of a header."""
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise HTTPException(401, "write 'Authorization: Bearer TOKEN'")
    return token


def is_host(server: Server, name: str, authorization: str | None, knows_all: bool) -> bool:
    """Say whether somebody has the rights of a host: by a token, or by the server's key."""
    own = server.classes.role(server.classes.find(name), token_in(authorization))[0] == "host"
    return own or (knows_all and server.settings.key is not None)


def check_host(server: Server, name: str, authorization: str | None, knows_all: bool) -> None:
    """Refuse whoever is not the host."""
    if not is_host(server, name, authorization, knows_all):
        raise HTTPException(401, "only the host of the class can do that, by the host's own link")


async def changed_page(server: Server, name: str) -> Response:
    """Return the page of a class after something was done in it."""
    server.classes.pages.pop(name, None)
    return as_page(await page_text(server, name))


async def page_text(server: Server, name: str) -> str:
    """Return the page of a class as text; those who only look get one that is a second old."""
    classes = server.classes
    now = time.monotonic()
    known = classes.pages.get(name)
    if known is not None and known[0] is classes.find(name) and now - known[1] < FRESH_SECONDS:
        return known[2]
    classes.find(name)
    classes.collect(name)
    table = await classes.table(classes.find(name))
    found = classes.find(name)
    text = encoded(class_page(found, table, server.rooms))
    classes.pages[name] = found, now, text
    return text


def as_page(text: str) -> Response:
    """Return text that is JSON."""
    return Response(text, media_type="application/json")


@router.get("/classes")
async def list_classes(server: ServerNow, knows_all: KnowsAll) -> list[dict[str, Any]]:
    """List the tournaments, those that go on first; without the key, those that are listed."""
    known = (each for each in server.classes.known() if knows_all or each.listed)
    found = sorted(known, key=lambda each: (each.over, -each.made_at))
    return [class_summary(each) for each in found[:MOST_LISTED]]


@router.post("/classes", dependencies=[Operator])
async def make_class(server: ServerNow, wanted: NewClass) -> dict[str, Any]:
    """Make a tournament."""
    made = await server.classes.make(wanted)
    link = f"/class/{made.name}"
    return {
        "name": made.name,
        "host": made.host,
        "link": link,
        "host_link": f"{link}#host={made.host}",
    }


@router.get("/classes/{name}", response_model=None)
async def get_class(server: ServerNow, name: ClassName) -> Response:
    """Tell who plays whom, the results and the standings."""
    return as_page(await page_text(server, name))


@router.get("/classes/{name}/me")
async def get_me(
    server: ServerNow, name: ClassName, knows_all: KnowsAll, authorization: Token = None
) -> dict[str, Any]:
    """Tell somebody who they are here, and the way to their games."""
    tournament = server.classes.find(name)
    _, number = server.classes.role(tournament, token_in(authorization))
    games = [] if number is None else server.classes.games_of(tournament, number)
    host = is_host(server, name, authorization, knows_all)
    return {"host": host, "player": number, "games": games}


@router.get("/classes/{name}/code.svg", response_model=None)
async def get_code(server: ServerNow, name: ClassName, request: Request) -> Response:
    """Give the link for guests as a picture to scan."""
    others = addresses_for_others(server.settings)
    base = others[0] if others else str(request.base_url)
    picture = qr_picture(f"{base}class/{server.classes.find(name).name}")
    return Response(picture, media_type="image/svg+xml")


@router.post("/classes/{name}/players")
async def enter_class(
    server: ServerNow, name: ClassName, wanted: ClassEntry, authorization: Token = None
) -> dict[str, Any]:
    """Take part; whoever has a place by a token keeps that one."""
    tournament = server.classes.find(name)
    _, number = server.classes.role(tournament, token_in(authorization))
    if number is None:
        tournament, number = server.classes.enter(name, wanted.name)
    player = tournament.players[number]
    return {"player": number, "name": player.name, "token": player.token}


@router.post("/classes/{name}/name", response_model=None)
async def rename_player(
    server: ServerNow, name: ClassName, wanted: ClassEntry, authorization: Token = None
) -> Response:
    """Give oneself another name."""
    role, number = server.classes.role(server.classes.find(name), token_in(authorization))
    if role != "player" or number is None:
        raise HTTPException(401, "this link is not valid")
    server.classes.rename(name, number, wanted.name)
    return await changed_page(server, name)


@router.post("/classes/{name}/programs", response_model=None)
async def add_program(
    server: ServerNow,
    name: ClassName,
    wanted: ClassProgram,
    knows_all: KnowsAll,
    authorization: Token = None,
) -> Response:
    """Let a program take part."""
    check_host(server, name, authorization, knows_all)
    await server.classes.add_program(name, wanted.agent)
    return await changed_page(server, name)


@router.post("/classes/{name}/rounds", response_model=None)
async def start_round(
    server: ServerNow, name: ClassName, knows_all: KnowsAll, authorization: Token = None
) -> Response:
    """Begin the next round."""
    check_host(server, name, authorization, knows_all)
    await server.classes.start_round(name)
    return await changed_page(server, name)


@router.post("/classes/{name}/decisions", response_model=None)
async def decide(
    server: ServerNow,
    name: ClassName,
    wanted: ClassDecision,
    knows_all: KnowsAll,
    authorization: Token = None,
) -> Response:
    """Let a seat forfeit, or give it to a program."""
    check_host(server, name, authorization, knows_all)
    await server.classes.decide(name, wanted.room, wanted.seat, wanted.agent)
    return await changed_page(server, name)


@router.post("/classes/{name}/players/{number}", response_model=None)
async def set_player(
    server: ServerNow,
    name: ClassName,
    number: PlayerNumber,
    wanted: PlayerState,
    knows_all: KnowsAll,
    authorization: Token = None,
) -> Response:
    """Let a player, and whoever came later, not be paired any more, or again."""
    check_host(server, name, authorization, knows_all)
    server.classes.withdraw(name, number, wanted.gone, and_later=wanted.and_later)
    return await changed_page(server, name)


@router.post("/classes/{name}/entry", response_model=None)
async def set_entry(
    server: ServerNow,
    name: ClassName,
    wanted: EntryState,
    knows_all: KnowsAll,
    authorization: Token = None,
) -> Response:
    """Let nobody else come in, or again."""
    check_host(server, name, authorization, knows_all)
    server.classes.close_entry(name, wanted.closed)
    return await changed_page(server, name)


@router.post("/classes/{name}/end", response_model=None)
async def end_class(
    server: ServerNow, name: ClassName, knows_all: KnowsAll, authorization: Token = None
) -> Response:
    """End the tournament."""
    check_host(server, name, authorization, knows_all)
    server.classes.finish(name)
    return await changed_page(server, name)


@router.get("/classes/{name}/results.json", response_model=None)
async def get_results(server: ServerNow, name: ClassName) -> Response:
    """Give the results as data."""
    server.classes.collect(server.classes.find(name).name)
    data = await asyncio.to_thread(result_data, server.classes.find(name))
    return as_page(encoded(data))


@router.get("/classes/{name}/results.csv", response_class=PlainTextResponse)
async def get_table(server: ServerNow, name: ClassName) -> PlainTextResponse:
    """Give the standings as a table for a spreadsheet."""
    server.classes.collect(server.classes.find(name).name)
    text = await asyncio.to_thread(csv_text, server.classes.find(name))
    headers = {"Content-Disposition": f'attachment; filename="class-{name}.csv"'}
    return PlainTextResponse(text, headers=headers, media_type="text/csv")
