"""The champion's search: alpha-beta that spends its states where they matter.

Iterative deepening with a table of positions, moves in a good order (the table's, captures,
killers, moves that have cut elsewhere), null windows after the first move, reduced depth for late
quiet moves, a free move for the enemy where the position is already too good, no quiet moves on
the last plies where the position is hopeless, and captures played out beyond the horizon. Most of
these can be switched off (docs/games/skirmish/champion.md says what each is worth).

Every position produced costs one of the budget, those beyond the horizon too. There is no
recursion: a node is entered, its moves are looked into one by one, and its value is taken back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish.agents.champion.evaluation import Network, evaluate
from sandtable.games.skirmish.agents.champion.tree import (
    ACTION,
    BEST,
    BEST_ACTION,
    CAPTURE_RANK,
    CAPTURES_OUT,
    CHOICE,
    COUNT,
    DEPTH,
    FAR,
    FIRST_LOW,
    FREE_MOVE,
    FUTILITY,
    HIGH,
    KILLER_RANK,
    LESS,
    LIMIT,
    LOW,
    MOST_CAPTURES,
    MOST_PLIES,
    NONE,
    REACHED,
    REDUCE,
    STAGE,
    STOPPED,
    SURELY,
    SWITCHES,
    TABLE,
    TABLE_ACTION,
    TRIED,
    Search,
    final_value,
    hash_of,
    list_captures,
    list_moves,
    look_up,
    pay,
    play,
    prepare,
    remember_cut,
    settles,
    store,
    take_best,
)
from sandtable.games.skirmish.layout import MOVER, OVER, PASS

__all__ = ["think"]

SLIT = 1e-4  # the width of a window that only asks: better or not?
FIRST_REDUCED, FIRST_REDUCED_TWICE = 4, 12  # place of a move in the order
FREE_MOVE_COST = 3  # plies less that are looked ahead after a free move
FUTILITY_MARGIN = np.array([0.0, 0.12, 0.25])  # by depth: what a quiet move may gain at most

# How a node looks into a move: after a free one, with less depth, with a narrow window, in full.
OFFER, FREE, REDUCED, NARROW, IN_FULL = 0, 1, 2, 3, 4
# What is to be done next.
NEXT_MOVE, LOOK_INTO, TAKE_BACK, CLOSE = 0, 1, 2, 3


@kernel
def enter(search: Search, network: Network, ply: int, depth: int, low: float, high: float) -> int:
    """Begin a node; say what is next: its moves, or to take its value back at once."""
    node, bounds, switches = search.nodes[ply], search.bounds[ply], search.numbers[SWITCHES]
    position = search.positions[ply]
    node[DEPTH], node[COUNT], node[TRIED], node[BEST_ACTION] = depth, 0, 0, NONE
    node[STAGE] = IN_FULL
    bounds[LOW], bounds[HIGH], bounds[FIRST_LOW], bounds[BEST] = low, high, low, -FAR
    bounds[LIMIT] = FAR
    if depth <= 0 or ply >= MOST_PLIES:
        return enter_beyond_horizon(search, network, ply)
    again = ply == 0 and search.numbers[REACHED] > 0
    node[TABLE_ACTION] = search.numbers[CHOICE] if again else NONE  # the table may know better
    if switches & TABLE:
        search.hashes[ply] = hash_of(position)
        entry = look_up(search, search.hashes[ply])
        if entry != NONE:
            if ply > 0 and settles(search, entry, depth, low, high):
                bounds[BEST] = search.values[entry]
                return TAKE_BACK
            node[TABLE_ACTION] = search.notes[entry, 0]
    if ply > 0 and high - low < 2 * SLIT and abs(low) < SURELY:
        estimate = evaluate(position, position[MOVER], network)
        if switches & FUTILITY and depth < len(FUTILITY_MARGIN):
            bounds[LIMIT] = estimate + FUTILITY_MARGIN[depth]
        twice = search.nodes[ply - 1, STAGE] == FREE
        if switches & FREE_MOVE and not twice and depth >= 2 and estimate >= high:
            node[STAGE] = OFFER
            return NEXT_MOVE
    list_moves(search, ply)
    return NEXT_MOVE


@kernel
def enter_beyond_horizon(search: Search, network: Network, ply: int) -> int:
    """Begin a node in which the mover stands still, or captures if that is better."""
    node, bounds, position = search.nodes[ply], search.bounds[ply], search.positions[ply]
    bounds[BEST] = evaluate(position, position[MOVER], network)
    bounds[LOW] = max(bounds[LOW], bounds[BEST])
    captures = search.numbers[SWITCHES] & CAPTURES_OUT and node[DEPTH] > -MOST_CAPTURES
    if not captures or bounds[LOW] >= bounds[HIGH]:
        return TAKE_BACK
    list_captures(search, ply)
    return NEXT_MOVE


@kernel
def look_into(search: Search, network: Network, ply: int) -> int:
    """Enter the position after the move a node looks into, with the depth and window for it."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    low, high, stage = bounds[LOW], bounds[HIGH], node[STAGE]
    depth = node[DEPTH] if node[COUNT] == 1 and node[DEPTH] > 0 else node[DEPTH] - 1
    if stage == FREE:
        depth = node[DEPTH] - FREE_MOVE_COST
        return enter(search, network, ply + 1, depth, -high, SLIT - high)
    if stage == IN_FULL:
        return enter(search, network, ply + 1, depth, -high, -low)
    if stage == REDUCED:
        depth -= node[LESS]
    return enter(search, network, ply + 1, depth, -low - SLIT, -low)


