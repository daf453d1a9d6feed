"""Deep minimax as kernels (the agent: sandtable.agents.skirmish.dsl).

The search is the thesis's: iterative deepening alpha-beta over a budget of states, with leaves
valued by a network. It is written as a search that can be interrupted. At a leaf whose value
nobody has asked for yet, it collects the leaves it is going to look at next, and waits; when the
network has valued all of them in one call, the search goes on as if it had known all the time.
So batches change nothing in the search: the states it looks at, the states it pays for and the
move it finds are those of a search that values one leaf at a time. What a batch can do is to have
leaves valued that a cut makes superfluous. These cost time but no budget.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.skirmish.evaluations import advance, decided, interesting
from sandtable.compiled import kernel
from sandtable.games.skirmish.planes import encode
from sandtable.games.skirmish.rules import (
    ACTIONS,
    AGES,
    BUILD,
    FIRST,
    MOVER,
    OVER,
    PASS,
    POSITION_SIZE,
    SQUARES,
    STEPS,
    UNITS,
    apply,
    is_capture,
    legal_moves,
    score,
)

__all__ = ["Search", "encode_wanted", "go_on", "new_search", "prepare", "supply"]

MOST_PLIES = 64  # a search never looks further ahead; budgets end far earlier

# Search.numbers
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

# Search.nodes, for each ply
COUNT = 0  # actions there are
TRIED = 1  # actions begun
BEST = 2  # best action so far, or NONE
MAXIMISING = 3  # 1 where the seat of the root moves
NODE = 4

# Search.bounds, for each ply
LOW, HIGH, VALUE = 0, 1, 2
BOUNDS = 3

LEAF, OPENED, STOPPED, UNKNOWN = 0, 1, 2, 3  # what arriving at a position came to

MIX = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)


class Search(NamedTuple):
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


def new_search(batch: int, entries: int, incentive: float) -> Search:
    """Make room for searches with batches of this size, and a table with so many entries."""
    return Search(
        np.zeros(NUMBERS, dtype=np.int64),
        np.array([incentive]),
        np.zeros((MOST_PLIES + 1, POSITION_SIZE), dtype=np.int16),
        np.zeros((MOST_PLIES + 1, ACTIONS), dtype=np.int16),
        np.zeros((MOST_PLIES + 1, NODE), dtype=np.int64),
        np.zeros((MOST_PLIES + 1, BOUNDS)),
        np.zeros((3, ACTIONS), dtype=np.int16),
        np.zeros(entries, dtype=np.uint64),
        np.zeros(entries),
        np.zeros((batch, POSITION_SIZE), dtype=np.int16),
        np.zeros(batch, dtype=np.int64),
    )


@kernel
def is_interesting(position: NDArray[np.int16], action: int, published: int) -> bool:
    """Say whether a move builds or captures, or what the published program took for that."""
    if published == 1:
        return bool(interesting(position, action))
    return bool(action != PASS and (action % STEPS == BUILD or is_capture(position, action)))


@kernel
def ordered_moves(
    position: NDArray[np.int16],
    moves: NDArray[np.int16],
    listed: NDArray[np.int16],
    published: int,
) -> int:
    """Write interesting moves, the last one first, then the others; a pass only if forced."""
    count = legal_moves(position, listed)
    if count > 1 and listed[count - 1] == PASS:
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
    if position[MOVER] != OVER:
        return False, 0.0
    scores = np.zeros(2)
    score(position, scores)
    return True, scores[FIRST]


@kernel
def position_hash(position: NDArray[np.int16]) -> np.uint64:
    """Return a hash of what the network sees change during a search, never 0."""
    total = MIX
    for cell in range(UNITS, AGES + SQUARES, 4):
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


@kernel
def want(search: Search, position: NDArray[np.int16]) -> None:
    """Put a position on the list for the network, unless its value is known or asked for."""
    key = position_hash(position)
    entry = find_entry(search.keys, key)
    if search.keys[entry] == key:
        return
    numbers = search.numbers
    search.keys[entry] = key
    for cell in range(POSITION_SIZE):
        search.wanted[numbers[WANTED], cell] = position[cell]
    search.entries[numbers[WANTED]] = entry
    numbers[WANTED] += 1
    numbers[STORED] += 1


@kernel
def want_children(
    search: Search,
    position: NDArray[np.int16],
    moves: NDArray[np.int16],
    first: int,
    count: int,
    room: int,
    dice: NDArray[np.uint64],
) -> None:
    """Ask for the values of the leaves that moves number first to count lead to."""
    child = search.scratch[0, :POSITION_SIZE]
    for index in range(first, count):
        if search.numbers[WANTED] >= room:
            return
        for cell in range(POSITION_SIZE):
            child[cell] = position[cell]
        over, _ = play(child, moves[index], search.numbers[PUBLISHED], dice)
        if not over:
            want(search, child)


@kernel
def collect(search: Search, dice: NDArray[np.uint64]) -> None:
    """Fill a batch: with the leaves to come at this node, then with those of the nodes after it.

    Nodes after it are those its parent leads to. More leaves than the rest of the budget can pay
    for are never needed (a leaf costs two: the move to it and its value).
    """
    numbers, nodes = search.numbers, search.nodes
    if 2 * (numbers[STORED] + len(search.wanted)) > len(search.keys):
        search.keys[:] = 0
        numbers[STORED] = 0
    room = min(len(search.wanted), numbers[BUDGET] // 2 + 1)
    ply = numbers[PLY]
    first, count = nodes[ply, TRIED], nodes[ply, COUNT]
    want_children(search, search.positions[ply], search.moves[ply], first, count, room, dice)
    if ply == 0:
        return
    sister, moves = search.positions[ply + 1], search.moves[ply + 1]
    for index in range(nodes[ply - 1, TRIED], nodes[ply - 1, COUNT]):
        if numbers[WANTED] >= room:
            return
        for cell in range(POSITION_SIZE):
            sister[cell] = search.positions[ply - 1, cell]
        over, _ = play(sister, search.moves[ply - 1, index], numbers[PUBLISHED], dice)
        if over:
            continue
        count = ordered_moves(sister, moves, search.scratch[1], numbers[PUBLISHED])
        if moves[0] != PASS:
            want_children(search, sister, moves, 0, count, room, dice)


@kernel
def clear_node(search: Search, ply: int, low: float, high: float) -> None:
    """Begin a node with a window."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    bounds[LOW], bounds[HIGH] = low, high
    bounds[VALUE] = -np.inf if node[MAXIMISING] == 1 else np.inf
    node[TRIED] = 0
    node[BEST] = NONE


