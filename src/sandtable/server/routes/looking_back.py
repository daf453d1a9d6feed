"""Routes: looking back at finished games: mistakes, notes, who can be asked, and the list."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from fastapi.responses import Response

from sandtable.records.notes import Note, check_note, with_note, without_note
from sandtable.registry import make_game
from sandtable.server.application import KnowsAll, Operator, ServerNow, address_in
from sandtable.server.archive_list import GAME_ID, Day, GameIds, Who
from sandtable.server.archive_pages import known_game
from sandtable.server.requests import NewNote, ReviewWanted

__all__ = ["router"]

router = APIRouter()

GameId = Annotated[str, InPath(pattern=rf"^{GAME_ID}$")]
NameFilter = Annotated[str | None, Query(max_length=100)]


@router.get("/archive/matches", response_model=None)
async def matches(
    server: ServerNow,
    everything: KnowsAll,
    game: NameFilter = None,
    agent: NameFilter = None,
    who: Who = None,
    only: GameIds = None,
    since: Day = None,
    until: Day = None,
    offset: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """List matches and single games; without the key, those of listed rooms."""
    return await server.desk.archive_page(
        "matches",
        everything=everything,
        game=game,
        agent=agent,
        who=who,
        only=None if only is None else only.split(","),
        since=since,
        until=until,
        offset=offset,
        limit=limit,
    )


@router.post("/archive/{identity}/mistakes")
async def find_mistakes(
    server: ServerNow,
    everything: KnowsAll,
    identity: GameId,
    wanted: ReviewWanted,
    request: Request,
) -> dict[str, Any]:
    """Begin to judge the turns of a seat, or go on with what is known."""
    record = await asyncio.to_thread(known_game, server.archive, identity, everything)
    return {"job": server.reviews.begin(record, wanted.seat, address_in(request)).job}


@router.get("/archive/{identity}/notes", response_model=None)
async def get_notes(server: ServerNow, everything: KnowsAll, identity: GameId) -> Response:
    """Tell the notes of a game."""
    return await server.desk.archive_page("notes", identity=identity, everything=everything)


@router.post("/archive/{identity}/notes", dependencies=[Operator], response_model=None)
async def add_note(server: ServerNow, identity: GameId, wanted: NewNote) -> Response:
    """Keep a note in the record of a game."""

    def write() -> None:
        record = known_game(server.archive, identity, True)
        spoken = make_game(record.game).parse_actions(wanted.moves) if wanted.moves.strip() else []
        note = Note(wanted.ply, wanted.text.strip(), (*wanted.actions, *spoken))
        check_note(record, note)
        server.archive.annotate(identity, lambda old: with_note(old, note))

    await asyncio.to_thread(write)
    return await server.desk.archive_page("notes", identity=identity, everything=True)


@router.delete("/archive/{identity}/notes/{place}", dependencies=[Operator], response_model=None)
async def remove_note(
    server: ServerNow, identity: GameId, place: Annotated[int, InPath(ge=0, le=1000)]
) -> Response:
    """Take a note out of the record of a game."""

    def write() -> None:
        known_game(server.archive, identity, True)
        server.archive.annotate(identity, lambda old: without_note(old, place))

    await asyncio.to_thread(write)
    return await server.desk.archive_page("notes", identity=identity, everything=True)


@router.get("/archive/{identity}/transcript", response_model=None)
async def get_transcript(
    server: ServerNow,
    everything: KnowsAll,
    identity: GameId,
    ply: Annotated[int, Query(ge=0, le=1 << 24)] = 0,
    seat: Annotated[int | None, Query(ge=0, le=7)] = None,
) -> Response:
    """Tell what language models said before the action that led to a position."""
    return await server.desk.archive_page(
        "transcript", identity=identity, everything=everything, ply=ply, seat=seat
    )


@router.get("/archive/{identity}/advisers", response_model=None)
async def get_advisers(
    server: ServerNow,
    everything: KnowsAll,
    identity: GameId,
    ply: Annotated[int, Query(ge=0, le=1 << 24)] = 0,
) -> Response:
    """Say which programs can be asked about a position."""
    external = server.settings.external
    return await server.desk.archive_page(
        "advisers", identity=identity, everything=everything, ply=ply, external=external
    )


@router.get("/series", response_model=None)
async def get_series(
    server: ServerNow,
    game: Annotated[str, Query(pattern=r"^[a-z][a-z0-9_-]{0,60}$")],
    name: Annotated[str, Query(pattern=r"^[a-z][a-z0-9_-]{0,60}$")],
    games: Annotated[str, Query(pattern=rf"^({GAME_ID}(,{GAME_ID}){{0,99}})?$")] = "",
) -> Response:
    """Say how a series stands, from games that somebody has played."""
    return await server.desk.archive_page(
        "series", game=game, name=name, games=[each for each in games.split(",") if each]
    )
