"""Players with known habits for small games of OpenSpiel, to be exploited.

    sandtable exploit openspiel.kuhn_poker file:docs/examples/poker_bots.py:Biased
    sandtable exploit openspiel.leduc_poker file:docs/examples/poker_bots.py:Solved,iterations=50

Each tells how likely it plays each action (`chances`), so that the answer is exact.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable import Agent, Dice, State
from sandtable.adapters.openspiel.rules import native_of, view_of


class First(Agent):
    """Any game; plays the first legal action, and throws no dice."""

    def choose(self, view: State, dice: Dice) -> int:
        """Return it."""
        return view.legal[0]


class Habitual(Agent):
    """Any game; draws its actions by chances that it tells."""

    def chances(self, view: State) -> NDArray[np.float64]:
        """Return how likely each action is: all that are legal as likely."""
        mask = view.mask
        return mask / np.float64(mask.sum())

    def choose(self, view: State, dice: Dice) -> int:
        """Draw an action by its chance."""
        shares = np.cumsum(self.chances(view))
        place = int(np.searchsorted(shares, dice.uniform() * shares[-1], side="right"))
        return min(place, view.legal[-1])


class Biased(Habitual):
    """Any game; plays actions with higher numbers more often (in poker: bets too much)."""

    def chances(self, view: State) -> NDArray[np.float64]:
        """Return chances that grow with the square of the action's number."""
        weights = np.where(view.mask, 1.0 + np.arange(view.game.action_count) ** 2, 0.0)
        return np.asarray(weights / weights.sum())


@functools.cache
def solution(name: str, iterations: int) -> dict[str, dict[int, float]]:
    """Return the average policy that counterfactual regret minimisation has after so long."""
    import pyspiel

    solver = pyspiel.CFRSolver(pyspiel.load_game(name))
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    table: Any = solver.tabular_average_policy().policy_table()
    return {told: dict(shares) for told, shares in table.items()}


class Solved(Habitual):
    """A small game of OpenSpiel; plays what its solver has found after some iterations."""

    def __init__(self, iterations: int = 100) -> None:
        if iterations < 1:
            raise ValueError(f"iterations is 1 or more, got {iterations}")
        self.iterations = iterations

    def chances(self, view: State) -> NDArray[np.float64]:
        """Look up what the player knows, in OpenSpiel's own words."""
        position = np.array(view.position)
        told = view_of(position)["text"].decode().rpartition("\nactions: ")[0]
        shares = solution(str(native_of(position).game), self.iterations)[told]
        chances = np.zeros(view.game.action_count)
        for action, share in shares.items():
            chances[action] = share
        return np.asarray(chances / chances.sum())
