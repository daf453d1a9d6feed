"""Force groups of Operation Lucid: units that hang together, and how such a group sees the game.

A force group is a set of units of one colour on connected nodes (report, section 4.1.2). It sees
the game through twenty numbers that do not depend on where on the board it stands (figure 4.1):

- five pairs (distance, resistance), one for each exit node of the top row, sorted: the steps of
  the best path from the group to that node, and the Red units on it. Which path is the best the
  papers do not say; ``PATHS`` has three readings, and only the path of least resistance can give
  the numbers printed in figure 4.1 (tests/games/lucid/agents/test_force_groups.py);
- its units, their density (units for each node held), and the distance to the nearest other group
  (FAR without one);
- all Blue units, the units of the group in combat and the Red ones they fight, the shares of those
  units that are supplied and that attack, the turns left, all Red units.

A group of Red units sees the same five exits, which it guards: its steps to each of them, and how
many Blue units stand in that column, which is what may come there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid import rules
from sandtable.games.lucid.notation import node_name
from sandtable.games.lucid.rules import Cells, Integers
from sandtable.types import Position

FAR = 10  # one more than the longest distance on the board
NO_GROUP = -1
UNREACHED = 1000


class PathPrices(NamedTuple):
    """What makes a path dear: each step, and each enemy unit on it."""

    step: int
    enemy: int


# The readings of "distance": of equally cheap paths the one with fewer steps counts.
PATHS: Mapping[str, PathPrices] = {
    "cheapest": PathPrices(1, 1),  # round an enemy unit for one more step
    "least-resistance": PathPrices(1, 100),  # round every enemy unit, however far
    "shortest": PathPrices(100, 1),  # straight on
}
USUAL_PATHS = "cheapest"

FEATURE_NAMES = (
    *(f"{name} {rank}" for rank in range(1, rules.SIDE + 1) for name in ("distance", "resistance")),
    "units in this group",
    "group density",
    "distance to closest group",
    "total Blue units",
    "Blue force in combat",
    "Red force in combat",
    "proportion supplied",
    "proportion of attackers",
    "rounds left",
    "total Red units",
)
FEATURES = len(FEATURE_NAMES)
(
    UNITS,
    DENSITY,
    CLOSEST,
    ALL_BLUE,
    BLUE_FIGHTING,
    RED_FIGHTING,
    SUPPLIED,
    ATTACKING,
    ROUNDS,
    ALL_RED,
) = range(2 * rules.SIDE, FEATURES)

# What each feature is divided by, so that all have about the same range.
FEATURE_SCALES = np.array(
    [*(4.0, 3.0) * rules.SIDE, 15.0, 3.0, 10.0, 15.0, 6.0, 6.0, 1.0, 1.0, 36.0, 10.0]
)


@dataclass(frozen=True)
class ForceGroup:
    """One group with what it sees."""

    nodes: tuple[int, ...]  # in ascending order
    units: tuple[int, ...]  # on each of them
    features: NDArray[np.float64]  # [20], unscaled

    @property
    def key(self) -> str:
        """The name of the group in its position: its nodes."""
        return group_key(self.nodes)


def group_key(nodes: tuple[int, ...]) -> str:
    """Name a group by its nodes, from south-west to north-east.

    >>> group_key((16, 11, 17))
    'b3 b4 c4'
    """
    return " ".join(node_name(node) for node in sorted(nodes))


@kernel
def find_groups(position: Cells, seat: int, group_of: Integers) -> int:
    """Write for every node the number of the group that holds it, or NO_GROUP; return how many.

    Groups are numbered by their lowest node.
    """
    own = rules.own_board(seat)
    stack = np.empty(rules.NODES, dtype=np.int64)
    for node in range(rules.NODES):
        group_of[node] = NO_GROUP
    count = 0
    for first in range(rules.NODES):
        if position[own + first] == 0 or group_of[first] != NO_GROUP:
            continue
        group_of[first] = count
        stack[0] = first
        height = 1
        while height > 0:
            height -= 1
            node = stack[height]
            for direction in range(rules.DIRECTIONS):
                other = int(rules.DESTINATION[node * rules.DIRECTIONS + direction])
                inside = 0 <= other < rules.NODES
                if inside and position[own + other] > 0 and group_of[other] == NO_GROUP:
                    group_of[other] = count
                    stack[height] = other
                    height += 1
        count += 1
    return count


@kernel
def group_paths(
    position: Cells,
    seat: int,
    group_of: Integers,
    group: int,
    prices: PathPrices,
    steps: Integers,
    resistance: Integers,
) -> None:
    """Find the best path from a group to every node: its steps and the enemy units on it.

    Nodes the group holds are free, and what it fights there is not on its way.
    """
    enemy = rules.own_board(1 - seat)
    for node in range(rules.NODES):
        inside = group_of[node] == group
        steps[node] = 0 if inside else UNREACHED
        resistance[node] = 0 if inside else UNREACHED
    changed = True
    while changed:
        changed = False
        for node in range(rules.NODES):
            if steps[node] >= UNREACHED:
                continue
            for direction in range(rules.DIRECTIONS):
                other = int(rules.DESTINATION[node * rules.DIRECTIONS + direction])
                if not 0 <= other < rules.NODES or group_of[other] == group:
                    continue
                far, met = steps[node] + 1, resistance[node] + position[enemy + other]
                cost = prices.step * far + prices.enemy * met
                known = prices.step * steps[other] + prices.enemy * resistance[other]
                if cost < known or (cost == known and far < steps[other]):
                    steps[other], resistance[other] = far, met
                    changed = True


@kernel
def sort_pairs(features: NDArray[np.float64]) -> None:
    """Sort the pairs (distance, resistance) ascending."""
    for last in range(1, rules.SIDE):
        for index in range(last, 0, -1):
            first, second = 2 * (index - 1), 2 * index
            less = features[second] < features[first]
            equal = features[second] == features[first]
            if less or (equal and features[second + 1] < features[first + 1]):
                for offset in range(2):
                    kept = features[first + offset]
                    features[first + offset] = features[second + offset]
                    features[second + offset] = kept


@kernel
def closest_group(group_of: Integers, group: int) -> int:
    """Return the steps to the nearest other group, or FAR."""
    nearest = FAR
    for node in range(rules.NODES):
        if group_of[node] != group:
            continue
        for other in range(rules.NODES):
            if group_of[other] != NO_GROUP and group_of[other] != group:
                across = abs(node % rules.SIDE - other % rules.SIDE)
                nearest = min(nearest, across + abs(node // rules.SIDE - other // rules.SIDE))
    return nearest


@kernel
def blue_in_column(position: Cells, column: int) -> int:
    """Return how many Blue units stand in a column."""
    units = 0
    for node in range(column, rules.NODES, rules.SIDE):
        units += position[rules.BLUE + node]
    return units


@kernel
def write_features(
    position: Cells,
    seat: int,
    group_of: Integers,
    group: int,
    prices: PathPrices,
    features: NDArray[np.float64],
) -> None:
    """Write what a group sees, unscaled."""
    own, enemy = rules.own_board(seat), rules.own_board(1 - seat)
    steps = np.empty(rules.NODES, dtype=np.int64)
    resistance = np.empty(rules.NODES, dtype=np.int64)
    group_paths(position, seat, group_of, group, prices, steps, resistance)
    for column in range(rules.SIDE):
        features[2 * column] = steps[rules.FIRST_OF_TOP_ROW + column]
        features[2 * column + 1] = resistance[rules.FIRST_OF_TOP_ROW + column]
        if seat != rules.BLUE_SEAT:
            features[2 * column + 1] = blue_in_column(position, column)
    sort_pairs(features)
    supplied = rules.supplied_nodes(
        rules.occupied(position, rules.BLUE) & ~rules.occupied(position, rules.RED)
    )
    units, held, fighting, fought, in_reach, attacking = 0, 0, 0, 0, 0, 0
    for node in range(rules.NODES):
        if group_of[node] != group:
            continue
        here = position[own + node]
        units += here
        held += 1
        if position[enemy + node] > 0:
            fighting += here
            fought += position[enemy + node]
            in_reach += here if rules.in_supply(node, supplied) else 0
            attacking += here if position[rules.ATTACKER + node] == seat + 1 else 0
    blue, red = 0, 0
    for node in range(rules.NODES):
        blue += position[rules.BLUE + node]
        red += position[rules.RED + node]
    features[UNITS] = units
    features[DENSITY] = units / held
    features[CLOSEST] = closest_group(group_of, group)
    features[ALL_BLUE] = blue
    features[BLUE_FIGHTING] = fighting if seat == rules.BLUE_SEAT else fought
    features[RED_FIGHTING] = fought if seat == rules.BLUE_SEAT else fighting
    features[SUPPLIED] = in_reach / fighting if fighting > 0 else 0.0
    features[ATTACKING] = attacking / fighting if fighting > 0 else 0.0
    features[ROUNDS] = rules.TURNS - position[rules.PLAYED]
    features[ALL_RED] = red


def force_groups(
    position: Position, seat: int = rules.BLUE_SEAT, paths: str = USUAL_PATHS
) -> list[ForceGroup]:
    """Return the groups of a side with what each sees, in the order of their lowest nodes.

    ``paths`` says which path to an exit is the best, one of ``PATHS``.
    """
    cells = np.array(position)
    group_of = np.empty(rules.NODES, dtype=np.int64)
    count = int(find_groups(cells, seat, group_of))
    own = rules.own_board(seat)
    groups = []
    for group in range(count):
        features = np.zeros(FEATURES)
        write_features(cells, seat, group_of, group, PATHS[paths], features)
        nodes = tuple(int(node) for node in np.flatnonzero(group_of == group))
        units = tuple(int(cells[own + node]) for node in nodes)
        groups.append(ForceGroup(nodes, units, features))
    return groups
