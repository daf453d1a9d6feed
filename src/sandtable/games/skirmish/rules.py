"""Skirmish: the layout of a position and the kernels.

A square's number is row * 8 + column, row 0 at the top. First has the lower half of the board and
moves first. One half-turn is: tick (every unit ages, buildings raise units, old units go), then one
move of the mover, then the test whether the game is over. A position is always what the mover
sees, so the tick of the half-turn has been done; ``start`` and ``apply`` end with the next tick.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, coin
from sandtable.games.skirmish import squares
from sandtable.games.skirmish.squares import (
    BESIDE,
    KINGS_STEPS,
    NO_SQUARES,
    ONE,
    lowest,
    single,
    square_at,
)

SIDE, SQUARES, NOWHERE = squares.SIDE, squares.SQUARES, squares.NOWHERE

# Layout of a position: three boards, then single numbers.
LAND = 0  # [64] 1 where units can stand, 0 where nothing can
UNITS = LAND + SQUARES  # [64] kind of the unit, positive for First, negative for Second; 0 nobody
AGES = UNITS + SQUARES  # [64] age of the unit in half-turns, 1 when it is raised; 0 nobody
MOVER = AGES + SQUARES  # seat to act, or OVER
PLAYED = MOVER + 1  # half-turns completed
START = PLAYED + 1  # option: FULL, TOWN_ONLY or RANDOM; start() uses it up and leaves 0
BOTH_EMPTY = START + 1  # option: what a board without units means, DRAW or SECOND_WINS
MAX_TURNS = BOTH_EMPTY + 1  # option: the game is drawn after that many turns of both; 0 never
FREE_PASS = MAX_TURNS + 1  # option: who may pass although it has moves, 1 First + 2 Second
POSITION_SIZE = FREE_PASS + 1

TOWN, BARRACKS, WORKER, SOLDIER = 1, 2, 3, 4
FIRST, SECOND = 0, 1
OVER = -1
FULL, TOWN_ONLY, RANDOM = 0, 1, 2
DRAW, SECOND_WINS = 0, 1

# By kind, in half-turns. A unit goes when it reaches its lifespan, after raising its last one.
LIFESPAN = np.array([0, 60, 16, 80, 80], dtype=np.int16)
PERIOD = np.array([0, 12, 8, 0, 0], dtype=np.int16)  # a unit is raised at every multiple
OLDEST = 80  # half-turns, the longest life
RAISES = np.array([0, WORKER, SOLDIER, 0, 0], dtype=np.int16)

# The longest game: a town raises its last worker in tick 59 (age 60, from 1 at the start). The
# worker goes in tick 138, so the last half-turn in which Second can make it a barracks is 136. That
# raises its last soldier in tick 151, and the soldier goes in tick 230. Any other chain from a town
# or from units at the start ends earlier, so the test after half-turn 230 finds Second without
# units. (First could go on until tick 231.) A test plays such a game.
LONGEST = 230

# Actions: square * 9 + (row offset + 1) * 3 + (column offset + 1), then PASS. BUILD is the step
# onto the own square: a worker becomes a barracks.
STEPS = 9
BUILD = 4
PASS = SQUARES * STEPS
ACTIONS = PASS + 1
UPPER_STEPS, MIDDLE_STEPS, LOWER_STEPS = np.uint64(0o7), np.uint64(0o70), np.uint64(0o700)

# Training starts (START is RANDOM): chances of extra units, of each tile, and of each kind.
RANDOMISED_OF_FIVE = 4
EXTRA_UNITS_OF_SQUARES = 10
EXTRA_KINDS = 3  # barracks, worker, soldier


def destinations() -> NDArray[np.int16]:
    """Build the table of where each action leads: a square or NOWHERE."""
    table = np.full(PASS, NOWHERE, dtype=np.int16)
    for action in range(PASS):
        square, step = divmod(action, STEPS)
        row, column = divmod(square, SIDE)
        table[action] = square_at(row + step // 3 - 1, column + step % 3 - 1)
    return table


DESTINATION = destinations()  # [576] int16, by action


@kernel
def start(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Turn a map with its towns into a starting position, ticked for the first half-turn."""
    if position[START] == FULL:
        add_first_workers(position)
    elif position[START] == RANDOM:
        if below(dice, 5) < RANDOMISED_OF_FIVE:
            add_extra_units(position, dice)
        if coin(dice) == 1:
            flip(position)
    position[START] = 0
    position[MOVER] = FIRST
    position[PLAYED] = 0
    tick(position)


@kernel
def add_first_workers(position: NDArray[np.int16]) -> None:
    """Put a worker beside each town, as if the town had just raised it."""
    for square in range(SQUARES):
        unit = position[UNITS + square]
        if kind(unit) == TOWN:
            raise_unit(position, square, unit)