@kernel
def next_move(search: Search, dice: NDArray[np.uint64], ply: int) -> int:
    """Play the next move of a node that is worth a state; say what is next."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    while node[STAGE] == OFFER or node[TRIED] < node[COUNT]:
        action = PASS
        if node[STAGE] != OFFER:
            index = node[TRIED]
            action = take_best(search, ply, index, node[COUNT])
            node[TRIED] += 1
            node[STAGE], node[LESS] = stage_of(search, ply, index)
            quiet = search.ranks[ply, index] < CAPTURE_RANK
            if index > 0 and quiet and bounds[LIMIT] <= bounds[LOW]:
                bounds[BEST] = max(bounds[BEST], bounds[LIMIT])
                continue
        if not pay(search):
            return CLOSE
        node[ACTION] = action
        play(search, ply, action, dice)
        after = search.positions[ply + 1]
        if node[STAGE] != OFFER:
            if after[MOVER] != OVER:
                return LOOK_INTO
            node[STAGE] = IN_FULL
            seat = search.positions[ply, MOVER]
            search.bounds[ply + 1, BEST] = final_value(after, ply + 1, seat)
            return TAKE_BACK
        if after[MOVER] != OVER:
            node[STAGE] = FREE
            return LOOK_INTO
        node[STAGE] = IN_FULL
        list_moves(search, ply)
    return CLOSE


@kernel
def stage_of(search: Search, ply: int, index: int) -> tuple[int, int]:
    """Say how a move is looked into at first, and with how many plies less."""
    depth = search.nodes[ply, DEPTH]
    if index == 0 or depth <= 0:
        return IN_FULL, 0
    late = index >= FIRST_REDUCED and search.ranks[ply, index] < KILLER_RANK
    if not late or depth < 2 or not search.numbers[SWITCHES] & REDUCE:
        return NARROW, 0
    return REDUCED, 2 if index >= FIRST_REDUCED_TWICE and depth >= 3 else 1


@kernel
def take_back(search: Search, ply: int) -> int:
    """Take the value of the ply after into a node; say what is next."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    value, stage = -search.bounds[ply + 1, BEST], node[STAGE]
    if stage == FREE:
        if value >= bounds[HIGH]:
            bounds[BEST] = value
            return TAKE_BACK
        node[STAGE] = IN_FULL
        list_moves(search, ply)
        return NEXT_MOVE
    if stage == REDUCED and value > bounds[LOW]:
        node[STAGE] = NARROW
        return LOOK_INTO
    if stage == NARROW and bounds[LOW] < value < bounds[HIGH]:
        node[STAGE] = IN_FULL
        return LOOK_INTO
    if value > bounds[BEST]:
        bounds[BEST] = value
        node[BEST_ACTION] = node[ACTION]
        if ply == 0:
            search.numbers[CHOICE] = node[ACTION]
    bounds[LOW] = max(bounds[LOW], value)
    if bounds[LOW] >= bounds[HIGH]:
        remember_cut(search, ply)
        return CLOSE
    return NEXT_MOVE


@kernel
def iterate(search: Search, network: Network, dice: NDArray[np.uint64], depth: int) -> float:
    """Search the root so many plies deep and return its value, if the budget lasts."""
    numbers = search.numbers
    ply = int(np.int64(0))  # a plain 0 would be a type of its own and compile everything twice
    todo = enter(search, network, ply, depth, -FAR, FAR)
    while numbers[STOPPED] == 0:
        if todo == NEXT_MOVE:
            todo = next_move(search, dice, ply)
            if todo == TAKE_BACK:  # a finished game in the ply after
                todo = take_back(search, ply)
        elif todo == LOOK_INTO:
            todo = look_into(search, network, ply)
            ply += 1
        else:
            if todo == CLOSE and search.nodes[ply, DEPTH] > 0 and numbers[SWITCHES] & TABLE:
                store(search, ply)
            if ply == 0:
                break
            ply -= 1
            todo = take_back(search, ply)
    return float(search.bounds[0, BEST])


@kernel
def think(
    search: Search,
    network: Network,
    dice: NDArray[np.uint64],
    root: NDArray[np.int16],
    budget: int,
) -> float:
    """Search deeper and deeper to the end of the budget; return the value of the root.

    The move is in ``search.numbers``. What an unfinished iteration has found counts, since it
    begins with the best move of the one before.
    """
    count = prepare(search, root, budget)
    value = evaluate(root, root[MOVER], network)
    if count == 1:
        return value
    for depth in range(1, MOST_PLIES):
        found = iterate(search, network, dice, depth)
        if search.numbers[STOPPED] == 1:
            break
        value = found
        search.numbers[REACHED] = depth
        if value > SURELY:
            break
    return value
