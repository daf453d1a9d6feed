"""Sandtable: a workbench for strategy games that defeat ordinary search.

The names below are the public surface; nothing else is promised. They are imported when they are
first used, so that ``import sandtable`` stays quick.

>>> import sandtable
>>> game = sandtable.make_game("lucid")
>>> dice = sandtable.Dice(seed=1)
>>> state = game.start(dice)
>>> state.line
'r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -'
>>> state.play("a1-a2 b1-b2").line
'r2,r2,r2,r2,r2/5/5/b1,b1,3/b2,b2,b3,b3,b3 b 1 0 a2:1,b2:1'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandtable.agent import Agent, CompiledPolicy
    from sandtable.batch import Batch
    from sandtable.compiled import kernel
    from sandtable.conformance import check_agent, check_game
    from sandtable.dice import Dice
    from sandtable.errors import SandtableError
    from sandtable.registry import agent_names, game_names, make_agent, make_game
    from sandtable.types import OVER, Game, Outcome, Rules, State

__all__ = [
    "OVER",
    "Agent",
    "Batch",
    "CompiledPolicy",
    "Dice",
    "Game",
    "Outcome",
    "Rules",
    "SandtableError",
    "State",
    "agent_names",
    "check_agent",
    "check_game",
    "game_names",
    "kernel",
    "make_agent",
    "make_game",
]

HOMES = {
    "sandtable.agent": ("Agent", "CompiledPolicy"),
    "sandtable.batch": ("Batch",),
    "sandtable.compiled": ("kernel",),
    "sandtable.conformance": ("check_agent", "check_game"),
    "sandtable.dice": ("Dice",),
    "sandtable.errors": ("SandtableError",),
    "sandtable.registry": ("agent_names", "game_names", "make_agent", "make_game"),
    "sandtable.types": ("OVER", "Game", "Outcome", "Rules", "State"),
}
HOME_OF_NAME = {name: module for module, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in HOME_OF_NAME:
        raise AttributeError(f"module 'sandtable' has no attribute '{name}'")
    value = getattr(importlib.import_module(HOME_OF_NAME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
