"""Gravwell: the kernels that carry a game from its start to its result.

A round begins with a draft. In each of its six turns the seats choose a card one after the other,
face down, so that it is as if they chose at once; then the cards take effect in alphabetical order.
The game stops on the way to ask the owner of the next card whether it uses its Emergency Stop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
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
    players = position[layout.PLAYERS]
    for ship in range(layout.MOST_SHIPS):
        position[layout.SHIPS + ship] = layout.SINGULARITY if ship < players else layout.NOTHING
    position[layout.SHIPS + layout.FIRST_HULK] = HULK_TILES[0]
    if players > 2:
        position[layout.SHIPS + layout.FIRST_HULK + 1] = HULK_TILES[1]
    for seat in range(layout.MOST_PLAYERS):
        position[layout.TABLE + seat] = layout.NOTHING
        position[layout.LAST + seat] = layout.NOTHING
        position[layout.ORDER + seat] = layout.NOTHING
        position[layout.STOPS + seat] = 0
    position[layout.ROUND] = 0
    position[layout.TURN] = 0
    position[layout.CURRENT] = layout.NOTHING
    position[layout.WINNER] = layout.NOTHING
    begin_round(position, dice)


@inlined
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return layout.as_int64(position[layout.MOVER])


@inlined
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    phase, seat, count = position[layout.PHASE], layout.as_int64(position[layout.MOVER]), 0
    if phase == layout.PLAYING:
        for card in range(CARDS):
            held = holds(position, seat, card)
            mask[layout.PLAY + card] = held
            count += held
        for action in range(layout.TAKE, layout.ACTIONS):
            mask[action] = False
        return count
    for action in range(layout.TAKE):
        mask[action] = False
    for card in range(CARDS):  # no stack is left on the field but in a draft
        free = is_on_field(position, card)
        mask[layout.TAKE + card] = free
        count += free
    mask[layout.GO] = mask[layout.STOP] = phase == layout.STOPPING
    return int(count + 2 * (phase == layout.STOPPING))


@inlined
def apply(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play one legal action in place, with all that follows from it."""
    if action < layout.TAKE:
        lay_down(position, layout.as_int64(position[layout.MOVER]), action - layout.PLAY)
    elif action < layout.GO:
        take_stack(position, layout.as_int64(position[layout.MOVER]), action - layout.TAKE)
    if position[layout.PHASE] == layout.STOPPING:
        resolve(position, action, dice)


@inlined
def lay_down(position: NDArray[np.int16], seat: int, card: int) -> None:
    """Lay a card face down; when all have, turn the cards over and begin to resolve them."""
    position[layout.TABLE + seat] = card
    players = position[layout.PLAYERS]
    if seat + 1 < players:
        position[layout.MOVER] = seat + 1
        return
    for owner in range(players):
        position[layout.WHERE + position[layout.TABLE + owner]] = layout.PLAYED + owner
    position[layout.PHASE] = layout.STOPPING
    position[layout.CURRENT] = next_card(position, layout.NOTHING)


@inlined
def next_card(position: NDArray[np.int16], card: int) -> int:
    """Return the card on the table that takes effect after this one, or NOTHING."""
    following = CARDS
    for seat in range(layout.MOST_PLAYERS):  # seats that are not in the game have NOTHING there
        other = int(position[layout.TABLE + seat])
        following = min(following, other if other > card else CARDS)
    return following if following < CARDS else layout.NOTHING


@inlined
def owner_of(position: NDArray[np.int16], card: int) -> int:
    """Return the seat that has played a card, once it has been turned over."""
    return int(position[layout.WHERE + card]) - layout.PLAYED


@inlined
def may_stop(position: NDArray[np.int16], seat: int, card: int, target: int) -> bool:
    """Say whether the owner of a card that is about to take effect is asked to stop it.

    A stuck ship, one without a target, has nothing to stop, unless its card is a tractor.
    """
    return bool(
        position[layout.STOPS + seat] and (target != layout.NOTHING or KIND[card] == TRACTOR)
    )


@kernel
def resolve(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Let cards take effect until the owner of one is to be asked, or the turn is over.

    The action is the one just played: GO or STOP is the answer of the owner of the current card.
    """
    while position[layout.PHASE] == layout.STOPPING:
        card = layout.as_int64(position[layout.CURRENT])
        seat = owner_of(position, card)
        target = target_of(position, seat)
        if action < layout.GO and may_stop(position, seat, card, target):
            position[layout.MOVER] = seat
            return
        if action == layout.STOP:
            position[layout.STOPS + seat] = 0
        elif KIND[card] == TRACTOR:
            pull_others(position, seat, VALUE[card], dice)
        elif target != layout.NOTHING:
            position[layout.SHIPS + seat] = arrival(position, seat, card, target)
        action = layout.PLAY  # the answer was for this card only
        if position[layout.SHIPS + seat] == layout.GATE:
            end_game(position, seat)
            return
        position[layout.CURRENT] = next_card(position, card)
        if position[layout.CURRENT] == layout.NOTHING:
            end_turn(position, dice)


@kernel
def end_turn(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Clear the table for the next turn, the next round, or nothing more."""
    last_turn = position[layout.TURN] == layout.TURNS - 1
    if last_turn and position[layout.ROUND] == layout.ROUNDS - 1:
        end_game(position, furthest(position))
        return
    for seat in range(position[layout.PLAYERS]):
        position[layout.LAST + seat] = position[layout.TABLE + seat]
        position[layout.TABLE + seat] = layout.NOTHING
    if last_turn:
        position[layout.ROUND] += 1
        position[layout.TURN] = 0
        begin_round(position, dice)
    else:
        position[layout.TURN] += 1
        position[layout.PHASE] = layout.PLAYING
        position[layout.MOVER] = 0


@kernel
def furthest(position: NDArray[np.int16]) -> int:
    """Return the seat whose ship is nearest to the gate, or NOTHING if none left the start."""
    leader, tile = layout.NOTHING, layout.SINGULARITY
    for seat in range(position[layout.PLAYERS]):
        if position[layout.SHIPS + seat] > tile:
            leader, tile = seat, position[layout.SHIPS + seat]
    return leader


@inlined
def end_game(position: NDArray[np.int16], winner: int) -> None:
    """Write down who won; the cards of the last turn stay on the table."""
    position[layout.WINNER] = winner
    position[layout.PHASE] = layout.ENDED
    position[layout.MOVER] = layout.OVER


@kernel
def measure(position: NDArray[np.int16], values: NDArray[np.float64]) -> None:
    """Write how far the ship of every seat has come."""
    for seat in range(position[layout.PLAYERS]):
        values[seat, 0] = position[layout.SHIPS + seat]


@kernel
def score(position: NDArray[np.int16], scores: NDArray[np.float64]) -> None:
    """Give the winner 1; if all are still in the Singularity, share it. Nothing before the end."""
    players, winner = position[layout.PLAYERS], position[layout.WINNER]
    share = (
        1.0 / players
        if position[layout.PHASE] == layout.ENDED and winner == layout.NOTHING
        else 0.0
    )
    for seat in range(players):
        scores[seat] = 1.0 if seat == winner else share
