"""Configurations of training runs: what can be chosen, its limits, and stages of a run.

A configuration is a frozen dataclass whose fields become the options of ``sandtable train``, the
header of the log and a part of every checkpoint. Each field says what it means and which values it
takes, so there is one check for all of them and one kind of message.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sandtable.errors import SandtableError, suggestion

__all__ = [
    "RunConfig",
    "Stage",
    "as_saved",
    "check_config",
    "check_same_config",
    "config_field",
    "config_from",
    "in_round",
]


@dataclass(frozen=True)
class RunConfig:
    """What every configuration is derived from.

    >>> @dataclass(frozen=True)
    ... class Small(RunConfig):
    ...     games: int = config_field(10, "games to learn from", least=1)
    >>> Small().games
    10
    """

    def check(self) -> None:
        """Raise a SandtableError if fields contradict each other; limits are checked before."""


def config_field(
    default: Any,
    about: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Sequence[str] = (),
    extendable: bool = False,
) -> Any:
    """Return a field of a configuration: a line on what it means, and the values it takes.

    A run may go on with more of what is ``extendable``: nothing that was done depends on it.

    >>> @dataclass(frozen=True)
    ... class Config(RunConfig):
    ...     games: int = config_field(100, "games to play", least=1, extendable=True)
    >>> check_config(Config(games=0))
    Traceback (most recent call last):
        ...
    sandtable.errors.SandtableError: --games is at least 1, got 0
    """
    limits = {"least": least, "most": most, "above": above, "below": below}
    metadata = {"about": about, "choices": tuple(choices), "extendable": extendable} | limits
    return field(default=default, metadata=metadata)


def option_of(name: str) -> str:
    """Return the option that sets a field.

    >>> option_of("learning_rate")
    '--learning-rate'
    """
    return f"--{name.replace('_', '-')}"


def limits_text(limits: Mapping[str, Any]) -> str:
    """Write the limits of a number in words.

    >>> limits_text({"least": 0, "most": 1, "above": None, "below": None})
    'from 0 to 1'
    >>> limits_text({"least": None, "most": None, "above": 0, "below": None})
    'above 0'
    """
    if limits["least"] is not None and limits["most"] is not None:
        return f"from {limits['least']} to {limits['most']}"
    words = {"least": "at least", "above": "above", "most": "at most", "below": "below"}
    found = [f"{word} {limits[key]}" for key, word in words.items() if limits[key] is not None]
    return " and ".join(found) or "a finite number"


def within(value: float, limits: Mapping[str, Any]) -> bool:
    """Say whether a number keeps its limits; one that is not finite never does."""
    return math.isfinite(value) and all(
        (
            limits["least"] is None or value >= limits["least"],
            limits["most"] is None or value <= limits["most"],
            limits["above"] is None or value > limits["above"],
            limits["below"] is None or value < limits["below"],
        )
    )


def check_config(config: RunConfig) -> None:
    """Refuse values that make no sense, each in one line, before anything is done with them."""
    for each in dataclasses.fields(config):
        value, option = getattr(config, each.name), option_of(each.name)
        if "choices" not in each.metadata:
            continue  # a plain field of somebody's recipe has no limits
        if each.metadata["choices"] and value not in each.metadata["choices"]:
            known = ", ".join(each.metadata["choices"])
            hint = suggestion(value, each.metadata["choices"])
            raise SandtableError(f"{option} is one of {known}, got '{value}'.{hint}")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if number and not within(value, each.metadata):
            raise SandtableError(f"{option} is {limits_text(each.metadata)}, got {value}")
    config.check()


def as_saved(config: RunConfig) -> dict[str, Any]:
    """Return a configuration as a checkpoint gives it back: what JSON makes of it."""
    saved: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))
    return saved


Config = TypeVar("Config", bound=RunConfig)


def config_from(kind: type[Config], found: Mapping[str, Any], folder: Path) -> Config:
    """Return the configuration of the run in a folder, as its checkpoint holds it.

    Options that are newer than the run have the values they have by default.

    >>> @dataclass(frozen=True)
    ... class Small(RunConfig):
    ...     games: int = config_field(10, "games to learn from", least=1)
    >>> config_from(Small, {"games": 20}, Path("run")).games
    20
    >>> config_from(Small, {"game": 20}, Path("run"))
    Traceback (most recent call last):
        ...
    sandtable.errors.SandtableError: run holds a run with options that this version does not have \
(--game); take the version that it was made with, or train anew in another folder
    """
    unknown = sorted(set(found) - {each.name for each in dataclasses.fields(kind)})
    if unknown:
        raise SandtableError(
            f"{folder} holds a run with options that this version does not have "
            f"({', '.join(map(option_of, unknown))}); take the version that it was made with, or "
            "train anew in another folder"
        )
    return kind(**found)


def check_same_config(folder: Path, config: RunConfig, found: Mapping[str, Any]) -> None:
    """Refuse to go on with another configuration than a run was started with.

    Only what is extendable may have grown. Fields that are newer than the run have the values they
    have by default.
    """
    differences = []
    wanted = as_saved(config)
    defaults = as_saved(type(config)())
    for each in dataclasses.fields(config):
        here, there = wanted[each.name], found.get(each.name, defaults[each.name])
        if here == there or (each.metadata["extendable"] and here > there):
            continue
        shown = option_of(each.name).removeprefix("--")
        differences.append(f"{shown} {there} there, {here} here")
    if differences:
        raise SandtableError(
            f"{folder} holds a run with another configuration ({'; '.join(differences)}); "
            f"choose another folder, or the same options"
        )


# --- stages --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """What changes in the configuration from a round of a run on, and why."""

    first_round: int
    about: str
    changes: dict[str, Any]


def in_round(config: Config, stages: Sequence[Stage], number: int) -> Config:
    """Return a configuration as it is in a round: with the changes of all stages up to it.

    >>> @dataclass(frozen=True)
    ... class Config(RunConfig):
    ...     rate: float = config_field(1.0, "learning rate")
    >>> stages = [Stage(10, "settle", {"rate": 0.25})]
    >>> [in_round(Config(), stages, number).rate for number in (9, 10, 11)]
    [1.0, 0.25, 0.25]
    """
    changes: dict[str, Any] = {}
    for stage in stages:
        if stage.first_round <= number:
            changes |= stage.changes
    return dataclasses.replace(config, **changes)
