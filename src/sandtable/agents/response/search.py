"""Simulations of a tree search against a fixed agent, as templates compiled for each game.

Only the decisions of the searching seat are in the tree. Whenever another seat is to act in a
simulation, the fixed agent itself does: it gets its view, its memory and dice, as in a real game.
Beyond the tree the searching seat plays like a base agent. (Compiled with sandtable.compiled.)
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.alphabeta.hints import Evaluation, SearchHints
from sandtable.agents.search_parts import GameFacts, facts_of, play_whole_turn
from sandtable.agents.treesearch.search import (
    DEEPEST,
    SearchOptions,
    TreeSearch,
    best_edge,
    filled_search,
)
from sandtable.agents.treesearch.tree import (
    ACTION,
    MISSING,
    add_decision,
    find_decision,
    note_result,
)
from sandtable.compiled import copy_cells, placeholder, specialise
from sandtable.types import OVER, Game

__all__ = ["OtherPlayers", "response_search_of"]

# What the template below is specialised with.
turn = apply = guess = hide = placeholder
value_of = list_moves = key_of = placeholder
play_turn = act_other = act_base = placeholder
SEATS = ACTION_COUNT = LONGEST_TURN = 0
HIDDEN = False


class OtherPlayers(NamedTuple):
    """What kernels need of the fixed agent and of the base: constants, and memory at the start."""

    other: Any
    other_memory: NDArray[np.int64]
    base: Any
    base_memory: NDArray[np.int64]


def simulate_against(
    tree: NDArray[np.int64],
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    options: SearchOptions,
    simulations: int,
) -> None:
    """Run so many simulations from a view of the seat that is to move."""
    own = np.int64(turn(view))
    players: OtherPlayers = options.others
    position, scratch = np.empty_like(view), np.empty_like(view)
    path = np.empty((DEEPEST, 2), dtype=np.int64)  # decision, edge
    moves = np.empty(ACTION_COUNT, dtype=np.int64)
    actions = np.empty(LONGEST_TURN, dtype=np.int16)
    scores = np.zeros(SEATS)
    memories = np.empty((SEATS, len(players.other_memory)), dtype=np.int64)
    base_memory = np.empty_like(players.base_memory)
    for _ in range(simulations):
        copy_cells(view, position)
        if HIDDEN:
            guess(position, own, dice)
        for each in range(SEATS):
            copy_cells(players.other_memory, memories[each])
        copy_cells(players.base_memory, base_memory)
        depth, beyond, inside = 0, 0, True
        while beyond < options.longest:
            seat = np.int64(turn(position))
            if seat == OVER:
                break
            if seat == own and inside:
                key = key_of(position, seat, scratch)
                decision = find_decision(tree, key)
                if decision == MISSING:
                    count = list_moves(position, moves)
                    decision = add_decision(tree, key, moves, count)
                    inside = False
                if decision != MISSING:
                    edge = best_edge(tree, decision, options.exploration, dice)
                    path[depth, 0], path[depth, 1] = decision, edge
                    depth += 1
                    inside = inside and depth < DEEPEST
                    apply(position, tree[edge + ACTION], dice)
                continue
            copy_cells(position, scratch)
            hide(scratch, seat)
            if seat == own:
                count = act_base(scratch, dice, base_memory, players.base, actions)
            else:
                count = act_other(scratch, dice, memories[seat], players.other, actions)
            count = play_turn(position, actions, count, seat, dice)
            if count < 1:
                break
            beyond += 0 if inside else count
        value = value_of(position, own, options.bonus, options.weights, scores)
        gained = (value + 1.0) / 2.0
        for step in range(depth):
            note_result(tree, path[step, 0], path[step, 1], gained)


def response_search_of(
    game: Game,
    hints: SearchHints,
    evaluation: Evaluation,
    other: CompiledPolicy,
    base: CompiledPolicy,
) -> TreeSearch:
    """Return the search of a game against an agent, compiled when it is first used."""
    longest = game.max_actions + 1
    kernels = evaluation.kernel, hints.legal_moves, other.act, base.act
    return compiled_response(facts_of(game), longest, *kernels)


@functools.cache
def compiled_response(
    facts: GameFacts,
    longest_turn: int,
    evaluate: Any,
    quick_list: Any,
    act_other_kernel: Any,
    act_base_kernel: Any,
) -> TreeSearch:
    """Fill the templates with the kernels of one game and its agents."""
    name = facts.kernel_name(evaluate)
    return filled_search(
        facts,
        evaluate,
        quick_list,
        simulate_against,
        LONGEST_TURN=longest_turn,
        act_other=act_other_kernel,
        act_base=act_base_kernel,
        play_turn=specialise(play_whole_turn, name, **facts.fillings()),
    )
