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
    FIELD,
    HAND,
    SHOWN,
    describe,
    moment_of_turn,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import holds, is_on_field, secret_cards, stacks_taken

__all__ = ["think", "think_draft", "think_play", "think_stop"]

MOST_STOP_SAMPLES = 32  # only the others' Emergency Stops are open then


@kernel
def study_others(
    search: turns.Search, parameters: NDArray[np.float32], view: NDArray[np.int16], own: int
) -> int:
    """Note what the view tells about the others' hands; return how many cards are unknown."""
    numbers, unknown = search.numbers, 0
    for card in range(CARDS):
        if view[layout.WHERE + card] == layout.UNKNOWN:
            numbers[turns.UNKNOWN_CELLS + unknown] = card
            unknown += 1
    for seat in range(layout.as_int64(view[layout.PLAYERS])):
        if seat == own:
            continue
        shown = 0
        for card in range(CARDS):
            search.gains[seat, card] = network.gain_of(view, seat, card)
            if view[layout.WHERE + card] == layout.OPEN_HAND + seat:
                numbers[turns.HAND_CELLS + turns.HAND_SIZE * seat + shown] = card
                shown += 1
        numbers[turns.SHOWN_CELLS + seat] = shown
        numbers[turns.SECRET_CELLS + seat] = secret_cards(view, seat)
        count = describe(view, seat, moment_of_turn(view[layout.TURN]), search.active)
        row = turns.HABITS_ROWS + seat
        network.sum_up(
            parameters, network.HABITS, network.HABITS_BIAS, search.active, count, search.sums, row
        )
    return unknown


@kernel
def choose_for(
    search: turns.Search,
    parameters: NDArray[np.float32],
    seat: int,
    held: int,
    dice: NDArray[np.uint64],
) -> int:
    """Draw a card from the imagined hand of a seat by its habits."""
    sums, numbers = search.sums, search.numbers
    hand = turns.HAND_CELLS + turns.HAND_SIZE * seat
    for unit in range(network.HIDDEN):
        sums[turns.HABIT_ROW, unit] = sums[turns.HABITS_ROWS + seat, unit]
    for index in range(numbers[turns.SHOWN_CELLS + seat], held):
        row = network.HABITS + (HAND + numbers[hand + index]) * network.HIDDEN
        for unit in range(network.HIDDEN):
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
    left = uniform(dice) * total
    for index in range(held - 1):
        left -= sums[turns.WISHES_ROW, numbers[hand + index]]
        if left < 0:
            return int(numbers[hand + index])
    return int(numbers[hand + held - 1])


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
        hand, shown = turns.HAND_CELLS + turns.HAND_SIZE * seat, numbers[turns.SHOWN_CELLS + seat]
        held = shown + numbers[turns.SECRET_CELLS + seat]
        for index in range(shown, held):
            drawn = turns.UNKNOWN_CELLS + below(dice, unknown)
            unknown -= 1
            card = numbers[drawn]
            numbers[drawn] = numbers[turns.UNKNOWN_CELLS + unknown]
            numbers[turns.UNKNOWN_CELLS + unknown] = card
            numbers[hand + index] = card
        search.coins[seat] = uniform(dice)
        search.erratic[seat] = uniform(dice) < randomness
        if search.erratic[seat]:
            card = numbers[hand + below(dice, held)]
        else:
            card = choose_for(search, parameters, seat, held, dice)
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
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return the card to play; ``worth`` gets the mean of every one. A single card needs none."""
    worth, sums, numbers = search.worth, search.sums, search.numbers
    count = 0
    for card in range(CARDS):
        if holds(view, own, card):
            numbers[turns.OWN_CELLS + count] = card
            count += 1
    if count == 1:
        return layout.PLAY + int(numbers[turns.OWN_CELLS])
    turns.base_of_next(search, parameters, view, own, turns.BASE_ROWS)
    for index in range(count - 1, -1, -1):  # the first row is needed to the end
        card = numbers[turns.OWN_CELLS + index]
        row = network.FIRST + (HAND + card) * network.HIDDEN
        for unit in range(network.HIDDEN):
            sums[turns.BASE_ROWS + index, unit] = (
                sums[turns.BASE_ROWS, unit] - parameters[row + unit]
            )
        worth[layout.PLAY + card] = 0.0
    unknown = study_others(search, parameters, view, own)
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
            value = turns.judge_turn(search, parameters, view, turns.BASE_ROWS + index, own, dice)
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
def think_draft(
    search: turns.Search, parameters: NDArray[np.float32], view: NDArray[np.int16], own: int
) -> int:
    """Return the stack to take, by the mean over all cards that may lie under its visible one."""
    sums, worth = search.sums, search.worth
    count = describe(view, own, 1 + stacks_taken(view, own), search.active)
    network.sum_up(
        parameters, network.FIRST, network.FIRST_BIAS, search.active, count, sums, turns.BASE_ROWS
    )
    best = layout.NOTHING
    for card in range(CARDS):
        if not is_on_field(view, card):
            continue
        taken, left = (
            network.FIRST + (HAND + card) * network.HIDDEN,
            network.FIRST + (FIELD + card) * network.HIDDEN,
        )
        for unit in range(network.HIDDEN):
            sums[turns.CHANGE_ROW, unit] = (
                sums[turns.BASE_ROWS, unit] + parameters[taken + unit] - parameters[left + unit]
            )
        total, number = 0.0, 0
        for under in range(CARDS):
            if view[layout.WHERE + under] == layout.UNKNOWN:
                row = network.FIRST + (HAND + under) * network.HIDDEN
                for unit in range(network.HIDDEN):
                    sums[turns.VALUE_ROW, unit] = (
                        sums[turns.CHANGE_ROW, unit] + parameters[row + unit]
                    )
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
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return the action to play; ``worth`` gets what each is worth."""
    if view[layout.PHASE] == layout.PLAYING:
        return think_play(search, parameters, view, own, samples, randomness, dice)
    if view[layout.PHASE] == layout.STOPPING:
        fewer = min(samples, MOST_STOP_SAMPLES)
        return think_stop(search, parameters, view, own, fewer, randomness, dice)
    return think_draft(search, parameters, view, own)
