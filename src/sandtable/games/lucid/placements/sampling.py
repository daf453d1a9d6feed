"""Counting and drawing moves of Operation Lucid under demands, without listing them.

The nodes choose in order, as in search.py. Once all neighbours of a node have chosen,
the number of units on it matters no more than for the areas it belongs to; so half-made moves that
agree on the nodes still open, and on what each area has got, can be counted together. From the
last node back every such state learns how many whole moves go on from it, and a walk from the
first node that follows these numbers draws each move, a multiset of movelets, equally often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import uniform
from sandtable.games.lucid.placements.search import (
    GOAL_SHIFT,
    MOST_SPLITS,
    defended_nodes,
    merged,
    potentials,
    splits,
    units_in,
)
from sandtable.games.lucid.rules import (
    DESTINATION,
    DIRECTIONS,
    MOVER,
    NODES,
    Cells,
    DiceState,
    Integers,
    own_board,
)

__all__ = ["MOST_AREAS", "Demands", "Lattice", "build_lattice", "draw_moves"]

MOST_AREAS = 16  # four bits each for what an area has got
AREA_BITS = 4
NODE_BITS = np.int64((1 << GOAL_SHIFT) - 1)
NO_STATE = -1
NOT_YET = 1 << 62  # where a layer begins that is still to come
FIRST_ROOM = 1024
SCATTER_CODE = np.uint64(0x9E3779B97F4A7C15)
SCATTER_GOT = np.uint64(0xC2B2AE3D27D4EB4F)
SCATTER_SHIFT = np.uint64(32)


class Lattice(NamedTuple):
    """Everything the walks need: the layers of half-made moves, one for each node with units."""

    nodes: Integers  # [layer] the node that chooses
    begins: Integers  # [layer + 2] where its states begin; the last layer is the end
    split_counts: Integers  # [layer]
    splits: Integers  # [layer, split] what it adds to a code, without marks of entry
    open_nodes: Integers  # [layer] bits of the nodes that still change after it
    potential: Integers  # [layer, area] units that later nodes could bring
    codes: Integers  # [state] units on open nodes
    got: Integers  # [state] four bits an area: its units on closed nodes, up to the demand
    moves: Integers  # [state] whole moves that go on from here
    table: Integers  # hash table of the states of all layers


class Demands(NamedTuple):
    """The demands as arrays."""

    fields: Integers  # [area] the bits of its nodes
    with_goal: NDArray[np.bool_]  # [area]
    minimum: Integers  # [area]


@kernel
def slot_of(table: Integers, layer: int, code: int, got: int) -> int:
    """Return where in the table the search for a state begins."""
    mixed = np.uint64(code) * SCATTER_CODE ^ np.uint64(got + layer) * SCATTER_GOT
    return int(np.int64((mixed * SCATTER_CODE) >> SCATTER_SHIFT) & (len(table) - 1))


@kernel
def find(lattice: Lattice, layer: int, code: int, got: int) -> int:
    """Return the number of a state of a layer, or NO_STATE."""
    slot = slot_of(lattice.table, layer, code, got)
    while lattice.table[slot] != NO_STATE:
        state = lattice.table[slot]
        same = lattice.codes[state] == code and lattice.got[state] == got
        if same and lattice.begins[layer] <= state < lattice.begins[layer + 1]:
            return int(state)
        slot = (slot + 1) & (len(lattice.table) - 1)
    return NO_STATE


@kernel
def put(lattice: Lattice, layer: int, state: int) -> None:
    """Enter a state into the hash table."""
    slot = slot_of(lattice.table, layer, lattice.codes[state], lattice.got[state])
    while lattice.table[slot] != NO_STATE:
        slot = (slot + 1) & (len(lattice.table) - 1)
    lattice.table[slot] = state


@kernel
def doubled(lattice: Lattice, layers: int, count: int) -> Lattice:
    """Return the same lattice with twice the room."""
    room = 2 * len(lattice.codes)
    larger = Lattice(
        lattice.nodes,
        lattice.begins,
        lattice.split_counts,
        lattice.splits,
        lattice.open_nodes,
        lattice.potential,
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.full(2 * room, NO_STATE, dtype=np.int64),
    )
    layer = 0
    for state in range(count):
        while layer < layers and state >= lattice.begins[layer + 1]:
            layer += 1
        larger.codes[state] = lattice.codes[state]
        larger.got[state] = lattice.got[state]
        put(larger, layer, state)
    return larger


@kernel
def step(lattice: Lattice, demands: Demands, layer: int, state: int, way: int) -> tuple[int, int]:
    """Return code and areas of the state that a split leads to; NO_STATE if it cannot be made.

    Units on nodes that are closed by it, and in the goal, are booked to their areas.
    """
    code = merged(lattice.codes[state], lattice.splits[layer, way])
    if code == NO_STATE:
        return NO_STATE, 0
    goal = code >> GOAL_SHIFT
    closed = code & ~lattice.open_nodes[layer] & NODE_BITS
    code &= lattice.open_nodes[layer]
    got = lattice.got[state]
    for area in range(len(demands.minimum)):
        here = (got >> (AREA_BITS * area)) & 15
        more = units_in(closed, demands.fields[area])
        if demands.with_goal[area]:
            more += goal
        still = units_in(code, demands.fields[area]) + lattice.potential[layer, area]
        if here + more + still < demands.minimum[area]:
            return NO_STATE, 0
        booked = min(here + more, demands.minimum[area])
        got += np.int64(booked - here) << (AREA_BITS * area)
    return int(code), int(got)


@kernel
def open_after(position: Cells, node: int) -> int:
    """Return the bits of the nodes whose units can still change after a node has chosen."""
    own = own_board(position[MOVER])
    bits = np.int64(0)
    for later in range(node + 1, NODES):
        if position[own + later] == 0:
            continue
        bits |= np.int64(3) << (2 * later)
        for direction in range(DIRECTIONS):
            destination = int(DESTINATION[later * DIRECTIONS + direction])
            if 0 <= destination < NODES:
                bits |= np.int64(3) << (2 * destination)
    return int(bits)


@kernel
def empty_lattice(position: Cells, demands: Demands) -> Lattice:
    """Lay out the layers; the first holds the one move in which nobody has chosen yet."""
    own = own_board(position[MOVER])
    areas = len(demands.minimum)
    after = np.zeros((NODES, areas), dtype=np.int64)
    potentials(position, demands.fields, demands.with_goal, after)
    layers = 0
    for node in range(NODES):
        layers += position[own + node] > 0
    lattice = Lattice(
        np.zeros(layers, dtype=np.int64),
        np.full(layers + 2, NOT_YET, dtype=np.int64),
        np.zeros(layers, dtype=np.int64),
        np.zeros((layers, MOST_SPLITS), dtype=np.int64),
        np.zeros(layers, dtype=np.int64),
        np.zeros((layers, areas), dtype=np.int64),
        np.zeros(FIRST_ROOM, dtype=np.int64),
        np.zeros(FIRST_ROOM, dtype=np.int64),
        np.zeros(FIRST_ROOM, dtype=np.int64),
        np.full(2 * FIRST_ROOM, NO_STATE, dtype=np.int64),
    )
    no_marks = np.zeros(NODES, dtype=np.int64)
    layer = 0
    for node in range(NODES):
        if position[own + node] == 0:
            continue
        lattice.nodes[layer] = node
        lattice.split_counts[layer] = splits(position, node, no_marks, lattice.splits[layer])
        lattice.open_nodes[layer] = open_after(position, node)
        for area in range(areas):
            lattice.potential[layer, area] = after[node, area]
        layer += 1
    return lattice


@kernel
def build_lattice(position: Cells, demands: Demands) -> Lattice:
    """Go through the nodes once forth, to find the states, and once back, to count the moves.

    ``moves[0]`` is then the number of all moves that meet the demands.
    """
    lattice = empty_lattice(position, demands)
    layers = len(lattice.nodes)
    count = 1
    lattice.begins[0], lattice.begins[1] = 0, 1
    put(lattice, 0, 0)
    for layer in range(layers):
        for state in range(lattice.begins[layer], lattice.begins[layer + 1]):
            for way in range(lattice.split_counts[layer]):
                code, got = step(lattice, demands, layer, state, way)
                if code == NO_STATE or find(lattice, layer + 1, code, got) != NO_STATE:
                    continue
                if count == len(lattice.codes):
                    lattice = doubled(lattice, layer + 1, count)
                lattice.codes[count] = code
                lattice.got[count] = got
                put(lattice, layer + 1, count)
                count += 1
        lattice.begins[layer + 2] = count
    for state in range(lattice.begins[layers], lattice.begins[layers + 1]):
        lattice.moves[state] = 1
    for layer in range(layers - 1, -1, -1):
        for state in range(lattice.begins[layer], lattice.begins[layer + 1]):
            for way in range(lattice.split_counts[layer]):
                code, got = step(lattice, demands, layer, state, way)
                if code != NO_STATE:
                    lattice.moves[state] += lattice.moves[find(lattice, layer + 1, code, got)]
    return lattice


@kernel
def draw_moves(
    position: Cells, demands: Demands, lattice: Lattice, dice: DiceState, codes: Integers
) -> None:
    """Fill ``codes`` with the placements of moves drawn uniformly; there must be some."""
    marks = np.zeros(NODES, dtype=np.int64)
    defended_nodes(position, marks)
    marked = np.zeros((len(lattice.nodes), MOST_SPLITS), dtype=np.int64)
    for layer in range(len(lattice.nodes)):
        splits(position, lattice.nodes[layer], marks, marked[layer])
    for number in range(len(codes)):
        placement = 0
        state = 0
        for layer in range(len(lattice.nodes)):
            left = np.int64(uniform(dice) * lattice.moves[state])
            for way in range(lattice.split_counts[layer]):
                code, got = step(lattice, demands, layer, state, way)
                if code == NO_STATE:
                    continue
                following = find(lattice, layer + 1, code, got)
                left -= lattice.moves[following]
                if left < 0:
                    placement = merged(placement, marked[layer, way])
                    state = following
                    break
        codes[number] = placement
