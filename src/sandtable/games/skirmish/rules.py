"""Skirmish: the kernels on positions, whose layout is in layout.py.

One half-turn is: tick (every unit ages, buildings raise units, old units go), then one
move of the mover, then the test whether the game is over. A position is always what the mover
sees, so the tick of the half-turn has been done; ``start`` and ``apply`` end with the next tick.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, coin
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.layout import BESIDE, KINGS_STEPS, NO_SQUARES, ONE, lowest, single

TWO = np.uint64(2)
PAIRS, FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)  # what a count in each two, four and eight bits is made with
UPPER_STEPS, MIDDLE_STEPS, LOWER_STEPS = np.uint64(0o7), np.uint64(0o70), np.uint64(0o700)

# Training starts (START is RANDOM): chances of extra units, of each tile, and of each kind.
RANDOMISED_OF_FIVE = 4
EXTRA_UNITS_OF_SQUARES = 10
EXTRA_KINDS = 3  # barracks, worker, soldier


# --- time ----------------------------------------------------------------------------------------


@kernel
def raise_unit(position: NDArray[np.int16], square: int, building: int) -> int:
    """Put the unit a building raises on the first free square beside it, and return that.

    With no free square the unit is lost, and the answer is NOWHERE.
    """
    for place in range(BESIDE.shape[1]):
        beside = int(BESIDE[square, place])
        if beside != layout.NOWHERE and layout.is_free(position, beside):
            raised = layout.RAISES[layout.kind(building)]
            position[layout.UNITS + beside] = raised if building > 0 else -raised
            position[layout.AGES + beside] = 1
            return beside
    return layout.NOWHERE


@kernel
def grow_older(position: NDArray[np.int16]) -> np.uint64:
    """Add a half-turn to all ages; return the squares where that may have consequences.

    All periods and lifespans are multiples of four, and workers and soldiers only ever go.
    """
    for square in range(layout.SQUARES):
        position[layout.AGES + square] += np.int16(position[layout.UNITS + square] != 0)
    due = NO_SQUARES
    for square in range(layout.SQUARES):
        unit, age = position[layout.UNITS + square], position[layout.AGES + square]
        may_act = (abs(unit) < layout.WORKER) | (age >= layout.OLDEST)
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
        unit, age = position[layout.UNITS + square], position[layout.AGES + square]
        period = layout.PERIOD[layout.kind(unit)]
        if period > 0 and age % period == 0:
            beside = raise_unit(position, square, unit)
            if beside > square:
                position[layout.AGES + beside] += 1
        if age >= layout.LIFESPAN[layout.kind(unit)]:
            layout.remove(position, square)


# --- the start -----------------------------------------------------------------------------------


@kernel
def add_first_workers(position: NDArray[np.int16]) -> None:
    """Put a worker beside each town, as if the town had just raised it."""
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square]
        if layout.kind(unit) == layout.TOWN:
            raise_unit(position, square, unit)


@kernel
def add_extra_units(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Scatter units over the land, First's more likely the lower the row."""
    for square in range(layout.SQUARES):
        if not layout.is_free(position, square):
            continue
        if below(dice, layout.SQUARES) < EXTRA_UNITS_OF_SQUARES:
            unit = layout.BARRACKS + below(dice, EXTRA_KINDS)
            first = below(dice, layout.SIDE - 1) < square // layout.SIDE
            position[layout.UNITS + square] = unit if first else -unit
            position[layout.AGES + square] = 1


