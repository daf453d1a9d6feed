"""Which moves there are: all of them, one drawn at random, or whether there is any.

The pieces of a seat are shifted all at once, as sets of squares: all movable pieces by one step in
each direction, then the scouts farther as long as some of them still walk over empty squares. The
rules against repetition forbid few moves and rarely, so they are asked only when they may have
something to say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules import square_sets
from sandtable.games.stratego.rules.repetition import MOST_FORBIDDEN, forbidden_moves, watched

MOST_MOVES = 256  # of a seat: 8 scouts with 18 and 25 others with 4 are fewer
NO_INDEX = 2**30


@kernel
def enterable(position: NDArray[np.int16], seat: int) -> tuple[np.uint64, np.uint64]:
    """Return the squares without lake and without a piece of the seat."""
    upper, lower = square_sets.set_at(position, layout.PIECES + seat * layout.SIDE)
    variant = position[layout.VARIANT]
    return square_sets.LAND[variant, 0] & ~upper, square_sets.LAND[variant, 1] & ~lower


@kernel
def can_step(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether some piece of the seat has a square to go to, whatever repetition forbids."""
    free_upper, free_lower = enterable(position, seat)
    upper, lower = square_sets.set_at(position, layout.MOVERS + seat * layout.SIDE)
    for direction in range(4):
        to_upper, to_lower = square_sets.shifted(upper, lower, direction)
        if ((to_upper & free_upper) | (to_lower & free_lower)) != square_sets.NOTHING:
            return True
    return False


