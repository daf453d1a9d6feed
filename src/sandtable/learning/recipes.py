"""Training recipes by name, through entry points in the group ``sandtable.recipes``.

A recipe is one published training method with one configuration (``sandtable.learning.config``),
carried out as a run in a folder (``sandtable.learning.run``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandtable.errors import MissingExtra, UnknownName, suggestion
from sandtable.registry import load, registered

if TYPE_CHECKING:  # names of recipes are listed without NumPy
    from sandtable.learning.run import Control, Metrics

__all__ = ["Recipe", "load_recipe", "missing_extra_named", "recipe_names"]

GROUP = "sandtable.recipes"
LEARNING_LIBRARIES = ("torch", "onnx", "tensorboard")


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
    # Fixed agents that a preset trains a best response to: agent -> the preset, and the spec of the
    # agent that plays what was exported, in which FOLDER stands for the folder of the run.
    responses: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    on_cluster: bool = False  # whether the nodes of a cluster can play its games


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
    with missing_extra_named():
        recipe: Recipe = load(GROUP, "recipe", name)
    return recipe


@contextmanager
def missing_extra_named() -> Iterator[None]:
    """Name the extra that is missing, whenever a recipe finds out that it needs a library of it.

    >>> try:
    ...     with missing_extra_named():
    ...         raise ModuleNotFoundError("No module named 'torch'", name="torch")
    ... except MissingExtra as problem:
    ...     print(problem)
    training needs the extra 'learn': pip install 'sandtable-games[learn]'
    """
    try:
        yield
    except (UnknownName, ModuleNotFoundError) as problem:
        cause = problem.__cause__ if isinstance(problem, UnknownName) else problem
        name = cause.name if isinstance(cause, ModuleNotFoundError) else None
        if (name or "").partition(".")[0] in LEARNING_LIBRARIES:
            raise MissingExtra("training", "learn") from problem
        raise
