"""Training recipes by name, through entry points in the group ``sandtable.recipes``.

A recipe is one published training method with one configuration (``sandtable.learning.config``),
carried out as a run in a folder (``sandtable.learning.run``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandtable.errors import MissingExtra, UnknownName, suggestion
from sandtable.registry import load, registered

if TYPE_CHECKING:  # names of recipes are listed without NumPy
    from sandtable.learning.run import Control, Metrics

__all__ = ["Recipe", "load_recipe", "recipe_names"]

GROUP = "sandtable.recipes"
LEARNING_LIBRARIES = ("torch", "onnx")


def game_line(metrics: Metrics) -> str:
    """Write in a few words how a game went and how learning goes.

    >>> game_line({"opponent": "copy", "result": 1, "turns": 9, "loss": None, "win_rate": 0.5})
    'against copy +1 in 9 turns, win rate 50%'
    """
    loss = "" if metrics["loss"] is None else f"loss {metrics['loss']:.4g}, "
    game = f"against {metrics['opponent']} {metrics['result']:+g} in {metrics['turns']} turns"
    return f"{game}, {loss}win rate {metrics['win_rate']:.0%}"


@dataclass(frozen=True)
class Recipe:
    """A training method.

    The metrics it reports have the number of the last unit done, from 0, under the unit's name.
    """

    summary: str
    presets: Mapping[str, Any]  # configurations by name; the first is the published one
    train: Callable[[Any, Path, Control], bool]  # (config, folder, control) -> whether finished
    export: Callable[[Path], str]  # writes the weights for playing from a folder; what was done
    unit: str = "game"  # what a run consists of, and the name of its number in the metrics
    length: Callable[[Any], int] = lambda config: int(config.games)  # of a run, in units
    progress_line: Callable[[Metrics], str] = game_line  # metrics in a few words


def recipe_names() -> list[str]:
    """Return the names of all installed recipes."""
    return list(registered(GROUP))


def load_recipe(name: str) -> Recipe:
    """Return the recipe of this name.

    >>> load_recipe("gravwell/q-learning").unit
    'game'
    """
    if name not in registered(GROUP):
        raise UnknownName(
            f"there is no recipe '{name}'.{suggestion(name, recipe_names())} "
            f"Known are {', '.join(recipe_names())}."
        )
    try:
        recipe: Recipe = load(GROUP, "recipe", name)
    except UnknownName as problem:
        cause = problem.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name in LEARNING_LIBRARIES:
            raise MissingExtra("training", "learn") from problem
        raise
    return recipe
