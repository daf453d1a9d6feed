"""The set-up of Stratego: pieces placed one by one, drawn at random, or given.

A seat decides its squares in a fixed order, from its front row back and from left to right as it
sees them: which piece goes there, or none where there are more squares than pieces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, coin
from sandtable.games.stratego.layout import (
    BOARD,
    BOMB,
    DECIDED,
    DONE,
    FLAG,
    LEAVE_EMPTY,
    MOVER,
    MOVERS,
    OWNED,
    PIECE_COUNTS,
    PIECES,
    RANKS,
    READY,
    SCOUT,
    SCOUTS,
    SIDE,
    SPY,
    VARIANT,
    can_move,
    rank_of,
    setup_base,
    setup_square,
    setup_squares,
    side_of,
    whole,
)
from sandtable.games.stratego.named_setups import FIRST_NAMED, NAMED_RANKS
from sandtable.games.stratego.rules.square_sets import flip_square


@kernel
def put(position: NDArray[np.int16], seat: int, marked_rank: int, square: int) -> None:
    """Put a piece of the seat on an empty square and into all sets; marks come with its rank."""
    position[BOARD + square] = marked_rank | (OWNED << seat)
    flip_sets(position, seat, rank_of(marked_rank), square)


@kernel
def take_off(position: NDArray[np.int16], seat: int, square: int) -> None:
    """Take the seat's piece off a square, and out of all sets."""
    flip_sets(position, seat, rank_of(whole(position[BOARD + square])), square)
    position[BOARD + square] = 0


@kernel
def flip_sets(position: NDArray[np.int16], seat: int, rank: int, square: int) -> None:
    """Put a square into the sets that a piece there belongs to, or take it out of them."""
    flip_square(position, PIECES + seat * SIDE, square)
    if can_move(rank):
        flip_square(position, MOVERS + seat * SIDE, square)
        if rank == SCOUT:
            flip_square(position, SCOUTS + seat * SIDE, square)


@kernel
def left_to_place(position: NDArray[np.int16], seat: int, rank: int) -> int:
    """Count the pieces of a rank that the seat has not placed, or the squares left to be empty."""
    squares = setup_squares(position)
    total = int(PIECE_COUNTS[position[VARIANT], rank])
    if rank == LEAVE_EMPTY:
        total = squares
        for each in range(SPY, RANKS):
            total -= PIECE_COUNTS[position[VARIANT], each]
    for index in range(position[DECIDED + seat]):
        square = setup_square(position, seat, index)
        if rank_of(whole(position[BOARD + square])) == rank:
            total -= 1
    return total


@kernel
def mark_placements(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark what the mover can do with the next square of its set-up in a mask of zeros."""
    seat, base = whole(position[MOVER]), setup_base(position)
    if position[DECIDED + seat] == setup_squares(position):
        mask[base + DONE] = True
        return 1
    count = 0
    for rank in range(RANKS):
        if left_to_place(position, seat, rank) > 0:
            mask[base + rank] = True
            count += 1
    return count


@kernel
def random_placement(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one of the set-up actions that are legal now, each as likely."""
    seat, base = whole(position[MOVER]), setup_base(position)
    if position[DECIDED + seat] == setup_squares(position):
        return base + DONE
    count = whole(0)
    for rank in range(RANKS):
        count += 1 if left_to_place(position, seat, rank) > 0 else 0
    chosen = below(dice, count)
    for rank in range(RANKS):
        if left_to_place(position, seat, rank) > 0:
            if chosen == 0:
                return base + rank
            chosen -= 1
    return base + DONE  # not reached: something was counted


@kernel
def place(position: NDArray[np.int16], choice: int) -> None:
    """Decide the next square of the mover's set-up, or finish it."""
    seat = whole(position[MOVER])
    if choice == DONE:
        position[DECIDED + seat] = READY
        return
    square = setup_square(position, seat, whole(position[DECIDED + seat]))
    if choice != LEAVE_EMPTY:
        put(position, seat, choice, square)
    position[DECIDED + seat] += 1


@kernel
def put_given(position: NDArray[np.int16], seat: int) -> None:
    """Turn the bare ranks that stand on the seat's squares into pieces."""
    for index in range(setup_squares(position)):
        square = setup_square(position, seat, index)
        rank = rank_of(whole(position[BOARD + square]))
        if rank != LEAVE_EMPTY:
            put(position, seat, rank, square)


@kernel
def put_any_named(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Put one of the named set-ups of the variant on the board, in every second case mirrored."""
    variant, side = whole(position[VARIANT]), side_of(position)
    first = FIRST_NAMED[variant]
    chosen = first + below(dice, FIRST_NAMED[variant + 1] - first)
    mirrored = coin(dice) == 1
    for index in range(setup_squares(position)):
        seen = index - index % side + (side - 1 - index % side if mirrored else index % side)
        rank = whole(NAMED_RANKS[chosen][seen])
        if rank != LEAVE_EMPTY:
            put(position, seat, rank, setup_square(position, seat, index))


@kernel
def put_at_random(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Draw a set-up: flag on the back row, bombs not on the front row, the others anywhere."""
    side, squares = side_of(position), setup_squares(position)
    order = np.empty(squares, dtype=np.int64)  # places from the back row on, used ones first
    for index in range(squares):
        order[index] = squares - 1 - index
    used = 0
    for rank in range(FLAG, SPY - 1, -1):
        end = side if rank == FLAG else (squares - side if rank == BOMB else squares)
        for _ in range(PIECE_COUNTS[position[VARIANT], rank]):
            chosen = used + below(dice, end - used)
            order[used], order[chosen] = order[chosen], order[used]
            put(position, seat, rank, setup_square(position, seat, order[used]))
            used += 1
