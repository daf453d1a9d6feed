"""The nodes of an alpha-beta search: opening, ordering, evaluating.

The functions that call the rules are templates, compiled for one game and one evaluation by
``sandtable.agents.alphabeta.search``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta.hints import NO_PASS
from sandtable.agents.alphabeta.tree import (
    ACTION_BITS,
    BEST,
    BUDGET,
    COUNT,
    FIRST_HIGH,
    FIRST_LOW,
    HIGH,
    KILLER,
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
from sandtable.compiled import kernel, placeholder
from sandtable.types import OVER

__all__ = [
    "FINISHED",
    "LEAF",
    "OPENED",
    "STOPPED",
    "arrange",
    "arrive",
    "arrive_as_published",
    "clear_node",
    "decided_by_rules",
    "favour_interesting",
    "leaf_value",
    "open_node",
    "take_back",
    "try_leaves",
]

FINISHED = 1_000_000.0  # the value of the highest possible win
BOOST = 1.2  # what the published program favours interesting moves by at the root
FROM_TABLE = 1 << 40  # rank of the table's move; killers come after promising moves
PROMISE, FIRST_KILLER_RANK, SECOND_KILLER_RANK = 4, 2, 1

LEAF, OPENED, STOPPED = 0, 1, 2  # what arriving at a position came to

# What the templates below are specialised with.
legal_moves = turn = apply = score = evaluate = promise = placeholder
interesting = advance = decided = placeholder
CELLS = 0
WIDEST = 1.0  # the largest difference between the scores of the two seats
PASS = NO_PASS


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
    ranks = tree.ranks
    published, killers = tree.numbers[PUBLISHED] == 1, tree.numbers[USE_KILLERS] == 1
    for index in range(node[COUNT]):
        action = moves[index]
        if published:  # interesting moves first, and among them the last one first
            rank = index + 1 if interesting(position, action) else 0
        elif action == table_action:
            rank = FROM_TABLE
        else:
            rank = promise(position, action) * PROMISE
            if killers:
                if action == node[KILLER]:
                    rank += FIRST_KILLER_RANK
                elif action == node[SECOND_KILLER]:
                    rank += SECOND_KILLER_RANK
        place = index
        while place > 0 and ranks[place - 1] < rank:
            ranks[place] = ranks[place - 1]
            moves[place] = moves[place - 1]
            place -= 1
        ranks[place] = rank
        moves[place] = action


@kernel
def clear_node(
    nodes: NDArray[np.int64], bounds: NDArray[np.float64], ply: int, low: float, high: float
) -> None:
    """Begin a node anew with a window; its moves and killers stay."""
    bounds[ply, LOW] = bounds[ply, FIRST_LOW] = low
    bounds[ply, HIGH] = bounds[ply, FIRST_HIGH] = high
    bounds[ply, VALUE] = -np.inf if nodes[ply, MAXIMISING] == 1 else np.inf
    nodes[ply, TRIED] = 0
    nodes[ply, BEST] = NONE
    nodes[ply, TOUCHED] = 0


def open_node(tree: Tree, ply: int, seat: int) -> int:
    """Prepare a node whose moves have to be tried, unless the table knows its value."""
    numbers, nodes, bounds = tree.numbers, tree.nodes, tree.bounds
    nodes[ply, MAXIMISING] = 1 if seat == numbers[SEAT] else 0
    clear_node(nodes, bounds, ply, bounds[ply - 1, LOW], bounds[ply - 1, HIGH])
    table_action = NONE
    if numbers[USE_TABLE] == 1:
        tree.hashes[ply] = position_hash(tree.words, ply)
        note = look_up(tree, ply)
        if note != NONE:
            if use_entry(tree, ply, note):
                return LEAF
            table_action = note & ACTION_BITS
    nodes[ply, COUNT] = legal_moves(tree.positions[ply][:CELLS], tree.moves[ply])
    arrange(tree, ply, table_action)
    numbers[PLY] = ply
    return OPENED


def arrive(tree: Tree, ply: int, action: int, dice: NDArray[np.uint64]) -> int:
    """Play an action into a ply before the horizon, and open a node there if the game goes on."""
    numbers = tree.numbers
    if numbers[BUDGET] <= 0:
        return STOPPED
    numbers[BUDGET] -= 1
    numbers[STATES] += 1
    copy_position(tree.words, ply - 1, ply)
    position = tree.positions[ply][:CELLS]
    apply(position, action, dice)
    seat = turn(position)
    if seat != OVER:
        return open_node(tree, ply, seat)
    _, value = decided_by_rules(position)
    tree.bounds[ply, VALUE] = FINISHED * (value if numbers[SEAT] == 0 else -value)
    tree.nodes[ply, TOUCHED] = 0
    return LEAF


def arrive_as_published(tree: Tree, ply: int, action: int, dice: NDArray[np.uint64]) -> int:
    """Do the same with the published costs: a move inside the tree, a leaf, and a turn without
    moves each cost one, and such a turn does not count as a ply.
    """
    numbers = tree.numbers
    numbers[BUDGET] -= 1 if ply > 1 else 0
    if ply >= MOST_PLIES:
        return STOPPED
    copy_position(tree.words, ply - 1, ply)
    position = tree.positions[ply][:CELLS]
    while numbers[BUDGET] > 0:
        numbers[STATES] += 1
        advance(position, action, dice)
        over, value = decided(position)
        if over:
            numbers[BUDGET] -= 1
            tree.bounds[ply, VALUE] = np.inf if (value > 0) == (numbers[SEAT] == 0) else -np.inf
            return LEAF
        count = legal_moves(position, tree.moves[ply])
        if tree.moves[ply, 0] != PASS:
            pass_too = tree.moves[ply, count - 1] == PASS
            tree.nodes[ply, COUNT] = count - 1 if pass_too else count
            tree.nodes[ply, MAXIMISING] = 1 if turn(position) == numbers[SEAT] else 0
            low, high = tree.bounds[ply - 1, LOW], tree.bounds[ply - 1, HIGH]
            clear_node(tree.nodes, tree.bounds, ply, low, high)
            arrange(tree, ply, NONE)
            numbers[PLY] = ply
            return OPENED
        numbers[BUDGET] -= 1
        action = PASS
    return STOPPED


def favour_interesting(tree: Tree) -> None:
    """Give the move just tried at the root the published program's favour, if it is interesting."""
    action = tree.moves[0, tree.nodes[0, TRIED] - 1]
    value = tree.bounds[1, VALUE]
    if interesting(tree.positions[0][:CELLS], action):
        tree.bounds[1, VALUE] = value * BOOST if value > 0 else value / BOOST


