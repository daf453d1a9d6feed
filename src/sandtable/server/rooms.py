"""All rooms: made, found again after a restart, and forgotten by memory when nobody is there."""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sandtable.agents.level.ladder import EASY, LEVEL_AGENT, Level, ladder_of
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.records.record import Record
from sandtable.records.replay import RecordedGame
from sandtable.registry import check_seat, make_game
from sandtable.server.allowed_specs import allowed_agent, allowed_game
from sandtable.server.connections import NotFound, Refused, encoded
from sandtable.server.guests import clean_name
from sandtable.server.hints import Hints
from sandtable.server.pool import AgentFailure, AgentPool
from sandtable.server.requests import NewRoom, NewSeat
from sandtable.server.room import Room
from sandtable.server.storage import Elsewhere, RoomStorage, StoredRoom, StoredSeat
from sandtable.server.summaries import OPEN, seat_names, summary_of, summary_of_finished
from sandtable.server.weights_folder import listed_weights
from sandtable.specs import parse_spec
from sandtable.types import OVER, Game, State

if TYPE_CHECKING:
    from sandtable.server.settings import Settings

__all__ = ["TOKEN_BYTES", "Rooms", "fresh_room", "links_of", "ready_game"]

SEED_BITS = 62  # nobody finds them by trying
ROOM_BYTES = 9  # 72 bits, 12 letters
TOKEN_BYTES = 18
TIDY_SECONDS = 5.0
FINISHED_SECONDS = 10.0  # that a finished room without viewers stays in memory
QUIET_SECONDS = 600.0  # the same for a room in which a person is to act
HOUR = 3600.0  # between looks for rooms that are too old to be kept
CHECK_SECONDS = 60.0  # to find out whether a program can be used
FORGET_DAYS = 30.0  # of running, after the last action of a game that is over and archived


