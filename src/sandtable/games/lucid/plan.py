"""The plan of a board of Operation Lucid: its size, its roads, and where a position keeps things.

Notation, drawings and screens read positions through a plan, so that they do the same for the
published board and for those of scenarios, whose positions are laid out differently.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sandtable.errors import UnreadableAction
from sandtable.games.lucid import rules
from sandtable.games.lucid.rules import Cells

__all__ = ["PUBLISHED_PLAN", "BoardPlan", "Combatants", "place_name"]

COLUMN_LETTERS = "abcdefghijkl"
GOAL_NAME = "goal"


class Combatants(NamedTuple):
    """How strong both sides are in a node with combat."""

    blue: int
    red: int
    supplied: bool  # Blue gets supply here


def place_name(node: int, columns: int = rules.SIDE) -> str:
    """Return the name of a node by its number: ``a1`` in the south-west.

    >>> place_name(7), place_name(7, columns=7)
    ('c2', 'a2')
    """
    return COLUMN_LETTERS[node % columns] + str(node // columns + 1)


@dataclass(frozen=True)
class BoardPlan:
    """What never changes in a game: the board, its limits, and the layout of positions.

    >>> PUBLISHED_PLAN.columns, PUBLISHED_PLAN.node_name(7), PUBLISHED_PLAN.parse_node("C2")
    (5, 'c2', 7)
    """

    columns: int
    rows: int
    turns: int
    capacity: int  # most units of a side on a node
    units: tuple[int, int]  # at the start, by seat
    destinations: tuple[int, ...]  # by movelet: a node, to_goal, or NOWHERE
    closed: frozenset[int]  # nodes that nothing can enter
    sources: frozenset[int]  # nodes that supply comes from
    supply_penalty: int  # what Blue loses without supply; 0: there is no such rule
    advantages: tuple[int, ...]  # by node: what the defender has more
    initial_cells: tuple[int, ...]  # a position with nothing in it but what never changes
    # Where a position keeps its four boards and three numbers, and the kernels that read them.
    blue: int
    red: int
    attacker: int
    arrived: int
    goal: int
    played: int
    mover: int
    mark_attackers: Callable[[Cells], None]
    movable: Callable[[Cells, int], int]
    supplied_by_node: Callable[[Cells], Sequence[bool]]  # nodes that pass supply on
    combatants: Callable[[Cells, int], Combatants]

    @property
    def nodes(self) -> int:
        """How many nodes there are, closed ones included."""
        return self.columns * self.rows

    @property
    def to_goal(self) -> int:
        """The destination of a movelet into the goal."""
        return self.nodes

    @property
    def end(self) -> int:
        """The action that closes a turn."""
        return self.nodes * rules.DIRECTIONS

    @property
    def last_name(self) -> str:
        """The name of the node in the north-east."""
        return place_name(self.nodes - 1, self.columns)

    @functools.cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The open roads as pairs of nodes, the western or southern one first."""
        found = []
        for direction in (rules.EAST, rules.NORTH):
            for node in range(self.nodes):
                there = self.destinations[node * rules.DIRECTIONS + direction]
                if there not in (rules.NOWHERE, self.to_goal):
                    found.append((node, there))
        return tuple(found)

    @functools.cached_property
    def exits(self) -> tuple[int, ...]:
        """The nodes with a road into the goal."""
        north = self.destinations[rules.NORTH :: rules.DIRECTIONS]
        return tuple(node for node, there in enumerate(north) if there == self.to_goal)

    @property
    def exit_movelet(self) -> str:
        """A movelet into the goal, as an example for messages."""
        exits = self.exits
        return f"{self.node_name(exits[len(exits) // 2])}-{GOAL_NAME}"

    def node_name(self, node: int) -> str:
        """Return the name of a node or of the goal."""
        return GOAL_NAME if node == self.to_goal else place_name(node, self.columns)

    def parse_node(self, text: str) -> int:
        """Return the number of a node from its name; UnreadableAction if there is no such node."""
        match = re.fullmatch("([a-z])([1-9][0-9]?)", text.lower())
        column = COLUMN_LETTERS.find(match[1]) if match else -1
        if match and 0 <= column < self.columns and int(match[2]) <= self.rows:
            return (int(match[2]) - 1) * self.columns + column
        raise UnreadableAction(f"'{text}' is no node; nodes are a1 to {self.last_name}")

    def empty_position(self) -> Cells:
        """Return a position in which nobody stands anywhere."""
        return np.array(self.initial_cells, dtype=np.int16)


def supplied_by_node(position: Cells) -> list[bool]:
    """Say of every node of the published board whether it passes supply on."""
    alone = rules.occupied(position, rules.BLUE) & ~rules.occupied(position, rules.RED)
    supplied = int(rules.supplied_nodes(alone))
    return [bool(supplied >> node & 1) for node in range(rules.NODES)]


def combatants(position: Cells, node: int) -> Combatants:
    """Return who fights in a node of the published board, attackers being marked."""
    alone = rules.occupied(position, rules.BLUE) & ~rules.occupied(position, rules.RED)
    supplied = rules.supplied_nodes(alone)
    blue, red = rules.strengths(position, node, supplied)
    return Combatants(int(blue), int(red), bool(rules.in_supply(node, supplied)))


PUBLISHED_PLAN = BoardPlan(
    columns=rules.SIDE,
    rows=rules.SIDE,
    turns=rules.TURNS,
    capacity=rules.CAPACITY,
    units=(rules.BLUE_UNITS, rules.RED_UNITS),
    destinations=tuple(map(int, rules.DESTINATION)),
    closed=frozenset(),
    sources=frozenset(range(rules.SIDE)),
    supply_penalty=1,
    advantages=(1,) * rules.NODES,
    initial_cells=(0,) * rules.POSITION_SIZE,
    blue=rules.BLUE,
    red=rules.RED,
    attacker=rules.ATTACKER,
    arrived=rules.ARRIVED,
    goal=rules.GOAL,
    played=rules.PLAYED,
    mover=rules.MOVER,
    mark_attackers=rules.mark_attackers,
    movable=rules.movable,
    supplied_by_node=supplied_by_node,
    combatants=combatants,
)
