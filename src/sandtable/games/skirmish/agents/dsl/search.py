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
from sandtable.games.skirmish.agents.dsl import tree
from sandtable.games.skirmish.agents.dsl.leaves import collect
from sandtable.games.skirmish.layout import FIRST, MOVER, PASS, POSITION_SIZE

__all__ = ["go_on", "prepare"]


@kernel
def clear_node(search: tree.BatchSearch, ply: int, low: float, high: float) -> None:
    """Begin a node with a window."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    bounds[tree.LOW], bounds[tree.HIGH] = low, high
    bounds[tree.VALUE] = -np.inf if node[tree.MAXIMISING] == 1 else np.inf
    node[tree.TRIED] = 0
    node[tree.BEST] = tree.NONE


@kernel
def open_node(search: tree.BatchSearch, ply: int) -> bool:
    """Prepare a node whose moves have to be tried; say no where there is none but to pass."""
    numbers, node, position = search.numbers, search.nodes[ply], search.positions[ply]
    moves = search.moves[ply]
    node[tree.COUNT] = tree.ordered_moves(
        position, moves, search.scratch[1], numbers[tree.PUBLISHED]
    )
    if moves[0] == PASS:
        return False
    node[tree.MAXIMISING] = 1 if position[MOVER] == numbers[tree.SEAT] else 0
    clear_node(search, ply, search.bounds[ply - 1, tree.LOW], search.bounds[ply - 1, tree.HIGH])
    numbers[tree.PLY] = ply
    return True


@kernel
def arrive(search: tree.BatchSearch, ply: int, action: int, dice: NDArray[np.uint64]) -> int:
    """Play an action into the next ply; the value of a leaf is left in its bounds.

    A move inside the tree, a leaf, and a half-turn without moves cost one each; such a half-turn
    is no ply. The moves of the root are free.
    """
    numbers, position = search.numbers, search.positions[ply]
    before = numbers[tree.BUDGET]
    if ply > 1:
        numbers[tree.BUDGET] -= 1
    for cell in range(POSITION_SIZE):
        position[cell] = search.positions[ply - 1, cell]
    while True:
        if numbers[tree.BUDGET] <= 0:
            return tree.STOPPED
        over, value = tree.play(position, action, numbers[tree.PUBLISHED], dice)
        if over or ply >= numbers[tree.LIMIT]:
            break
        if open_node(search, ply):
            return tree.OPENED
        numbers[tree.BUDGET] -= 1
        action = PASS
    numbers[tree.BUDGET] -= 1
    if over:
        value = value if numbers[tree.SEAT] == FIRST else -value
        search.bounds[ply, tree.VALUE] = value * np.inf if value != 0.0 else 0.0
        return tree.LEAF
    key = tree.position_hash(position)
    entry = tree.find_entry(search.keys, key)
    if search.keys[entry] != key:
        numbers[tree.BUDGET] = before
        return tree.UNKNOWN
    search.bounds[ply, tree.VALUE] = search.values[entry]
    numbers[tree.LEAVES] += 1
    return tree.LEAF


@kernel
def take_back(search: tree.BatchSearch, ply: int) -> None:
    """Take the value of the ply after into a node, and cut its other moves beyond the window."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    action = search.moves[ply, node[tree.TRIED] - 1]
    value = search.bounds[ply + 1, tree.VALUE]
    if ply == 0 and tree.is_interesting(
        search.positions[0], action, search.numbers[tree.PUBLISHED]
    ):
        incentive = search.incentive[0]
        value = value * incentive if value > 0 else value / incentive
    if node[tree.MAXIMISING] == 1:
        if value > bounds[tree.VALUE]:
            bounds[tree.VALUE] = value
            node[tree.BEST] = action
        bounds[tree.LOW] = max(bounds[tree.LOW], bounds[tree.VALUE])
    else:
        if value < bounds[tree.VALUE]:
            bounds[tree.VALUE] = value
            node[tree.BEST] = action
        bounds[tree.HIGH] = min(bounds[tree.HIGH], bounds[tree.VALUE])
    if bounds[tree.LOW] > bounds[tree.HIGH]:
        node[tree.TRIED] = node[tree.COUNT]


@kernel
def begin_iteration(search: tree.BatchSearch) -> None:
    """Look one ply further than before."""
    numbers = search.numbers
    numbers[tree.LIMIT] += 1
    numbers[tree.LEAVES] = 0
    numbers[tree.PLY] = 0
    clear_node(search, 0, -np.inf, np.inf)
    if numbers[tree.LIMIT] >= tree.MOST_PLIES:
        numbers[tree.STATUS] = tree.DONE
    elif numbers[tree.BUDGET] <= 0:
        numbers[tree.STATUS] = tree.DONE
        if (
            numbers[tree.PUBLISHED] == 1
        ):  # its last iteration can pay for nothing and finds the first
            numbers[tree.CHOICE] = search.moves[0, 0]


@kernel
def end_iteration(search: tree.BatchSearch) -> None:
    """Keep the move that an iteration has found, and stop where looking further cannot help."""
    numbers, best = search.numbers, search.nodes[0, tree.BEST]
    numbers[tree.ITERATIONS] += 1
    if (
        best != tree.NONE or numbers[tree.PUBLISHED] == 1
    ):  # none: all moves lose, what seemed best stays
        numbers[tree.CHOICE] = best
    settled = numbers[tree.LEAVES] == 0 or abs(search.bounds[0, tree.VALUE]) == np.inf
    if settled and numbers[tree.PUBLISHED] == 0:
        numbers[tree.STATUS] = tree.DONE
    else:
        begin_iteration(search)


@kernel
def prepare(search: tree.BatchSearch, root: NDArray[np.int16], budget: int, published: int) -> None:
    """Begin the search of a position with an empty table."""
    numbers = search.numbers
    search.keys[:] = 0
    numbers[:] = 0
    numbers[tree.BUDGET] = budget
    numbers[tree.PUBLISHED] = published
    numbers[tree.CHOICE] = tree.NONE
    numbers[tree.SEAT] = root[MOVER]
    search.positions[0, :] = root
    search.nodes[0, tree.MAXIMISING] = 1
    count = tree.ordered_moves(root, search.moves[0], search.scratch[1], published)
    search.nodes[0, tree.COUNT] = count
    if search.moves[0, 0] == PASS or (count == 1 and published == 0):
        numbers[tree.CHOICE] = search.moves[0, 0]
        numbers[tree.STATUS] = tree.DONE
    else:
        begin_iteration(search)


@kernel
def go_on(search: tree.BatchSearch, dice: NDArray[np.uint64]) -> int:
    """Search until values are missing or the search is done; return the status."""
    numbers, nodes = search.numbers, search.nodes
    while numbers[tree.STATUS] == tree.RUNNING:
        ply = numbers[tree.PLY]
        if nodes[ply, tree.TRIED] < nodes[ply, tree.COUNT]:
            action = search.moves[ply, nodes[ply, tree.TRIED]]
            nodes[ply, tree.TRIED] += 1
            arrival = arrive(search, ply + 1, action, dice)
            if arrival == tree.LEAF:
                take_back(search, ply)
            elif arrival == tree.STOPPED:
                numbers[tree.STATUS] = tree.DONE
            elif arrival == tree.UNKNOWN:
                nodes[ply, tree.TRIED] -= 1
                collect(search, dice)
                numbers[tree.STATUS] = tree.WAITING
        elif ply == 0:
            end_iteration(search)
        else:
            numbers[tree.PLY] = ply - 1
            take_back(search, ply - 1)
    return int(numbers[tree.STATUS])
