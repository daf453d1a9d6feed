"""Drawing a legal action from a mask, in a game that has no quicker way.

A mask has a byte for each action; eight of them lie in a word, filled up with zeros. The template
below (see sandtable.compiled) makes a mask for each draw; who draws often keeps one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel, placeholder, specialise
from sandtable.dice import below

__all__ = ["draws_by_mask", "legal_action", "random_action_by_mask", "words_in_mask"]

# What the template below is specialised with.
legal = placeholder
ACTION_COUNT = 0

MARKS = 8  # of a mask that fit in one word
BLOCK = 8  # words that are counted together
NO_MARKS, LOWEST_BYTE = np.uint64(0), np.uint64(0xFF)
HALF_WORD, QUARTER_WORD, ONE_BYTE = np.uint64(32), np.uint64(16), np.uint64(8)  # bits


def words_in_mask(action_count: int) -> int:
    """Return how many words a mask of so many actions takes.

    >>> words_in_mask(16), words_in_mask(17)
    (2, 3)
    """
    return -(-action_count // MARKS)


@kernel
def marks_in(word: np.uint64) -> np.int64:
    """Count the legal actions in a word of a mask, or in the sum of a block: the sum of its bytes.

    It is added up in halves, so that no product overflows when this runs as plain Python.
    """
    word += word >> HALF_WORD
    word += word >> QUARTER_WORD
    word += word >> ONE_BYTE
    return np.int64(word & LOWEST_BYTE)


@kernel
def legal_action(words: NDArray[np.uint64], masks: NDArray[np.bool_], place: np.int64) -> int:
    """Return the legal action that so many others come before, of a mask and the same as words.

    Blocks of words are passed over first, then words, then single actions: without a branch that
    depends on the masks, which a processor cannot foresee.
    """
    word = 0
    while word + BLOCK <= len(words):
        total = NO_MARKS
        for step in range(BLOCK):
            total += words[word + step]
        count = marks_in(total)
        if count > place:
            break
        place -= count
        word += BLOCK
    while word < len(words) - 1:
        count = marks_in(words[word])
        if count > place:
            break
        place -= count
        word += 1
    for action in range(word * MARKS, (word + 1) * MARKS):
        place -= masks[action]
        if place < 0:
            return action
    return 0


def draw_by_mask(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one legal action, each as likely."""
    words = np.zeros(-(-ACTION_COUNT // MARKS), dtype=np.uint64)
    masks = words.view(np.bool_)
    return int(legal_action(words, masks, below(dice, legal(position, masks[:ACTION_COUNT]))))


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
