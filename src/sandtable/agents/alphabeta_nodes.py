"""The nodes of an alpha-beta search: opening, ordering, evaluating (sandtable.agents.alphabeta).

The functions that call the rules are templates, compiled for one game and one evaluation by
``sandtable.agents.alphabeta_search``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta_hints import NO_PASS
from sandtable.agents.alphabeta_tree import (
    ACTION_BITS,
    BEST,
    BUDGET,
    COUNT,
    FIRST_HIGH,
    FIRST_LOW,
    HIGH,
    KILLER,
    LIMIT,
    LOW,
    MAXIMISING,
    MOST_PLIES,
    NONE,
    PLY,
    PUBLISHED,
    SEAT,
    SECOND_KILLER,
    STATES,
    TOUCHED,
    TRIED,
    USE_KILLERS,
    USE_TABLE,
    VALUE,
    Tree,
    copy_position,
    look_up,
    position_hash,
    use_entry,
)
from sandtable.compiled import kernel, stand_in
from sandtable.types import OVER

__all__ = [
    "FINISHED",
    "LEAF",
    "STOPPED",
    "arrange",
    "arrive",
    "arrive_as_published",
    "clear_node",
    "decided_by_rules",
    "list_legal",
    "open_node",
    "take_back",
]

FINISHED = 1_000_000.0  # the value of the highest possible win
BOOST = 1.2  # what the published program favours interesting moves by at the root
FROM_TABLE = 1 << 40  # rank of the table's move; killers come after promising moves
PROMISE, FIRST_KILLER_RANK, SECOND_KILLER_RANK = 4, 2, 1

LEAF, OPENED, STOPPED = 0, 1, 2  # what arriving at a position came to

# What the templates below are specialised with.
legal = legal_moves = turn = apply = score = evaluate = promise = stand_in
interesting = advance = decided = stand_in
CELLS = ACTION_COUNT = 0
WIDEST = 1.0  # the largest difference between the scores of the two seats
PASS = NO_PASS


def list_legal(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal actions in ascending order, for games without a quicker way."""
    mask = np.empty(ACTION_COUNT, dtype=np.bool_)
    legal(position, mask)
    count = 0
    for action in range(ACTION_COUNT):
        if mask[action]:
            moves[count] = action
            count += 1
    return count


def decided_by_rules(position: NDArray[np.int16]) -> tuple[bool, float]:
    """Say whether a game is over and what for seat 0, for games without a quicker way."""
    if turn(position) != OVER:
        return False, 0.0
    scores = np.zeros(2)
    score(position, scores)
    return True, (scores[0] - scores[1]) / WIDEST


def arrange(tree: Tree, ply: int, table_action: int) -> None:
    """Put the moves of a node in the order in which they are tried; a stable insertion sort."""
    position, moves, node = tree.positions[ply][:CELLS], tree.moves[ply], tree.nodes[ply]
    published = tree.numbers[PUBLISHED] == 1
    for index in range(node[COUNT]):
        action = moves[index]
        if published:  # interesting moves first, and among them the last one first
            rank = index + 1 if interesting(position, action) else 0
        elif action == table_action:
            rank = FROM_TABLE
        else:
            rank = promise(position, action) * PROMISE
            if tree.numbers[USE_KILLERS] == 1:
                if action == node[KILLER]:
                    rank += FIRST_KILLER_RANK
                elif action == node[SECOND_KILLER]:
                    rank += SECOND_KILLER_RANK
        place = index
        while place > 0 and tree.ranks[place - 1] < rank:
            tree.ranks[place] = tree.ranks[place - 1]
            moves[place] = moves[place - 1]
            place -= 1
        tree.ranks[place] = rank
        moves[place] = action


@kernel
def clear_node(tree: Tree, ply: int, low: float, high: float) -> None:
    """Begin a node anew with a window; its moves and killers stay."""
    node, bounds = tree.nodes[ply], tree.bounds[ply]
    bounds[LOW] = bounds[FIRST_LOW] = low
    bounds[HIGH] = bounds[FIRST_HIGH] = high
    bounds[VALUE] = -np.inf if node[MAXIMISING] == 1 else np.inf
    node[TRIED] = 0
    node[BEST] = NONE
    node[TOUCHED] = 0


def open_node(tree: Tree, ply: int, seat: int) -> int:
    """Prepare a node whose moves have to be tried, unless the table knows its value."""
    numbers, node = tree.numbers, tree.nodes[ply]
    node[MAXIMISING] = 1 if seat == numbers[SEAT] else 0
    clear_node(tree, ply, tree.bounds[ply - 1, LOW], tree.bounds[ply - 1, HIGH])
    table_action = NONE
    if numbers[USE_TABLE] == 1:
        tree.hashes[ply] = position_hash(tree.words[ply])
        note = look_up(tree, ply)
        if note != NONE:
            if use_entry(tree, ply, note):
                return LEAF
            table_action = note & ACTION_BITS
    node[COUNT] = legal_moves(tree.positions[ply][:CELLS], tree.moves[ply])
    arrange(tree, ply, table_action)
    numbers[PLY] = ply
    return OPENED


