"""How many moves a position of Operation Lucid allows.

A whole move is a multiset of movelets: how many units take each edge. Units of one colour look
alike, so many of them lead to the same placement; both numbers are of interest (the report gives
60,112 placements from the start). The nodes choose one after the other, and equal half-made
placements are merged at once with the number of ways to reach them, so that ten million multisets
cost no more than the placements they lead to.

A half-made placement is one 64-bit number, two bits a node and four for the goal: of a node that
has chosen, all units there; of one that has not, only those that have arrived so far. Neither can
exceed three in a legal move.
"""

from __future__ import annotations

import itertools

import numpy as np

from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.notation import LucidNotation
from sandtable.games.lucid.rules import Integers
from sandtable.types import Position, TurnCounts

__all__ = ["count_turns"]

MOST_PLACEMENTS = 20_000_000
BITS_PER_NODE = 2


def count_turns(position: Position) -> TurnCounts:
    """Count the placements and the multisets of movelets the mover can choose from.

    SandtableError if there are more than MOST_PLACEMENTS. With two units on a1, in a game in which
    nobody else is left, both can stay, go north or go east, or each of them does something else:

    >>> count_turns(LucidNotation().parse_position("5/5/5/5/b2,4 b 20 4 -"))
    TurnCounts(results=6, actions=6)
    """
    if position[rules.MOVER] == rules.OVER:
        return TurnCounts(results=0, actions=0)
    own = position[rules.own_board(int(position[rules.MOVER])) :][: rules.NODES]
    placements = np.zeros(1, dtype=np.int64)  # [placement] packed as described above
    ways = np.ones(1, dtype=np.int64)  # [placement] multisets that lead to it
    for node in range(rules.NODES):
        if own[node]:
            placements, ways = choose_for_node(position, node, int(own[node]), placements, ways)
        if len(placements) > MOST_PLACEMENTS:
            line = LucidNotation().position_line(position)
            raise SandtableError(f"more than {MOST_PLACEMENTS:,} placements from {line}")
    return TurnCounts(results=len(placements), actions=int(ways.sum()))


def choose_for_node(
    position: Position, node: int, units: int, placements: Integers, ways: Integers
) -> tuple[Integers, Integers]:
    """Let the units of one node leave in every possible way, and merge what comes out equal."""
    results, result_ways = [], []
    for leaving in splits(position, node):
        placed = placements
        possible = np.ones(len(placed), dtype=np.bool_)
        stay = units - sum(leaving.values())
        for where, count in [(node, stay), *leaving.items()]:
            if where != rules.TO_GOAL:
                there = (placed >> (BITS_PER_NODE * where)) & rules.CAPACITY
                possible &= there + count <= rules.CAPACITY
            placed = placed + (count << (BITS_PER_NODE * where))
        results.append(placed[possible])
        result_ways.append(ways[possible])
    merged, index = np.unique(np.concatenate(results), return_inverse=True)
    totals = np.zeros(len(merged), dtype=np.int64)
    np.add.at(totals, index, np.concatenate(result_ways))
    return merged, totals


def splits(position: Position, node: int) -> list[dict[int, int]]:
    """Return every way in which the movable units of a node can leave, as {destination: units}."""
    limit = int(rules.movable(position, node))
    edges = rules.DESTINATION[node * rules.DIRECTIONS : (node + 1) * rules.DIRECTIONS]
    destinations = [
        int(destination)
        for destination in edges
        if destination != rules.NOWHERE
        and not (destination == rules.TO_GOAL and position[rules.MOVER] == rules.RED_SEAT)
    ]
    choices = itertools.product(range(limit + 1), repeat=len(destinations))
    return [
        dict(zip(destinations, counts, strict=True)) for counts in choices if sum(counts) <= limit
    ]
