"""The sign of life of a server, renewed in a thread of its own.

Whatever the event loop does meanwhile, reading games or waiting for the database, the lease goes
on. It does not go on for a server that answers nobody: after a while without any turn of the event
loop the thread stops renewing, and others go on with the rooms.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from sandtable.errors import SandtableError

__all__ = ["Lease", "Renewed"]

BEATS = 4  # in the time of a lease
STUCK_SECONDS = 60.0  # without a turn of the event loop, after which a server counts as dead


class Renewed(Protocol):
    """What a lease is renewed at."""

    lease: float  # seconds

    def renew(self) -> bool:
        """Give a sign of life; False: the lease had run out."""
        ...


class Lease:
    """Renews a lease until it is closed."""

    def __init__(self, storage: Renewed, lapsed: Callable[[], None]) -> None:
        """Begin; ``lapsed`` is called in the event loop when the lease had run out."""
        self.storage, self.lapsed = storage, lapsed
        self.loop = asyncio.get_running_loop()
        self.stopping = threading.Event()
        self.began = self.turned_at = self.renewed_at = time.monotonic()
        self.thread = threading.Thread(target=self.renew_again, name="lease", daemon=True)
        self.thread.start()

    @property
    def beat(self) -> float:
        """Seconds between signs of life."""
        return self.storage.lease / BEATS

    def is_safe(self) -> bool:
        """Say whether the lease lasts for a while, so that one may take on more."""
        return time.monotonic() - self.renewed_at < self.storage.lease / 2

    def renew_again(self) -> None:
        """Renew, as long as the event loop has its turns."""
        while not self.stopping.wait(max(self.beat - (time.monotonic() - self.began), 0.05)):
            self.began = time.monotonic()
            with suppress(SandtableError, RuntimeError):  # no database; no event loop any more
                self.loop.call_soon_threadsafe(self.turned)
                if self.began - self.turned_at < STUCK_SECONDS:
                    still = self.storage.renew()
                    self.renewed_at = self.began
                    if not still:
                        self.loop.call_soon_threadsafe(self.lapsed)

    def turned(self) -> None:
        """Note that the event loop has its turns."""
        self.turned_at = time.monotonic()

    async def close(self) -> None:
        """Give no sign of life any more."""
        self.stopping.set()
        await asyncio.to_thread(self.thread.join, self.storage.lease)
