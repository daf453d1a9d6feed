"""Agents of Operation Lucid that plan by demands and leave the rest to the evaluator (report, 3.2).

The plan is written by hand: wanted minimum numbers of units in areas of the board. All placements
that meet it are listed; if there are none, the demands are relaxed one unit at a time. The
evaluator, trained by temporal differences, chooses among what is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from sandtable.agent import Explanation
from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.evaluator.choice import USUAL_WEIGHTS, PlacementChoice
from sandtable.games.lucid.agents.published_board import PublishedBoardAgent
from sandtable.games.lucid.placements.demands import (
    FIXED,
    Demand,
    Generated,
    check_relaxation,
    generate,
    movelets_to,
)
from sandtable.types import Position, State

__all__ = ["ConstraintBlue", "ConstraintRed", "PlannedMove", "blue_plan", "red_plan"]

USUAL_CANDIDATES = 5000
USUAL_RESERVE = 3
USUAL_SALLY = 2


@dataclass(frozen=True)
class PlannedMove:
    """How a constraint agent came to its move."""

    plan: tuple[Demand, ...]
    generated: Generated
    value: float | None  # what the evaluator expects; None: a random choice
    actions: tuple[int, ...]


def rows_from(row: int) -> frozenset[int]:
    """Return the nodes of a row (0 is row 1) and of all north of it, the goal included."""
    return frozenset(range(row * rules.SIDE, rules.TO_GOAL + 1))


def blue_plan(position: Position, reserve: int) -> tuple[Demand, ...]:
    """Advance on a broad front, keep a reserve, and walk into the goal where the way is free.

    For rows 2, 3 and 4: as many units there or further north as stand there now or could step up
    from the row behind, but for a reserve. And all units that can reach the goal go there. The
    demands at the beginning are the first to be relaxed.
    """
    free = [int(rules.movable(position, node)) for node in range(rules.NODES)]
    demands = []
    for row in (1, 2, 3):
        area = rows_from(row)
        there = sum(int(position[rules.BLUE + node]) for node in area if node != rules.TO_GOAL)
        behind = sum(free[(row - 1) * rules.SIDE : row * rules.SIDE])
        demands.append(Demand(area, max(there, there + behind - reserve)))
    exits = sum(free[rules.FIRST_OF_TOP_ROW :])
    demands.append(Demand(frozenset({rules.TO_GOAL}), exits))
    return tuple(demand for demand in demands if demand.units > 0)


def red_plan(position: Position, sally: int) -> tuple[Demand, ...]:
    """Stay at home but for a sally, and leave no exit open under which Blue stands.

    All units but a few are wanted on the top row, and one on each exit with Blue right below it.
    """
    home = frozenset(range(rules.FIRST_OF_TOP_ROW, rules.NODES))
    red = int(position[rules.RED : rules.RED + rules.NODES].sum())
    threatened = [
        node
        for node in sorted(home)
        if position[rules.BLUE + node - rules.SIDE] or position[rules.BLUE + node]
    ]
    watches = [Demand(frozenset({node}), 1) for node in threatened]
    return (*watches, Demand(home, max(0, red - sally)))


class ConstraintBlue(PublishedBoardAgent):
    """Blue; advances by a plan of demands, the evaluator decides the rest (published 6.60)."""

    meanings: ClassVar[Mapping[str, str]] = {
        "candidates": "placements looked at for a turn",
        "reserve": "units that are kept back",
        "sally": "units that may leave the top row",
        "weights": "bundled values by their name, or a file; none: choose by lot",
        "relaxation": "which demands give way first: fixed, random, bottlenecks",
    }

    seats = ("blue",)

    def __init__(
        self,
        candidates: int = USUAL_CANDIDATES,
        reserve: int = USUAL_RESERVE,
        weights: str = USUAL_WEIGHTS,
        relaxation: str = FIXED,
    ) -> None:
        """Look at so many placements; keep back a reserve of units; ValueError below 1 and 0.

        Demands that cannot be met are relaxed in their ``fixed`` order, in a ``random`` one, or at
        their ``bottlenecks``. Weights ``none`` choose among the placements by lot.

        >>> ConstraintBlue(reserve=2).reserve
        2
        """
        if candidates < 1 or reserve < 0:
            raise ValueError(
                f"candidates is at least 1 and reserve 0, got {candidates} and {reserve}"
            )
        self.candidates = candidates
        self.reserve = reserve
        self.relaxation = check_relaxation(relaxation)
        self.choice = PlacementChoice(weights)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return self.choice.files

    def plan(self, position: Position) -> tuple[Demand, ...]:
        """Return the demands of this turn."""
        return blue_plan(position, self.reserve)

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Return the movelets of the placement chosen."""
        return list(self.decide(view.position, dice).actions)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Choose, and say why."""
        from sandtable.games.lucid.agents.explanation import explain_plan

        return explain_plan(view.position, self.decide(view.position, dice))

    def decide(self, position: Position, dice: Dice) -> PlannedMove:
        """Choose a turn and keep how it came about."""
        own = np.array(position)
        plan = self.plan(own)
        generated = generate(own, plan, dice, self.candidates, self.relaxation)
        code, value = self.choice.choose(own, generated.codes, dice)
        return PlannedMove(plan, generated, value, tuple(movelets_to(own, code)))


class ConstraintRed(ConstraintBlue):
    """Red; stays at home but for a sally, the evaluator decides the rest."""

    seats = ("red",)

    def __init__(
        self,
        candidates: int = USUAL_CANDIDATES,
        sally: int = USUAL_SALLY,
        weights: str = USUAL_WEIGHTS,
        relaxation: str = FIXED,
    ) -> None:
        """Look at so many placements; let so many units leave the top row.

        >>> ConstraintRed(sally=0).sally
        0
        """
        super().__init__(candidates, 0, weights, relaxation)
        if sally < 0:
            raise ValueError(f"sally is at least 0, got {sally}")
        self.sally = sally

    def plan(self, position: Position) -> tuple[Demand, ...]:
        """Return the demands of this turn."""
        return red_plan(position, self.sally)
