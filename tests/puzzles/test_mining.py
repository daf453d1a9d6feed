"""Mining and checking: a game of ours with quick judges, and a plug-in game as it comes."""

from __future__ import annotations

import itertools

import pytest

from agents.tictactoe import tictactoe
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.puzzles.mining import Miner, played_as_far_as_legal
from sandtable.puzzles.plan import PuzzlePlan, general_plan, plan_of
from sandtable.puzzles.puzzle import line_from_puzzle, puzzle_from_line
from sandtable.puzzles.rollouts import PolicyJudge
from sandtable.registry import make_game


def quick(game):
    return PolicyJudge(game, {"": "random"})


QUICK = PuzzlePlan({"": "random"}, quick, quick, margin=0.2, samples=128, second_samples=128)


def test_a_search_that_was_stopped_finds_the_same_as_one_that_was_not():
    game = make_game("gravwell:players=2")
    whole = list(itertools.islice(Miner(game, QUICK, 3).puzzles(), 3))
    assert list(itertools.islice(Miner(game, QUICK, 3).puzzles(jobs=2), 3)) == whole
    first = next(Miner(game, QUICK, 3).puzzles())
    assert first == whole[0]
    rest = Miner(game, QUICK, 3, {first.identity}).puzzles(first.source["game"])
    assert [next(rest), next(rest)] == whole[1:]
    assert next(Miner(game, QUICK, 4).puzzles()) != first  # another seed, other games
    for puzzle in whole:
        line = line_from_puzzle(puzzle)
        assert line_from_puzzle(puzzle_from_line(line, "here")) == line


def test_a_game_without_a_plan_gets_the_general_one():
    game = tictactoe()
    plan = plan_of(game)
    assert plan.players == general_plan(game).players == {"": "mcts:simulations=200"}
    secret = general_plan(make_game("stratego:variant=mini"))
    assert secret.players == {"": "ismcts:simulations=200"}
    assert general_plan(make_game("lucid")).margin == pytest.approx(0.6)  # of 15 units


def test_orders_of_a_turn_are_given_in_any_order_that_is_legal():
    state = make_game("lucid").start(Dice(1))
    actions = state.game.parse_actions("a1-a2 b1-b2 b1-b2")
    after = played_as_far_as_legal(state.view(state.turn), actions)
    assert after is not None
    assert after.line == state.view(state.turn).play(actions).line
    impossible = state.game.parse_actions("a1-a2 c5-goal")
    assert played_as_far_as_legal(state.view(state.turn), impossible) is None


@pytest.mark.parametrize("few", ["samples", "second_samples"])
def test_a_plan_that_could_never_find_a_puzzle_is_refused(few):
    with pytest.raises(SandtableError, match=f"{few}=49 .*take 50 or more"):
        PuzzlePlan({"": "random"}, quick, quick, **{few: 49})
