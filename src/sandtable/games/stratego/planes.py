"""Stratego as the input of a network: the six planes of the paper, and a richer set.

Blue sees the board turned by 180 degrees, so that to a network the own side always plays from the
bottom. Both show nothing that the seat's view does not, whatever position they are given.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.square_sets import HALF_BOARD, NOTHING, ONE, lowest, set_at

__all__ = ["PAPER_PLANE_NAMES", "PLANE_NAMES", "action_frames", "encode", "encode_paper"]

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
RANK_PLANES = -layout.SPY  # plane of rank r: RANK_PLANES + r
MOVED_PLANE = layout.RANKS - 1
SECRET = layout.RANKS
BARRED = layout.RANKS + 1
OWN_LAST = layout.RANKS + 2
OTHER_LAST = layout.RANKS + 3
QUIET_SHARE = layout.RANKS + 4
TABLE = QUIET_SHARE  # where chances are kept until that plane is written


def places_of_squares() -> NDArray[np.int64]:
    """Build the table [board, square] of places in a plane: row by row on a board of its size."""
    table = np.zeros((2, layout.SQUARES), dtype=np.int64)
    for board, side in enumerate((layout.SIDE, layout.SMALL_SIDE)):
        for row in range(side):
            for column in range(side):
                table[board, row * layout.SIDE + column] = row * side + column
    return table


PLACES = places_of_squares()  # [0 large or 1 small, square]


@functools.cache
def action_frames(side: int) -> NDArray[np.int64]:
    """Return the table [seat, action as the seat sees the board] of actions on a board.

    It is ``layout.turned_action`` for Blue; set-up actions name ranks and no squares.

    >>> action_frames(6)[:, :3].tolist()
    [[0, 1, 2], [354, 353, 352]]
    """
    table = np.tile(np.arange(layout.action_count(side), dtype=np.int64), (2, 1))
    reach, moves = side - 1, layout.first_setup_action(side)
    place, other = np.divmod(table[layout.BLUE, :moves], 2 * reach)
    turned = np.where(other < reach, reach - 1 - other, 3 * reach - 1 - other)
    table[layout.BLUE, :moves] = (side * side - 1 - place) * 2 * reach + turned
    table.flags.writeable = False
    return table


@kernel
def encode_paper(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write the six planes of the paper [6, side, side]; ranks are 1 for a spy to 10."""
    planes[:] = 0.0
    side = planes.shape[1]
    screened = layout.setting_up(position)
    for row in range(side):
        for column in range(side):
            cell = layout.as_int64(position[layout.BOARD + row * layout.SIDE + column])
            seen_row = row if seat == layout.RED else side - 1 - row
            seen_column = column if seat == layout.RED else side - 1 - column
            rank = layout.rank_of(cell)
            if layout.owned_by(cell, seat):
                plane = 1 if layout.can_move(rank) else 0
                planes[plane, seen_row, seen_column] = rank if layout.can_move(rank) else 1.0
            elif layout.owned_by(cell, 1 - seat) and not screened:
                if (cell & layout.KNOWN) == 0:
                    planes[4 if (cell & layout.MOVED) != 0 else 5, seen_row, seen_column] = 1.0
                elif layout.can_move(rank):
                    planes[2, seen_row, seen_column] = rank
                elif rank == layout.BOMB:
                    planes[3, seen_row, seen_column] = 1.0


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write the view of a seat into planes [18, side, side], all values from -1 to 1."""
    flat = planes.reshape((planes.shape[0], planes.shape[1] * planes.shape[2]))
    for plane in range(QUIET_SHARE):
        fill(flat, plane, np.float32(0.0))
    screened = layout.setting_up(position)
    if not screened:
        encode_other(position, seat, flat)
    encode_own(position, seat, flat)
    encode_board(position, seat, planes, flat, screened)


@inlined
def fill(flat: NDArray[np.float32], plane: int, value: np.float32) -> None:
    """Write one value everywhere; the compiler makes vectors of that."""
    for place in range(flat.shape[1]):
        flat[plane, place] = value


@inlined
def first_and_step(cells: int, seat: int) -> tuple[int, int]:
    """Return the place of the upper left square as a seat sees it, and the way from there."""
    return (0, 1) if seat == layout.RED else (cells - 1, -1)


@inlined
def count_unmoved(position: NDArray[np.int16], upper: np.uint64, lower: np.uint64) -> int:
    """Count the pieces of a set that are neither known nor moved."""
    count = 0
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            cell = layout.as_int64(position[layout.BOARD + half * HALF_BOARD + lowest(left)])
            left &= left - ONE
            count += (cell & (layout.KNOWN | layout.MOVED)) == 0
    return count


@inlined
def chances(
    position: NDArray[np.int16], seat: int, unmoved: int, flat: NDArray[np.float32]
) -> None:
    """Write minus the chance of each rank for the seat's hidden pieces, unmoved ones and moved.

    All assignments of the hidden ranks are as likely, and bombs and flag have not moved. The table
    is kept where nothing else has been written yet: rank r at place r, if moved RANKS farther.
    """
    first = layout.HIDDEN + seat * layout.RANKS
    fixed = layout.as_int64(position[first + layout.BOMB]) + layout.as_int64(
        position[first + layout.FLAG]
    )
    hidden = 0
    for rank in range(layout.SPY, layout.RANKS):
        hidden += layout.as_int64(position[first + rank])
    movable = 1.0 / max(hidden - fixed, 1)
    share = 1.0 / max(unmoved, 1)
    for rank in range(layout.SPY, layout.RANKS):
        count = layout.as_int64(position[first + rank])
        moved = np.float32(count * movable if layout.can_move(rank) else 0.0)
        flat[TABLE, layout.RANKS + rank] = -moved
        flat[TABLE, rank] = -(
            moved * (1.0 - fixed * share) if layout.can_move(rank) else count * share
        )


@inlined
def encode_other(position: NDArray[np.int16], seat: int, flat: NDArray[np.float32]) -> None:
    """Write what is known of the other's pieces: a rank, or chances."""
    cells = flat.shape[1]
    first, step = first_and_step(cells, seat)
    board = 0 if cells == layout.SQUARES else 1
    upper, lower = set_at(position, layout.PIECES + (1 - seat) * layout.SIDE)
    chances(position, 1 - seat, count_unmoved(position, upper, lower), flat)
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            square = half * HALF_BOARD + lowest(left)
            left &= left - ONE
            cell = layout.as_int64(position[layout.BOARD + square])
            place = first + step * PLACES[board, square]
            moved = (cell // layout.MOVED) & 1
            flat[MOVED_PLANE, place] = np.float32(0 - moved)
            if (cell & layout.KNOWN) != 0:
                flat[RANK_PLANES + layout.rank_of(cell), place] = -1.0
                continue
            flat[SECRET, place] = -1.0
            for rank in range(layout.SPY, layout.RANKS):
                flat[RANK_PLANES + rank, place] = flat[TABLE, moved * layout.RANKS + rank]


@inlined
def encode_own(position: NDArray[np.int16], seat: int, flat: NDArray[np.float32]) -> None:
    """Write the own pieces, and what the other side knows of them."""
    cells = flat.shape[1]
    first, step = first_and_step(cells, seat)
    board = 0 if cells == layout.SQUARES else 1
    upper, lower = set_at(position, layout.PIECES + seat * layout.SIDE)
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            square = half * HALF_BOARD + lowest(left)
            left &= left - ONE
            cell = layout.as_int64(position[layout.BOARD + square])
            place = first + step * PLACES[board, square]
            flat[RANK_PLANES + layout.rank_of(cell), place] = 1.0
            flat[MOVED_PLANE, place] = np.float32((cell // layout.MOVED) & 1)
            flat[SECRET, place] = np.float32(1 - ((cell // layout.KNOWN) & 1))


@inlined
def encode_board(
    position: NDArray[np.int16],
    seat: int,
    planes: NDArray[np.float32],
    flat: NDArray[np.float32],
    screened: bool,
) -> None:
    """Write what is not a piece: lakes, last moves, moves without attack, the set-up."""
    if planes.shape[1] == layout.SIDE:  # the lakes are where they are for both
        for square in layout.LAKES:
            flat[BARRED, square] = 1.0
    for mover in range(2):
        if position[layout.SHUTTLE + mover] == 0:
            continue
        plane = OWN_LAST if mover == seat else OTHER_LAST
        limit = position[layout.TWO_SQUARES]
        share = min(position[layout.SHUTTLE + mover] / limit, 1.0) if limit > 0 else 0.0
        mark(planes, plane, seat, layout.as_int64(position[layout.LAST_FROM + mover]), -share)
        mark(planes, plane, seat, layout.as_int64(position[layout.LAST_TO + mover]), share)
    quiet = (
        position[layout.QUIET] / position[layout.NO_ATTACK]
        if position[layout.NO_ATTACK] > 0
        else 0.0
    )
    fill(flat, layout.as_int64(QUIET_SHARE), np.float32(quiet))
    decided = layout.as_int64(position[layout.DECIDED + seat])
    if screened and decided != layout.READY and decided < layout.setup_squares(position):
        mark(planes, BARRED, seat, layout.setup_square(position, seat, decided), -1.0)


@inlined
def mark(planes: NDArray[np.float32], plane: int, seat: int, square: int, value: float) -> None:
    """Write a value for one square, seen by a seat."""
    side = planes.shape[1]
    row, column = square // layout.SIDE, square % layout.SIDE
    if seat != layout.RED:
        row, column = side - 1 - row, side - 1 - column
    planes[plane, row, column] = value
