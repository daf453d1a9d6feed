"""The ways into a game's kernels from a page, as Numba compiles them for no machine yet.

A page has nothing but one long memory, so every entry takes addresses: of a position, of dice, of
room for an answer. Behind them stand the kernels that play everywhere else: the rules of the game
and the policies of its programs (``sandtable.compiled``), not a word of them written again.

This is imported only by the process of ``compiler``, which has told Numba to optimise nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import carray, types

from sandtable.agent import CompiledPolicy
from sandtable.compiled import placeholder
from sandtable.dice import below, uniform
from sandtable.types import Game

__all__ = ["Entry", "choice_entry", "rules_entries"]

CELLS = types.CPointer(types.int16)
DICE = types.CPointer(types.uint64)
MEMORY = types.CPointer(types.int64)
MASK = types.CPointer(types.boolean)
SCORES = types.CPointer(types.float64)
NUMBER, SHARE = types.int32, types.float64

DICE_CELLS = 4
# Filled in for every entry, as names of a template (compare sandtable.compiled.specialise).
SIZE = ACTIONS = SEATS = ROOM = 1
CONSTANTS: Any = ()
kernel = legal_kernel = placeholder


@dataclass(frozen=True)
class Entry:
    """One function of a page: its name there, and what Numba made of it."""

    name: str
    symbol: str  # its name in the text
    arguments: tuple[str, ...]  # their types, as LLVM writes them
    text: str  # the whole module, as LLVM writes it


def start(position: Any, dice: Any) -> Any:
    """Turn the cells of a map into a starting position."""
    kernel(carray(position, SIZE), carray(dice, DICE_CELLS))
    return np.int32(0)


def turn(position: Any) -> Any:
    """Return the seat to act, or OVER."""
    return np.int32(kernel(carray(position, SIZE)))


def legal(position: Any, mask: Any) -> Any:
    """Mark the legal actions; return how many there are."""
    return np.int32(kernel(carray(position, SIZE), carray(mask, ACTIONS)))


def apply(position: Any, action: Any, dice: Any) -> Any:
    """Play a legal action in place."""
    kernel(carray(position, SIZE), np.int64(action), carray(dice, DICE_CELLS))
    return np.int32(0)


def score(position: Any, scores: Any) -> Any:
    """Write the result of every seat."""
    kernel(carray(position, SIZE), carray(scores, SEATS))
    return np.int32(0)


def hide(position: Any, seat: Any) -> Any:
    """Make the position the view of a seat."""
    kernel(carray(position, SIZE), np.int64(seat))
    return np.int32(0)


def choose(view: Any, dice: Any, memory: Any, which: Any, slips: Any, actions: Any) -> Any:
    """Choose as the level of a game does: by dice now and then, else as its program plays."""
    own, roll = carray(view, SIZE), carray(dice, DICE_CELLS)
    chosen = carray(actions, ACTIONS)
    if slips > 0.0 and uniform(roll) < slips:
        mask = np.zeros(ACTIONS, dtype=np.bool_)
        left = below(roll, legal_kernel(own, mask))
        for action in range(ACTIONS):
            if mask[action]:
                if left == 0:
                    chosen[0] = action
                    return np.int32(1)
                left -= 1
    return np.int32(kernel(own, roll, carray(memory, ROOM), CONSTANTS[which], chosen))


RULES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "start": (start, (CELLS, DICE)),
    "turn": (turn, (CELLS,)),
    "legal": (legal, (CELLS, MASK)),
    "apply": (apply, (CELLS, NUMBER, DICE)),
    "score": (score, (CELLS, SCORES)),
    "hide": (hide, (CELLS, NUMBER)),
}


def rules_entries(game: Game) -> list[Entry]:
    """Return the entries of a game's rules."""
    sizes = {"SIZE": game.position_size, "ACTIONS": game.action_count, "SEATS": len(game.seats)}
    return [
        compiled_entry(name, template, arguments, {**sizes, "kernel": getattr(game.rules, name)})
        for name, (template, arguments) in RULES.items()
    ]


def choice_entry(name: str, game: Game, policies: Sequence[CompiledPolicy]) -> Entry:
    """Return the entry of programs that share a kernel; it is told which of them plays.

    Their constants, such as weights, become part of it.
    """
    named = {
        "SIZE": game.position_size,
        "ACTIONS": game.action_count,
        "ROOM": len(policies[0].memory),
        "CONSTANTS": tuple(each.constants for each in policies),
        "kernel": policies[0].act,
        "legal_kernel": game.rules.legal,
    }
    return compiled_entry(name, choose, (CELLS, DICE, MEMORY, NUMBER, SHARE, CELLS), named)


def compiled_entry(
    name: str, template: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any]
) -> Entry:
    """Fill a template and let Numba turn it into LLVM's text."""
    assert isinstance(template, FunctionType)
    filled = FunctionType(template.__code__, {**template.__globals__, **named}, name)
    options: Any = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
    dispatcher: Any = numba.njit(**options)(filled)
    dispatcher.compile(arguments)
    compiled = next(iter(dispatcher.overloads.values()))
    written = {NUMBER: "i32", SHARE: "double"}
    return Entry(
        name,
        compiled.fndesc.llvm_func_name,
        tuple(written.get(each, "ptr") for each in arguments),
        compiled.library.get_llvm_str(),
    )
