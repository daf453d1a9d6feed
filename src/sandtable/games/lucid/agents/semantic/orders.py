"""The orders of the semantic agent: from the categories of a group's move to unit moves.

The report leaves this module out for want of space; this one is our own. Every unit can do one
thing in a turn. The categories chosen for a group are carried out in the order of their networks'
outputs, and each gives orders only to units that have none yet. Who has none at the end stays, as
far as the papers tell; or, which is ours, goes on: north, or sideways under a weaker exit where Red
is in the way, unless the group is to stay, and in the last rounds into any attack.
Orders never overfill a node: those in front are given theirs first and make room for the others.

What the categories mean for a unit:

- goToGoal: from the top row into the goal
- approach: north, to a node without Red; all of a node go together
- outflank: the foremost go sideways to a column whose exit is weaker (see ``exit_strength``),
  unless their own is open
- attack: into the best of the adjacent nodes held by Red alone, as many as fit
- reinforceCombat: into an adjacent combat of Blue's, as many as fit, the least certain one first
- continueCombat: who fights and could leave stays
- ensureSupply: one unit stays on each node of the way from the group's foremost unit back to row 1
- breakSupply: who stands furthest back goes north
- concentrateForces: from nodes with few units to adjacent ones of the group with more
- splitIntoGroups: a column inside the group is left, outward first; neighbours make room
- linkUpGroups: towards the nearest other group
- stayInPosition: everybody stays
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.force_groups import ForceGroup
from sandtable.games.lucid.agents.semantic.turn_orders import (
    LAST_ROUNDS,
    STAY,
    TurnOrders,
    distance,
)

__all__ = ["BlueOrders"]

HELD = 3.0  # how much a Red unit on an exit weighs against one beside it, which can come over
BESIDE = 0.5


class BlueOrders(TurnOrders):
    """A turn of Blue's in the making."""

    seat = rules.BLUE_SEAT

    def __post_init__(self) -> None:
        super().__post_init__()
        self.blue, self.red = self.own, self.enemy
        self.exits = self.red[rules.FIRST_OF_TOP_ROW :]

    def carry_out(self, group: ForceGroup, categories: Sequence[str]) -> None:
        """Give a group's units their orders, category by category."""
        for category in categories:
            HANDLERS[category](self, group)
        if self.leftover == STAY:
            return
        if "stayInPosition" not in categories:
            self.approach(group)  # what nobody claims follows
            self.evade(group, "approach")  # or goes round what holds it up
        if self.rounds <= LAST_ROUNDS:
            self.attack(group)  # nothing can be lost any more by trying

    # --- what can be seen ------------------------------------------------------------------------

    def front_to_back(self, group: ForceGroup) -> list[int]:
        """Return the nodes of a group with units that have no order, the northernmost first."""
        nodes = sorted(
            group.nodes,
            key=lambda node: (-(node // rules.SIDE), self.exit_strength(node % rules.SIDE)),
        )
        return [node for node in nodes if self.waiting[node] > 0]

    def exit_strength(self, column: int) -> float:
        """Say how well Red holds an exit: the units on it, and less so those beside it."""
        beside = [
            self.exits[other] for other in (column - 1, column + 1) if 0 <= other < rules.SIDE
        ]
        return HELD * self.exits[column] + BESIDE * sum(beside)

    def sideways(self, node: int) -> list[int]:
        """Return the nodes to the east and west, the one under the weaker exit first."""
        ends = [
            int(rules.DESTINATION[node * rules.DIRECTIONS + direction])
            for direction in (rules.EAST, rules.WEST)
        ]
        return sorted(
            (end for end in ends if end >= 0), key=lambda end: self.exit_strength(end % rules.SIDE)
        )

    # --- the categories --------------------------------------------------------------------------

    def go_to_goal(self, group: ForceGroup) -> None:
        """From the top row into the goal."""
        for node in group.nodes:
            if node >= rules.FIRST_OF_TOP_ROW:
                self.send(node, rules.TO_GOAL, "goToGoal")

    def approach(self, group: ForceGroup) -> None:
        """North, where no Red is."""
        for node in self.front_to_back(group):
            self.north(node, "approach")

    def outflank(self, group: ForceGroup) -> None:
        """Sideways to a weaker exit, unless the own one is open."""
        self.evade(group, "outflank")

    def evade(self, group: ForceGroup, category: str) -> None:
        """Send the foremost to a weaker exit, unless their own is open."""
        waiting = self.front_to_back(group) if self.rounds > LAST_ROUNDS else []
        for node in [node for node in waiting if node // rules.SIDE == waiting[0] // rules.SIDE]:
            own = self.exit_strength(node % rules.SIDE)
            if self.exits[node % rules.SIDE] == 0:
                continue
            for end in self.sideways(node):
                if self.exit_strength(end % rules.SIDE) < own and self.red[end] == 0:
                    self.send(node, end, category)

    def ensure_supply(self, group: ForceGroup) -> None:
        """One unit stays on each node from the foremost one back to row 1, others go on."""
        for node in self.supply_line(group):
            if self.waiting[node] > 1 or node != self.foremost(group):
                self.stay(node, "ensureSupply", 1)

    def foremost(self, group: ForceGroup) -> int:
        """Return the node from which the group's supply line runs: in front, near the middle."""
        return max(
            group.nodes,
            key=lambda node: (node // rules.SIDE, -abs(node % rules.SIDE - rules.SIDE // 2), node),
        )

    def supply_line(self, group: ForceGroup) -> list[int]:
        """Return the shortest way through the group from row 1 to its foremost unit."""
        front = self.foremost(group)
        came_from = {front: front}
        border = [front]
        for node in border:
            if node < rules.SIDE:
                way = [node]
                while way[-1] != front:
                    way.append(came_from[way[-1]])
                return way
            for other in self.beside(node):
                if other in group.nodes and other not in came_from and not self.red[other]:
                    came_from[other] = node
                    border.append(other)
        return []

    def break_supply(self, group: ForceGroup) -> None:
        """Who stands furthest back goes north."""
        rear = min(node // rules.SIDE for node in group.nodes)
        for node in self.front_to_back(group):
            if node // rules.SIDE == rear:
                self.north(node, "breakSupply")

    def concentrate_forces(self, group: ForceGroup) -> None:
        """From nodes with few units to adjacent ones of the group with more."""
        for node in sorted(self.front_to_back(group), key=lambda node: self.planned[node]):
            if self.waiting[node] < self.planned[node]:
                continue  # the node would be held anyway
            ends = [
                end
                for end in self.beside(node)
                if end in group.nodes
                and self.planned[end] >= self.planned[node]
                and self.planned[end] + self.planned[node] <= rules.CAPACITY
                and not self.red[end]
            ]
            if ends:
                best = max(
                    ends, key=lambda end: (end // rules.SIDE, -self.exit_strength(end % rules.SIDE))
                )
                self.send(node, best, "concentrateForces")

    def split_into_groups(self, group: ForceGroup) -> None:
        """Leave a column inside the group for those beside it, so that it falls apart.

        Where Blue has no units, AxesRed and others like it keep none either: the gap is also where
        an exit will be open.
        """
        columns = sorted({node % rules.SIDE for node in group.nodes})
        inner = columns[1:-1]
        if not inner:
            return
        gap = min(inner, key=lambda column: self.units_in(group, column))
        for node in self.front_to_back(group):
            if node % rules.SIDE != gap:
                continue
            outward = sorted(
                self.sideways(node), key=lambda end: -abs(end % rules.SIDE - rules.SIDE // 2)
            )
            for end in outward:
                if self.planned[end] and self.waiting[end]:  # whoever stands there makes room
                    self.north(end, "splitIntoGroups")
                if self.red[end] == 0:
                    self.send(node, end, "splitIntoGroups")

    def units_in(self, group: ForceGroup, column: int) -> int:
        """Return how many units of a group stand in a column."""
        return sum(self.blue[node] for node in group.nodes if node % rules.SIDE == column)

    def north(self, node: int, category: str) -> None:
        """Send the units of a node north, if no Red is there."""
        end = int(rules.DESTINATION[node * rules.DIRECTIONS + rules.NORTH])
        if end != rules.TO_GOAL and self.red[end] == 0:
            self.send(node, end, category)

    def link_up_groups(self, group: ForceGroup) -> None:
        """Towards the nearest other group."""
        others = [node for other in self.groups if other is not group for node in other.nodes]
        for node in self.front_to_back(group):
            ends = [end for end in self.beside(node) if end >= node - 1 and self.red[end] == 0]
            if not others or not ends:
                return
            nearest = min(distance(node, other) for other in others)
            best = min(ends, key=lambda end: min(distance(end, other) for other in others))
            if min(distance(best, other) for other in others) < nearest:
                self.send(node, best, "linkUpGroups")


HANDLERS: dict[str, Callable[[BlueOrders, ForceGroup], None]] = {
    "approach": BlueOrders.approach,
    "ensureSupply": BlueOrders.ensure_supply,
    "breakSupply": BlueOrders.break_supply,
    "attack": BlueOrders.attack,
    "reinforceCombat": BlueOrders.reinforce_combat,
    "continueCombat": BlueOrders.continue_combat,
    "outflank": BlueOrders.outflank,
    "goToGoal": BlueOrders.go_to_goal,
    "concentrateForces": BlueOrders.concentrate_forces,
    "splitIntoGroups": BlueOrders.split_into_groups,
    "linkUpGroups": BlueOrders.link_up_groups,
    "stayInPosition": BlueOrders.stay_in_position,
}
