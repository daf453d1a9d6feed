"""The decision tree with what the paper leaves to future work (section 6.2).

The published trees ask only where a card brings their own ship. Here every card in hand is asked
three questions: how many tiles does it gain, which way is the own ship drawn from there, and which
way are the opponents drawn then? A ship that lands just behind another one is drawn forward in the
next turn, which is worth some tiles, and the other one is drawn back. What was left of the turn was
not asked either: an Emergency Stop is worth more early in a round than late, when less can still
happen, so with ``saving`` it is used only against a loss that is large enough for the turn.

The worths were chosen by games against random players and described trees, with other dice than
all measured ones; docs/games/gravwell/decision-tree.md says what each question is worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import field_of, hand_of
from sandtable.games.gravwell.agents.decision_tree.described import draft, play, sets_back
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
from sandtable.games.gravwell.rules.movement import destination, direction_of, pull_others

__all__ = ["FORESIGHT", "act", "worth"]

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
        for other in range(layout.whole(view[layout.PLAYERS])):
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
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draft as described; play with foresight, stop with regard to the turn, as far as wanted."""
    seat = layout.whole(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + draft(hand_of(view, seat), field_of(view), dice)
    elif view[layout.PHASE] == layout.PLAYING:
        hand, foresight = hand_of(view, seat), memory[FORESIGHT_CELL]
        if foresight:
            actions[0] = most_worth(view, seat, hand, foresight, dice)
        else:
            actions[0] = play(view, seat, hand, dice)
    elif memory[SAVING_CELL]:
        loss = view[layout.SHIPS + seat] - destination(
            view, seat, layout.whole(view[layout.CURRENT])
        )
        actions[0] = layout.STOP if loss >= LOSSES_TO_STOP[view[layout.TURN]] else layout.GO
    else:
        actions[0] = (
            layout.STOP if sets_back(view, seat, layout.whole(view[layout.CURRENT])) else layout.GO
        )
    return 1
