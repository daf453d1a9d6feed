"""Set-ups of the champion out of a file: those that ``sandtable setups trial`` has left.

The file holds every set-up with the games that it was played in and the points that it won. Which
one is played is drawn: the better its points, the likelier. In every second game it is mirrored.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice, below
from sandtable.errors import SandtableError
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.setups import SETUP_SQUARES
from sandtable.games.stratego.setups import legal_setup

__all__ = ["TestedSetups", "read_tested_setups"]

FINE = 1 << 30  # steps of a random share
TEMPERATURE = 0.05  # points by which a set-up must be better to be drawn e times as often


class TestedSetups:
    """Set-ups and how likely each is drawn.

    >>> setups = TestedSetups(["26529627T2/75846S5827/B34B2634B5/FB323B234B"], [0.6])
    >>> setups.chances.tolist(), setups.draw(Dice(1)).shape
    ([1.0], (40,))
    """

    __test__ = False  # it is no test, whatever its name begins with

    def __init__(self, setups: list[str], shares: list[float]) -> None:
        ranks = [legal_setup(setup, layout.CLASSIC).ranks for setup in setups]
        self.ranks = np.array(ranks, dtype=np.int64).reshape(-1, SETUP_SQUARES)
        raised = np.exp((np.array(shares) - max(shares)) / TEMPERATURE)
        self.chances: NDArray[np.float64] = raised / raised.sum()

    def draw(self, dice: Dice) -> NDArray[np.int64]:
        """Draw one of the set-ups [40], as it is or mirrored."""
        place = below(dice.array, FINE) / FINE
        index = int(np.searchsorted(np.cumsum(self.chances), place, side="right"))
        rows = self.ranks[min(index, len(self.ranks) - 1)].reshape(-1, layout.SIDE)
        return np.ascontiguousarray(rows[:, ::-1] if below(dice.array, 2) else rows).ravel()


def read_tested_setups(path: Path) -> TestedSetups:
    """Read a file that ``sandtable setups trial`` has written.

    Raises SandtableError if it cannot be read or holds no set-ups with games and points.
    """
    try:
        kept = json.loads(path.read_text("utf-8"))["setups"]
        setups = [str(each["setup"]) for each in kept]
        shares = [float(each["points"]) / int(each["games"]) for each in kept]
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as problem:
        raise SandtableError(f"{path} holds no set-ups of a trial: {problem}") from None
    if not setups:
        raise SandtableError(f"{path} holds no set-ups of a trial")
    return TestedSetups(setups, shares)
