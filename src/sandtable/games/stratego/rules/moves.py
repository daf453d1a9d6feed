"""Which moves there are: all of them, one drawn at random, or whether there is any.

The pieces of a seat are shifted all at once, as sets of squares: all movable pieces by one step in
each direction, then the scouts farther as long as some of them still walk over empty squares. The
rules against repetition forbid few moves and rarely, and only to the piece that moved last, so they
are asked only when they may have something to say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego.layout import (
    BESIDE,
    BOARD,
    FIRST_ACTION,
    LAKE,
    LAST_TO,
    LONG_SCOUTS,
    MOVER,
    MOVERS,
    NEXT_ACTION,
    OWNED,
    PIECES,
    SCOUT,
    SCOUTS,
    SIDE,
    SQUARES,
    STEP,
    VARIANT,
    action_between,
    board_of,
    owned_by,
    rank_of,
    side_of,
    whole,
)
from sandtable.games.stratego.rules.repetition import forbidden, watched
from sandtable.games.stratego.rules.square_sets import (
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
MOST_MOVES = 256  # of a seat: 8 scouts with 18 and 25 others with 4 are fewer
NO_INDEX = 2**30


@kernel
def enterable(position: NDArray[np.int16], seat: int) -> tuple[np.uint64, np.uint64]:
    """Return the squares without lake and without a piece of the seat."""
    upper, lower = set_at(position, PIECES + seat * SIDE)
    variant = position[VARIANT]
    return LAND[variant, 0] & ~upper, LAND[variant, 1] & ~lower


@kernel
def can_step(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether some piece of the seat has a square to go to, whatever repetition forbids."""
    free_upper, free_lower = enterable(position, seat)
    upper, lower = set_at(position, MOVERS + seat * SIDE)
    for direction in range(4):
        to_upper, to_lower = shifted(upper, lower, direction)
        if ((to_upper & free_upper) | (to_lower & free_lower)) != NOTHING:
            return True
    return False


@kernel
def has_move(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether the seat has a legal move."""
    if not watched(position, seat):
        return can_step(position, seat)
    targets = np.empty(MOST_MOVES_OF_ONE, dtype=np.int64)
    return count_steps(position, seat) > forbidden_targets(position, seat, targets)


@kernel
def nth_step(position: NDArray[np.int16], seat: int, index: int) -> int:
    """Return a move by its index, whatever repetition forbids, as from square * 100 + to square.

    If there are not so many it is -1 - the number of all moves.
    """
    free_upper, free_lower = enterable(position, seat)
    upper, lower = set_at(position, MOVERS + seat * SIDE)
    before = 0
    for direction in range(4):
        to_upper, to_lower = shifted(upper, lower, direction)
        to_upper, to_lower = to_upper & free_upper, to_lower & free_lower
        here = size(to_upper) + size(to_lower)
        if index < before + here:
            to_square = nth_square(to_upper, to_lower, index - before)
            return int((to_square - STEP[direction]) * SQUARES + to_square)
        before += here
    if position[LONG_SCOUTS] == 0:
        return -1 - before
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
            if index < before + here:
                to_square = nth_square(to_upper, to_lower, index - before)
                return int((to_square - distance * STEP[direction]) * SQUARES + to_square)
            before += here
            upper, lower = upper & empty_upper, lower & empty_lower
    return -1 - before


@kernel
def count_steps(position: NDArray[np.int16], seat: int) -> int:
    """Count the moves of the seat as if no rule forbade repetition."""
    return -1 - nth_step(position, seat, whole(NO_INDEX))


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


@kernel
def list_set(
    upper: np.uint64,
    lower: np.uint64,
    board: int,
    direction: int,
    distance: int,
    moves: NDArray[np.int16],
    count: int,
) -> int:
    """Append the moves that end on the squares of a set; return how many there are now."""
    way = distance * STEP[direction]
    later = (distance - 1) * NEXT_ACTION[direction]
    for half in range(2):
        left = lower if half else upper
        while left != NOTHING:
            from_square = half * HALF_BOARD + lowest(left) - way
            left &= left - ONE
            moves[count] = FIRST_ACTION[board, direction, from_square] + later
            count += 1
    return count


@kernel
def list_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal moves of the mover into an array of MOST_MOVES; return how many."""
    seat, board = whole(position[MOVER]), board_of(position)
    free_upper, free_lower = enterable(position, seat)
    upper, lower = set_at(position, MOVERS + seat * SIDE)
    count, distance = whole(0), whole(1)
    for direction in range(4):
        to_upper, to_lower = shifted(upper, lower, direction)
        to_upper, to_lower = to_upper & free_upper, to_lower & free_lower
        count = list_set(to_upper, to_lower, board, direction, distance, moves, count)
    if position[LONG_SCOUTS] != 0:
        enemy_upper, enemy_lower = set_at(position, PIECES + (1 - seat) * SIDE)
        empty_upper, empty_lower = free_upper & ~enemy_upper, free_lower & ~enemy_lower
        scouts_upper, scouts_lower = set_at(position, SCOUTS + seat * SIDE)
        for direction in range(4):
            distance = whole(1)
            upper, lower = shifted(scouts_upper, scouts_lower, direction)
            upper, lower = upper & empty_upper, lower & empty_lower
            while (upper | lower) != NOTHING:
                distance += 1
                upper, lower = shifted(upper, lower, direction)
                to_upper, to_lower = upper & free_upper, lower & free_lower
                count = list_set(to_upper, to_lower, board, direction, distance, moves, count)
                upper, lower = upper & empty_upper, lower & empty_lower
    return (
        count - drop_forbidden(position, seat, moves, count) if watched(position, seat) else count
    )


@kernel
def room(position: NDArray[np.int16], seat: int, square: int, direction: int) -> int:
    """Count the squares that the piece on a square can go to in one direction."""
    blocked = (OWNED << seat) | LAKE
    scout = rank_of(whole(position[BOARD + square])) == SCOUT
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
def drop_forbidden(
    position: NDArray[np.int16], seat: int, moves: NDArray[np.int16], count: int
) -> int:
    """Take forbidden moves out of a list, in which the others keep their order; return how many."""
    targets = np.empty(MOST_MOVES_OF_ONE, dtype=np.int64)
    square, side = whole(position[LAST_TO + seat]), side_of(position)
    dropped = forbidden_targets(position, seat, targets)
    for target in range(dropped):
        action = action_between(side, square, targets[target])
        kept = 0
        for index in range(count):
            if moves[index] != action:
                moves[kept] = moves[index]
                kept += 1
        count = kept
    return dropped
