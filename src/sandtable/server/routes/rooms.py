"""Routes: rooms, their logs and records, and the WebSocket."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, WebSocket
from fastapi import Path as InPath
from fastapi.responses import PlainTextResponse

from sandtable.records.lines import record_to_line
from sandtable.server.application import Operator, Server, ServerNow
from sandtable.server.connections import NotFound, Refused
from sandtable.server.requests import NewRoom
from sandtable.server.room import Room
from sandtable.server.rooms import links_of

__all__ = ["router"]

router = APIRouter()

RoomId = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{12}$")]
MOST_LISTED = 50


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


@router.get("/rooms")
async def list_rooms(server: ServerNow) -> list[dict[str, Any]]:
    """List the rooms that are open to everybody."""
    names = server.storage.listed_rooms(MOST_LISTED)
    found = [await server.rooms.summary(name) for name in names]
    return [each for each in found if each is not None]


@router.get("/rooms/{room}")
async def get_room(server: ServerNow, room: RoomId) -> dict[str, Any]:
    """Tell what everybody may know about a room."""
    found = await server.rooms.summary(room)
    if found is None:
        raise NotFound("there is no such room")
    return found


@router.get("/rooms/{room}/log")
async def get_log(
    server: ServerNow,
    room: RoomId,
    first: Annotated[int, Query(ge=0, le=1 << 24)] = 0,
    count: Annotated[int, Query(ge=1, le=1000)] = 200,
    authorization: Annotated[str | None, Header(max_length=200)] = None,
) -> dict[str, Any]:
    """Tell what was played, as the token may see it."""
    found = await room_of(server, room)
    kind = found.broadcast.kind(viewer_with(found, authorization))
    last = min(first + count, found.table.ply)
    entries = found.broadcast.log(kind, first + 1, last) if last > first else []
    return {
        "first": first,
        "total": found.table.ply,
        "entries": [json.loads(entry) for entry in entries],
    }


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
