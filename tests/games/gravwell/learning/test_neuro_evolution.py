"""Neuro-evolution: it learns, goes on exactly, and workers change nothing."""

from __future__ import annotations

import dataclasses
import json
import os
import time

import numpy as np
import pytest

from games.gravwell.agents.plain_networks import grown_brain
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.neuro_evolution.brain import load_brain
from sandtable.games.gravwell.agents.neuro_evolution.networks import Network, Node, program_of
from sandtable.games.gravwell.layout import ROUND, TRACTORS
from sandtable.games.gravwell.learning.neuro_evolution.competition import (
    best_of,
    games_of,
    scores_of,
    survivors,
)
from sandtable.games.gravwell.learning.neuro_evolution.config import (
    COMPARED,
    IMPROVED,
    PUBLISHED,
)
from sandtable.games.gravwell.learning.neuro_evolution.crossover import Innovations, crossed
from sandtable.games.gravwell.learning.neuro_evolution.games import (
    OWN,
    Q_LEARNER,
    RANDOM,
    TREE,
    WON,
    Judges,
    dealt_games,
    drawn_opponents,
    judged,
)
from sandtable.games.gravwell.learning.neuro_evolution.population import begin
from sandtable.games.gravwell.learning.neuro_evolution.recipe import export, state_of, train
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.config import check_config
from sandtable.learning.run import Control

TINY = dataclasses.replace(
    IMPROVED,
    seed=3,
    generations=12,
    parents=3,
    copies=4,
    judging=60,
    screening=20,
    screened=4,
    more_each=2,
    final_games=60,
)
LEARNING = dataclasses.replace(
    IMPROVED,
    seed=1,
    generations=12,
    parents=6,
    judging=300,
    screening=100,
    screened=10,
    more_each=0,
    final_games=0,
)
OLD = dataclasses.replace(PUBLISHED, generations=3, parents=2, copies=2, judging=6)


def run(config, folder, stop_after=1_000_000, jobs=1):
    """Train until so many generations are done; return what was reported."""
    reported = []
    control = Control(
        report=reported.append, stopping=lambda: len(reported) >= stop_after, jobs=jobs
    )
    assert train(config, folder, control) == (stop_after > config.generations)
    return reported


def same(one, other):
    """Compare what two folders hold: checkpoints and logs."""
    first, second = load_newest(one)[0], load_newest(other)[0]
    assert first.counters == second.counters
    assert {name: array.tobytes() for name, array in first.arrays.items()} == {
        name: array.tobytes() for name, array in second.arrays.items()
    }
    assert (one / "metrics.jsonl").read_text() == (other / "metrics.jsonl").read_text()
    return True


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, run(TINY, folder)


def test_learns_within_seconds(tmp_path):
    reported = run(LEARNING, tmp_path)
    assert reported[-1]["score"] > reported[0]["score"]
    judging = dataclasses.replace(LEARNING, seed=99, judging=2000, rounds=6, stronger=0.0, inert=0)
    games = games_of(judging, begin(judging))
    best = state_of(load_newest(tmp_path)[0]).parents[0]
    assert judged(program_of(best), games, 0, 2000)[WON] > 0.32 * 2000  # a quarter by luck alone


def test_goes_on_exactly_after_stops(whole, tmp_path):
    folder, reported = whole
    parts = run(TINY, tmp_path, 1) + run(TINY, tmp_path, 4) + run(TINY, tmp_path)
    assert parts == reported
    assert [metrics["generation"] for metrics in reported] == list(range(12))
    assert same(folder, tmp_path)


def test_three_workers_give_the_same_as_one(whole, tmp_path):
    folder, reported = whole
    assert run(TINY, tmp_path, jobs=3) == reported
    assert same(folder, tmp_path)


def test_exports_networks_that_play(whole):
    folder, _ = whole
    assert "networks.json" in export(folder)
    state = state_of(load_newest(folder)[0])
    chosen = state.parents[state.counters["chosen"]]
    assert load_brain(folder / "networks.json") == chosen
    about = json.loads((folder / "networks.json").read_text())["about"]
    assert about["generations done"] == 12
    assert about["parents"] == 3


def test_published_configuration(tmp_path):
    reported = run(OLD, tmp_path)
    assert reported[0]["judging"] == 6
    brain = state_of(load_newest(tmp_path)[0]).parents[0]
    assert brain.card is brain.stack is brain.stop is None
    assert all(node.weights == (1.0, 1.0) and node.operation < 3 for node in brain.hand.nodes)
    games = games_of(PUBLISHED, begin(PUBLISHED))
    assert games.starts.shape[0] == 20
    assert (games.starts[:, TRACTORS] == 1).all()
    assert (games.opponents == RANDOM).all()
    assert games.rounds == 6


def test_published_score_is_wins_then_end_position():
    sums = np.array([[3.0, 20 * 54.0, 0.0], [4.0, 20 * 10.0, 0.0], [4.0, 20 * 20.0, 0.0]])
    assert sums[0, OWN] == 20 * 54
    scores = scores_of(PUBLISHED, sums, 20)
    assert scores.tolist() == [4.0, 4 + 10 / 54, 4 + 20 / 54]
    assert best_of(scores, 2) == [2, 1]
    assert best_of(np.array([1.0, 2.0, 2.0, 0.0]), 2) == [2, 1]  # of equal ones the later


def test_rounds_begin_in_the_middle_of_games():
    games = games_of(TINY, begin(TINY))
    assert set(games.starts[:, ROUND].tolist()) >= {0, 1, 2, 3, 4}
    assert games.rounds == 1


