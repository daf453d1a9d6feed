"""From a placement of Operation Lucid to the movelets that lead there, as kernels.

Which unit goes where is a matching of units and places, found by augmenting paths: a unit too many
on one node takes the place of another, that one of the next, until a node is reached that wants one
more. The steps are then put in an order in which no node is ever overfull: whoever stands in the
way moves first. Units that only change places round a loop stay where they are instead.

Movelets that somebody else thought of, an expert in another position or the orders of the semantic
agent, are made playable by ``playable_movelets``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid import rules
from sandtable.games.lucid.placements.search import GOAL_SHIFT, defended_nodes
from sandtable.games.lucid.rules import Integers
from sandtable.types import Position

__all__ = ["playable_movelets", "route", "units_on", "write_movelets"]

PLACES = rules.NODES + 1  # the nodes and the goal
NOT_SEEN = -1
FROM_NOWHERE = -2

# What a unit may do is a way: its node * 5 + direction, where the fifth direction is to stay.
STAY = rules.DIRECTIONS
CHOICES = rules.DIRECTIONS + 1
WAYS = rules.NODES * CHOICES


def way_ends() -> Integers:
    """Build the table of where each way ends: a place, or NOWHERE."""
    table = np.empty(WAYS, dtype=np.int64)
    for way in range(WAYS):
        node, direction = divmod(way, CHOICES)
        table[way] = (
            node if direction == STAY else rules.DESTINATION[node * rules.DIRECTIONS + direction]
        )
    return table


def ways_into() -> Integers:
    """Build the table of the ways that end in each place, filled up with NOWHERE."""
    table = np.full((PLACES, CHOICES), rules.NOWHERE, dtype=np.int64)
    for place in range(PLACES):
        ways = np.flatnonzero(way_ends() == place)
        table[place, : len(ways)] = ways
    return table


END_OF = way_ends()  # [125] int64, by way
WAYS_INTO = ways_into()  # [26, 5] int64, by place


@kernel
def find_path(
    source: int, surplus: Integers, taken: Integers, closed: NDArray[np.bool_], steps: Integers
) -> int:
    """Search outwards from a place with a unit too many for the nearest that wants one.

    ``steps`` [place, 2] holds for every place found the way that leads there and the way the same
    unit was to take until then. Returns the place, or NOWHERE.
    """
    queue = np.empty(PLACES, dtype=np.int64)
    for place in range(PLACES):
        steps[place, 0] = NOT_SEEN
    steps[source, 0] = FROM_NOWHERE
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        place = queue[head]
        head += 1
        if surplus[place] < 0:
            return int(place)
        for choice in range(CHOICES):
            old = WAYS_INTO[place, choice]
            if old == rules.NOWHERE or taken[old] <= 0:
                continue
            first = old - old % CHOICES
            for new in range(first, first + CHOICES):
                other = END_OF[new]
                if other == rules.NOWHERE or steps[other, 0] != NOT_SEEN:
                    continue
                if closed[other] and new - first != STAY:
                    continue
                steps[other, 0], steps[other, 1] = new, old
                queue[tail] = other
                tail += 1
    return rules.NOWHERE


@kernel
def route(position: NDArray[np.int16], code: int, flow: Integers) -> bool:
    """Find how many units take each edge to reach a placement; say whether it can be reached.

    Nodes the mover defends are not entered unless the placement says so.
    """
    own = rules.own_board(position[rules.MOVER])
    marks = np.zeros(rules.NODES, dtype=np.int64)
    defended_nodes(position, marks)
    taken = np.zeros(WAYS, dtype=np.int64)  # units free to choose, by the way they take
    surplus = np.zeros(PLACES, dtype=np.int64)
    closed = np.zeros(PLACES, dtype=np.bool_)
    steps = np.empty((PLACES, 2), dtype=np.int64)
    total = 0
    for node in range(rules.NODES):
        taken[node * CHOICES + STAY] = rules.movable(position, node)
        surplus[node] = position[own + node] - ((code >> (2 * node)) & 3)
        closed[node] = marks[node] != 0 and (code & marks[node]) == 0
        total += surplus[node]
    surplus[rules.TO_GOAL] = -((code >> GOAL_SHIFT) & 15)
    closed[rules.TO_GOAL] = position[rules.MOVER] != rules.BLUE_SEAT
    if total + surplus[rules.TO_GOAL] != 0:
        return False
    for source in range(rules.NODES):
        while surplus[source] > 0:
            target = find_path(source, surplus, taken, closed, steps)
            if target == rules.NOWHERE:
                return False
            surplus[source] -= 1
            surplus[target] += 1
            while target != source:  # each unit takes the place of the next
                taken[steps[target, 0]] += 1
                taken[steps[target, 1]] -= 1
                target = END_OF[steps[target, 1]]
    for action in range(rules.END):
        flow[action] = taken[action // rules.DIRECTIONS * CHOICES + action % rules.DIRECTIONS]
    return True


@kernel
def open_loop(flow: Integers, settled: NDArray[np.bool_]) -> None:
    """Take one unit out of a loop of steps among the nodes that are not settled."""
    path = np.empty(rules.NODES + 1, dtype=np.int64)
    visited = np.full(rules.NODES, NOT_SEEN, dtype=np.int64)
    node = 0
    while settled[node]:
        node += 1
    length = 0
    while visited[node] == NOT_SEEN:
        visited[node] = length
        for direction in range(rules.DIRECTIONS):
            action = node * rules.DIRECTIONS + direction
            destination = int(rules.DESTINATION[action])
            if flow[action] > 0 and destination < rules.NODES and not settled[destination]:
                path[length] = action
                length += 1
                node = destination
                break
    for index in range(visited[node], length):
        flow[path[index]] -= 1


@kernel
def write_movelets(flow: Integers, actions: NDArray[np.int16]) -> int:
    """Write the movelets in a legal order, closed by END; return how many actions there are.

    A node's units leave when those on all nodes they go to have left. Loops are opened, which
    changes ``flow``.
    """
    settled = np.zeros(rules.NODES, dtype=np.bool_)
    count, done = 0, 0
    while done < rules.NODES:
        before = done
        for node in range(rules.NODES):
            if settled[node]:
                continue
            waits = False
            for direction in range(rules.DIRECTIONS):
                action = node * rules.DIRECTIONS + direction
                destination = int(rules.DESTINATION[action])
                if flow[action] > 0 and destination < rules.NODES and not settled[destination]:
                    waits = True
            if waits:
                continue
            for action in range(node * rules.DIRECTIONS, (node + 1) * rules.DIRECTIONS):
                for _ in range(flow[action]):
                    actions[count] = action
                    count += 1
            settled[node] = True
            done += 1
        if done == before:
            open_loop(flow, settled)
    actions[count] = rules.END
    return count + 1


def playable_movelets(position: Position, movelets: Sequence[int]) -> list[int]:
    """Return those of the movelets that the mover can make here, in a legal order, without END."""
    return in_legal_order(possible_movelets(position, movelets))


def possible_movelets(position: Position, movelets: Sequence[int]) -> list[int]:
    """Return those of the movelets that the mover can make here, in the same order.

    A unit moves once, so each node has only those that stood there. If a node is overfull
    afterwards, the first movelets into it are cancelled until it is not; a unit that stays for that
    reason may overfill its own node in turn.
    """
    free = {node: int(rules.movable(position, node)) for node in range(rules.NODES)}
    units = Counter({node: units_on(position, node) for node in range(rules.NODES)})
    kept: list[int] = []
    for movelet in movelets:
        node, end = movelet // rules.DIRECTIONS, int(rules.DESTINATION[movelet])
        if free[node] > 0:
            free[node] -= 1
            units[node] -= 1
            units[end] += 1
            kept.append(movelet)
    while True:
        overfull = [
            movelet
            for movelet in kept
            if rules.DESTINATION[movelet] != rules.TO_GOAL
            and units[int(rules.DESTINATION[movelet])] > rules.CAPACITY
        ]
        if not overfull:
            return kept
        kept.remove(overfull[0])
        units[int(rules.DESTINATION[overfull[0]])] -= 1
        units[overfull[0] // rules.DIRECTIONS] += 1


def units_on(position: Position, node: int) -> int:
    """Return the units of the mover on a node."""
    return int(position[rules.own_board(int(position[rules.MOVER])) + node])


def in_legal_order(movelets: Sequence[int]) -> list[int]:
    """Return movelets so ordered that none overfills a node on the way, without END."""
    flow = np.zeros(rules.END, dtype=np.int64)
    for movelet in movelets:
        flow[movelet] += 1
    actions = np.zeros(rules.BLUE_UNITS + 1, dtype=np.int16)
    count = write_movelets(flow, actions)
    return [int(action) for action in actions[: count - 1]]
