"""Gravwell: what a seat may know, and how it can imagine the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.dice import below
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import hand_size, holds, secret_cards

__all__ = ["SPECTATOR", "guess", "hide"]

SPECTATOR = -1  # in place of a seat: somebody who sees no hand at all


@inlined
def hide(position: NDArray[np.int16], seat: int) -> None:
    """Cover all hidden cards but those in the own hand, and what others have face down.

    ``WHERE`` of a card that everybody saw in the draft says that it is in its owner's hand until
    the cards of the turn are turned over, so it does not tell which card lies on the table.
    """
    for card in range(CARDS):
        place = position[layout.WHERE + card]
        secret = (place >= layout.SECRET) & (place != layout.SECRET_HAND + seat)
        position[layout.WHERE + card] = layout.UNKNOWN if secret else place
    if position[layout.PHASE] == layout.PLAYING:
        for other in range(position[layout.PLAYERS]):
            if other != seat and position[layout.TABLE + other] != layout.NOTHING:
                position[layout.TABLE + other] = layout.UNKNOWN


@kernel
def guess(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Deal the unknown cards at random to where cards are covered, and choose for the others.

    Every deal allows equally many choices of the cards that lie face down, for it does not change
    how many cards a seat holds; so choosing after dealing is uniform over both together.
    """
    unknown = np.empty(CARDS, dtype=np.int16)
    left = 0
    for card in range(CARDS):
        if position[layout.WHERE + card] == layout.UNKNOWN:
            unknown[left] = card
            left += 1
    stacks_here = 0  # a bit for each stack nobody has taken
    for card in range(CARDS):
        place = position[layout.WHERE + card]
        if layout.OPEN_STACK <= place < layout.SECRET:
            stacks_here |= 1 << (place - layout.OPEN_STACK)
    for stack in range(layout.PASSES * position[layout.PLAYERS]):
        if stacks_here >> stack & 1 and left > 0:
            left = deal_one(position, unknown, left, layout.UNDER_STACK + stack, dice)
    for other in range(layout.as_int64(position[layout.PLAYERS])):
        if other != seat:
            for _ in range(min(left, secret_cards(position, other))):
                left = deal_one(position, unknown, left, layout.SECRET_HAND + other, dice)
    for index in range(left):
        position[layout.WHERE + unknown[index]] = layout.UNDEALT
    for other in range(layout.as_int64(position[layout.PLAYERS])):
        if position[layout.TABLE + other] == layout.UNKNOWN:
            position[layout.TABLE + other] = drawn_from_hand(position, other, dice)


@kernel
def deal_one(
    position: NDArray[np.int16],
    unknown: NDArray[np.int16],
    left: int,
    place: int,
    dice: NDArray[np.uint64],
) -> int:
    """Put one of the unknown cards in a place, and return how many are left."""
    drawn = below(dice, left)
    position[layout.WHERE + unknown[drawn]] = place
    unknown[drawn] = unknown[left - 1]
    return left - 1


@kernel
def drawn_from_hand(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> int:
    """Return a card from a hand, each as likely."""
    skipped = below(dice, hand_size(position, seat))
    for card in range(CARDS):
        if holds(position, seat, card):
            if skipped == 0:
                return card
            skipped -= 1
    return layout.NOTHING
