"""Cards as mixed strategies: regret matching over dealt hands, in place of fixed habits.

All seats lay their cards at the same time, so whoever is foreseen can be answered. In every round
of thought the hidden cards are dealt twice. First as nobody knows them, the own secret cards
too: one seat, by turns, looks back at what each of its cards would have won, and wishes later
for those that would have won more (its regrets, kept by card over all deals; its habits count as
regrets it begins with). Then as the own seat knows them: it does the same for its real hand. The
card is drawn from the mean of all its mixtures; cards that are hardly in it are left out.

Regret matching is from Hart and Mas-Colell, "A simple adaptive procedure leading to correlated
equilibrium" (2000).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.champion import network, turns
from sandtable.games.gravwell.agents.champion.features import DIRECTIONS, SHOWN
from sandtable.games.gravwell.agents.champion.search import (
    deal_to,
    draw_weighed,
    study_others,
    weigh_habits,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import holds

__all__ = ["mixture_of", "think_mixed"]

HABITS_COUNT = 0.5  # regrets that the habits stand for, in games won
LEAST_SHARE = 0.15  # of the own mixture; cards with less are never played


@kernel
def gather(numbers: NDArray[np.int64], view: NDArray[np.int16]) -> int:
    """Collect the cards that may be anywhere; return how many."""
    unknown = 0
    for card in range(CARDS):
        if view[layout.WHERE + card] == layout.UNKNOWN:
            numbers[turns.UNKNOWN_CELLS + unknown] = card
            unknown += 1
    return unknown


@kernel
def choose_for_others(
    search: turns.Search,
    parameters: NDArray[np.float32],
    regrets: NDArray[np.float64],
    view: NDArray[np.int16],
    own: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> None:
    """Deal to all seats but the own, let them choose by habits and regrets, throw their coins."""
    numbers, sums = search.numbers, search.sums
    unknown = gather(numbers, view)
    for seat in range(layout.as_int64(view[layout.PLAYERS])):
        if seat == own:
            continue
        held, unknown = deal_to(search, seat, unknown, dice)
        hand = turns.HAND_CELLS + turns.HAND_SIZE * seat
        search.coins[seat] = uniform(dice)
        search.erratic[seat] = uniform(dice) < randomness
        if search.erratic[seat]:
            numbers[turns.CARD_CELLS + seat] = numbers[hand + below(dice, held)]
            continue
        scale = np.float32(HABITS_COUNT / weigh_habits(search, parameters, seat, held))
        total = 0.0
        for index in range(held):
            card = numbers[hand + index]
            sums[turns.WISHES_ROW, card] *= scale
            sums[turns.WISHES_ROW, card] += np.float32(max(regrets[seat, card], 0.0))
            total += sums[turns.WISHES_ROW, card]
        numbers[turns.CARD_CELLS + seat] = draw_weighed(search, seat, held, total, dice)


@kernel
def note_shown_cards(
    search: turns.Search, parameters: NDArray[np.float32], view: NDArray[np.int16], own: int
) -> None:
    """Take out of what a seat sees next the cards of others it saw them draft and now play."""
    sums = search.sums
    for unit in range(network.HIDDEN):
        sums[turns.CHANGE_ROW, unit] = 0.0
    for seat in range(layout.as_int64(view[layout.PLAYERS])):
        card = search.numbers[turns.CARD_CELLS + seat]
        if seat != own and view[layout.WHERE + card] == layout.OPEN_HAND + seat:
            row = network.FIRST + (SHOWN + card) * network.HIDDEN
            for unit in range(network.HIDDEN):
                sums[turns.CHANGE_ROW, unit] -= parameters[row + unit]


@kernel
def judge_cards(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    seat: int,
    values: NDArray[np.float64],
    dice: NDArray[np.uint64],
) -> None:
    """Write what each card in the hand of a seat is worth to it, the others' cards being laid.

    The view is that of the seat; the first layer of all its bases is put together anew.
    """
    turns.base_of_next(search, parameters, view, seat, turns.BASE_ROWS)
    note_shown_cards(search, parameters, view, seat)
    for card in range(CARDS):
        if holds(view, seat, card):
            search.numbers[turns.CARD_CELLS + seat] = card
            base = turns.BASE_ROWS + DIRECTIONS
            turns.bases_without(search, parameters, turns.BASE_ROWS, base, card)
            values[card] = turns.judge_turn(search, parameters, view, base, seat, dice)


@kernel
def reconsider(
    search: turns.Search,
    parameters: NDArray[np.float32],
    regrets: NDArray[np.float64],
    public: NDArray[np.int16],
    imagined: NDArray[np.int16],
    seat: int,
    randomness: float,
    values: NDArray[np.float64],
    dice: NDArray[np.uint64],
) -> None:
    """Let a seat regret in a deal of all hidden cards; ``imagined`` is scratch for its view."""
    numbers = search.numbers
    choose_for_others(search, parameters, regrets, public, layout.NOTHING, randomness, dice)
    copy_cells(public, imagined)
    hand = turns.HAND_CELLS + turns.HAND_SIZE * seat
    for index in range(numbers[turns.SHOWN_CELLS + seat], numbers[turns.HELD_CELLS + seat]):
        imagined[layout.WHERE + numbers[hand + index]] = layout.SECRET_HAND + seat
    laid = numbers[turns.CARD_CELLS + seat]
    judge_cards(search, parameters, imagined, seat, values, dice)
    for card in range(CARDS):
        if holds(imagined, seat, card):
            regrets[seat, card] += values[card] - values[laid]


@kernel
def mixture_of(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    own: int,
    rounds: int,
    randomness: float,
    mixture: NDArray[np.float64],
    dice: NDArray[np.uint64],
) -> None:
    """Write the chance [card] to play each card of the own hand; ``worth`` gets their means."""
    regrets = np.zeros((layout.MOST_PLAYERS, CARDS))
    regret, values = np.zeros(CARDS), np.zeros(CARDS)
    public, imagined = view.copy(), view.copy()
    for card in range(CARDS):
        if view[layout.WHERE + card] == layout.SECRET_HAND + own:
            public[layout.WHERE + card] = layout.UNKNOWN
        mixture[card] = 0.0
        search.worth[layout.PLAY + card] = 0.0
    nobody = layout.as_int64(layout.NOTHING)
    study_others(search, parameters, public, public, nobody)
    players = layout.as_int64(view[layout.PLAYERS])
    for number in range(rounds):
        seat = number % players
        reconsider(search, parameters, regrets, public, imagined, seat, randomness, values, dice)
        choose_for_others(search, parameters, regrets, view, own, randomness, dice)
        judge_cards(search, parameters, view, own, values, dice)
        total, held = 0.0, 0
        for card in range(CARDS):
            if holds(view, own, card):
                total += max(regret[card], 0.0)
                held += 1
        mean = 0.0
        for card in range(CARDS):
            if holds(view, own, card):
                share = max(regret[card], 0.0) / total if total > 0 else 1.0 / held
                mixture[card] += share * (number + 1)  # later ones count more
                mean += share * values[card]
                search.worth[layout.PLAY + card] += values[card] / rounds
        for card in range(CARDS):
            if holds(view, own, card):
                regret[card] += values[card] - mean
    weight = rounds * (rounds + 1) / 2
    total = 0.0
    for card in range(CARDS):
        mixture[card] /= weight
        if mixture[card] < LEAST_SHARE:
            mixture[card] = 0.0
        total += mixture[card]
    for card in range(CARDS):
        mixture[card] /= total


@kernel
def think_mixed(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    own: int,
    rounds: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return a card drawn from the own mixed strategy."""
    held, only = 0, layout.NOTHING
    for card in range(CARDS):
        if holds(view, own, card):
            held += 1
            only = card
    if held == 1:
        return layout.PLAY + only
    mixture = np.zeros(CARDS)
    mixture_of(search, parameters, view, own, rounds, randomness, mixture, dice)
    left, chosen = uniform(dice), layout.NOTHING
    for card in range(CARDS):
        if mixture[card] > 0:
            chosen = card
            left -= mixture[card]
            if left < 0:
                break
    return layout.PLAY + chosen
