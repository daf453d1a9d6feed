"""How the champion of Gravwell decides: one turn ahead, over what others may hold and play.

Nothing but the view is read. For a card, hidden cards are dealt again and again, the others choose
by their habits (or at random), and all own cards meet the same choices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.champion import network, turns
from sandtable.games.gravwell.agents.champion.features import (
    DIRECTIONS,
    FIELD,
    HAND,
    HAND_DRAWN,
    SHOWN,
    describe,
    describe_fully,
    moment_of_turn,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import holds, is_on_field, secret_cards, stacks_taken
from sandtable.games.gravwell.rules.movement import direction_of

__all__ = [
    "deal_to",
    "draw_weighed",
    "study_others",
    "think",
    "think_draft",
    "think_play",
    "think_stop",
    "weigh_habits",
]

MOST_STOP_SAMPLES = 32  # only the others' Emergency Stops are open then


@kernel
def study_others(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    known: NDArray[np.int16],
    own: int,
) -> int:
    """Note what is known of the others' hands; return how many cards may be anywhere.

    ``known`` is the view again. A study of what the hidden cards are worth gives the position
    itself; then nothing is left to be dealt.
    """
    numbers, unknown = search.numbers, 0
    for card in range(CARDS):
        if known[layout.WHERE + card] == layout.UNKNOWN:
            numbers[turns.UNKNOWN_CELLS + unknown] = card
            unknown += 1
    for seat in range(layout.as_int64(view[layout.PLAYERS])):
        if seat == own:
            continue
        hand, held = turns.HAND_CELLS + turns.HAND_SIZE * seat, 0
        for card in range(CARDS):
            search.gains[seat, card] = network.gain_of(view, seat, card)
            if view[layout.WHERE + card] == layout.OPEN_HAND + seat:
                numbers[hand + held] = card
                held += 1
        numbers[turns.SHOWN_CELLS + seat] = shown = held
        for card in range(CARDS):
            if known[layout.WHERE + card] == layout.SECRET_HAND + seat:
                numbers[hand + held] = card
                held += 1
        numbers[turns.KNOWN_CELLS + seat] = held
        numbers[turns.HELD_CELLS + seat] = shown + secret_cards(view, seat)
        count = describe(view, seat, moment_of_turn(view[layout.TURN]), search.active)
        row = turns.HABITS_ROWS + seat
        network.sum_up_habits(parameters, search.active, count, search.sums, row)
    return unknown


@kernel
def weigh_habits(
    search: turns.Search, parameters: NDArray[np.float32], seat: int, held: int
) -> float:
    """Write how likely a seat's habits play each card of its imagined hand; return their sum."""
    sums, numbers = search.sums, search.numbers
    hand = turns.HAND_CELLS + turns.HAND_SIZE * seat
    for unit in range(network.HABITS_HIDDEN):
        sums[turns.HABIT_ROW, unit] = sums[turns.HABITS_ROWS + seat, unit]
    for index in range(numbers[turns.SHOWN_CELLS + seat], held):
        row = network.HABITS + (HAND + numbers[hand + index]) * network.HABITS_HIDDEN
        for unit in range(network.HABITS_HIDDEN):
            sums[turns.HABIT_ROW, unit] += parameters[row + unit]
    network.wishes_of(parameters, sums, turns.HABIT_ROW, search.gains[seat], turns.WISHES_ROW)
    highest = sums[turns.WISHES_ROW, numbers[hand]]
    for index in range(1, held):
        highest = max(highest, sums[turns.WISHES_ROW, numbers[hand + index]])
    total = np.float32(0.0)
    for index in range(held):
        card = numbers[hand + index]
        sums[turns.WISHES_ROW, card] = np.exp(sums[turns.WISHES_ROW, card] - highest)
        total += sums[turns.WISHES_ROW, card]
    return float(total)


