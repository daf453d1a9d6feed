"""Tools: rooms of a running server, where a person plays in the browser."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from sandtable.assistants.calls import GameSpec, answer, teller
from sandtable.assistants.host import Host
from sandtable.assistants.running_server import Invitation, RunningServer
from sandtable.assistants.tools.playing import ME, PERSON, Name, look_at, new_seats
from sandtable.screens import Data

__all__ = ["add"]

MOMENT = 2.0  # to see whether the other side plays at once
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

RoomLink = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        description="the link to a seat that a person gave you, or the name of a listed room",
    ),
]
SeatName = Annotated[str | None, Field(max_length=40, description="which open seat to take")]
PeopleSeats = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=300)]],
    Field(
        min_length=1,
        max_length=8,
        description="who takes each seat, in the order of the game's seats: 'me', 'person', or an "
        "agent such as 'level:easy'",
    ),
]


def add(server: MCPServer[Any], host: Host, running: RunningServer) -> None:
    """Give a server these tools."""

    @server.tool(annotations=READS)
    async def list_rooms() -> CallToolResult:
        """List the rooms of the running server that everybody may see, with their open seats."""
        rooms = [room_data(each) for each in await running.get("/api/rooms")]
        lines = [f"{len(rooms)} rooms at {running.address}:"]
        lines += [f"  {room_words(each)}" for each in rooms]
        return answer("\n".join(lines), {"server": running.address, "rooms": rooms})

    @server.tool(annotations=CHANGES)
    async def open_room(
        game: GameSpec,
        seats: PeopleSeats,
        context: Context[Any, Any],
        name: Name = "Assistant",
    ) -> CallToolResult:
        """Open a room on the running server, where a person takes a seat in the browser.

        The person finds it on the first page of the server. You are not told their link.
        """
        asked = await asyncio.to_thread(new_seats, game, seats, name, (PERSON,))
        body = {"game": game, "listed": True, "seats": [each.model_dump() for each in asked]}
        links = await running.post("/api/rooms", body)
        mine = [word.lower() for word in seats].index(ME)
        # Of all the links that whoever makes a room gets, only the own one is kept.
        facts = await running.get(f"/api/rooms/{links['room']}")
        seat = facts["seats"][mine]["seat"]
        token = next(each["token"] for each in links["seats"] if each["seat"] == seat)
        found = await host.add(await running.take(Invitation(links["room"], token), None, ""))
        await found.settle(MOMENT, teller(context))
        text, data = await look_at(found)
        words = (
            f"The name of your game: {found.name}\n\nA person takes the other seat on the first "
            f"page: {running.address}/\n\n{text}"
        )
        return answer(words, data | {"server": running.address})

    @server.tool(annotations=CHANGES)
    async def join_room(
        link: RoomLink,
        context: Context[Any, Any],
        seat: SeatName = None,
        name: Name = "Assistant",
    ) -> CallToolResult:
        """Take a seat in a room of the running server: by the link of a seat, or an open one."""
        wanted = running.invitation(link)
        found = await host.add(await running.take(wanted, seat, name))
        await found.settle(MOMENT, teller(context))
        text, data = await look_at(found)
        return answer(f"The name of your game: {found.name}\n\n{text}", data)


def room_data(found: Data) -> Data:
    """Return what an assistant is told of a room in a list."""
    return {
        "room": found["room"],
        "game": found["game"],
        "title": found["title"],
        "status": found["status"],
        "over": found["over"],
        "seats": {each["seat"]: each["agent"] or each["name"] for each in found["seats"]},
        "open": [found["seats"][number]["seat"] for number in found["open_seats"]],
    }


def room_words(room: Data) -> str:
    """Tell of one room in a line."""
    seats = ", ".join(f"{seat}: {who}" for seat, who in room["seats"].items())
    free = f"; open: {', '.join(room['open'])}" if room["open"] else ""
    return f"{room['room']}: {room['title']} ({room['game']}); {seats}; {room['status']}{free}"
