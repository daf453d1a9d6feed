"""Skirmish: the layout of a position, and what the numbers in it mean.

A square's number is row * 8 + column, row 0 at the top. First has the lower half of the board and
moves first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import squares
from sandtable.games.skirmish.squares import square_at

SIDE, SQUARES, NOWHERE = squares.SIDE, squares.SQUARES, squares.NOWHERE

# Layout of a position: three boards, then single numbers.
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

# Actions: square * 9 + (row offset + 1) * 3 + (column offset + 1), then PASS. BUILD is the step
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
