"""The memory of an alpha-beta search: a stack of nodes and a table.

Everything a search knows is in these arrays, so that it can be stopped after any number of states
and taken up again. All values are seen from the seat that is to move at the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

MOST_PLIES = 192  # no search looks further ahead; budgets end far earlier

# Tree.numbers
SEAT = 0  # seat to move at the root
BUDGET = 1  # states that may still be paid for
STATES = 2  # positions produced so far
PLY = 3  # where on the stack the search is
LIMIT = 4  # ply of the horizon in this iteration
STATUS = 5
CHOICE = 6  # root action of the last finished iteration, or NONE
FINISHED_ITERATIONS = 7
PUBLISHED = 8  # 1: the published accounting
USE_TABLE = 9
USE_KILLERS = 10
DEEPEST = 11  # iterations there may be
NUMBERS = 12

RUNNING, DONE = 0, 1
NONE = -1

# Tree.nodes, for each ply
COUNT = 0  # actions there are
TRIED = 1  # actions begun
BEST = 2  # best action so far, or NONE
MAXIMISING = 3  # 1 where the seat of the root moves
TOUCHED = 4  # 1 if the value rests on evaluations, 0 if on finished games alone
KILLER, SECOND_KILLER = 5, 6  # actions that have cut other nodes at this ply
NODE = 7

# Tree.bounds, for each ply
LOW, HIGH = 0, 1  # the window as it is now
FIRST_LOW, FIRST_HIGH = 2, 3  # and as it was when the node was opened
VALUE = 4
BOUNDS = 5

# Table entries: action in the low 16 bits, then what the value is, TOUCHED, plies to the horizon.
ACTION_BITS = 0xFFFF
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
KIND_SHIFT, TOUCHED_SHIFT, DEPTH_SHIFT = 16, 18, 19
LARGEST_TABLE = 1 << 20

# Of the hash: two halves of a word are multiplied apart, so that nothing ever overflows.
LOW_32 = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
FOLD = np.uint64(29)
MULTIPLIER_0 = np.uint64(0x9E3779B1)
MULTIPLIER_1 = np.uint64(0x85EBCA77)


class Tree(NamedTuple):
    """The arrays of one search."""

    numbers: NDArray[np.int64]  # [NUMBERS] see above
    positions: NDArray[np.int16]  # [ply, cell] padded to whole 64-bit words
    words: NDArray[np.uint64]  # [ply, word] the same memory, for copying and hashing
    moves: NDArray[np.int16]  # [ply, index] actions in the order in which they are tried
    ranks: NDArray[np.int64]  # [index] scratch for putting moves in order
    nodes: NDArray[np.int64]  # [ply, NODE]
    bounds: NDArray[np.float64]  # [ply, BOUNDS]
    hashes: NDArray[np.uint64]  # [ply]
    keys: NDArray[np.uint64]  # [entry] hash of the position in each entry of the table, 0 if free
    values: NDArray[np.float64]  # [entry]
    notes: NDArray[np.int64]  # [entry]


@kernel
def new_tree(cells: int, actions: int, entries: int) -> Tree:
    """Make room for a search of positions with so many cells, with so large a table."""
    words_per_position = (cells + 3) // 4
    words = np.zeros((MOST_PLIES + 1, words_per_position), dtype=np.uint64)
    return Tree(
        np.zeros(NUMBERS, dtype=np.int64),
        words.view(np.int16),
        words,
        np.empty((MOST_PLIES + 1, actions), dtype=np.int16),
        np.empty(actions, dtype=np.int64),
        np.zeros((MOST_PLIES + 1, NODE), dtype=np.int64),
        np.zeros((MOST_PLIES + 1, BOUNDS), dtype=np.float64),
        np.zeros(MOST_PLIES + 1, dtype=np.uint64),
        np.zeros(entries, dtype=np.uint64),
        np.empty(entries, dtype=np.float64),
        np.empty(entries, dtype=np.int64),
    )


@kernel
def entries_for(budget: int) -> int:
    """Return a table size, a power of two, that a search of so many states does not fill."""
    entries = 1024
    while entries < budget and entries < LARGEST_TABLE:
        entries *= 2
    return entries


@kernel
def copy_position(words: NDArray[np.uint64], source: int, destination: int) -> None:
    """Copy a position from one ply to another."""
    for word in range(words.shape[1]):
        words[destination, word] = words[source, word]


@kernel
def position_hash(words: NDArray[np.uint64], ply: int) -> np.uint64:
    """Return a hash of the position at a ply, never 0."""
    total = MULTIPLIER_0
    for word in range(words.shape[1]):
        total ^= words[ply, word]
        low, high = (total & LOW_32) * MULTIPLIER_0, (total >> HALF) * MULTIPLIER_1
        total = low ^ (high >> HALF) ^ ((high & LOW_32) << HALF)
        total ^= total >> FOLD
    return total | np.uint64(1)


@kernel
def entry_of(position_key: np.uint64, entries: int) -> int:
    """Return the entry of the table that a position can be in."""
    return int((position_key >> np.uint64(8)) & np.uint64(entries - 1))


@kernel
def look_up(tree: Tree, ply: int) -> int:
    """Return the table's note on the position at a ply, or NONE."""
    entry = entry_of(tree.hashes[ply], len(tree.keys))
    return int(tree.notes[entry]) if tree.keys[entry] == tree.hashes[ply] else NONE


@kernel
def use_entry(tree: Tree, ply: int, note: int) -> bool:
    """Take the value of a node from the table if it settles the node.

    An entry counts for its own distance from the horizon alone, unless it rests on finished games
    only: so the table never changes the value of a search, only its cost.
    """
    touched = (note >> TOUCHED_SHIFT) & 1
    if touched == 1 and note >> DEPTH_SHIFT != tree.numbers[LIMIT] - ply:
        return False
    value = tree.values[entry_of(tree.hashes[ply], len(tree.keys))]
    what = (note >> KIND_SHIFT) & 3
    settled = (
        what == EXACT
        or (what == AT_LEAST and value >= tree.bounds[ply, HIGH])
        or (what == AT_MOST and value <= tree.bounds[ply, LOW])
    )
    if settled:
        tree.bounds[ply, VALUE] = value
        tree.nodes[ply, TOUCHED] = touched
    return settled


@kernel
def store(tree: Tree, ply: int) -> None:
    """Write a finished node into the table, over whatever was there."""
    nodes, bounds = tree.nodes, tree.bounds
    value = bounds[ply, VALUE]
    what = EXACT
    if value >= bounds[ply, FIRST_HIGH]:
        what = AT_LEAST
    elif value <= bounds[ply, FIRST_LOW]:
        what = AT_MOST
    note = (nodes[ply, BEST] & ACTION_BITS) | (what << KIND_SHIFT)
    note |= (nodes[ply, TOUCHED] << TOUCHED_SHIFT) | ((tree.numbers[LIMIT] - ply) << DEPTH_SHIFT)
    entry = entry_of(tree.hashes[ply], len(tree.keys))
    tree.keys[entry] = tree.hashes[ply]
    tree.values[entry] = value
    tree.notes[entry] = note