@kernel
def open_node(search: Search, ply: int) -> bool:
    """Prepare a node whose moves have to be tried; say no where there is none but to pass."""
    numbers, node, position = search.numbers, search.nodes[ply], search.positions[ply]
    moves = search.moves[ply]
    node[COUNT] = ordered_moves(position, moves, search.scratch[1], numbers[PUBLISHED])
    if moves[0] == PASS:
        return False
    node[MAXIMISING] = 1 if position[MOVER] == numbers[SEAT] else 0
    clear_node(search, ply, search.bounds[ply - 1, LOW], search.bounds[ply - 1, HIGH])
    numbers[PLY] = ply
    return True


@kernel
def arrive(search: Search, ply: int, action: int, dice: NDArray[np.uint64]) -> int:
    """Play an action into the next ply; the value of a leaf is left in its bounds.

    A move inside the tree, a leaf, and a half-turn without moves cost one each; such a half-turn
    is no ply. The moves of the root are free.
    """
    numbers, position = search.numbers, search.positions[ply]
    before = numbers[BUDGET]
    if ply > 1:
        numbers[BUDGET] -= 1
    for cell in range(POSITION_SIZE):
        position[cell] = search.positions[ply - 1, cell]
    while True:
        if numbers[BUDGET] <= 0:
            return STOPPED
        over, value = play(position, action, numbers[PUBLISHED], dice)
        if over or ply >= numbers[LIMIT]:
            break
        if open_node(search, ply):
            return OPENED
        numbers[BUDGET] -= 1
        action = PASS
    numbers[BUDGET] -= 1
    if over:
        value = value if numbers[SEAT] == FIRST else -value
        search.bounds[ply, VALUE] = value * np.inf if value != 0.0 else 0.0
        return LEAF
    key = position_hash(position)
    entry = find_entry(search.keys, key)
    if search.keys[entry] != key:
        numbers[BUDGET] = before
        return UNKNOWN
    search.bounds[ply, VALUE] = search.values[entry]
    numbers[LEAVES] += 1
    return LEAF


