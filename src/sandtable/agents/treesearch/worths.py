"""Simulations that learn what actions are worth wherever they are played, as templates.

A search with few simulations meets most decisions once: those of others, who hold other cards in
every deal, and those of a playout. What it can know about them is what the same action of the same
seat has brought in all its simulations so far, however late it was played. A table of these means
stands behind the tree; the tree counts them like some visits of an edge, which weigh less the more
often the edge itself was tried, and playouts may prefer actions that do better in it.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta.hints import Evaluation, SearchHints
from sandtable.agents.search_parts import GameFacts, facts_of
from sandtable.agents.treesearch.search import (
    DEEPEST,
    SearchOptions,
    TreeSearch,
    filled_search,
)
from sandtable.agents.treesearch.tree import (
    ACTION,
    COUNT,
    EDGE_VISITS,
    FIRST,
    MISSING,
    TOTAL,
    UNIT,
    VISITS,
    add_decision,
    edge_place,
    find_decision,
    note_result,
)
from sandtable.compiled import copy_cells, inlined, kernel, placeholder, specialise
from sandtable.dice import below
from sandtable.types import OVER, Game

__all__ = ["search_with_worths_of", "table_words"]

# What the templates below are specialised with.
turn = apply = guess = random_action = placeholder
value_of = list_moves = key_of = draw_better = placeholder
SEATS = ACTION_COUNT = 0
HIDDEN = False

WORTH = 2  # words of an action of a seat: how often it was played, and the sum of results


def table_words(seats: int, action_count: int) -> int:
    """Return the length of the table of all actions of all seats.

    >>> table_words(2, 9)
    36
    """
    return seats * action_count * WORTH


@inlined
def worth_at(tree: NDArray[np.int64], place: int) -> float:
    """Return the mean result of an action, from 0 to 1; the best there is if it is unknown."""
    count = tree[place]
    return tree[place + 1] / (UNIT * count) if count > 0 else 1.0


@kernel
def mixed_edge(
    tree: NDArray[np.int64],
    decision: int,
    table: int,
    options: SearchOptions,
    dice: NDArray[np.uint64],
) -> int:
    """Return the edge with the highest upper bound, its action's worth counting as some visits.

    ``table`` is where the worths of the mover's actions begin.
    """
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    logarithm = np.log(tree[decision + VISITS] + 1.0)
    best, highest, equals = -1, -np.inf, 0
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        worth = worth_at(tree, table + tree[edge + ACTION] * WORTH)
        gained = tree[edge + TOTAL] / UNIT + options.history * worth
        mean = gained / (visits + options.history) if visits + options.history > 0 else 1.0
        bound = mean + options.exploration * np.sqrt(logarithm / (visits + 1.0))
        if bound > highest:
            best, highest, equals = edge, bound, 1
        elif bound == highest:
            equals += 1
            if below(dice, equals) == 0:
                best = edge
    return int(best)


def draw_better_action(
    tree: NDArray[np.int64],
    position: NDArray[np.int16],
    table: int,
    choices: int,
    dice: NDArray[np.uint64],
) -> int:
    """Draw some legal actions and return the one that is worth most in the table."""
    action = int(random_action(position, dice))
    if choices > 1:
        highest = worth_at(tree, table + action * WORTH)
        for _ in range(choices - 1):
            other = int(random_action(position, dice))
            worth = worth_at(tree, table + other * WORTH)
            if worth > highest:
                action, highest = other, worth
    return action


def simulate_with_worths(
    tree: NDArray[np.int64],
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    options: SearchOptions,
    simulations: int,
) -> None:
    """Run so many simulations from a view of the seat that is to move."""
    seat_here = turn(view)
    of_seat = ACTION_COUNT * WORTH
    table = len(tree) - SEATS * of_seat
    position, scratch = np.empty_like(view), np.empty_like(view)
    path = np.empty((DEEPEST, 3), dtype=np.int64)  # decision, edge, seat
    played = np.empty((DEEPEST + options.longest, 2), dtype=np.int64)  # place in the table, seat
    moves = np.empty(ACTION_COUNT, dtype=np.int64)
    scores, values = np.zeros(SEATS), np.zeros(SEATS)
    for _ in range(simulations):
        copy_cells(view, position)
        if HIDDEN:
            guess(position, seat_here, dice)
        depth = 0
        added = False
        while depth < DEEPEST and not added:
            seat = turn(position)
            if seat == OVER:
                break
            key = key_of(position, seat, scratch)
            decision = find_decision(tree, key)
            if decision == MISSING:
                count = list_moves(position, moves)
                decision = add_decision(tree, key, moves, count)
                added = True
                if decision == MISSING:
                    break
            edge = mixed_edge(tree, decision, table + seat * of_seat, options, dice)
            action = int(tree[edge + ACTION])
            path[depth, 0], path[depth, 1], path[depth, 2] = decision, edge, seat
            played[depth, 0], played[depth, 1] = table + seat * of_seat + action * WORTH, seat
            depth += 1
            apply(position, action, dice)
        length = depth
        for _ in range(options.longest):
            seat = turn(position)
            if seat == OVER:
                break
            here = table + seat * of_seat
            action = draw_better(tree, position, here, options.choices, dice)
            played[length, 0], played[length, 1] = here + action * WORTH, seat
            length += 1
            apply(position, action, dice)
        for seat in range(SEATS):
            value = value_of(position, seat, options.bonus, options.weights, scores)
            values[seat] = (value + 1.0) / 2.0
        for step in range(depth):
            note_result(tree, path[step, 0], path[step, 1], values[path[step, 2]])
        for step in range(length):
            place = played[step, 0]
            tree[place] += 1
            tree[place + 1] += np.int64(values[played[step, 1]] * UNIT)


def search_with_worths_of(game: Game, hints: SearchHints, evaluation: Evaluation) -> TreeSearch:
    """Return the search of a game that learns worths, compiled when it is first used."""
    return compiled_search_with_worths(facts_of(game), evaluation.kernel, hints.legal_moves)


@functools.cache
def compiled_search_with_worths(facts: GameFacts, evaluate: Any, quick_list: Any) -> TreeSearch:
    """Fill the templates with the kernels of one game."""
    name = facts.kernel_name(evaluate)
    drawing = specialise(draw_better_action, name, **facts.fillings())
    return filled_search(facts, evaluate, quick_list, simulate_with_worths, draw_better=drawing)
