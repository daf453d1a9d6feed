"""Gravwell as network input: the track, the cards, and a few numbers, as a seat sees them.

Every plane is one row of 55: tiles of the track, or the 26 cards in its first places, or one number
all along it. Other seats come in the order in which they sit after the own one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import holds, is_on_field

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
    flat = planes.reshape((planes.shape[0], planes.shape[1] * planes.shape[2]))
    players = int(position[layout.PLAYERS])
    hulks = players
    cards = 3 * players + 4  # the planes before are those of ships and cards
    for plane in range(cards):
        fill(flat, plane, 0.0)
    encode_cards(position, seat, players, flat, hulks + 1)
    for step in range(players):
        other = seat + step if seat + step < players else seat + step - players
        flat[step, position[layout.SHIPS + other]] = 1.0
        fill(flat, cards + step, position[layout.STOPS + other])
        fill(
            flat,
            cards + players + step,
            1.0 if position[layout.TABLE + other] != layout.NOTHING else 0.0,
        )
        share = 0.0
        for rank in range(players):
            if position[layout.ORDER + rank] == other:
                share = rank / (players - 1)
        fill(flat, cards + 2 * players + step, share)
    for ship in range(layout.FIRST_HULK, layout.MOST_SHIPS):
        if position[layout.SHIPS + ship] != layout.NOTHING:
            flat[hulks, position[layout.SHIPS + ship]] = 1.0
    numbers = cards + 3 * players
    fill(flat, numbers, position[layout.ROUND] / (layout.ROUNDS - 1))
    fill(flat, numbers + 1, position[layout.TURN] / (layout.TURNS - 1))
    for phase in range(layout.STOPPING + 1):
        fill(flat, numbers + 2 + phase, 1.0 if position[layout.PHASE] == phase else 0.0)


@inlined
def fill(flat: NDArray[np.float32], plane: int, value: float) -> None:
    """Write one number all along a plane; a slice would do it too, but slowly."""
    number = np.float32(value)
    for place in range(flat.shape[1]):
        flat[plane, place] = number


@inlined
def encode_cards(
    position: NDArray[np.int16], seat: int, players: int, flat: NDArray[np.float32], first: int
) -> None:
    """Write into the planes of cards, from the first on, what differs from zero."""
    played = first + 3 + players - 1
    for card in range(CARDS):
        place = int(position[layout.WHERE + card])
        if holds(position, seat, card):
            flat[first, card] = 1.0
        elif is_on_field(position, card):
            flat[first + 2, card] = 1.0
        elif layout.PLAYED <= place < layout.OPEN_STACK:
            shown = place >= layout.OPEN_HAND  # in somebody's hand; otherwise played
            step = place - (layout.OPEN_HAND if shown else layout.PLAYED) - seat
            step = step if step >= 0 else step + players
            flat[first + 2 + step if shown else played + step, card] = 1.0
    if position[layout.TABLE + seat] >= 0:
        flat[first + 1, position[layout.TABLE + seat]] = 1.0
    if position[layout.CURRENT] >= 0:
        flat[played + players, position[layout.CURRENT]] = 1.0