@kernel
def draw_weighed(
    search: turns.Search, seat: int, held: int, total: float, dice: NDArray[np.uint64]
) -> int:
    """Draw a card from the imagined hand of a seat by the weights that were written."""
    sums, numbers = search.sums, search.numbers
    hand = turns.HAND_CELLS + turns.HAND_SIZE * seat
    left = uniform(dice) * total
    for index in range(held - 1):
        left -= sums[turns.WISHES_ROW, numbers[hand + index]]
        if left < 0:
            return int(numbers[hand + index])
    return int(numbers[hand + held - 1])


@kernel
def deal_to(
    search: turns.Search, seat: int, unknown: int, dice: NDArray[np.uint64]
) -> tuple[int, int]:
    """Deal a seat the cards it holds that are not known; return its hand's size and what is left.

    The cards everybody knows come first in a hand.
    """
    numbers = search.numbers
    hand, held = turns.HAND_CELLS + turns.HAND_SIZE * seat, numbers[turns.HELD_CELLS + seat]
    for index in range(numbers[turns.KNOWN_CELLS + seat], held):
        drawn = turns.UNKNOWN_CELLS + below(dice, unknown)
        unknown -= 1
        card = numbers[drawn]
        numbers[drawn] = numbers[turns.UNKNOWN_CELLS + unknown]
        numbers[turns.UNKNOWN_CELLS + unknown] = card
        numbers[hand + index] = card
    return int(held), unknown


