"""The agent that plays any game by drawing among the legal actions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import placeholder, specialise
from sandtable.types import Game, Rules

__all__ = ["Random"]

# What the template below is specialised with.
random_action = placeholder


def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draw one legal action, each as likely as any other."""
    actions[0] = random_action(view, dice)
    return 1


@functools.cache
def act_in(name: str, rules: Rules) -> Any:
    """Compile the template for one game."""
    return specialise(act, name, inline=True, random_action=rules.random_action)


class Random(Scripted):
    """Any game; draws uniformly among the legal actions, one by one."""

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel for this game."""
        return CompiledPolicy(act_in(game.name, game.rules))
