"""Arrays of one size, one after the other, in one block of memory.

A server keeps every position of every open game. As arrays of their own they would take three times
as much.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["History"]

Number = TypeVar("Number", bound=np.generic)

FIRST_ROOM = 16
GROWTH = 1.5


class History(Generic[Number]):
    """A list of equal arrays that grows at its end and can be cut there."""

    def __init__(self, first: NDArray[Number]) -> None:
        self.rows: NDArray[Number] = np.empty((FIRST_ROOM, len(first)), dtype=first.dtype)
        self.count = 0
        self.append(first)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> NDArray[Number]:
        """Return one array, which must not be written; -1 is the last one."""
        if not -self.count <= place < self.count:
            raise IndexError(f"there are {self.count} arrays, not one at {place}")
        row: NDArray[Number] = self.rows[place if place >= 0 else self.count + place]
        return row

    def append(self, row: NDArray[Number]) -> None:
        """Add a copy of an array."""
        if self.count == len(self.rows):
            larger = np.empty((int(self.count * GROWTH), self.rows.shape[1]), self.rows.dtype)
            larger[: self.count] = self.rows
            self.rows = larger
        self.rows[self.count] = row
        self.count += 1

    def cut(self, count: int) -> None:
        """Keep the first arrays only, so many."""
        self.count = min(self.count, count)
