"""What a seat sees of a Stratego board, one small number a square (sandtable.compiled kernels).

The six planes of the paper tell 25 kinds of squares apart, and nothing else about a position. So a
board is a row of 100 such codes (36 on the small board), turned for Blue as the planes are: six
times smaller to keep than planes of bytes, and quick to compare. ``write_planes`` makes the planes.
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
    "PLANES",
    "PLANE_SHAPE",
    "key_of",
    "mirrored_actions",
    "moves_of_board",
    "turned_actions",
    "write_codes",
    "write_planes",
]

PLANES = 6
PLANE_SHAPE = (PLANES, layout.SIDE, layout.SIDE)
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


def moves_of_board(side: int) -> int:
    """Return how many moves a board has, long ways of scouts included.

    >>> moves_of_board(10), moves_of_board(6)
    (1800, 360)
    """
    return layout.first_setup_action(side)


def mirrored_actions(side: int = layout.SIDE) -> NDArray[np.int64]:
    """Build the table of the moves on a board whose left and right are exchanged.

    >>> mirrored_actions(6)[:3].tolist()
    [54, 53, 52]
    """
    reach = side - 1
    table = np.zeros(moves_of_board(side), dtype=np.int64)
    for action in range(len(table)):
        place, other = divmod(action, 2 * reach)
        row, column = divmod(place, side)
        mirrored = reach - 1 - other if other < reach else other
        table[action] = (row * side + reach - column) * 2 * reach + mirrored
    return table


def turned_actions(side: int = layout.SIDE) -> NDArray[np.int64]:
    """Build the table of the moves on a board turned by 180 degrees.

    >>> turned_actions(6)[:3].tolist()
    [354, 353, 352]
    """
    moves = range(moves_of_board(side))
    return np.array([layout.turned_action(side, action) for action in moves], dtype=np.int64)


def squares_of_places() -> NDArray[np.int64]:
    """Build the table [board, place] of squares: row by row on a board of its size."""
    table = np.zeros((2, layout.SQUARES), dtype=np.int64)
    for board, side in enumerate((layout.SIDE, layout.SMALL_SIDE)):
        for place in range(side * side):
            table[board, place] = place // side * layout.SIDE + place % side
    return table


CODE_PLANES = planes_of_codes()  # [code, plane]
SQUARE_KEYS = keys_of_squares()  # [square, code]
MIRRORED_ACTIONS = mirrored_actions()  # [action]
# The seat's own move for every move on the turned board, and the other way round: [action].
TURNED_ACTIONS = turned_actions()
TURNED_MOVES = np.zeros((2, MOVES), dtype=np.int64)  # [0 large or 1 small, action], the same
TURNED_MOVES[0] = TURNED_ACTIONS
TURNED_MOVES[1, : moves_of_board(layout.SMALL_SIDE)] = turned_actions(layout.SMALL_SIDE)
SQUARE_OF_PLACE = squares_of_places()  # [0 large or 1 small, place]


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
    """Write what a seat sees into codes [100] or [36], its own side at the bottom."""
    places = len(codes)
    board = 0 if places == layout.SQUARES else 1
    for place in range(places):
        cell = layout.as_int64(position[layout.BOARD + SQUARE_OF_PLACE[board, place]])
        seen = place if seat == layout.RED else places - 1 - place
        codes[seen] = code_of(cell, seat, open_ranks)


@kernel
def key_of(codes: NDArray[np.uint8]) -> np.uint64:
    """Return a number that is the same for equal boards, and practically never for others."""
    key = np.uint64(1)
    for place in range(len(codes)):
        key ^= SQUARE_KEYS[place, codes[place]]
    return key


@kernel
def write_planes(codes: NDArray[np.uint8], count: int, planes: NDArray[np.float32]) -> None:
    """Write the first boards of codes [board, 100] as planes [board, 6, 10, 10], or smaller."""
    side = planes.shape[2]
    for board in range(count):
        for square in range(side * side):
            row, column = square // side, square % side
            code = codes[board, square]
            for plane in range(PLANES):
                planes[board, plane, row, column] = CODE_PLANES[code, plane]
