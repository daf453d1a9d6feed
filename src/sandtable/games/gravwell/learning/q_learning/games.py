"""The games the Q-learner of Gravwell learns from, whole training inside one kernel.

An episode is a round: the reward of a card is how far the own ship has moved until the learner is
asked for the next one, and after the last card of the round nothing more is expected, since new
cards are dealt then. A game that ends in a round ends its episode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, coin
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, hand_of
from sandtable.games.gravwell.agents.decision_tree.described import (
    act_with_fewer_groups as act_by_tree,
)
from sandtable.games.gravwell.agents.q_learning import joint_actions, network_state
from sandtable.games.gravwell.agents.q_learning.agent import drafted
from sandtable.games.gravwell.agents.q_learning.states import (
    HULKS,
    IN_ORDER,
    JOINT,
    NETWORK,
    NO_STATE,
    chosen_card,
    entries_of,
    place_of,
    stop_state,
    wants_stop,
    write_values,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.kernels import apply, hide, score, start, turn

__all__ = ["OPPONENTS", "Learning", "Tables", "learn_games"]

OPPONENTS = ("random", "random-no-stop", "decision-tree", "mixed")
RANDOM, RANDOM_NO_STOP, DECISION_TREE, MIXED = range(len(OPPONENTS))
NOTHING_PENDING = -1


class Learning(NamedTuple):
    """How is learned."""

    switches: int  # of the state
    whole_round: bool  # all reward comes at the end of the round
    gamma: float  # by which backward moves count more
    stop: bool  # whether the Emergency Stop is used
    rate: float  # alpha
    averaging: bool  # the first visits of an entry count equally, until their share is the rate
    discount: float  # lambda
    stop_discount: float
    temperature: float
    stop_temperature: float
    draft: int
    opponents: int


class Tables(NamedTuple):
    """What is learned, with the number of times each entry was."""

    cards: NDArray[np.float64]
    stops: NDArray[np.float64]
    card_visits: NDArray[np.int64]
    stop_visits: NDArray[np.int64]


class Memory(NamedTuple):
    """What the learner has done in this round and not learned from yet."""

    numbers: NDArray[np.int64]  # by the cells below
    sums: NDArray[np.float64]  # reward of the round so far
    entries: NDArray[np.int64]  # [26] of the cards in the state at hand
    values: NDArray[np.float64]  # [26] of the cards, where they are not out of a table
    active: NDArray[np.uint16]  # what a network saw when the last card was chosen ...
    hidden: NDArray[np.float64]  # ... and made of it


# Cells of numbers: entry of the last card, tile before it, entry of the last go; of a network how
# much it saw, of joint actions the opponent and the turn.
CARD_ENTRY, TILE, GO_ENTRY, SEEN, RIVAL, LAST_TURN, NUMBERS = range(7)


@kernel
def new_memory() -> Memory:
    """Make room for what is done in a round."""
    return Memory(
        np.empty(NUMBERS, dtype=np.int64),
        np.zeros(1),
        np.empty(CARDS, dtype=np.int64),
        np.empty(CARDS),
        np.empty(network_state.MOST_ACTIVE, dtype=np.uint16),
        np.empty(network_state.HIDDEN),
    )


@kernel
def improve(
    values: NDArray[np.float64],
    visits: NDArray[np.int64],
    entry: int,
    target: float,
    learning: Learning,
) -> None:
    """Move one entry towards what it should have been."""
    visits[entry] += 1
    rate = learning.rate
    if learning.averaging:
        rate = max(rate, 1.0 / visits[entry])
    values[entry] = (1.0 - rate) * values[entry] + rate * target


@kernel
def learn_value(
    position: NDArray[np.int16],
    target: float,
    memory: Memory,
    tables: Tables,
    learning: Learning,
) -> None:
    """Move the value of the last card towards what it should have been, wherever it is kept."""
    entry = memory.numbers[CARD_ENTRY]
    if learning.switches & NETWORK:
        count, rate = memory.numbers[SEEN], learning.rate
        network_state.teach(tables.cards, memory.active, count, memory.hidden, entry, target, rate)
        return
    if learning.switches & JOINT:
        other = joint_actions.played_by(position, memory.numbers[RIVAL])
        turn = memory.numbers[LAST_TURN]
        tables.cards[len(tables.cards) - joint_actions.BELIEFS + turn * CARDS + other] += 1.0
        entry = entry * joint_actions.CLASSES + joint_actions.class_of(entry % CARDS, other)
    improve(tables.cards, tables.card_visits, entry, target, learning)


@kernel
def settle(
    position: NDArray[np.int16],
    seat: int,
    expected: float,
    over: bool,
    memory: Memory,
    tables: Tables,
    learning: Learning,
) -> None:
    """Learn from the last card, now that it is known where it has led to.

    ``expected`` is the value of the best card in the state reached; ``over``: the round is.
    """
    if memory.numbers[CARD_ENTRY] == NOTHING_PENDING:
        return
    moved = position[layout.SHIPS + seat] - memory.numbers[TILE]
    reward = moved if moved >= 0 else learning.gamma * moved
    if learning.whole_round:
        memory.sums[0] += reward
        reward = memory.sums[0] if over else 0.0
    target = reward if over else reward + learning.discount * expected
    learn_value(position, target, memory, tables, learning)
    memory.numbers[CARD_ENTRY] = NOTHING_PENDING


@kernel
def end_round(
    position: NDArray[np.int16], seat: int, memory: Memory, tables: Tables, learning: Learning
) -> None:
    """Learn from the last decisions of a round, after which nothing more is expected."""
    settle(position, seat, 0.0, True, memory, tables, learning)
    memory.sums[0] = 0.0
    if memory.numbers[GO_ENTRY] != NOTHING_PENDING:
        improve(tables.stops, tables.stop_visits, memory.numbers[GO_ENTRY], 0.0, learning)
        memory.numbers[GO_ENTRY] = NOTHING_PENDING


@kernel
def learn_valued_card(
    view: NDArray[np.int16],
    seat: int,
    hand: int,
    dice: NDArray[np.uint64],
    memory: Memory,
    tables: Tables,
    learning: Learning,
) -> int:
    """Do the same with a network, or with joint actions."""
    values = memory.values
    write_values(view, seat, learning.switches, tables.cards, values)
    expected = values[chosen_card(hand, IN_ORDER, values, 0.0, dice)]
    settle(view, seat, expected, False, memory, tables, learning)
    card = chosen_card(hand, IN_ORDER, values, learning.temperature, dice)
    memory.numbers[TILE] = view[layout.SHIPS + seat]
    if learning.switches & NETWORK:
        count = network_state.see(view, seat, tables.cards, memory.active, memory.hidden)
        memory.numbers[SEEN] = count
        memory.numbers[CARD_ENTRY] = card
    else:
        place = place_of(view, seat, learning.switches & HULKS != 0)
        memory.numbers[CARD_ENTRY] = place * CARDS + card
        memory.numbers[RIVAL] = joint_actions.rival_of(view, seat)
        memory.numbers[LAST_TURN] = view[layout.TURN]
    return card


@kernel
def learn_card(
    view: NDArray[np.int16],
    seat: int,
    dice: NDArray[np.uint64],
    memory: Memory,
    tables: Tables,
    learning: Learning,
) -> int:
    """Learn from the card before, and choose the next one."""
    hand, tile = hand_of(view, seat), int(view[layout.SHIPS + seat])
    if learning.switches & (NETWORK | JOINT):
        return learn_valued_card(view, seat, hand, dice, memory, tables, learning)
    entries_of(view, seat, learning.switches, memory.entries)
    best = chosen_card(hand, memory.entries, tables.cards, 0.0, dice)
    expected = tables.cards[memory.entries[best]]
    settle(view, seat, expected, False, memory, tables, learning)
    card = chosen_card(hand, memory.entries, tables.cards, learning.temperature, dice)
    memory.numbers[CARD_ENTRY] = memory.entries[card]
    memory.numbers[TILE] = tile
    return card


@kernel
def learn_stop(
    view: NDArray[np.int16],
    seat: int,
    dice: NDArray[np.uint64],
    memory: Memory,
    tables: Tables,
    learning: Learning,
) -> int:
    """Learn from the stop that was saved before, and decide whether to use it now."""
    entry = stop_state(view, seat, layout.as_int64(view[layout.CURRENT]))
    if entry == NO_STATE or not learning.stop:
        return layout.GO
    if memory.numbers[GO_ENTRY] != NOTHING_PENDING:
        expected = learning.stop_discount * max(tables.stops[entry], tables.stops[entry + 1])
        before = memory.numbers[GO_ENTRY]
        improve(tables.stops, tables.stop_visits, before, expected, learning)
    memory.numbers[GO_ENTRY] = entry
    if not wants_stop(entry, tables.stops, learning.stop_temperature, dice):
        return layout.GO
    memory.numbers[GO_ENTRY] = NOTHING_PENDING  # no more stops in this round
    saved = entry // 2 % 10 + 1
    forward = entry // 20 % 2 == 1
    target = float(-saved if forward else saved)
    improve(tables.stops, tables.stop_visits, entry + 1, target, learning)
    return layout.STOP


@kernel
def act_of_opponent(
    kind: int,
    view: NDArray[np.int16],
    seat: int,
    dice: NDArray[np.uint64],
    actions: NDArray[np.int16],
) -> int:
    """Return what an opponent does."""
    if kind == DECISION_TREE:
        act_by_tree(view, dice, np.empty(0, np.int64), np.empty(0), actions)
        return int(actions[0])
    if view[layout.PHASE] == layout.DRAFTING:
        return int(layout.TAKE + drawn(field_of(view), dice))
    if view[layout.PHASE] == layout.PLAYING:
        return drawn(hand_of(view, seat), dice)
    return layout.STOP if kind == RANDOM and coin(dice) == 1 else layout.GO


@kernel
def learn_games(
    first: int,
    blank: NDArray[np.int16],
    keys: NDArray[np.uint64],
    tables: Tables,
    learning: Learning,
    results: NDArray[np.float64],
) -> None:
    """Play games number first, first + 1, ... and learn from each; the learner changes seats.

    ``keys`` [3] are those of the dice of the game, the learner and the opponents. ``results``
    [game, 3] gets the learner's share of the win, its end position and the number of turns.
    """
    position, view = np.empty_like(blank), np.empty_like(blank)
    dice = np.zeros((3, 4), dtype=np.uint64)
    actions = np.empty(4, dtype=np.int16)
    kinds = np.empty(layout.MOST_PLAYERS, dtype=np.int64)
    scores = np.zeros(layout.MOST_PLAYERS)
    memory = new_memory()
    for game in range(len(results)):
        for stream in range(3):
            dice[stream, 0] = keys[stream]
            dice[stream, 1] = first + game
            dice[stream, 2] = 0
        copy_cells(blank, position)
        start(position, dice[0])
        learner = (first + game) % layout.as_int64(position[layout.PLAYERS])
        for seat in range(layout.MOST_PLAYERS):
            drawing = learning.opponents == MIXED
            kinds[seat] = below(dice[2], MIXED) if drawing else learning.opponents
        memory.numbers[CARD_ENTRY] = memory.numbers[GO_ENTRY] = NOTHING_PENDING
        memory.sums[0] = 0.0
        while True:
            seat = turn(position)
            if seat == layout.OVER:
                break
            copy_cells(position, view)
            hide(view, seat)
            if seat != learner:
                action = act_of_opponent(kinds[seat], view, seat, dice[2], actions)
            elif view[layout.PHASE] == layout.DRAFTING:
                end_round(view, seat, memory, tables, learning)
                action = layout.TAKE + drafted(view, seat, learning.draft, dice[1])
            elif view[layout.PHASE] == layout.PLAYING:
                action = learn_card(view, seat, dice[1], memory, tables, learning)
            else:
                action = learn_stop(view, seat, dice[1], memory, tables, learning)
            apply(position, action, dice[0])
        end_round(position, learner, memory, tables, learning)
        score(position, scores)
        results[game, 0] = scores[learner]
        results[game, 1] = position[layout.SHIPS + learner]
        results[game, 2] = position[layout.ROUND] * layout.TURNS + position[layout.TURN] + 1
