"""How the champion of Gravwell decides: one turn ahead, over what others may hold and play.

Nothing but the view is read. For a card, hidden cards are dealt again and again, the others choose
by their habits (or at random), and all own cards meet the same choices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.gravwell.agents.champion.features import (
    FIELD,
    HAND,
    SHOWN,
    describe,
    moment_of_turn,
)
from sandtable.games.gravwell.agents.champion.network import (
    FIRST,
    FIRST_BIAS,
    HABITS,
    HABITS_BIAS,
    HIDDEN,
    gain_of,
    sum_up,
    value_of,
    wishes_of,
)
from sandtable.games.gravwell.agents.champion.turns import (
    BASE_ROWS,
    CARD_CELLS,
    CHANGE_ROW,
    HABIT_ROW,
    HABITS_ROWS,
    HAND_CELLS,
    HAND_SIZE,
    OWN_CELLS,
    SECOND_ROW,
    SECRET_CELLS,
    SHOWN_CELLS,
    UNKNOWN_CELLS,
    VALUE_ROW,
    WISHES_ROW,
    Search,
    base_of_next,
    carry_out,
    judge,
    judge_turn,
    set_order,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.layout import (
    CURRENT,
    GO,
    NOTHING,
    OPEN_HAND,
    PHASE,
    PLAY,
    PLAYERS,
    PLAYING,
    STOP,
    STOPPING,
    TABLE,
    TAKE,
    TURN,
    UNKNOWN,
    WHERE,
    whole,
)
from sandtable.games.gravwell.rules.drafting import holds, is_on_field, secret_cards, stacks_taken

__all__ = ["think", "think_draft", "think_play", "think_stop"]

MOST_STOP_SAMPLES = 32  # only the others' Emergency Stops are open then


@kernel
def study_others(
    search: Search, parameters: NDArray[np.float32], view: NDArray[np.int16], own: int
) -> int:
    """Note what the view tells about the others' hands; return how many cards are unknown."""
    numbers, unknown = search.numbers, 0
    for card in range(CARDS):
        if view[WHERE + card] == UNKNOWN:
            numbers[UNKNOWN_CELLS + unknown] = card
            unknown += 1
    for seat in range(whole(view[PLAYERS])):
        if seat == own:
            continue
        shown = 0
        for card in range(CARDS):
            search.gains[seat, card] = gain_of(view, seat, card)
            if view[WHERE + card] == OPEN_HAND + seat:
                numbers[HAND_CELLS + HAND_SIZE * seat + shown] = card
                shown += 1
        numbers[SHOWN_CELLS + seat] = shown
        numbers[SECRET_CELLS + seat] = secret_cards(view, seat)
        count = describe(view, seat, moment_of_turn(view[TURN]), search.active)
        row = HABITS_ROWS + seat
        sum_up(parameters, HABITS, HABITS_BIAS, search.active, count, search.sums, row)
    return unknown


@kernel
def choose_for(
    search: Search, parameters: NDArray[np.float32], seat: int, held: int, dice: NDArray[np.uint64]
) -> int:
    """Draw a card from the imagined hand of a seat by its habits."""
    sums, numbers = search.sums, search.numbers
    hand = HAND_CELLS + HAND_SIZE * seat
    for unit in range(HIDDEN):
        sums[HABIT_ROW, unit] = sums[HABITS_ROWS + seat, unit]
    for index in range(numbers[SHOWN_CELLS + seat], held):
        row = HABITS + (HAND + numbers[hand + index]) * HIDDEN
        for unit in range(HIDDEN):
            sums[HABIT_ROW, unit] += parameters[row + unit]
    wishes_of(parameters, sums, HABIT_ROW, search.gains[seat], WISHES_ROW)
    highest = sums[WISHES_ROW, numbers[hand]]
    for index in range(1, held):
        highest = max(highest, sums[WISHES_ROW, numbers[hand + index]])
    total = np.float32(0.0)
    for index in range(held):
        card = numbers[hand + index]
        sums[WISHES_ROW, card] = np.exp(sums[WISHES_ROW, card] - highest)
        total += sums[WISHES_ROW, card]
    left = uniform(dice) * total
    for index in range(held - 1):
        left -= sums[WISHES_ROW, numbers[hand + index]]
        if left < 0:
            return int(numbers[hand + index])
    return int(numbers[hand + held - 1])


