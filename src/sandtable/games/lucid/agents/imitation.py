"""The four imitation agents of Operation Lucid (report, sections 3.1 and 3.3 to 3.6).

All look up the most similar position in which an expert moved. The first repeats the movelets, the
second tries to reach the same placement and leaves the rest to the evaluator, the third does the
one and then the other, and the fourth too, with the expert's move seen node by node: a node that
was emptied is emptied, one where a single unit was kept as supply keeps one, and others split as
the expert split them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from sandtable.agent import Explanation
from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.evaluator.choice import USUAL_WEIGHTS, PlacementChoice
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, read_expert_games
from sandtable.games.lucid.agents.expert.lookup import Distance, Entry, entries_from
from sandtable.games.lucid.agents.published_board import PublishedBoardAgent
from sandtable.games.lucid.placements.demands import (
    FIXED,
    Generated,
    check_relaxation,
    generate,
    movelets_to,
    node_demands,
)
from sandtable.games.lucid.placements.movelets import playable_movelets, units_on
from sandtable.specs import files_allowed
from sandtable.types import Position, State

__all__ = ["ImitatedMove", "Imitation1", "Imitation2", "Imitation3", "Imitation4"]

USUAL_CANDIDATES = 20_000

# --- the expert's move seen node by node ---------------------------------------------------------


def node_movelets(
    position: Position, reference: Position, movelets: Sequence[int], dice: Dice
) -> list[int]:
    """Return the movelets that mirror, node by node, what the expert did in the reference.

    They stand in the order in which their nodes first moved there.
    """
    taken: dict[int, Counter[int]] = {}
    for movelet in movelets:
        taken.setdefault(movelet // rules.DIRECTIONS, Counter())[movelet] += 1
    transferred: list[int] = []
    for node, steps in taken.items():
        stay = units_on(reference, node) - steps.total()
        here = int(rules.movable(position, node))
        if stay == 0:
            shares = shared_out(here, steps, dice)
        elif stay == 1:  # kept for supply
            shares = shared_out(max(here - 1, 0), steps, dice)
        else:
            shares = shared_out(here, {**steps, rules.END: stay}, dice)
        transferred += [
            step for step, units in shares.items() if step != rules.END for _ in range(units)
        ]
    return transferred


def shared_out(units: int, votes: Mapping[int, int], dice: Dice) -> dict[int, int]:
    """Split units in proportion to votes: the largest remainders get what is left, ties by lot."""
    total = sum(votes.values())
    shares = {choice: units * count // total for choice, count in votes.items()}
    remainders = {choice: units * count % total for choice, count in votes.items()}
    for _ in range(units - sum(shares.values())):
        most = max(remainders.values())
        tied = [choice for choice, remainder in remainders.items() if remainder == most]
        chosen = tied[dice.below(len(tied))]
        shares[chosen] += 1
        remainders[chosen] = -1
    return shares


# --- the agents ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImitatedMove:
    """How an imitation agent came to its move."""

    entry: Entry  # the reference position with the expert's move
    distance: float
    repeated: tuple[int, ...]  # movelets taken over from the expert
    intermediate: Position  # after these movelets, the turn not closed
    generated: Generated | None  # placements that meet the demands; None: no demands were made
    value: float | None  # what the evaluator expects of the chosen one; None: it was not asked
    actions: tuple[int, ...]  # the whole turn


class Imitation(PublishedBoardAgent):
    """What the imitation agents share."""

    meanings: ClassVar[Mapping[str, str]] = {
        "database": "a file of expert games; empty: the bundled one",
        "weights": "bundled values by their name, or a file",
        "candidates": "placements looked at for a turn",
        "mirror": "enter each turn of the expert mirrored as well",
        "relaxation": "which demands give way first: fixed, random, bottlenecks",
        "node_weights": "weights of the nodes in the distance; empty: all alike",
        "turns_weight": "weight of the turn number in the distance",
        "defender_weight": "weight of the defender's units in the distance",
    }

    seats = ("blue", "red")

    def __init__(
        self,
        database: str = "",
        weights: str = USUAL_WEIGHTS,
        candidates: int = USUAL_CANDIDATES,
        mirror: bool = True,
        relaxation: str = FIXED,
        node_weights: str = "",
        turns_weight: float = 1.0,
        defender_weight: float = 1.0,
    ) -> None:
        """Take another file of expert games or of the evaluator's weights than the bundled one.

        >>> Imitation1().path.name
        'champion.jsonl'

        Without ``mirror`` each turn of the expert is entered as it was played and not mirrored as
        well. Demands that cannot be met are relaxed in their ``fixed`` order, in a ``random`` one,
        or at their ``bottlenecks``. The other weights are those of the distance.
        """
        if candidates < 1:
            raise ValueError(f"candidates is at least 1, got {candidates}")
        if database and not files_allowed():
            raise ValueError("no other database can be named here")
        self.path = Path(database).expanduser() if database else BUNDLED_GAMES
        self.choice = PlacementChoice(weights)
        self.candidates = candidates
        self.mirror = mirror
        self.relaxation = check_relaxation(relaxation)
        self.distance = Distance.parse(node_weights, turns_weight, defender_weight)

    def check(self) -> None:
        """Find out before the first game whether the database can be read."""
        read_expert_games(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with: the expert's games and the evaluator's weights."""
        return [self.path, *self.choice.files]

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Imitate the expert in the most similar position."""
        return list(self.decide(view.position, dice).actions)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Choose, and say why."""
        from sandtable.games.lucid.agents.imitation_explanation import explain_imitation

        return explain_imitation(view.position, self.decide(view.position, dice))

    def decide(self, position: Position, dice: Dice) -> ImitatedMove:
        """Choose a turn and keep how it came about."""
        own = np.array(position)
        entries = entries_from(self.path, int(own[rules.MOVER]), self.mirror)
        entry, distance = entries.nearest(own, self.distance)
        taken = playable_movelets(own, self.movelets(own, entry, dice))
        for movelet in taken:
            rules.move_units(own, movelet, 1)
        if not self.uses_demands:
            turn = (*taken, rules.END)
            return ImitatedMove(entry, distance, tuple(taken), own, None, None, turn)
        demands = node_demands(entry.desired)
        generated = generate(own, demands, dice, self.candidates, self.relaxation)
        code, value = self.choice.choose(own, generated.codes, dice)
        actions = (*taken, *movelets_to(own, code))
        return ImitatedMove(entry, distance, tuple(taken), own, generated, value, actions)

    uses_demands = True

    @abstractmethod
    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Return the movelets to take over from the expert."""


class Imitation1(Imitation):
    """Repeats the movelets of the nearest expert position (published 1.97)."""

    uses_demands = False

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take all."""
        return list(entry.actions)


class Imitation2(Imitation):
    """Aims at the placement after the nearest expert move, by demands (published 4.04)."""

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take none."""
        return []


class Imitation3(Imitation):
    """Repeats the expert's movelets, then demands for the other units (published 4.15)."""

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take all."""
        return list(entry.actions)


class Imitation4(Imitation):
    """Repeats the expert's move node by node, then demands for the rest (published 4.53)."""

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take what mirrors the expert's move on each node."""
        return node_movelets(position, entry.before, entry.actions, dice)
