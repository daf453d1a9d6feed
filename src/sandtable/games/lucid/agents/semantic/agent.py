"""The semantic agent of Operation Lucid (report, section 4).

Every force group looks at the game in its own terms, twelve networks trained on expert games say
which kinds of move suit it, and their orders turn that into moves of units.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Explanation
from sandtable.dice import Dice
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.force_groups import ForceGroup, force_groups
from sandtable.games.lucid.agents.semantic.networks import BUNDLED, CHOSEN, load_networks, outputs
from sandtable.games.lucid.agents.semantic.orders import Order, TurnOrders
from sandtable.games.lucid.placements.movelets import playable_movelets
from sandtable.games.lucid.rules import BLUE_SEAT, END, SIDE
from sandtable.types import Position, State

__all__ = ["GroupDecision", "Semantic", "SemanticMove"]

DEFAULT = "approach"  # what a group does for which no network speaks

# Outputs that agree to one decimal are as good as equal; then those with few units come first.
SPECIAL_FIRST = (
    "goToGoal",
    "attack",
    "reinforceCombat",
    "continueCombat",
    "ensureSupply",
    "splitIntoGroups",
    "linkUpGroups",
    "concentrateForces",
    "outflank",
    "breakSupply",
    "approach",
    "stayInPosition",
)


@dataclass(frozen=True)
class GroupDecision:
    """What the networks said to one group."""

    group: ForceGroup
    outputs: NDArray[np.float64]  # [category]
    chosen: tuple[str, ...]  # the categories carried out, in this order


@dataclass(frozen=True)
class SemanticMove:
    """How the semantic agent came to its move."""

    groups: tuple[GroupDecision, ...]
    orders: tuple[Order, ...]
    actions: tuple[int, ...]


@functools.cache
def networks_from(path: Path) -> NDArray[np.float64]:
    """Read a file of networks once for all games of this process."""
    return load_networks(path)


def ranked_categories(answers: NDArray[np.float64]) -> tuple[str, ...]:
    """Return the categories above the threshold, the most certain first; approach without any."""
    order = sorted(
        range(len(CATEGORIES)),
        key=lambda index: (
            -round(float(answers[index]), 1),
            SPECIAL_FIRST.index(CATEGORIES[index]),
        ),
    )
    chosen = tuple(CATEGORIES[index] for index in order if answers[index] > CHOSEN)
    return chosen or (DEFAULT,)


class Semantic(Agent):
    """Blue; networks name the kind of move of each force group (published 6.28)."""

    seats = ("blue",)

    def __init__(self, weights: str = "") -> None:
        """Take another file of networks than the bundled one.

        >>> Semantic().path.name
        'semantic.safetensors'
        """
        self.path = Path(weights).expanduser() if weights else BUNDLED
        self.networks = networks_from(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Let every group decide, then move the units."""
        return list(self.decide(view.position, dice).actions)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Choose, and say why."""
        from sandtable.games.lucid.agents.explanation import explain_semantic

        return explain_semantic(view.position, self.decide(view.position, dice))

    def decide(self, position: Position, dice: Dice) -> SemanticMove:
        """Choose a turn and keep how it came about."""
        own = np.array(position)
        groups = force_groups(own, BLUE_SEAT)
        decisions = []
        for group in groups:
            answers = np.empty(len(CATEGORIES))
            outputs(self.networks, group.features, answers)
            decisions.append(GroupDecision(group, answers, ranked_categories(answers)))
        orders = TurnOrders(own, groups)
        # Groups in front first, so that those behind find the room they leave.
        for decision in sorted(decisions, key=lambda decision: -max(decision.group.nodes) // SIDE):
            orders.carry_out(decision.group, decision.chosen)
        movelets = playable_movelets(own, orders.movelets())
        return SemanticMove(tuple(decisions), tuple(orders.orders), (*movelets, END))
