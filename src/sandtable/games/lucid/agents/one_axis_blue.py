"""OneAxisBlue: one column is drawn at the start, and everybody attacks along it.

The report's second yardstick (section 5.2). From front to back, units on the axis go north while
there is room; the others step sideways along their row towards the axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import below, coin
from sandtable.games.lucid.agents.movelets import send
from sandtable.games.lucid.rules import CAPACITY, DIRECTIONS, EAST, END, NORTH, SIDE, WEST
from sandtable.types import Game

__all__ = ["OneAxisBlue"]

COLUMN_NAMES = "abcde"
AXIS = 0  # memory: the column of the axis plus one; 0: not drawn yet


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Advance row by row from the front; in a row the axis first, then from near to far."""
    if memory[AXIS] == 0:
        memory[AXIS] = below(dice, SIDE) + 1
    axis = memory[AXIS] - 1
    west_first = coin(dice) == 1  # both sides compete for the same room: neither is favoured
    count = 0
    for row in range(SIDE - 1, -1, -1):
        north = (row * SIDE + axis) * DIRECTIONS + NORTH
        count = send(view, north, CAPACITY, actions, count)
        for distance in range(1, SIDE):
            for side in range(2):
                west = (side == 0) == west_first
                column = axis - distance if west else axis + distance
                if 0 <= column < SIDE:
                    sideways = (row * SIDE + column) * DIRECTIONS + (EAST if west else WEST)
                    count = send(view, sideways, CAPACITY, actions, count)
    actions[count] = END
    return count + 1


class OneAxisBlue(Scripted):
    """Blue; all units attack along one column, drawn at the start (published 5.34)."""

    seats = ("blue",)

    def __init__(self, axis: str = "") -> None:
        """Take a column from a to e instead of drawing one."""
        if axis.lower() not in ("", *COLUMN_NAMES):
            raise ValueError(f"axis is one of a, b, c, d, e, got '{axis}'")
        self.axis = axis.lower()

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its memory holds the axis."""
        return CompiledPolicy(act, (COLUMN_NAMES.index(self.axis) + 1 if self.axis else 0,))