@kernel
def add_extra_units(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Scatter units over the land, First's more likely the lower the row."""
    for square in range(SQUARES):
        if not is_free(position, square):
            continue
        if below(dice, SQUARES) < EXTRA_UNITS_OF_SQUARES:
            unit = BARRACKS + below(dice, EXTRA_KINDS)
            first = below(dice, SIDE - 1) < square // SIDE
            position[UNITS + square] = unit if first else -unit
            position[AGES + square] = 1


@kernel
def flip(position: NDArray[np.int16]) -> None:
    """Turn the board upside down and swap the sides."""
    for square in range(SQUARES // 2):
        mirrored = (SIDE - 1 - square // SIDE) * SIDE + square % SIDE
        for board in (LAND, UNITS, AGES):
            above, below_it = position[board + square], position[board + mirrored]
            sign = -1 if board == UNITS else 1
            position[board + square] = sign * below_it
            position[board + mirrored] = sign * above


@kernel
def kind(unit: int) -> int:
    """Return what a unit is, whoever owns it."""
    return abs(unit)


@kernel
def side_sign(seat: int) -> int:
    """Return the sign that the units of a seat carry."""
    return 1 if seat == FIRST else -1


@kernel
def is_free(position: NDArray[np.int16], square: int) -> bool:
    """Say whether a square is land on which nobody stands."""
    return bool(position[LAND + square] == 1 and position[UNITS + square] == 0)


@kernel
def raise_unit(position: NDArray[np.int16], square: int, building: int) -> int:
    """Put the unit a building raises on the first free square beside it, and return that.

    With no free square the unit is lost, and the answer is NOWHERE.
    """
    for place in range(BESIDE.shape[1]):
        beside = int(BESIDE[square, place])
        if beside != NOWHERE and is_free(position, beside):
            raised = RAISES[kind(building)]
            position[UNITS + beside] = raised if building > 0 else -raised
            position[AGES + beside] = 1
            return beside
    return NOWHERE


@kernel
def remove(position: NDArray[np.int16], square: int) -> None:
    """Take the unit off a square."""
    position[UNITS + square] = 0
    position[AGES + square] = 0


@kernel
def sides(position: NDArray[np.int16]) -> tuple[np.uint64, np.uint64]:
    """Return the sets of squares on which First and Second have units."""
    first, second = NO_SQUARES, NO_SQUARES
    for square in range(SQUARES):
        unit = position[UNITS + square]
        first |= np.uint64(unit > 0) << np.uint64(square)
        second |= np.uint64(unit < 0) << np.uint64(square)
    return first, second


@kernel
def land_squares(position: NDArray[np.int16]) -> np.uint64:
    """Return the set of land squares, with and without units."""
    land = NO_SQUARES
    for square in range(SQUARES):
        land |= np.uint64(position[LAND + square] != 0) << np.uint64(square)
    return land


@kernel
def movable(position: NDArray[np.int16], seat: int) -> np.uint64:
    """Return the set of squares with workers and soldiers of a side."""
    sign = np.int16(side_sign(seat))
    found = NO_SQUARES
    for square in range(SQUARES):
        found |= np.uint64(position[UNITS + square] * sign >= WORKER) << np.uint64(square)
    return found


@kernel
def grow_older(position: NDArray[np.int16]) -> np.uint64:
    """Add a half-turn to all ages; return the squares where that may have consequences.

    All periods and lifespans are multiples of four, and workers and soldiers only ever go.
    """
    for square in range(SQUARES):
        position[AGES + square] += np.int16(position[UNITS + square] != 0)
    due = NO_SQUARES
    for square in range(SQUARES):
        unit, age = position[UNITS + square], position[AGES + square]
        may_act = (abs(unit) < WORKER) | (age >= OLDEST)
        is_due = (age > 0) & ((age & np.int16(3)) == 0) & may_act
        due |= np.uint64(is_due) << np.uint64(square)
    return due


@kernel
def tick(position: NDArray[np.int16]) -> None:
    """Let time pass for both sides, as if square by square and in place.

    A unit raised on a square that comes later is therefore aged in the same tick.
    """
    due = grow_older(position)
    while due != NO_SQUARES:
        square = lowest(due)
        due &= due - ONE
        unit, age = position[UNITS + square], position[AGES + square]
        period = PERIOD[kind(unit)]
        if period > 0 and age % period == 0:
            beside = raise_unit(position, square, unit)
            if beside > square:
                position[AGES + beside] += 1
        if age >= LIFESPAN[kind(unit)]:
            remove(position, square)


@kernel
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return int(position[MOVER])


@kernel
def targets(
    position: NDArray[np.int16], square: int, not_own: np.uint64, free: np.uint64
) -> np.uint64:
    """Return the set of squares a worker or soldier can go to; a worker's own means building."""
    if kind(position[UNITS + square]) == SOLDIER:
        return np.uint64(KINGS_STEPS[square] & not_own)
    return np.uint64((KINGS_STEPS[square] & free) | single(square))


@kernel
def action_between(square: int, destination: int) -> int:
    """Return the action that leads from a square to one beside it, or BUILD on the same."""
    down = destination // SIDE - square // SIDE
    right = destination % SIDE - square % SIDE
    return square * STEPS + BUILD + down * 3 + right


@kernel
def steps_to(square: int, there: np.uint64) -> np.uint64:
    """Return which of the nine steps lead from a square to these on and beside it, as bits."""
    corner = square - SIDE - 1  # where step 0 leads, perhaps beyond the edge
    around = there >> np.uint64(corner) if corner >= 0 else there << np.uint64(-corner)
    middle, lower = around >> np.uint64(SIDE - 3), around >> np.uint64(2 * (SIDE - 3))
    return np.uint64((around & UPPER_STEPS) | (middle & MIDDLE_STEPS) | (lower & LOWER_STEPS))


@kernel
def may_pass(position: NDArray[np.int16], moves: int | np.int64) -> bool:
    """Say whether the mover, with so many moves, may pass."""
    return bool(moves == 0 or position[FREE_PASS] & (1 << position[MOVER]))


@kernel
def open_squares(position: NDArray[np.int16]) -> tuple[np.uint64, np.uint64]:
    """Return as sets where the mover's soldiers may go at all, and where anybody may."""
    first, second = sides(position)
    land = land_squares(position)
    not_own = land & ~(first if position[MOVER] == FIRST else second)
    return not_own, land & ~(first | second)


@kernel
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    mask[:] = False
    if position[MOVER] == OVER:
        return 0
    not_own, free = open_squares(position)
    units = movable(position, position[MOVER])
    count = np.int64(0)
    while units != NO_SQUARES:
        square = lowest(units)
        units &= units - ONE
        steps = steps_to(square, targets(position, square, not_own, free))
        for step in range(STEPS):  # all nine are written sooner than those that are possible found
            possible = np.int64((steps >> np.uint64(step)) & ONE)
            mask[square * STEPS + step] = possible != 0
            count += possible
    if may_pass(position, count):
        mask[PASS] = True
        count += 1
    return int(count)


@kernel
def legal_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal actions in ascending order; return how many.

    The same as ``legal`` for searches, to which a list is worth more than a mask.
    """
    if position[MOVER] == OVER:
        return 0
    not_own, free = open_squares(position)
    units = movable(position, position[MOVER])
    count = 0
    while units != NO_SQUARES:
        square = lowest(units)
        units &= units - ONE
        there = targets(position, square, not_own, free)
        while there != NO_SQUARES:
            moves[count] = action_between(square, lowest(there))
            there &= there - ONE
            count += 1
    if may_pass(position, count):
        moves[count] = PASS
        count += 1
    return count


@kernel
def is_capture(position: NDArray[np.int16], action: int) -> bool:
    """Say whether a legal action removes a unit of the other side."""
    if action == PASS or action % STEPS == BUILD:
        return False
    return bool(position[UNITS + DESTINATION[action]] != 0)


@kernel
def move(position: NDArray[np.int16], action: int) -> None:
    """Move a unit or build, without the rest of the half-turn."""
    if action == PASS:
        return
    square = action // STEPS
    unit, age = position[UNITS + square], position[AGES + square]
    if action % STEPS == BUILD:
        position[UNITS + square] = BARRACKS if unit > 0 else -BARRACKS
        position[AGES + square] = 1
        return
    remove(position, square)
    position[UNITS + DESTINATION[action]] = unit
    position[AGES + DESTINATION[action]] = age


@kernel
def sides_alive(position: NDArray[np.int16]) -> tuple[bool, bool]:
    """Say for First and for Second whether they have units."""
    lowest_unit, highest_unit = 0, 0
    for square in range(SQUARES):
        unit = position[UNITS + square]
        lowest_unit, highest_unit = min(lowest_unit, unit), max(highest_unit, unit)
    return highest_unit > 0, lowest_unit < 0


@kernel
def is_decided(position: NDArray[np.int16]) -> bool:
    """Say whether a side, or both, have lost all units or the turns are used up."""
    first, second = sides_alive(position)
    limit = 2 * position[MAX_TURNS]
    return bool(not (first and second) or 0 < limit <= position[PLAYED])


@kernel
def apply(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play one legal action in place, and tick for the other side if the game goes on."""
    move(position, action)
    position[PLAYED] += 1
    if is_decided(position):
        position[MOVER] = OVER
        return
    position[MOVER] = SECOND - position[MOVER]
    tick(position)


@kernel
def score(position: NDArray[np.int16], scores: NDArray[np.float64]) -> None:
    """1 for the side that alone has units and -1 for the other; an empty board by the option."""
    first, second = sides_alive(position)
    result = 0.0
    if first != second:
        result = 1.0 if first else -1.0
    elif not first and position[BOTH_EMPTY] == SECOND_WINS:
        result = -1.0
    scores[FIRST] = result
    scores[SECOND] = -result


@kernel
def hide(position: NDArray[np.int16], seat: int) -> None:
    """Nothing is hidden in this game."""


@kernel
def guess(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Nothing is hidden in this game, so there is nothing to guess."""
