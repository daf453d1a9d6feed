"""Gravwell as network input: the track, the cards, and a few numbers, as a seat sees them.

Every plane is one row of 55: tiles of the track, or the 26 cards in its first places, or one number
all along it. Other seats come in the order in which they sit after the own one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.drafting import holds, is_on_field
from sandtable.games.gravwell.layout import (
    CURRENT,
    FIRST_HULK,
    MOST_SHIPS,
    NOTHING,
    OPEN_HAND,
    ORDER,
    PHASE,
    PLAYED,
    PLAYERS,
    ROUND,
    ROUNDS,
    SHIPS,
    STOPPING,
    STOPS,
    TABLE,
    TURN,
    TURNS,
    WHERE,
)

__all__ = ["encode", "plane_names"]


def plane_names(players: int) -> tuple[str, ...]:
    """Return what each plane means in a game of so many players."""
    seats = ("own", "next seat's", "second next's", "third next's")[:players]
    return (
        *(f"{seat} ship" for seat in seats),
        "hulks",
        "own hand",
        "own card on the table",
        "visible cards of the stacks",
        *(f"{seat} cards that everybody saw in the draft" for seat in seats[1:]),
        *(f"{seat} cards played in this round" for seat in seats),
        "card being resolved",
        *(f"{seat} Emergency Stop is unused" for seat in seats),
        *(f"{seat} card lies on the table" for seat in seats),
        *(f"{seat} place in the draft, from 0 to 1" for seat in seats),
        "round, from 0 to 1",
        "turn, from 0 to 1",
        "draft",
        "choice of cards",
        "Emergency Stop question",
    )


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write a view into planes [planes, 1, 55], all values from 0 to 1."""
    planes[:] = 0.0
    players = position[PLAYERS]
    hulks = players
    cards = encode_cards(position, seat, planes, hulks + 1)
    for step in range(players):
        other = (seat + step) % players
        planes[step, 0, position[SHIPS + other]] = 1.0
        planes[cards + step] = position[STOPS + other]
        planes[cards + players + step] = position[TABLE + other] != NOTHING
        for rank in range(players):
            if position[ORDER + rank] == other:
                planes[cards + 2 * players + step] = rank / (players - 1)
    for ship in range(FIRST_HULK, MOST_SHIPS):
        if position[SHIPS + ship] != NOTHING:
            planes[hulks, 0, position[SHIPS + ship]] = 1.0
    numbers = cards + 3 * players
    planes[numbers] = position[ROUND] / (ROUNDS - 1)
    planes[numbers + 1] = position[TURN] / (TURNS - 1)
    if position[PHASE] <= STOPPING:
        planes[numbers + 2 + position[PHASE]] = 1.0


@kernel
def encode_cards(
    position: NDArray[np.int16], seat: int, planes: NDArray[np.float32], first: int
) -> int:
    """Write the planes of cards from the first on, and return the number of the plane after."""
    players = position[PLAYERS]
    played = first + 3 + players - 1
    for card in range(CARDS):
        planes[first, 0, card] = holds(position, seat, card)
        planes[first + 1, 0, card] = position[TABLE + seat] == card
        planes[first + 2, 0, card] = is_on_field(position, card)
        for step in range(players):
            place, other = position[WHERE + card], (seat + step) % players
            planes[played + step, 0, card] = place == PLAYED + other
            if step > 0:
                planes[first + 2 + step, 0, card] = place == OPEN_HAND + other
        planes[played + players, 0, card] = position[CURRENT] == card
    return int(played + players + 1)
