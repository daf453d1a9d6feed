"""The memory of a tree search: decisions by what their mover knows, in one row of numbers.

A decision is found by a hash of the mover's view, so that positions the mover cannot tell apart
share one, whatever the others hold, and equal positions reached in different ways do as well. All
of it lies in one row of int64, so that it can be the memory of a compiled policy and stay from one
move to the next. (Compiled with sandtable.compiled.)

    header | table of decisions: key, visits, first edge, edges, value
           | edges: action, visits, total, prior
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel

__all__ = [
    "ACTION",
    "COUNT",
    "DECISION",
    "EDGE",
    "EDGES",
    "EDGE_VISITS",
    "FIRST",
    "HEADER",
    "KEY",
    "MISSING",
    "NODES",
    "PRIOR",
    "TOTAL",
    "UNIT",
    "VALUE",
    "VISITS",
    "add_decision",
    "clear_if_crowded",
    "edge_place",
    "find_decision",
    "memory_words",
    "note_result",
    "prepare",
    "tree_words",
    "view_key",
]

# The header.
SLOTS, NODES, EDGES, MOST_EDGES = 0, 1, 2, 3
HEADER = 4
# A decision in the table.
KEY, VISITS, FIRST, COUNT, VALUE = 0, 1, 2, 3, 4  # the value is that of a network
DECISION = 5
# One of its edges.
ACTION, EDGE_VISITS, TOTAL, PRIOR = 0, 1, 2, 3  # the prior is that of a network
EDGE = 4

UNIT = 1 << 32  # totals, values and priors are in this part of one, so that they add up exactly
MISSING = -1
FULL_SHARE = 2  # one in so many slots may be taken
SMALLEST_TABLE, LARGEST_TABLE = 1 << 8, 1 << 20
LARGEST_EDGES = 1 << 22
MOVES_KEPT = 3  # so many searches fit before the tree is forgotten
BRANCHES = 32  # edges of a decision that there is room for, on average


def memory_words(simulations: int, action_count: int) -> tuple[int, int]:
    """Return how many slots and edges a search of so many simulations a move has room for.

    >>> memory_words(100, 9)
    (1024, 2700)
    """
    wanted = max(SMALLEST_TABLE, min(LARGEST_TABLE, FULL_SHARE * MOVES_KEPT * simulations))
    slots = 1 << (wanted - 1).bit_length()
    edges = MOVES_KEPT * simulations * min(action_count, BRANCHES)
    return slots, int(max(action_count + 1, min(LARGEST_EDGES, edges)))


def tree_words(slots: int, edges: int) -> int:
    """Return the length of the row that holds so many slots and edges.

    >>> tree_words(1024, 2700)
    15924
    """
    return HEADER + slots * DECISION + edges * EDGE


@kernel
def prepare(tree: NDArray[np.int64], slots: int, edges: int) -> None:
    """Write the header of a tree that is used for the first time."""
    tree[SLOTS] = slots
    tree[MOST_EDGES] = edges


@kernel
def clear_if_crowded(tree: NDArray[np.int64], simulations: int) -> None:
    """Forget everything if the next search would not find room for what it sees."""
    slots = tree[SLOTS]
    crowded = tree[NODES] + simulations > slots // FULL_SHARE
    if tree[NODES] > 0 and (crowded or tree[EDGES] * 3 > tree[MOST_EDGES] * 2):
        tree[NODES] = tree[EDGES] = 0
        tree[HEADER : HEADER + slots * DECISION] = 0


@kernel
def view_key(view: NDArray[np.int16], seat: int) -> int:
    """Return the hash of what a seat knows; never 0, which marks an empty slot."""
    key = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(seat + 1)
    for cell in view:
        key ^= np.uint64(np.int64(cell) + 40000)
        key *= np.uint64(0xFF51AFD7ED558CCD)
        key ^= key >> np.uint64(32)
    key *= np.uint64(0xC4CEB9FE1A85EC53)
    key ^= key >> np.uint64(29)
    found = np.int64(key & np.uint64(0x7FFFFFFFFFFFFFFF))
    return int(found) if found != 0 else 1


@kernel
def find_decision(tree: NDArray[np.int64], key: int) -> int:
    """Return where a decision is, or MISSING."""
    slots = tree[SLOTS]
    slot = key & (slots - 1)
    while True:
        place = HEADER + slot * DECISION
        if tree[place + KEY] == key:
            return int(place)
        if tree[place + KEY] == 0:
            return MISSING
        slot = (slot + 1) & (slots - 1)


@kernel
def add_decision(tree: NDArray[np.int64], key: int, moves: NDArray[np.int64], count: int) -> int:
    """Add a decision with an edge for every move; MISSING: there is no room."""
    slots = tree[SLOTS]
    if (tree[NODES] + 1) * FULL_SHARE > slots or tree[EDGES] + count > tree[MOST_EDGES]:
        return MISSING
    slot = key & (slots - 1)
    while tree[HEADER + slot * DECISION + KEY] != 0:
        slot = (slot + 1) & (slots - 1)
    place = HEADER + slot * DECISION
    first = tree[EDGES]
    tree[place + KEY], tree[place + VISITS] = key, 0
    tree[place + FIRST], tree[place + COUNT] = first, count
    for index in range(count):
        edge = edge_place(tree, first + index)
        tree[edge + ACTION] = moves[index]
        tree[edge + EDGE_VISITS] = tree[edge + TOTAL] = 0
    tree[NODES] += 1
    tree[EDGES] += count
    return int(place)


@kernel
def edge_place(tree: NDArray[np.int64], number: int) -> int:
    """Return where the edge of this number is."""
    return int(HEADER + tree[SLOTS] * DECISION + number * EDGE)


@inlined
def note_result(tree: NDArray[np.int64], decision: int, edge: int, value: float) -> None:
    """Add what a simulation was worth, from 0 to 1, to an edge that it went along."""
    tree[decision + VISITS] += 1
    tree[edge + EDGE_VISITS] += 1
    tree[edge + TOTAL] += np.int64(value * UNIT)
