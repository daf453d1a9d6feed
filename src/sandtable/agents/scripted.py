"""What agents have in common whose whole way of acting is one kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from sandtable.agent import Agent, CompiledPolicy
from sandtable.dice import Dice
from sandtable.types import Game, State

__all__ = ["Scripted"]


class Scripted(Agent):
    """An agent that acts through a compiled policy, in Python as well as inside whole games.

    >>> from sandtable.registry import make_agent, make_game
    >>> agent = make_agent("random")
    >>> isinstance(agent, Scripted), len(agent.choose(make_game("lucid").start(), Dice(1))) > 0
    (True, True)
    """

    _act: Callable[..., Any] | None = None  # until a game begins

    @abstractmethod
    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel that acts, with the memory it starts from."""

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Forget the game before."""
        policy = self.policy(game)
        self._act = policy.act
        self._memory = np.array(policy.memory, dtype=np.int64)
        self._constants = policy.constants
        self._actions = np.zeros(game.max_actions, dtype=np.int16)

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Return the actions the kernel wrote."""
        if self._act is None:
            self.begin(view.game, view.turn, dice)
        assert self._act is not None
        position = np.array(view.position)
        count = self._act(position, dice.array, self._memory, self._constants, self._actions)
        return [int(action) for action in self._actions[:count]]
