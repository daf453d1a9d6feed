"""Every placement a turn of Operation Lucid can lead to, as kernels.

A placement is one 64-bit number: two bits for the units of the mover on each node, four for those
that reach the goal in this turn, and one for each node the mover defends, set where a unit enters
it (the defender's point is then lost). The nodes choose one after the other how their units leave;
equal half-made placements are merged at once. Of a node that has chosen the two bits hold all
units there; of one that has not, only those that have arrived so far.

Demands are wanted minimum numbers of units in areas (sets of nodes, the goal included). A half-made
placement is dropped as soon as the nodes still to choose could not fill some area any more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid import rules
from sandtable.games.lucid.rules import Cells, Integers

GOAL_SHIFT = 2 * rules.NODES
ENTERED_SHIFT = GOAL_SHIFT + 4
MOST_SPLITS = 35  # three units that stay or take one of four edges
TOO_MANY = -1

LOWER_BITS = np.int64(sum(1 << (2 * node) for node in range(rules.NODES)))
UPPER_BITS = np.int64(2 * int(LOWER_BITS))
COUNTS = np.int64((1 << ENTERED_SHIFT) - 1)  # units on nodes and in the goal
NO_CODE = np.int64(-1)  # no placement has all bits set
QUARTERS = np.int64(0x3333333333333)  # every other pair of bits
SIXTEENTHS = np.int64(0xF0F0F0F0F0F0F)
SCATTER = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing
SCATTER_SHIFT = np.uint64(32)


@kernel
def defended_nodes(position: Cells, marks: Integers) -> int:
    """Give each node with combat in which the mover defends its bit; return how many there are.

    ``marks`` [25] is the bit in a placement, 0 elsewhere. There can be no more than ten: Red has
    ten units, and needs one in each.
    """
    enemy_attacks = 2 - int(position[rules.MOVER])  # RED_ATTACKS for Blue, BLUE_ATTACKS for Red
    count = 0
    for node in range(rules.NODES):
        marks[node] = 0
        combat = position[rules.BLUE + node] > 0 and position[rules.RED + node] > 0
        if combat and position[rules.ATTACKER + node] == enemy_attacks:
            marks[node] = np.int64(1) << (ENTERED_SHIFT + count)
            count += 1
    return count


@kernel
def splits(position: Cells, node: int, marks: Integers, codes: Integers) -> int:
    """Write every way in which the units of a node can stay and leave, as what it adds to a code.

    Returns how many there are. The first is that all stay.
    """
    units = int(position[rules.own_board(position[rules.MOVER]) + node])
    free = int(rules.movable(position, node))
    codes[0] = np.int64(units) << (2 * node)
    count = 1
    left = np.zeros(MOST_SPLITS, dtype=np.int64)  # units that may still leave in each split
    left[0] = free
    for direction in range(rules.DIRECTIONS):
        destination = int(rules.DESTINATION[node * rules.DIRECTIONS + direction])
        if destination == rules.NOWHERE or free == 0:
            continue
        if destination == rules.TO_GOAL and position[rules.MOVER] != rules.BLUE_SEAT:
            continue
        shift = GOAL_SHIFT if destination == rules.TO_GOAL else 2 * destination
        mark = np.int64(0) if destination == rules.TO_GOAL else marks[destination]
        before = count
        for index in range(before):
            for leaving in range(1, left[index] + 1):
                moved = (np.int64(leaving) << shift) - (np.int64(leaving) << (2 * node))
                codes[count] = (codes[index] + moved) | mark
                left[count] = left[index] - leaving
                count += 1
    return count


@kernel
def units_in(code: int, fields: int) -> int:
    """Add up the units on the nodes whose bits are set in ``fields``."""
    pairs = code & fields
    fours = (pairs & QUARTERS) + ((pairs >> 2) & QUARTERS)
    bytes_ = (fours + (fours >> 4)) & SIXTEENTHS
    bytes_ += bytes_ >> 8
    bytes_ += bytes_ >> 16
    bytes_ += bytes_ >> 32
    return int(bytes_ & 0xFF)


@kernel
def area_total(code: int, fields: int, with_goal: bool) -> int:
    """Add up the units in an area."""
    total = units_in(code, fields)
    if with_goal:
        total += (code >> GOAL_SHIFT) & 15
    return int(total)


@kernel
def potentials(
    position: Cells, fields: Integers, with_goal: NDArray[np.bool_], after: Integers
) -> None:
    """Work out how many units the nodes after each node could still bring into each area.

    ``after`` is [25, area]; an area's own units count, since they can stay.
    """
    own = rules.own_board(position[rules.MOVER])
    for area in range(len(fields)):
        total = 0
        for node in range(rules.NODES - 1, -1, -1):
            after[node, area] = total
            if (fields[area] >> (2 * node)) & 3:
                total += position[own + node]
                continue
            reaches = False
            for direction in range(rules.DIRECTIONS):
                destination = int(rules.DESTINATION[node * rules.DIRECTIONS + direction])
                if destination == rules.TO_GOAL:
                    reaches |= with_goal[area] and position[rules.MOVER] == rules.BLUE_SEAT
                elif destination != rules.NOWHERE:
                    reaches |= ((fields[area] >> (2 * destination)) & 3) != 0
            if reaches:
                total += rules.movable(position, node)


@kernel
def merged(code: int, added: int) -> int:
    """Add one node's split to a half-made placement, or return NO_CODE if a node overflows.

    The pairs of bits are added side by side: one overflows when at least two of its upper bits and
    the carry from its lower ones are set.
    """
    carry = (code & added & LOWER_BITS) << 1
    over = (code & added) | (code & carry) | (added & carry)
    if over & UPPER_BITS:
        return int(NO_CODE)
    return int(((code & COUNTS) + (added & COUNTS)) | ((code | added) & ~COUNTS))


@kernel
def insert(table: Integers, code: int) -> bool:
    """Put a code into an open hash table; say whether it is new."""
    mask = len(table) - 1
    slot = np.int64((np.uint64(code) * SCATTER) >> SCATTER_SHIFT) & mask
    while table[slot] != NO_CODE:
        if table[slot] == code:
            return False
        slot = (slot + 1) & mask
    table[slot] = code
    return True


@kernel
def cleared_table(table: Integers, entries: int) -> Integers:
    """Return an empty table with room for so many entries, the given one if it is large enough."""
    size = 64
    while size < 2 * entries:
        size *= 2
    if size > len(table):
        return np.full(size, NO_CODE, dtype=np.int64)
    for slot in range(size):
        table[slot] = NO_CODE
    return table[:size]


def without_needless_entries(codes: Integers) -> Integers:
    """Of different codes with the same units keep one that enters the fewest defended nodes."""
    if not (codes & ~COUNTS).any():
        return codes
    entered = np.bitwise_count(codes.astype(np.uint64) >> np.uint64(ENTERED_SHIFT))
    ordered = codes[np.lexsort((entered, codes & COUNTS))]
    counts = ordered & COUNTS
    first = np.ones(len(codes), dtype=np.bool_)
    first[1:] = counts[1:] != counts[:-1]
    return ordered[first]


@kernel
def search(
    position: Cells, fields: Integers, with_goal: NDArray[np.bool_], minimum: Integers, limit: int
) -> tuple[Integers, int]:
    """Find all placements that meet the demands; return their codes and how many there are.

    TOO_MANY instead of the number says that on the way there were more than ``limit``. Codes may
    differ only in the defended nodes entered: see ``without_needless_entries``.
    """
    marks = np.zeros(rules.NODES, dtype=np.int64)
    defended_nodes(position, marks)
    after = np.zeros((rules.NODES, len(fields)), dtype=np.int64)
    potentials(position, fields, with_goal, after)
    ways = np.empty(MOST_SPLITS, dtype=np.int64)
    own = rules.own_board(position[rules.MOVER])
    table = np.empty(0, dtype=np.int64)
    codes = np.zeros(1, dtype=np.int64)
    count = 1
    for node in range(rules.NODES):
        if position[own + node] == 0:
            continue
        number = splits(position, node, marks, ways)
        room = min(count * number, limit + 1)
        table = cleared_table(table, room)
        next_codes = np.empty(room, dtype=np.int64)
        total = 0
        for index in range(count):
            for way in range(number):
                code = merged(codes[index], ways[way])
                if code == NO_CODE:
                    continue
                if not reachable(code, fields, with_goal, minimum, after[node]):
                    continue
                if insert(table, code):
                    next_codes[total] = code
                    total += 1
                    if total > limit:
                        return next_codes, TOO_MANY
        codes, count = next_codes, total
    return codes, count


@kernel
def reachable(
    code: int,
    fields: Integers,
    with_goal: NDArray[np.bool_],
    minimum: Integers,
    potential: Integers,
) -> bool:
    """Say whether a half-made placement can still meet every demand, as far as can be seen."""
    for area in range(len(fields)):
        if area_total(code, fields[area], with_goal[area]) + potential[area] < minimum[area]:
            return False
    return True