@kernel
def take_back(
    nodes: NDArray[np.int64],
    bounds: NDArray[np.float64],
    moves: NDArray[np.int16],
    ply: int,
    cut_at_edge: bool,
) -> None:
    """Take the value of the ply after into a node, and cut its other moves if they cannot matter.

    The published program cuts only where a value lies beyond the window, we already on its edge.
    """
    action = moves[ply, nodes[ply, TRIED] - 1]
    value = bounds[ply + 1, VALUE]
    nodes[ply, TOUCHED] |= nodes[ply + 1, TOUCHED]
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
    if low > high or (low == high and cut_at_edge):
        nodes[ply, TRIED] = nodes[ply, COUNT]
        if nodes[ply, KILLER] != action:
            nodes[ply, SECOND_KILLER] = nodes[ply, KILLER]
            nodes[ply, KILLER] = action


def leaf_value(
    position: NDArray[np.int16],
    action: int,
    seat: int,
    published: bool,
    weights: NDArray[np.float64],
    dice: NDArray[np.uint64],
) -> tuple[float, int]:
    """Play an action onto the horizon; return its worth to a seat, and 1 for a mere estimate."""
    if published:
        advance(position, action, dice)
        over, value = decided(position)
        if over:
            return np.inf if (value > 0) == (seat == 0) else -np.inf, 0
    else:
        apply(position, action, dice)
        if turn(position) == OVER:
            _, value = decided_by_rules(position)
            return FINISHED * (value if seat == 0 else -value), 0
    return evaluate(position, seat, weights), 1


def try_leaves(
    tree: Tree, ply: int, weights: NDArray[np.float64], dice: NDArray[np.uint64]
) -> bool:
    """Try the moves of a node just before the horizon; return False when the budget ends.

    Most states of a search are such leaves, so they have this loop of their own, which takes the
    arrays out of the tree once: every time that is done costs as much as the rest of the loop.
    """
    numbers, nodes, bounds, moves = tree.numbers, tree.nodes, tree.bounds, tree.moves
    words = tree.words
    published, seat = numbers[PUBLISHED] == 1, numbers[SEAT]
    fare = 1 if published and ply > 0 else 0  # published: inside the tree a move costs one too
    position = tree.positions[ply + 1][:CELLS]
    while nodes[ply, TRIED] < nodes[ply, COUNT]:
        numbers[BUDGET] -= fare
        if numbers[BUDGET] <= 0:
            return False
        numbers[BUDGET] -= 1
        numbers[STATES] += 1
        action = moves[ply, nodes[ply, TRIED]]
        nodes[ply, TRIED] += 1
        copy_position(words, ply, ply + 1)
        value, touched = leaf_value(position, action, seat, published, weights, dice)
        bounds[ply + 1, VALUE] = value
        nodes[ply + 1, TOUCHED] = touched
        if published and ply == 0:
            favour_interesting(tree)
        take_back(nodes, bounds, moves, ply, not published)
    return True
