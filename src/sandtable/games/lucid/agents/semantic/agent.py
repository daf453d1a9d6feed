"""The semantic agent of Operation Lucid (report, section 4).

Every force group looks at the game in its own terms, twelve networks trained on expert games say
which kinds of move suit it, and their orders turn that into moves of units.

What the papers describe is ``lucid/semantic:leftover=stay,paths=least-resistance,ranking=outputs,
weights=published``: categories in the order of the networks' outputs, and units that none of them
claims stay. The default is ours: nearly equal outputs count as equal, the more special category
goes first, and whoever is left goes on.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Explanation
from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.force_groups import (
    PATHS,
    USUAL_PATHS,
    ForceGroup,
    force_groups,
)
from sandtable.games.lucid.agents.published_board import PublishedBoardAgent
from sandtable.games.lucid.agents.red_categories import RED_CATEGORIES
from sandtable.games.lucid.agents.semantic.networks import (
    CHOSEN,
    load_networks,
    outputs,
    path_of,
)
from sandtable.games.lucid.agents.semantic.orders import BlueOrders
from sandtable.games.lucid.agents.semantic.red_orders import RedOrders
from sandtable.games.lucid.agents.semantic.turn_orders import GO, LEFTOVER, Order, TurnOrders
from sandtable.games.lucid.placements.movelets import playable_movelets
from sandtable.types import Position, State

__all__ = ["GroupDecision", "GroupPlayer", "Semantic", "SemanticMove"]

OUTPUTS, SPECIAL = "outputs", "special"
RANKINGS = (SPECIAL, OUTPUTS)

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
RED_SPECIAL_FIRST = (
    "attack",
    "reinforceCombat",
    "continueCombat",
    "spreadOut",
    "linkUpGroups",
    "concentrateForces",
    "intercept",
    "sally",
    "coverExit",
    "press",
    "fallBack",
    "stayInPosition",
)


@dataclass(frozen=True)
class SideOfSemantic:
    """What is different for the two sides."""

    categories: tuple[str, ...]
    special_first: tuple[str, ...]
    default: str  # what a group does for which no network speaks
    orders: type[TurnOrders]
    weights: str


SIDES = (
    SideOfSemantic(CATEGORIES, SPECIAL_FIRST, "approach", BlueOrders, "semantic"),
    SideOfSemantic(RED_CATEGORIES, RED_SPECIAL_FIRST, "coverExit", RedOrders, "red"),
)


@dataclass(frozen=True)
class GroupDecision:
    """What was made of one group."""

    group: ForceGroup
    outputs: NDArray[np.float64]  # [category]
    chosen: tuple[str, ...]  # the categories carried out, in this order
    categories: tuple[str, ...] = CATEGORIES
    sources: tuple[str, ...] = ()  # moves of an expert that were looked up


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


def ranked_categories(
    answers: NDArray[np.float64], ranking: str = SPECIAL, side: SideOfSemantic = SIDES[0]
) -> tuple[str, ...]:
    """Return the categories above the threshold, the most certain first; the default without any.

    >>> ranked_categories(np.array([0.91, 0, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, 0]))
    ('outflank', 'approach')
    >>> ranked_categories(np.array([0.91, 0, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, 0]), "outputs")
    ('approach', 'outflank')
    """
    names = side.categories
    certainty = [
        float(answer) if ranking == OUTPUTS else round(float(answer), 1) for answer in answers
    ]
    order = sorted(
        range(len(names)),
        key=lambda index: (-certainty[index], side.special_first.index(names[index])),
    )
    chosen = tuple(names[index] for index in order if answers[index] > CHOSEN)
    return chosen or (side.default,)


class GroupPlayer(PublishedBoardAgent):
    """What agents that let force groups decide have in common."""

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "bundled networks by their name, or a file; empty: the usual ones",
        "database": "a file of expert games; empty: the bundled one",
        "neighbours": "similar groups of the expert that vote",
        "labels": "whose names of moves count: stated, or found by the program",
        "ranking": "how categories are ordered: special, or outputs as published",
        "leftover": "what units do that no order names: go, or stay as published",
        "paths": "how distances are read: cheapest, or least-resistance as published",
    }

    seats: ClassVar[tuple[str, ...]] = ("blue", "red")

    def __init__(self, ranking: str, leftover: str, paths: str) -> None:
        for name, value, known in (
            ("ranking", ranking, RANKINGS),
            ("leftover", leftover, LEFTOVER),
            ("paths", paths, tuple(PATHS)),
        ):
            if value not in known:
                raise ValueError(f"{name} is one of {', '.join(known)}, got '{value}'")
        self.ranking = ranking
        self.leftover = leftover
        self.paths = paths

    @abstractmethod
    def answers(
        self, seat: int, features: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Sequence[str]]:
        """Say how well each category suits a group, from 0 to 1, and by which examples."""

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
        seat = int(own[rules.MOVER])
        side = SIDES[seat]
        groups = force_groups(own, seat, self.paths)
        decisions = []
        for group in groups:
            answers, sources = self.answers(seat, group.features)
            chosen = ranked_categories(answers, self.ranking, side)
            decisions.append(GroupDecision(group, answers, chosen, side.categories, tuple(sources)))
        orders = side.orders(own, groups, self.leftover)
        # Groups in front first, so that those behind find the room they leave.
        for decision in sorted(
            decisions, key=lambda decision: -max(decision.group.nodes) // rules.SIDE
        ):
            orders.carry_out(decision.group, decision.chosen)
        movelets = playable_movelets(own, orders.movelets())
        return SemanticMove(tuple(decisions), tuple(orders.orders), (*movelets, rules.END))


class Semantic(GroupPlayer):
    """Blue or Red; networks name the kind of move of each force group (published 6.28)."""

    def __init__(
        self,
        weights: str = "",
        ranking: str = SPECIAL,
        leftover: str = GO,
        paths: str = USUAL_PATHS,
    ) -> None:
        """Take other networks, another order of categories, or another reading of distances.

        ValueError for a word that is none of an option's.

        >>> Semantic(weights="published", ranking="outputs", leftover="stay").leftover
        'stay'
        """
        super().__init__(ranking, leftover, paths)
        self.paths_of_weights = tuple(path_of(weights or side.weights) for side in SIDES)
        for path in self.weight_files():
            networks_from(path)  # whatever is wrong with it is said now

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return list(dict.fromkeys(self.paths_of_weights))

    def answers(
        self, seat: int, features: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Sequence[str]]:
        """Ask the networks of the side."""
        answers = np.empty(len(SIDES[seat].categories))
        outputs(networks_from(self.paths_of_weights[seat]), features, answers)
        return answers, ()
