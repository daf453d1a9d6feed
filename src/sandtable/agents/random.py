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
from sandtable.legal_actions import draws_by_mask, legal_action, words_in_mask
from sandtable.types import Game, Rules, State

__all__ = ["Random"]

# What the templates below are specialised with.
legal = random_action = placeholder
ACTION_COUNT = 0


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


def act_by_mask(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Do so by a mask that lies in the memory: it need not be made anew for every draw."""
    words, masks = memory.view(np.uint64), memory.view(np.bool_)
    place = below(dice, legal(view, masks[:ACTION_COUNT]))
    actions[0] = legal_action(words, masks, place)
    return 1


@functools.cache
def act_in(name: str, rules: Rules, action_count: int) -> Any:
    """Compile one of the templates for one game."""
    if draws_by_mask(rules.random_action):
        parts: dict[str, Any] = {"legal": rules.legal, "ACTION_COUNT": action_count}
        return specialise(act_by_mask, name, inline=True, **parts)
    return specialise(act, name, inline=True, random_action=rules.random_action)


class Random(Scripted):
    """Any game; draws uniformly among the legal actions, one by one."""

    def chances(self, view: State) -> NDArray[np.float64]:
        """Return that every legal action is as likely."""
        mask = view.mask
        return mask / np.float64(mask.sum())

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel for this game, with room for a mask of its actions."""
        act_here = act_in(game.name, game.rules, game.action_count)
        return CompiledPolicy(act_here, memory=(0,) * words_in_mask(game.action_count))
