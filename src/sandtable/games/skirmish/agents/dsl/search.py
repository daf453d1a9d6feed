"""Deep minimax as kernels (the agent: sandtable.games.skirmish.agents.dsl.agent).

The search is the thesis's: iterative deepening alpha-beta over a budget of states, with leaves
valued by a network. It is written as a search that can be interrupted. At a leaf whose value
nobody has asked for yet, it collects the leaves it is going to look at next, and waits; when the
network has valued all of them in one call, the search goes on as if it had known all the time.
So batches change nothing in the search: the states it looks at, the states it pays for and the
move it finds are those of a search that values one leaf at a time. What a batch can do is to have
leaves valued that a cut makes superfluous: which leaves it has besides the one that is needed next
is a guess of what the search will look at. These cost time but no budget.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.skirmish.agents.dsl import tree
from sandtable.games.skirmish.layout import FIRST, MOVER, PASS, POSITION_SIZE
from sandtable.games.skirmish.planes import encode

__all__ = ["encode_wanted", "prepare", "resume", "store_values"]

# --- leaves that wait for the network ------------------------------------------------------------


@kernel
def request_value(search: tree.BatchSearch, position: NDArray[np.int16]) -> None:
    """Put a position on the list for the network, unless its value is known or asked for."""
    key = tree.position_hash(position)
    entry = tree.find_entry(search.keys, key)
    if search.keys[entry] == key:
        return
    numbers = search.numbers
    search.keys[entry] = key
    for cell in range(POSITION_SIZE):
        search.wanted[numbers[tree.WANTED], cell] = position[cell]
    search.entries[numbers[tree.WANTED]] = entry
    numbers[tree.WANTED] += 1
    numbers[tree.STORED] += 1


@kernel
def request_children(
    search: tree.BatchSearch,
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
        if search.numbers[tree.WANTED] >= room:
            return
        for cell in range(POSITION_SIZE):
            child[cell] = position[cell]
        over, _ = tree.play(child, moves[index], search.numbers[tree.PUBLISHED], dice)
        if not over:
            request_value(search, child)


@kernel
def collect(search: tree.BatchSearch, dice: NDArray[np.uint64]) -> None:
    """Fill a batch: with the leaves to come at this node, then with those of the nodes after it.

    Nodes after it are those its parent leads to. More leaves than the rest of the budget can pay
    for are never needed (a leaf costs two: the move to it and its value).
    """
    numbers, nodes = search.numbers, search.nodes
    if 2 * (numbers[tree.STORED] + len(search.wanted)) > len(search.keys):
        search.keys[:] = 0
        numbers[tree.STORED] = 0
    room = min(len(search.wanted), numbers[tree.BUDGET] // 2 + 1)
    ply = numbers[tree.PLY]
    first, count = nodes[ply, tree.TRIED], nodes[ply, tree.COUNT]
    request_children(search, search.positions[ply], search.moves[ply], first, count, room, dice)
    if ply == 0:
        return
    sister, moves = search.positions[ply + 1], search.moves[ply + 1]
    for index in range(nodes[ply - 1, tree.TRIED], nodes[ply - 1, tree.COUNT]):
        if numbers[tree.WANTED] >= room:
            return
        for cell in range(POSITION_SIZE):
            sister[cell] = search.positions[ply - 1, cell]
        over, _ = tree.play(sister, search.moves[ply - 1, index], numbers[tree.PUBLISHED], dice)
        if over:
            continue
        count = tree.ordered_moves(sister, moves, search.scratch[1], numbers[tree.PUBLISHED])
        if moves[0] != PASS:
            request_children(search, sister, moves, 0, count, room, dice)


@kernel
def encode_wanted(search: tree.BatchSearch, planes: NDArray[np.float32]) -> None:
    """Write the positions that wait for the network as planes [position, 6, 8, 8]."""
    for index in range(search.numbers[tree.WANTED]):
        encode(search.wanted[index], search.numbers[tree.SEAT], planes[index])


@kernel
def store_values(search: tree.BatchSearch, values: NDArray[np.floating[Any]]) -> None:
    """Take in the values of all positions that were waiting."""
    numbers = search.numbers
    for index in range(numbers[tree.WANTED]):
        search.values[search.entries[index]] = values[index]
    numbers[tree.VALUED] += numbers[tree.WANTED]
    numbers[tree.WANTED] = 0
    numbers[tree.STATUS] = tree.RUNNING


# --- the search ----------------------------------------------------------------------------------


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
    copy_cells(root, search.positions[0])
    search.nodes[0, tree.MAXIMISING] = 1
    count = tree.ordered_moves(root, search.moves[0], search.scratch[1], published)
    search.nodes[0, tree.COUNT] = count
    if search.moves[0, 0] == PASS or (count == 1 and published == 0):
        numbers[tree.CHOICE] = search.moves[0, 0]
        numbers[tree.STATUS] = tree.DONE
    else:
        begin_iteration(search)


@kernel
def resume(search: tree.BatchSearch, dice: NDArray[np.uint64]) -> int:
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
