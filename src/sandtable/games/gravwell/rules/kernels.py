"""Gravwell: the kernels that carry a game from its start to its result.

A round begins with a draft. In each of its six turns the seats choose a card one after the other,
face down, so that it is as if they chose at once; then the cards take effect in alphabetical order.
The game stops on the way to ask the owner of the next card whether it uses its Emergency Stop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
from sandtable.games.gravwell.layout import (
    ACTIONS,
    CURRENT,
    ENDED,
    FIRST_HULK,
    GATE,
    GO,
    LAST,
    MOST_PLAYERS,
    MOST_SHIPS,
    MOVER,
    NOTHING,
    ORDER,
    OVER,
    PHASE,
    PLAY,
    PLAYED,
    PLAYERS,
    PLAYING,
    ROUND,
    ROUNDS,
    SHIPS,
    SINGULARITY,
    STOP,
    STOPPING,
    STOPS,
    TABLE,
    TAKE,
    TURN,
    TURNS,
    WHERE,
    WINNER,
    whole,
)
from sandtable.games.gravwell.rules.drafting import begin_round, holds, is_on_field, take_stack
from sandtable.games.gravwell.rules.hiding import guess, hide
from sandtable.games.gravwell.rules.movement import arrival, pull_others, target_of

__all__ = [
    "apply",
    "guess",
    "hide",
    "legal",
    "may_stop",
    "measure",
    "owner_of",
    "score",
    "start",
    "turn",
]

HULK_TILES = (36, 26)  # the second one only with three players or more


@kernel
def start(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Put the ships in the Singularity and the hulks on their tiles, and begin the first round."""
    players = position[PLAYERS]
    for ship in range(MOST_SHIPS):
        position[SHIPS + ship] = SINGULARITY if ship < players else NOTHING
    position[SHIPS + FIRST_HULK] = HULK_TILES[0]
    if players > 2:
        position[SHIPS + FIRST_HULK + 1] = HULK_TILES[1]
    for seat in range(MOST_PLAYERS):
        position[TABLE + seat] = NOTHING
        position[LAST + seat] = NOTHING
        position[ORDER + seat] = NOTHING
        position[STOPS + seat] = 0
    position[ROUND] = 0
    position[TURN] = 0
    position[CURRENT] = NOTHING
    position[WINNER] = NOTHING
    begin_round(position, dice)


@inlined
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return whole(position[MOVER])


@inlined
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    phase, seat, count = position[PHASE], whole(position[MOVER]), 0
    if phase == PLAYING:
        for card in range(CARDS):
            held = holds(position, seat, card)
            mask[PLAY + card] = held
            count += held
        for action in range(TAKE, ACTIONS):
            mask[action] = False
        return count
    for action in range(TAKE):
        mask[action] = False
    for card in range(CARDS):  # no stack is left on the field but in a draft
        free = is_on_field(position, card)
        mask[TAKE + card] = free
        count += free
    mask[GO] = mask[STOP] = phase == STOPPING
    return int(count + 2 * (phase == STOPPING))


@inlined
def apply(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play one legal action in place, with all that follows from it."""
    if action < TAKE:
        lay_down(position, whole(position[MOVER]), action - PLAY)
    elif action < GO:
        take_stack(position, whole(position[MOVER]), action - TAKE)
    if position[PHASE] == STOPPING:
        resolve(position, action, dice)


@inlined
def lay_down(position: NDArray[np.int16], seat: int, card: int) -> None:
    """Lay a card face down; when all have, turn the cards over and begin to resolve them."""
    position[TABLE + seat] = card
    players = position[PLAYERS]
    if seat + 1 < players:
        position[MOVER] = seat + 1
        return
    for owner in range(players):
        position[WHERE + position[TABLE + owner]] = PLAYED + owner
    position[PHASE] = STOPPING
    position[CURRENT] = next_card(position, NOTHING)


@inlined
def next_card(position: NDArray[np.int16], card: int) -> int:
    """Return the card on the table that takes effect after this one, or NOTHING."""
    following = CARDS
    for seat in range(MOST_PLAYERS):  # seats that are not in the game have NOTHING there
        other = int(position[TABLE + seat])
        following = min(following, other if other > card else CARDS)
    return following if following < CARDS else NOTHING


@inlined
def owner_of(position: NDArray[np.int16], card: int) -> int:
    """Return the seat that has played a card, once it has been turned over."""
    return int(position[WHERE + card]) - PLAYED


@inlined
def may_stop(position: NDArray[np.int16], seat: int, card: int, target: int) -> bool:
    """Say whether the owner of a card that is about to take effect is asked to stop it.

    A stuck ship, one without a target, has nothing to stop, unless its card is a tractor.
    """
    return bool(position[STOPS + seat] and (target != NOTHING or KIND[card] == TRACTOR))


@kernel
def resolve(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Let cards take effect until the owner of one is to be asked, or the turn is over.

    The action is the one just played: GO or STOP is the answer of the owner of the current card.
    """
    while position[PHASE] == STOPPING:
        card = whole(position[CURRENT])
        seat = owner_of(position, card)
        target = target_of(position, seat)
        if action < GO and may_stop(position, seat, card, target):
            position[MOVER] = seat
            return
        if action == STOP:
            position[STOPS + seat] = 0
        elif KIND[card] == TRACTOR:
            pull_others(position, seat, VALUE[card], dice)
        elif target != NOTHING:
            position[SHIPS + seat] = arrival(position, seat, card, target)
        action = PLAY  # the answer was for this card only
        if position[SHIPS + seat] == GATE:
            end_game(position, seat)
            return
        position[CURRENT] = next_card(position, card)
        if position[CURRENT] == NOTHING:
            end_turn(position, dice)


@kernel
def end_turn(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Clear the table for the next turn, the next round, or nothing more."""
    last_turn = position[TURN] == TURNS - 1
    if last_turn and position[ROUND] == ROUNDS - 1:
        end_game(position, furthest(position))
        return
    for seat in range(position[PLAYERS]):
        position[LAST + seat] = position[TABLE + seat]
        position[TABLE + seat] = NOTHING
    if last_turn:
        position[ROUND] += 1
        position[TURN] = 0
        begin_round(position, dice)
    else:
        position[TURN] += 1
        position[PHASE] = PLAYING
        position[MOVER] = 0


@kernel
def furthest(position: NDArray[np.int16]) -> int:
    """Return the seat whose ship is nearest to the gate, or NOTHING if none left the start."""
    leader, tile = NOTHING, SINGULARITY
    for seat in range(position[PLAYERS]):
        if position[SHIPS + seat] > tile:
            leader, tile = seat, position[SHIPS + seat]
    return leader


@inlined
def end_game(position: NDArray[np.int16], winner: int) -> None:
    """Write down who won; the cards of the last turn stay on the table."""
    position[WINNER] = winner
    position[PHASE] = ENDED
    position[MOVER] = OVER


@kernel
def measure(position: NDArray[np.int16], values: NDArray[np.float64]) -> None:
    """Write how far the ship of every seat has come."""
    for seat in range(position[PLAYERS]):
        values[seat, 0] = position[SHIPS + seat]


@kernel
def score(position: NDArray[np.int16], scores: NDArray[np.float64]) -> None:
    """Give the winner 1; if all are still in the Singularity, share it. Nothing before the end."""
    players, winner = position[PLAYERS], position[WINNER]
    share = 1.0 / players if position[PHASE] == ENDED and winner == NOTHING else 0.0
    for seat in range(players):
        scores[seat] = 1.0 if seat == winner else share
