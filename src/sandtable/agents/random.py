"""The agent that plays any game by drawing among the legal actions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.scripted import Scripted
from sandtable.compiled import specialise, stand_in
from sandtable.dice import below
from sandtable.types import CompiledPolicy, Game, Rules

__all__ = ["Random"]

# What the templates below are specialised with.
legal = random_action = stand_in
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


def act_quickly(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    actions: NDArray[np.int16],
) -> int:
    """Draw one legal action in a game that has a faster way for it."""
    actions[0] = random_action(view, dice)
    return 1


@functools.cache
def act_in(name: str, rules: Rules, action_count: int) -> Any:
    """Compile the template for one game."""
    if rules.random_action is not None:
        return specialise(act_quickly, name, random_action=rules.random_action)
    return specialise(act, name, legal=rules.legal, ACTION_COUNT=action_count)


class Random(Scripted):
    """Any game; draws uniformly among the legal actions, one by one."""

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel for this game."""
        return CompiledPolicy(act_in(game.name, game.rules, game.action_count))
