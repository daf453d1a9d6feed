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
from sandtable.games.stratego import layout

__all__ = ["SETUP_SQUARES", "draw_setup", "write_given_setup"]

ROWS = 4
SETUP_SQUARES = ROWS * layout.SIDE
BACK = ROWS - 1
# How much a rank likes a place in the front row, the rows behind it and the back row.
LIKING = np.ones((layout.FLAG + 1, ROWS), dtype=np.int64)
LIKING[layout.SPY] = 1, 4, 4, 1
LIKING[layout.SCOUT] = 5, 3, 3, 3
LIKING[layout.MINER] = 1, 2, 4, 6
LIKING[4] = 2, 3, 3, 1
LIKING[5] = 3, 3, 2, 1
LIKING[6] = 4, 3, 1, 1
LIKING[7 : layout.MARSHAL] = 3, 4, 2, 1
LIKING[layout.MARSHAL] = 2, 4, 2, 1
LIKING[layout.BOMB] = 1, 4, 6, 6


@kernel
def draw_setup(ranks: NDArray[np.int64], dice: NDArray[np.uint64]) -> None:
    """Write a set-up of the classic game: the ranks [40], front row first, left to right."""
    ranks[:] = 0
    row = BACK if below(dice, 8) > 0 else BACK - 1
    column = int(below(dice, layout.SIDE))
    if below(dice, 2) == 0:  # near a corner
        column = int(below(dice, 2) * (layout.SIDE - 2) + below(dice, 2))
    ranks[row * layout.SIDE + column] = layout.FLAG
    bombs = layout.as_int64(layout.PIECE_COUNTS[layout.CLASSIC, layout.BOMB])
    if below(dice, 6) > 0:
        bombs -= bombs_around(ranks, row, column, bombs, dice)
    if below(dice, 3) == 0:  # and where there is no flag
        bombs -= bombs_around(
            ranks, layout.as_int64(BACK), int(below(dice, layout.SIDE)), bombs, dice
        )
    stand(ranks, layout.as_int64(layout.BOMB), bombs, dice)
    for rank in range(layout.MARSHAL, layout.SPY - 1, -1):
        stand(ranks, rank, layout.as_int64(layout.PIECE_COUNTS[layout.CLASSIC, rank]), dice)


@kernel
def bombs_around(
    ranks: NDArray[np.int64], row: int, column: int, bombs: int, dice: NDArray[np.uint64]
) -> int:
    """Put bombs beside a square, on most of the free squares there are; return how many."""
    used = 0
    for way in range(4):
        beside_row = row + (way == 1) - (way == 0)
        beside = column + (way == 3) - (way == 2)
        if (
            beside_row < 0
            or beside_row >= ROWS
            or beside < 0
            or beside >= layout.SIDE
            or used == bombs
        ):
            continue
        square = beside_row * layout.SIDE + beside
        if ranks[square] == 0 and below(dice, 5) > 0:
            ranks[square] = layout.BOMB
            used += 1
    return used


@kernel
def stand(ranks: NDArray[np.int64], rank: int, count: int, dice: NDArray[np.uint64]) -> None:
    """Put pieces of a rank on free squares, rather in the rows that it likes."""
    for _ in range(count):
        total = 0
        for square in range(SETUP_SQUARES):
            if ranks[square] == 0:
                total += LIKING[rank, square // layout.SIDE]
        place = below(dice, total)
        for square in range(SETUP_SQUARES):
            if ranks[square] == 0:
                place -= LIKING[rank, square // layout.SIDE]
                if place < 0:
                    ranks[square] = rank
                    break


@kernel
def write_given_setup(position: NDArray[np.int16], seat: int, ranks: NDArray[np.int64]) -> None:
    """Write a set-up [40] into a position for ``start`` to find."""
    position[layout.ORIGIN + seat] = layout.GIVEN
    for index in range(SETUP_SQUARES):
        position[layout.BOARD + layout.setup_square(position, seat, index)] = ranks[index]
