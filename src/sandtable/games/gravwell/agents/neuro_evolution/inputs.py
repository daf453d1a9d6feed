"""What the networks of Gravwell's neuro-evolution see, as kernels that write it from a view.

The names of all inputs are in brain.py. The published network gets the numbers as
they are; those for ours are scaled to lie mostly within -1 and 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.neuro_evolution.brain import (
    BOARD,
    CARD_INPUTS,
    KIND_CELLS,
    SLOTS,
)
from sandtable.games.gravwell.cards import CARDS, KIND, NORMAL, REPULSOR, TRACTOR, VALUE
from sandtable.games.gravwell.rules.drafting import hand_size, holds, secret_cards, stacks_taken
from sandtable.games.gravwell.rules.movement import direction_of, landing, target_of

__all__ = [
    "FINDINGS",
    "see_board",
    "see_card",
    "see_draft",
    "see_hand",
    "see_kind",
    "see_stop",
    "see_table",
]

EMPTY_VALUE = 1.0  # of a place in hand without a card, which has neither kind nor order
FAR_AWAY = 12
MOST_VALUE = 10.0
HELD = 3.0  # cards of a kind that are many

# What is found out once for all cards in hand: rows of an array [FINDINGS, card].
PROGRESS, ENEMIES_FIRST, TARGET_FIRST, FINDINGS = range(4)


@kernel
def see_hand(view: NDArray[np.int16], seat: int, values: NDArray[np.float64]) -> None:
    """Write HAND_INPUTS: cards by their places in the hand in order, then ships by seats."""
    slot = 0
    for card in range(CARDS):
        if holds(view, seat, card):
            values[3 * slot] = VALUE[card]
            values[3 * slot + 1] = 1 + KIND[card]
            values[3 * slot + 2] = 1 + card
            slot += 1
    while slot < SLOTS:
        values[3 * slot] = EMPTY_VALUE
        values[3 * slot + 1] = values[3 * slot + 2] = 0.0
        slot += 1
    place = 3 * SLOTS
    values[place] = view[layout.SHIPS + seat]
    for ship in range(layout.MOST_SHIPS):
        if ship != seat:
            place += 1
            # A ship that is not there: as at the start.
            values[place] = max(0, view[layout.SHIPS + ship])


@kernel
def see_board(view: NDArray[np.int16], seat: int, values: NDArray[np.float64]) -> None:
    """Write BOARD_INPUTS."""
    tile = int(view[layout.SHIPS + seat])
    ahead, behind, ships_ahead, best = FAR_AWAY, FAR_AWAY, 0, 0
    for ship in range(layout.MOST_SHIPS):
        there = int(view[layout.SHIPS + ship])
        if ship == seat or there < 0:
            continue
        if ship < layout.FIRST_HULK:
            best = max(best, there)
        if there > tile:
            ahead = min(ahead, there - tile)
            ships_ahead += 1
        elif there > layout.SINGULARITY:
            behind = min(behind, tile - there)
    values[0] = 1.0
    values[1] = tile / layout.GATE
    values[2] = (tile - best) / layout.GATE
    values[3] = ahead / FAR_AWAY
    values[4] = behind / FAR_AWAY
    values[5] = direction_of(view, seat)
    values[6] = ships_ahead / (layout.MOST_SHIPS - 1)
    values[7] = view[layout.ROUND] / (layout.ROUNDS - 1)
    values[8] = view[layout.TURN] / (layout.TURNS - 1)
    values[9] = view[layout.STOPS + seat]
    values[10] = view[layout.TRACTORS] != layout.INERT


@kernel
def see_kind(card: int, values: NDArray[np.float64], place: int) -> int:
    """Write KIND_INPUTS from a place on, and return the place after them."""
    values[place] = VALUE[card] / MOST_VALUE
    values[place + 1] = KIND[card] == NORMAL
    values[place + 2] = KIND[card] == REPULSOR
    values[place + 3] = KIND[card] == TRACTOR
    values[place + 4] = card / (CARDS - 1)
    return place + KIND_CELLS


@kernel
def progress_of(view: NDArray[np.int16], seat: int, card: int, direction: int) -> int:
    """Return how far a card would bring the ship that is drawn in a direction, if it took effect.

    The same as by ``destination``, which looks for the direction every time.
    """
    if direction == 0 or KIND[card] == TRACTOR:
        return 0
    tile = int(view[layout.SHIPS + seat])
    way = direction if KIND[card] == NORMAL else -direction
    return int(landing(view, seat, tile + way * VALUE[card], way) - tile)


@kernel
def see_effect(
    view: NDArray[np.int16],
    seat: int,
    card: int,
    progress: int,
    values: NDArray[np.float64],
    place: int,
) -> int:
    """Write EFFECT_INPUTS from a place on, and return the place after them."""
    tile = view[layout.SHIPS + seat]
    view[layout.SHIPS + seat] = tile + progress
    forward = direction_of(view, seat)
    view[layout.SHIPS + seat] = tile
    values[place] = progress / MOST_VALUE
    values[place + 1] = forward
    values[place + 2] = tile + progress == layout.GATE
    values[place + 3] = pull_of(view, seat, card) / MOST_VALUE
    return place + 4


@kernel
def pull_of(view: NDArray[np.int16], seat: int, card: int) -> float:
    """Return how much a tractor takes from the enemies, on average; about, without collisions."""
    if KIND[card] != TRACTOR or view[layout.TRACTORS] == layout.INERT:
        return 0.0
    tile, won = view[layout.SHIPS + seat], 0
    for enemy in range(view[layout.PLAYERS]):
        if view[layout.SHIPS + enemy] > tile:
            won += VALUE[card]
        elif view[layout.SHIPS + enemy] < tile:
            won -= VALUE[card]
    return float(won / (view[layout.PLAYERS] - 1))


@kernel
def see_range(least: int, most: int, values: NDArray[np.float64], place: int) -> None:
    """Write the least and the most progress of the cards in hand; nothing with an empty hand."""
    values[place] = least / MOST_VALUE if least <= most else 0.0
    values[place + 1] = most / MOST_VALUE if least <= most else 0.0


@kernel
def see_table(
    view: NDArray[np.int16], seat: int, values: NDArray[np.float64], found: NDArray[np.float64]
) -> None:
    """Write those of CARD_INPUTS that all cards in hand share, and find out the rest at once."""
    see_board(view, seat, values)
    direction = direction_of(view, seat)
    least, most = layout.GATE, -layout.GATE
    for card in range(CARDS):
        if holds(view, seat, card):
            progress = progress_of(view, seat, card, direction)
            found[PROGRESS, card] = progress
            least, most = min(least, progress), max(most, progress)
    see_range(least, most, values, len(CARD_INPUTS) - 2)
    find_earlier_cards(view, seat, found)


@kernel
def find_earlier_cards(view: NDArray[np.int16], seat: int, found: NDArray[np.float64]) -> None:
    """Find out how many enemies' cards precede each card on average, and the chance for one enemy.

    That one is the ship that the own one is drawn to. Every card an enemy can hold is taken to be
    as likely played as any other; which ones these are is known from the draft.
    """
    target = target_of(view, seat)
    hidden = 0
    for card in range(CARDS):
        hidden += view[layout.WHERE + card] == layout.UNKNOWN
        found[ENEMIES_FIRST, card] = found[TARGET_FIRST, card] = 0.0
    for enemy in range(layout.as_int64(view[layout.PLAYERS])):
        if enemy == seat:
            continue
        share = 1.0 / max(1, hand_size(view, enemy))
        secret_share = share * secret_cards(view, enemy) / max(1, hidden)
        earlier = 0.0
        for card in range(CARDS):
            found[ENEMIES_FIRST, card] += earlier
            if enemy == target:
                found[TARGET_FIRST, card] = earlier
            if view[layout.WHERE + card] == layout.OPEN_HAND + enemy:
                earlier += share
            elif view[layout.WHERE + card] == layout.UNKNOWN:
                earlier += secret_share


@kernel
def see_card(
    view: NDArray[np.int16],
    seat: int,
    card: int,
    found: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write those of CARD_INPUTS that differ between the cards in hand."""
    place = see_kind(card, values, BOARD)
    place = see_effect(view, seat, card, int(found[PROGRESS, card]), values, place)
    values[place] = found[ENEMIES_FIRST, card] / (layout.MOST_PLAYERS - 1)
    values[place + 1] = found[TARGET_FIRST, card]


