"""Which moves there are: all of them, one drawn at random, or whether there is any.

Most of the time the pieces of a seat are shifted all at once, as sets of squares. The rules against
repetition forbid few moves and rarely, and only to the piece that moved last, so they are asked
only when they may have something to say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego.layout import (
    BESIDE,
    BOARD,
    LAKE,
    LAST_TO,
    LEFT,
    LONG_SCOUTS,
    MOVER,
    MOVERS,
    OWNED,
    PIECES,
    SCOUT,
    SCOUTS,
    SIDE,
    SQUARES,
    STEP,
    UP,
    VARIANT,
    action_between,
    owned_by,
    rank_of,
    side_of,
    whole,
)
from sandtable.games.stratego.repetition import forbidden, watched
from sandtable.games.stratego.sets import (
    HALF_BOARD,
    LAND,
    NOTHING,
    ONE,
    lowest,
    nth_square,
    set_at,
    shifted,
    size,
)

FARTHEST = SIDE - 1
MOST_MOVES_OF_ONE = 2 * FARTHEST


@kernel
def enterable(position: NDArray[np.int16], seat: int) -> tuple[np.uint64, np.uint64]:
    """Return the squares without lake and without a piece of the seat."""
    upper, lower = set_at(position, PIECES + seat * SIDE)
    variant = position[VARIANT]
    return LAND[variant, 0] & ~upper, LAND[variant, 1] & ~lower


@kernel
def with_exit(position: NDArray[np.int16], seat: int) -> tuple[np.uint64, np.uint64]:
    """Return the squares of the seat's pieces that can make a step."""
    free_upper, free_lower = enterable(position, seat)
    upper, lower = NOTHING, NOTHING
    for direction in range(4):
        beside_upper, beside_lower = shifted(free_upper, free_lower, direction)
        upper |= beside_upper
        lower |= beside_lower
    movers_upper, movers_lower = set_at(position, MOVERS + seat * SIDE)
    return upper & movers_upper, lower & movers_lower


