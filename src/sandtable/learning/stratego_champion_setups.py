"""Set-ups for the training of Stratego's champion that look thought about.

Random set-ups (flag on the back row, all else anywhere) are what a game begins with by default, and
a player that has seen no others is helpless before a flag behind bombs. Here the flag stands near a
corner more often than not, mostly with bombs beside it, sometimes with a nest of bombs elsewhere
that looks the same; and every rank has rows where it would rather stand. No two are alike, so that
there is no list to be learned by heart.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego.game import stratego
from sandtable.games.stratego.layout import (
    ANY_NAMED,
    BOARD,
    BOMB,
    CLASSIC,
    FLAG,
    GIVEN,
    MARSHAL,
    MINER,
    ORIGIN,
    PIECE_COUNTS,
    RANDOM,
    SCOUT,
    SIDE,
    SPY,
    setup_square,
    whole,
)
from sandtable.games.stratego.rules import start
from sandtable.types import Game

__all__ = ["draw_setup", "training_game"]

ROWS = 4
SQUARES = ROWS * SIDE
BACK = ROWS - 1
EIGHTHS = 8  # of all set-ups: one is a named one, three are drawn here, four are random
NAMED_EIGHTHS, BUILT_EIGHTHS = 1, 3
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
def start_varied(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Begin a game with set-ups of all three kinds, each side for itself."""
    ranks = np.empty(SQUARES, dtype=np.int64)
    for seat in range(2):
        kind = below(dice, EIGHTHS)
        position[ORIGIN + seat] = RANDOM
        if kind < NAMED_EIGHTHS:
            position[ORIGIN + seat] = ANY_NAMED
        elif kind < NAMED_EIGHTHS + BUILT_EIGHTHS:
            position[ORIGIN + seat] = GIVEN
            draw_setup(ranks, dice)
            for index in range(SQUARES):
                position[BOARD + setup_square(position, seat, index)] = ranks[index]
    start(position, dice)


def training_game(long_scouts: bool, varied: bool) -> Game:
    """Return classic Stratego, with random set-ups alone or with all kinds of them."""
    game = stratego(long_scouts=long_scouts)
    if not varied:
        return game
    return dataclasses.replace(game, rules=dataclasses.replace(game.rules, start=start_varied))
