"""Training recipes by name, through entry points in the group ``sandtable.recipes``.

A recipe is one published training method with one configuration, a frozen dataclass whose fields
become the options of ``sandtable train``, the header of the log and a part of every checkpoint.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandtable.errors import MissingExtra, SandtableError, UnknownName, suggestion
from sandtable.registry import load, registered

__all__ = [
    "Control",
    "Recipe",
    "check_same_config",
    "config_field",
    "load_recipe",
    "recipe_names",
]

GROUP = "sandtable.recipes"
LEARNING_LIBRARIES = ("torch", "safetensors", "onnx")


def config_field(default: Any, about: str) -> Any:
    """Return a field of a configuration with a line on what it means."""
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True)
class Control:
    """What a run asks from whoever started it, and tells them."""

    device: str = "auto"
    threads: int = 1  # of torch on the CPU; another number may change the last bits of the weights
    seconds: float | None = None  # stop after that long, with a checkpoint; None: at the end
    stopping: Callable[[], bool] = lambda: False  # asked after every move
    tell: Callable[[dict[str, Any]], None] = lambda facts: None  # after every game
    warn: Callable[[str], None] = lambda line: None
    began: float = field(default_factory=time.monotonic)
    jobs: int = 1  # processes, where a recipe can use several; never of any influence on the result

    def must_stop(self) -> bool:
        """Say whether the run has to end before its last game."""
        late = self.seconds is not None and time.monotonic() - self.began >= self.seconds
        return late or self.stopping()


def game_line(facts: dict[str, Any]) -> str:
    """Write in a few words how learning goes: the ``news`` among the facts, or loss and wins."""
    if "news" in facts:
        return str(facts["news"])
    loss = "" if facts["loss"] is None else f"loss {facts['loss']:.4g}, "
    return f"{loss}win rate {facts['win_rate']:.0%}"


@dataclass(frozen=True)
class Recipe:
    """A training method.

    What it tells has the number of the last unit done, from 0, under the name of the unit.
    """

    summary: str
    presets: Mapping[str, Any]  # configurations by name; the first is the published one
    train: Callable[[Any, Path, Control], bool]  # (config, folder, control) -> whether finished
    export: Callable[[Path], str]  # writes the weights for playing from a folder; what was done
    unit: str = "game"  # what a run consists of, and the name of its number in what is told
    length: Callable[[Any], int] = lambda config: int(config.games)  # of a run, in units
    told: Callable[[dict[str, Any]], str] = game_line  # facts in a few words


def recipe_names() -> list[str]:
    """Return the names of all installed recipes."""
    return list(registered(GROUP))


def load_recipe(name: str) -> Recipe:
    """Return the recipe of this name."""
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


def check_same_config(
    folder: Path, config: Any, found: Mapping[str, Any], growing: str = "games"
) -> None:
    """Refuse to go on with another configuration than a run was started with.

    Only more games (or what else the run consists of) are allowed: those that were played do not
    depend on their number.
    """
    wanted = dataclasses.asdict(config)
    differences = [
        f"{name.replace('_', '-')} {found.get(name)} there, {value} here"
        for name, value in wanted.items()
        if found.get(name) != value and name != growing
    ]
    if wanted.get(growing, 0) < found.get(growing, 0):
        differences.append(f"{growing} {found[growing]} there, {wanted[growing]} here")
    if differences:
        raise SandtableError(
            f"{folder} holds a run with another configuration ({'; '.join(differences)}); "
            f"choose another folder, or the same options"
        )
