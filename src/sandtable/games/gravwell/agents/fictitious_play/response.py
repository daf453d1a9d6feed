"""The best answer to what others have been seen to do (Brown 1951), inside kernels.

Beliefs are counts: how often a card was held and how often it was played, by the turn of the round
and by where its owner was drawn; and how often cards were stopped that would have set their owner
back, and others. Hidden cards are dealt again and again, the others play by these frequencies, and
the card with which the own ship is furthest in front on average is the answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.decision_tree.described import sets_back
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
from sandtable.games.gravwell.rules.drafting import holds, secret_cards
from sandtable.games.gravwell.rules.kernels import may_stop
from sandtable.games.gravwell.rules.movement import arrival, direction_of, pull_others, target_of

__all__ = ["SITUATIONS", "Beliefs", "frequency", "new_beliefs", "stop_frequency", "weigh_cards"]

SITUATIONS = 3  # drawn back, stuck, drawn forward
WIN = 54.0  # tiles that a ship in the gate is ahead of all others


class Beliefs(NamedTuple):
    """What has been seen so far."""

    played: NDArray[np.float64]  # [situation, turn, card]
    held: NDArray[np.float64]  # [situation, turn, card]
    stopped: NDArray[np.float64]  # [would set back]
    asked: NDArray[np.float64]  # [would set back]


def new_beliefs() -> Beliefs:
    """Begin with nothing seen.

    >>> new_beliefs().played.shape
    (3, 6, 26)
    """
    shape = SITUATIONS, layout.TURNS, CARDS
    return Beliefs(np.zeros(shape), np.zeros(shape), np.zeros(2), np.zeros(2))


@kernel
def frequency(beliefs: Beliefs, situation: int, turn: int, card: int) -> float:
    """Return how often a card in hand is played; before anything is seen, as often as any other."""
    played, held = beliefs.played[situation, turn, card], beliefs.held[situation, turn, card]
    return float((played + 1.0) / (held + layout.TURNS - turn))


@kernel
def stop_frequency(beliefs: Beliefs, back: int) -> float:
    """Return how often a card is stopped that would set the ship back, or another one."""
    return float((beliefs.stopped[back] + 1.0) / (beliefs.asked[back] + 2.0))


@kernel
def draw_others(
    view: NDArray[np.int16],
    own: int,
    beliefs: Beliefs,
    unknown: NDArray[np.int64],
    count: int,
    cards: NDArray[np.int64],
    dice: NDArray[np.uint64],
) -> None:
    """Deal the unknown cards and let the others choose; ``cards`` [seat] gets what they play."""
    hand, weights = np.empty(layout.TURNS, dtype=np.int64), np.empty(layout.TURNS)
    turn = layout.as_int64(view[layout.TURN])
    for seat in range(layout.as_int64(view[layout.PLAYERS])):
        if seat == own:
            continue
        size = 0
        for card in range(CARDS):
            if view[layout.WHERE + card] == layout.OPEN_HAND + seat:
                hand[size] = card
                size += 1
        for _ in range(secret_cards(view, seat)):
            place = below(dice, count)
            count -= 1
            hand[size] = unknown[place]
            unknown[place] = unknown[count]
            unknown[count] = hand[size]
            size += 1
        situation, total = 1 + direction_of(view, seat), 0.0
        for index in range(size):
            weights[index] = frequency(beliefs, situation, turn, hand[index])
            total += weights[index]
        left, chosen = uniform(dice) * total, size - 1
        for index in range(size):
            left -= weights[index]
            if left < 0.0:
                chosen = index
                break
        cards[seat] = hand[chosen]


@kernel
def carry_out(
    scene: NDArray[np.int16],
    own: int,
    cards: NDArray[np.int64],
    coins: NDArray[np.float64],
    beliefs: Beliefs,
    dice: NDArray[np.uint64],
) -> float:
    """Let the cards take effect; return how far the own ship is ahead of the best other one."""
    players = layout.as_int64(scene[layout.PLAYERS])
    for card in range(CARDS):
        for seat in range(players):
            if cards[seat] != card:
                continue
            target = target_of(scene, seat)
            stopped = False
            if may_stop(scene, seat, card, target):
                back = sets_back(scene, seat, card)
                limit = stop_frequency(beliefs, int(back))
                stopped = back if seat == own else coins[seat] < limit
            if stopped:
                scene[layout.STOPS + seat] = 0
            elif KIND[card] == TRACTOR:
                pull_others(scene, seat, VALUE[card], dice)
            elif target != layout.NOTHING:
                scene[layout.SHIPS + seat] = arrival(scene, seat, card, target)
            if scene[layout.SHIPS + seat] == layout.GATE:
                return WIN if seat == own else -WIN
    best = 0
    for seat in range(players):
        if seat != own:
            best = max(best, int(scene[layout.SHIPS + seat]))
    return float(scene[layout.SHIPS + own] - best)


@kernel
def weigh_cards(
    view: NDArray[np.int16],
    own: int,
    beliefs: Beliefs,
    samples: int,
    dice: NDArray[np.uint64],
    worth: NDArray[np.float64],
) -> int:
    """Write the mean lead after this turn with every card in hand [26]; return the best card."""
    unknown, count = np.empty(CARDS, dtype=np.int64), 0
    for card in range(CARDS):
        worth[card] = 0.0
        if view[layout.WHERE + card] == layout.UNKNOWN:
            unknown[count] = card
            count += 1
    scene = np.empty_like(view)
    cards = np.full(layout.MOST_PLAYERS, layout.NOTHING, dtype=np.int64)
    coins = np.empty(layout.MOST_PLAYERS)
    for _ in range(samples):
        draw_others(view, own, beliefs, unknown, count, cards, dice)
        for seat in range(layout.MOST_PLAYERS):
            coins[seat] = uniform(dice)
        for card in range(CARDS):
            if holds(view, own, card):
                copy_cells(view, scene)
                cards[own] = card
                worth[card] += carry_out(scene, own, cards, coins, beliefs, dice) / samples
    best = layout.NOTHING
    for card in range(CARDS):
        if holds(view, own, card) and (best == layout.NOTHING or worth[card] > worth[best]):
            best = card
    return best
