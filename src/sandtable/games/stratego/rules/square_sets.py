"""Sets of squares of a Stratego board, for kernels that look at all pieces at once.

A set is two unsigned 64-bit numbers: the upper one holds rows 0 to 4, the lower one rows 5 to 9,
ten bits a row. A position keeps its sets row by row, bit c for column c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout

HALF_BOARD = layout.SQUARES // 2
NOTHING = np.uint64(0)
ONE = np.uint64(1)
ROW = np.uint64(layout.SIDE)  # bits of a row
FIRST_ROW = np.uint64(2**layout.SIDE - 1)
ALL_ROWS = np.uint64(2**HALF_BOARD - 1)
OTHER_ROWS = np.uint64(HALF_BOARD - layout.SIDE)
FIRST_COLUMN = np.uint64(sum(1 << layout.SIDE * row for row in range(layout.SIDE // 2)))
NOT_FIRST_COLUMN = np.uint64(int(ALL_ROWS) & ~int(FIRST_COLUMN))
NOT_LAST_COLUMN = np.uint64(int(ALL_ROWS) & ~(int(FIRST_COLUMN) << (layout.SIDE - 1)))

# For counting bits in ever wider fields.
EVEN_BITS = np.uint64(0x5555555555555555)
EVEN_PAIRS = np.uint64(0x3333333333333333)
EVEN_FOURS = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x0101010101010101)
TWO, FOUR, TOP_BYTE = np.uint64(2), np.uint64(4), np.uint64(56)


def land_of_boards() -> NDArray[np.uint64]:
    """Build the sets of squares that can be entered, [variant, 2]."""
    table = np.zeros((len(layout.BARE_BOARDS), 2), dtype=np.uint64)
    for variant, cells in enumerate(layout.BARE_BOARDS):
        for square in np.flatnonzero(cells == 0).tolist():
            half, bit = divmod(square, HALF_BOARD)
            table[variant, half] |= np.uint64(1 << bit)
    return table


LAND = land_of_boards()  # [variant, 2]


@kernel
def set_at(position: NDArray[np.int16], first: int) -> tuple[np.uint64, np.uint64]:
    """Return the set that a position keeps in the ten cells from here on."""
    upper = (
        np.uint64(position[first])
        | np.uint64(position[first + 1]) << np.uint64(10)
        | np.uint64(position[first + 2]) << np.uint64(20)
        | np.uint64(position[first + 3]) << np.uint64(30)
        | np.uint64(position[first + 4]) << np.uint64(40)
    )
    lower = (
        np.uint64(position[first + 5])
        | np.uint64(position[first + 6]) << np.uint64(10)
        | np.uint64(position[first + 7]) << np.uint64(20)
        | np.uint64(position[first + 8]) << np.uint64(30)
        | np.uint64(position[first + 9]) << np.uint64(40)
    )
    return upper, lower


@kernel
def flip_square(position: NDArray[np.int16], first: int, square: int) -> None:
    """Put a square into the set that begins here, or take it out."""
    position[first + square // layout.SIDE] ^= 1 << (square % layout.SIDE)


@kernel
def shifted(upper: np.uint64, lower: np.uint64, direction: int) -> tuple[np.uint64, np.uint64]:
    """Move all squares of a set one step; those at the edge are lost."""
    if direction == layout.LEFT:
        return (upper & NOT_FIRST_COLUMN) >> ONE, (lower & NOT_FIRST_COLUMN) >> ONE
    if direction == layout.RIGHT:
        return (upper & NOT_LAST_COLUMN) << ONE, (lower & NOT_LAST_COLUMN) << ONE
    if direction == layout.UP:
        return (upper >> ROW) | ((lower & FIRST_ROW) << OTHER_ROWS), lower >> ROW
    return (upper << ROW) & ALL_ROWS, ((lower << ROW) & ALL_ROWS) | (upper >> OTHER_ROWS)


@kernel
def size(half: np.uint64) -> int:
    """Count the squares in half of a set; the compiler makes one instruction of it."""
    half = half - ((half >> ONE) & EVEN_BITS)
    half = (half & EVEN_PAIRS) + ((half >> TWO) & EVEN_PAIRS)
    half = (half + (half >> FOUR)) & EVEN_FOURS
    return int((half * BYTES) >> TOP_BYTE)


@kernel
def lowest(half: np.uint64) -> int:
    """Return the place of the first square in half of a set that is not empty."""
    return size((half & (~half + ONE)) - ONE)


@kernel
def nth_square(upper: np.uint64, lower: np.uint64, index: int) -> int:
    """Return a square of a set by its index in ascending order."""
    above = size(upper)
    half, first = upper, 0
    if index >= above:
        half, first, index = lower, HALF_BOARD, index - above
    for _ in range(index):
        half &= half - ONE
    return first + lowest(half)
