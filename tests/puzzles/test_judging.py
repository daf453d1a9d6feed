"""Judges: a move that is better is found, one that is not is not, and margins are honest."""

from __future__ import annotations

import numpy as np
import pytest

from agents.tictactoe import tictactoe
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.puzzles.judge import Judge, find_best, standard_errors
from sandtable.puzzles.rollouts import PolicyJudge
from sandtable.types import OVER, State

MARGIN, SAMPLES = 0.1, 256


class Known(Judge):
    """Wins with known chances."""

    name = "known chances"

    def __init__(self, chances):
        self.chances = np.array(chances)
        self.tried = 0

    def results(self, view, moves, samples, dice):
        draws = np.random.default_rng(dice.below(1 << 31)).random((samples, len(moves)))
        self.tried += samples * len(moves)
        return (draws < self.chances[[move[0] for move in moves]]).astype(float)


@pytest.fixture(scope="module")
def view():
    return tictactoe().start().view(0)


def search(view, chances, number):
    judge = Known(chances)
    moves = [(index,) for index in range(len(chances))]
    return find_best(judge, view, moves, MARGIN, SAMPLES, Dice(number, "race")), judge.tried


def test_a_move_that_is_far_ahead_is_found_and_its_margin_is_not_flattered(view):
    chances = [0.2, 0.35, 0.8, 0.5, 0.1]
    margins = []
    for number in range(60):
        found, _ = search(view, chances, number)
        if found is not None:
            assert (found.best, found.second) == (2, 3)
            assert found.judgement.low > 0
            margins.append(found.judgement.margin)
    assert len(margins) > 50
    error = np.std(margins) / np.sqrt(len(margins))
    assert abs(np.mean(margins) - 0.3) < 4 * error


@pytest.mark.parametrize("chances", [[0.5] * 6, [0.7, 0.7, 0.2], [0.62, 0.6, 0.1, 0.1]])
def test_two_moves_that_are_as_good_are_no_puzzle_and_are_soon_given_up(view, chances):
    outcomes = [search(view, chances, number) for number in range(80)]
    assert sum(found is not None for found, _ in outcomes) <= 1
    most = 2 * SAMPLES * len(chances)
    assert np.mean([tried for _, tried in outcomes]) < most / 2


def test_results_that_are_all_alike_still_have_an_error():
    behind, errors = standard_errors(np.array([[1.0, 0.0]] * 16), 0)
    assert behind.tolist() == [0.0, 1.0]
    assert 0.0 < errors[1] < 0.3


def exact(state: State, seat: int) -> float:
    """Return the share of the win to a seat if all play at random from here, by trying all."""
    if state.turn == OVER:
        return {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}[state.outcome.scores[seat]]
    return float(np.mean([exact(state.play(action), seat) for action in state.legal]))


def test_games_played_on_are_worth_what_counting_all_of_them_says():
    game = tictactoe()
    state = game.start()
    for action in (0, 4, 8, 2):
        state = state.play(action)
    judge = PolicyJudge(game, {"": "random"})
    moves = [(action,) for action in state.legal]
    results = judge.results(state.view(0), moves, 4000, Dice(2))
    for place, (action,) in enumerate(moves):
        truth = exact(state.play(action), 0)
        assert abs(results[:, place].mean() - truth) < 4 * 0.5 / np.sqrt(4000)
    again = judge.results(state.view(0), moves, 100, Dice(2))
    assert np.array_equal(again, results[:100])


def test_the_kernel_does_what_it_says_in_plain_python():
    from sandtable.puzzles import rollouts

    game = tictactoe()
    judge = PolicyJudge(game, {"": "random"}, slips=0.3)
    moves = [(action,) for action in (0, 1, 4)]
    compiled = judge.results(game.start().view(0), moves, 20, Dice(3))
    acts = tuple(policy.act for policy in judge.policies)
    kernel = rollouts.runner(game.name, game.rules, acts)
    original = rollouts.runner
    try:
        rollouts.runner = lambda *facts: kernel.py_func
        plain = judge.results(game.start().view(0), moves, 20, Dice(3))
    finally:
        rollouts.runner = original
    assert np.array_equal(plain, compiled)


def test_an_agent_that_cannot_act_in_kernels_cannot_judge():
    with pytest.raises(SandtableError, match="act inside kernels"):
        PolicyJudge(tictactoe(), {"": "level:easy"})
