"""The champion's search: alpha-beta that spends its states where they matter.

Iterative deepening with a table of positions, moves in a good order (the table's, captures,
killers, moves that have cut elsewhere), null windows after the first move, reduced depth for late
quiet moves, a free move for the enemy where the position is already too good, no quiet moves on
the last plies where the position is hopeless, and captures played out beyond the horizon. Most of
these can be switched off (docs/games/skirmish/champion.md says what each is worth).

The first search is this one without the parts that came later (``tree.FORMER_SWITCHES``).

Every position produced costs one of the budget, those beyond the horizon too. There is no
recursion: a node is entered, its moves are looked into one by one, and its value is taken back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish.agents.champion import tree
from sandtable.games.skirmish.agents.champion.evaluation import Network, evaluate
from sandtable.games.skirmish.layout import MOVER, OVER, PASS

__all__ = ["search_root"]

SLIT = 1e-4  # the width of a window that only asks: better or not?
NO_BETTER = 1e-6  # below a window, so that no rounding takes it for a value inside
FIRST_REDUCED, FIRST_REDUCED_TWICE = 4, 12  # place of a move in the order
FREE_MOVE_COST = 3  # plies less that are looked ahead after a free move
FUTILITY_MARGIN = np.array([0.0, 0.12, 0.25])  # by depth: what a quiet move may gain at most
FAR_AHEAD = np.array([0.0, 0.12, 0.22, 0.32])  # by depth: an estimate so much too good is believed
FEWEST, FEW_BY_DEPTH, FEW_UP_TO = 4, 2, 3  # moves tried where depth is left: 6, 12, 22

# How a node looks into a move: after a free one, with less depth, with a narrow window, in full.
OFFER, FREE, REDUCED, NARROW, IN_FULL = 0, 1, 2, 3, 4
# What is to be done next.
NEXT_MOVE, LOOK_INTO, TAKE_BACK, CLOSE = 0, 1, 2, 3


@kernel
def enter(
    search: tree.Search, network: Network, ply: int, depth: int, low: float, high: float
) -> int:
    """Begin a node; say what is next: its moves, or to take its value back at once."""
    node, bounds, switches = search.nodes[ply], search.bounds[ply], search.numbers[tree.SWITCHES]
    position = search.positions[ply]
    node[tree.DEPTH], node[tree.COUNT], node[tree.TRIED], node[tree.BEST_ACTION] = (
        depth,
        0,
        0,
        tree.NONE,
    )
    node[tree.STAGE] = IN_FULL
    bounds[tree.LOW], bounds[tree.HIGH], bounds[tree.FIRST_LOW], bounds[tree.BEST] = (
        low,
        high,
        low,
        -tree.FAR,
    )
    bounds[tree.LIMIT] = tree.FAR
    if depth <= 0 or ply >= tree.MOST_PLIES:
        return enter_beyond_horizon(search, network, ply)
    again = ply == 0 and search.numbers[tree.REACHED] > 0
    node[tree.TABLE_ACTION] = (
        search.numbers[tree.CHOICE] if again else tree.NONE
    )  # the table may know better
    entry = tree.NONE
    if switches & tree.TABLE:
        search.hashes[ply] = tree.hash_of(position)
        entry = tree.look_up(search, search.hashes[ply])
        if entry != tree.NONE:
            if ply > 0 and tree.settles(search, entry, depth, low, high):
                bounds[tree.BEST] = search.values[entry]
                return TAKE_BACK
            node[tree.TABLE_ACTION] = search.notes[entry, 0]
    if ply > 0 and high - low < 2 * SLIT and abs(low) < tree.SURELY:
        estimate = evaluate(position, position[MOVER], network)
        if switches & tree.AHEAD:
            if entry != tree.NONE:
                estimate = tree.corrected(search, entry, estimate)
            if depth < len(FAR_AHEAD) and estimate - FAR_AHEAD[depth] >= high:
                bounds[tree.BEST] = estimate
                return TAKE_BACK
        if switches & tree.FUTILITY and depth < len(FUTILITY_MARGIN):
            bounds[tree.LIMIT] = estimate + FUTILITY_MARGIN[depth]
        twice = search.nodes[ply - 1, tree.STAGE] == FREE
        if switches & tree.FREE_MOVE and not twice and depth >= 2 and estimate >= high:
            node[tree.STAGE] = OFFER
            return NEXT_MOVE
    tree.list_moves(search, ply)
    return NEXT_MOVE


@kernel
def enter_beyond_horizon(search: tree.Search, network: Network, ply: int) -> int:
    """Begin a node in which the mover stands still, or captures if that is better."""
    node, bounds, position = search.nodes[ply], search.bounds[ply], search.positions[ply]
    bounds[tree.BEST] = evaluate(position, position[MOVER], network)
    bounds[tree.LOW] = max(bounds[tree.LOW], bounds[tree.BEST])
    captures = (
        search.numbers[tree.SWITCHES] & tree.CAPTURES_OUT and node[tree.DEPTH] > -tree.MOST_CAPTURES
    )
    if not captures or bounds[tree.LOW] >= bounds[tree.HIGH]:
        return TAKE_BACK
    tree.list_captures(search, ply)
    return NEXT_MOVE


@kernel
def look_into(search: tree.Search, network: Network, ply: int) -> int:
    """Enter the position after the move a node looks into, with the depth and window for it."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    low, high, stage = bounds[tree.LOW], bounds[tree.HIGH], node[tree.STAGE]
    depth = (
        node[tree.DEPTH] if node[tree.COUNT] == 1 and node[tree.DEPTH] > 0 else node[tree.DEPTH] - 1
    )
    if stage == FREE:
        depth = node[tree.DEPTH] - FREE_MOVE_COST
        return enter(search, network, ply + 1, depth, -high, SLIT - high)
    if stage == IN_FULL:
        return enter(search, network, ply + 1, depth, -high, -low)
    if stage == REDUCED:
        depth -= node[tree.LESS]
    return enter(search, network, ply + 1, depth, -low - SLIT, -low)


