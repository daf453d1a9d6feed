"""The WebSocket of a room: reads the messages of a client and does what they ask."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from sandtable.errors import IllegalAction, SandtableError
from sandtable.server import client_messages as messages
from sandtable.server.allowed_specs import allowed_hint
from sandtable.server.connections import Connection, Refused
from sandtable.server.draws import answer_draw
from sandtable.server.limits import Bucket
from sandtable.server.listener import network_of
from sandtable.server.room import Room
from sandtable.server.rooms import Rooms

__all__ = ["COME_AGAIN", "REASONS", "Participant", "Sockets"]

NO_MESSAGE, NO_TOKEN, NO_ROOM, NO_JOIN, TOO_SLOW, TOO_MANY = 4400, 4401, 4404, 4408, 4413, 4429
COME_AGAIN = 4503
REASONS = {
    NO_MESSAGE: "this is not a message the server knows",
    NO_TOKEN: "this link is not valid",
    NO_ROOM: "there is no such room",
    NO_JOIN: "no 'join' came in time",
    TOO_SLOW: "messages were not read in time",
    TOO_MANY: "too many messages, or connections from your address",
    COME_AGAIN: "the game goes on in a moment; connect again",
}
MOST_UNREADABLE = 20
LAST_SECONDS = 2.0  # for the last messages to a client
MOST_REFUSED = 40  # messages beyond the pace before a client is let go


class Sockets:
    """All WebSockets of a server."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.by_address: Counter[str] = Counter()

    async def serve(self, socket: WebSocket, name: str) -> None:
        """Serve one client until it goes."""
        limits = self.rooms.settings.limits
        address = network_of(socket.client.host) if socket.client else "unknown"
        await socket.accept()
        full = self.by_address.total() >= limits.sockets
        if full or self.by_address[address] >= limits.sockets_per_address:
            await socket.close(TOO_MANY, REASONS[TOO_MANY])
            return
        self.by_address[address] += 1
        try:
            room = await self.rooms.find(name)
            if room is None:
                await socket.close(NO_ROOM, REASONS[NO_ROOM])
            else:
                await self.talk(socket, room)
        except SandtableError:  # the room cannot be found out about now
            with suppress(WebSocketDisconnect, RuntimeError):
                await socket.close(COME_AGAIN, REASONS[COME_AGAIN])
        except (WebSocketDisconnect, RuntimeError):
            pass  # it has gone; a RuntimeError is what a closed socket raises on sending
        finally:
            self.by_address[address] -= 1
            if not self.by_address[address]:
                del self.by_address[address]

    async def talk(self, socket: WebSocket, room: Room) -> None:
        """Let a client join, then send and read at the same time."""
        connection = Connection()
        sending = asyncio.create_task(send_all(socket, connection))
        try:
            code = await Client(self.rooms, room, socket, connection).run(sending)
        finally:
            room.leave(connection)
            await finish(sending, connection)
        if code is not None:
            await socket.close(code, REASONS[code])


async def finish(sending: asyncio.Task[None], connection: Connection) -> None:
    """Let what is on its way out arrive, if the client still reads, and end the sending."""
    with suppress(asyncio.QueueFull):
        connection.outgoing.put_nowait(None)
    with suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
        await asyncio.wait_for(sending, LAST_SECONDS)  # which also ends it when time is up


async def send_all(socket: WebSocket, connection: Connection) -> None:
    """Send messages as they come; None is the last one."""
    while (text := await connection.outgoing.get()) is not None:
        await socket.send_text(text)


