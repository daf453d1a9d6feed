"""Skirmish as the input of a network: the six planes of the thesis, seen by one side.

Second sees the board upside down and with the signs swapped, so that to a network the own side is
always positive and always plays from the bottom.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish.rules import (
    AGES,
    FIRST,
    LAND,
    SIDE,
    SQUARES,
    UNITS,
    kind,
    side_sign,
)

__all__ = ["OLDEST", "PLANE_NAMES", "encode"]

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
OLDEST = 80.0  # half-turns, the longest life


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write a position into planes [6, 8, 8], all values from -1 to 1."""
    planes[:] = 0.0
    sign = side_sign(seat)
    for square in range(SQUARES):
        row, column = square // SIDE, square % SIDE
        seen_row = row if seat == FIRST else SIDE - 1 - row
        planes[LAND_PLANE, seen_row, column] = position[LAND + square]
        unit = position[UNITS + square] * sign
        if unit != 0:
            own = 1.0 if unit > 0 else -1.0
            planes[kind(unit), seen_row, column] = own
            planes[AGE_PLANE, seen_row, column] = own * position[AGES + square] / OLDEST
