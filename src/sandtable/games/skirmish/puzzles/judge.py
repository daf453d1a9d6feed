"""What moves of Skirmish are worth, by the champion's search (sandtable.compiled kernels).

There are no dice, so what comes after a move is varied: the champion plays some half-turns on for
both sides, of which a share is drawn at random, and its search says what the position is then
worth. A chance so tells how easily a position is won, not only whether. The search is the first
one, by which the bundled puzzles were judged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import Dice, below, uniform
from sandtable.games.skirmish.agents.champion import tree
from sandtable.games.skirmish.agents.champion.evaluation import BUNDLED, load_weights, network_of
from sandtable.games.skirmish.agents.champion.search import search_root
from sandtable.games.skirmish.layout import ACTIONS, OVER
from sandtable.games.skirmish.rules import apply, legal_moves, score, turn
from sandtable.puzzles.judge import Judge
from sandtable.types import State

__all__ = ["SearchJudge"]


@kernel
def search_on(
    view: NDArray[np.int16],
    moves: NDArray[np.int64],
    key: int,
    half_turns: int,
    budget: int,
    slips: float,
    parameters: NDArray[np.float32],
    results: NDArray[np.float64],
) -> None:
    """Fill ``results`` [sample, move] with the chances of the mover; samples share their dice."""
    network, unused = network_of(parameters), np.empty(0, dtype=np.float32)
    seat = turn(view)
    position, legal = np.empty_like(view), np.empty(ACTIONS, dtype=np.int16)
    dice, scores = np.zeros(4, dtype=np.uint64), np.zeros(2)
    for sample in range(len(results)):
        for index in range(len(moves)):
            dice[0], dice[1], dice[2] = key, sample, 0
            copy_cells(view, position)
            apply(position, moves[index], dice)
            for _ in range(half_turns):
                if turn(position) == OVER:
                    break
                slip = uniform(dice) < slips
                count = legal_moves(position, legal)
                action = int(legal[below(dice, count)])
                if not slip:
                    search = tree.new_search(budget, tree.FORMER_SWITCHES, unused)
                    search_root(search, network, dice, position, budget)
                    action = search.numbers[tree.CHOICE]
                apply(position, action, dice)
            if turn(position) == OVER:
                score(position, scores)
                value = scores[seat]
            else:
                search = tree.new_search(budget, tree.FORMER_SWITCHES, unused)
                value = search_root(search, network, dice, position, budget)
                if turn(position) != seat:
                    value = -value
            results[sample, index] = 0.5 + 0.5 * min(max(value, -1.0), 1.0)


class SearchJudge(Judge):
    """Values moves by the champion's search after some half-turns.

    >>> SearchJudge(half_turns=6, budget=60, slips=0.1).name
    "the champion's search (60 positions) 6 half-turns on, 10% of them at random"
    """

    def __init__(self, half_turns: int, budget: int, slips: float) -> None:
        self.half_turns, self.budget, self.slips = half_turns, budget, slips
        self.parameters = load_weights(BUNDLED)
        self.name = (
            f"the champion's search ({budget} positions) {half_turns} half-turns on, "
            f"{slips:.0%} of them at random"
        )

    def results(
        self, view: State, moves: Sequence[tuple[int, ...]], samples: int, dice: Dice
    ) -> NDArray[np.float64]:
        """Return the chances [sample, move] of the seat that is to move."""
        results = np.zeros((samples, len(moves)))
        actions = np.array([move[0] for move in moves], dtype=np.int64)
        key, position = dice.below(1 << 31), np.array(view.position)
        options = (self.half_turns, self.budget, self.slips)
        search_on(position, actions, key, *options, self.parameters, results)
        return results
