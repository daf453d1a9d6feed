"""Simulations of a tree search, as templates that are compiled for each game.

A simulation deals the hidden things anew, goes down the tree by upper confidence bounds (every
seat for itself, by what it may know), adds the first decision it has not met, plays on from there
at random, and adds the result to every edge on its way.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta.hints import Evaluation, SearchHints
from sandtable.agents.search_parts import (
    GameFacts,
    facts_of,
    list_moves_by_mask,
    play_on_by_rules,
    value_of_end,
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
    clear_if_crowded,
    edge_place,
    find_decision,
    note_result,
    prepare,
    view_key,
)
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import below, uniform
from sandtable.types import OVER, Game

__all__ = ["SearchOptions", "TreeSearch", "filled_search", "root_of", "tree_search_of"]

# What the templates below are specialised with.
turn = apply = guess = hide = placeholder
play_on = value_of = list_moves = simulate = key_of = placeholder
SEATS = ACTION_COUNT = 0
HIDDEN = False

DEEPEST = 512  # edges of one simulation; further down it is played on at random


class SearchOptions(NamedTuple):
    """The options of the agent, as kernels take them."""

    simulations: int
    exploration: float
    longest: int  # random actions of a playout, at most
    bonus: float  # the most that a playout without an end is worth, as a share of a win
    temperature: float
    slots: int
    edges: int
    weights: NDArray[np.float64]  # of the evaluation
    others: Any = None  # where an agent plays the other seats: what that takes


def key_of_view(position: NDArray[np.int16], seat: int, scratch: NDArray[np.int16]) -> int:
    """Return the key of the decision of the seat that is to move."""
    if not HIDDEN:
        return int(view_key(position, seat))
    copy_cells(position, scratch)
    hide(scratch, seat)
    return int(view_key(scratch, seat))


@kernel
def best_edge(
    tree: NDArray[np.int64], decision: int, exploration: float, dice: NDArray[np.uint64]
) -> int:
    """Return the edge to try next: one not tried yet, or that with the highest upper bound."""
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    logarithm = np.log(max(tree[decision + VISITS], 1))
    best, highest, untried = -1, -np.inf, 0
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        if visits == 0:
            untried += 1
            if below(dice, untried) == 0:
                best = edge
        elif untried == 0:
            mean = tree[edge + TOTAL] / (UNIT * visits)
            bound = mean + exploration * np.sqrt(logarithm / visits)
            if bound > highest:
                best, highest = edge, bound
    return int(best)


def simulate_many(
    tree: NDArray[np.int64],
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    options: SearchOptions,
    simulations: int,
) -> None:
    """Run so many simulations from a view of the seat that is to move."""
    seat_here = turn(view)
    position, scratch = np.empty_like(view), np.empty_like(view)
    path = np.empty((DEEPEST, 3), dtype=np.int64)  # decision, edge, seat
    moves = np.empty(ACTION_COUNT, dtype=np.int64)
    scores = np.zeros(SEATS)
    values = np.zeros(SEATS)
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
            edge = best_edge(tree, decision, options.exploration, dice)
            path[depth, 0], path[depth, 1], path[depth, 2] = decision, edge, seat
            depth += 1
            apply(position, tree[edge + ACTION], dice)
        play_on(position, options.longest, dice)
        for seat in range(SEATS):
            value = value_of(position, seat, options.bonus, options.weights, scores)
            values[seat] = (value + 1.0) / 2.0
        for step in range(depth):
            note_result(tree, path[step, 0], path[step, 1], values[path[step, 2]])


@kernel
def chosen_action(
    tree: NDArray[np.int64], decision: int, temperature: float, dice: NDArray[np.uint64]
) -> int:
    """Return the action of the edge visited most, or with a temperature one drawn by visits."""
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    best, most, highest = -1, -1, -np.inf
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        mean = tree[edge + TOTAL] / (UNIT * max(visits, 1))
        if visits > most or (visits == most and mean > highest):
            best, most, highest = edge, visits, mean
    if temperature <= 0.0:
        return int(tree[best + ACTION])
    total = 0.0
    for index in range(count):
        total += (tree[edge_place(tree, first + index) + EDGE_VISITS] / most) ** (1 / temperature)
    left = uniform(dice) * total
    for index in range(count):
        edge = edge_place(tree, first + index)
        left -= (tree[edge + EDGE_VISITS] / most) ** (1 / temperature)
        if left <= 0.0:
            return int(tree[edge + ACTION])
    return int(tree[best + ACTION])


def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: SearchOptions,
    actions: NDArray[np.int16],
) -> int:
    """Search from the view, going on with what is remembered, and write the action chosen."""
    moves = np.empty(ACTION_COUNT, dtype=np.int64)
    count = list_moves(view, moves)
    actions[0] = moves[0]
    if count > 1:
        prepare(memory, constants.slots, constants.edges)
        clear_if_crowded(memory, constants.simulations)
        simulate(memory, view, dice, constants, constants.simulations)
        decision = find_decision(memory, view_key(view, turn(view)))
        actions[0] = chosen_action(memory, decision, constants.temperature, dice)
    return 1


class TreeSearch(NamedTuple):
    """The templates, compiled for one game and one evaluation, and for whoever plays in it."""

    list_moves: Any  # (view, moves) -> how many
    simulate: Any  # (tree, view, dice, options, simulations)
    act: Any  # the compiled policy


def tree_search_of(game: Game, hints: SearchHints, evaluation: Evaluation) -> TreeSearch:
    """Return the search of a game, compiled when it is first used."""
    return compiled_search(facts_of(game), evaluation.kernel, hints.play_on, hints.legal_moves)


@functools.cache
def compiled_search(
    facts: GameFacts, evaluate: Any, quick_play_on: Any, quick_list: Any
) -> TreeSearch:
    """Fill the templates with the kernels of one game."""
    name = facts.kernel_name(evaluate)
    playing_on = quick_play_on or specialise(play_on_by_rules, name, **facts.fillings())
    return filled_search(facts, evaluate, quick_list, simulate_many, play_on=playing_on)


def filled_search(
    facts: GameFacts, evaluate: Any, quick_list: Any, simulating: Any, **kernels: Any
) -> TreeSearch:
    """Fill what every search has, and a template of its simulations that also needs ``kernels``."""
    name = facts.kernel_name(evaluate)
    given = {**facts.fillings(), "evaluate": evaluate, **kernels}
    given["value_of"] = specialise(value_of_end, name, **given)
    given["list_moves"] = quick_list or specialise(list_moves_by_mask, name, **given)
    given["key_of"] = specialise(key_of_view, name, **given)
    given["simulate"] = specialise(simulating, name, **given)
    acting = specialise(act, name, **given)
    return TreeSearch(given["list_moves"], given["simulate"], acting)


def root_of(tree: NDArray[np.int64], view: NDArray[np.int16], seat: int) -> list[tuple[int, ...]]:
    """Return the edges of the decision at a view: action, visits, total, the most visited first."""
    decision = find_decision(tree, view_key(view, seat))
    if decision == MISSING:
        return []
    first, count = int(tree[decision + FIRST]), int(tree[decision + COUNT])
    places = [edge_place(tree, first + index) for index in range(count)]
    edges = [tuple(int(tree[at + part]) for part in (ACTION, EDGE_VISITS, TOTAL)) for at in places]
    return sorted(edges, key=lambda edge: (-edge[1], -edge[2]))
