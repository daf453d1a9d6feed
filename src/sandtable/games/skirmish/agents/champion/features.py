"""What the champion looks at in a Skirmish position, as numbers for its network.

All features are seen from the side to move: its own block, then the same block of the enemy, then
a few about both. Time is what this game is about, so units are described by the life they have
left and by what they will still raise; space comes in as rings: how many enemy units of a kind
stand so many steps from the nearest soldier. Rings are sets of squares grown step by step over
land, so they cost a few machine operations and mean the same on every map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.layout import NO_SQUARES, single
from sandtable.games.skirmish.rules import land_squares

__all__ = ["BLOCK", "FEATURES", "describe", "grow", "square_count"]

KINDS = 4
RINGS = 6  # steps around soldiers that are told apart

# Within the block of a side.
COUNTS = 0  # [4] units of each kind
SECOND_ONE, THIRD_ONE, FOURTH_ONE = 4, 6, 8  # [2] each: has so many workers, soldiers
WORKERS_TO_COME = 10  # from its towns
NEXT_WORKER = 11  # how near the next one is
SOLDIERS_TO_COME = 12  # from its barracks
NEXT_SOLDIER = 13
LIFE = 14  # [2] of workers, of soldiers: sum of what they have left
LONGEST_LIFE = 16  # [2] the most that one of them has left
LAST_DAY = 18  # how long the side can last if nobody hurts it
THREATENED = 19  # [ring, kind] enemy units at each distance from its soldiers
UNPROTECTED = THREATENED + RINGS * KINDS  # [kind] enemy units in reach that no soldier avenges
OPEN_SQUARES = UNPROTECTED + KINDS  # [2] free squares around its workers, its soldiers
NEARER = OPEN_SQUARES + 2  # land squares its soldiers reach before the enemy's
TOGETHER = NEARER + 1  # soldiers that stand beside another one
BLOCK = TOGETHER + 1

# After the two blocks.
OUTLASTS = 2 * BLOCK  # 1 if the own last day is later, -1 if the enemy's is
OUTLASTS_BY = OUTLASTS + 1
EMPTY_BOARD = OUTLASTS + 2  # 1 if an empty board is won, -1 if it is lost
TIE_OF_DAYS = OUTLASTS + 3  # the same, where both last days are the same
ELAPSED = OUTLASTS + 4
FEATURES = OUTLASTS + 5

# Scales, so that most features lie between 0 and 1.
A_LIFE = np.float32(80.0)
A_GAME = np.float32(240.0)
A_FEW = np.float32(4.0)
MANY_SQUARES = np.float32(16.0)

LAST_BARRACKS = int(layout.LIFESPAN[layout.BARRACKS])
LAST_SOLDIER = int(layout.LIFESPAN[layout.SOLDIER])
LAST_WORKER = int(layout.LIFESPAN[layout.WORKER])

NOT_WEST = np.uint64(0xFEFEFEFEFEFEFEFE)  # all squares but those of the first column
NOT_EAST = np.uint64(0x7F7F7F7F7F7F7F7F)
ONE, ROW = np.uint64(1), np.uint64(8)
PAIRS, QUADS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
BYTES, SUM_OF_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@kernel
def square_count(squares: np.uint64) -> int:
    """Count a set of squares."""
    pairs = squares - ((squares >> ONE) & PAIRS)
    quads = (pairs & QUADS) + ((pairs >> np.uint64(2)) & QUADS)
    return int((((quads + (quads >> np.uint64(4))) & BYTES) * SUM_OF_BYTES) >> np.uint64(56))


@kernel
def grow(squares: np.uint64) -> np.uint64:
    """Add all squares a king's step away."""
    row = squares | ((squares << ONE) & NOT_WEST) | ((squares >> ONE) & NOT_EAST)
    return np.uint64(row | (row << ROW) | (row >> ROW))


@kernel
def describe(
    position: NDArray[np.int16],
    seat: int,
    features: NDArray[np.float32],
    sets: NDArray[np.uint64],
) -> None:
    """Write the features of a position for the seat that is to move.

    ``sets`` [2, 5] is room for the squares of each kind of the seat and of its enemy.
    """
    features[:] = np.float32(0.0)
    sets[:] = NO_SQUARES
    sign = 1 if seat == layout.FIRST else -1
    last_day = count_units(position, sign, features, sets)
    land = land_squares(position)
    for side in range(2):
        write_counts(features[side * BLOCK : (side + 1) * BLOCK], sets[side])
    write_space(features, sets, land)
    write_comparison(position, seat, features, last_day)


@kernel
def count_units(
    position: NDArray[np.int16],
    sign: int,
    features: NDArray[np.float32],
    sets: NDArray[np.uint64],
) -> tuple[int, int]:
    """Collect the units of both sides and their times; return the last day of each side."""
    own_last, enemy_last = 0, 0
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square]
        if unit == 0:
            continue
        side = 0 if unit * sign > 0 else 1
        kind, age = layout.kind(unit), int(position[layout.AGES + square])
        sets[side, kind] |= single(square)
        last = add_times(features[side * BLOCK : (side + 1) * BLOCK], kind, age)
        if side == 0:
            own_last = max(own_last, last)
        else:
            enemy_last = max(enemy_last, last)
    return own_last, enemy_last


