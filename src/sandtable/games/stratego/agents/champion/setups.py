"""Set-ups of classic Stratego that look thought about, drawn by chance.

The flag stands near a corner more often than not, mostly with bombs beside it, sometimes with a
nest of bombs elsewhere that looks the same; and every rank has rows where it would rather stand. No
two are alike, so that there is no list to be learned by heart. The champion trains against them,
and takes its own from among them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego.layout import (
    BOARD,
    BOMB,
    CLASSIC,
    FLAG,
    GIVEN,
    MARSHAL,
    MINER,
    ORIGIN,
    PIECE_COUNTS,
    SCOUT,
    SIDE,
    SPY,
    setup_square,
    whole,
)

__all__ = ["SQUARES", "draw_setup", "give_setup"]

ROWS = 4
SQUARES = ROWS * SIDE
BACK = ROWS - 1
# How much a rank likes a place in the front row, the rows behind it and the back row.
LIKING = np.ones((FLAG + 1, ROWS), dtype=np.int64)
LIKING[SPY] = 1, 4, 4, 1
LIKING[SCOUT] = 5, 3, 3, 3
LIKING[MINER] = 1, 2, 4, 6
LIKING[4] = 2, 3, 3, 1
LIKING[5] = 3, 3, 2, 1
LIKING[6] = 4, 3, 1, 1
LIKING[7:MARSHAL] = 3, 4, 2, 1
LIKING[MARSHAL] = 2, 4, 2, 1
LIKING[BOMB] = 1, 4, 6, 6


@kernel
def draw_setup(ranks: NDArray[np.int64], dice: NDArray[np.uint64]) -> None:
    """Write a set-up of the classic game: the ranks [40], front row first, left to right."""
    ranks[:] = 0
    row = BACK if below(dice, 8) > 0 else BACK - 1
    column = int(below(dice, SIDE))
    if below(dice, 2) == 0:  # near a corner
        column = int(below(dice, 2) * (SIDE - 2) + below(dice, 2))
    ranks[row * SIDE + column] = FLAG
    bombs = whole(PIECE_COUNTS[CLASSIC, BOMB])
    if below(dice, 6) > 0:
        bombs -= bombs_around(ranks, row, column, bombs, dice)
    if below(dice, 3) == 0:  # and where there is no flag
        bombs -= bombs_around(ranks, whole(BACK), int(below(dice, SIDE)), bombs, dice)
    stand(ranks, whole(BOMB), bombs, dice)
    for rank in range(MARSHAL, SPY - 1, -1):
        stand(ranks, rank, whole(PIECE_COUNTS[CLASSIC, rank]), dice)


@kernel
def bombs_around(
    ranks: NDArray[np.int64], row: int, column: int, bombs: int, dice: NDArray[np.uint64]
) -> int:
    """Put bombs beside a square, on most of the free squares there are; return how many."""
    used = 0
    for way in range(4):
        beside_row = row + (way == 1) - (way == 0)
        beside = column + (way == 3) - (way == 2)
        if beside_row < 0 or beside_row >= ROWS or beside < 0 or beside >= SIDE or used == bombs:
            continue
        square = beside_row * SIDE + beside
        if ranks[square] == 0 and below(dice, 5) > 0:
            ranks[square] = BOMB
            used += 1
    return used


@kernel
def stand(ranks: NDArray[np.int64], rank: int, count: int, dice: NDArray[np.uint64]) -> None:
    """Put pieces of a rank on free squares, rather in the rows that it likes."""
    for _ in range(count):
        total = 0
        for square in range(SQUARES):
            if ranks[square] == 0:
                total += LIKING[rank, square // SIDE]
        place = below(dice, total)
        for square in range(SQUARES):
            if ranks[square] == 0:
                place -= LIKING[rank, square // SIDE]
                if place < 0:
                    ranks[square] = rank
                    break


@kernel
def give_setup(position: NDArray[np.int16], seat: int, ranks: NDArray[np.int64]) -> None:
    """Write a set-up [40] into a position for ``start`` to find."""
    position[ORIGIN + seat] = GIVEN
    for index in range(SQUARES):
        position[BOARD + setup_square(position, seat, index)] = ranks[index]
