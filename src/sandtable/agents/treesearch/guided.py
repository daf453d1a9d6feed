"""A tree search guided by a network: many games side by side, one question to it for all of them.

A simulation goes down every game's tree to a decision nobody has looked at, the network is asked
about all of those at once (how likely each action is, how each seat will do), and its answers are
added to the trees. Rows are independent of each other, so threads can share them. (Compiled with
sandtable.compiled.)

In games with secrets the others in the tree do not know what the searcher was dealt, so they draw
their actions as the network would, and a simulation goes on until the searcher is to move again:
only its own view says how well it will do. While a network learns, the deal is the true one, of
which games as the network plays them bring each as often as it is to be expected; the searcher's
next decision then ends the simulation, since it must not plan with what it cannot know.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.search_parts import GameFacts, facts_of, show_mover
from sandtable.agents.treesearch.improvement import drawn_action, improved_policy, stepped_policy
from sandtable.agents.treesearch.rows import NOBODY, GamesPlayed, GuidedRows
from sandtable.agents.treesearch.search import DEEPEST, key_of_view
from sandtable.agents.treesearch.tree import (
    ACTION,
    COUNT,
    EDGE_VISITS,
    FIRST,
    MISSING,
    PRIOR,
    TOTAL,
    UNIT,
    VALUE,
    VISITS,
    add_decision,
    edge_place,
    find_decision,
    note_result,
    view_key,
)
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import below, uniform
from sandtable.types import OVER, Game

__all__ = ["GuidedSearch", "guided_search_of"]

# What the templates below are specialised with.
turn = apply = guess = hide = score = encode = placeholder
key_of = deal = show = placeholder
SEATS = ACTION_COUNT = 0
HIDDEN = False
LOW = HIGH = (0.0,)  # [seat] lowest and highest scores

NO_OPINION = 0.5  # the value of a decision that there was no room for


@kernel
def guided_edge(
    tree: NDArray[np.int64],
    decision: int,
    exploration: float,
    noise: NDArray[np.float32],
    share: float,
) -> int:
    """Return the edge with the highest mean plus what its prior adds while it is little tried."""
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    root = np.sqrt(max(tree[decision + VISITS], 1))
    # What was not tried counts as what was, or where nothing was as the network has it.
    known, seen = 0.0, 0.0
    for index in range(count):
        edge = edge_place(tree, first + index)
        if tree[edge + EDGE_VISITS] > 0:
            prior = tree[edge + PRIOR] / UNIT
            known += prior * tree[edge + TOTAL] / (UNIT * tree[edge + EDGE_VISITS])
            seen += prior
    usual = known / seen if seen > 0 else tree[decision + VALUE] / UNIT
    best, highest = -1, -np.inf
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        prior = tree[edge + PRIOR] / UNIT
        if share > 0.0:
            prior = (1.0 - share) * prior + share * noise[tree[edge + ACTION]]
        mean = tree[edge + TOTAL] / (UNIT * visits) if visits > 0 else usual
        bound = mean + exploration * prior * root / (1.0 + visits)
        if bound > highest:
            best, highest = edge, bound
    return int(best)


@kernel
def prior_edge(tree: NDArray[np.int64], decision: int, dice: NDArray[np.uint64]) -> int:
    """Return an edge drawn by its prior."""
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    left, edge = uniform(dice), -1
    for index in range(count):
        edge = edge_place(tree, first + index)
        left -= tree[edge + PRIOR] / UNIT
        if left <= 0.0:
            break
    return int(edge)


@kernel
def even_edge(
    tree: NDArray[np.int64], decision: int, simulations: int, dice: NDArray[np.uint64]
) -> int:
    """Return an edge so that all are tried, likely ones more often, with so many tries left.

    An action that is never tried keeps its share, however bad it is. Where there are too few tries
    for all, every other one is for any action.
    """
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    if tree[decision + VISITS] + simulations < count:
        if uniform(dice) < 0.5:
            return prior_edge(tree, decision, dice)
        return int(edge_place(tree, first + below(dice, count)))
    best, highest = -1, -np.inf
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        bound = np.sqrt(tree[edge + PRIOR] / UNIT) / (1.0 + visits) + (visits == 0)
        if bound > highest:
            best, highest = edge, bound
    return int(best)


def deal_row(rows: GuidedRows, row: int, searcher: int) -> None:
    """Put the position there from which a simulation begins: the true one, or a guess."""
    if HIDDEN and rows.known[row]:
        copy_cells(rows.truths[row], rows.positions[row])
        return
    copy_cells(rows.views[row], rows.positions[row])
    if HIDDEN:
        guess(rows.positions[row], searcher, rows.dice[row])


def descend_rows(
    rows: GuidedRows, exploration: float, noise_share: float, first: int, last: int
) -> None:
    """Go down the trees of some rows to decisions that the network has to be asked about."""
    scratch = np.empty_like(rows.positions[0])
    scores = np.zeros(SEATS)
    for row in range(first, last):
        tree, view, dice = rows.trees[row], rows.views[row], rows.dice[row]
        searcher = turn(view)
        if searcher == OVER or rows.left[row] <= 0:
            rows.movers[row], rows.depths[row], rows.left[row] = NOBODY, 0, 0
            continue
        position, path = rows.positions[row], rows.paths[row]
        depth = rows.depths[row] if rows.waiting[row] else 0
        if not rows.waiting[row]:
            deal(rows, row, searcher)
        rows.movers[row], rows.waiting[row] = NOBODY, False
        while True:
            seat = turn(position)
            if seat == OVER:
                score(position, scores)
                for each in range(SEATS):
                    rows.values[row, each] = (scores[each] - LOW[each]) / (HIGH[each] - LOW[each])
                break
            if depth == DEEPEST:
                rows.values[row, :] = NO_OPINION
                break
            key = key_of(position, seat, scratch)
            decision = find_decision(tree, key)
            if decision == MISSING:
                rows.keys[row], rows.movers[row] = key, seat
                show(position, seat, scratch, rows.planes[row], rows.masks[row])
                break
            if HIDDEN and seat != searcher:
                edge = prior_edge(tree, decision, dice)
            elif HIDDEN and rows.known[row]:
                if depth > 0:
                    rows.values[row, seat] = tree[decision + VALUE] / UNIT
                    break
                edge = even_edge(tree, decision, rows.left[row], dice)
            else:
                share = noise_share if depth == 0 else 0.0
                edge = guided_edge(tree, decision, exploration, rows.noise[row], share)
            path[depth, 0], path[depth, 1], path[depth, 2] = decision, edge, seat
            depth += 1
            apply(position, tree[edge + ACTION], dice)
        rows.depths[row] = depth


def add_answers(rows: GuidedRows, first: int, last: int) -> None:
    """Add what the network said to the trees of some rows, or how the games ended."""
    moves = np.empty(ACTION_COUNT, dtype=np.int64)
    for row in range(first, last):
        if rows.left[row] <= 0:
            continue
        tree, path, mover = rows.trees[row], rows.paths[row], rows.movers[row]
        searcher, depth = turn(rows.views[row]), rows.depths[row]
        if mover != NOBODY:
            count = 0
            for action in range(ACTION_COUNT):
                if rows.masks[row, action]:
                    moves[count] = action
                    count += 1
            decision = add_decision(tree, rows.keys[row], moves, count)
            if decision != MISSING:
                tree[decision + VALUE] = np.int64(rows.values[row, mover] * UNIT)
                for index in range(count):
                    edge = edge_place(tree, tree[decision + FIRST] + index)
                    tree[edge + PRIOR] = np.int64(rows.priors[row, moves[index]] * UNIT)
                if HIDDEN and mover != searcher:
                    rows.waiting[row] = True
                    continue
            if depth == 0:
                if decision == MISSING:
                    rows.left[row] = 0
                continue
        rows.left[row] -= 1
        for step in range(depth):
            decision, edge, seat = path[step, 0], path[step, 1], path[step, 2]
            if HIDDEN and seat != searcher:
                continue
            note_result(tree, decision, edge, rows.values[row, seat])


def decide_rows(
    rows: GuidedRows,
    states: NDArray[np.int16],
    played: GamesPlayed,
    drawn_plies: int,
    step: float,
    magnet: float,
    stray: float,
    straying_plies: float,
    first: int,
    last: int,
) -> None:
    """Play what the searches of some rows found, and keep what was seen and weighed.

    Now and then anything is played, without secrets only early in a game, so that games differ.
    With secrets what is played is drawn as the network has it: a search that knows the deal may
    teach, but must not decide.
    """
    for row in range(first, last):
        view, seat = rows.views[row], turn(rows.views[row])
        played.movers[row] = seat
        if seat == OVER:
            continue
        tree, dice = rows.trees[row], played.dice[row]
        decision = find_decision(tree, view_key(view, seat))
        played.planes[row] = 0.0
        encode(view, seat, played.planes[row])
        early = 1.0 - played.plies[row] / straying_plies
        played.strayed[row] = uniform(dice) < stray * (1.0 if HIDDEN else early)
        if HIDDEN:
            value, _ = stepped_policy(tree, decision, played.policies[row], step, magnet)
            action = tree[prior_edge(tree, decision, dice) + ACTION]
        else:
            value, _ = improved_policy(tree, decision, played.policies[row])
            best = played.plies[row] >= drawn_plies
            action = drawn_action(played.policies[row], dice, best)
        if played.strayed[row]:
            drawn = tree[decision + FIRST] + below(dice, tree[decision + COUNT])
            action = tree[edge_place(tree, drawn) + ACTION]
        played.searched[row] = value
        played.actions[row] = action
        apply(states[row], action, dice)
        played.plies[row] += 1
        if turn(states[row]) == OVER:
            score(states[row], played.scores[row])


def show_others(
    rows: GuidedRows,
    states: NDArray[np.int16],
    learners: NDArray[np.int64],
    first: int,
    last: int,
) -> None:
    """Show the movers of some rows what they see, where they are not the one that learns."""
    for row in range(first, last):
        seat = turn(states[row])
        rows.movers[row] = NOBODY
        if seat == OVER or learners[row] == NOBODY or learners[row] == seat:
            continue
        rows.movers[row] = seat
        show(states[row], seat, rows.views[row], rows.planes[row], rows.masks[row])


def play_others(
    rows: GuidedRows, states: NDArray[np.int16], played: GamesPlayed, first: int, last: int
) -> None:
    """Draw what those movers play by their priors, and play it."""
    for row in range(first, last):
        if rows.movers[row] == NOBODY:
            continue
        action = drawn_action(rows.priors[row], played.dice[row], False)
        apply(states[row], action, played.dice[row])
        played.plies[row] += 1
        if turn(states[row]) == OVER:
            score(states[row], played.scores[row])


def view_rows(rows: GuidedRows, states: NDArray[np.int16], first: int, last: int) -> None:
    """Show the movers of some rows what they may know."""
    for row in range(first, last):
        copy_cells(states[row], rows.views[row])
        copy_cells(states[row], rows.truths[row])
        seat = turn(states[row])
        if HIDDEN and seat != OVER:
            hide(rows.views[row], seat)


class GuidedSearch(NamedTuple):
    """The templates, compiled for one game."""

    descend: Any  # (rows, exploration, noise share, first, last)
    add: Any  # (rows, first, last)
    decide: (
        Any  # (rows, states, played, plies drawn, step, magnet, stray, straying plies, first, last)
    )
    view: Any  # (rows, states, first, last)
    show_others: Any  # (rows, states, learners, first, last)
    play_others: Any  # (rows, states, played, first, last)


def guided_search_of(game: Game) -> GuidedSearch:
    """Return the guided search of a game, compiled when it is first used."""
    return compiled_guided(facts_of(game))


@functools.cache
def compiled_guided(facts: GameFacts) -> GuidedSearch:
    """Fill the templates with the kernels of one game."""
    name, given = facts.kernel_name(), facts.fillings()
    given["key_of"] = specialise(key_of_view, name, **given)
    given["deal"] = specialise(deal_row, name, inline=True, **given)
    given["show"] = specialise(show_mover, name, **given)
    templates: tuple[Any, ...] = (
        descend_rows, add_answers, decide_rows, view_rows, show_others, play_others
    )  # fmt: skip
    return GuidedSearch(*(specialise(template, name, **given) for template in templates))
