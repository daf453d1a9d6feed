"""The orders of the semantic agent as Red: from the categories of a group's move to unit moves.

Ours, like the categories (see ``sandtable.games.lucid.agents.red_categories``). What they mean for
a unit:

- sally: from the top row south, to a node without Blue, where Blue is in the column; one stays
- press: in the field south, to a node without Blue
- fallBack: in the field north, to a node without Blue
- coverExit: on the top row sideways, from columns with more Red units than their share of the
  threat to columns with fewer
- intercept: the same in the field
- attack, reinforceCombat, continueCombat, stayInPosition: as Blue's
- concentrateForces: from nodes with few units to adjacent ones of the group with more
- spreadOut: one unit of a node with several goes to an empty one beside it
- linkUpGroups: towards the nearest other group

Who has no order at the end stays or, with ``leftover=go``, covers exits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.force_groups import ForceGroup
from sandtable.games.lucid.agents.red_categories import at_top
from sandtable.games.lucid.agents.semantic.turn_orders import STAY, TurnOrders, distance

__all__ = ["RedOrders"]


class RedOrders(TurnOrders):
    """A turn of Red's in the making."""

    seat = rules.RED_SEAT

    def __post_init__(self) -> None:
        super().__post_init__()
        columns = range(rules.SIDE)
        self.threat = [sum(self.enemy[column :: rules.SIDE]) for column in columns]
        everybody = max(1, sum(self.threat))
        self.wanted = [sum(self.own) * units / everybody for units in self.threat]

    def carry_out(self, group: ForceGroup, categories: Sequence[str]) -> None:
        """Give a group's units their orders, category by category."""
        for category in categories:
            HANDLERS[category](self, group)
        if self.leftover != STAY and "stayInPosition" not in categories:
            self.cover_exit(group)

    def front_to_back(self, group: ForceGroup) -> list[int]:
        """Return the nodes of a group with units that have no order, the southernmost first."""
        return [node for node in sorted(group.nodes) if self.waiting[node] > 0]

    def surplus(self, column: int) -> float:
        """Return how many units more than its share of the threat a column will have."""
        return sum(self.planned[column :: rules.SIDE]) - self.wanted[column]

    # --- the categories --------------------------------------------------------------------------

    def sally(self, group: ForceGroup) -> None:
        """From the top row south where Blue is in the column; one unit stays on the exit."""
        for node in self.front_to_back(group):
            if at_top(node) and self.threat[node % rules.SIDE] and self.free(node - rules.SIDE):
                self.send(node, node - rules.SIDE, "sally", self.planned[node] - 1)

    def press(self, group: ForceGroup) -> None:
        """South in the field, where no Blue is."""
        for node in self.front_to_back(group):
            if not at_top(node) and node >= rules.SIDE and self.free(node - rules.SIDE):
                self.send(node, node - rules.SIDE, "press")

    def fall_back(self, group: ForceGroup) -> None:
        """North in the field, where no Blue is."""
        for node in reversed(self.front_to_back(group)):
            if not at_top(node) and self.free(node + rules.SIDE):
                self.send(node, node + rules.SIDE, "fallBack")

    def cover_exit(self, group: ForceGroup) -> None:
        """Sideways on the top row towards the threat."""
        self.shift([node for node in self.front_to_back(group) if at_top(node)], "coverExit")

    def intercept(self, group: ForceGroup) -> None:
        """Sideways in the field towards the threat."""
        self.shift([node for node in self.front_to_back(group) if not at_top(node)], "intercept")

    def shift(self, nodes: Sequence[int], category: str) -> None:
        """Send units one by one to the column beside theirs that lacks more, while one does."""
        for node in sorted(nodes, key=lambda node: -self.surplus(node % rules.SIDE)):
            beside = [end for end in self.beside(node) if end // rules.SIDE == node // rules.SIDE]
            while self.waiting[node] and not self.enemy[node]:
                ends = [
                    end
                    for end in beside
                    if self.free(end)
                    and self.planned[end] < rules.CAPACITY
                    and self.surplus(end % rules.SIDE) + 1 <= self.surplus(node % rules.SIDE) - 1
                ]
                if not ends:
                    break
                best = min(ends, key=lambda end: self.surplus(end % rules.SIDE))
                self.send(node, best, category, 1)

    def concentrate_forces(self, group: ForceGroup) -> None:
        """From nodes with few units to adjacent ones of the group with more."""
        for node in sorted(
            self.front_to_back(group),
            key=lambda node: (self.planned[node], self.threat[node % rules.SIDE]),
        ):
            ends = [
                end
                for end in self.beside(node)
                if end in group.nodes
                and self.free(end)
                and self.planned[node] <= self.planned[end]
                and self.planned[end] + self.planned[node] <= rules.CAPACITY
            ]
            if ends and self.waiting[node] == self.planned[node]:
                best = max(ends, key=lambda end: self.threat[end % rules.SIDE])
                self.send(node, best, "concentrateForces")

    def spread_out(self, group: ForceGroup) -> None:
        """One of several goes to an empty node beside, where most of Blue is in the column."""
        for node in self.front_to_back(group):
            ends = [end for end in self.beside(node) if self.free(end) and not self.planned[end]]
            if ends and self.planned[node] > 1:
                best = max(ends, key=lambda end: self.threat[end % rules.SIDE])
                self.send(node, best, "spreadOut", 1)

    def link_up_groups(self, group: ForceGroup) -> None:
        """Towards the nearest other group."""
        others = [node for other in self.groups if other is not group for node in other.nodes]
        for node in self.front_to_back(group) if others else ():
            ends = [end for end in self.beside(node) if self.free(end)]
            near = {end: min(distance(end, other) for other in others) for end in [node, *ends]}
            best = min(near, key=lambda end: near[end])
            if near[best] < near[node]:
                self.send(node, best, "linkUpGroups")

    def free(self, node: int) -> bool:
        """Say whether no Blue stands on a node."""
        return not self.enemy[node]


HANDLERS: dict[str, Callable[[RedOrders, ForceGroup], None]] = {
    "sally": RedOrders.sally,
    "press": RedOrders.press,
    "fallBack": RedOrders.fall_back,
    "coverExit": RedOrders.cover_exit,
    "intercept": RedOrders.intercept,
    "attack": RedOrders.attack,
    "reinforceCombat": RedOrders.reinforce_combat,
    "continueCombat": RedOrders.continue_combat,
    "concentrateForces": RedOrders.concentrate_forces,
    "spreadOut": RedOrders.spread_out,
    "linkUpGroups": RedOrders.link_up_groups,
    "stayInPosition": RedOrders.stay_in_position,
}
