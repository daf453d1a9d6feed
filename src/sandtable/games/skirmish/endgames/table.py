"""A table of solved positions: a key for each position, and its value.

Positions are kept as the side to move sees them, so that a table holds each once for both sides;
with ``both_empty=draw`` the rules treat both sides alike. The key tells all that the rules look at
(squares, kinds, owners and ages of up to four units), so no two positions share one. Half-turns
that were played are left out, since without ``max_turns`` nothing depends on them.

A value is WON less the half-turns until then for a win of the side to move, the negative of that
for a loss, and 0 for a draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import layout

__all__ = [
    "FREE",
    "MISSING",
    "MOST_UNITS",
    "TOO_MANY",
    "WON",
    "SolvedTable",
    "find",
    "insert",
    "key_of",
    "new_table",
    "position_of",
    "value_before",
]

WON = 1000  # less the half-turns until the game is over
MISSING = 32767  # where no value is known
MOST_UNITS = 4  # that a key has room for
AGES = np.uint64(layout.OLDEST)
CODES = np.uint64(layout.SQUARES * 8 * layout.OLDEST + 1)  # of a unit, and one for none
EIGHT, ONE, TWO = np.uint64(8), np.uint64(1), np.uint64(2)
NONE = np.uint64(0)
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)  # a slot without a position
TOO_MANY = np.uint64(0xFFFFFFFFFFFFFFFE)  # no key: more units than it has room for
MIX, HIGH_BITS = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


class SolvedTable(NamedTuple):
    """A hash table with open addressing; its length is a power of two."""

    keys: NDArray[np.uint64]  # [slot] FREE where there is none
    values: NDArray[np.int16]  # [slot]
    size: NDArray[np.int64]  # [1] positions in it


def new_table(slots: int) -> SolvedTable:
    """Make an empty table with at least so many slots.

    >>> len(new_table(1000).keys)
    1024
    """
    length = 1 << max(slots - 1, 1).bit_length()
    return SolvedTable(
        np.full(length, FREE, dtype=np.uint64),
        np.full(length, MISSING, dtype=np.int16),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def key_of(position: NDArray[np.int16]) -> np.uint64:
    """Return the key of a position as its mover sees it, or TOO_MANY."""
    sign = layout.side_sign(position[layout.MOVER])
    key, units = NONE, 0
    for square in range(layout.SQUARES):
        unit = int(position[layout.UNITS + square])
        if unit != 0:
            place = np.uint64(square) * EIGHT + np.uint64(abs(unit) - 1) * TWO
            place += np.uint64(unit * sign < 0)
            age = np.uint64(position[layout.AGES + square])
            key = key * CODES + (place * AGES + age + ONE)
            units += 1
    return np.uint64(key if units <= MOST_UNITS else TOO_MANY)


@kernel
def position_of(key: np.uint64, mover: int, position: NDArray[np.int16]) -> None:
    """Put the units of a key on the board, for the seat that is to move."""
    sign = layout.side_sign(mover)
    position[layout.MOVER] = mover
    position[layout.PLAYED] = mover
    for square in range(layout.SQUARES):
        layout.remove(position, square)
    while key != NONE:
        code = key % CODES - ONE
        key //= CODES
        place = int(code // AGES)
        kind, square = place // 2 % 4 + 1, place // 8
        position[layout.UNITS + square] = kind * sign if place % 2 == 0 else -kind * sign
        position[layout.AGES + square] = int(code % AGES)


@kernel
def slot_of(table: SolvedTable, key: np.uint64) -> int:
    """Return where a key stands, or the free slot where it would."""
    last = np.int64(len(table.keys) - 1)
    mixed = key * MIX
    slot = np.int64((mixed ^ (mixed >> HIGH_BITS)) & np.uint64(last))
    while table.keys[slot] != FREE and table.keys[slot] != key:
        slot = (slot + 1) & last
    return int(slot)


@kernel
def find(table: SolvedTable, key: np.uint64) -> int:
    """Return the value of a position, or MISSING."""
    return int(table.values[slot_of(table, key)])


@kernel
def insert(table: SolvedTable, key: np.uint64, value: int) -> bool:
    """Write a position and its value; False when the table is too full for another."""
    slot = slot_of(table, key)
    if table.keys[slot] == FREE:
        if table.size[0] >= len(table.keys) // 8 * 7:
            return False
        table.size[0] += 1
    table.keys[slot], table.values[slot] = key, value
    return True


@kernel
def value_before(value: int) -> int:
    """Return what a position's value is to the side that moved there, a half-turn earlier."""
    if value > 0:
        return 1 - value
    return -value - 1 if value < 0 else 0
