"""The leaves of a search of Deep-State Learning that wait for the network, in batches.

Which leaves a batch has besides the one that is needed next is a guess of what the search will look
at. It costs time if it is wrong, but never changes what the search finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish.agents.dsl import tree
from sandtable.games.skirmish.layout import PASS, POSITION_SIZE
from sandtable.games.skirmish.planes import encode

__all__ = ["collect", "encode_wanted", "supply"]


@kernel
def want(search: tree.BatchSearch, position: NDArray[np.int16]) -> None:
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
def want_children(
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
            want(search, child)


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
    want_children(search, search.positions[ply], search.moves[ply], first, count, room, dice)
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
            want_children(search, sister, moves, 0, count, room, dice)


@kernel
def encode_wanted(search: tree.BatchSearch, planes: NDArray[np.float32]) -> None:
    """Write the positions that wait for the network as planes [position, 6, 8, 8]."""
    for index in range(search.numbers[tree.WANTED]):
        encode(search.wanted[index], search.numbers[tree.SEAT], planes[index])


@kernel
def supply(search: tree.BatchSearch, values: NDArray[np.floating[Any]]) -> None:
    """Take in the values of all positions that were waiting."""
    numbers = search.numbers
    for index in range(numbers[tree.WANTED]):
        search.values[search.entries[index]] = values[index]
    numbers[tree.VALUED] += numbers[tree.WANTED]
    numbers[tree.WANTED] = 0
    numbers[tree.STATUS] = tree.RUNNING
