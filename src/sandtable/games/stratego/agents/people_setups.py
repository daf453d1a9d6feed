"""Set-ups of classic Stratego as people make them, and traps, drawn by chance.

What people do is known from counts over many of their games: the flag stands in the middle of the
back row more often than near a corner, the marshal in the front row in 36 of 100, a bomb in the
front row in 45 of 100 and in 29 where a lane ends, the spy hardly ever in the back row.
``draw_as_people`` draws with these shares; what else there is to a set-up is a guess.
``draw_trap`` shuts most of the lanes with bombs, the spy behind them: what a player runs into that
never saw a bomb in front.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.setups import SETUP_SQUARES, bombs_around

__all__ = ["LANE_COLUMNS", "draw_as_people", "draw_trap"]

ROWS = 4
BACK = ROWS - 1
HUNDRED = 100
LANE_COLUMNS = (0, 1, 4, 5, 8, 9)  # of the front row; the others look at a lake
IS_LANE = np.array([column in LANE_COLUMNS for column in range(layout.SIDE)])
# By the column of the flag, in hundredths: 28 at the edge or beside it, 52 in the middle four.
FLAG_COLUMNS = np.array([7, 7, 10, 13, 13, 13, 13, 10, 7, 7])
FLAG_BACK = 92  # in hundredths: in the back row, else in the one before it
FLAG_GUARDED = 90  # in hundredths: with bombs beside it, as far as four in five of the squares
# Hundredths of set-ups with so many bombs in the front row: none in 54.5, 0.68 on average.
FRONT_BOMBS = np.array([545, 300, 100, 45, 10])
# A bomb in front stands a little less often where a lane ends than anywhere else.
LANE_WEIGHT, LAKE_WEIGHT = 18, 23
# How much a rank likes each row, from the front row on.
LIKING = np.ones((layout.FLAG + 1, ROWS), dtype=np.int64)
LIKING[layout.SPY] = 10, 45, 40, 5
LIKING[layout.SCOUT] = 32, 22, 22, 24
LIKING[layout.MINER] = 8, 15, 27, 50
LIKING[4] = 20, 30, 30, 20
LIKING[5] = 25, 32, 28, 15
LIKING[6] = 34, 32, 24, 10
LIKING[7] = 32, 36, 24, 8
LIKING[8] = 28, 38, 26, 8
LIKING[9] = 32, 38, 24, 6
LIKING[layout.MARSHAL] = 36, 36, 22, 6
LIKING[layout.BOMB] = 0, 20, 34, 46
FIRST_TO_STAND = (layout.MARSHAL, layout.SPY, 9, 8, 7, layout.MINER, 6, 5, 4, layout.SCOUT)
STANDING_ORDER = np.array(FIRST_TO_STAND)  # the first find the rows that they like best
FEWEST_TRAP_BOMBS, MOST_TRAP_BOMBS = 3, 5  # of the six ends of lanes; one stays open to move


@kernel
def draw_as_people(ranks: NDArray[np.int64], dice: NDArray[np.uint64]) -> None:
    """Write a set-up [40] as people make them: the ranks, front row first, left to right."""
    ranks[:] = 0
    left = army(layout.BOMB)
    row = layout.as_int64(BACK if below(dice, HUNDRED) < FLAG_BACK else BACK - 1)
    column = layout.as_int64(drawn_index(FLAG_COLUMNS, dice))
    ranks[row * layout.SIDE + column] = layout.FLAG
    in_front = min(left, drawn_index(FRONT_BOMBS, dice))
    for _ in range(in_front):
        put_front_bomb(ranks, dice)
    left -= in_front
    if below(dice, HUNDRED) < FLAG_GUARDED:
        left -= bombs_around(ranks, row, column, left, dice)
    stand_by_rows(ranks, layout.as_int64(layout.BOMB), left, dice)
    stand_all(ranks, dice)


@kernel
def draw_trap(ranks: NDArray[np.int64], dice: NDArray[np.uint64]) -> None:
    """Write a set-up [40] with bombs where most lanes end and the spy behind the front row."""
    ranks[:] = 0
    left = army(layout.BOMB)
    column = layout.as_int64(drawn_index(FLAG_COLUMNS, dice))
    ranks[BACK * layout.SIDE + column] = layout.FLAG
    count = FEWEST_TRAP_BOMBS + int(below(dice, MOST_TRAP_BOMBS - FEWEST_TRAP_BOMBS + 1))
    placed = 0
    while placed < count:
        end = layout.as_int64(LANE_COLUMNS[below(dice, len(LANE_COLUMNS))])
        if ranks[end] == 0:
            ranks[end] = layout.BOMB
            placed += 1
    left -= count
    left -= bombs_around(ranks, layout.as_int64(BACK), column, left, dice)
    stand_by_rows(ranks, layout.as_int64(layout.BOMB), left, dice)
    beside = layout.SIDE + below(dice, layout.SIDE)  # in the second row
    while ranks[beside] != 0:
        beside = layout.SIDE + below(dice, layout.SIDE)
    ranks[beside] = layout.SPY
    for rank in STANDING_ORDER:
        if rank != layout.SPY:
            stand_by_rows(ranks, layout.as_int64(rank), army(rank), dice)


@kernel
def stand_all(ranks: NDArray[np.int64], dice: NDArray[np.uint64]) -> None:
    """Put all that can move on free squares."""
    for rank in STANDING_ORDER:
        stand_by_rows(ranks, layout.as_int64(rank), army(rank), dice)


@kernel
def army(rank: int) -> int:
    """Return how many pieces of a rank there are."""
    return layout.as_int64(layout.PIECE_COUNTS[layout.CLASSIC, rank])


@kernel
def drawn_index(weights: NDArray[np.int64], dice: NDArray[np.uint64]) -> int:
    """Draw an index, each as likely as its weight says."""
    place = below(dice, int(weights.sum()))
    for index in range(len(weights)):
        place -= weights[index]
        if place < 0:
            return layout.as_int64(index)
    return layout.as_int64(len(weights) - 1)  # not reached


@kernel
def put_front_bomb(ranks: NDArray[np.int64], dice: NDArray[np.uint64]) -> None:
    """Put a bomb on a free square of the front row."""
    weights = np.zeros(layout.SIDE, dtype=np.int64)
    for column in range(layout.SIDE):
        if ranks[column] == 0:
            weights[column] = LANE_WEIGHT if IS_LANE[column] else LAKE_WEIGHT
    ranks[drawn_index(weights, dice)] = layout.BOMB


@kernel
def stand_by_rows(
    ranks: NDArray[np.int64], rank: int, count: int, dice: NDArray[np.uint64]
) -> None:
    """Put pieces of a rank into rows as it likes them, each on any free square there."""
    weights = np.zeros(ROWS, dtype=np.int64)
    for _ in range(count):
        free = np.zeros(ROWS, dtype=np.int64)
        for square in range(SETUP_SQUARES):
            free[square // layout.SIDE] += ranks[square] == 0
        for row in range(ROWS):
            weights[row] = LIKING[rank, row] if free[row] > 0 else 0
        if weights.sum() == 0:  # a bomb, where only the front row is left
            weights[:] = free
        row = drawn_index(weights, dice)
        place = below(dice, int(free[row]))
        for column in range(layout.SIDE):
            if ranks[row * layout.SIDE + column] == 0:
                if place == 0:
                    ranks[row * layout.SIDE + column] = rank
                    break
                place -= 1
