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
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents import card_sets
from sandtable.games.gravwell.rules.movement import destination, direction_of

__all__ = ["HIGH", "LOW", "act", "draft", "play", "sets_back"]

LOW, HIGH = card_sets.normals_from(1, 3), card_sets.normals_from(8)
GROUPS = (card_sets.TRACTORS, card_sets.REPULSORS, LOW, HIGH)


@kernel
def draft(hand: int, field: int, dice: NDArray[np.uint64]) -> int:
    """Return the visible card of the stack to take."""
    for group in GROUPS:
        if hand & group == 0 and field & group != 0:
            return card_sets.earliest(field & group)
    return card_sets.drawn(field, dice)


@kernel
def play(view: NDArray[np.int16], seat: int, hand: int, dice: NDArray[np.uint64]) -> int:
    """Return the card to play."""
    direction = direction_of(view, seat)
    if direction == 0:
        return card_sets.drawn(hand, dice)
    forward = hand & (card_sets.NORMALS if direction > 0 else card_sets.REPULSORS)
    if forward:
        return card_sets.highest(forward)
    return (
        card_sets.earliest(hand & card_sets.TRACTORS)
        if hand & card_sets.TRACTORS
        else card_sets.lowest(hand)
    )


@kernel
def sets_back(view: NDArray[np.int16], seat: int, card: int) -> bool:
    """Say whether a card would bring the ship that plays it away from the gate."""
    return bool(destination(view, seat, card) < view[layout.SHIPS + seat])


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Ask the tree of the phase."""
    seat = layout.whole(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + draft(
            card_sets.hand_of(view, seat), card_sets.field_of(view), dice
        )
    elif view[layout.PHASE] == layout.PLAYING:
        actions[0] = play(view, seat, card_sets.hand_of(view, seat), dice)
    else:
        actions[0] = (
            layout.STOP if sets_back(view, seat, layout.whole(view[layout.CURRENT])) else layout.GO
        )
    return 1
