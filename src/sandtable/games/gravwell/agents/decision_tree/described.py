"""The decision trees of section 3.5 as the text describes them: for draft, play and stop.

The draft wants a varied hand: of the groups tractors, repulsors, low normals (up to 3) and high
normals (8 or more) it takes the first of which it holds none and the field shows one, the earliest
letter inside a group. Otherwise it draws a stack. The play goes forward: with a target ahead the
highest normal card, with one behind the highest repulsor; where it has none a tractor, and without
that the card that does the least harm. A stuck ship plays any card. The Emergency Stop is used
whenever the own card would set the ship back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell.agents.card_sets import (
    NORMALS,
    REPULSORS,
    TRACTORS,
    drawn,
    earliest,
    field_of,
    hand_of,
    highest,
    lowest,
    normals_from,
)
from sandtable.games.gravwell.layout import (
    CURRENT,
    DRAFTING,
    GO,
    MOVER,
    PHASE,
    PLAYING,
    SHIPS,
    STOP,
    TAKE,
    whole,
)
from sandtable.games.gravwell.rules.movement import destination, direction_of

__all__ = ["HIGH", "LOW", "act", "draft", "play", "sets_back"]

LOW, HIGH = normals_from(1, 3), normals_from(8)
GROUPS = (TRACTORS, REPULSORS, LOW, HIGH)


@kernel
def draft(hand: int, field: int, dice: NDArray[np.uint64]) -> int:
    """Return the visible card of the stack to take."""
    for group in GROUPS:
        if hand & group == 0 and field & group != 0:
            return earliest(field & group)
    return drawn(field, dice)


@kernel
def play(view: NDArray[np.int16], seat: int, hand: int, dice: NDArray[np.uint64]) -> int:
    """Return the card to play."""
    direction = direction_of(view, seat)
    if direction == 0:
        return drawn(hand, dice)
    forward = hand & (NORMALS if direction > 0 else REPULSORS)
    if forward:
        return highest(forward)
    return earliest(hand & TRACTORS) if hand & TRACTORS else lowest(hand)


@kernel
def sets_back(view: NDArray[np.int16], seat: int, card: int) -> bool:
    """Say whether a card would bring the ship that plays it away from the gate."""
    return bool(destination(view, seat, card) < view[SHIPS + seat])


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    actions: NDArray[np.int16],
) -> int:
    """Ask the tree of the phase."""
    seat = whole(view[MOVER])
    if view[PHASE] == DRAFTING:
        actions[0] = TAKE + draft(hand_of(view, seat), field_of(view), dice)
    elif view[PHASE] == PLAYING:
        actions[0] = play(view, seat, hand_of(view, seat), dice)
    else:
        actions[0] = STOP if sets_back(view, seat, whole(view[CURRENT])) else GO
    return 1