@kernel
def imagine_others(
    search: Search,
    parameters: NDArray[np.float32],
    players: int,
    own: int,
    unknown: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> None:
    """Deal the unknown cards, choose for the others, and throw their coins."""
    sums, numbers = search.sums, search.numbers
    for unit in range(HIDDEN):
        sums[CHANGE_ROW, unit] = 0.0
    for seat in range(players):
        if seat == own:
            continue
        hand, shown = HAND_CELLS + HAND_SIZE * seat, numbers[SHOWN_CELLS + seat]
        held = shown + numbers[SECRET_CELLS + seat]
        for index in range(shown, held):
            drawn = UNKNOWN_CELLS + below(dice, unknown)
            unknown -= 1
            card = numbers[drawn]
            numbers[drawn] = numbers[UNKNOWN_CELLS + unknown]
            numbers[UNKNOWN_CELLS + unknown] = card
            numbers[hand + index] = card
        search.coins[seat] = uniform(dice)
        search.erratic[seat] = uniform(dice) < randomness
        if search.erratic[seat]:
            card = numbers[hand + below(dice, held)]
        else:
            card = choose_for(search, parameters, seat, held, dice)
        numbers[CARD_CELLS + seat] = card
        for index in range(shown):
            if numbers[hand + index] == card:
                row = FIRST + (SHOWN + card) * HIDDEN
                for unit in range(HIDDEN):
                    sums[CHANGE_ROW, unit] -= parameters[row + unit]


@kernel
def think_play(
    search: Search,
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
            numbers[OWN_CELLS + count] = card
            count += 1
    if count == 1:
        return PLAY + int(numbers[OWN_CELLS])
    base_of_next(search, parameters, view, own, BASE_ROWS)
    for index in range(count - 1, -1, -1):  # the first row is needed to the end
        card = numbers[OWN_CELLS + index]
        row = FIRST + (HAND + card) * HIDDEN
        for unit in range(HIDDEN):
            sums[BASE_ROWS + index, unit] = sums[BASE_ROWS, unit] - parameters[row + unit]
        worth[PLAY + card] = 0.0
    unknown = study_others(search, parameters, view, own)
    for _ in range(samples):
        imagine_others(search, parameters, whole(view[PLAYERS]), own, unknown, randomness, dice)
        for index in range(count):
            card = numbers[OWN_CELLS + index]
            numbers[CARD_CELLS + own] = card
            value = judge_turn(search, parameters, view, BASE_ROWS + index, own, dice)
            worth[PLAY + card] += value / samples
    best = numbers[OWN_CELLS]
    for index in range(1, count):
        card = numbers[OWN_CELLS + index]
        if worth[PLAY + card] > worth[PLAY + best]:
            best = card
    return PLAY + int(best)


@kernel
def think_stop(
    search: Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return GO or STOP; both meet the same coins of the others."""
    scene, sums, worth = search.scene, search.sums, search.worth
    base_of_next(search, parameters, view, own, BASE_ROWS)
    for unit in range(HIDDEN):
        sums[CHANGE_ROW, unit] = 0.0
    for seat in range(view[PLAYERS]):
        search.numbers[CARD_CELLS + seat] = view[TABLE + seat]
    count = set_order(search.numbers, whole(view[PLAYERS]), whole(view[CURRENT]))
    worth[GO] = worth[STOP] = 0.0
    for _ in range(samples):
        for seat in range(view[PLAYERS]):
            search.coins[seat] = uniform(dice)
            search.erratic[seat] = uniform(dice) < randomness
        for answer in range(GO, STOP + 1):
            copy_cells(view, scene)
            outcome = carry_out(scene, search, parameters, whole(0), count, own, answer, dice)
            value = judge(scene, search.active, sums, parameters, BASE_ROWS, own, outcome)
            worth[answer] += value / samples
    return STOP if worth[STOP] > worth[GO] else GO


@kernel
def think_draft(
    search: Search, parameters: NDArray[np.float32], view: NDArray[np.int16], own: int
) -> int:
    """Return the stack to take, by the mean over all cards that may lie under its visible one."""
    sums, worth = search.sums, search.worth
    count = describe(view, own, 1 + stacks_taken(view, own), search.active)
    sum_up(parameters, FIRST, FIRST_BIAS, search.active, count, sums, BASE_ROWS)
    best = NOTHING
    for card in range(CARDS):
        if not is_on_field(view, card):
            continue
        taken, left = FIRST + (HAND + card) * HIDDEN, FIRST + (FIELD + card) * HIDDEN
        for unit in range(HIDDEN):
            sums[CHANGE_ROW, unit] = (
                sums[BASE_ROWS, unit] + parameters[taken + unit] - parameters[left + unit]
            )
        total, number = 0.0, 0
        for under in range(CARDS):
            if view[WHERE + under] == UNKNOWN:
                row = FIRST + (HAND + under) * HIDDEN
                for unit in range(HIDDEN):
                    sums[VALUE_ROW, unit] = sums[CHANGE_ROW, unit] + parameters[row + unit]
                total += value_of(parameters, sums, VALUE_ROW, SECOND_ROW)
                number += 1
        worth[TAKE + card] = total / number
        if best == NOTHING or worth[TAKE + card] > worth[TAKE + best]:
            best = card
    return TAKE + best


@kernel
def think(
    search: Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    own: int,
    samples: int,
    randomness: float,
    dice: NDArray[np.uint64],
) -> int:
    """Return the action to play; ``worth`` gets what each is worth."""
    if view[PHASE] == PLAYING:
        return think_play(search, parameters, view, own, samples, randomness, dice)
    if view[PHASE] == STOPPING:
        fewer = min(samples, MOST_STOP_SAMPLES)
        return think_stop(search, parameters, view, own, fewer, randomness, dice)
    return think_draft(search, parameters, view, own)