@kernel
def next_move(search: tree.Search, dice: NDArray[np.uint64], ply: int) -> int:
    """Play the next move of a node that is worth a state; say what is next."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    while node[tree.STAGE] == OFFER or node[tree.TRIED] < node[tree.COUNT]:
        action = PASS
        if node[tree.STAGE] != OFFER:
            index = node[tree.TRIED]
            action = tree.take_best(search, ply, index, node[tree.COUNT])
            node[tree.TRIED] += 1
            node[tree.STAGE], node[tree.LESS] = stage_of(search, ply, index)
            quiet = search.ranks[ply, index] < tree.CAPTURE_RANK
            if index > 0 and quiet and bounds[tree.LIMIT] <= bounds[tree.LOW]:
                bounds[tree.BEST] = max(bounds[tree.BEST], bounds[tree.LIMIT])
                continue
            if search.numbers[tree.SWITCHES] & tree.FEW_MOVES and is_late(search, ply, index):
                bounds[tree.BEST] = max(bounds[tree.BEST], bounds[tree.LOW] - NO_BETTER)
                continue
        if not tree.pay(search):
            return CLOSE
        node[tree.ACTION] = action
        tree.play(search, ply, action, dice)
        after = search.positions[ply + 1]
        if node[tree.STAGE] != OFFER:
            if after[MOVER] != OVER:
                return LOOK_INTO
            node[tree.STAGE] = IN_FULL
            seat = search.positions[ply, MOVER]
            search.bounds[ply + 1, tree.BEST] = tree.final_value(after, ply + 1, seat)
            return TAKE_BACK
        if after[MOVER] != OVER:
            node[tree.STAGE] = FREE
            return LOOK_INTO
        node[tree.STAGE] = IN_FULL
        tree.list_moves(search, ply)
    return CLOSE


@kernel
def is_late(search: tree.Search, ply: int, index: int) -> bool:
    """Say whether so many moves were tried close to the horizon that a quiet one is left out.

    Only where it is asked whether a move is better; nobody has to see that a game is lost there.
    """
    depth, bounds = search.nodes[ply, tree.DEPTH], search.bounds[ply]
    if depth <= 0 or depth > FEW_UP_TO or search.ranks[ply, index] >= tree.KILLER_RANK:
        return False
    asked = bounds[tree.HIGH] - bounds[tree.LOW] < 2 * SLIT and abs(bounds[tree.LOW]) < tree.SURELY
    return bool(asked and index >= FEWEST + FEW_BY_DEPTH * depth * depth)


@kernel
def stage_of(search: tree.Search, ply: int, index: int) -> tuple[int, int]:
    """Say how a move is looked into at first, and with how many plies less."""
    depth = search.nodes[ply, tree.DEPTH]
    if index == 0 or depth <= 0:
        return IN_FULL, 0
    late = index >= FIRST_REDUCED and search.ranks[ply, index] < tree.KILLER_RANK
    if not late or depth < 2 or not search.numbers[tree.SWITCHES] & tree.REDUCE:
        return NARROW, 0
    return REDUCED, 2 if index >= FIRST_REDUCED_TWICE and depth >= 3 else 1


@kernel
def take_back(search: tree.Search, ply: int) -> int:
    """Take the value of the ply after into a node; say what is next."""
    node, bounds = search.nodes[ply], search.bounds[ply]
    value, stage = -search.bounds[ply + 1, tree.BEST], node[tree.STAGE]
    if stage == FREE:
        if value >= bounds[tree.HIGH]:
            bounds[tree.BEST] = value
            return TAKE_BACK
        node[tree.STAGE] = IN_FULL
        tree.list_moves(search, ply)
        return NEXT_MOVE
    if stage == REDUCED and value > bounds[tree.LOW]:
        node[tree.STAGE] = NARROW
        return LOOK_INTO
    if stage == NARROW and bounds[tree.LOW] < value < bounds[tree.HIGH]:
        node[tree.STAGE] = IN_FULL
        return LOOK_INTO
    if value > bounds[tree.BEST]:
        bounds[tree.BEST] = value
        node[tree.BEST_ACTION] = node[tree.ACTION]
        if ply == 0:
            search.numbers[tree.CHOICE] = node[tree.ACTION]
    bounds[tree.LOW] = max(bounds[tree.LOW], value)
    if bounds[tree.LOW] >= bounds[tree.HIGH]:
        tree.remember_cut(search, ply)
        return CLOSE
    return NEXT_MOVE


@kernel
def iterate(search: tree.Search, network: Network, dice: NDArray[np.uint64], depth: int) -> float:
    """Search the root so many plies deep and return its value, if the budget lasts."""
    numbers = search.numbers
    ply = int(np.int64(0))  # a plain 0 would be a type of its own and compile everything twice
    todo = enter(search, network, ply, depth, -tree.FAR, tree.FAR)
    while numbers[tree.STOPPED] == 0:
        if todo == NEXT_MOVE:
            todo = next_move(search, dice, ply)
            if todo == TAKE_BACK:  # a finished game in the ply after
                todo = take_back(search, ply)
        elif todo == LOOK_INTO:
            todo = look_into(search, network, ply)
            ply += 1
        else:
            if (
                todo == CLOSE
                and search.nodes[ply, tree.DEPTH] > 0
                and numbers[tree.SWITCHES] & tree.TABLE
            ):
                tree.store(search, ply)
            if ply == 0:
                break
            ply -= 1
            todo = take_back(search, ply)
    return float(search.bounds[0, tree.BEST])


@kernel
def search_root(
    search: tree.Search,
    network: Network,
    dice: NDArray[np.uint64],
    root: NDArray[np.int16],
    budget: int,
) -> float:
    """Search deeper and deeper to the end of the budget; return the value of the root.

    The move is in ``search.numbers``. What an unfinished iteration has found counts, since it
    begins with the best move of the one before.
    """
    count = tree.prepare(search, root, budget)
    value = evaluate(root, root[MOVER], network)
    if count == 1:
        return value
    for depth in range(1, tree.MOST_PLIES):
        iteration_value = iterate(search, network, dice, depth)
        if search.numbers[tree.STOPPED] == 1:
            break
        value = iteration_value
        search.numbers[tree.REACHED] = depth
        if value > tree.SURELY:
            break
    return value
