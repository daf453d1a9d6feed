"""Skirmish as the input of a network: the six planes of the thesis, seen by one side.

Second sees the board upside down and with the signs swapped, so that to a network the own side is
always positive and always plays from the bottom.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.rules import sides

__all__ = ["ACTION_FRAMES", "OLDEST", "PLANE_NAMES", "encode"]

PLANE_NAMES = (
    "land",
    "towns, own 1 and other -1",
    "barracks, own 1 and other -1",
    "workers, own 1 and other -1",
    "soldiers, own 1 and other -1",
    "age, own above and other below 0, in eightieths",
)
LAND_PLANE = 0  # the kinds follow in the order of their numbers, TOWN = 1 first
AGE_PLANE = 5
OLDEST = np.float32(80.0)  # half-turns, the longest life


def action_frames() -> NDArray[np.int64]:
    """Build the table [seat, action as the seat sees the board] of actions: Second's is turned.

    >>> int(action_frames()[layout.SECOND, 0])  # to the upper left from its a8: down from a1
    510
    """
    table = np.tile(np.arange(layout.ACTIONS, dtype=np.int64), (2, 1))
    square, step = np.divmod(table[layout.SECOND, : layout.PASS], layout.STEPS)
    row, column = np.divmod(square, layout.SIDE)
    down, right = np.divmod(step, 3)
    table[layout.SECOND, : layout.PASS] = (
        ((layout.SIDE - 1 - row) * layout.SIDE + column) * layout.STEPS + (2 - down) * 3 + right
    )
    table.flags.writeable = False
    return table


ACTION_FRAMES = action_frames()


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write a position into planes [6, 8, 8], all values from -1 to 1."""
    planes[:] = 0.0
    turned = 0 if seat == layout.FIRST else layout.SIDE - 1  # row r is seen as row r ^ turned
    for row in range(layout.SIDE):
        for column in range(layout.SIDE):
            planes[LAND_PLANE, row ^ turned, column] = position[
                layout.LAND + row * layout.SIDE + column
            ]
    first, second = sides(position)
    taken = first | second
    while taken != layout.NO_SQUARES:
        square = layout.lowest(taken)
        taken &= taken - layout.ONE
        unit = position[layout.UNITS + square] * layout.side_sign(seat)
        own = np.float32(1.0 if unit > 0 else -1.0)
        row, column = (square // layout.SIDE) ^ turned, square % layout.SIDE
        planes[layout.kind(unit), row, column] = own
        planes[AGE_PLANE, row, column] = own * np.float32(position[layout.AGES + square]) / OLDEST
