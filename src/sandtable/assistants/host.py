"""Where an assistant's own games are played: rooms as those of the web server, without a network.

What an assistant is told of a game goes through the messages of a room (docs/web-protocol.md), as
for a browser: there is no second place that decides what a seat may see.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import OrderedDict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from sandtable.assistants.lines import LocalLine
from sandtable.assistants.seat import Seat
from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.server.jobs import Jobs
from sandtable.server.pool import AgentPool
from sandtable.server.rooms import Rooms
from sandtable.server.settings import Limits, Settings
from sandtable.server.storage import Storage, StoredRoom

__all__ = ["Host", "HostSettings"]

MOST_ROOMS = 50  # whose games go on
MOST_SEATS = 200  # that are followed; of too many the oldest finished game is let go
MOST_WAYS = 1000  # to seats of rooms here
MOST_JOBS = 2  # matches at a time
MOST_PROCESSES = 3  # in which programs think


@dataclass(frozen=True)
class HostSettings:
    """What ``sandtable mcp`` was asked for.

    >>> HostSettings().archive is None
    True
    """

    archive: Path | None = None  # of finished games; None: they are forgotten at the end
    data: Path | None = None  # of open games; None: they are forgotten at the end
    move_time: float = 30.0  # seconds a program may think


class Host:
    """The rooms of assistants, the programs in them, and the archive; a context manager."""

    storage: Storage
    archive: Archive
    rooms: Rooms
    pool: AgentPool
    jobs: Jobs

    def __init__(self, wanted: HostSettings) -> None:
        self.wanted = wanted
        self.seats: OrderedDict[str, Seat] = OrderedDict()  # by the name an assistant has for it
        self.ways: OrderedDict[str, str] = OrderedDict()  # by the token of a seat here: its room
        self.sitting = asyncio.Lock()  # calls may come side by side
        self.closing = ExitStack()

    async def __aenter__(self) -> Host:
        with ExitStack() as opened:
            folder = self.wanted.data
            if folder is None:
                folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="sandtable")))
            self.settings = Settings(
                data=folder,
                archive=self.wanted.archive or folder / "archive.db",
                runs=folder / "runs",
                move_time=self.wanted.move_time,
                workers=0,  # a process is started when a program is first asked
                most_workers=MOST_PROCESSES,
                limits=Limits(rooms=MOST_ROOMS, jobs=MOST_JOBS),
            )
            self.storage = Storage(folder)
            opened.callback(self.storage.close)
            self.archive = Archive.open(self.settings.archive)
            opened.callback(self.archive.close)
            self.archive.check_writable()
            self.pool = AgentPool(self.settings.workers, self.settings.most_workers)
            self.rooms = Rooms(self.settings, self.storage, self.archive, self.pool)
            self.jobs = Jobs(self.settings)
            self.closing = opened.pop_all()
        self.pool.start()
        await self.rooms.start()
        for name in self.storage.open_rooms():
            found = self.storage.get_room(name)
            if found is not None:
                self.note_room(found[0])
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for seat in self.seats.values():
                await seat.close()
            await self.rooms.close()
            await self.jobs.close()
            await self.pool.close()
        finally:
            self.closing.close()

    # --- seats ------------------------------------------------------------------------------------

    def note_room(self, stored: StoredRoom) -> None:
        """Remember the ways to the seats of a room; of too many the oldest are forgotten."""
        for held in stored.seats:
            if held.token is not None:
                self.ways[held.token] = stored.room
        while len(self.ways) > MOST_WAYS:
            self.ways.popitem(last=False)

    async def sit(self, name: str) -> Seat:
        """Take a seat of a room here, whose token is its name."""
        room_name = self.ways[name]

        async def line() -> LocalLine:
            room = await self.rooms.find(room_name)
            if room is None:
                raise SandtableError("this game is not here any more")
            return LocalLine(self.rooms, room, name)

        return await self.add(Seat(name, line))

    async def add(self, seat: Seat) -> Seat:
        """Keep a seat, once its line is there."""
        finished = [each for each in self.seats.values() if each.over]
        for old in finished[: max(0, len(self.seats) - MOST_SEATS + 1)]:
            del self.seats[old.name]
            await old.close()
        if len(self.seats) >= MOST_SEATS:
            await seat.close()
            raise SandtableError(f"{MOST_SEATS} games are open here; end one of them first")
        await seat.ready()
        self.seats[seat.name] = seat
        return seat

    async def seat(self, name: str) -> Seat:
        """Return the seat of a name, or say that there is none; nobody finds one by trying."""
        async with self.sitting:
            if name not in self.seats and name in self.ways:
                return await self.sit(name)
        if name in self.seats:
            await self.seats[name].ready()
            return self.seats[name]
        raise SandtableError(
            "there is no such game here; 'game' is the name that start_game, open_room or "
            "join_room returned"
        )
