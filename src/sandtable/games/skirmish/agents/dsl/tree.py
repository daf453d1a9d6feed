"""What a search of Deep-State Learning remembers: its stack, its moves, and the values it knows.

The search itself is in search.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.evaluations import advance, decided, interesting
from sandtable.games.skirmish.rules import apply, is_capture, legal_moves, score

__all__ = [
    "BatchSearch",
    "find_entry",
    "is_interesting",
    "new_search",
    "ordered_moves",
    "play",
    "position_hash",
]

MOST_PLIES = 64  # a search never looks further ahead; budgets end far earlier

# BatchSearch.numbers
SEAT = 0  # seat to move at the root; all values are seen from it
BUDGET = 1  # states that may still be paid for
PLY = 2  # where on the stack the search is
LIMIT = 3  # ply of the leaves in this iteration
STATUS = 4
CHOICE = 5  # root action of the last finished iteration, or NONE
ITERATIONS = 6  # finished
PUBLISHED = 7  # 1: the published program to the letter, slips included
WANTED = 8  # positions that wait for the network
STORED = 9  # values in the table
LEAVES = 10  # leaves looked at in this iteration
VALUED = 11  # positions given to the network, for those who ask
NUMBERS = 12

RUNNING, WAITING, DONE = 0, 1, 2
NONE = -1

# BatchSearch.nodes, for each ply
COUNT = 0  # actions there are
TRIED = 1  # actions begun
BEST = 2  # best action so far, or NONE
MAXIMISING = 3  # 1 where the seat of the root moves
NODE = 4

# BatchSearch.bounds, for each ply
LOW, HIGH, VALUE = 0, 1, 2
BOUNDS = 3

LEAF, OPENED, STOPPED, UNKNOWN = 0, 1, 2, 3  # what arriving at a position came to

MIX = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)


class BatchSearch(NamedTuple):
    """The arrays of one search."""

    numbers: NDArray[np.int64]  # [NUMBERS] see above
    incentive: NDArray[np.float64]  # [1] what interesting moves are favoured by at the root
    positions: NDArray[np.int16]  # [ply, cell]
    moves: NDArray[np.int16]  # [ply, index] actions in the order in which they are tried
    nodes: NDArray[np.int64]  # [ply, NODE]
    bounds: NDArray[np.float64]  # [ply, BOUNDS]
    scratch: NDArray[np.int16]  # [3, ACTIONS] room for a position, and for moves twice
    keys: NDArray[np.uint64]  # [entry] hash of the position in each entry of the table, 0 if free
    values: NDArray[np.float64]  # [entry] what the network said
    wanted: NDArray[np.int16]  # [batch, cell] positions that wait for the network
    entries: NDArray[np.int64]  # [batch] where in the table their values belong


def new_search(batch: int, entries: int, incentive: float) -> BatchSearch:
    """Make room for searches with batches of this size, and a table with so many entries."""
    return BatchSearch(
        np.zeros(NUMBERS, dtype=np.int64),
        np.array([incentive]),
        np.zeros((MOST_PLIES + 1, layout.POSITION_SIZE), dtype=np.int16),
        np.zeros((MOST_PLIES + 1, layout.ACTIONS), dtype=np.int16),
        np.zeros((MOST_PLIES + 1, NODE), dtype=np.int64),
        np.zeros((MOST_PLIES + 1, BOUNDS)),
        np.zeros((3, layout.ACTIONS), dtype=np.int16),
        np.zeros(entries, dtype=np.uint64),
        np.zeros(entries),
        np.zeros((batch, layout.POSITION_SIZE), dtype=np.int16),
        np.zeros(batch, dtype=np.int64),
    )


@kernel
def is_interesting(position: NDArray[np.int16], action: int, published: int) -> bool:
    """Say whether a move builds or captures, or what the published program took for that."""
    if published == 1:
        return bool(interesting(position, action))
    return bool(
        action != layout.PASS
        and (action % layout.STEPS == layout.BUILD or is_capture(position, action))
    )


@kernel
def ordered_moves(
    position: NDArray[np.int16],
    moves: NDArray[np.int16],
    listed: NDArray[np.int16],
    published: int,
) -> int:
    """Write interesting moves, the last one first, then the others; a pass only if forced."""
    count = legal_moves(position, listed)
    if count > 1 and listed[count - 1] == layout.PASS:
        count -= 1
    place = 0
    for index in range(count - 1, -1, -1):
        if is_interesting(position, listed[index], published):
            moves[place] = listed[index]
            place += 1
    for index in range(count):
        if not is_interesting(position, listed[index], published):
            moves[place] = listed[index]
            place += 1
    return count


@kernel
def play(
    position: NDArray[np.int16], action: int, published: int, dice: NDArray[np.uint64]
) -> tuple[bool, float]:
    """Play a half-turn; say whether the game is over and who has won, 1 for First and -1."""
    if published == 1:
        advance(position, action, dice)
        over, value = decided(position)
        return over, value
    apply(position, action, dice)
    if position[layout.MOVER] != layout.OVER:
        return False, 0.0
    scores = np.zeros(2)
    score(position, scores)
    return True, scores[layout.FIRST]


@kernel
def position_hash(position: NDArray[np.int16]) -> np.uint64:
    """Return a hash of what the network sees change during a search, never 0."""
    total = MIX
    for cell in range(layout.UNITS, layout.AGES + layout.SQUARES, 4):
        word = np.uint64(0)
        for place in range(4):
            word = (word << np.uint64(16)) | np.uint64(np.uint16(position[cell + place]))
        total = (total ^ word) * MIX
        total ^= total >> FOLD
    return total | np.uint64(1)


@kernel
def find_entry(keys: NDArray[np.uint64], key: np.uint64) -> int:
    """Return the entry of the table that holds a key, or the free one where it belongs."""
    last = len(keys) - 1
    entry = np.int64(key >> np.uint64(16)) & last
    while keys[entry] != 0 and keys[entry] != key:
        entry = (entry + 1) & last
    return int(entry)
