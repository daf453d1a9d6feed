"""Hints: one by seat at a time, a share of the processes for all of them, and an end to each.

Whoever holds a seat's link may ask, without a key and over as many connections as he likes. So the
seat is what counts, and a hint that nobody waits for any more still holds its place until it ends.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from sandtable.arena.play.rehearsal import first_move_time
from sandtable.server.connections import Connection, Refused
from sandtable.server.pool import AgentFailure
from sandtable.server.worker import packed
from sandtable.specs import parse_spec

if TYPE_CHECKING:
    from sandtable.server.room import Room
    from sandtable.server.rooms import Rooms

__all__ = ["Hints"]

SHARE = 3  # of so many processes one may work for hints


class Hints:
    """All hints that are asked for."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.seats: set[tuple[str, int]] = set()  # whose hint is on its way
        self.places = asyncio.Semaphore(max(1, rooms.pool.most // SHARE))

    def ask(
        self, room: Room, seat: int, spec: str | None, connection: Connection, identity: str | None
    ) -> None:
        """Begin to find a hint, or raise Refused."""
        asker = room.stored.room, seat
        if asker in self.seats:
            raise Refused("busy", "a hint is on its way")
        if len(self.seats) >= self.rooms.settings.limits.hints_waiting:
            raise Refused("busy", "many are asking for hints; wait a moment")
        self.seats.add(asker)
        self.rooms.in_background(self.find(room, seat, spec, connection, identity))

    async def find(
        self, room: Room, seat: int, spec: str | None, connection: Connection, identity: str | None
    ) -> None:
        """Let a program think about the view of a seat, and tell what it would play."""
        try:
            async with self.places:
                await self.tell(room, seat, spec, connection)
        except AgentFailure as problem:
            connection.complain("not_allowed", str(problem), identity)
        except Refused as problem:
            connection.complain(problem.code, str(problem), identity)
        finally:
            self.seats.discard((room.stored.room, seat))

    async def tell(self, room: Room, seat: int, spec: str | None, connection: Connection) -> None:
        """Ask a program, and send what it answers."""
        table, pool = room.table, self.rooms.pool
        if not room.allowed(seat)["hint"]:
            raise Refused("not_allowed", "it is not your turn any more")
        view = table.shown(table.ply, seat)
        assert view is not None
        request = {
            "operation": "hint",
            "game": room.game.spec,
            "agent": spec,
            "seat": seat,
            "view": packed(view),
            "seed": secrets.randbits(31),
        }
        settings = self.rooms.settings
        limit = min(settings.move_time, settings.limits.hint_seconds)
        # By the name alone: with other numbers it is the same program, compiled or not.
        name = f"hint {room.game.name} {None if spec is None else parse_spec(spec).name}"
        known = pool.knows(name)
        limit = limit if known else first_move_time(limit)
        connection.send({"type": "working", "first": not known})
        reply = await pool.ask(request, limit=limit, name=name)
        actions = [table.action_data(view, int(action)) for action in reply["actions"]]
        message = {"type": "hint", "agent": reply["agent"], "actions": actions}
        connection.send(message | {"text": reply["text"], "thoughts": reply["thoughts"]})
