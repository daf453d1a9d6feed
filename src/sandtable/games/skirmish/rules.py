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

SIDE = 8
SQUARES = SIDE * SIDE

# Layout of a position: three boards, then single numbers.
LAND = 0  # [64] 1 where units can stand, 0 where nothing can
UNITS = LAND + SQUARES  # [64] kind of the unit, positive for First, negative for Second; 0 nobody
AGES = UNITS + SQUARES  # [64] age of the unit in half-turns, 1 when it is raised; 0 nobody
MOVER = AGES + SQUARES  # seat to act, or OVER
PLAYED = MOVER + 1  # half-turns completed
START = PLAYED + 1  # option: FULL, TOWN_ONLY or RANDOM; start() uses it up and leaves 0
BOTH_EMPTY = START + 1  # option: what a board without units means, DRAW or SECOND_WINS
MAX_TURNS = BOTH_EMPTY + 1  # option: the game is drawn after that many turns of both; 0 never
FREE_PASS = MAX_TURNS + 1  # option: 1 when PASS is legal beside other moves
POSITION_SIZE = FREE_PASS + 1

TOWN, BARRACKS, WORKER, SOLDIER = 1, 2, 3, 4
FIRST, SECOND = 0, 1
OVER = -1
FULL, TOWN_ONLY, RANDOM = 0, 1, 2
DRAW, SECOND_WINS = 0, 1

# By kind, in half-turns. A unit goes when it reaches its lifespan, after raising its last one.
LIFESPAN = np.array([0, 60, 16, 80, 80], dtype=np.int16)
PERIOD = np.array([0, 12, 8, 0, 0], dtype=np.int16)  # a unit is raised at every multiple
RAISES = np.array([0, WORKER, SOLDIER, 0, 0], dtype=np.int16)

# The longest game: a town raises its last worker in tick 59 (age 60 after starting with 1). The
# worker is there for 78 more half-turns and builds a barracks in the last of them, 137; that
# raises its last soldier 15 ticks later, in 152; the soldier is gone in tick 231, and the test
# after half-turn 231 finds an empty board. Any other chain from town to soldier ends earlier.
LONGEST = 231

# Actions: square * 9 + (row offset + 1) * 3 + (column offset + 1), then PASS. BUILD is the step
# onto the own square: a worker becomes a barracks.
STEPS = 9
BUILD = 4
PASS = SQUARES * STEPS
ACTIONS = PASS + 1
NOWHERE = -1

# Training starts (START is RANDOM): chances of extra units, of each tile, and of each kind.
RANDOMISED_OF_FIVE = 4
EXTRA_UNITS_OF_SQUARES = 10
EXTRA_KINDS = 3  # barracks, worker, soldier

WEST_TO_SOUTH_EAST = ((0, -1), (0, 1), (-1, 0), (-1, -1), (-1, 1), (1, 0), (1, -1), (1, 1))


def square_at(row: int, column: int) -> int:
    """Return the number of a square, or NOWHERE beyond the edge."""
    return row * SIDE + column if 0 <= row < SIDE and 0 <= column < SIDE else NOWHERE


