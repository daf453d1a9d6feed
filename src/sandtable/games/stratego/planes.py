"""Stratego as the input of a network: the six planes of the paper, and a richer set.

Blue sees the board turned by 180 degrees, so that to a network the own side always plays from the
bottom. Both show nothing that the seat's view does not, whatever position they are given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego.layout import (
    BOARD,
    BOMB,
    DECIDED,
    FLAG,
    HIDDEN,
    KNOWN,
    LAKES,
    LAST_FROM,
    LAST_TO,
    MOVED,
    NO_ATTACK,
    OWNED,
    PIECES,
    QUIET,
    RANKS,
    READY,
    RED,
    SHUTTLE,
    SIDE,
    SPY,
    SQUARES,
    TWO_SQUARES,
    can_move,
    owned_by,
    rank_of,
    setting_up,
    setup_square,
    setup_squares,
    whole,
)
from sandtable.games.stratego.sets import HALF_BOARD, NOTHING, ONE, lowest, set_at

__all__ = ["PAPER_PLANE_NAMES", "PLANE_NAMES", "encode", "encode_paper"]

PAPER_PLANE_NAMES = (
    "own bombs and flag",
    "own movable pieces, by rank",
    "other's known movable pieces, by rank",
    "other's known bombs",
    "other's unknown pieces that have moved",
    "other's unknown pieces that have not moved",
)

RANK_WORDS = ("spy", "2", "3", "4", "5", "6", "7", "8", "9", "10", "bomb", "flag")  # from SPY on
PLANE_NAMES = (
    *(f"{word}: own 1, other's minus the chance that it is one" for word in RANK_WORDS),
    "pieces that have moved, own 1 and other's -1",
    "pieces the opponent does not know, own 1 and other's -1",
    "where nothing can go 1, the square to decide next in a set-up -1",
    "own last move: left -, reached +, as a share of the two-squares limit",
    "other's last move, in the same way",
    "moves without attack, as a share of the limit",
)
RANK_PLANES = -SPY  # plane of rank r: RANK_PLANES + r
MOVED_PLANE = RANKS - 1
SECRET = RANKS
BARRED = RANKS + 1
OWN_LAST = RANKS + 2
OTHER_LAST = RANKS + 3
QUIET_SHARE = RANKS + 4


@kernel
def encode_paper(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write the six planes of the paper [6, side, side]; ranks are 1 for a spy to 10."""
    planes[:] = 0.0
    side = planes.shape[1]
    screened = setting_up(position)
    for row in range(side):
        for column in range(side):
            cell = whole(position[BOARD + row * SIDE + column])
            seen_row = row if seat == RED else side - 1 - row
            seen_column = column if seat == RED else side - 1 - column
            rank = rank_of(cell)
            if owned_by(cell, seat):
                plane = 1 if can_move(rank) else 0
                planes[plane, seen_row, seen_column] = rank if can_move(rank) else 1.0
            elif owned_by(cell, 1 - seat) and not screened:
                if (cell & KNOWN) == 0:
                    planes[4 if (cell & MOVED) != 0 else 5, seen_row, seen_column] = 1.0
                elif can_move(rank):
                    planes[2, seen_row, seen_column] = rank
                elif rank == BOMB:
                    planes[3, seen_row, seen_column] = 1.0


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write the view of a seat into planes [18, side, side], all values from -1 to 1."""
    planes[:] = 0.0
    screened = setting_up(position)
    encode_own(position, seat, planes)
    if not screened:
        encode_other(position, seat, planes)
    encode_board(position, seat, planes, screened)


@kernel
def encode_own(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write the own pieces, and what the other side knows of them."""
    upper, lower = set_at(position, PIECES + seat * SIDE)
    side = planes.shape[1]
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            square = half * HALF_BOARD + lowest(left)
            left &= left - ONE
            cell = whole(position[BOARD + square])
            row, column = square // SIDE, square % SIDE
            if seat != RED:
                row, column = side - 1 - row, side - 1 - column
            planes[RANK_PLANES + rank_of(cell), row, column] = 1.0
            planes[MOVED_PLANE, row, column] = (cell & MOVED) != 0
            planes[SECRET, row, column] = (cell & KNOWN) == 0


@kernel
def chances(position: NDArray[np.int16], seat: int, table: NDArray[np.float32]) -> None:
    """Write the chance of each rank [2, 13] for the seat's hidden pieces: unmoved, and moved.

    All assignments of the hidden ranks are as likely, and bombs and flag have not moved.
    """
    hidden, unmoved = 0, 0
    for square in range(SQUARES):
        marks = position[BOARD + square] & ((OWNED << seat) | KNOWN | MOVED)
        hidden += (marks & ~MOVED) == OWNED << seat
        unmoved += marks == OWNED << seat
    first = HIDDEN + seat * RANKS
    fixed = position[first + BOMB] + position[first + FLAG]
    movable = 1.0 / max(hidden - fixed, 1)
    share = 1.0 / max(unmoved, 1)
    for rank in range(RANKS):
        count = position[first + rank]
        table[1, rank] = count * movable if can_move(rank) else 0.0
        table[0, rank] = table[1, rank] * (1.0 - fixed * share) if can_move(rank) else count * share


@kernel
def encode_other(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write what is known of the other's pieces: a rank, or chances."""
    table = np.empty((2, RANKS), dtype=np.float32)
    chances(position, 1 - seat, table)
    upper, lower = set_at(position, PIECES + (1 - seat) * SIDE)
    side = planes.shape[1]
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            square = half * HALF_BOARD + lowest(left)
            left &= left - ONE
            cell = whole(position[BOARD + square])
            row, column = square // SIDE, square % SIDE
            if seat != RED:
                row, column = side - 1 - row, side - 1 - column
            moved = 1 if (cell & MOVED) != 0 else 0
            planes[MOVED_PLANE, row, column] = -moved
            if (cell & KNOWN) != 0:
                planes[RANK_PLANES + rank_of(cell), row, column] = -1.0
                continue
            planes[SECRET, row, column] = -1.0
            for rank in range(SPY, RANKS):
                planes[RANK_PLANES + rank, row, column] = -table[moved, rank]


@kernel
def encode_board(
    position: NDArray[np.int16], seat: int, planes: NDArray[np.float32], screened: bool
) -> None:
    """Write what is not a piece: lakes, last moves, moves without attack, the set-up."""
    if planes.shape[1] == SIDE:  # the lakes are where they are for both
        for square in LAKES:
            planes[BARRED, square // SIDE, square % SIDE] = 1.0
    for who in range(2):
        if position[SHUTTLE + who] == 0:
            continue
        plane = OWN_LAST if who == seat else OTHER_LAST
        share = min(position[SHUTTLE + who] / max(position[TWO_SQUARES], 1), 1.0)
        mark(planes, plane, seat, whole(position[LAST_FROM + who]), -share)
        mark(planes, plane, seat, whole(position[LAST_TO + who]), share)
    if position[NO_ATTACK] > 0:
        planes[QUIET_SHARE] = position[QUIET] / position[NO_ATTACK]
    decided = whole(position[DECIDED + seat])
    if screened and decided != READY and decided < setup_squares(position):
        mark(planes, BARRED, seat, setup_square(position, seat, decided), -1.0)


@kernel
def mark(planes: NDArray[np.float32], plane: int, seat: int, square: int, value: float) -> None:
    """Write a value for one square, seen by a seat."""
    side = planes.shape[1]
    row, column = square // SIDE, square % SIDE
    if seat != RED:
        row, column = side - 1 - row, side - 1 - column
    planes[plane, row, column] = value
