"""The decision trees of section 3.5 as the text describes them: for draft, play and stop.

The draft wants a varied hand: of the groups tractors, repulsors, low normals (up to 3) and high
normals (8 or more) it takes the first of which it holds none and the field shows one, the earliest
letter inside a group. Otherwise it draws a stack. The play goes forward: with a target ahead the
highest normal card, with one behind the highest repulsor; where it has none a tractor, and without
that the card that does the least harm. A stuck ship plays any card. The Emergency Stop is used
whenever the own card would set the ship back.

Below is the same tree with what the paper leaves to future work (section 6.2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents import card_sets
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
from sandtable.games.gravwell.rules.movement import destination, direction_of, pull_others

__all__ = [
    "FORESIGHT",
    "HIGH",
    "LOW",
    "act",
    "act_with_foresight",
    "draft",
    "play",
    "sets_back",
    "worth",
]

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
def answer(view: NDArray[np.int16], seat: int) -> int:
    """Return the answer to the Emergency Stop: against whatever sets the ship back."""
    back = sets_back(view, seat, layout.as_int64(view[layout.CURRENT]))
    return layout.STOP if back else layout.GO


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Ask the tree of the phase."""
    seat = layout.as_int64(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + draft(
            card_sets.hand_of(view, seat), card_sets.field_of(view), dice
        )
    elif view[layout.PHASE] == layout.PLAYING:
        actions[0] = play(view, seat, card_sets.hand_of(view, seat), dice)
    else:
        actions[0] = answer(view, seat)
    return 1


# --- with foresight ------------------------------------------------------------------------------
#
# The published trees ask only where a card brings their own ship. Here every card in hand is
# asked three questions: how many tiles does it gain, which way is the own ship drawn from there,
# and which way are the opponents drawn then? A ship that lands just behind another one is drawn
# forward in the next turn, which is worth some tiles, and the other one is drawn back. What was
# left of the turn was not asked either: an Emergency Stop is worth more early in a round than
# late, when less can still happen, so with ``saving`` it is used only against a loss that is
# large enough for the turn.
#
# The worths were chosen by games against random players and described trees, with other dice than
# all measured ones; docs/games/gravwell/decision-tree.md says what each question is worth.

FORESIGHT = {"none": 0, "own": 1, "others": 2, "both": 3}  # whose next pull is looked at
OWN_PULL, OTHERS_PULL = 1, 2

# Worths in half tiles.
TILE_WORTH = 2
OWN_WORTH = 6  # the own ship is drawn forward in the next turn, instead of nowhere
OTHER_WORTH = 1  # an opponent is drawn back
STOP_WORTH = 2  # the Emergency Stop is still there
LOSSES_TO_STOP = (7, 6, 5, 4, 3, 1)  # by turn: with saving, smaller ones are borne

FORESIGHT_CELL, SAVING_CELL = range(2)  # of the memory


@kernel
def worth(
    view: NDArray[np.int16],
    seat: int,
    card: int,
    foresight: int,
    after: NDArray[np.int16],
    dice: NDArray[np.uint64],
) -> int:
    """Return what a card is worth if it took effect now; ``after`` is scratch.

    A card that would set the ship back costs the Emergency Stop while there is one.
    """
    copy_cells(view, after)
    if KIND[card] == TRACTOR:
        pull_others(after, seat, VALUE[card], dice)
    else:
        after[layout.SHIPS + seat] = destination(view, seat, card)
    gain = int(after[layout.SHIPS + seat] - view[layout.SHIPS + seat])
    value = TILE_WORTH * gain
    if gain < 0 and view[layout.STOPS + seat] == 1:
        value = -STOP_WORTH
    if foresight & OWN_PULL:
        value += OWN_WORTH * direction_of(after, seat)
    if foresight & OTHERS_PULL:
        for other in range(layout.as_int64(view[layout.PLAYERS])):
            if other != seat:
                value -= OTHER_WORTH * direction_of(after, other)
    return value


@kernel
def most_worth(
    view: NDArray[np.int16], seat: int, hand: int, foresight: int, dice: NDArray[np.uint64]
) -> int:
    """Return the card in hand that is worth most, of equal ones the earliest."""
    after = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    best, highest = layout.NOTHING, 0
    for card in range(CARDS):
        if hand >> card & 1:
            value = worth(view, seat, card, foresight, after, dice)
            if best == layout.NOTHING or value > highest:
                best, highest = card, value
    return best


@kernel
def act_with_foresight(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draft as described; play with foresight, stop with regard to the turn, as far as wanted."""
    seat = layout.as_int64(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + draft(
            card_sets.hand_of(view, seat), card_sets.field_of(view), dice
        )
    elif view[layout.PHASE] == layout.PLAYING:
        hand, foresight = card_sets.hand_of(view, seat), memory[FORESIGHT_CELL]
        if foresight:
            actions[0] = most_worth(view, seat, hand, foresight, dice)
        else:
            actions[0] = play(view, seat, hand, dice)
    elif memory[SAVING_CELL]:
        loss = view[layout.SHIPS + seat] - destination(
            view, seat, layout.as_int64(view[layout.CURRENT])
        )
        actions[0] = layout.STOP if loss >= LOSSES_TO_STOP[view[layout.TURN]] else layout.GO
    else:
        actions[0] = answer(view, seat)
    return 1
