"""Drawing a legal action in a game that has no quicker way (a sandtable.compiled template)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import placeholder, specialise
from sandtable.dice import below

__all__ = ["draws_by_mask", "random_action_by_mask"]

# What the template below is specialised with.
legal = placeholder
ACTION_COUNT = 0

ACTIONS_IN_WORD = 8


def draw_by_mask(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one legal action, each as likely; words of the mask without any are passed over."""
    words = np.zeros(-(-ACTION_COUNT // ACTIONS_IN_WORD), dtype=np.int64)
    mask = words.view(np.bool_)[:ACTION_COUNT]
    place = below(dice, legal(position, mask))
    for word in range(len(words)):
        if words[word] == 0:
            continue
        first = word * ACTIONS_IN_WORD
        for action in range(first, min(first + ACTIONS_IN_WORD, ACTION_COUNT)):
            if mask[action]:
                if place == 0:
                    return action
                place -= 1
    return -1


@functools.cache
def random_action_by_mask(
    name: str, legal_kernel: Callable[..., Any], action_count: int
) -> Callable[..., Any]:
    """Return the kernel that draws a legal action of a game, compiled when it is first called.

    The same game gets the same kernel, so that rules stay equal to each other.
    """
    return specialise(draw_by_mask, name, legal=legal_kernel, ACTION_COUNT=action_count)


def draws_by_mask(random_action: Callable[..., Any] | None) -> bool:
    """Say whether a kernel comes from here and not from a game.

    >>> draws_by_mask(random_action_by_mask("example", placeholder, 4)), draws_by_mask(None)
    (True, False)
    """
    plain = getattr(random_action, "py_func", random_action)
    return getattr(plain, "__code__", None) is draw_by_mask.__code__
