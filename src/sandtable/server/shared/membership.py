"""One server among several: it shows that it lives, and goes on with what the dead have left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from sandtable.errors import SandtableError
from sandtable.server.connections import NotFound
from sandtable.server.shared.lease import Lease
from sandtable.server.shared.storage import SharedStorage
from sandtable.server.storage import Elsewhere

if TYPE_CHECKING:
    from sandtable.server.classes.classes import Classes
    from sandtable.server.rooms import Rooms

__all__ = ["Membership"]

AT_A_TIME = 20  # rooms that are taken over before others have a turn


class Membership:
    """What a server does for the others, and they for it, as long as it runs."""

    def __init__(
        self,
        storage: SharedStorage,
        rooms: Rooms,
        classes: Classes,
        on_peers: Callable[[set[str]], None],
    ) -> None:
        self.storage, self.rooms, self.classes = storage, rooms, classes
        self.on_peers = on_peers  # hears at every beat which others live
        self.task: asyncio.Task[None] | None = None
        self.lease: Lease | None = None
        self.lapsed = False  # the lease had run out, and that was not dealt with yet
        self.patient_until = 0.0  # after a silence of the database all seem to be dead

    def start(self) -> None:
        """Begin to show that this server lives; it is among the others already."""
        self.loop = asyncio.get_running_loop()
        self.storage.drop_everything = self.drop_soon
        self.lease = Lease(self.storage, self.lease_ran_out)
        self.task = asyncio.create_task(self.live())

    def drop_soon(self) -> None:
        """Let go of everything once whatever happens now is over; another thread may call this."""
        self.loop.call_soon_threadsafe(self.drop, set())

    async def close(self) -> None:
        """Let the others go on with everything at once."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
        if self.lease is not None:
            await self.lease.close()
        with suppress(SandtableError):
            self.storage.leave()

    def lease_ran_out(self) -> None:
        """Note it, and take nothing over for a while: the others come back too."""
        self.lapsed = True
        self.patient_until = time.monotonic() + self.storage.lease

    async def live(self) -> None:
        """Look after what has no keeper, again and again."""
        while True:
            began, beat = time.monotonic(), self.storage.lease / 4
            with suppress(SandtableError):  # a database that is silent is asked again
                await self.beat()
            await asyncio.sleep(max(beat - (time.monotonic() - began), 0.1))

    async def beat(self) -> None:
        """Do it once."""
        if self.lapsed:
            self.drop(self.storage.still_ours())  # others may have taken some
            self.lapsed = False
        self.on_peers({peer.server for peer in self.storage.peers()})
        for name in list(self.rooms.lost):
            await self.go_on(name)
        await self.go_on_with_classes()
        if self.may_adopt():
            await self.adopt()

    def may_adopt(self) -> bool:
        """Say whether this server certainly lives, as the others see it."""
        safe = self.lease is None or self.lease.is_safe()
        return safe and not self.lapsed and time.monotonic() >= self.patient_until

    def drop(self, ours: set[str]) -> None:
        """Let go of all rooms and tournaments but these; whoever looks at them comes again."""
        for name, room in list(self.rooms.open.items()):
            if name not in ours:
                self.rooms.lose(room)
        for name in list(self.classes.open):
            if name not in ours:
                self.classes.forget(name)
                self.storage.class_tenures.pop(name, None)

    async def adopt(self) -> None:
        """Go on with rooms and tournaments whose server is gone, all of them, a few at a time."""
        for name in self.storage.orphaned_classes():
            if not self.may_adopt():
                return
            with suppress(Elsewhere):  # another was quicker
                self.storage.class_tenures.pop(name, None)
                self.storage.take_class(name)
                await self.go_on_with_class(name)
        while found := self.storage.orphans(AT_A_TIME):
            taken = 0
            for name in found:
                if not self.may_adopt():
                    return
                if name in self.rooms.open:  # as it was before others had it
                    self.rooms.lose(self.rooms.open[name])
                taken += await self.go_on(name)
            await self.go_on_with_classes()
            if not taken:
                return

    async def go_on_with_classes(self) -> None:
        """Go on with all rooms of tournaments that were taken because somebody asked for one."""
        for name in list(self.storage.taken_classes):
            await self.go_on_with_class(name)

    async def go_on_with_class(self, name: str) -> None:
        """Go on with a tournament that is ours now and all its rooms, and read its results."""
        self.classes.forget(name)  # as it was before another had it
        try:
            self.classes.find(name)
        except (Elsewhere, NotFound):
            self.storage.taken_classes.discard(name)
            return
        for room in self.storage.unfinished_of(name):
            await self.go_on(room)
        if name in self.classes.open:
            self.classes.collect(name)
        self.storage.taken_classes.discard(name)

    async def go_on(self, name: str) -> bool:
        """Go on with a room, unless another server was quicker; say whether we do."""
        try:
            room = await self.rooms.find(name)
        except Elsewhere:
            self.rooms.lost.discard(name)
            return False
        except SandtableError:  # the database is silent: it is tried again
            return False
        self.rooms.lost.discard(name)
        await asyncio.sleep(0)  # those who play come in between
        if room is not None and room.over:
            self.rooms.keep_record(room)
        return room is not None
