"""The agent that plays any game by drawing among the legal actions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import placeholder, specialise
from sandtable.dice import below
from sandtable.types import Game, Rules

__all__ = ["Random"]

# What the templates below are specialised with.
legal = random_action = placeholder
ACTION_COUNT = 0

ACTIONS_IN_CELL = 8  # of the memory, which has cells of 64 bits


def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draw one legal action, each as likely as any other.

    The mask lies in the memory, eight actions to a cell: it need not be made anew in every turn,
    and cells without a legal action are passed over at once.
    """
    mask = memory.view(np.bool_)[:ACTION_COUNT]
    chosen = below(dice, legal(view, mask))
    action = 0
    while True:
        if action % ACTIONS_IN_CELL == 0:
            while memory[action // ACTIONS_IN_CELL] == 0:
                action += ACTIONS_IN_CELL
        if mask[action]:
            if chosen == 0:
                actions[0] = action
                return 1
            chosen -= 1
        action += 1


def act_quickly(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draw one legal action in a game that has a faster way for it."""
    actions[0] = random_action(view, dice)
    return 1


@functools.cache
def act_in(name: str, rules: Rules, action_count: int) -> Any:
    """Compile the template for one game."""
    if rules.random_action is not None:
        return specialise(act_quickly, name, inline=True, random_action=rules.random_action)
    return specialise(act, name, inline=True, legal=rules.legal, ACTION_COUNT=action_count)


class Random(Scripted):
    """Any game; draws uniformly among the legal actions, one by one."""

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel for this game, with room for a mask of its actions."""
        cells = -(-game.action_count // ACTIONS_IN_CELL)
        act_here = act_in(game.name, game.rules, game.action_count)
        return CompiledPolicy(act_here, memory=(0,) * cells)
