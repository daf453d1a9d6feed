"""How the table by which the champion orders its moves is fitted to the choices of its search.

The champion, with the former search, plays itself on levels of its own, from many starts and with
some moves at random. The table is then fitted to what the search chose in all positions seen: the
score of a move is the logarithm of its chance, up to a number that all moves of a position share.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.champion.evaluation import load_weights, network_of
from sandtable.games.skirmish.agents.champion.order import (
    MOST_PARTS,
    PARTS,
    Scene,
    look,
    new_scene,
    parts_of,
)
from sandtable.games.skirmish.agents.champion.search import search_root
from sandtable.games.skirmish.agents.champion.tree import CHOICE, FORMER_SWITCHES, new_search
from sandtable.games.skirmish.game import skirmish
from sandtable.games.skirmish.learning.champion.games import FIRST_LEVEL, draw_start
from sandtable.games.skirmish.rules import apply, legal_moves

__all__ = ["choices_of_search", "fit_order", "places_of_choices"]

ORDER_LEVELS = FIRST_LEVEL + 500_000  # none of those on which networks are trained
LEVELS = 500
FULL_STARTS, SECOND_WINS = 0.7, 0.8
RANDOM_FIRST, RANDOM_LATER = 16, 0.1
BATCH, RATE, SMALL = 32, 0.3, 1e-6


@kernel
def play_and_note(
    blanks: NDArray[np.int16],
    parameters: NDArray[np.float32],
    order: NDArray[np.float32],
    budget: int,
    key: np.uint64,
    positions: NDArray[np.int16],
    chosen: NDArray[np.int64],
) -> int:
    """Play one game on every level until there are enough positions; return how many there are."""
    network = network_of(parameters)
    search = new_search(budget, FORMER_SWITCHES, order)
    dice = np.zeros(4, dtype=np.uint64)
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    position = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    kept = 0
    for index in range(len(blanks)):
        dice[0], dice[1], dice[2] = key, index, 0
        copy_cells(blanks[index], position)
        draw_start(position, dice, FULL_STARTS, SECOND_WINS)
        played, opening = 0, below(dice, RANDOM_FIRST)
        while position[layout.MOVER] != layout.OVER:
            count = legal_moves(position, moves)
            action = moves[below(dice, count)]
            if played >= opening and count > 1:
                search_root(search, network, dice, position, budget)
                copy_cells(position, positions[kept])
                chosen[kept] = search.numbers[CHOICE]
                kept += 1
                if uniform(dice) >= RANDOM_LATER:
                    action = search.numbers[CHOICE]
            if kept == len(positions):
                return kept
            apply(position, action, dice)
            played += 1
    return kept


def choices_of_search(
    count: int, budget: int, seed: int
) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Return so many positions of games, and what a search of so many states chose in each."""
    levels = [f"random-{ORDER_LEVELS + number}" for number in range(LEVELS)]
    blanks = np.array([skirmish(level=spec).initial_cells for spec in levels], dtype=np.int16)
    positions = np.empty((count, layout.POSITION_SIZE), dtype=np.int16)
    chosen = np.empty(count, dtype=np.int64)
    unused = np.empty(0, dtype=np.float32)  # the former search knows no scores
    key = np.uint64(seed)
    kept = play_and_note(blanks, load_weights(), unused, budget, key, positions, chosen)
    return positions[:kept], chosen[:kept]


@kernel
def chances_of_moves(
    position: NDArray[np.int16],
    scene: Scene,
    table: NDArray[np.float64],
    moves: NDArray[np.int16],
    parts: NDArray[np.int64],
    counts: NDArray[np.int64],
    chances: NDArray[np.float64],
) -> int:
    """Write the moves of a position, their parts and their chances; return how many there are."""
    count = legal_moves(position, moves)
    look(position, position[layout.MOVER], scene)
    highest = -math.inf
    for move in range(count):
        counts[move] = parts_of(position, moves[move], scene)
        chances[move] = 0.0
        for index in range(counts[move]):
            parts[move, index] = scene.places[index]
            chances[move] += table[scene.places[index]]
        highest = max(highest, chances[move])
    total = 0.0
    for move in range(count):
        chances[move] = math.exp(chances[move] - highest)
        total += chances[move]
    for move in range(count):
        chances[move] /= total
    return count


@kernel
def fit_once(
    positions: NDArray[np.int16],
    chosen: NDArray[np.int64],
    order: NDArray[np.int64],
    table: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> float:
    """Fit the table to all positions in an order, with steps that shrink; return the mean loss."""
    scene = new_scene()
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    parts = np.empty((layout.ACTIONS, MOST_PARTS), dtype=np.int64)
    counts, chances = np.empty(layout.ACTIONS, dtype=np.int64), np.empty(layout.ACTIONS)
    slope, loss = np.zeros(len(table)), 0.0
    for number in range(len(order)):
        row = order[number]
        count = chances_of_moves(positions[row], scene, table, moves, parts, counts, chances)
        for move in range(count):
            error = chances[move]
            if moves[move] == chosen[row]:
                loss -= math.log(max(error, SMALL))
                error -= 1.0
            for index in range(counts[move]):
                slope[parts[move, index]] += error / BATCH
        if number % BATCH == BATCH - 1:
            for place in range(len(table)):
                squares[place] += slope[place] * slope[place]
                table[place] -= RATE * slope[place] / (math.sqrt(squares[place]) + SMALL)
                slope[place] = 0.0
    return loss / max(1, len(order))


def fit_order(
    positions: NDArray[np.int16], chosen: NDArray[np.int64], passes: int
) -> tuple[NDArray[np.float32], list[float]]:
    """Return the table [PARTS], and the mean loss of every pass over the positions."""
    table, squares = np.zeros(PARTS), np.zeros(PARTS)
    numbers = np.random.Generator(np.random.PCG64(0))
    losses = [
        float(fit_once(positions, chosen, numbers.permutation(len(chosen)), table, squares))
        for _ in range(passes)
    ]
    return table.astype(np.float32), losses


@kernel
def places_of_choices(
    positions: NDArray[np.int16],
    chosen: NDArray[np.int64],
    table: NDArray[np.float64],
    places: NDArray[np.int64],
) -> None:
    """Write at which place in the order every chosen move comes, 0 for the first."""
    scene = new_scene()
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    parts = np.empty((layout.ACTIONS, MOST_PARTS), dtype=np.int64)
    counts, chances = np.empty(layout.ACTIONS, dtype=np.int64), np.empty(layout.ACTIONS)
    for row in range(len(chosen)):
        count = chances_of_moves(positions[row], scene, table, moves, parts, counts, chances)
        own = 0
        while moves[own] != chosen[row]:
            own += 1
        places[row] = 0
        for move in range(count):
            places[row] += move != own and chances[move] >= chances[own]
