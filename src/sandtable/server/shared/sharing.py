"""What a server has that shares its rooms with others: storage, membership, ways to the others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastapi import Request

from sandtable.server.connections import PEER
from sandtable.server.limits import Guard
from sandtable.server.proxies import with_true_addresses
from sandtable.server.settings import Settings
from sandtable.server.shared.classes import SharedClassStorage
from sandtable.server.shared.exchange import passed_on
from sandtable.server.shared.forwarding import Door, Forwarder
from sandtable.server.shared.membership import Membership
from sandtable.server.shared.storage import SharedStorage

if TYPE_CHECKING:
    from sandtable.server.application import Server

__all__ = ["Sharing"]

FRESH_SECONDS = 1.0
AT_A_TIME = 20  # rooms that another server is asked about in one request


class Sharing:
    """One server among several."""

    def __init__(self, server: Server, settings: Settings) -> None:
        assert settings.rooms is not None
        self.server, self.settings = server, settings
        self.storage = SharedStorage(settings.rooms)
        self.classes = SharedClassStorage(self.storage)
        self.secret = self.storage.database.secret()
        self.listing = asyncio.Lock()
        self.list: list[dict[str, Any]] = []
        self.listed_at = -FRESH_SECONDS

    def doors(self, application: Any) -> Any:
        """Return the application behind its guard, and for other servers without it."""
        self.forwarder = Forwarder(application, self.server, self.storage)
        guarded = Guard(self.forwarder, self.settings)
        outside = with_true_addresses(guarded, self.settings.proxies)
        return Door(outside, application, self.secret, self.settings.peers_port)

    def start(self) -> None:
        """Come among the servers; an event loop is there now."""
        settings = self.settings
        self.storage.join(settings.peers_name or f"{settings.peers_host}:{settings.peers_port}")
        self.membership = Membership(
            self.storage, self.server.rooms, self.server.classes, self.forwarder.cut
        )
        self.membership.start()

    async def close(self) -> None:
        """Leave the servers: others go on with the rooms at once."""
        await self.membership.close()

    async def others_lists(self, request: Request) -> list[Any]:
        """Return what the other servers answer to the same request for a list, put together."""
        if request.scope.get(PEER):
            return []
        headers = passed_on(request.scope["headers"])
        lists = await self.forwarder.gather(request.url.path, headers)
        return [each for found in lists for each in found]

    async def listed(self, most: int, request: Request) -> list[dict[str, Any]]:
        """Return the newest rooms that are listed, as they were a moment ago.

        Every first page asks again and again, and the answer is put together from all servers.
        """
        async with self.listing:  # all who come meanwhile wait for the same
            if time.monotonic() - self.listed_at > FRESH_SECONDS:
                self.list = await self.summaries(self.storage.listed_rooms(most), request)
                self.listed_at = time.monotonic()
            return self.list

    async def summaries(self, names: Sequence[str], request: Request) -> list[dict[str, Any]]:
        """Return what everybody may know about rooms; each server tells of those it has."""
        rooms, by_keeper = self.server.rooms, self.storage.keepers(names)
        if request.scope.get(PEER):
            return await rooms.summaries(by_keeper.pop("", []))
        own = asyncio.ensure_future(rooms.summaries(by_keeper.pop("", [])))
        asked = []
        for address, theirs in by_keeper.items():
            for first in range(0, len(theirs), AT_A_TIME):
                some = ",".join(theirs[first : first + AT_A_TIME])
                asked.append(self.forwarder.told_by(address, f"/api/yours?rooms={some}"))
        found = {each["room"]: each for each in await own}
        for told in await asyncio.gather(*asked):
            found |= {each["room"]: each for each in told or ()}
        return [found[name] for name in names if name in found]
