"""The decision trees as the authors' program has them, which is not what their text says.

The thresholds of the draft are the wrong way round (a card counts as low from 3 upwards, as high
below 7, and a hand with any middling card lacks neither), and the play takes the smallest step
forward and the largest one back. Where two cards are equal the program takes the one that came to
the hand first: from each stack the visible card, then the hidden one. A position does not tell that
order, so the memory keeps it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents import card_sets
from sandtable.games.gravwell.cards import CARDS, VALUE
from sandtable.games.gravwell.rules.movement import direction_of

__all__ = ["MEMORY", "Q_LEARNER_LOW", "TREE_LOW", "act", "act_with_random_card", "draft"]

# Number of cards, then the cards in the order they came to the hand.
MEMORY = (0,) * (1 + layout.TURNS)
TREE_LOW = card_sets.normals_from(1, 8)  # with one of these in hand no low card is wanted ...
# ... or, in the authors' Q-learner, which drafts alike:
Q_LEARNER_LOW = card_sets.normals_from(1, 6)
TAKEN_AS_LOW = card_sets.normals_from(3)
HIGH = card_sets.normals_from(3)  # with one of these in hand no high card is wanted
TAKEN_AS_HIGH = card_sets.normals_from(1, 6)


@kernel
def draft(view: NDArray[np.int16], hand: int, low: int, dice: NDArray[np.uint64]) -> int:
    """Return the visible card of the stack to take; ``low`` are the cards that count as low."""
    field = card_sets.field_of(view)
    for group in (card_sets.TRACTORS, card_sets.REPULSORS):
        if hand & group == 0 and field & group != 0:
            return card_sets.first_stack(view, field & group)
    if hand & low == 0 and field & TAKEN_AS_LOW != 0:
        return card_sets.earliest(field & TAKEN_AS_LOW)
    if hand & HIGH == 0 and field & TAKEN_AS_HIGH != 0:
        return card_sets.earliest(field & TAKEN_AS_HIGH)
    return card_sets.drawn(field, dice)


@kernel
def update_order(view: NDArray[np.int16], seat: int, hand: int, memory: NDArray[np.int64]) -> None:
    """Forget the cards that have left the hand, and add the new ones: the visible one first."""
    count = 0
    for index in range(memory[0]):
        card = memory[1 + index]
        if hand >> card & 1:
            memory[1 + count] = card
            hand ^= 1 << card
            count += 1
    for visible in (True, False):
        for card in range(CARDS):
            if (
                hand >> card & 1
                and (view[layout.WHERE + card] == layout.OPEN_HAND + seat) == visible
            ):
                memory[1 + count] = card
                count += 1
    memory[0] = count


@kernel
def extreme(cards: int, sign: int, memory: NDArray[np.int64]) -> int:
    """Return the card of a set with the highest value times ``sign``, the first that came."""
    best = layout.NOTHING
    for index in range(memory[0]):
        card = memory[1 + index]
        if cards >> card & 1 and (best == layout.NOTHING or sign * (VALUE[card] - VALUE[best]) > 0):
            best = card
    return best


@kernel
def play(
    view: NDArray[np.int16],
    seat: int,
    hand: int,
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
) -> int:
    """Return the card to play."""
    direction = direction_of(view, seat)
    if direction == 0:
        tractors = hand & card_sets.TRACTORS
        return extreme(tractors, 0, memory) if tractors else card_sets.drawn(hand, dice)
    forward = hand & (card_sets.NORMALS if direction > 0 else card_sets.REPULSORS)
    if forward:
        return extreme(forward, -1, memory)
    if hand & card_sets.TRACTORS:
        return extreme(hand & card_sets.TRACTORS, 0, memory)
    return extreme(hand, 1, memory)


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
    hand = card_sets.hand_of(view, seat)
    if view[layout.PHASE] == layout.DRAFTING:
        update_order(view, seat, hand, memory)
        actions[0] = layout.TAKE + draft(view, hand, TREE_LOW, dice)
    elif view[layout.PHASE] == layout.PLAYING:
        update_order(view, seat, hand, memory)
        actions[0] = play(view, seat, hand, dice, memory)
    else:
        card = 1 << view[layout.CURRENT]
        direction = direction_of(view, seat)
        back = (card & card_sets.NORMALS and direction < 0) or (
            card & card_sets.REPULSORS and direction > 0
        )
        actions[0] = layout.STOP if back else layout.GO
    return 1


@kernel
def act_with_random_card(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Do the same but draw the card, which tells what the choice of it is worth (section 6.1)."""
    if view[layout.PHASE] != layout.PLAYING:
        return act(view, dice, memory, constants, actions)
    hand = card_sets.hand_of(view, layout.as_int64(view[layout.MOVER]))
    actions[0] = layout.PLAY + card_sets.drawn(hand, dice)
    return 1
