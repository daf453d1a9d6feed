"""SimpleBlue: every unit one step north in every turn, if there is room.

The report's first yardstick (section 5.2): three Blue units take on two Red ones in every node of
the top row at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.games.lucid.agents.movelets import send
from sandtable.games.lucid.rules import BLUE, CAPACITY, DIRECTIONS, END, NODES, NORTH
from sandtable.types import Game

__all__ = ["SimpleBlue"]


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Go through the nodes from the front to the back, so that those behind find room."""
    count = 0
    for node in range(NODES - 1, -1, -1):
        if view[BLUE + node] > 0:
            count = send(view, node * DIRECTIONS + NORTH, CAPACITY, actions, count)
    actions[count] = END
    return count + 1


class SimpleBlue(Scripted):
    """Blue; every unit one step north each turn (published 3.88)."""

    seats = ("blue",)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; it needs no memory."""
        return CompiledPolicy(act)