def arrive(
    tree: Tree, ply: int, action: int, weights: NDArray[np.float64], dice: NDArray[np.uint64]
) -> int:
    """Play an action into the next ply: the value of a leaf is left in its bounds."""
    numbers = tree.numbers
    if numbers[BUDGET] <= 0:
        return STOPPED
    numbers[BUDGET] -= 1
    numbers[STATES] += 1
    copy_position(tree, ply - 1, ply)
    position = tree.positions[ply][:CELLS]
    apply(position, action, dice)
    seat = turn(position)
    tree.nodes[ply, TOUCHED] = 0
    if seat == OVER:
        _, value = decided_by_rules(position)
        tree.bounds[ply, VALUE] = FINISHED * (value if numbers[SEAT] == 0 else -value)
        return LEAF
    if ply >= numbers[LIMIT]:
        tree.bounds[ply, VALUE] = evaluate(position, numbers[SEAT], weights)
        tree.nodes[ply, TOUCHED] = 1
        return LEAF
    return open_node(tree, ply, seat)


def arrive_as_published(
    tree: Tree, ply: int, action: int, weights: NDArray[np.float64], dice: NDArray[np.uint64]
) -> int:
    """Play an action with the published costs: a move inside the tree, a leaf, and a turn without
    moves each cost one, and such a turn does not count as a ply.
    """
    numbers = tree.numbers
    if ply > 1:
        numbers[BUDGET] -= 1
    if numbers[BUDGET] <= 0 or ply >= MOST_PLIES:
        return STOPPED
    copy_position(tree, ply - 1, ply)
    position = tree.positions[ply][:CELLS]
    while True:
        if numbers[BUDGET] <= 0:
            return STOPPED
        numbers[STATES] += 1
        advance(position, action, dice)
        over, value = decided(position)
        if over or ply >= numbers[LIMIT]:
            break
        count = legal_moves(position, tree.moves[ply])
        if count > 1 and tree.moves[ply, count - 1] == PASS:
            count -= 1
        if tree.moves[ply, 0] != PASS:
            tree.nodes[ply, MAXIMISING] = 1 if turn(position) == numbers[SEAT] else 0
            clear_node(tree, ply, tree.bounds[ply - 1, LOW], tree.bounds[ply - 1, HIGH])
            tree.nodes[ply, COUNT] = count
            arrange(tree, ply, NONE)
            numbers[PLY] = ply
            return OPENED
        numbers[BUDGET] -= 1
        action = PASS
    numbers[BUDGET] -= 1
    if over:
        won = (value > 0) == (numbers[SEAT] == 0)
        tree.bounds[ply, VALUE] = np.inf if won else -np.inf
    else:
        tree.bounds[ply, VALUE] = evaluate(position, numbers[SEAT], weights)
    return LEAF


def take_back(tree: Tree, ply: int) -> None:
    """Take the value of the ply after into a node, and cut its other moves if they cannot matter.

    The published program cuts only where a value lies beyond the window, we already on its edge.
    """
    nodes, bounds = tree.nodes, tree.bounds
    action = tree.moves[ply, nodes[ply, TRIED] - 1]
    value = bounds[ply + 1, VALUE]
    published = tree.numbers[PUBLISHED] == 1
    nodes[ply, TOUCHED] |= nodes[ply + 1, TOUCHED]
    if published and ply == 0 and interesting(tree.positions[0][:CELLS], action):
        value = value * BOOST if value > 0 else value / BOOST
    if nodes[ply, MAXIMISING] == 1:
        if value > bounds[ply, VALUE]:
            bounds[ply, VALUE] = value
            nodes[ply, BEST] = action
        bounds[ply, LOW] = max(bounds[ply, LOW], bounds[ply, VALUE])
    else:
        if value < bounds[ply, VALUE]:
            bounds[ply, VALUE] = value
            nodes[ply, BEST] = action
        bounds[ply, HIGH] = min(bounds[ply, HIGH], bounds[ply, VALUE])
    low, high = bounds[ply, LOW], bounds[ply, HIGH]
    if low > high or (low == high and not published):
        nodes[ply, TRIED] = nodes[ply, COUNT]
        if nodes[ply, KILLER] != action:
            nodes[ply, SECOND_KILLER] = nodes[ply, KILLER]
            nodes[ply, KILLER] = action
