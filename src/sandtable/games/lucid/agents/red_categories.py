"""Twelve categories of Red's moves in Operation Lucid, and rules that recognise them.

The papers name categories for Blue only, and call it a minor task to adjust their agents to Red.
These are ours: Blue's where they make sense for who defends, and others where they do not (Red has
no supply and no goal). What the rules say of the units that stood in a group:

- sally: one leaves the top row southward, to a node without Blue
- press: one of the field goes south, to a node without Blue
- fallBack: one of the field goes north, to a node without Blue
- coverExit: on the top row one goes sideways, to a column with more Blue units than its own has
- intercept: in the field one goes sideways, to a column with more Blue units than its own has
- attack: one enters a node that only Blue held
- reinforceCombat: one enters a node with combat
- continueCombat: some fight, and none of their combats is left or reinforced
- concentrateForces: they stand on at most half as many nodes as before
- spreadOut: they stand on more nodes than before
- linkUpGroups: at least half of them step onto nodes where units of another group stand then
- stayInPosition: nobody moves

Every move has a category: what no rule names is coverExit or intercept, by where most began.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.categories import GroupMove, group_moves, links_up
from sandtable.games.lucid.agents.force_groups import ForceGroup, blue_in_column
from sandtable.types import Position

__all__ = ["RED_CATEGORIES", "red_labels"]

RED_CATEGORIES = (
    "sally",
    "press",
    "fallBack",
    "coverExit",
    "intercept",
    "attack",
    "reinforceCombat",
    "continueCombat",
    "concentrateForces",
    "spreadOut",
    "linkUpGroups",
    "stayInPosition",
)


def red_labels(before: Position, actions: Sequence[int]) -> list[tuple[ForceGroup, frozenset[str]]]:
    """Return the groups of a turn of Red's with the categories of what each does."""
    moves = group_moves(before, actions, rules.RED_SEAT)
    return [(move.group, labels_of(move, moves)) for move in moves]


def labels_of(move: GroupMove, moves: Sequence[GroupMove]) -> frozenset[str]:
    """Apply the rules to one group; ``moves`` are those of all groups, this one included."""
    labels = {step_category(move, node, end) for node, end in move.steps} - {""}
    rule_results = {
        "attack": move.enters(with_own=False),
        "reinforceCombat": move.enters(with_own=True),
        "continueCombat": move.continues_combat(moves),
        "concentrateForces": move.concentrates,
        "spreadOut": len(move.ends) > len(move.group.nodes),
        "linkUpGroups": links_up(move, moves),
        "stayInPosition": not move.steps,
    }
    labels |= {name for name, holds in rule_results.items() if holds}
    if not labels:
        at_home = sum(units if at_top(node) else -units for (node, _), units in move.steps.items())
        labels = {"coverExit" if at_home >= 0 else "intercept"}
    return frozenset(labels)


def step_category(move: GroupMove, node: int, end: int) -> str:
    """Return the category of one unit's step to a node without Blue, or nothing."""
    if move.before[move.enemy + end]:
        return ""
    if end == node - rules.SIDE:
        return "sally" if at_top(node) else "press"
    if end == node + rules.SIDE:
        return "fallBack"
    here, there = (int(blue_in_column(move.before, each % rules.SIDE)) for each in (node, end))
    if there <= here:
        return ""
    return "coverExit" if at_top(node) else "intercept"


def at_top(node: int) -> bool:
    """Say whether a node is one of the exits."""
    return node >= rules.FIRST_OF_TOP_ROW
