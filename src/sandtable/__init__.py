"""Sandtable: a workbench for strategy games that defeat ordinary search.

The names in ``__all__`` are the public surface, nothing else is promised; docs/stability.md says
what that means. Each is imported when it is first used, so that ``import sandtable`` stays quick.

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
    from sandtable.agent import Agent, Analysis, Candidate, CompiledPolicy, Explanation
    from sandtable.agents.scripted import Scripted
    from sandtable.arena.play.game_loop import PlayedGame, play_game
    from sandtable.arena.play.match import play_match
    from sandtable.arena.play.plan import MatchPlan, make_plan
    from sandtable.arena.statistics.intervals import Estimate, estimate_mean
    from sandtable.arena.statistics.results import MatchResult
    from sandtable.batch import Batch
    from sandtable.cli.common import new_command
    from sandtable.compiled import kernel
    from sandtable.conformance import check_agent, check_game
    from sandtable.dice import Dice, below, coin, uniform
    from sandtable.errors import (
        Forfeit,
        IllegalAction,
        MissingExtra,
        SandtableError,
        UnknownName,
        UnreadableAction,
        UnreadablePosition,
        UnreadableSpec,
        WrongSeats,
    )
    from sandtable.files import write_whole
    from sandtable.learning.config import RunConfig, config_field
    from sandtable.learning.recipes import Recipe, load_recipe
    from sandtable.learning.run import Control, Run, trained
    from sandtable.notebook import Replay
    from sandtable.records.record import Record
    from sandtable.registry import agent_names, game_names, make_agent, make_game
    from sandtable.reports.plots import IntervalPlot, Mark, PlotRow, interval_plot
    from sandtable.reproduce.comparison import ComparedMeans, Comparison, Figure
    from sandtable.reproduce.run import play_row_match, wanted_rows
    from sandtable.screens import BoardScreen, Choice, FormOption, Preset, Series
    from sandtable.types import OVER, Drawing, Game, Notation, Outcome, Rules, State

__all__ = [
    "OVER",
    "Agent",
    "Analysis",
    "Batch",
    "BoardScreen",
    "Candidate",
    "Choice",
    "ComparedMeans",
    "Comparison",
    "CompiledPolicy",
    "Control",
    "Dice",
    "Drawing",
    "Estimate",
    "Explanation",
    "Figure",
    "Forfeit",
    "FormOption",
    "Game",
    "IllegalAction",
    "IntervalPlot",
    "Mark",
    "MatchPlan",
    "MatchResult",
    "MissingExtra",
    "Notation",
    "Outcome",
    "PlayedGame",
    "PlotRow",
    "Preset",
    "Recipe",
    "Record",
    "Replay",
    "Rules",
    "Run",
    "RunConfig",
    "SandtableError",
    "Scripted",
    "Series",
    "State",
    "UnknownName",
    "UnreadableAction",
    "UnreadablePosition",
    "UnreadableSpec",
    "WrongSeats",
    "agent_names",
    "below",
    "check_agent",
    "check_game",
    "coin",
    "config_field",
    "estimate_mean",
    "game_names",
    "interval_plot",
    "kernel",
    "load_recipe",
    "make_agent",
    "make_game",
    "make_plan",
    "new_command",
    "play_game",
    "play_match",
    "play_row_match",
    "trained",
    "uniform",
    "wanted_rows",
    "write_whole",
]

HOMES = {
    "sandtable.agent": ("Agent", "Analysis", "Candidate", "CompiledPolicy", "Explanation"),
    "sandtable.agents.scripted": ("Scripted",),
    "sandtable.arena.play.game_loop": ("PlayedGame", "play_game"),
    "sandtable.arena.play.match": ("play_match",),
    "sandtable.arena.play.plan": ("MatchPlan", "make_plan"),
    "sandtable.arena.statistics.intervals": ("Estimate", "estimate_mean"),
    "sandtable.arena.statistics.results": ("MatchResult",),
    "sandtable.batch": ("Batch",),
    "sandtable.cli.common": ("new_command",),
    "sandtable.compiled": ("kernel",),
    "sandtable.conformance": ("check_agent", "check_game"),
    "sandtable.dice": ("Dice", "below", "coin", "uniform"),
    "sandtable.errors": (
        "Forfeit",
        "IllegalAction",
        "MissingExtra",
        "SandtableError",
        "UnknownName",
        "UnreadableAction",
        "UnreadablePosition",
        "UnreadableSpec",
        "WrongSeats",
    ),
    "sandtable.files": ("write_whole",),
    "sandtable.learning.config": ("RunConfig", "config_field"),
    "sandtable.learning.recipes": ("Recipe", "load_recipe"),
    "sandtable.learning.run": ("Control", "Run", "trained"),
    "sandtable.notebook": ("Replay",),
    "sandtable.records.record": ("Record",),
    "sandtable.registry": ("agent_names", "game_names", "make_agent", "make_game"),
    "sandtable.reports.plots": ("IntervalPlot", "Mark", "PlotRow", "interval_plot"),
    "sandtable.reproduce.comparison": ("ComparedMeans", "Comparison", "Figure"),
    "sandtable.reproduce.run": ("play_row_match", "wanted_rows"),
    "sandtable.screens": ("BoardScreen", "Choice", "FormOption", "Preset", "Series"),
    "sandtable.types": ("OVER", "Drawing", "Game", "Notation", "Outcome", "Rules", "State"),
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
