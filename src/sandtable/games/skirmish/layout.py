"""Skirmish: the board and sets of its squares, the layout of a position, and the actions.

A square's number is row * 8 + column, row 0 at the top. A set of squares is one unsigned 64-bit
number in which bit s stands for square s, so that a scan of the board touches only what is there.
First has the lower half of the board and moves first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

# --- the board -----------------------------------------------------------------------------------

SIDE = 8
SQUARES = SIDE * SIDE
NOWHERE = -1
AROUND = ((0, -1), (0, 1), (-1, 0), (-1, -1), (-1, 1), (1, 0), (1, -1), (1, 1))  # west first


def square_at(row: int, column: int) -> int:
    """Return the number of a square, or NOWHERE beyond the edge.

    >>> square_at(7, 0), square_at(7, -1)
    (56, -1)
    """
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
    sets = [sum(1 << square for square in row if square != NOWHERE) for row in BESIDE.tolist()]
    return np.array(sets, dtype=np.uint64)


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


# --- positions -----------------------------------------------------------------------------------

# Three boards, then single numbers.
LAND = 0  # [64] 1 where units can stand, 0 where nothing can
UNITS = LAND + SQUARES  # [64] kind of the unit, positive for First, negative for Second; 0 nobody
AGES = UNITS + SQUARES  # [64] age of the unit in half-turns, 1 when it is raised; 0 nobody
MOVER = AGES + SQUARES  # seat to act, or OVER
PLAYED = MOVER + 1  # half-turns completed
START = PLAYED + 1  # option: FULL, TOWN_ONLY or RANDOM; start() uses it up and leaves 0
BOTH_EMPTY = START + 1  # option: what a board without units means, DRAW or SECOND_WINS
MAX_TURNS = BOTH_EMPTY + 1  # option: the game is drawn after that many turns of both; 0 never
FREE_PASS = MAX_TURNS + 1  # option: who may pass although it has moves, 1 First + 2 Second
POSITION_SIZE = FREE_PASS + 1

TOWN, BARRACKS, WORKER, SOLDIER = 1, 2, 3, 4
FIRST, SECOND = 0, 1
OVER = -1
FULL, TOWN_ONLY, RANDOM = 0, 1, 2
DRAW, SECOND_WINS = 0, 1

# By kind, in half-turns. A unit goes when it reaches its lifespan, after raising its last one.
LIFESPAN = np.array([0, 60, 16, 80, 80], dtype=np.int16)
PERIOD = np.array([0, 12, 8, 0, 0], dtype=np.int16)  # a unit is raised at every multiple
OLDEST = 80  # half-turns, the longest life
RAISES = np.array([0, WORKER, SOLDIER, 0, 0], dtype=np.int16)

# The longest game: a town raises its last worker in tick 59 (age 60, from 1 at the start). The
# worker goes in tick 138, so the last half-turn in which Second can make it a barracks is 136. That
# raises its last soldier in tick 151, and the soldier goes in tick 230. Any other chain from a town
# or from units at the start ends earlier, so the test after half-turn 230 finds Second without
# units. (First could go on until tick 231.) A test plays such a game.
LONGEST = 230


@kernel
def kind(unit: int) -> int:
    """Return what a unit is, whoever owns it."""
    return abs(unit)


@kernel
def side_sign(seat: int) -> int:
    """Return the sign that the units of a seat carry."""
    return 1 if seat == FIRST else -1


@kernel
def is_free(position: NDArray[np.int16], square: int) -> bool:
    """Say whether a square is land on which nobody stands."""
    return bool(position[LAND + square] == 1 and position[UNITS + square] == 0)


@kernel
def remove(position: NDArray[np.int16], square: int) -> None:
    """Take the unit off a square."""
    position[UNITS + square] = 0
    position[AGES + square] = 0


# --- actions -------------------------------------------------------------------------------------

# Square * 9 + (row offset + 1) * 3 + (column offset + 1), then PASS. BUILD is the step
# onto the own square: a worker becomes a barracks.
STEPS = 9
BUILD = 4
PASS = SQUARES * STEPS
ACTIONS = PASS + 1


def destinations() -> NDArray[np.int16]:
    """Build the table of where each action leads: a square or NOWHERE."""
    table = np.full(PASS, NOWHERE, dtype=np.int16)
    for action in range(PASS):
        square, step = divmod(action, STEPS)
        row, column = divmod(square, SIDE)
        table[action] = square_at(row + step // 3 - 1, column + step % 3 - 1)
    return table


DESTINATION = destinations()  # [576] int16, by action
