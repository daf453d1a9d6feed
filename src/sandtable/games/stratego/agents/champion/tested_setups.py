"""The champion's own set-ups: drawn as people make them, and kept for what came of them in games.

``tested-setups.json`` holds every set-up that the last halving of ``sandtable setups trial`` left,
with the games that it was played in and the points that it won. Which one is played is drawn: the
better its points, the likelier, and in every second game it is mirrored.
"""

from __future__ import annotations

import functools
import json
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice, below
from sandtable.games.stratego import layout
from sandtable.games.stratego.setups import parse_setup

__all__ = ["draw_tested", "tested_setups"]

FINE = 1 << 30  # steps of a random share
TEMPERATURE = 0.05  # points by which a set-up must be better to be drawn e times as often


@functools.cache
def tested_setups() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the set-ups [n, 40], ranks from the front row, and how likely each is drawn [n].

    >>> setups, chances = tested_setups()
    >>> setups.shape[1], round(float(chances.sum()), 6)
    (40, 1.0)
    """
    text = (files(__package__) / "tested-setups.json").read_text("utf-8")
    kept = json.loads(text)["setups"]
    setups = [parse_setup(each["setup"], layout.CLASSIC).ranks for each in kept]
    points = np.array([each["points"] / each["games"] for each in kept])
    chances = np.exp((points - points.max()) / TEMPERATURE)
    return np.array(setups, dtype=np.int64), chances / chances.sum()


def draw_tested(dice: Dice) -> NDArray[np.int64]:
    """Draw one of the tested set-ups [40], as it is or mirrored."""
    setups, chances = tested_setups()
    place = below(dice.array, FINE) / FINE
    index = min(int(np.searchsorted(np.cumsum(chances), place, side="right")), len(setups) - 1)
    ranks = setups[index].reshape(-1, layout.SIDE)
    return np.ascontiguousarray(ranks[:, ::-1] if below(dice.array, 2) else ranks).ravel()
