"""The 8 by 8 board of Skirmish: which squares are beside which, and sets of squares.

A square's number is row * 8 + column, row 0 at the top. A set of squares is one unsigned 64-bit
number in which bit s stands for square s, so that a scan of the board touches only what is there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

SIDE = 8
SQUARES = SIDE * SIDE
NOWHERE = -1
AROUND = ((0, -1), (0, 1), (-1, 0), (-1, -1), (-1, 1), (1, 0), (1, -1), (1, 1))  # west first


def square_at(row: int, column: int) -> int:
    """Return the number of a square, or NOWHERE beyond the edge."""
    return row * SIDE + column if 0 <= row < SIDE and 0 <= column < SIDE else NOWHERE


def squares_beside() -> NDArray[np.int16]:
    """Build the table of the squares around each one, in the order of AROUND."""
    table = np.full((SQUARES, len(AROUND)), NOWHERE, dtype=np.int16)
    for square in range(SQUARES):
        row, column = divmod(square, SIDE)
        for place, (down, right) in enumerate(AROUND):
            table[square, place] = square_at(row + down, column + right)
    return table


def kings_steps() -> NDArray[np.uint64]:
    """Build the table of the squares around each one, as sets."""
    beside = [[square for square in row if square != NOWHERE] for row in BESIDE.tolist()]
    return np.array([sum(1 << square for square in each) for each in beside], dtype=np.uint64)


def places_of_single_bits() -> NDArray[np.int64]:
    """Build the table in which ``lowest`` looks up one of 32 bits by five bits of a product."""
    table = np.zeros(SQUARES // 2, dtype=np.int64)
    for square in range(SQUARES // 2):
        table[((int(DE_BRUIJN) << square) & int(LOW_HALF)) >> int(TOP_FIVE)] = square
    return table


ONE = np.uint64(1)
NO_SQUARES = np.uint64(0)
DE_BRUIJN = np.uint64(0x077CB531)  # each of its 32 shifts begins with five different bits
LOW_HALF, HALF, TOP_FIVE = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(27)

BESIDE = squares_beside()  # [64, 8] int16, NOWHERE beyond the edge
KINGS_STEPS = kings_steps()  # [64] sets of squares
PLACE_OF_BIT = places_of_single_bits()  # [32]


@kernel
def lowest(squares: np.uint64) -> int:
    """Return the first square of a set that is not empty.

    It is looked for in halves, so that no product overflows when this runs as plain Python.
    """
    upper = squares & LOW_HALF
    half = upper if upper != NO_SQUARES else squares >> HALF
    place = PLACE_OF_BIT[(((half & (~half + ONE)) * DE_BRUIJN) & LOW_HALF) >> TOP_FIVE]
    return int(place if upper != NO_SQUARES else place + SQUARES // 2)


@kernel
def single(square: int) -> np.uint64:
    """Return the set of one square."""
    return ONE << np.uint64(square)