class Participant:
    """Somebody who has joined a room: does what the messages ask, over whatever line they come."""

    def __init__(self, rooms: Rooms, room: Room, connection: Connection) -> None:
        self.rooms, self.room, self.connection = rooms, room, connection

    def obey(self, message: Any) -> None:
        """Do what a message asks, or say why not."""
        try:
            self.act(message)
        except Refused as problem:
            self.connection.complain(problem.code, str(problem), message.id)
        except IllegalAction as problem:
            self.connection.complain("illegal", str(problem), message.id)
        except SandtableError as problem:
            self.connection.complain("not_allowed", str(problem), message.id)

    def act(self, message: Any) -> None:
        """Do what a message asks, or raise Refused."""
        room = self.room
        if isinstance(message, messages.Ping):
            self.connection.send({"type": "pong"})
        elif isinstance(message, messages.Look):
            self.connection.send(room.broadcast.view(self.connection.viewer))
        elif isinstance(message, messages.Join):
            raise Refused("shape", "you have joined already")
        elif isinstance(message, (messages.Pace, messages.Stop)):
            self.control(message)
        elif isinstance(message, messages.Rematch):
            seat = self.seat()
            if not room.over:
                raise Refused("not_allowed", "the game is not over yet")
            if room.of_class:
                raise Refused("not_allowed", "the next game of a tournament begins with its round")
            self.rooms.offer_rematch(room, seat)
        else:
            self.play(message)

    def seat(self) -> int:
        """Return the seat of this client."""
        if self.connection.viewer < 0:
            raise Refused("not_allowed", "you are watching; only players can do that")
        return self.connection.viewer

    def control(self, message: messages.Pace | messages.Stop) -> None:
        """Do what only the owner of a room may."""
        if self.connection.role != "owner":
            raise Refused("not_allowed", "only whoever made the room can do that")
        if self.room.over:
            raise Refused("over", "the game is over")
        if isinstance(message, messages.Stop):
            self.room.break_off()
        else:
            self.room.set_pace(message.paused, message.seconds)

    def play(
        self,
        message: messages.Play
        | messages.Undo
        | messages.Resign
        | messages.Draw
        | messages.Hint
        | messages.Hurry
        | messages.Why,
    ) -> None:
        """Do what a player may."""
        room, seat = self.room, self.seat()
        if room.over:
            raise Refused("over", "the game is over")
        if isinstance(message, messages.Resign):
            room.forfeit(seat, f"{room.game.seats[seat]} resigns")
            return
        if isinstance(message, messages.Draw):
            answer_draw(room, seat, message.answer)
            return
        if isinstance(message, messages.Hint):
            self.hint(seat, message)
            return
        if isinstance(message, messages.Hurry):
            if not room.allowed(seat)["hurry"]:
                raise Refused("not_allowed", "nobody thinks who could move now")
            room.programs.hurry()
            return
        if message.ply != room.table.ply:
            raise Refused("stale", "the board has changed in the meantime")
        if isinstance(message, messages.Undo):
            room.undo(seat, message.scope)
            return
        if isinstance(message, messages.Why):
            # Only for one's own turn: the sentence is about what the mover could do.
            mine = room.table.turn == seat
            text = room.table.why_not(seat, message.from_, message.to) if mine else ""
            self.connection.send({"type": "why", "text": text})
            return
        if room.table.turn != seat:
            raise Refused("turn", "it is not your turn")
        self.check_in_a_row(message.actions)
        room.play(seat, message.actions)

    def check_in_a_row(self, actions: list[int]) -> None:
        """Refuse to play on after an action that could show something.

        Actions in a row are played all or none. After the end of a turn dice may have fallen, or
        cards been turned over, and an illegal action behind it would take that back: a free look.
        """
        closing = self.room.game.turn_ending_actions
        if len(actions) > 1 and (closing is None or not closing.isdisjoint(actions[:-1])):
            raise Refused("illegal", "only the last action in a row may end the turn")

    def hint(self, seat: int, message: messages.Hint) -> None:
        """Ask a program for advice, beside everything else."""
        if not self.room.allowed(seat)["hint"]:
            raise Refused("not_allowed", "hints are for your turn, when all others are programs")
        spec = None if message.agent is None else allowed_hint(message.agent)
        self.rooms.hints.ask(self.room, seat, spec, self.connection, message.id)


class Client(Participant):
    """One client of a room, who talks through a WebSocket."""

    def __init__(self, rooms: Rooms, room: Room, socket: WebSocket, connection: Connection) -> None:
        super().__init__(rooms, room, connection)
        self.socket = socket
        limits = rooms.settings.limits
        self.bucket = Bucket(limits.messages_per_second, limits.message_burst)
        self.unreadable = self.refused = 0

    async def run(self, sending: asyncio.Task[None]) -> int | None:
        """Read messages until the client goes; return the code to close with, if we close."""
        try:
            text = await asyncio.wait_for(self.read(), self.rooms.settings.limits.join_seconds)
        except TimeoutError:
            return NO_JOIN
        try:
            first = messages.read_message(text)
        except messages.UnreadableMessage as problem:
            self.connection.complain("shape", str(problem), problem.identity)
            return NO_MESSAGE
        if not isinstance(first, messages.Join):
            self.connection.complain("shape", "the first message must be 'join'", first.id)
            return NO_MESSAGE
        if self.room.gone:
            return COME_AGAIN
        if not self.room.join(self.connection, first.token):
            self.connection.complain("token", "this link is not valid", first.id)
            return NO_TOKEN
        return await self.read_all(sending)

    async def read(self) -> str:
        """Return the next message as text."""
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text: str | None = message.get("text")
        return "" if text is None else text  # bytes are no message

    async def read_all(self, sending: asyncio.Task[None]) -> int | None:
        """Do what the messages say, one after the other."""
        while True:
            reading = asyncio.ensure_future(self.read())
            await asyncio.wait({reading, sending}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                reading.cancel()
                if self.connection.dismissed:
                    return COME_AGAIN
                return TOO_SLOW if self.connection.too_slow else None
            text = reading.result()
            if not self.bucket.take():
                self.refused += 1
                if self.refused > MOST_REFUSED:
                    return TOO_MANY
                self.connection.complain("rate", "too many messages; wait a moment")
                continue
            try:
                message = messages.read_message(text)
            except messages.UnreadableMessage as problem:
                self.unreadable += 1
                self.connection.complain("shape", str(problem), problem.identity)
                if self.unreadable > MOST_UNREADABLE:
                    return NO_MESSAGE
                continue
            self.obey(message)
