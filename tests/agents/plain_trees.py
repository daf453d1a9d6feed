"""The plain twin of tree searches: decisions in a dictionary, by what their movers know."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agents.tictactoe import state_of
from sandtable.agents.treesearch.search import root_of
from sandtable.agents.treesearch.tree import UNIT
from sandtable.dice import Dice
from sandtable.registry import make_game
from sandtable.types import State

Key = tuple[int, bytes]


class PlainTree:
    """Visits and totals of the actions of every decision that was met."""

    def __init__(self, exploration: float, dice: Dice) -> None:
        self.exploration, self.dice = exploration, dice
        self.decisions: dict[Key, dict[int, list[float]]] = {}

    def met(self, game: Any, position: Any, seat: int) -> tuple[Key, bool]:
        """Return the key of the decision of a seat, and whether it is a new one."""
        known = position.copy()
        game.rules.hide(known, seat)
        key = (seat, known.tobytes())
        new = key not in self.decisions
        if new:
            mask = np.zeros(game.action_count, dtype=bool)
            game.rules.legal(position, mask)
            self.decisions[key] = {int(action): [0, 0.0] for action in np.flatnonzero(mask)}
        return key, new

    def chosen(self, key: Key) -> int:
        """Return the action to try: one that never was, or that with the highest upper bound."""
        edges = self.decisions[key]
        best, highest, untried = -1, -math.inf, 0
        total = sum(visits for visits, _ in edges.values())
        for action, (visits, value) in edges.items():
            if visits == 0:
                untried += 1
                if self.dice.below(untried) == 0:
                    best = action
            elif untried == 0:
                bound = value / visits + self.exploration * math.sqrt(math.log(total) / visits)
                if bound > highest:
                    best, highest = action, bound
        return best

    def add(self, key: Key, action: int, value: float) -> None:
        """Add a result from -1 to 1."""
        self.decisions[key][action][0] += 1
        self.decisions[key][action][1] += (value + 1) / 2

    def root(self, view: State) -> dict[int, list[float]]:
        """Return the actions of the decision at a view."""
        return self.decisions[(view.turn, np.array(view.position).tobytes())]


def dealt(view: State, dice: Dice) -> Any:
    """Return a position that a view allows."""
    position = np.array(view.position)
    if view.game.hidden:
        view.game.rules.guess(position, view.turn, dice.array)
    return position


def view_in(game: str, seed: int) -> State:
    """Return what the first mover sees: of a game with its dice, or in the midst of tic-tac-toe."""
    state = state_of("x...o....") if game == "tictactoe" else make_game(game).start(Dice(seed))
    return state.view(state.turn)


def expect_same(agent: Any, view: State, twin: PlainTree) -> None:
    """Compare what an agent's search has found at a view with what its twin has."""
    assert agent.tree is not None
    found, wanted = root_of(agent.tree, np.array(view.position), view.turn), twin.root(view)
    assert {action: visits for action, visits, _ in found} == {
        action: visits for action, (visits, _) in wanted.items()
    }
    for action, _, total in found:
        assert total / UNIT == pytest.approx(wanted[action][1], abs=1e-6)
