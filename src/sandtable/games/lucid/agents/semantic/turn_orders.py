"""Giving orders to units: what the acting modules of both sides have in common.

Every unit can do one thing in a turn. Orders never overfill a node: those in front are given theirs
first and make room for the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.force_groups import ForceGroup
from sandtable.types import Position

__all__ = ["GO", "LEFTOVER", "STAY", "Order", "TurnOrders", "distance"]

GO, STAY = "go", "stay"
LEFTOVER = (GO, STAY)  # what units do that no category claims
WORTH_TRYING = 0.5  # chance to win the first round of an attack
LAST_ROUNDS = 2  # too few to go sideways, north, and into the goal


@dataclass(frozen=True)
class Order:
    """What units of a node were told to do, and by which category."""

    node: int
    end: int  # a node, the goal, or the node itself: stay
    units: int
    category: str


@dataclass
class TurnOrders(ABC):
    """A turn of a side in the making."""

    seat: ClassVar[int]
    position: Position
    groups: Sequence[ForceGroup]
    leftover: str = GO
    orders: list[Order] = field(default_factory=list)

    def __post_init__(self) -> None:
        cells = np.array(self.position)
        own, enemy = rules.own_board(self.seat), rules.own_board(1 - self.seat)
        self.waiting = [
            int(rules.movable(cells, node)) for node in range(rules.NODES)
        ]  # without an order
        self.own = [int(cells[own + node]) for node in range(rules.NODES)]
        self.enemy = [int(cells[enemy + node]) for node in range(rules.NODES)]
        self.planned = list(self.own)  # if all others stay
        self.rounds = rules.TURNS - int(cells[rules.PLAYED])

    def send(self, node: int, end: int, category: str, most: int = rules.CAPACITY) -> int:
        """Order up to ``most`` waiting units of a node to go somewhere; return how many could."""
        units = min(most, self.waiting[node])
        if end not in (node, rules.TO_GOAL):
            units = min(units, rules.CAPACITY - self.planned[end])
        if units <= 0:
            return 0
        self.waiting[node] -= units
        self.planned[node] -= units
        if end != rules.TO_GOAL:
            self.planned[end] += units
        self.orders.append(Order(node, end, units, category))
        return units

    def stay(self, node: int, category: str, most: int = rules.CAPACITY) -> None:
        """Order waiting units of a node to stay."""
        self.send(node, node, category, most)

    @abstractmethod
    def carry_out(self, group: ForceGroup, categories: Sequence[str]) -> None:
        """Give a group's units their orders, category by category."""

    def movelets(self) -> list[int]:
        """Return the movelets of all orders, in no particular order."""
        actions = []
        for order in self.orders:
            for direction in range(rules.DIRECTIONS):
                action = order.node * rules.DIRECTIONS + direction
                if order.end != order.node and rules.DESTINATION[action] == order.end:
                    actions += [action] * order.units
        return actions

    def beside(self, node: int) -> list[int]:
        """Return the nodes next to a node, the goal left out."""
        ends = rules.DESTINATION[node * rules.DIRECTIONS : (node + 1) * rules.DIRECTIONS]
        return [int(end) for end in ends if 0 <= end < rules.NODES]

    @abstractmethod
    def front_to_back(self, group: ForceGroup) -> list[int]:
        """Return the nodes of a group with units that have no order, the foremost first."""

    # --- categories that both sides have ---------------------------------------------------------

    def attack(self, group: ForceGroup) -> None:
        """Into the adjacent node of the enemy alone where the odds are best."""
        chances: dict[int, float] = {}
        for node in self.front_to_back(group):
            for end in self.beside(node):
                if self.enemy[end] and not self.own[end]:
                    near = sum(self.waiting[n] for n in self.beside(end) if n in group.nodes)
                    units = min(near, rules.CAPACITY)
                    chances[end] = units / (units + self.enemy[end] + 1)
        if not chances:
            return
        target = max(chances, key=lambda end: (chances[end], end))
        if chances[target] < WORTH_TRYING and self.rounds > LAST_ROUNDS:
            return
        for node in self.beside(target):
            if node in group.nodes:
                self.send(node, target, "attack")

    def reinforce_combat(self, group: ForceGroup) -> None:
        """Into adjacent combats, the least certain first."""
        combats = [end for end in range(rules.NODES) if self.enemy[end] and self.own[end]]
        for end in sorted(combats, key=lambda end: self.own[end] - self.enemy[end]):
            for node in self.beside(end):
                if node in group.nodes and not self.enemy[node]:
                    self.send(node, end, "reinforceCombat")

    def continue_combat(self, group: ForceGroup) -> None:
        """Who fights stays."""
        for node in group.nodes:
            if self.enemy[node]:
                self.stay(node, "continueCombat")

    def stay_in_position(self, group: ForceGroup) -> None:
        """Everybody stays."""
        for node in group.nodes:
            self.stay(node, "stayInPosition")


def distance(one: int, other: int) -> int:
    """Return the steps between two nodes.

    >>> distance(0, 6)
    2
    """
    return abs(one % rules.SIDE - other % rules.SIDE) + abs(one // rules.SIDE - other // rules.SIDE)
