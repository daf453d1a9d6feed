"""A turn as the champion imagines it: the cards take effect, and what comes out is judged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.champion import network
from sandtable.games.gravwell.agents.champion.features import (
    BEFORE_THE_DEAL,
    DIRECTIONS,
    HAND,
    HAND_DRAWN,
    MOST_ACTIVE,
    describe_bearings,
    describe_cards,
    describe_ships,
    describe_time,
    moment_of_turn,
)
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR, VALUE
from sandtable.games.gravwell.rules.drafting import holds
from sandtable.games.gravwell.rules.kernels import furthest, may_stop
from sandtable.games.gravwell.rules.movement import arrival, direction_of, pull_others, target_of

__all__ = [
    "Search",
    "base_of_next",
    "bases_without",
    "carry_out",
    "judge",
    "judge_turn",
    "new_search",
    "set_order",
]

HAND_SIZE = 2 * layout.PASSES
ASK = layout.NOTHING  # in place of an answer: stop where the own Emergency Stop is asked about
DONE = layout.MOST_PLAYERS  # a turn was carried out to its end
WON = DONE + 1  # + seat: a ship has reached the gate
ERRATIC_CHANCE = 0.5  # to stop, of a player who plays at random


class Search(NamedTuple):
    """Room to think in."""

    scene: NDArray[np.int16]  # [cell] the turn as it is imagined
    branch: NDArray[np.int16]  # [cell] the same with the own Emergency Stop
    active: NDArray[np.uint16]  # [present] features
    sums: NDArray[np.float32]  # [row, unit] by the rows below
    numbers: NDArray[np.int64]  # [cell] by the cells below
    coins: NDArray[np.float64]  # [seat] thrown for the Emergency Stops of a turn
    erratic: NDArray[np.bool_]  # [seat] plays at random in this turn
    gains: NDArray[np.int8]  # [seat, card] see gain_of
    worth: NDArray[np.float64]  # [action] how likely it wins


# Rows of sums.
VALUE_ROW, SECOND_ROW, CHANGE_ROW, HABIT_ROW, WISHES_ROW = range(5)
HABITS_ROWS = WISHES_ROW + 1  # [seat] first layer of the habits but for hidden cards
BASE_ROWS = (
    HABITS_ROWS + layout.MOST_PLAYERS
)  # [own card, direction] first layer of the value but for the ships
ROWS = BASE_ROWS + HAND_SIZE * DIRECTIONS

# Cells of numbers.
ORDER_CELLS = 0  # [place] seats in the order in which their cards take effect
CARD_CELLS = ORDER_CELLS + layout.MOST_PLAYERS  # [seat] what each plays
SHOWN_CELLS = CARD_CELLS + layout.MOST_PLAYERS  # [seat] how many cards of a hand everybody knows
KNOWN_CELLS = SHOWN_CELLS + layout.MOST_PLAYERS  # [seat] how many cards of a hand are known here
HELD_CELLS = KNOWN_CELLS + layout.MOST_PLAYERS  # [seat] how many cards a hand has
HAND_CELLS = HELD_CELLS + layout.MOST_PLAYERS  # [seat, card] hands, the cards everybody knows first
UNKNOWN_CELLS = HAND_CELLS + layout.MOST_PLAYERS * HAND_SIZE  # [card] those that may be anywhere
OWN_CELLS = UNKNOWN_CELLS + CARDS  # [card] the own hand
NUMBERS = OWN_CELLS + HAND_SIZE


@kernel
def new_search() -> Search:
    """Make room to think in."""
    return Search(
        np.empty(layout.POSITION_SIZE, dtype=np.int16),
        np.empty(layout.POSITION_SIZE, dtype=np.int16),
        np.empty(MOST_ACTIVE, dtype=np.uint16),
        np.zeros((ROWS, network.HIDDEN), dtype=np.float32),
        np.empty(NUMBERS, dtype=np.int64),
        np.empty(layout.MOST_PLAYERS, dtype=np.float64),
        np.empty(layout.MOST_PLAYERS, dtype=np.bool_),
        np.empty((layout.MOST_PLAYERS, CARDS), dtype=np.int8),
        np.zeros(layout.ACTIONS, dtype=np.float64),
    )


@kernel
def set_order(numbers: NDArray[np.int64], players: int, first: int) -> int:
    """Sort the seats by their cards, from this card on; return how many there are."""
    count = 0
    for seat in range(players):
        card = numbers[CARD_CELLS + seat]
        if card < first:
            continue
        place = count
        while place > 0 and numbers[CARD_CELLS + numbers[ORDER_CELLS + place - 1]] > card:
            numbers[ORDER_CELLS + place] = numbers[ORDER_CELLS + place - 1]
            place -= 1
        numbers[ORDER_CELLS + place] = seat
        count += 1
    return count


@kernel
def carry_out(
    scene: NDArray[np.int16],
    search: Search,
    parameters: NDArray[np.float32],
    begin: int,
    end: int,
    own: int,
    answer: int,
    dice: NDArray[np.uint64],
) -> int:
    """Let the cards from one place in the order to another take effect.

    Return DONE, or WON + seat; or, where the answer is ASK and the own seat is asked whether it
    stops, the place of its card. The others stop by their coins.
    """
    numbers = search.numbers
    for place in range(begin, end):
        seat = numbers[ORDER_CELLS + place]
        card = numbers[CARD_CELLS + seat]
        target = target_of(scene, seat)
        stopped = False
        if may_stop(scene, seat, card, target):
            if seat == own:
                if answer == ASK:
                    return place
                stopped = answer == layout.STOP
            elif search.erratic[seat]:
                stopped = search.coins[seat] < ERRATIC_CHANCE
            else:
                entry = scene[layout.TURN] * network.GAINS + network.gain_of(scene, seat, card)
                stopped = search.coins[seat] < parameters[network.STOPPING + entry]
        if stopped:
            scene[layout.STOPS + seat] = 0
        elif KIND[card] == TRACTOR:
            pull_others(scene, seat, VALUE[card], dice)
        elif target != layout.NOTHING:
            scene[layout.SHIPS + seat] = arrival(scene, seat, card, target)
        if scene[layout.SHIPS + seat] == layout.GATE:
            return WON + int(seat)
    return DONE


@kernel
def base_of_next(
    search: Search, parameters: NDArray[np.float32], view: NDArray[np.int16], own: int, base: int
) -> None:
    """Sum up the first layer after this turn, for each direction in which the own ship is drawn.

    All is in it that does not depend on how the turn goes.
    """
    turn, active = view[layout.TURN], search.active
    if turn < layout.TURNS - 1:
        count = describe_time(view, view[layout.ROUND], moment_of_turn(turn + 1), active, 0)
        count = describe_cards(view, own, active, count)
    else:  # after the last round nobody asks for it
        following = min(view[layout.ROUND] + 1, layout.ROUNDS - 1)
        count = describe_time(view, following, BEFORE_THE_DEAL, active, 0)
    sums = search.sums
    network.sum_up(parameters, active, count, sums, base)
    for direction in range(1, DIRECTIONS):
        for unit in range(network.HIDDEN):
            sums[base + direction, unit] = sums[base, unit]
    if turn == layout.TURNS - 1:
        return
    for direction in range(DIRECTIONS):
        for card in range(CARDS):
            if holds(view, own, card):
                row = network.FIRST + (HAND_DRAWN + direction * CARDS + card) * network.HIDDEN
                for unit in range(network.HIDDEN):
                    sums[base + direction, unit] += parameters[row + unit]


@kernel
def bases_without(
    search: Search, parameters: NDArray[np.float32], base: int, without: int, card: int
) -> None:
    """Write the sums of one row for each direction, without a card in the own hand."""
    sums = search.sums
    plain = network.FIRST + (HAND + card) * network.HIDDEN
    for direction in range(DIRECTIONS):
        drawn = network.FIRST + (HAND_DRAWN + direction * CARDS + card) * network.HIDDEN
        for unit in range(network.HIDDEN):
            sums[without + direction, unit] = (
                sums[base + direction, unit] - parameters[plain + unit] - parameters[drawn + unit]
            )


@kernel
def judge(
    scene: NDArray[np.int16],
    active: NDArray[np.uint16],
    sums: NDArray[np.float32],
    parameters: NDArray[np.float32],
    base: int,
    own: int,
    outcome: int,
) -> float:
    """Return how likely the seat wins when a turn has come out like this."""
    if outcome >= WON:
        return 1.0 if outcome == WON + own else 0.0
    if scene[layout.TURN] == layout.TURNS - 1:
        if scene[layout.ROUND] == layout.ROUNDS - 1:
            winner = furthest(scene)
            if winner == layout.NOTHING:
                return float(1.0 / scene[layout.PLAYERS])
            return 1.0 if winner == own else 0.0
        for seat in range(scene[layout.PLAYERS]):
            scene[layout.STOPS + seat] = 1
    count = describe_bearings(scene, own, active, describe_ships(scene, own, active, 0))
    drawn = base + 1 + direction_of(scene, own)
    for unit in range(network.HIDDEN):
        sums[VALUE_ROW, unit] = sums[drawn, unit] + sums[CHANGE_ROW, unit]
    network.add_rows(parameters, network.FIRST, network.HIDDEN, active, count, sums, VALUE_ROW)
    return network.value_of(parameters, sums, VALUE_ROW, SECOND_ROW)


@kernel
def judge_turn(
    search: Search,
    parameters: NDArray[np.float32],
    view: NDArray[np.int16],
    base: int,
    own: int,
    dice: NDArray[np.uint64],
) -> float:
    """Return what a turn is worth in which each seat plays its card in ``numbers``.

    All cards are on the table when a seat is asked whether it stops its own, so the better of both
    answers counts.
    """
    scene, branch, active, sums = search.scene, search.branch, search.active, search.sums
    copy_cells(view, scene)
    count = set_order(search.numbers, layout.as_int64(scene[layout.PLAYERS]), layout.as_int64(0))
    place = carry_out(
        scene, search, parameters, layout.as_int64(0), count, own, layout.as_int64(ASK), dice
    )
    if place >= DONE:
        return judge(scene, active, sums, parameters, base, own, place)
    copy_cells(scene, branch)
    outcome = carry_out(
        scene, search, parameters, place, count, own, layout.as_int64(layout.GO), dice
    )
    going = judge(scene, active, sums, parameters, base, own, outcome)
    outcome = carry_out(
        branch, search, parameters, place, count, own, layout.as_int64(layout.STOP), dice
    )
    return max(going, judge(branch, active, sums, parameters, base, own, outcome))
