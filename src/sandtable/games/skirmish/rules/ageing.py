"""Skirmish: the passing of time. Units age, buildings raise others, old ones go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.squares import BESIDE, NO_SQUARES, ONE, lowest


@kernel
def raise_unit(position: NDArray[np.int16], square: int, building: int) -> int:
    """Put the unit a building raises on the first free square beside it, and return that.

    With no free square the unit is lost, and the answer is NOWHERE.
    """
    for place in range(BESIDE.shape[1]):
        beside = int(BESIDE[square, place])
        if beside != layout.NOWHERE and layout.is_free(position, beside):
            raised = layout.RAISES[layout.kind(building)]
            position[layout.UNITS + beside] = raised if building > 0 else -raised
            position[layout.AGES + beside] = 1
            return beside
    return layout.NOWHERE


@kernel
def grow_older(position: NDArray[np.int16]) -> np.uint64:
    """Add a half-turn to all ages; return the squares where that may have consequences.

    All periods and lifespans are multiples of four, and workers and soldiers only ever go.
    """
    for square in range(layout.SQUARES):
        position[layout.AGES + square] += np.int16(position[layout.UNITS + square] != 0)
    due = NO_SQUARES
    for square in range(layout.SQUARES):
        unit, age = position[layout.UNITS + square], position[layout.AGES + square]
        may_act = (abs(unit) < layout.WORKER) | (age >= layout.OLDEST)
        is_due = (age > 0) & ((age & np.int16(3)) == 0) & may_act
        due |= np.uint64(is_due) << np.uint64(square)
    return due


@kernel
def tick(position: NDArray[np.int16]) -> None:
    """Let time pass for both sides, as if square by square and in place.

    A unit raised on a square that comes later is therefore aged in the same tick.
    """
    due = grow_older(position)
    while due != NO_SQUARES:
        square = lowest(due)
        due &= due - ONE
        unit, age = position[layout.UNITS + square], position[layout.AGES + square]
        period = layout.PERIOD[layout.kind(unit)]
        if period > 0 and age % period == 0:
            beside = raise_unit(position, square, unit)
            if beside > square:
                position[layout.AGES + beside] += 1
        if age >= layout.LIFESPAN[layout.kind(unit)]:
            layout.remove(position, square)
