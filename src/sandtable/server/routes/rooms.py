"""Routes: rooms, their logs and records, and the WebSocket."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, Request, WebSocket
from fastapi import Path as InPath
from fastapi.responses import PlainTextResponse, Response

from sandtable.records.lines import record_to_line
from sandtable.server.application import Operator, Server, ServerNow
from sandtable.server.connections import NotFound, Refused
from sandtable.server.guests import claim
from sandtable.server.reading import as_json
from sandtable.server.requests import NewRoom, SeatClaim
from sandtable.server.room import Room
from sandtable.server.rooms import links_of

__all__ = ["router"]

router = APIRouter()

RoomId = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{12}$")]
RoomIds = Annotated[str, Query(pattern=r"^[A-Za-z0-9_-]{12}(,[A-Za-z0-9_-]{12}){0,39}$")]
GAME_ID = r"[0-9a-f]{1,40}-[0-9]{1,18}"
GameIds = Annotated[str, Query(pattern=rf"^{GAME_ID}(,{GAME_ID}){{0,99}}$")]
MOST_LISTED = 50
AT_A_TIME = 20  # entries of a log


async def room_of(server: Server, name: str) -> Room:
    """Return a room, or say that there is none."""
    room = await server.rooms.find(name)
    if room is None:
        raise NotFound("there is no such room")
    return room


def viewer_with(room: Room, authorization: str | None) -> int:
    """Return the viewer that a header gives."""
    token = None
    if authorization is not None:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise HTTPException(401, "write 'Authorization: Bearer TOKEN'")
    found = room.role_of(token)
    if found is None:
        raise HTTPException(401, "this link is not valid")
    return found[0]


@router.post("/rooms", dependencies=[Operator])
async def make_room(server: ServerNow, wanted: NewRoom) -> dict[str, Any]:
    """Make a room."""
    stored = await server.rooms.make(wanted)
    return links_of(stored, server.rooms.open[stored.room].game)


@router.get("/rooms", response_model=None)
async def list_rooms(server: ServerNow, request: Request) -> Response:
    """List the rooms that are open to everybody."""
    async with server.desk.place():
        found = await server.listed_rooms(MOST_LISTED, request)
        return await asyncio.to_thread(as_json, found)


@router.get("/yours", response_model=None)
async def your_rooms(server: ServerNow, rooms: RoomIds, request: Request) -> Response:
    """Tell what everybody may know about some rooms; those that are gone are left out."""
    async with server.desk.place():
        found = await server.room_summaries(list(dict.fromkeys(rooms.split(","))), request)
        return await asyncio.to_thread(as_json, found)


@router.get("/rating", response_model=None)
async def rating(server: ServerNow, games: GameIds) -> Response:
    """Rate whoever played some games, by those against levels."""
    return await server.desk.archive_page("rating", games=games.split(","))


@router.get("/rooms/{room}")
async def get_room(server: ServerNow, room: RoomId) -> dict[str, Any]:
    """Tell what everybody may know about a room."""
    found = await server.rooms.summary(room)
    if found is None:
        raise NotFound("there is no such room")
    return found


@router.post("/rooms/{room}/seats/{seat}")
async def claim_seat(
    server: ServerNow, room: RoomId, seat: Annotated[int, InPath(ge=0, le=7)], wanted: SeatClaim
) -> dict[str, Any]:
    """Take an open seat, or give one's own a name."""
    return claim(await room_of(server, room), seat, wanted.name, wanted.token)


@router.get("/rooms/{room}/log", response_model=None)
async def get_log(
    server: ServerNow,
    room: RoomId,
    first: Annotated[int, Query(ge=0, le=1 << 24)] = 0,
    count: Annotated[int, Query(ge=1, le=1000)] = 200,
    authorization: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """Tell what was played, as the token may see it."""
    found = await room_of(server, room)
    viewer = viewer_with(found, authorization)
    entries: list[str] = []
    async with server.desk.place():
        while len(entries) < count:
            begin = first + len(entries)
            last = min(first + count, begin + AT_A_TIME, found.table.ply)
            if last <= begin:
                break
            entries += found.broadcast.log(found.broadcast.kind(viewer), begin + 1, last)
            await asyncio.sleep(0)  # those who play come in between
    head = f'{{"first":{first},"total":{found.table.ply},"entries":'
    return Response(f"{head}[{','.join(entries)}]}}", media_type="application/json")


@router.get("/rooms/{room}/record", response_class=PlainTextResponse)
async def get_record(server: ServerNow, room: RoomId) -> PlainTextResponse:
    """Give the record of a finished game."""
    found = await room_of(server, room)
    if not found.over:
        raise Refused("not_allowed", "the game is not over yet")
    record = found.record()
    return download(record_to_line(record) + "\n", record.identity)


def download(text: str, name: str) -> PlainTextResponse:
    """Return text that a browser saves as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.jsonl"'}
    return PlainTextResponse(text, headers=headers, media_type="application/jsonl")


@router.websocket("/rooms/{room}/socket")
async def socket(websocket: WebSocket, room: str) -> None:
    """Serve a client of a room."""
    server: Server = websocket.app.state.server
    await server.sockets.serve(websocket, room)