@kernel
def take_back(search: Search, ply: int) -> None:
    """Take the value of the ply after into a node, and cut its other moves beyond the window."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    action = search.moves[ply, node[TRIED] - 1]
    value = search.bounds[ply + 1, VALUE]
    if ply == 0 and is_interesting(search.positions[0], action, search.numbers[PUBLISHED]):
        incentive = search.incentive[0]
        value = value * incentive if value > 0 else value / incentive
    if node[MAXIMISING] == 1:
        if value > bounds[VALUE]:
            bounds[VALUE] = value
            node[BEST] = action
        bounds[LOW] = max(bounds[LOW], bounds[VALUE])
    else:
        if value < bounds[VALUE]:
            bounds[VALUE] = value
            node[BEST] = action
        bounds[HIGH] = min(bounds[HIGH], bounds[VALUE])
    if bounds[LOW] > bounds[HIGH]:
        node[TRIED] = node[COUNT]


@kernel
def begin_iteration(search: Search) -> None:
    """Look one ply further than before."""
    numbers = search.numbers
    numbers[LIMIT] += 1
    numbers[LEAVES] = 0
    numbers[PLY] = 0
    clear_node(search, 0, -np.inf, np.inf)
    if numbers[LIMIT] >= MOST_PLIES:
        numbers[STATUS] = DONE
    elif numbers[BUDGET] <= 0:
        numbers[STATUS] = DONE
        if numbers[PUBLISHED] == 1:  # its last iteration can pay for nothing and finds the first
            numbers[CHOICE] = search.moves[0, 0]


@kernel
def end_iteration(search: Search) -> None:
    """Keep the move that an iteration has found, and stop where looking further cannot help."""
    numbers, best = search.numbers, search.nodes[0, BEST]
    numbers[ITERATIONS] += 1
    if best != NONE or numbers[PUBLISHED] == 1:  # none: all moves lose, what seemed best stays
        numbers[CHOICE] = best
    settled = numbers[LEAVES] == 0 or abs(search.bounds[0, VALUE]) == np.inf
    if settled and numbers[PUBLISHED] == 0:
        numbers[STATUS] = DONE
    else:
        begin_iteration(search)


@kernel
def prepare(search: Search, root: NDArray[np.int16], budget: int, published: int) -> None:
    """Begin the search of a position with an empty table."""
    numbers = search.numbers
    search.keys[:] = 0
    numbers[:] = 0
    numbers[BUDGET] = budget
    numbers[PUBLISHED] = published
    numbers[CHOICE] = NONE
    numbers[SEAT] = root[MOVER]
    search.positions[0, :] = root
    search.nodes[0, MAXIMISING] = 1
    count = ordered_moves(root, search.moves[0], search.scratch[1], published)
    search.nodes[0, COUNT] = count
    if search.moves[0, 0] == PASS or (count == 1 and published == 0):
        numbers[CHOICE] = search.moves[0, 0]
        numbers[STATUS] = DONE
    else:
        begin_iteration(search)


@kernel
def go_on(search: Search, dice: NDArray[np.uint64]) -> int:
    """Search until values are missing or the search is done; return the status."""
    numbers, nodes = search.numbers, search.nodes
    while numbers[STATUS] == RUNNING:
        ply = numbers[PLY]
        if nodes[ply, TRIED] < nodes[ply, COUNT]:
            action = search.moves[ply, nodes[ply, TRIED]]
            nodes[ply, TRIED] += 1
            arrival = arrive(search, ply + 1, action, dice)
            if arrival == LEAF:
                take_back(search, ply)
            elif arrival == STOPPED:
                numbers[STATUS] = DONE
            elif arrival == UNKNOWN:
                nodes[ply, TRIED] -= 1
                collect(search, dice)
                numbers[STATUS] = WAITING
        elif ply == 0:
            end_iteration(search)
        else:
            numbers[PLY] = ply - 1
            take_back(search, ply - 1)
    return int(numbers[STATUS])


@kernel
def encode_wanted(search: Search, planes: NDArray[np.float32]) -> None:
    """Write the positions that wait for the network as planes [position, 6, 8, 8]."""
    for index in range(search.numbers[WANTED]):
        encode(search.wanted[index], search.numbers[SEAT], planes[index])


@kernel
def supply(search: Search, values: NDArray[np.floating[Any]]) -> None:
    """Take in the values of all positions that were waiting."""
    numbers = search.numbers
    for index in range(numbers[WANTED]):
        search.values[search.entries[index]] = values[index]
    numbers[VALUED] += numbers[WANTED]
    numbers[WANTED] = 0
    numbers[STATUS] = RUNNING
