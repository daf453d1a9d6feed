"""What a seat sees of a Stratego board, one small number a square (sandtable.compiled kernels).

The six planes of the paper tell 25 kinds of squares apart, and nothing else about a position. So a
board is a row of 100 such codes, turned for Blue as the planes are: six times smaller to keep than
planes of bytes, and quick to compare. ``write_planes`` makes the planes of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout

__all__ = [
    "CODES",
    "CODE_PLANES",
    "MIRRORED_ACTIONS",
    "MOVES",
    "PLANE_SHAPE",
    "key_of",
    "write_codes",
    "write_planes",
]

PLANE_SHAPE = (6, layout.SIDE, layout.SIDE)
MOVES = layout.first_setup_action(layout.SIDE)  # of the large board, long ways of scouts included

# The codes. Own pieces that move are OWN + rank, the other's known ones OTHER + rank.
EMPTY, OWN_FIXED, OWN, OTHER, OTHER_BOMB, OTHER_MOVED, OTHER_UNMOVED = 0, 1, 1, 11, 22, 23, 24
CODES = 25


def planes_of_codes() -> NDArray[np.float32]:
    """Build the table [code, plane] of what a square has in the planes; ranks are tenths."""
    table = np.zeros((CODES, PLANE_SHAPE[0]), dtype=np.float32)
    table[OWN_FIXED, 0] = 1.0
    for rank in range(layout.SPY, layout.MARSHAL + 1):
        table[OWN + rank, 1] = table[OTHER + rank, 2] = rank / layout.MARSHAL
    table[OTHER_BOMB, 3] = table[OTHER_MOVED, 4] = table[OTHER_UNMOVED, 5] = 1.0
    return table


def keys_of_squares() -> NDArray[np.uint64]:
    """Draw a number for every code on every square, of which the keys of boards are made."""
    numbers = np.random.Generator(np.random.PCG64(layout.SQUARES))
    table = numbers.integers(0, 2**64, (layout.SQUARES, CODES), dtype=np.uint64)
    table[:, EMPTY] = 0
    return table


def mirrored_actions() -> NDArray[np.int64]:
    """Build the table of the moves on a board whose left and right are exchanged."""
    table = np.zeros(MOVES, dtype=np.int64)
    reach = layout.SIDE - 1
    for action in range(MOVES):
        place, other = divmod(action, 2 * reach)
        row, column = divmod(place, layout.SIDE)
        mirrored = reach - 1 - other if other < reach else other
        table[action] = (row * layout.SIDE + reach - column) * 2 * reach + mirrored
    return table


CODE_PLANES = planes_of_codes()  # [code, plane]
SQUARE_KEYS = keys_of_squares()  # [square, code]
MIRRORED_ACTIONS = mirrored_actions()  # [action]
# The seat's own move for every move on the turned board, and the other way round: [action].
TURNED_ACTIONS = np.array(
    [layout.turned_action(layout.SIDE, action) for action in range(MOVES)], dtype=np.int64
)


@kernel
def code_of(cell: int, seat: int, open_ranks: bool) -> int:
    """Return the code of a cell for a seat; ``open_ranks``: as if it knew all ranks."""
    rank = layout.rank_of(cell)
    if layout.owned_by(cell, seat):
        return OWN + rank if layout.can_move(rank) else OWN_FIXED
    if not layout.owned_by(cell, 1 - seat):
        return EMPTY
    known = (cell & layout.KNOWN) != 0 or open_ranks
    if known and layout.can_move(rank):
        return OTHER + rank
    if known and rank == layout.BOMB:
        return OTHER_BOMB
    return OTHER_MOVED if (cell & layout.MOVED) != 0 and rank != layout.FLAG else OTHER_UNMOVED


@kernel
def write_codes(
    position: NDArray[np.int16], seat: int, open_ranks: bool, codes: NDArray[np.uint8]
) -> None:
    """Write what a seat sees into codes [100], its own side at the bottom."""
    for square in range(layout.SQUARES):
        cell = layout.as_int64(position[layout.BOARD + square])
        place = square if seat == layout.RED else layout.SQUARES - 1 - square
        codes[place] = code_of(cell, seat, open_ranks)


@kernel
def key_of(codes: NDArray[np.uint8]) -> np.uint64:
    """Return a number that is the same for equal boards, and practically never for others."""
    key = np.uint64(1)
    for square in range(layout.SQUARES):
        key ^= SQUARE_KEYS[square, codes[square]]
    return key


@kernel
def write_planes(codes: NDArray[np.uint8], count: int, planes: NDArray[np.float32]) -> None:
    """Write the first boards of codes [board, 100] as planes [board, 6, 10, 10]."""
    for board in range(count):
        for square in range(layout.SQUARES):
            row, column = square // layout.SIDE, square % layout.SIDE
            code = codes[board, square]
            for plane in range(6):
                planes[board, plane, row, column] = CODE_PLANES[code, plane]
