"""What the Q-learner of Gravwell sees, and how it chooses from its tables.

The published state (section 3.4) is the distance of the nearest opponent behind and of the nearest
one ahead: exact up to 10, farther, or none; optionally with the turn of the round. Hulks are not
seen, and opponents in the Singularity count like all others, as in the authors' records. What the
paper leaves to future work (section 6.3) are two more switches. ``HULKS`` sees all ships that can
draw one's own: hulks too, but none in the Singularity. ``ENEMY_CARDS`` looks, for each card it
could play, at the cards that opponents are known to hold and that would take effect before it, and
asks how many of them would turn its ship round. ``NETWORK`` has a network instead of the table, and
``JOINT`` a table of joint actions.

A table of cards has an entry for every state, danger and card; one of stops for every turn,
direction and distance of the move that could be stopped, with two actions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import uniform
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.q_learning import joint_actions, network_state
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR
from sandtable.games.gravwell.rules.movement import destination, direction_of

__all__ = [
    "DANGERS",
    "DISTANCES",
    "ENEMY_CARDS",
    "FARTHER",
    "HULKS",
    "IN_ORDER",
    "JOINT",
    "NETWORK",
    "NO_STATE",
    "STOP_DISTANCES",
    "STOP_ENTRIES",
    "TURN_IN_STATE",
    "chosen_card",
    "entries_of",
    "place_of",
    "stop_state",
    "table_size",
    "wants_stop",
    "write_values",
]

# Switches of the state; the last two take the place of the table.
TURN_IN_STATE, HULKS, ENEMY_CARDS, NETWORK, JOINT = 1, 2, 4, 8, 16

SIGHT = 10  # distances up to this are seen exactly
FARTHER = SIGHT + 1
DISTANCES = FARTHER + 1  # 0: nobody there
PLACES = DISTANCES * DISTANCES
DANGERS = 4  # none of the known cards would turn the ship round, few, some, many
FEW, SOME = 0.15, 0.4  # shares of the cards that are known and come before
STOP_DISTANCES = 10
# For each state: let it take effect, or stop it.
STOP_ENTRIES = layout.TURNS * 2 * STOP_DISTANCES * 2
NO_STATE = -1
IN_ORDER: NDArray[np.int64] = np.arange(CARDS)  # entries of values that are not out of a table


def table_size(switches: int) -> int:
    """Return how many entries a table of cards with these switches has.

    >>> table_size(0), table_size(TURN_IN_STATE)
    (3744, 22464)
    """
    if switches & NETWORK:
        return network_state.PARAMETERS
    if switches & JOINT:
        return PLACES * CARDS * joint_actions.CLASSES + joint_actions.BELIEFS
    turns = layout.TURNS if switches & TURN_IN_STATE else 1
    dangers = DANGERS if switches & ENEMY_CARDS else 1
    return turns * PLACES * dangers * CARDS


@kernel
def place_of(view: NDArray[np.int16], seat: int, hulks: bool) -> int:
    """Return the number of the nearest distances behind and ahead."""
    own = view[layout.SHIPS + seat]
    behind, ahead = 0, 0  # as in the state: 0 nobody, up to 10 exact, 11 farther
    for ship in range(layout.MOST_SHIPS):
        tile = view[layout.SHIPS + ship]
        unseen = (tile == layout.SINGULARITY) if hulks else (ship >= layout.FIRST_HULK)
        if ship == seat or tile < layout.SINGULARITY or unseen:
            continue
        distance = min(abs(tile - own), FARTHER)
        if tile < own and (behind == 0 or distance < behind):
            behind = distance
        elif tile > own and (ahead == 0 or distance < ahead):
            ahead = distance
    return behind * DISTANCES + ahead


@kernel
def write_dangers(view: NDArray[np.int16], seat: int, dangers: NDArray[np.int64]) -> None:
    """Write for every card how many of the known cards before it would turn the ship round.

    The known ones are played one at a time on the view and taken back again.
    """
    direction = direction_of(view, seat)
    known, turning = 0, 0
    for card in range(CARDS):
        share = turning / known if known > 0 else 0.0
        dangers[card] = 0 if turning == 0 else 1 if share < FEW else 2 if share < SOME else 3
        owner = view[layout.WHERE + card] - layout.OPEN_HAND
        if owner < 0 or owner >= view[layout.PLAYERS] or owner == seat:
            continue
        known += 1
        before = view[layout.SHIPS + owner]
        view[layout.SHIPS + owner] = destination(view, owner, card)
        turning += direction_of(view, seat) != direction
        view[layout.SHIPS + owner] = before


@kernel
def entries_of(
    view: NDArray[np.int16], seat: int, switches: int, entries: NDArray[np.int64]
) -> None:
    """Write where in the table each card of the deck stands now [26]."""
    state = place_of(view, seat, switches & HULKS != 0)
    if switches & TURN_IN_STATE:
        state += PLACES * view[layout.TURN]
    if switches & ENEMY_CARDS:
        write_dangers(view, seat, entries)
        for card in range(CARDS):
            entries[card] = (state * DANGERS + entries[card]) * CARDS + card
    else:
        for card in range(CARDS):
            entries[card] = state * CARDS + card


@kernel
def write_values(
    view: NDArray[np.int16],
    seat: int,
    switches: int,
    table: NDArray[np.floating[Any]],
    values: NDArray[np.float64],
) -> None:
    """Write what every card is worth by a network or by a table of joint actions [26]."""
    if switches & NETWORK:
        active = np.empty(network_state.MOST_ACTIVE, dtype=np.uint16)
        hidden = np.empty(network_state.HIDDEN)
        network_state.see(view, seat, table, active, hidden)
        for card in range(CARDS):
            values[card] = network_state.value_of(table, hidden, card)
        return
    chances = np.empty(CARDS)
    joint_actions.write_chances(view, joint_actions.rival_of(view, seat), table, chances)
    place = place_of(view, seat, switches & HULKS != 0)
    for card in range(CARDS):
        values[card] = joint_actions.joint_value(table, place, card, chances)


@kernel
def chosen_card(
    hand: int,
    entries: NDArray[np.int64],
    table: NDArray[np.floating[Any]],
    temperature: float,
    dice: NDArray[np.uint64],
) -> int:
    """Draw a card of the hand by the Boltzmann distribution; at temperature 0 take the best."""
    best = layout.NOTHING
    for card in range(CARDS):
        if hand >> card & 1 and (
            best == layout.NOTHING or table[entries[card]] > table[entries[best]]
        ):
            best = card
    if temperature <= 0.0:
        return best
    highest, total = table[entries[best]], 0.0
    weights = np.zeros(CARDS)
    for card in range(CARDS):
        if hand >> card & 1:
            weights[card] = math.exp((table[entries[card]] - highest) / temperature)
            total += weights[card]
    point = uniform(dice) * total
    for card in range(CARDS):
        if hand >> card & 1:
            point -= weights[card]
            if point < 0.0:
                return card
    return best


@kernel
def stop_state(view: NDArray[np.int16], seat: int, card: int) -> int:
    """Return the entry of the move that could be stopped, or NO_STATE if it leads nowhere.

    The entry is that of letting it take effect; the one of stopping it comes right after.
    """
    if KIND[card] == TRACTOR:
        return NO_STATE
    move = destination(view, seat, card) - view[layout.SHIPS + seat]
    if move == 0:
        return NO_STATE
    forward = 1 if move > 0 else 0
    distance = min(abs(move), STOP_DISTANCES)
    state = (view[layout.TURN] * 2 + forward) * STOP_DISTANCES + distance - 1
    return int(2 * state)


@kernel
def wants_stop(
    entry: int, stops: NDArray[np.floating[Any]], temperature: float, dice: NDArray[np.uint64]
) -> bool:
    """Draw between stopping and not by the Boltzmann distribution; at temperature 0 the better."""
    gain = stops[entry + 1] - stops[entry]
    if temperature <= 0.0:
        return bool(gain > 0.0)
    return bool(uniform(dice) < 1.0 / (1.0 + math.exp(-gain / temperature)))