@kernel
def flip(position: NDArray[np.int16]) -> None:
    """Turn the board upside down and swap the sides."""
    for square in range(layout.SQUARES // 2):
        mirrored = (layout.SIDE - 1 - square // layout.SIDE) * layout.SIDE + square % layout.SIDE
        for board in (layout.LAND, layout.UNITS, layout.AGES):
            above, below_it = position[board + square], position[board + mirrored]
            sign = -1 if board == layout.UNITS else 1
            position[board + square] = sign * below_it
            position[board + mirrored] = sign * above


@kernel
def start(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Turn a map with its towns into a starting position, ticked for the first half-turn."""
    if position[layout.START] == layout.FULL:
        add_first_workers(position)
    elif position[layout.START] == layout.RANDOM:
        if below(dice, 5) < RANDOMISED_OF_FIVE:
            add_extra_units(position, dice)
        if coin(dice) == 1:
            flip(position)
    position[layout.START] = 0
    position[layout.MOVER] = layout.FIRST
    position[layout.PLAYED] = 0
    tick(position)


# --- moves ---------------------------------------------------------------------------------------


@kernel
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return int(position[layout.MOVER])


@kernel
def sides(position: NDArray[np.int16]) -> tuple[np.uint64, np.uint64]:
    """Return the sets of squares on which First and Second have units."""
    first, second = NO_SQUARES, NO_SQUARES
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square]
        first |= np.uint64(unit > 0) << np.uint64(square)
        second |= np.uint64(unit < 0) << np.uint64(square)
    return first, second


@kernel
def land_squares(position: NDArray[np.int16]) -> np.uint64:
    """Return the set of land squares, with and without units."""
    land = NO_SQUARES
    for square in range(layout.SQUARES):
        land |= np.uint64(position[layout.LAND + square] != 0) << np.uint64(square)
    return land


@kernel
def movable(position: NDArray[np.int16], seat: int) -> np.uint64:
    """Return the set of squares with workers and soldiers of a side."""
    sign = np.int16(layout.side_sign(seat))
    squares = NO_SQUARES
    for square in range(layout.SQUARES):
        is_movable = position[layout.UNITS + square] * sign >= layout.WORKER
        squares |= np.uint64(is_movable) << np.uint64(square)
    return squares


@kernel
def targets(
    position: NDArray[np.int16], square: int, not_own: np.uint64, free: np.uint64
) -> np.uint64:
    """Return the set of squares a worker or soldier can go to; a worker's own means building."""
    if layout.kind(position[layout.UNITS + square]) == layout.SOLDIER:
        return np.uint64(KINGS_STEPS[square] & not_own)
    return np.uint64((KINGS_STEPS[square] & free) | single(square))


@kernel
def action_between(square: int, destination: int) -> int:
    """Return the action that leads from a square to one beside it, or BUILD on the same."""
    down = destination // layout.SIDE - square // layout.SIDE
    right = destination % layout.SIDE - square % layout.SIDE
    return square * layout.STEPS + layout.BUILD + down * 3 + right


@kernel
def steps_to(square: int, there: np.uint64) -> np.uint64:
    """Return which of the nine steps lead from a square to these on and beside it, as bits."""
    corner = square - layout.SIDE - 1  # where step 0 leads, perhaps beyond the edge
    around = there >> np.uint64(corner) if corner >= 0 else there << np.uint64(-corner)
    middle, lower = around >> np.uint64(layout.SIDE - 3), around >> np.uint64(2 * (layout.SIDE - 3))
    return np.uint64((around & UPPER_STEPS) | (middle & MIDDLE_STEPS) | (lower & LOWER_STEPS))


@kernel
def may_pass(position: NDArray[np.int16], moves: int | np.int64) -> bool:
    """Say whether the mover, with so many moves, may pass."""
    return bool(moves == 0 or position[layout.FREE_PASS] & (1 << position[layout.MOVER]))


@kernel
def open_squares(position: NDArray[np.int16]) -> tuple[np.uint64, np.uint64]:
    """Return as sets where the mover's soldiers may go at all, and where anybody may."""
    first, second = sides(position)
    land = land_squares(position)
    not_own = land & ~(first if position[layout.MOVER] == layout.FIRST else second)
    return not_own, land & ~(first | second)


@kernel
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    mask[:] = False
    if position[layout.MOVER] == layout.OVER:
        return 0
    not_own, free = open_squares(position)
    units = movable(position, position[layout.MOVER])
    count = np.int64(0)
    while units != NO_SQUARES:
        square = lowest(units)
        units &= units - ONE
        steps = steps_to(square, targets(position, square, not_own, free))
        for step in range(layout.STEPS):  # writing all is faster than looking for the possible
            possible = np.int64((steps >> np.uint64(step)) & ONE)
            mask[square * layout.STEPS + step] = possible != 0
            count += possible
    if may_pass(position, count):
        mask[layout.PASS] = True
        count += 1
    return int(count)


@kernel
def legal_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal actions in ascending order; return how many.

    The same as ``legal`` for searches, to which a list is worth more than a mask.
    """
    if position[layout.MOVER] == layout.OVER:
        return 0
    not_own, free = open_squares(position)
    units = movable(position, position[layout.MOVER])
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
        moves[count] = layout.PASS
        count += 1
    return count


@kernel
def size(squares: np.uint64) -> int:
    """Return how many squares a set has; by sums alone, so that plain Python does not overflow."""
    squares -= (squares >> ONE) & PAIRS
    squares = (squares & FOURS) + ((squares >> TWO) & FOURS)
    squares = (squares + (squares >> np.uint64(4))) & BYTES
    squares += squares >> np.uint64(8)
    squares += squares >> np.uint64(16)
    squares += squares >> np.uint64(32)
    return int(squares & np.uint64(127))


@kernel
def random_action(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw a legal action, each as likely: the same from the same dice as out of the mask."""
    not_own, free = open_squares(position)
    units = movable(position, position[layout.MOVER])
    waiting, count = units, 0
    while waiting != NO_SQUARES:
        square = lowest(waiting)
        waiting &= waiting - ONE
        count += size(targets(position, square, not_own, free))
    place = below(dice, count + may_pass(position, count))
    if place == count:
        return layout.PASS
    square = 0
    there = NO_SQUARES
    while place >= 0:
        square = lowest(units)
        units &= units - ONE
        there = targets(position, square, not_own, free)
        place -= size(there)
    for _ in range(place + size(there)):
        there &= there - ONE
    return action_between(square, lowest(there))


@kernel
def is_capture(position: NDArray[np.int16], action: int) -> bool:
    """Say whether a legal action removes a unit of the other side."""
    if action == layout.PASS or action % layout.STEPS == layout.BUILD:
        return False
    return bool(position[layout.UNITS + layout.DESTINATION[action]] != 0)


@kernel
def move(position: NDArray[np.int16], action: int) -> None:
    """Move a unit or build, without the rest of the half-turn."""
    if action == layout.PASS:
        return
    square = action // layout.STEPS
    unit, age = position[layout.UNITS + square], position[layout.AGES + square]
    if action % layout.STEPS == layout.BUILD:
        position[layout.UNITS + square] = layout.BARRACKS if unit > 0 else -layout.BARRACKS
        position[layout.AGES + square] = 1
        return
    layout.remove(position, square)
    position[layout.UNITS + layout.DESTINATION[action]] = unit
    position[layout.AGES + layout.DESTINATION[action]] = age


# --- the end -------------------------------------------------------------------------------------


@kernel
def sides_alive(position: NDArray[np.int16]) -> tuple[bool, bool]:
    """Say for First and for Second whether they have units."""
    lowest_unit, highest_unit = 0, 0
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square]
        lowest_unit, highest_unit = min(lowest_unit, unit), max(highest_unit, unit)
    return highest_unit > 0, lowest_unit < 0


@kernel
def is_decided(position: NDArray[np.int16]) -> bool:
    """Say whether a side, or both, have lost all units or the turns are used up."""
    first, second = sides_alive(position)
    limit = 2 * position[layout.MAX_TURNS]
    return bool(not (first and second) or 0 < limit <= position[layout.PLAYED])


@kernel
def apply(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play one legal action in place, and tick for the other side if the game goes on."""
    move(position, action)
    position[layout.PLAYED] += 1
    if is_decided(position):
        position[layout.MOVER] = layout.OVER
        return
    position[layout.MOVER] = layout.SECOND - position[layout.MOVER]
    tick(position)


@kernel
def first_result(position: NDArray[np.int16]) -> float:
    """Return the result of a finished game for First: 1 if it alone has units, -1 if Second does.

    What an empty board means is an option of the game.
    """
    first, second = sides_alive(position)
    if first != second:
        return 1.0 if first else -1.0
    if not first and position[layout.BOTH_EMPTY] == layout.SECOND_WINS:
        return -1.0
    return 0.0


@kernel
def score(position: NDArray[np.int16], scores: NDArray[np.float64]) -> None:
    """Write the results of a finished game for First and for Second."""
    scores[layout.FIRST] = first_result(position)
    scores[layout.SECOND] = -scores[layout.FIRST]


@kernel
def hide(position: NDArray[np.int16], seat: int) -> None:
    """Nothing is hidden in this game."""


@kernel
def guess(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Nothing is hidden in this game, so there is nothing to guess."""
