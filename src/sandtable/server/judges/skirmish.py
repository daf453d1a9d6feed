"""What the learned agents of Skirmish make of a position."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sandtable.agents.explanations import Candidate, Scale, Thoughts
from sandtable.dice import Dice
from sandtable.games.skirmish.agents.champion.agent import Champion
from sandtable.games.skirmish.agents.champion.evaluation import network_of
from sandtable.games.skirmish.agents.champion.search import think
from sandtable.games.skirmish.agents.champion.tree import new_search
from sandtable.games.skirmish.agents.dsl.agent import DeepStateLearning
from sandtable.games.skirmish.agents.dsl.weights_file import PLANE_SHAPE
from sandtable.games.skirmish.planes import encode
from sandtable.server.judges.judge import Judge
from sandtable.types import OVER, State

__all__ = ["ChampionJudge", "DeepStateJudge"]

MOST_BUDGET = 5000  # states for a position
MOVE_BUDGET = 600  # and for what comes after each of its moves


class ChampionJudge(Judge):
    """A search of the position, and a smaller one after every move."""

    def __init__(self, agent: Champion) -> None:
        self.agent, self.network = agent, network_of(agent.parameters)

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Return the chances after every move."""
        seat = view.turn

        def after(state: State) -> float:
            chance = self.searched(state, MOVE_BUDGET, dice)
            return chance if state.turn == seat else 1.0 - chance

        candidates = one_move_on(view, dice, after, self.scale)
        return Thoughts(self.scale, self.value(view, dice), candidates)

    def value(self, view: State, dice: Dice) -> float | None:
        """Return the chance of the side to move."""
        return self.searched(view, MOST_BUDGET, dice)

    def searched(self, state: State, budget: int, dice: Dice) -> float:
        """Return the chance of the side to move after a search."""
        budget = min(self.agent.budget, budget)
        search = new_search(budget, self.agent.switches)
        value = think(search, self.network, dice.array, np.array(state.position), budget)
        return float(np.clip(0.5 + 0.5 * value, 0.0, 1.0))


class DeepStateJudge(Judge):
    """What the network says of positions.

    It has learned rewards that are worth less the farther off they are; no chance can be read from
    that.
    """

    scale = "own"

    def __init__(self, agent: DeepStateLearning) -> None:
        self.agent = agent

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Return the values one move on."""
        seat = view.turn
        candidates = one_move_on(view, dice, lambda state: self.seen_by(state, seat), self.scale)
        return Thoughts(self.scale, self.seen_by(view, seat), candidates)

    def values(self, state: State, dice: Dice) -> list[float | None] | None:
        """Return the value as each side sees the position."""
        return [self.seen_by(state, seat) for seat in range(len(state.game.seats))]

    def seen_by(self, state: State, seat: int) -> float:
        """Return the value of a position to a seat."""
        planes = np.empty((1, *PLANE_SHAPE), dtype=np.float32)
        encode(np.array(state.position), seat, planes[0])
        return float(self.agent.evaluate(planes)[0])


def one_move_on(
    view: State, dice: Dice, valued: Callable[[State], float], scale: Scale
) -> tuple[Candidate, ...]:
    """Return all moves with what comes after them, valued for the seat that moves."""
    seat, found = view.turn, []
    for action in view.legal:
        after = view.play(action, dice)
        if after.turn == OVER:
            assert after.outcome is not None
            score = after.outcome.scores[seat]
            value = 0.5 + 0.5 * score if scale == "chance" else score
        else:
            value = valued(after)
        found.append(Candidate((int(action),), value))
    return tuple(sorted(found, key=lambda each: -(each.value or 0.0)))
