"""How agents of Gravwell look at cards: as sets, one bit for each card in the order of the letters.

The lowest bit of a set is therefore the card that takes effect first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.errors import WrongSeats
from sandtable.games.gravwell.cards import CARDS, KIND, NORMAL, REPULSOR, TRACTOR, VALUE
from sandtable.games.gravwell.layout import NOTHING, WHERE
from sandtable.games.gravwell.rules.drafting import holds, is_on_field
from sandtable.types import Game

__all__ = [
    "NORMALS",
    "REPULSORS",
    "TRACTORS",
    "drawn",
    "earliest",
    "field_of",
    "first_stack",
    "hand_of",
    "highest",
    "lowest",
    "normals_from",
    "refuse_other_games",
]


def cards_where(kind: int, least: int = 0, most: int = 10) -> int:
    """Return the set of all cards of a kind with a value between two."""
    chosen = [c for c in range(CARDS) if KIND[c] == kind and least <= VALUE[c] <= most]
    return sum(1 << card for card in chosen)


NORMALS = cards_where(NORMAL)
REPULSORS = cards_where(REPULSOR)
TRACTORS = cards_where(TRACTOR)


def normals_from(least: int, most: int = 10) -> int:
    """Return the set of the normal cards with a value between two, both included.

    >>> [card for card in range(CARDS) if normals_from(9) >> card & 1]
    [12, 17, 18]
    """
    return cards_where(NORMAL, least, most)


@kernel
def hand_of(view: NDArray[np.int16], seat: int) -> int:
    """Return the cards in the hand of a seat, as far as the view shows them."""
    cards = 0
    for card in range(CARDS):
        cards |= holds(view, seat, card) << card
    return cards


@kernel
def field_of(view: NDArray[np.int16]) -> int:
    """Return the visible cards of the stacks that can be taken."""
    cards = 0
    for card in range(CARDS):
        cards |= is_on_field(view, card) << card
    return cards


@kernel
def drawn(cards: int, dice: NDArray[np.uint64]) -> int:
    """Return a card of a set, each as likely; no dice are thrown for a single one."""
    count = 0
    for card in range(CARDS):
        count += cards >> card & 1
    skipped = below(dice, count) if count > 1 else 0
    for card in range(CARDS):
        if cards >> card & 1:
            if skipped == 0:
                return card
            skipped -= 1
    return NOTHING


@kernel
def earliest(cards: int) -> int:
    """Return the card of a set that takes effect first."""
    for card in range(CARDS):
        if cards >> card & 1:
            return card
    return NOTHING


@kernel
def highest(cards: int) -> int:
    """Return the card of a set with the highest value, of equal ones the earliest."""
    best = NOTHING
    for card in range(CARDS):
        if cards >> card & 1 and (best == NOTHING or VALUE[card] > VALUE[best]):
            best = card
    return best


@kernel
def lowest(cards: int) -> int:
    """Return the card of a set with the lowest value, of equal ones the earliest."""
    best = NOTHING
    for card in range(CARDS):
        if cards >> card & 1 and (best == NOTHING or VALUE[card] < VALUE[best]):
            best = card
    return best


@kernel
def first_stack(view: NDArray[np.int16], cards: int) -> int:
    """Return the card of a set whose stack has the lowest number, or NOTHING in an empty set."""
    best = NOTHING
    for card in range(CARDS):
        if cards >> card & 1 and (best == NOTHING or view[WHERE + card] < view[WHERE + best]):
            best = card
    return best


def refuse_other_games(agent: str, game: Game) -> None:
    """Raise WrongSeats for any game but Gravwell."""
    if game.name != "gravwell":
        raise WrongSeats(f"'{agent}' plays gravwell, not {game.name}")