def test_games_are_judged_alike_in_parts_and_as_a_whole():
    games = games_of(TINY, begin(TINY))
    program = program_of(grown_brain(1, "card", "stack", "stop"))
    parts = judged(program, games, 0, 17) + judged(program, games, 17, len(games.starts))
    assert np.array_equal(parts, judged(program, games, 0, len(games.starts)))


def test_deals_and_opponents_have_the_shares_asked_for():
    starts = dealt_games(1, "test", 100, 0.3)
    assert (starts[:, TRACTORS] == 1).sum() == 30
    assert (starts[:10, TRACTORS] == 1).sum() == 3
    opponents = drawn_opponents(1, "test", 3000, 0.5, 4)
    stronger = (opponents != RANDOM).any(axis=1)
    assert abs(stronger.mean() - 0.5 * (1 - 1 / 27)) < 0.04
    assert set(np.unique(opponents)) == {-2, -1, 0, 1, 2, 3}
    assert set(np.unique(drawn_opponents(1, "test", 500, 1.0, 0))) == {-2, -1}


def test_a_worker_that_dies_gets_one_line():
    games, program = games_of(TINY, begin(TINY)), program_of(grown_brain(1, "card"))
    with (
        Judges(2, lambda: False) as judges,
        pytest.raises(SandtableError, match="worker process died"),
    ):
        assert judges.pool is not None
        judges.pool.submit(os._exit, 1)
        time.sleep(0.1)
        judges.judge([program, program], games, 0, 5)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"networks": "hand+card"}, "networks is hand or card"),
        ({"networks": "stack"}, "networks is hand or card"),
        ({"networks": "card+stop+stop"}, "networks is hand or card"),
        ({"networks": "card+brain"}, "networks is hand or card"),
    ],
)
def test_configurations_that_make_no_sense(changes, expected):
    with pytest.raises(SandtableError, match=expected):
        check_config(dataclasses.replace(PUBLISHED, **changes))


# --- what the report considered ------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(COMPARED))
def test_every_compared_way_runs_and_goes_on_exactly(name, tmp_path):
    few = dataclasses.replace(COMPARED[name], generations=4, parents=2, judging=8)
    whole = run(few, tmp_path / "whole")
    assert run(few, tmp_path / "parts", 2) + run(few, tmp_path / "parts") == whole
    assert same(tmp_path / "whole", tmp_path / "parts")
    brain = state_of(load_newest(tmp_path / "whole")[0]).parents[0]
    assert len(brain.hand.outputs) == {"index": 1, "modes": 9}.get(name, 8)


def test_own_dice_keep_the_scores_of_parents(tmp_path):
    config = dataclasses.replace(COMPARED["own-seeds"], generations=6, parents=3, judging=8)
    best = [metrics["score"] for metrics in run(config, tmp_path)]
    assert best == sorted(best)  # a lucky parent is never judged again


def test_selections():
    scores = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 0.0])

    def chosen(selection, seed):
        config = dataclasses.replace(PUBLISHED, parents=2, selection=selection)
        return survivors(config, scores, Dice(seed))

    assert {tuple(chosen("truncation", seed)) for seed in range(20)} == {(0, 2)}
    drawn = [chosen("tournament", seed) for seed in range(200)]
    assert all(first == 0 for first, _ in drawn)  # the best one wins whichever tournament it is in
    assert {second for _, second in drawn} == {2, 3, 4}  # of three at random: not the two worst
    counts = np.zeros(6)
    for seed in range(600):
        survivors_of_two = chosen("proportional", seed)
        assert len(set(survivors_of_two)) == 2
        counts[survivors_of_two] += 1
    assert counts[0] > counts[4] > counts[1] > 20
    assert counts[5] == 0  # a chance in proportion to nothing


def test_family_plays_at_one_table_and_rivals_sit_down():
    with pytest.raises(SandtableError, match="--copies 3, got 5"):
        check_config(dataclasses.replace(PUBLISHED, competition="parents"))
    for name, number in (("against-trees", TREE), ("against-q-learning", Q_LEARNER)):
        games = games_of(COMPARED[name], begin(COMPARED[name]))
        assert (games.opponents == number).all()
        weak = judged(program_of(grown_brain(1, "hand")), games, 0, 20)
        assert weak[WON] < 12  # rivals that can play


# --- crossover -----------------------------------------------------------------------------------


def test_child_has_matching_nodes_of_either_and_others_of_the_fitter():
    fitter = Network(2, (Node(0, (0, 1), (1, 1), 1), Node(2, (2, 0), (5, 5), 3)), (3, 2))
    other = Network(2, (Node(0, (0, 1), (7, 7), 1), Node(1, (2, 1), (9, 9), 4)), (3, 2))
    seen = set()
    for seed in range(60):
        child = crossed(fitter, other, Dice(seed))
        assert {node.innovation for node in child.nodes} <= {1, 3}
        by_number = {node.innovation: node for node in child.nodes}
        seen.add((by_number[1].weights, child.outputs))
        assert by_number.get(3, fitter.nodes[1]).weights == (5, 5)
    assert {weights for weights, _ in seen} == {(1, 1), (7, 7)}


def test_same_addition_in_a_generation_has_the_same_number():
    innovations = Innovations(10)
    one = innovations.numbered("hand", Network(3, (Node(0, (0, 1)),), (3,)))
    again = innovations.numbered("hand", Network(3, (Node(0, (0, 1)), Node(0, (3, 2))), (4,)))
    other = innovations.numbered("card", Network(3, (Node(0, (0, 1)),), (3,)))
    numbers = [node.innovation for network in (one, again, other) for node in network.nodes]
    assert numbers == [11, 11, 12, 13]
    assert innovations.numbered("hand", one) == one