def destinations() -> NDArray[np.int16]:
    """Build the table of where each action leads: a square or NOWHERE."""
    table = np.full(PASS, NOWHERE, dtype=np.int16)
    for action in range(PASS):
        square, step = divmod(action, STEPS)
        row, column = divmod(square, SIDE)
        table[action] = square_at(row + step // 3 - 1, column + step % 3 - 1)
    return table


def raising_places() -> NDArray[np.int16]:
    """Build the table of the squares beside each one, in the order in which units are raised."""
    table = np.full((SQUARES, len(WEST_TO_SOUTH_EAST)), NOWHERE, dtype=np.int16)
    for square in range(SQUARES):
        row, column = divmod(square, SIDE)
        for place, (down, right) in enumerate(WEST_TO_SOUTH_EAST):
            table[square, place] = square_at(row + down, column + right)
    return table


DESTINATION = destinations()  # [576] int16, by action
RAISING_PLACES = raising_places()  # [64, 8] int16


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
def raise_unit(position: NDArray[np.int16], square: int, building: int) -> None:
    """Put the unit a building raises on the first free square beside it; it is lost if none is."""
    for place in range(RAISING_PLACES.shape[1]):
        beside = RAISING_PLACES[square, place]
        if beside != NOWHERE and is_free(position, beside):
            raised = RAISES[kind(building)]
            position[UNITS + beside] = raised if building > 0 else -raised
            position[AGES + beside] = 1
            return


@kernel
def remove(position: NDArray[np.int16], square: int) -> None:
    """Take the unit off a square."""
    position[UNITS + square] = 0
    position[AGES + square] = 0


@kernel
def tick(position: NDArray[np.int16]) -> None:
    """Let time pass for both sides, square by square and in place.

    A unit raised on a square that comes later in the pass is therefore aged in the same tick.
    """
    for square in range(SQUARES):
        unit = position[UNITS + square]
        if unit == 0:
            continue
        age = position[AGES + square] + 1
        position[AGES + square] = age
        period = PERIOD[kind(unit)]
        if period > 0 and age % period == 0:
            raise_unit(position, square, unit)
        if age >= LIFESPAN[kind(unit)]:
            remove(position, square)


@kernel
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return int(position[MOVER])


@kernel
def can_go(position: NDArray[np.int16], unit: int, action: int) -> bool:
    """Say whether the unit that an action begins with can do it."""
    destination = DESTINATION[action]
    if destination == NOWHERE or position[LAND + destination] == 0:
        return False
    there = position[UNITS + destination]
    if there == 0:
        return True
    if kind(unit) == SOLDIER:
        return bool((there > 0) != (unit > 0))
    return action % STEPS == BUILD


@kernel
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    mask[:] = False
    if position[MOVER] == OVER:
        return 0
    sign = side_sign(position[MOVER])
    count = 0
    for square in range(SQUARES):
        unit = position[UNITS + square]
        if unit * sign < WORKER:
            continue
        for action in range(square * STEPS, square * STEPS + STEPS):
            if can_go(position, unit, action):
                mask[action] = True
                count += 1
    if count == 0 or position[FREE_PASS] == 1:
        mask[PASS] = True
        count += 1
    return count


@kernel
def legal_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal actions in ascending order; return how many. The same as ``legal``, for
    searches that want a list of at most ACTIONS and no mask.
    """
    if position[MOVER] == OVER:
        return 0
    sign = side_sign(position[MOVER])
    count = 0
    for square in range(SQUARES):
        unit = position[UNITS + square]
        if unit * sign < WORKER:
            continue
        for action in range(square * STEPS, square * STEPS + STEPS):
            if can_go(position, unit, action):
                moves[count] = action
                count += 1
    if count == 0 or position[FREE_PASS] == 1:
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
def units_of(position: NDArray[np.int16], seat: int, squares: NDArray[np.int16]) -> int:
    """Write the squares of a side's units in ascending order; return how many (at most 64)."""
    sign = side_sign(seat)
    count = 0
    for square in range(SQUARES):
        if position[UNITS + square] * sign > 0:
            squares[count] = square
            count += 1
    return count


@kernel
def sides_alive(position: NDArray[np.int16]) -> tuple[bool, bool]:
    """Say for First and for Second whether they have units."""
    lowest, highest = 0, 0
    for square in range(SQUARES):
        unit = position[UNITS + square]
        lowest, highest = min(lowest, unit), max(highest, unit)
    return highest > 0, lowest < 0


@kernel
def is_decided(position: NDArray[np.int16]) -> bool:
    """Say whether a side, or both, have lost all units or the turns are used up."""
    first, second = sides_alive(position)
    limit = 2 * position[MAX_TURNS]
    return not first or not second or (limit > 0 and position[PLAYED] >= limit)


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