@kernel
def see_draft(view: NDArray[np.int16], seat: int, values: NDArray[np.float64]) -> None:
    """Write those of STACK_INPUTS that all stacks share: the board, and what is held already.

    The others are what see_kind writes about the visible card of a stack, from BOARD on.
    """
    see_board(view, seat, values)
    held = np.zeros(3, dtype=np.int64)
    early, value = 0, 0
    for card in range(CARDS):
        if holds(view, seat, card):
            held[KIND[card]] += 1
            early += card < CARDS // 2
            value += VALUE[card]
    rank = 0
    while view[layout.ORDER + rank] != seat:
        rank += 1
    place = BOARD + KIND_CELLS
    values[place] = stacks_taken(view, seat) / 2.0
    values[place + 1] = held[NORMAL] / HELD
    values[place + 2] = held[REPULSOR] / HELD
    values[place + 3] = held[TRACTOR] / HELD
    values[place + 4] = early / HELD
    values[place + 5] = value / (HELD * MOST_VALUE)
    values[place + 6] = rank / (layout.MOST_PLAYERS - 1)


@kernel
def see_stop(view: NDArray[np.int16], seat: int, card: int, values: NDArray[np.float64]) -> None:
    """Write STOP_INPUTS for the card that is about to take effect."""
    see_board(view, seat, values)
    direction = direction_of(view, seat)
    progress = progress_of(view, seat, card, direction)
    place = see_kind(card, values, BOARD)
    place = see_effect(view, seat, card, progress, values, place)
    to_come = 0
    for enemy in range(view[layout.PLAYERS]):
        to_come += view[layout.TABLE + enemy] > card
    values[place] = to_come / (layout.MOST_PLAYERS - 1)
    least, most = layout.GATE, -layout.GATE
    for each in range(CARDS):
        if holds(view, seat, each):
            progress = progress_of(view, seat, each, direction)
            least, most = min(least, progress), max(most, progress)
    see_range(least, most, values, place + 1)
