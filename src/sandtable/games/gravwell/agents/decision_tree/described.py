"""The decision trees of section 3.5 as the text describes them: for draft, play and stop.

The draft wants a varied hand: of the groups tractors, repulsors, low normals (up to 3), high
normals (8 or more) and the remaining normals it takes the first of which it holds none and the
field shows one, the earliest letter inside a group. Otherwise it draws a stack. The play goes
forward: with a target ahead a normal card, with one behind a repulsor; where it has none a tractor,
and without that the card that does the least harm. A stuck ship plays any card. The Emergency Stop
is used whenever the own card would set the ship back.

Which normal card or repulsor is played when there are several is not said. The highest is a reading
of ours (``FORWARD`` has others), and so is that the remaining normals come last in the draft.

Below is the same tree with what the paper leaves to future work (sections 6.1 and 6.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents import card_sets
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
from sandtable.games.gravwell.rules.movement import destination, direction_of, pull_others

__all__ = [
    "ALL_GROUPS",
    "CARE",
    "FEWER_GROUPS",
    "FORESIGHT",
    "FORWARD",
    "GROUPS",
    "HIGH",
    "LOSSES_TO_STOP",
    "LOW",
    "REMAINING",
    "Settings",
    "act",
    "act_with_fewer_groups",
    "act_with_settings",
    "draft",
    "is_crowded",
    "play",
    "sets_back",
    "worth",
]

LOW, HIGH = card_sets.normals_from(1, 3), card_sets.normals_from(8)
REMAINING = card_sets.normals_from(4, 7)
GROUPS = (card_sets.TRACTORS, card_sets.REPULSORS, LOW, HIGH, REMAINING)
ALL_GROUPS = len(GROUPS)
FEWER_GROUPS = ALL_GROUPS - 1  # without the remaining normals, as in the authors' program

# Which of the cards that go forward is played.
FORWARD = {"highest": 0, "lowest": 1, "earliest": 2, "any": 3}
HIGHEST, LOWEST, EARLIEST, ANY = FORWARD.values()


@kernel
def draft(hand: int, field: int, groups: int, dice: NDArray[np.uint64]) -> int:
    """Return the visible card of the stack to take; ``groups`` is how many of them count."""
    for number in range(groups):
        group = GROUPS[number]
        if hand & group == 0 and field & group != 0:
            return card_sets.earliest(field & group)
    return card_sets.drawn(field, dice)


@kernel
def one_of(cards: int, which: int, dice: NDArray[np.uint64]) -> int:
    """Return one of several cards that go forward."""
    if which == HIGHEST:
        return card_sets.highest(cards)
    if which == LOWEST:
        return card_sets.lowest(cards)
    return card_sets.earliest(cards) if which == EARLIEST else card_sets.drawn(cards, dice)


@kernel
def play(
    view: NDArray[np.int16], seat: int, hand: int, which: int, dice: NDArray[np.uint64]
) -> int:
    """Return the card to play; ``which`` is in FORWARD."""
    direction = direction_of(view, seat)
    if direction == 0:
        return card_sets.drawn(hand, dice)
    forward = hand & (card_sets.NORMALS if direction > 0 else card_sets.REPULSORS)
    if forward:
        return one_of(forward, which, dice)
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
def ask(
    view: NDArray[np.int16], groups: int, dice: NDArray[np.uint64], actions: NDArray[np.int16]
) -> int:
    """Ask the tree of the phase."""
    seat = layout.as_int64(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        hand = card_sets.hand_of(view, seat)
        actions[0] = layout.TAKE + draft(hand, card_sets.field_of(view), groups, dice)
    elif view[layout.PHASE] == layout.PLAYING:
        actions[0] = play(view, seat, card_sets.hand_of(view, seat), HIGHEST, dice)
    else:
        actions[0] = answer(view, seat)
    return 1


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Play as described."""
    return ask(view, ALL_GROUPS, dice, actions)


@kernel
def act_with_fewer_groups(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Play so with four groups in the draft, as the opponent that bundled agents learned from."""
    return ask(view, FEWER_GROUPS, dice, actions)


# --- other readings, and what the paper leaves to future work ------------------------------------
#
# The published trees ask only where a card brings their own ship. With foresight every card in hand
# is asked three questions: how many tiles does it gain, which way is the own ship drawn from there,
# and which way are the opponents drawn then? A ship that lands just behind another one is drawn
# forward in the next turn, which is worth some tiles, and the other one is drawn back. What was
# left of the turn was not asked either: an Emergency Stop is worth more early in a round than
# late, when less can still happen, so with ``saving`` it is used only against a loss that is
# large enough for the turn. And with ``careful`` a ship that has used its stop, with others close
# by on every side where there are any, plays its lowest normal card: which way it goes is open.
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
CARE = 54  # the largest distance that may count as close


class Settings(NamedTuple):
    """What can be chosen about the tree, as its kernel takes it."""

    which: int = 0  # in FORWARD
    groups: int = ALL_GROUPS
    foresight: int = 0
    saving: bool = False
    careful: int = 0  # tiles that count as close once the stop is used; 0: never careful
    random_card: bool = False


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
def is_crowded(view: NDArray[np.int16], seat: int, tiles: int) -> bool:
    """Say whether the nearest ships ahead and behind, as far as there are any, are this close."""
    own = view[layout.SHIPS + seat]
    ahead, behind = 0, 0
    for ship in range(layout.MOST_SHIPS):
        tile = view[layout.SHIPS + ship]
        if ship == seat or tile <= layout.SINGULARITY:
            continue
        distance = abs(int(tile - own))
        if tile > own and (ahead == 0 or distance < ahead):
            ahead = distance
        elif tile < own and (behind == 0 or distance < behind):
            behind = distance
    return ahead + behind > 0 and ahead <= tiles and behind <= tiles


@kernel
def chosen_card(
    view: NDArray[np.int16], seat: int, hand: int, settings: Settings, dice: NDArray[np.uint64]
) -> int:
    """Return the card to play with these settings."""
    if settings.random_card:
        return card_sets.drawn(hand, dice)
    normals = hand & card_sets.NORMALS
    careful = settings.careful > 0 and view[layout.STOPS + seat] == 0 and normals != 0
    if careful and is_crowded(view, seat, settings.careful):
        return card_sets.lowest(normals)
    if settings.foresight:
        return most_worth(view, seat, hand, settings.foresight, dice)
    return play(view, seat, hand, settings.which, dice)


@kernel
def act_with_settings(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: Settings,
    actions: NDArray[np.int16],
) -> int:
    """Ask the tree of the phase, with other readings or with what it was to learn."""
    seat = layout.as_int64(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        hand = card_sets.hand_of(view, seat)
        actions[0] = layout.TAKE + draft(hand, card_sets.field_of(view), constants.groups, dice)
    elif view[layout.PHASE] == layout.PLAYING:
        actions[0] = chosen_card(view, seat, card_sets.hand_of(view, seat), constants, dice)
    elif constants.saving:
        loss = view[layout.SHIPS + seat] - destination(
            view, seat, layout.as_int64(view[layout.CURRENT])
        )
        actions[0] = layout.STOP if loss >= LOSSES_TO_STOP[view[layout.TURN]] else layout.GO
    else:
        actions[0] = answer(view, seat)
    return 1