@kernel
def has_move(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether the seat has a legal move."""
    if not watched(position, seat):
        return can_step(position, seat)
    return has_allowed_move(position, seat)


@kernel
def has_allowed_move(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether the seat has a move that no rule against repetition forbids."""
    barred = np.empty(MOST_FORBIDDEN, dtype=np.int64)
    ages = np.empty(MOST_FORBIDDEN, dtype=np.int64)
    dropped = forbidden_moves(position, seat, barred, ages)
    return can_step(position, seat) if dropped == 0 else count_steps(position, seat) > dropped


@kernel
def nth_step(position: NDArray[np.int16], seat: int, index: int) -> int:
    """Return a move by its index, whatever repetition forbids, as from square * 100 + to square.

    If there are not so many it is -1 - the number of all moves.
    """
    free_upper, free_lower = enterable(position, seat)
    upper, lower = square_sets.set_at(position, layout.MOVERS + seat * layout.SIDE)
    before = 0
    for direction in range(4):
        to_upper, to_lower = square_sets.shifted(upper, lower, direction)
        to_upper, to_lower = to_upper & free_upper, to_lower & free_lower
        here = square_sets.size(to_upper) + square_sets.size(to_lower)
        if index < before + here:
            to_square = square_sets.nth_square(to_upper, to_lower, index - before)
            return int((to_square - layout.STEP[direction]) * layout.SQUARES + to_square)
        before += here
    if position[layout.LONG_SCOUTS] == 0:
        return -1 - before
    enemy_upper, enemy_lower = square_sets.set_at(
        position, layout.PIECES + (1 - seat) * layout.SIDE
    )
    empty_upper, empty_lower = free_upper & ~enemy_upper, free_lower & ~enemy_lower
    scouts_upper, scouts_lower = square_sets.set_at(position, layout.SCOUTS + seat * layout.SIDE)
    for direction in range(4):
        distance = 1
        upper, lower = square_sets.shifted(scouts_upper, scouts_lower, direction)
        upper, lower = upper & empty_upper, lower & empty_lower
        while (upper | lower) != square_sets.NOTHING:
            distance += 1
            upper, lower = square_sets.shifted(upper, lower, direction)
            to_upper, to_lower = upper & free_upper, lower & free_lower
            here = square_sets.size(to_upper) + square_sets.size(to_lower)
            if index < before + here:
                to_square = square_sets.nth_square(to_upper, to_lower, index - before)
                return int(
                    (to_square - distance * layout.STEP[direction]) * layout.SQUARES + to_square
                )
            before += here
            upper, lower = upper & empty_upper, lower & empty_lower
    return -1 - before


@kernel
def count_steps(position: NDArray[np.int16], seat: int) -> int:
    """Count the moves of the seat as if no rule forbade repetition."""
    return -1 - nth_step(position, seat, layout.as_int64(NO_INDEX))


@kernel
def random_step(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one of the mover's legal moves, each as likely, as from square * 100 + to square."""
    seat = layout.as_int64(position[layout.MOVER])
    count = count_steps(position, seat)
    if not watched(position, seat):
        return nth_step(position, seat, int(below(dice, count)))
    return random_allowed_step(position, seat, count, dice)


@kernel
def random_allowed_step(
    position: NDArray[np.int16], seat: int, count: int, dice: NDArray[np.uint64]
) -> int:
    """Draw a move of the seat that no rule against repetition forbids."""
    barred = np.empty(MOST_FORBIDDEN, dtype=np.int64)
    ages = np.empty(MOST_FORBIDDEN, dtype=np.int64)
    dropped = forbidden_moves(position, seat, barred, ages)
    while True:
        step = nth_step(position, seat, int(below(dice, count)))
        if not np.any(barred[:dropped] == step):
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
    way = distance * layout.STEP[direction]
    later = (distance - 1) * layout.NEXT_ACTION[direction]
    for half in range(2):
        left = lower if half else upper
        while left != square_sets.NOTHING:
            from_square = half * square_sets.HALF_BOARD + square_sets.lowest(left) - way
            left &= left - square_sets.ONE
            moves[count] = layout.FIRST_ACTION[board, direction, from_square] + later
            count += 1
    return count


@kernel
def list_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal moves of the mover into an array of MOST_MOVES; return how many."""
    seat, board = layout.as_int64(position[layout.MOVER]), layout.board_of(position)
    free_upper, free_lower = enterable(position, seat)
    upper, lower = square_sets.set_at(position, layout.MOVERS + seat * layout.SIDE)
    count, distance = layout.as_int64(0), layout.as_int64(1)
    for direction in range(4):
        to_upper, to_lower = square_sets.shifted(upper, lower, direction)
        to_upper, to_lower = to_upper & free_upper, to_lower & free_lower
        count = list_set(to_upper, to_lower, board, direction, distance, moves, count)
    if position[layout.LONG_SCOUTS] != 0:
        enemy_upper, enemy_lower = square_sets.set_at(
            position, layout.PIECES + (1 - seat) * layout.SIDE
        )
        empty_upper, empty_lower = free_upper & ~enemy_upper, free_lower & ~enemy_lower
        scouts_upper, scouts_lower = square_sets.set_at(
            position, layout.SCOUTS + seat * layout.SIDE
        )
        for direction in range(4):
            distance = layout.as_int64(1)
            upper, lower = square_sets.shifted(scouts_upper, scouts_lower, direction)
            upper, lower = upper & empty_upper, lower & empty_lower
            while (upper | lower) != square_sets.NOTHING:
                distance += 1
                upper, lower = square_sets.shifted(upper, lower, direction)
                to_upper, to_lower = upper & free_upper, lower & free_lower
                count = list_set(to_upper, to_lower, board, direction, distance, moves, count)
                upper, lower = upper & empty_upper, lower & empty_lower
    return (
        count - drop_forbidden(position, seat, moves, count) if watched(position, seat) else count
    )


@kernel
def drop_forbidden(
    position: NDArray[np.int16], seat: int, moves: NDArray[np.int16], count: int
) -> int:
    """Take forbidden moves out of a list, in which the others keep their order; return how many."""
    barred = np.empty(MOST_FORBIDDEN, dtype=np.int64)
    ages = np.empty(MOST_FORBIDDEN, dtype=np.int64)
    side = layout.side_of(position)
    dropped = forbidden_moves(position, seat, barred, ages)
    for each in range(dropped):
        action = layout.action_between(
            side, barred[each] // layout.SQUARES, barred[each] % layout.SQUARES
        )
        kept = 0
        for index in range(count):
            if moves[index] != action:
                moves[kept] = moves[index]
                kept += 1
        count = kept
    return dropped
