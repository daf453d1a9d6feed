"""Skirmish: the units that stand on the board besides the towns when a game starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.rules.ageing import raise_unit

# Training starts (START is RANDOM): chances of extra units, of each tile, and of each kind.
RANDOMISED_OF_FIVE = 4
EXTRA_UNITS_OF_SQUARES = 10
EXTRA_KINDS = 3  # barracks, worker, soldier


@kernel
def add_first_workers(position: NDArray[np.int16]) -> None:
    """Put a worker beside each town, as if the town had just raised it."""
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square]
        if layout.kind(unit) == layout.TOWN:
            raise_unit(position, square, unit)


@kernel
def add_extra_units(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Scatter units over the land, First's more likely the lower the row."""
    for square in range(layout.SQUARES):
        if not layout.is_free(position, square):
            continue
        if below(dice, layout.SQUARES) < EXTRA_UNITS_OF_SQUARES:
            unit = layout.BARRACKS + below(dice, EXTRA_KINDS)
            first = below(dice, layout.SIDE - 1) < square // layout.SIDE
            position[layout.UNITS + square] = unit if first else -unit
            position[layout.AGES + square] = 1


@kernel
def flip(position: NDArray[np.int16]) -> None:
    """Turn the board upside down and swap the sides."""
    for square in range(layout.SQUARES // 2):
        mirrored = (layout.SIDE - 1 - square // layout.SIDE) * layout.SIDE + square % layout.SIDE
        for board in (layout.LAND, layout.UNITS, layout.AGES):
            above, below_it = position[board + square], position[board + mirrored]
            sign = -1 if board == layout.UNITS else 1
            position[board + square] = sign * below_it
            position[board + mirrored] = sign * above