@kernel
def can_step(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether some piece of the seat has a square to go to, whatever repetition forbids."""
    upper, lower = with_exit(position, seat)
    return bool((upper | lower) != NOTHING)


@kernel
def has_move(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether the seat has a legal move."""
    if not watched(position, seat):
        return can_step(position, seat)
    targets = np.empty(MOST_MOVES_OF_ONE, dtype=np.int64)
    return count_steps(position, seat) > forbidden_targets(position, seat, targets)


@kernel
def room(position: NDArray[np.int16], seat: int, square: int, direction: int) -> int:
    """Count the squares that the piece on a square can go to in one direction."""
    blocked = (OWNED << seat) | LAKE
    scout = rank_of(position[BOARD + square]) == SCOUT
    farthest = FARTHEST if scout and position[LONG_SCOUTS] != 0 else 1
    count = 0
    square = int(BESIDE[square, direction])
    while count < farthest and (position[BOARD + square] & blocked) == 0:
        count += 1
        if position[BOARD + square] != 0:  # an enemy can be attacked, but not jumped over
            break
        square = int(BESIDE[square, direction])
    return count


@kernel
def forbidden_targets(position: NDArray[np.int16], seat: int, targets: NDArray[np.int64]) -> int:
    """Write the squares to which the seat's last piece may not go, only to end repetition."""
    square = whole(position[LAST_TO + seat])
    count = 0
    if not owned_by(whole(position[BOARD + square]), seat):
        return count  # it was lost where it went
    for direction in range(4):
        for index in range(room(position, seat, square, direction)):
            to_square = square + (index + 1) * STEP[direction]
            if forbidden(position, seat, square, to_square):
                targets[count] = to_square
                count += 1
    return count


@kernel
def mark_moves(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal moves of the mover in a mask of zeros; return how many there are."""
    seat, side = whole(position[MOVER]), side_of(position)
    upper, lower = with_exit(position, seat)
    count = 0
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            square = half * HALF_BOARD + lowest(left)
            left &= left - ONE
            for direction in range(4):
                squares = room(position, seat, square, direction)
                count += squares
                for index in range(squares):
                    to_square = square + (index + 1) * STEP[direction]
                    mask[action_between(side, square, to_square)] = True
    if watched(position, seat):
        targets = np.empty(MOST_MOVES_OF_ONE, dtype=np.int64)
        square = whole(position[LAST_TO + seat])
        for index in range(forbidden_targets(position, seat, targets)):
            mask[action_between(side, square, targets[index])] = False
            count -= 1
    return count


@kernel
def list_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal moves of the mover in ascending order; return how many there are."""
    seat, side = whole(position[MOVER]), side_of(position)
    ask = watched(position, seat)
    upper, lower = with_exit(position, seat)
    count = 0
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            square = half * HALF_BOARD + lowest(left)
            left &= left - ONE
            for direction in range(4):
                squares = room(position, seat, square, direction)
                backwards = direction in (LEFT, UP)  # the farthest square has the lowest number
                for index in range(squares):
                    distance = squares - index if backwards else index + 1
                    to_square = square + distance * STEP[direction]
                    if not (ask and forbidden(position, seat, square, to_square)):
                        moves[count] = action_between(side, square, to_square)
                        count += 1
    return count


@kernel
def count_steps(position: NDArray[np.int16], seat: int) -> int:
    """Count the moves of the seat as if no rule forbade repetition."""
    free_upper, free_lower = enterable(position, seat)
    upper, lower = set_at(position, MOVERS + seat * SIDE)
    count = 0
    for direction in range(4):
        to_upper, to_lower = shifted(upper, lower, direction)
        count += size(to_upper & free_upper) + size(to_lower & free_lower)
    if position[LONG_SCOUTS] == 0:
        return count
    enemy_upper, enemy_lower = set_at(position, PIECES + (1 - seat) * SIDE)
    empty_upper, empty_lower = free_upper & ~enemy_upper, free_lower & ~enemy_lower
    scouts_upper, scouts_lower = set_at(position, SCOUTS + seat * SIDE)
    for direction in range(4):
        upper, lower = shifted(scouts_upper, scouts_lower, direction)
        upper, lower = upper & empty_upper, lower & empty_lower
        while (upper | lower) != NOTHING:
            upper, lower = shifted(upper, lower, direction)
            count += size(upper & free_upper) + size(lower & free_lower)
            upper, lower = upper & empty_upper, lower & empty_lower
    return count


@kernel
def nth_step(position: NDArray[np.int16], seat: int, index: int) -> int:
    """Return one of the moves that ``count_steps`` counts, as from square * 100 + to square."""
    free_upper, free_lower = enterable(position, seat)
    upper, lower = set_at(position, MOVERS + seat * SIDE)
    for direction in range(4):
        to_upper, to_lower = shifted(upper, lower, direction)
        to_upper, to_lower = to_upper & free_upper, to_lower & free_lower
        here = size(to_upper) + size(to_lower)
        if index < here:
            to_square = nth_square(to_upper, to_lower, index)
            return int((to_square - STEP[direction]) * SQUARES + to_square)
        index -= here
    enemy_upper, enemy_lower = set_at(position, PIECES + (1 - seat) * SIDE)
    empty_upper, empty_lower = free_upper & ~enemy_upper, free_lower & ~enemy_lower
    scouts_upper, scouts_lower = set_at(position, SCOUTS + seat * SIDE)
    for direction in range(4):
        distance = 1
        upper, lower = shifted(scouts_upper, scouts_lower, direction)
        upper, lower = upper & empty_upper, lower & empty_lower
        while (upper | lower) != NOTHING:
            distance += 1
            upper, lower = shifted(upper, lower, direction)
            to_upper, to_lower = upper & free_upper, lower & free_lower
            here = size(to_upper) + size(to_lower)
            if index < here:
                to_square = nth_square(to_upper, to_lower, index)
                return int((to_square - distance * STEP[direction]) * SQUARES + to_square)
            index -= here
            upper, lower = upper & empty_upper, lower & empty_lower
    return 0  # not reached: the index is below the count


@kernel
def random_step(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one of the mover's legal moves, each as likely, as from square * 100 + to square."""
    seat = whole(position[MOVER])
    count = count_steps(position, seat)
    ask = watched(position, seat)
    while True:
        step = nth_step(position, seat, int(below(dice, count)))
        if not (ask and forbidden(position, seat, step // SQUARES, step % SQUARES)):
            return step
