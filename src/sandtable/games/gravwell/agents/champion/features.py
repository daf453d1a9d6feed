"""What the champion of Gravwell looks at: the list of the features that are present.

Everything is read from what one seat may know. All features are facts that hold or do not; a fact
about two ships (both in the Singularity, say) is listed twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import holds, is_on_field
from sandtable.games.gravwell.rules.movement import direction_of

__all__ = [
    "BEFORE_THE_DEAL",
    "DIRECTIONS",
    "FACTS",
    "FEATURES",
    "FIELD",
    "HAND",
    "HAND_DRAWN",
    "MOMENTS",
    "MOST_ACTIVE",
    "SHOWN",
    "describe",
    "describe_bearings",
    "describe_cards",
    "describe_fully",
    "describe_ships",
    "describe_time",
    "moment_of_turn",
]

REACH = 20  # offsets are told apart up to here
OFFSETS = 2 * REACH + 1
BEFORE_THE_DEAL = 0  # a moment of a round; then come those after each own pick
MOMENTS = 1 + layout.PASSES + layout.TURNS

# Numbers of the features.
OWN_TILE = 0
OTHER_TILE = OWN_TILE + layout.TILES
HULK_TILE = OTHER_TILE + layout.TILES
OTHER_OFFSET = HULK_TILE + layout.TILES  # to the own ship, of those outside the Singularity
HULK_OFFSET = OTHER_OFFSET + OFFSETS
LEAD = HULK_OFFSET + OFFSETS  # offset of the best other ship
DRAWN = LEAD + OFFSETS  # [direction] of the own ship
TIME = DRAWN + 3  # [round, moment]
OWN_STOP = TIME + layout.ROUNDS * MOMENTS
OTHER_STOPS = OWN_STOP + 1  # how many others can still use theirs
SETTING = OTHER_STOPS + layout.MOST_PLAYERS  # [players, tractors]
HAND = SETTING + 2 * (layout.MOST_PLAYERS + 1)  # [card] own
SHOWN = HAND + CARDS  # [card] in the hand of another, as everybody knows
FIELD = SHOWN + CARDS  # [card] visible on a stack
FEATURES = FIELD + CARDS  # of the list that describe() makes
DIRECTIONS = 3  # away from the gate, nowhere, or towards it
OTHER_DRAWN = FEATURES  # [behind or ahead of the own ship, direction] of each other ship
HAND_DRAWN = OTHER_DRAWN + 2 * DIRECTIONS  # [direction of the own ship, own card]
FACTS = HAND_DRAWN + DIRECTIONS * CARDS  # of the list that describe_fully() makes
MOST_ACTIVE = 64  # no list is longer


@kernel
def moment_of_turn(turn: int) -> int:
    """Return the moment of a round at which the cards for a turn are chosen."""
    return 1 + layout.PASSES + turn


@kernel
def offset_of(difference: int) -> int:
    """Return the number of an offset, far ones taken together."""
    return REACH + min(max(difference, -REACH), REACH)


@kernel
def describe_ships(
    position: NDArray[np.int16], seat: int, active: NDArray[np.uint16], count: int
) -> int:
    """List what there is to say about ships and Emergency Stops; return the list's length."""
    tile = int(position[layout.SHIPS + seat])
    best, stops = layout.SINGULARITY, 0
    for other in range(position[layout.PLAYERS]):
        if other == seat:
            continue
        there = int(position[layout.SHIPS + other])
        active[count] = OTHER_TILE + there
        count += 1
        if there != layout.SINGULARITY:
            active[count] = OTHER_OFFSET + offset_of(there - tile)
            count += 1
        best = max(best, there)
        stops += position[layout.STOPS + other]
    for hulk in range(layout.FIRST_HULK, layout.MOST_SHIPS):
        there = int(position[layout.SHIPS + hulk])
        if there != layout.NOTHING:
            active[count] = HULK_TILE + there
            active[count + 1] = HULK_OFFSET + offset_of(there - tile)
            count += 2
    active[count] = OWN_TILE + tile
    active[count + 1] = LEAD + offset_of(best - tile)
    active[count + 2] = DRAWN + 1 + direction_of(position, seat)
    active[count + 3] = OTHER_STOPS + stops
    count += 4
    if position[layout.STOPS + seat]:
        active[count] = OWN_STOP
        count += 1
    return count


@kernel
def describe_time(
    position: NDArray[np.int16],
    round_number: int,
    moment: int,
    active: NDArray[np.uint16],
    count: int,
) -> int:
    """List the time and the kind of game; return the list's length."""
    active[count] = TIME + round_number * MOMENTS + moment
    active[count + 1] = SETTING + 2 * position[layout.PLAYERS] + position[layout.TRACTORS]
    return count + 2


@kernel
def describe_cards(
    view: NDArray[np.int16], seat: int, active: NDArray[np.uint16], count: int
) -> int:
    """List the cards the seat knows to be in a hand or on a stack; return the list's length."""
    for card in range(CARDS):
        if holds(view, seat, card):
            active[count] = HAND + card
        elif layout.OPEN_HAND <= view[layout.WHERE + card] < layout.OPEN_STACK:
            active[count] = SHOWN + card
        elif is_on_field(view, card):
            active[count] = FIELD + card
        else:
            continue
        count += 1
    return count


@kernel
def describe(view: NDArray[np.int16], seat: int, moment: int, active: NDArray[np.uint16]) -> int:
    """List all features of a view of the seat, or of a position; return the list's length.

    Before the deal nobody has cards: what lies on the table then is of the next moment.
    """
    count = describe_ships(view, seat, active, 0)
    count = describe_time(view, view[layout.ROUND], moment, active, count)
    if moment != BEFORE_THE_DEAL:
        count = describe_cards(view, seat, active, count)
    return count


@kernel
def describe_bearings(
    position: NDArray[np.int16], seat: int, active: NDArray[np.uint16], count: int
) -> int:
    """List where each other ship is drawn to, on either side of the own; return the length."""
    tile = position[layout.SHIPS + seat]
    for other in range(position[layout.PLAYERS]):
        if other != seat:
            side = DIRECTIONS if position[layout.SHIPS + other] > tile else 0
            active[count] = OTHER_DRAWN + side + 1 + direction_of(position, other)
            count += 1
    return count


@kernel
def describe_fully(
    view: NDArray[np.int16], seat: int, moment: int, active: NDArray[np.uint16]
) -> int:
    """List all that the values look at: describe(), bearings, and the hand by the own direction."""
    count = describe_bearings(view, seat, active, describe(view, seat, moment, active))
    if moment != BEFORE_THE_DEAL:
        drawn = HAND_DRAWN + (1 + direction_of(view, seat)) * CARDS
        for card in range(CARDS):
            if holds(view, seat, card):
                active[count] = drawn + card
                count += 1
    return count