@kernel
def add_times(block: NDArray[np.float32], kind: int, age: int) -> int:
    """Add the times of one unit to the block of its side; return how long it can matter."""
    left = int(layout.LIFESPAN[kind]) - age
    if kind == layout.TOWN:
        to_come = left // layout.PERIOD[layout.TOWN] + 1
        block[WORKERS_TO_COME] += np.float32(to_come) / A_FEW
        nearness = np.float32(age % layout.PERIOD[layout.TOWN]) / np.float32(
            layout.PERIOD[layout.TOWN]
        )
        block[NEXT_WORKER] = max(block[NEXT_WORKER], nearness)
        return left + LAST_WORKER + LAST_BARRACKS + LAST_SOLDIER
    if kind == layout.BARRACKS:
        to_come = left // layout.PERIOD[layout.BARRACKS] + 1
        block[SOLDIERS_TO_COME] += np.float32(to_come) / A_FEW
        nearness = np.float32(age % layout.PERIOD[layout.BARRACKS]) / np.float32(
            layout.PERIOD[layout.BARRACKS]
        )
        block[NEXT_SOLDIER] = max(block[NEXT_SOLDIER], nearness)
        return left + LAST_SOLDIER
    place = kind - layout.WORKER
    life = np.float32(left) / A_LIFE
    block[LIFE + place] += life / np.float32(2.0)
    block[LONGEST_LIFE + place] = max(block[LONGEST_LIFE + place], life)
    return left + LAST_BARRACKS + LAST_SOLDIER if kind == layout.WORKER else left


@kernel
def write_counts(block: NDArray[np.float32], sets: NDArray[np.uint64]) -> None:
    """Write how many units of each kind a side has, the first few one by one."""
    for kind in range(layout.TOWN, layout.SOLDIER + 1):
        count = square_count(sets[kind])
        block[COUNTS + kind - 1] = np.float32(count) / A_FEW
        if kind >= layout.WORKER:
            block[SECOND_ONE + kind - layout.WORKER] = np.float32(count >= 2)
            block[THIRD_ONE + kind - layout.WORKER] = np.float32(count >= 3)
            block[FOURTH_ONE + kind - layout.WORKER] = np.float32(count >= 4)


@kernel
def write_space(features: NDArray[np.float32], sets: NDArray[np.uint64], land: np.uint64) -> None:
    """Grow the reach of both sides' soldiers step by step and write what it meets."""
    own, enemy = sets[0, layout.SOLDIER], sets[1, layout.SOLDIER]
    own_nearer, enemy_nearer = 0, 0
    for ring in range(RINGS):
        own_next, enemy_next = grow(own) & land, grow(enemy) & land
        own_new, enemy_new = own_next & ~own, enemy_next & ~enemy
        own_nearer += square_count(own_new & ~enemy_next)
        enemy_nearer += square_count(enemy_new & ~own_next)
        for kind in range(layout.TOWN, layout.SOLDIER + 1):
            place = THREATENED + ring * KINDS + kind - 1
            features[place] = np.float32(square_count(own_new & sets[1, kind]))
            features[BLOCK + place] = np.float32(square_count(enemy_new & sets[0, kind]))
        own, enemy = own_next, enemy_next
    features[NEARER] = np.float32(own_nearer) / MANY_SQUARES
    features[BLOCK + NEARER] = np.float32(enemy_nearer) / MANY_SQUARES
    taken = NO_SQUARES
    for side in range(2):
        for kind in range(layout.TOWN, layout.SOLDIER + 1):
            taken |= sets[side, kind]
    for side in range(2):
        write_standing(features[side * BLOCK : (side + 1) * BLOCK], sets, side, land & ~taken)


@kernel
def write_standing(
    block: NDArray[np.float32], sets: NDArray[np.uint64], side: int, free: np.uint64
) -> None:
    """Write what a side's units can do at once and whether they protect each other."""
    soldiers = sets[side, layout.SOLDIER]
    in_reach = grow(soldiers) & ~beside_soldiers(sets[1 - side, layout.SOLDIER])
    for kind in range(layout.TOWN, layout.SOLDIER + 1):
        exposed = square_count(in_reach & sets[1 - side, kind])
        block[UNPROTECTED + kind - 1] = np.float32(exposed)
    for place in range(2):
        around = grow(sets[side, layout.WORKER + place]) & free
        block[OPEN_SQUARES + place] = np.float32(square_count(around)) / MANY_SQUARES
    block[TOGETHER] = np.float32(square_count(soldiers & beside_soldiers(soldiers))) / A_FEW


@kernel
def beside_soldiers(soldiers: np.uint64) -> np.uint64:
    """Return the squares a step away from some soldier other than the one that stands there."""
    row = ((soldiers << ONE) & NOT_WEST) | ((soldiers >> ONE) & NOT_EAST)
    rows = row | soldiers
    return np.uint64(row | (rows << ROW) | (rows >> ROW))


@kernel
def write_comparison(
    position: NDArray[np.int16],
    seat: int,
    features: NDArray[np.float32],
    last_day: tuple[int, int],
) -> None:
    """Write who can outlast whom, and whom an empty board serves."""
    own_last, enemy_last = last_day
    features[LAST_DAY] = np.float32(own_last) / A_GAME
    features[BLOCK + LAST_DAY] = np.float32(enemy_last) / A_GAME
    lead = own_last - enemy_last
    features[OUTLASTS] = np.float32(np.sign(lead))
    features[OUTLASTS_BY] = np.float32(lead) / A_LIFE
    served = np.float32(0.0)
    if position[layout.BOTH_EMPTY] == layout.SECOND_WINS:
        served = np.float32(-1.0 if seat == layout.FIRST else 1.0)
    features[EMPTY_BOARD] = served
    features[TIE_OF_DAYS] = served if lead == 0 else np.float32(0.0)
    features[ELAPSED] = np.float32(position[layout.PLAYED]) / A_GAME
