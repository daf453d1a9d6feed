"""Joint-action learning (Claus and Boutilier 1998), which section 6.3 of the report asks for.

The table has the own card together with the card of the nearest opponent. All pairs would be far
too many, so a card of the opponent is known by its class: whether it takes effect before the own
one, and whether it is a low, middling or high normal card, a repulsor or a tractor. Which card
comes is believed from how often each was played in that turn of a round, among those that the
opponent can hold: half of them were seen in the draft.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS, KIND, NORMAL, TRACTOR, VALUE
from sandtable.games.gravwell.rules.drafting import secret_cards

__all__ = [
    "BELIEFS",
    "CLASSES",
    "class_of",
    "joint_value",
    "played_by",
    "rival_of",
    "write_chances",
]

SORTS = 5  # low, middling and high normal cards, repulsors, tractors
CLASSES = 2 * SORTS
BELIEFS = layout.TURNS * CARDS  # counts at the end of the table


@kernel
def class_of(own: int, other: int) -> int:
    """Return the class of the opponent's card beside the own one."""
    if KIND[other] == NORMAL:
        sort = 0 if VALUE[other] <= 3 else 1 if VALUE[other] < 8 else 2
    else:
        sort = 4 if KIND[other] == TRACTOR else 3
    return sort + (SORTS if other < own else 0)


@kernel
def rival_of(view: NDArray[np.int16], seat: int) -> int:
    """Return the opponent whose ship is nearest, of equally near ones the first."""
    nearest, rival = layout.TILES, layout.NOTHING
    for other in range(layout.as_int64(view[layout.PLAYERS])):
        distance = abs(int(view[layout.SHIPS + other] - view[layout.SHIPS + seat]))
        if other != seat and distance < nearest:
            nearest, rival = distance, other
    return rival


@kernel
def write_chances(
    view: NDArray[np.int16],
    rival: int,
    table: NDArray[np.floating],
    chances: NDArray[np.float64],
) -> None:
    """Write how likely an opponent plays each card [26], by what was played in this turn so far."""
    unknown = 0
    for card in range(CARDS):
        unknown += view[layout.WHERE + card] == layout.UNKNOWN
    secret = secret_cards(view, rival) / unknown if unknown > 0 else 0.0
    first, total = len(table) - BELIEFS + view[layout.TURN] * CARDS, 0.0
    for card in range(CARDS):
        held = 0.0
        if view[layout.WHERE + card] == layout.OPEN_HAND + rival:
            held = 1.0
        elif view[layout.WHERE + card] == layout.UNKNOWN:
            held = secret
        chances[card] = held * (1.0 + table[first + card])
        total += chances[card]
    for card in range(CARDS):
        chances[card] = chances[card] / total if total > 0.0 else 1.0 / CARDS


@kernel
def joint_value(
    table: NDArray[np.floating], place: int, own: int, chances: NDArray[np.float64]
) -> float:
    """Return what a card is worth on average over what the opponent may play."""
    total, first = 0.0, (place * CARDS + own) * CLASSES
    for other in range(CARDS):
        if chances[other] > 0.0:
            total += chances[other] * table[first + class_of(own, other)]
    return total


@kernel
def played_by(position: NDArray[np.int16], seat: int) -> int:
    """Return the card a seat has played in the turn that is over, or that ended the game."""
    card = position[layout.TABLE + seat]
    return int(card if card >= 0 else position[layout.LAST + seat])
