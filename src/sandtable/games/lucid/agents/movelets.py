"""How scripted agents of Operation Lucid write their movelets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid.rules import (
    CAPACITY,
    DESTINATION,
    MOVER,
    TO_GOAL,
    movable,
    move_units,
    own_board,
)

__all__ = ["send"]


@kernel
def send(
    view: NDArray[np.int16], action: int, most: int, actions: NDArray[np.int16], count: int
) -> int:
    """Move up to ``most`` units over the edge of a movelet, as far as the rules allow.

    The movelets are played on the view and appended to the ``count`` actions there are already;
    the new number of actions is returned.
    """
    units = min(most, movable(view, action >> 2))
    destination = DESTINATION[action]
    if destination != TO_GOAL:
        own = own_board(view[MOVER])
        units = min(units, CAPACITY - int(view[own + destination]))
    if units <= 0:
        return count
    move_units(view, action, units)
    for index in range(count, count + units):
        actions[index] = action
    return count + units
