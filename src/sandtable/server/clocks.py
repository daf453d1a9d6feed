"""The clocks of a room."""

from __future__ import annotations

import time

__all__ = ["Clocks"]


class Clocks:
    """Seconds left for every seat; one clock runs at a time, or none."""

    def __init__(
        self, clock: tuple[float, float] | None, seats: int, left: list[float] | None
    ) -> None:
        self.increment = clock[1] if clock else 0.0
        self.left = None if clock is None else (left or [clock[0] * 60.0] * seats)
        self.running: int | None = None
        self.since = 0.0

    def run(self, seat: int | None) -> None:
        """Let the clock of a seat run, or none; what has run until now is taken off."""
        self.charge()
        self.running = seat if self.left is not None else None
        self.since = time.monotonic()

    def charge(self) -> None:
        """Take off what has run."""
        if self.left is not None and self.running is not None:
            now = time.monotonic()
            self.left[self.running] = max(self.left[self.running] - (now - self.since), 0.0)
            self.since = now

    def add_increment(self, seat: int) -> None:
        """Give a seat what it gets after a turn."""
        if self.left is not None:
            self.left[seat] += self.increment

    def seconds(self, seat: int) -> float | None:
        """Return what a seat has left now; None without clocks."""
        if self.left is None:
            return None
        used = time.monotonic() - self.since if self.running == seat else 0.0
        return max(self.left[seat] - used, 0.0)

    def shown(self) -> list[float] | None:
        """Return what all have left now."""
        if self.left is None:
            return None
        return [round(self.seconds(seat) or 0.0, 1) for seat in range(len(self.left))]

    def stored(self, increment: int | None = None) -> list[float] | None:
        """Return what is kept, with what a seat is to get after its turn."""
        if self.left is None:
            return None
        added = (self.increment if seat == increment else 0.0 for seat in range(len(self.left)))
        return [round(sum(each), 3) for each in zip(self.left, added, strict=True)]
