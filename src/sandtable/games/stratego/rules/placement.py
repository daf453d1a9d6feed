"""The set-up of Stratego: pieces placed one by one, drawn at random, or given.

A seat decides its squares in a fixed order, from its front row back and from left to right as it
sees them: which piece goes there, or none where there are more squares than pieces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, coin
from sandtable.games.stratego import layout
from sandtable.games.stratego.named_setups import FIRST_NAMED, NAMED_RANKS
from sandtable.games.stratego.rules.square_sets import flip_square


@kernel
def put(position: NDArray[np.int16], seat: int, marked_rank: int, square: int) -> None:
    """Put a piece of the seat on an empty square and into all sets; marks come with its rank."""
    position[layout.BOARD + square] = marked_rank | (layout.OWNED << seat)
    flip_sets(position, seat, layout.rank_of(marked_rank), square)


@kernel
def take_off(position: NDArray[np.int16], seat: int, square: int) -> None:
    """Take the seat's piece off a square, and out of all sets."""
    flip_sets(
        position, seat, layout.rank_of(layout.as_int64(position[layout.BOARD + square])), square
    )
    position[layout.BOARD + square] = 0


@kernel
def flip_sets(position: NDArray[np.int16], seat: int, rank: int, square: int) -> None:
    """Put a square into the sets that a piece there belongs to, or take it out of them."""
    flip_square(position, layout.PIECES + seat * layout.SIDE, square)
    if layout.can_move(rank):
        flip_square(position, layout.MOVERS + seat * layout.SIDE, square)
        if rank == layout.SCOUT:
            flip_square(position, layout.SCOUTS + seat * layout.SIDE, square)


@kernel
def left_to_place(position: NDArray[np.int16], seat: int, rank: int) -> int:
    """Count the pieces of a rank that the seat has not placed, or the squares left to be empty."""
    squares = layout.setup_squares(position)
    total = int(layout.PIECE_COUNTS[position[layout.VARIANT], rank])
    if rank == layout.LEAVE_EMPTY:
        total = squares
        for piece in range(layout.SPY, layout.RANKS):
            total -= layout.PIECE_COUNTS[position[layout.VARIANT], piece]
    for index in range(position[layout.DECIDED + seat]):
        square = layout.setup_square(position, seat, index)
        if layout.rank_of(layout.as_int64(position[layout.BOARD + square])) == rank:
            total -= 1
    return total


@kernel
def mark_placements(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark what the mover can do with the next square of its set-up in a mask of zeros."""
    seat, base = layout.as_int64(position[layout.MOVER]), layout.setup_base(position)
    if position[layout.DECIDED + seat] == layout.setup_squares(position):
        mask[base + layout.DONE] = True
        return 1
    count = 0
    for rank in range(layout.RANKS):
        if left_to_place(position, seat, rank) > 0:
            mask[base + rank] = True
            count += 1
    return count


@kernel
def random_placement(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one of the set-up actions that are legal now, each as likely."""
    seat, base = layout.as_int64(position[layout.MOVER]), layout.setup_base(position)
    if position[layout.DECIDED + seat] == layout.setup_squares(position):
        return base + layout.DONE
    count = layout.as_int64(0)
    for rank in range(layout.RANKS):
        count += 1 if left_to_place(position, seat, rank) > 0 else 0
    chosen = below(dice, count)
    for rank in range(layout.RANKS):
        if left_to_place(position, seat, rank) > 0:
            if chosen == 0:
                return base + rank
            chosen -= 1
    return base + layout.DONE  # not reached: something was counted


@kernel
def place(position: NDArray[np.int16], choice: int) -> None:
    """Decide the next square of the mover's set-up, or finish it."""
    seat = layout.as_int64(position[layout.MOVER])
    if choice == layout.DONE:
        position[layout.DECIDED + seat] = layout.READY
        return
    square = layout.setup_square(position, seat, layout.as_int64(position[layout.DECIDED + seat]))
    if choice != layout.LEAVE_EMPTY:
        put(position, seat, choice, square)
    position[layout.DECIDED + seat] += 1


@kernel
def put_given(position: NDArray[np.int16], seat: int) -> None:
    """Turn the bare ranks that stand on the seat's squares into pieces."""
    for index in range(layout.setup_squares(position)):
        square = layout.setup_square(position, seat, index)
        rank = layout.rank_of(layout.as_int64(position[layout.BOARD + square]))
        if rank != layout.LEAVE_EMPTY:
            put(position, seat, rank, square)


@kernel
def put_any_named(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Put one of the named set-ups of the variant on the board, in every second case mirrored."""
    variant, side = layout.as_int64(position[layout.VARIANT]), layout.side_of(position)
    first = FIRST_NAMED[variant]
    chosen = first + below(dice, FIRST_NAMED[variant + 1] - first)
    mirrored = coin(dice) == 1
    for index in range(layout.setup_squares(position)):
        source = index - index % side + (side - 1 - index % side if mirrored else index % side)
        rank = layout.as_int64(NAMED_RANKS[chosen][source])
        if rank != layout.LEAVE_EMPTY:
            put(position, seat, rank, layout.setup_square(position, seat, index))


@kernel
def put_at_random(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Draw a set-up: flag on the back row, bombs not on the front row, the others anywhere."""
    side, squares = layout.side_of(position), layout.setup_squares(position)
    order = np.empty(squares, dtype=np.int64)  # places from the back row on, used ones first
    for index in range(squares):
        order[index] = squares - 1 - index
    used = 0
    for rank in range(layout.FLAG, layout.SPY - 1, -1):
        end = side if rank == layout.FLAG else (squares - side if rank == layout.BOMB else squares)
        for _ in range(layout.PIECE_COUNTS[position[layout.VARIANT], rank]):
            chosen = used + below(dice, end - used)
            order[used], order[chosen] = order[chosen], order[used]
            put(position, seat, rank, layout.setup_square(position, seat, order[used]))
            used += 1
