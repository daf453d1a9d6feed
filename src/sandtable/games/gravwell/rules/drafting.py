"""Gravwell: the deal, the order of the draft, and who holds what."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.dice import below
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS

__all__ = [
    "begin_round",
    "hand_size",
    "holds",
    "is_on_field",
    "secret_cards",
    "stacks_taken",
    "take_stack",
]


@kernel
def begin_round(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Renew the Emergency Stops, throw for the order of the draft, shuffle and deal."""
    for seat in range(position[layout.PLAYERS]):
        position[layout.STOPS + seat] = 1
    set_order(position, dice)
    deal(position, dice)
    position[layout.PICKED] = 0
    position[layout.PHASE] = layout.DRAFTING
    position[layout.MOVER] = position[layout.ORDER]


@kernel
def set_order(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Write the order of the draft: the rearmost first, in the Singularity by the dice."""
    players = position[layout.PLAYERS]
    waiting = (1 << players) - 1  # a bit for each seat without a place
    for rank in range(players):
        rearmost, equal = layout.TILES, 0
        for seat in range(players):
            if waiting >> seat & 1:
                tile = position[layout.SHIPS + seat]
                if tile < rearmost:
                    rearmost, equal = tile, 1
                elif tile == rearmost:
                    equal += 1
        skipped = below(dice, equal) if equal > 1 else 0
        for seat in range(players):
            if waiting >> seat & 1 and position[layout.SHIPS + seat] == rearmost:
                if skipped == 0:
                    waiting ^= 1 << seat
                    position[layout.ORDER + rank] = seat
                    break
                skipped -= 1


@kernel
def deal(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Shuffle the whole deck and lay out the stacks, each a visible card on a hidden one."""
    deck = np.empty(CARDS, dtype=np.int16)
    for card in range(CARDS):
        deck[card] = card
        position[layout.WHERE + card] = layout.UNDEALT
    for dealt in range(2 * layout.PASSES * position[layout.PLAYERS]):
        drawn = dealt + below(dice, CARDS - dealt)
        card = deck[drawn]
        deck[drawn] = deck[dealt]
        stack = dealt // 2
        position[layout.WHERE + card] = (
            layout.OPEN_STACK if dealt % 2 == 0 else layout.UNDER_STACK
        ) + stack


@inlined
def is_on_field(position: NDArray[np.int16], card: int) -> bool:
    """Say whether a card is the visible one of a stack that can be taken."""
    return bool(layout.OPEN_STACK <= position[layout.WHERE + card] < layout.SECRET)


@inlined
def holds(position: NDArray[np.int16], seat: int, card: int) -> bool:
    """Say whether a card is in the hand of a seat, as far as this position or view tells."""
    place = position[layout.WHERE + card]
    return bool(place == layout.OPEN_HAND + seat or place == layout.SECRET_HAND + seat)


@inlined
def take_stack(position: NDArray[np.int16], seat: int, card: int) -> None:
    """Take the stack with this visible card into the hand, and let the next one draft.

    After the last stack the first seat is to lay down a card.
    """
    stack = position[layout.WHERE + card] - layout.OPEN_STACK
    position[layout.WHERE + card] = layout.OPEN_HAND + seat
    for hidden in range(CARDS):
        if position[layout.WHERE + hidden] == layout.UNDER_STACK + stack:
            position[layout.WHERE + hidden] = layout.SECRET_HAND + seat
    position[layout.PICKED] += 1
    if position[layout.PICKED] == layout.PASSES * position[layout.PLAYERS]:
        position[layout.PHASE] = layout.PLAYING
        position[layout.MOVER] = 0
    else:
        position[layout.MOVER] = position[
            layout.ORDER + position[layout.PICKED] % position[layout.PLAYERS]
        ]


@kernel
def stacks_taken(position: NDArray[np.int16], seat: int) -> int:
    """Return how many stacks a seat has taken in this round."""
    players, rank = position[layout.PLAYERS], 0
    while position[layout.ORDER + rank] != seat:
        rank += 1
    return int((position[layout.PICKED] + players - 1 - rank) // players)


@inlined
def counted_at(position: NDArray[np.int16], place: int) -> int:
    """Return how many cards are known to be in a place."""
    count = 0
    for card in range(CARDS):
        count += position[layout.WHERE + card] == place
    return count


@kernel
def hand_size(position: NDArray[np.int16], seat: int) -> int:
    """Return how many cards a seat holds, the one that lies face down included; also in views."""
    return 2 * stacks_taken(position, seat) - counted_at(position, layout.PLAYED + seat)


@kernel
def secret_cards(position: NDArray[np.int16], seat: int) -> int:
    """Return how many cards a seat holds that it drafted face down; also in views."""
    return hand_size(position, seat) - counted_at(position, layout.OPEN_HAND + seat)
