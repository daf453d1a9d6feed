"""Facts about finished games besides their scores: the same however the games are played."""

from __future__ import annotations

import numpy as np
import pytest

from arena.race import Bold, Careful, race
from sandtable.agents.random import Random
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.plan import Results, make_plan
from sandtable.arena.play.run import RunOptions, play_plans
from sandtable.registry import make_game

AGENTS = [Bold(2), Random(), Random(), Random()]  # the same all over: each set is compiled once


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_compiled_games_measure_what_the_python_loop_measures(seats):
    game = race(seats)
    agents = AGENTS[:seats]
    compiled = play_games(game, policies(game, agents), 5, 10, 40, keep=True)
    assert compiled.measures.shape == (40, seats, 2)
    for index in range(40):
        played = play_game(game, agents, specs=["x"] * seats, seed=5, number=10 + index)
        assert np.array_equal(played.measures, compiled.measures[index])
        assert played.record.outcome.scores == tuple(compiled.scores[index])


def test_measures_are_those_of_the_final_position():
    game = race(3)
    compiled = play_games(game, policies(game, AGENTS[:3]), 1, 0, 200, keep=True)
    assert (compiled.measures[:, 0, 1] == 2).all()
    assert np.array_equal(compiled.measures[:, :, 0], compiled.finals[:, 2:5])


def test_agents_can_be_seated_in_any_order():
    game = race(4)
    order = [3, 0, 1, 2]
    seated = [AGENTS[number] for number in order]
    ordered = play_games(game, policies(game, AGENTS), 3, 0, 50, keep=True, order=order)
    assert (ordered.measures[:, 1, 1] == 2).all()
    for number in range(50):
        played = play_game(game, seated, specs=["x"] * 4, seed=3, number=number)
        assert played.record.actions == tuple(ordered.actions[number, : ordered.lengths[number]])
        assert np.array_equal(played.measures, ordered.measures[number])


def test_games_without_measures_have_none():
    agents = [Random(), Random()]
    game = make_game("lucid")
    assert play_games(game, policies(game, agents), 0, 0, 3, keep=False).measures.shape == (3, 2, 0)
    played = play_game(game, agents, specs=["a", "b"], seed=0, number=0)
    assert played.measures.shape == (2, 0)


def measures_of(plan, jobs):
    results = Results(make_game(plan.game))
    for _, chunk in play_plans([plan], RunOptions(jobs=jobs)):
        results.add(chunk)
    results.close()
    return results.measures


def test_any_number_of_jobs_gives_the_same_measures(with_race):
    plan = make_plan("race", ["race/bold", "random", "random", "random"], 5000, seed=3)
    one = measures_of(plan, 1)
    assert one.shape == (5000, 4, 2)
    assert np.array_equal(one, measures_of(plan, 3))


def test_a_forfeited_game_has_no_measures():
    class Stubborn:
        def choose(self, view, dice):
            return 7

    played = play_game(race(2), [Stubborn(), Careful()], specs=["a", "b"], seed=0, number=0)
    assert played.record.outcome.forfeited_by == 0
    assert np.isnan(played.measures).all()