@kernel
def imagine_others(
    search: turns.Search,
    parameters: NDArray[np.float32],
    players: int,
    own: int,
    unknown: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> None:
    """Deal the unknown cards, choose for the others, and throw their coins."""
    sums, numbers = search.sums, search.numbers
    for unit in range(network.HIDDEN):
        sums[turns.CHANGE_ROW, unit] = 0.0
    for seat in range(players):
        if seat == own:
            continue
        held, unknown = deal_to(search, seat, unknown, dice)
        hand, shown = turns.HAND_CELLS + turns.HAND_SIZE * seat, numbers[turns.SHOWN_CELLS + seat]
        search.coins[seat] = uniform(dice)
        search.erratic[seat] = uniform(dice) < randomness
        if search.erratic[seat]:
            card = numbers[hand + below(dice, held)]
        else:
            total = weigh_habits(search, parameters, seat, held)
            card = draw_weighed(search, seat, held, total, dice)
        numbers[turns.CARD_CELLS + seat] = card
        for index in range(shown):
            if numbers[hand + index] == card:
                row = network.FIRST + (SHOWN + card) * network.HIDDEN
                for unit in range(network.HIDDEN):
                    sums[turns.CHANGE_ROW, unit] -= parameters[row + unit]


@kernel
def think_play(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    known: NDArray[np.int16],
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return the card to play; ``worth`` gets the mean of every one. A single card needs none."""
    worth, numbers = search.worth, search.numbers
    count = 0
    for card in range(CARDS):
        if holds(view, own, card):
            numbers[turns.OWN_CELLS + count] = card
            count += 1
    if count == 1:
        return layout.PLAY + int(numbers[turns.OWN_CELLS])
    turns.base_of_next(search, parameters, view, own, turns.BASE_ROWS)
    for index in range(count - 1, -1, -1):  # the first rows are needed to the end
        card = numbers[turns.OWN_CELLS + index]
        row = turns.BASE_ROWS + DIRECTIONS * index
        turns.bases_without(search, parameters, turns.BASE_ROWS, row, card)
        worth[layout.PLAY + card] = 0.0
    unknown = study_others(search, parameters, view, known, own)
    for _ in range(samples):
        imagine_others(
            search,
            parameters,
            layout.as_int64(view[layout.PLAYERS]),
            own,
            unknown,
            randomness,
            dice,
        )
        for index in range(count):
            card = numbers[turns.OWN_CELLS + index]
            numbers[turns.CARD_CELLS + own] = card
            base = turns.BASE_ROWS + DIRECTIONS * index
            value = turns.judge_turn(search, parameters, view, base, own, dice)
            worth[layout.PLAY + card] += value / samples
    best = numbers[turns.OWN_CELLS]
    for index in range(1, count):
        card = numbers[turns.OWN_CELLS + index]
        if worth[layout.PLAY + card] > worth[layout.PLAY + best]:
            best = card
    return layout.PLAY + int(best)


@kernel
def think_stop(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return GO or STOP; both meet the same coins of the others."""
    scene, sums, worth = search.scene, search.sums, search.worth
    turns.base_of_next(search, parameters, view, own, turns.BASE_ROWS)
    for unit in range(network.HIDDEN):
        sums[turns.CHANGE_ROW, unit] = 0.0
    for seat in range(view[layout.PLAYERS]):
        search.numbers[turns.CARD_CELLS + seat] = view[layout.TABLE + seat]
    count = turns.set_order(
        search.numbers, layout.as_int64(view[layout.PLAYERS]), layout.as_int64(view[layout.CURRENT])
    )
    worth[layout.GO] = worth[layout.STOP] = 0.0
    for _ in range(samples):
        for seat in range(view[layout.PLAYERS]):
            search.coins[seat] = uniform(dice)
            search.erratic[seat] = uniform(dice) < randomness
        for answer in range(layout.GO, layout.STOP + 1):
            copy_cells(view, scene)
            outcome = turns.carry_out(
                scene, search, parameters, layout.as_int64(0), count, own, answer, dice
            )
            value = turns.judge(
                scene, search.active, sums, parameters, turns.BASE_ROWS, own, outcome
            )
            worth[answer] += value / samples
    return layout.STOP if worth[layout.STOP] > worth[layout.GO] else layout.GO


@kernel
def may_lie_under(known: NDArray[np.int16], card: int, under: int) -> bool:
    """Say whether a card may be the hidden one of the stack that shows a card."""
    place = known[layout.WHERE + under]
    stack = known[layout.WHERE + card] - layout.OPEN_STACK
    return bool(place == layout.UNKNOWN or place == layout.UNDER_STACK + stack)


@kernel
def think_draft(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    known: NDArray[np.int16],
    own: int,
) -> int:
    """Return the stack to take, by the mean over all cards that may lie under its visible one."""
    sums, worth = search.sums, search.worth
    count = describe_fully(view, own, 1 + stacks_taken(view, own), search.active)
    network.sum_up(parameters, search.active, count, sums, turns.BASE_ROWS)
    drawn = HAND_DRAWN + (1 + direction_of(view, own)) * CARDS
    best = layout.NOTHING
    for card in range(CARDS):
        if not is_on_field(view, card):
            continue
        taken = network.FIRST + (HAND + card) * network.HIDDEN
        driven = network.FIRST + (drawn + card) * network.HIDDEN
        left = network.FIRST + (FIELD + card) * network.HIDDEN
        for unit in range(network.HIDDEN):
            gained = parameters[taken + unit] + parameters[driven + unit] - parameters[left + unit]
            sums[turns.CHANGE_ROW, unit] = sums[turns.BASE_ROWS, unit] + gained
        total, number = 0.0, 0
        for under in range(CARDS):
            if may_lie_under(known, card, under):
                taken = network.FIRST + (HAND + under) * network.HIDDEN
                driven = network.FIRST + (drawn + under) * network.HIDDEN
                for unit in range(network.HIDDEN):
                    gained = parameters[taken + unit] + parameters[driven + unit]
                    sums[turns.VALUE_ROW, unit] = sums[turns.CHANGE_ROW, unit] + gained
                total += network.value_of(parameters, sums, turns.VALUE_ROW, turns.SECOND_ROW)
                number += 1
        worth[layout.TAKE + card] = total / number
        if best == layout.NOTHING or worth[layout.TAKE + card] > worth[layout.TAKE + best]:
            best = card
    return layout.TAKE + best


@kernel
def think(
    search: turns.Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    known: NDArray[np.int16],
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return the action to play; ``worth`` gets what each is worth.

    ``known`` is the view again, but for studies of what hidden cards are worth.
    """
    if view[layout.PHASE] == layout.PLAYING:
        return think_play(search, parameters, view, known, own, samples, randomness, dice)
    if view[layout.PHASE] == layout.STOPPING:
        fewer = min(samples, MOST_STOP_SAMPLES)
        return think_stop(search, parameters, view, own, fewer, randomness, dice)
    return think_draft(search, parameters, view, known, own)
