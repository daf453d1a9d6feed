"""Deep minimax as kernels (the agent: sandtable.games.skirmish.agents.dsl.agent).

The search is the thesis's: iterative deepening alpha-beta over a budget of states, with leaves
valued by a network. It is written as a search that can be interrupted. At a leaf whose value
nobody has asked for yet, it collects the leaves it is going to look at next, and waits; when the
network has valued all of them in one call, the search goes on as if it had known all the time.
So batches change nothing in the search: the states it looks at, the states it pays for and the
move it finds are those of a search that values one leaf at a time. What a batch can do is to have
leaves valued that a cut makes superfluous. These cost time but no budget.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish.agents.dsl.leaves import collect
from sandtable.games.skirmish.agents.dsl.tree import (
    BEST,
    BUDGET,
    CHOICE,
    COUNT,
    DONE,
    HIGH,
    ITERATIONS,
    LEAF,
    LEAVES,
    LIMIT,
    LOW,
    MAXIMISING,
    MOST_PLIES,
    NONE,
    OPENED,
    PLY,
    PUBLISHED,
    RUNNING,
    SEAT,
    STATUS,
    STOPPED,
    TRIED,
    UNKNOWN,
    VALUE,
    WAITING,
    Search,
    find_entry,
    is_interesting,
    ordered_moves,
    play,
    position_hash,
)
from sandtable.games.skirmish.layout import FIRST, MOVER, PASS, POSITION_SIZE

__all__ = ["go_on", "prepare"]


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
