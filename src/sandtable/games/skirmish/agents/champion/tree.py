"""The memory of the champion's search, which is in search.py.

A stack of nodes, a table of positions seen, and what is known about good moves. All values are
those of the side to move at a node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.champion import order
from sandtable.games.skirmish.agents.champion.features import beside_soldiers
from sandtable.games.skirmish.layout import NO_SQUARES, single
from sandtable.games.skirmish.rules import apply, first_result, legal_moves

__all__ = ["ALL_SWITCHES", "FORMER_SWITCHES", "SWITCH_NAMES", "Search", "new_search"]

MOST_PLIES = 64
MOST_CAPTURES = 6  # in a row beyond the horizon
WON = 10.0  # less a little for every ply until then; estimates lie between -1 and 1
PER_PLY = 0.01
FAR = 100.0  # beyond any value
SURELY = 5.0  # values beyond are wins or losses that have been seen

# Search.numbers
BUDGET = 0  # states that may still be produced
STATES = 1  # states produced
CHOICE = 2  # best move at the root so far
REACHED = 3  # iterations finished
STOPPED = 4  # 1 when the budget is used up
STOP = 5  # set to 1 from outside to end the search now
SWITCHES = 6
NUMBERS = 7

# Bits of SWITCHES.
TABLE, CAPTURES_OUT, REDUCE, FREE_MOVE, FUTILITY = 1, 2, 4, 8, 16
ORDER, AHEAD, FEW_MOVES, HOPELESS = 32, 64, 128, 256
SWITCH_NAMES = {
    "table": TABLE,
    "captures": CAPTURES_OUT,
    "reductions": REDUCE,
    "free-move": FREE_MOVE,
    "futility": FUTILITY,
    "order": ORDER,
    "far-ahead": AHEAD,
    "few-moves": FEW_MOVES,
    "hopeless-captures": HOPELESS,
}
ALL_SWITCHES = sum(SWITCH_NAMES.values())
FORMER_SWITCHES = TABLE + CAPTURES_OUT + REDUCE + FREE_MOVE + FUTILITY  # the first search had

# Ranks of moves; history counts stay below the killers'.
TABLE_RANK, CAPTURE_RANK, KILLER_RANK, MOST_HISTORY = 1 << 40, 1 << 30, 1 << 28, 1 << 26
CAPTURE_WORTH = np.array([0, 5, 4, 2, 3], dtype=np.int64)  # by the kind captured
BUILD_RANK = 4
# What a quiet move's rank is made of when all are ordered by the table of scores.
FOR_HISTORY, FOR_SCORE, LEAST_SCORE = 2, 8.0, -50.0
A_UNIT = 0.6  # what a capture may change the estimate by at most
A_GUARDED_UNIT = 0.36  # and where the soldier that captures can be captured

# Search.nodes, for each ply
DEPTH = 0  # plies to the horizon; 0 and less where captures are played out
COUNT = 1  # moves there are
TRIED = 2  # moves begun
ACTION = 3  # the move that is looked into
BEST_ACTION = 4
STAGE = 5  # how it is looked into, see search.py
LESS = 6  # by how many plies less at first
TABLE_ACTION = 7  # the move the table knows, or NONE
NODE = 8

# Search.bounds, for each ply
LOW, HIGH = 0, 1  # the window as it is now
FIRST_LOW = 2  # and as it was
BEST = 3  # best value so far
LIMIT = 4  # what quiet moves can reach at most
BOUNDS = 5

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
NONE = -1
NO_KEY = np.uint64(0)
MIX, FOLD = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


class Search(NamedTuple):
    """The arrays of one search."""

    numbers: NDArray[np.int64]  # [NUMBERS] see above
    positions: NDArray[np.int16]  # [ply, cell]
    moves: NDArray[np.int16]  # [ply, index]
    ranks: NDArray[np.int64]  # [ply, index]
    nodes: NDArray[np.int64]  # [ply, NODE]
    bounds: NDArray[np.float64]  # [ply, BOUNDS]
    hashes: NDArray[np.uint64]  # [ply]
    killers: NDArray[np.int64]  # [ply, 2] quiet moves that have cut other nodes at this ply
    history: NDArray[np.int64]  # [seat, action]
    keys: NDArray[np.uint64]  # [entry] hash of a position, 0 if free
    values: NDArray[np.float64]  # [entry]
    notes: NDArray[np.int64]  # [entry, 3] action, depth left, what the value is
    scores: NDArray[np.float32]  # [order.PARTS] table of the order of moves
    scene: order.Scene  # of the node whose moves are listed


@kernel
def new_search(budget: int, switches: int, scores: NDArray[np.float32]) -> Search:
    """Make room for a search of so many states; ``scores`` is the table of the order of moves."""
    entries = 1024
    while entries < budget and entries < 1 << 20:
        entries *= 2
    numbers = np.zeros(NUMBERS, dtype=np.int64)
    numbers[SWITCHES] = switches
    most = MOST_PLIES + MOST_CAPTURES + 2
    return Search(
        numbers,
        np.empty((most, layout.POSITION_SIZE), dtype=np.int16),
        np.empty((most, layout.ACTIONS), dtype=np.int16),
        np.empty((most, layout.ACTIONS), dtype=np.int64),
        np.empty((most, NODE), dtype=np.int64),
        np.empty((most, BOUNDS), dtype=np.float64),
        np.empty(most, dtype=np.uint64),
        np.empty((most, 2), dtype=np.int64),
        np.empty((2, layout.ACTIONS), dtype=np.int64),
        np.empty(entries, dtype=np.uint64),
        np.empty(entries, dtype=np.float64),
        np.empty((entries, 3), dtype=np.int64),
        scores,
        order.new_scene(),
    )


@kernel
def prepare(search: Search, root: NDArray[np.int16], budget: int) -> int:
    """Forget the search before and set up the next; return how many moves the root has."""
    numbers = search.numbers
    numbers[BUDGET] = budget
    numbers[STATES] = numbers[REACHED] = numbers[STOPPED] = 0
    search.killers[:] = NONE
    search.history[:] = 0
    search.keys[:] = NO_KEY
    for cell in range(layout.POSITION_SIZE):
        search.positions[0, cell] = root[cell]
    count = legal_moves(root, search.moves[0])
    numbers[CHOICE] = search.moves[0, 0]
    return count


@kernel
def hash_of(position: NDArray[np.int16]) -> np.uint64:
    """Return a hash of the units, their ages and the mover, never 0."""
    total = MIX + np.uint64(position[layout.MOVER])
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square]
        if unit != 0:
            cell = np.uint64(
                ((unit + 8) * 128 + position[layout.AGES + square]) * layout.SQUARES + square
            )
            total = (total ^ cell) * MIX
            total ^= total >> FOLD
    return np.uint64(total | np.uint64(1))


@kernel
def pay(search: Search) -> bool:
    """Take one state from the budget; False when the search has to end."""
    numbers = search.numbers
    if numbers[BUDGET] <= 0 or numbers[STOP] == 1:
        numbers[STOPPED] = 1
        return False
    numbers[BUDGET] -= 1
    numbers[STATES] += 1
    return True


@kernel
def play(search: Search, ply: int, action: int, dice: NDArray[np.uint64]) -> None:
    """Write the position after a move into the next ply."""
    before, after = search.positions[ply], search.positions[ply + 1]
    for cell in range(layout.POSITION_SIZE):
        after[cell] = before[cell]
    apply(after, action, dice)


@kernel
def final_value(position: NDArray[np.int16], ply: int, mover_before: int) -> float:
    """Return the value of a finished game to the side that would be to move."""
    result = first_result(position)
    if mover_before == 0:  # the other one is to move
        result = -result
    return result * (WON - PER_PLY * ply)


@kernel
def take_best(search: Search, ply: int, index: int, count: int) -> int:
    """Bring the highest ranked of the remaining moves to its place and return it."""
    moves, ranks = search.moves[ply], search.ranks[ply]
    best = index
    for other in range(index + 1, count):
        if ranks[other] > ranks[best]:
            best = other
    action, rank = moves[best], ranks[best]
    while best > index:  # moves of the same rank keep their order
        moves[best], ranks[best] = moves[best - 1], ranks[best - 1]
        best -= 1
    moves[index], ranks[index] = action, rank
    return int(action)


@kernel
def captured(position: NDArray[np.int16], action: int) -> int:
    """Return the kind of unit a move captures, 0 for none."""
    if action == layout.PASS or action % layout.STEPS == layout.BUILD:
        return 0
    return abs(int(position[layout.UNITS + layout.DESTINATION[action]]))


@kernel
def list_moves(search: Search, ply: int) -> None:
    """Write all moves of a node, and how promising each is."""
    position, seat, node = (
        search.positions[ply],
        search.positions[ply, layout.MOVER],
        search.nodes[ply],
    )
    node[COUNT] = legal_moves(position, search.moves[ply])
    scored = search.numbers[SWITCHES] & ORDER and node[COUNT] > 1
    if scored:
        order.look(position, seat, search.scene)
    for index in range(node[COUNT]):
        action = search.moves[ply, index]
        kind = captured(position, action)
        rank = search.history[seat, action]
        if scored:
            score = order.score(position, action, search.scene, search.scores)
            rank = FOR_HISTORY * rank + np.int64(FOR_SCORE * (score - LEAST_SCORE))
        if action == node[TABLE_ACTION]:
            rank = TABLE_RANK
        elif kind > 0:
            rank = CAPTURE_RANK + CAPTURE_WORTH[kind]
        elif action == search.killers[ply, 0]:
            rank = KILLER_RANK + 1
        elif action == search.killers[ply, 1]:
            rank = KILLER_RANK
        elif action != layout.PASS and action % layout.STEPS == layout.BUILD:
            rank += BUILD_RANK
        search.ranks[ply, index] = rank


@kernel
def guarded_squares(position: NDArray[np.int16]) -> np.uint64:
    """Return the squares on which the enemy of the mover could capture."""
    enemy = np.int16(-layout.side_sign(position[layout.MOVER]) * layout.SOLDIER)
    soldiers = NO_SQUARES
    for square in range(layout.SQUARES):
        is_soldier = position[layout.UNITS + square] == enemy
        soldiers |= np.uint64(is_soldier) << np.uint64(square)
    return beside_soldiers(soldiers)


@kernel
def list_captures(search: Search, ply: int) -> None:
    """Write the captures of a node, and what each captures.

    Those that cannot help are left out: with them too the estimate stays below the window.
    """
    position, careful = search.positions[ply], search.numbers[SWITCHES] & HOPELESS
    every = legal_moves(position, search.moves[ply])
    missing = search.bounds[ply, LOW] - search.bounds[ply, BEST]
    guarded = guarded_squares(position) if careful and missing >= A_GUARDED_UNIT else NO_SQUARES
    count = 0
    for index in range(every):
        action = search.moves[ply, index]
        kind = captured(position, action)
        if kind > 0:
            behind = guarded & single(layout.DESTINATION[action]) != NO_SQUARES
            if careful and missing >= (A_GUARDED_UNIT if behind else A_UNIT):
                continue
            search.moves[ply, count] = action
            search.ranks[ply, count] = CAPTURE_RANK + CAPTURE_WORTH[kind]
            count += 1
    search.nodes[ply, COUNT] = count


@kernel
def remember_cut(search: Search, ply: int) -> None:
    """Note a quiet move that was too good, to try it early elsewhere."""
    action, depth = search.nodes[ply, ACTION], search.nodes[ply, DEPTH]
    if captured(search.positions[ply], action) > 0:
        return
    killers = search.killers[ply]
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action
    seat = search.positions[ply, layout.MOVER]
    history = search.history[seat, action] + depth * depth
    search.history[seat, action] = min(history, MOST_HISTORY)


@kernel
def look_up(search: Search, key: np.uint64) -> int:
    """Return the entry of a position in the table, or NONE."""
    entry = np.int64(key >> np.uint64(8)) & (len(search.keys) - 1)
    return int(entry) if key != NO_KEY and search.keys[entry] == key else NONE


@kernel
def store(search: Search, ply: int) -> None:
    """Write a finished node into the table, over whatever was there."""
    key, node, bounds = search.hashes[ply], search.nodes[ply], search.bounds[ply]
    entry = np.int64(key >> np.uint64(8)) & (len(search.keys) - 1)
    bound = EXACT
    if bounds[BEST] >= bounds[HIGH]:
        bound = AT_LEAST
    elif bounds[BEST] <= bounds[FIRST_LOW]:
        bound = AT_MOST
    search.keys[entry] = key
    search.values[entry] = bounds[BEST]
    search.notes[entry, 0] = node[BEST_ACTION]
    search.notes[entry, 1] = node[DEPTH]
    search.notes[entry, 2] = bound


@kernel
def settles(search: Search, entry: int, depth: int, low: float, high: float) -> bool:
    """Say whether an entry of the table makes searching its position unnecessary."""
    value, bound = search.values[entry], search.notes[entry, 2]
    if search.notes[entry, 1] < depth and abs(value) < SURELY:
        return False
    return bool(
        bound == EXACT
        or (bound == AT_LEAST and value >= high)
        or (bound == AT_MOST and value <= low)
    )


@kernel
def corrected(search: Search, entry: int, estimate: float) -> float:
    """Return the value that the table knows instead of an estimate that contradicts it."""
    value, bound = float(search.values[entry]), search.notes[entry, 2]
    if abs(value) >= SURELY:
        return estimate
    if bound == AT_LEAST:
        return max(value, estimate)
    return value if bound == EXACT else min(value, estimate)
