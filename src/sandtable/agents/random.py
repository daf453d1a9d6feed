"""The agent that plays any game by drawing among the legal actions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.scripted import Scripted
from sandtable.compiled import specialise, stand_in
from sandtable.dice import below
from sandtable.types import CompiledPolicy, Game

__all__ = ["Random"]

# What the template below is specialised with.
legal = stand_in
ACTION_COUNT = 0


def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    actions: NDArray[np.int16],
) -> int:
    """Draw one legal action, each as likely as any other."""
    mask = np.empty(ACTION_COUNT, dtype=np.bool_)
    chosen = below(dice, legal(view, mask))
    for action in range(ACTION_COUNT):
        if mask[action]:
            if chosen == 0:
                actions[0] = action
                break
            chosen -= 1
    return 1


@functools.cache
def act_in(name: str, legal_kernel: Any, action_count: int) -> Any:
    """Compile the template for one game."""
    return specialise(act, name, legal=legal_kernel, ACTION_COUNT=action_count)


class Random(Scripted):
    """Any game; draws uniformly among the legal actions, one by one."""

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel for this game."""
        return CompiledPolicy(act_in(game.name, game.rules.legal, game.action_count))