class Rooms:
    """The rooms of a server."""

    def __init__(
        self, settings: Settings, storage: RoomStorage, archive: Archive, pool: AgentPool
    ) -> None:
        self.settings, self.storage, self.archive, self.pool = settings, storage, archive, pool
        self.open: dict[str, Room] = {}
        self.tasks: set[asyncio.Task[Any]] = set()
        self.hints = Hints(self)
        self.archiving: set[str] = set()  # rooms whose records are on their way
        self.lost: set[str] = set()  # rooms that were let go because memory may be wrong about them
        self.when_over: list[Callable[[str], None]] = []  # who wants to hear of finished rooms

    # --- coming and going -------------------------------------------------------------------------

    async def start(self) -> None:
        """Go on with all games that were open when the server stopped."""
        with suppress(SandtableError):  # a full disk does not keep games from going on
            self.storage.forget_old_rooms(FORGET_DAYS)
        for name in self.storage.open_rooms():
            room = await self.find(name)
            if room is not None and room.over:
                self.keep_record(room)
        self.in_background(self.tidy())

    def in_background(self, work: Any) -> None:
        """Run something beside everything else."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def find(self, name: str) -> Room | None:
        """Return a room by its name, from memory or from storage."""
        if name in self.open:
            return self.open[name]
        known = self.storage.get_room(name)
        if known is None:
            return None
        try:
            game = await asyncio.to_thread(ready_game, known[0].game)
        except SandtableError:
            return None  # its game is not installed any more
        if name in self.open:  # somebody else was quicker
            return self.open[name]
        found = self.storage.take_room(name)  # from here on nothing comes in between
        if found is None or game.version != found[0].version:
            return None  # it was begun under other rules
        self.lost.discard(name)
        try:
            room = self.open[name] = Room(self, found[0], game, found[1])
        except SandtableError:
            return None  # what is stored cannot be played
        room.take_off(self.storage.seconds_served(name))
        room.wake()
        return room

    async def summary(self, name: str) -> dict[str, Any] | None:
        """Return what everybody may know about a room; a finished one is not loaded for that."""
        room = self.open.get(name)
        if room is None:
            found = self.storage.finished_room(name)
            if found is not None:
                stored, plies = found
                game = await asyncio.to_thread(installed_game, stored)
                return None if game is None else summary_of_finished(stored, game, plies)
            room = await self.find(name)
        return None if room is None else summary_of(room)

    async def summaries(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """Return the same for several rooms; those that are gone are left out."""
        found = []
        for name in names:
            with suppress(Elsewhere):  # another server takes it over just now
                found.append(await self.summary(name))
            await asyncio.sleep(0)  # those who play come in between
        return [each for each in found if each is not None]

    def lose(self, room: Room) -> None:
        """Let a room go of which only its storage knows the truth; who looks at it comes again."""
        if self.open.get(room.stored.room) is room:
            del self.open[room.stored.room]
            self.lost.add(room.stored.room)
            self.storage.let_go(room.stored.room)
        room.programs.forget()
        room.give_up()

    async def tidy(self) -> None:
        """Let rooms that nobody uses go from memory, and very old ones from storage."""
        clock = asyncio.get_running_loop().time
        looked_at = clock()
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            self.let_go(clock())
            if clock() - looked_at > HOUR:
                looked_at = clock()
                with suppress(SandtableError):
                    self.storage.forget_old_rooms(FORGET_DAYS)

    def let_go(self, now: float) -> None:
        """Let rooms go from memory that nobody looks at and in which nothing happens by itself."""
        for name, room in list(self.open.items()):
            if room.over and not room.archived:
                self.keep_record(room)  # it did not get there the first time
                continue
            if room.audience.connections or now - room.used_at <= patience_with(room):
                continue
            room.programs.forget()
            room.close()
            del self.open[name]

    async def close(self) -> None:
        """Stop all rooms; they are kept in storage."""
        for room in self.open.values():
            room.close()
        waiting = [task for task in self.tasks if not task.done()]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    # --- new rooms --------------------------------------------------------------------------------

    async def make(self, wanted: NewRoom) -> StoredRoom:
        """Make a room, or raise a SandtableError that says what is wrong."""
        if sum(not room.over for room in self.open.values()) >= self.settings.limits.rooms:
            raise Refused("busy", "there are too many open games; try again later")
        game = await asyncio.to_thread(ready_game, allowed_game(wanted.game))
        start, branched = await self.branch(game, wanted)
        if len(wanted.seats) != len(game.seats):
            raise SandtableError(
                f"{game.name} has {len(game.seats)} seats, in the order {', '.join(game.seats)}; "
                f"got {len(wanted.seats)}"
            )
        seats = []
        for number, (seat, asked) in enumerate(zip(game.seats, wanted.seats, strict=True)):
            seats.append(await self.seat(game, number, seat, asked))
        clock = wanted.clock
        stored = fresh_room(
            game,
            seats,
            None if clock is None else (clock.minutes, clock.increment),
            {"pace": wanted.pace, OPEN: open_seats(wanted)},
            listed=wanted.listed,
            start=start,
            branched=branched,
        )
        self.open_new(stored, game)
        return stored

    def open_stored(self, stored: StoredRoom, game: Game) -> Room:
        """Let the game of a room begin that has been stored."""
        room = self.open[stored.room] = Room(self, stored, game, [])
        room.wake()
        return room

    def open_new(self, stored: StoredRoom, game: Game) -> Room:
        """Store a room, and let its game begin."""
        self.storage.add_room(stored)
        return self.open_stored(stored, game)

    async def seat(self, game: Game, number: int, seat: str, asked: NewSeat) -> StoredSeat:
        """Check who is to take a seat."""
        if asked.agent is None:
            name = clean_name(asked.person or "") or seat.capitalize()
            return StoredSeat(name, None, secrets.token_urlsafe(TOKEN_BYTES))
        weights = listed_weights(self.settings.weights)
        spec = allowed_agent(asked.agent, self.settings.external, weights)
        await asyncio.to_thread(check_seat, game, seat, parse_spec(spec))
        level = await asyncio.to_thread(level_named, game, spec)
        if level is not None:  # they are known, and were tried
            return StoredSeat(level.title, level.spec, None)
        request = {"operation": "check", "game": game.spec, "agent": spec, "seat": number}
        request["weights"] = self.settings.weights_text
        try:
            await self.pool.ask(request, limit=CHECK_SECONDS, name=f"check {parse_spec(spec).name}")
        except AgentFailure as problem:
            raise SandtableError(f"'{spec}' cannot be used: {problem}") from None
        return StoredSeat(seat.capitalize(), spec, None)

    async def branch(self, game: Game, wanted: NewRoom) -> tuple[str | None, str | None]:
        """Return the position to start from, and the game it comes from."""
        if wanted.start is None:
            return None, None
        record = await self.archived(wanted.start.archive)
        if make_game(record.game).spec != game.spec:
            raise SandtableError(f"that game is one of {record.game}, not of {game.spec}")
        state = await asyncio.to_thread(state_after, record, wanted.start.ply)
        if state.turn == OVER:
            raise SandtableError("the game is over there; choose an earlier position")
        return state.line, f"{record.identity} {wanted.start.ply}"

    async def archived(self, identity: str) -> Record:
        """Return a game of the archive."""
        record = await asyncio.to_thread(self.archive.get, identity)
        if record is None:
            raise NotFound(f"the archive holds no game '{identity}'")
        return record

    def offer_rematch(self, room: Room, seat: int) -> None:
        """Offer or accept another game; when all persons want it, make it."""
        again = replace(room.rematch, offered=room.rematch.offered | {seat})
        persons = {each for each in range(len(room.game.seats)) if room.is_person(each)}
        if again.room is None and persons <= again.offered:
            fresh = renewed(room.stored, room.game, room.pace)
            again.room, again.tokens = fresh.room, [held.token for held in fresh.seats]
            state = room.kept_state(rematch=again.as_data())
            follows = room.stored.room, state
            room.store(lambda: self.storage.add_room(fresh, follows))
            self.open_stored(fresh, room.game)
        else:
            room.store_state(over=True, rematch=again.as_data())
        room.rematch = again
        room.audience.send(
            lambda viewer: encoded({"type": "rematch", **room.broadcast.rematch(viewer)})
        )

    # --- finished games ---------------------------------------------------------------------------

    def note_end(self, room: Room) -> None:
        """Keep the record of a game that has ended, and tell whoever waits for its result."""
        self.keep_record(room)
        for tell in self.when_over:
            tell(room.stored.room)

    def keep_record(self, room: Room) -> None:
        """Put the record of a finished game into the archive, beside everything else."""
        if not room.archived and room.stored.room not in self.archiving:
            self.archiving.add(room.stored.room)
            self.in_background(self.archive_room(room))

    async def archive_room(self, room: Room) -> None:
        """Put a record into the archive; if that fails it is tried again later."""
        try:
            with suppress(SandtableError):
                if room.table.ply or room.outcome is not None:
                    await asyncio.to_thread(self.archive.add, [room.record()])
                self.storage.set_archived(room.stored.room)
                room.archived = True
        finally:
            self.archiving.discard(room.stored.room)


def level_named(game: Game, spec: str) -> Level | None:
    """Return the level of a game that a spec means, if it means one; an unknown one is an error."""
    parsed = parse_spec(spec)
    if parsed.name != LEVEL_AGENT:
        return None
    name = parsed.argument or parsed.options.get("name") or EASY
    return ladder_of(game).level(name)


def open_seats(wanted: NewRoom) -> list[int]:
    """Return the seats that anybody may take from the first page, where the room is listed."""
    seats = enumerate(wanted.seats)
    return [number for number, seat in seats if seat.open and seat.agent is None and wanted.listed]


def patience_with(room: Room) -> float:
    """Return how long a room is kept that nobody looks at; for ever if it goes on by itself."""
    if room.over:
        return FINISHED_SECONDS
    waits = room.paused or room.is_person(room.table.turn)
    return QUIET_SECONDS if waits and room.clocks.running is None else math.inf


def installed_game(stored: StoredRoom) -> Game | None:
    """Return the game of a room, if it is here with the rules of then."""
    with suppress(SandtableError):
        game = make_game(stored.game)
        return game if game.version == stored.version else None
    return None


def ready_game(spec: str) -> Game:
    """Return a game whose kernels are compiled, so that nobody waits for that later."""
    game = make_game(spec)
    state = game.start(Dice(0))
    state.view(0).mask.any()
    state.play(state.legal[0], Dice(1))
    return game


def state_after(record: Record, ply: int) -> State:
    """Return the position of a recorded game after so many actions."""
    if ply > len(record.actions):
        raise SandtableError(f"that game has {len(record.actions)} actions, not {ply}")
    game = RecordedGame(record)
    for number, action in enumerate(record.actions[:ply], start=1):
        game.play(number, action)
    return game.session.state


def fresh_room(
    game: Game,
    seats: Sequence[StoredSeat],
    clock: tuple[float, float] | None,
    state: dict[str, Any],
    *,
    listed: bool = False,
    start: str | None = None,
    branched: str | None = None,
) -> StoredRoom:
    """Return a new room, with a name, dice and an owner that nobody guesses."""
    return StoredRoom(
        room=secrets.token_urlsafe(ROOM_BYTES),
        made_at=time.time(),
        game=game.spec,
        version=game.version,
        seed=secrets.randbits(SEED_BITS),
        start=start,
        branched=branched,
        seats=tuple(seats),
        owner=secrets.token_urlsafe(TOKEN_BYTES),
        clock=clock,
        listed=listed,
        state=state,
        over=False,
        archived=False,
    )


def renewed(stored: StoredRoom, game: Game, pace: float) -> StoredRoom:
    """Return a new room with the same seats."""
    seats = [
        StoredSeat(name, held.agent, secrets.token_urlsafe(TOKEN_BYTES) if held.token else None)
        for held, name in zip(stored.seats, seat_names(stored), strict=True)
    ]
    return fresh_room(
        game,
        seats,
        stored.clock,
        {"pace": pace},
        listed=stored.listed,
        start=stored.start,
        branched=stored.branched,
    )


def links_of(stored: StoredRoom, game: Game) -> dict[str, Any]:
    """Return the links that whoever made a room gets."""
    return {
        "room": stored.room,
        "owner": stored.owner,
        "watch": f"/room/{stored.room}",
        "seats": [
            {
                "seat": seat,
                "name": held.name,
                "token": held.token,
                "link": f"/room/{stored.room}#token={held.token}",
            }
            for seat, held in zip(game.seats, stored.seats, strict=True)
            if held.token is not None
        ],
    }
