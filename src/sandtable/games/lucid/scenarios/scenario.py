"""A scenario of Operation Lucid: board, forces, terrain, supply and who gets to move.

It says everything that the published game leaves no choice about. ``parse.py`` reads one from a
file or from the options of a spec and says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sandtable.games.lucid.plan import BoardPlan, Combatants, place_name
from sandtable.games.lucid.rules import DIRECTIONS, EAST, NORTH, NOWHERE, SOUTH, Cells
from sandtable.games.lucid.scenarios import rules

__all__ = ["Scenario"]


@dataclass(frozen=True)
class Scenario:
    """What a game of Operation Lucid begins with and goes by.

    >>> from sandtable.games.lucid.scenarios.files import bundled_scenario
    >>> bundled_scenario("published").units
    (15, 10)
    """

    columns: int
    rows: int
    blue: tuple[int, ...]  # units by node
    red: tuple[int, ...]
    closed: frozenset[int]  # nodes that nothing can enter
    closed_roads: frozenset[tuple[int, int]]  # southern or western node, other node or the goal
    advantages: tuple[int, ...]  # by node: what the defender has more
    turns: int
    capacity: int
    blue_chance: int  # per cent, or rules.ALTERNATE
    first: int  # seat, or rules.DRAWN
    sources: frozenset[int]  # of supply
    penalty: int  # what Blue loses without supply; 0: no such rule
    title: str = field(default="", compare=False)
    about: str = field(default="", compare=False)

    @property
    def nodes(self) -> int:
        """How many nodes there are, closed ones included."""
        return self.columns * self.rows

    @property
    def units(self) -> tuple[int, int]:
        """How many units both sides have."""
        return sum(self.blue), sum(self.red)

    @property
    def thrown_mover(self) -> bool:
        """Dice say who moves, at least at the beginning."""
        return self.blue_chance != rules.ALTERNATE or self.first == rules.DRAWN

    def name(self, node: int) -> str:
        """Return the name of a node, or ``goal``."""
        return "goal" if node == self.nodes else place_name(node, self.columns)

    def steps(self) -> Iterator[tuple[int, int, int]]:
        """Go over all open roads, both ways: node, direction, destination."""
        for node in range(self.nodes):
            for direction in range(DIRECTIONS):
                there = grid_step(self.columns, self.rows, node, direction)
                if there == NOWHERE or node in self.closed or there in self.closed:
                    continue
                if (min(node, there), max(node, there)) not in self.closed_roads:
                    yield node, direction, there

    def initial_cells(self, with_units: bool = True) -> tuple[int, ...]:
        """Return a position as ``start`` wants to find it."""
        position = np.zeros(rules.BOARDS + rules.BOARD_COUNT * self.nodes, dtype=np.int16)
        numbers = {
            rules.COLUMNS: self.columns,
            rules.ROWS: self.rows,
            rules.TURNS: self.turns,
            rules.CAPACITY: self.capacity,
            rules.BLUE_CHANCE: self.blue_chance,
            rules.FIRST: self.first,
            rules.PENALTY: self.penalty,
            rules.BLUE_UNITS: self.units[0],
            rules.RED_UNITS: self.units[1],
        }
        for cell, value in numbers.items():
            position[cell] = value
        boards = position[rules.BOARDS :].reshape(rules.BOARD_COUNT, self.nodes)
        if with_units:
            boards[rules.BLUE_BOARD] = self.blue
            boards[rules.RED_BOARD] = self.red
        for node, direction, _ in self.steps():
            boards[rules.ROAD_BOARD, node] |= 1 << direction
        boards[rules.ADVANTAGE_BOARD] = self.advantages
        boards[rules.ADVANTAGE_BOARD, list(self.closed)] = rules.CLOSED
        boards[rules.SOURCE_BOARD, list(self.sources)] = 1
        return tuple(map(int, position))

    def plan(self) -> BoardPlan:
        """Return the plan by which notation, drawings and screens read positions."""
        destinations = [NOWHERE] * (self.nodes * DIRECTIONS)
        for node, direction, there in self.steps():
            destinations[node * DIRECTIONS + direction] = there
        return BoardPlan(
            columns=self.columns,
            rows=self.rows,
            turns=self.turns,
            capacity=self.capacity,
            units=self.units,
            destinations=tuple(destinations),
            closed=self.closed,
            sources=self.sources,
            supply_penalty=self.penalty,
            advantages=self.advantages,
            initial_cells=self.initial_cells(with_units=False),
            blue=rules.BOARDS + rules.BLUE_BOARD * self.nodes,
            red=rules.BOARDS + rules.RED_BOARD * self.nodes,
            attacker=rules.BOARDS + rules.ATTACKER_BOARD * self.nodes,
            arrived=rules.BOARDS + rules.ARRIVED_BOARD * self.nodes,
            goal=rules.GOAL,
            played=rules.PLAYED,
            mover=rules.MOVER,
            mark_attackers=rules.mark_attackers,
            movable=rules.movable,
            supplied_by_node=supplied_by_node,
            combatants=combatants,
        )


def grid_step(columns: int, rows: int, node: int, direction: int) -> int:
    """Return where a step leads on a grid without terrain: a node, the goal, or NOWHERE.

    >>> grid_step(3, 2, 0, NORTH), grid_step(3, 2, 4, NORTH), grid_step(3, 2, 0, SOUTH)
    (3, 6, -1)
    """
    row, column = divmod(node, columns)
    if direction == NORTH:
        return node + columns if row < rows - 1 else columns * rows
    if direction == SOUTH:
        return node - columns if row > 0 else NOWHERE
    if direction == EAST:
        return node + 1 if column < columns - 1 else NOWHERE
    return node - 1 if column > 0 else NOWHERE


def supply(position: Cells) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which nodes pass supply on."""
    supplied = np.zeros(int(position[rules.COLUMNS]) * int(position[rules.ROWS]), dtype=np.bool_)
    rules.supplied_nodes(position, supplied)
    return supplied


def supplied_by_node(position: Cells) -> list[bool]:
    """Say of every node whether it passes supply on."""
    return [bool(here) for here in supply(position)]


def combatants(position: Cells, node: int) -> Combatants:
    """Return who fights in a node, attackers being marked."""
    supplied = supply(position)
    blue, red = rules.strengths(position, node, supplied)
    return Combatants(int(blue), int(red), bool(rules.in_supply(position, node, supplied)))
