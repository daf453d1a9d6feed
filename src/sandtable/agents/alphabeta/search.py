"""Iterative deepening alpha-beta as kernels (the agent: sandtable.agents.alphabeta.agent).

A node is opened when a move leads to it, its moves are tried one after the other, and when they
are used up its value is taken back to the node before. ``searcher`` compiles all this for one
game and one evaluation.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta import nodes as node_templates
from sandtable.agents.alphabeta.hints import NO_PASS, Evaluation, SearchHints
from sandtable.agents.alphabeta.nodes import FINISHED, LEAF, OPENED, STOPPED, clear_node, take_back
from sandtable.agents.alphabeta.tree import (
    BEST,
    BUDGET,
    CHOICE,
    COUNT,
    DEEPEST,
    DONE,
    FINISHED_ITERATIONS,
    KILLER,
    LIMIT,
    MAXIMISING,
    NONE,
    PLY,
    PUBLISHED,
    RUNNING,
    SEAT,
    SECOND_KILLER,
    STATES,
    STATUS,
    TOUCHED,
    TRIED,
    USE_TABLE,
    VALUE,
    Tree,
    store,
)
from sandtable.agents.search_parts import list_moves_by_mask
from sandtable.compiled import kernel, placeholder, specialise
from sandtable.types import Game, Rules

__all__ = ["Searcher", "searcher"]

# What the templates below are specialised with.
legal_moves = turn = arrange = arrive = arrive_as_published = placeholder
try_leaves = favour_interesting = placeholder
CELLS = 0
PASS = NO_PASS


@kernel
def begin_iteration(tree: Tree) -> None:
    """Look one ply further than before, at the best move first."""
    numbers, moves = tree.numbers, tree.moves[0]
    numbers[LIMIT] += 1
    if numbers[PUBLISHED] == 0 and numbers[CHOICE] != NONE:
        place = 0
        while moves[place] != numbers[CHOICE]:
            place += 1
        while place > 0:
            moves[place] = moves[place - 1]
            place -= 1
        moves[0] = numbers[CHOICE]
    clear_node(tree.nodes, tree.bounds, 0, -np.inf, np.inf)
    if numbers[PUBLISHED] == 1 and numbers[BUDGET] <= 0:
        # A budget used up to the last state exactly: the published program then begins one more
        # iteration, cannot pay for anything in it, and plays the first move.
        numbers[CHOICE] = moves[0]
        numbers[STATUS] = DONE


@kernel
def end_iteration(tree: Tree) -> None:
    """Keep the move that an iteration has found, and stop where looking further cannot help."""
    numbers, node = tree.numbers, tree.nodes[0]
    value = tree.bounds[0, VALUE]
    numbers[FINISHED_ITERATIONS] += 1
    published = numbers[PUBLISHED] == 1
    if published or value > -FINISHED or numbers[CHOICE] == NONE:
        numbers[CHOICE] = node[BEST]  # of moves that all lose, ours keeps the best so far
    solved = not published and (node[TOUCHED] == 0 or abs(value) >= FINISHED)
    if solved or numbers[LIMIT] >= numbers[DEEPEST]:
        numbers[STATUS] = DONE
    else:
        begin_iteration(tree)


@kernel
def stop(tree: Tree) -> None:
    """End a search in the middle of an iteration.

    What the iteration has found counts if it has got beyond its first move, the best one of the
    iteration before; the published program throws it away.
    """
    tree.numbers[STATUS] = DONE
    if tree.numbers[PUBLISHED] == 0 and tree.nodes[0, BEST] != NONE:
        tree.numbers[CHOICE] = tree.nodes[0, BEST]


def prepare(tree: Tree, root: NDArray[np.int16]) -> None:
    """Set up the root of a search; its options are in ``tree.numbers`` already."""
    numbers, node = tree.numbers, tree.nodes[0]
    for ply in range(len(tree.nodes)):
        tree.nodes[ply, KILLER] = tree.nodes[ply, SECOND_KILLER] = NONE
    for cell in range(CELLS):  # a loop, since a slice costs seconds to compile
        tree.positions[0, cell] = root[cell]
    numbers[SEAT] = turn(root)
    numbers[STATUS] = RUNNING
    numbers[CHOICE] = NONE
    node[MAXIMISING] = 1
    node[COUNT] = legal_moves(root, tree.moves[0])
    if node[COUNT] > 1 and numbers[PUBLISHED] == 1 and tree.moves[0, node[COUNT] - 1] == PASS:
        node[COUNT] -= 1
    arrange(tree, 0, NONE)
    if tree.moves[0, 0] == PASS or (node[COUNT] == 1 and numbers[PUBLISHED] == 0):
        numbers[CHOICE] = tree.moves[0, 0]
        numbers[STATUS] = DONE
    else:
        begin_iteration(tree)


def step(tree: Tree, ply: int, weights: NDArray[np.float64], dice: NDArray[np.uint64]) -> int:
    """Try the next move of a node, or all of them where they lead to the horizon."""
    numbers, nodes = tree.numbers, tree.nodes
    if ply + 1 == numbers[LIMIT]:
        return OPENED if try_leaves(tree, ply, weights, dice) else STOPPED
    action = tree.moves[ply, nodes[ply, TRIED]]
    nodes[ply, TRIED] += 1
    if numbers[PUBLISHED] == 1:
        return int(arrive_as_published(tree, ply + 1, action, dice))
    return int(arrive(tree, ply + 1, action, dice))


def back_to(tree: Tree, ply: int) -> None:
    """Go on at a ply with the value that the ply after has brought."""
    published = tree.numbers[PUBLISHED] == 1
    tree.numbers[PLY] = ply
    if published and ply == 0:
        favour_interesting(tree)
    take_back(tree.nodes, tree.bounds, tree.moves, ply, not published)


def search(
    tree: Tree, weights: NDArray[np.float64], dice: NDArray[np.uint64], most_states: int
) -> int:
    """Go on with a search for so many states or a few more; return its status."""
    numbers, nodes = tree.numbers, tree.nodes
    pause = numbers[STATES] + most_states
    while numbers[STATUS] == RUNNING and numbers[STATES] < pause:
        ply = numbers[PLY]
        if nodes[ply, TRIED] < nodes[ply, COUNT]:
            arrival = step(tree, ply, weights, dice)
            if arrival == LEAF:
                back_to(tree, ply)
            elif arrival == STOPPED:
                stop(tree)
        elif ply == 0:
            end_iteration(tree)
        else:
            if numbers[USE_TABLE] == 1:
                store(tree, ply)
            back_to(tree, ply - 1)
    return int(numbers[STATUS])


def choice(tree: Tree) -> int:
    """Return the action to play: without any finished iteration, a pass if allowed, else the first.

    Only the published program passes of its own will, and only a game with that option allows it.
    """
    if tree.numbers[CHOICE] != NONE:
        return int(tree.numbers[CHOICE])
    if tree.numbers[PUBLISHED] == 1:
        count = legal_moves(tree.positions[0][:CELLS], tree.moves[1])
        if tree.moves[1, count - 1] == PASS:
            return PASS
    return int(tree.moves[0, 0])


# Each uses only those before it.
TEMPLATES: tuple[Any, ...] = (
    node_templates.arrange,
    node_templates.open_node,
    node_templates.arrive,
    node_templates.arrive_as_published,
    node_templates.favour_interesting,
    node_templates.leaf_value,
    node_templates.try_leaves,
    prepare,
    step,
    back_to,
    search,
    choice,
)


class Searcher(NamedTuple):
    """The compiled search of one game with one evaluation."""

    prepare: Any  # (tree, position)
    search: Any  # (tree, weights, dice, most states) -> status
    choice: Any  # (tree) -> action


def searcher(game: Game, hints: SearchHints, evaluation: Evaluation) -> Searcher:
    """Return the search for a game, compiled when it is first used."""
    widest = game.score_bounds[0][1] - game.score_bounds[1][0]
    return compiled_searcher(
        game.name,
        game.rules,
        game.position_size,
        game.action_count,
        widest,
        evaluation.kernel,
        hints.legal_moves,
        hints.promise,
        hints.interesting,
        hints.advance or game.rules.apply,
        hints.decided,
        hints.pass_action,
    )


@functools.cache
def compiled_searcher(
    game_name: str,
    rules: Rules,
    cells: int,
    action_count: int,
    widest: float,
    evaluate_kernel: Any,
    legal_moves_kernel: Any,
    promise_kernel: Any,
    interesting_kernel: Any,
    advance_kernel: Any,
    decided_kernel: Any,
    pass_action: int,
) -> Searcher:
    """Fill the templates with the kernels of one game."""
    plain = getattr(evaluate_kernel, "py_func", evaluate_kernel)
    name = f"{game_name}_{plain.__module__}_{plain.__qualname__}".replace(".", "_")
    given: dict[str, Any] = {
        "turn": rules.turn,
        "apply": rules.apply,
        "evaluate": evaluate_kernel,
        "promise": promise_kernel,
        "interesting": interesting_kernel,
        "advance": advance_kernel,
        "CELLS": cells,
        "PASS": pass_action,
    }
    given["legal_moves"] = legal_moves_kernel or specialise(
        list_moves_by_mask, name, legal=rules.legal, ACTION_COUNT=action_count
    )
    given["decided_by_rules"] = specialise(
        node_templates.decided_by_rules, name, turn=rules.turn, score=rules.score, WIDEST=widest
    )
    given["decided"] = decided_kernel or given["decided_by_rules"]
    for template in TEMPLATES:
        given[template.__name__] = specialise(template, name, **given)
    return Searcher(given["prepare"], given["search"], given["choice"])
