"""Temporal differences for Operation Lucid: targets, gradient, a tiny run, and how it goes on."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from games.lucid.agents.test_evaluator import plain_value, positions_after_moves, random_weights
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.champion.lookahead import AXES_RED_ANSWERS
from sandtable.games.lucid.agents.evaluator.bitboards import BOARDS, read_boards, turns_left
from sandtable.games.lucid.agents.evaluator.network import PARAMETERS, SUMS, load_weights
from sandtable.games.lucid.learning.td import settings
from sandtable.games.lucid.learning.td.fitting import add_gradient, fit_positions
from sandtable.games.lucid.learning.td.games import play_some, write_targets
from sandtable.games.lucid.learning.td.recipe import (
    RED_RECIPE,
    TD_RECIPE,
    TdConfig,
    export,
    first_parameters,
    train,
)
from sandtable.learning.adam import adam_step
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.run import Control
from sandtable.registry import make_agent, make_game

TINY = TdConfig(games=600, generation=200, tries=1, scattered_first=400, batch=64)
SETTING = settings.Setting(
    settings.ITSELF, settings.ITSELF, settings.Pool(0.0, 0.0, 0.0), 1, 0, 1, 1.0, 0.2, 0.5, 0.3, 0.8
)
NOBODY = np.zeros((1, PARAMETERS), dtype=np.float32)  # no opponent but the learner


def run(folder: Path, stop_after: int = 1_000_000, threads: int = 1) -> list[dict]:
    """Train until so many generations are done; return what was reported."""
    reported: list[dict] = []
    control = Control(
        report=reported.append, stopping=lambda: len(reported) >= stop_after, threads=threads
    )
    assert train(TINY, folder, control) == (stop_after > 3)
    return reported


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, run(folder)


def assert_same_weights(one_folder: Path, other_folder: Path):
    one, _ = load_newest(one_folder)
    other, _ = load_newest(other_folder)
    assert one is not None and other is not None
    assert one.counters == other.counters
    for name, array in one.arrays.items():
        assert np.array_equal(array, other.arrays[name]), name


def plain_targets(facts, values, score, trace):
    """Lambda-returns forward: the mean of all n-step returns with their weights."""
    targets = []
    for index in range(len(values)):
        target, weight = 0.0, 1.0
        for later in range(index + 1, len(values)):
            share = 1.0 if facts[later][3] else 1.0 - trace
            target += weight * share * values[later]
            weight *= 1.0 - share
        targets.append(target + weight * score)
    return targets


def record_of(facts, values, ahead):
    boards = np.zeros((len(values), BOARDS), dtype=np.int32)
    return settings.Record(boards, facts, values, ahead.astype(np.float32))


def test_targets_are_those_of_a_plain_twin():
    numbers = np.random.default_rng(0)
    for count, trace in ((1, 0.5), (7, 0.0), (20, 0.9), (36, 1.0)):
        facts = np.zeros((count, settings.FACTS), dtype=np.int16)
        facts[:, 3] = numbers.random(count) < 0.2
        values = (12 * numbers.random(count)).astype(np.float32)
        targets = np.zeros(count, dtype=np.float32)
        record = record_of(facts, values, np.append(values[1:], 8))
        write_targets(record, count, trace, targets)
        assert np.allclose(targets, plain_targets(facts, values, 8, trace), atol=1e-5)


def test_targets_by_looking_ahead_leave_the_luck_out():
    """Each later turn adds what its value was wrong by, however the dice fell."""
    facts = np.zeros((4, settings.FACTS), dtype=np.int16)
    facts[1, 3] = settings.NOT_PLAYED
    values = np.array([9.0, 0.0, 5.0, 7.0], dtype=np.float32)  # the dice were bad, then good
    ahead = np.array([9.5, 3.0, 5.25, 8.0])
    targets = np.zeros(4, dtype=np.float32)
    write_targets(record_of(facts, values, ahead), 4, 0.5, targets)
    assert targets[3] == 8.0
    assert targets[2] == 5.25 + 0.5 * (8.0 - 7.0)
    assert targets[1] == 3.0  # a plan that was not played: no later turn speaks of it
    assert targets[0] == 9.5 + 0.5 * (5.75 - 5.0)


def test_gradient_is_that_of_the_loss():
    weights = random_weights(5)
    boards = np.zeros(BOARDS, dtype=np.int64)
    sums, back = np.zeros(SUMS, dtype=np.float32), np.zeros(SUMS, dtype=np.float32)
    numbers = np.random.default_rng(1)
    for position in positions_after_moves(6, seed=6):
        blue, left = read_boards(position, boards, 0), turns_left(position)
        if left == 0:
            continue
        slope = np.zeros_like(weights)
        share = add_gradient(weights, boards, left, 0.3, 1.0, slope, sums, back)
        goal = int(position[rules.GOAL])
        assert goal + blue * share == pytest.approx(plain_value(position, weights), abs=1e-3)

        def loss(place: int, step: float, position=position, goal=goal, blue=blue) -> float:
            moved = weights.astype(np.float64)
            moved[place] += step
            chance = (plain_value(position, moved) - goal) / blue
            return -(0.3 * np.log(chance) + 0.7 * np.log(1 - chance))

        steep = np.argsort(-np.abs(slope))[:200]
        for place in [
            *numbers.choice(steep, 15, replace=False),
            *numbers.choice(PARAMETERS - 2, 5),
        ]:
            difference = (loss(place, 1e-5) - loss(place, -1e-5)) / 2e-5
            assert difference == pytest.approx(slope[place], abs=2e-4)


def test_adam_is_that_of_the_paper():
    weights, slopes = random_weights(6), random_weights(7)
    slopes[np.abs(slopes) < 1e-3] = 1e-3  # for smaller ones rounding counts
    expected, momentum, squares = weights.astype(np.float64), 0.0, 0.0
    rows = np.zeros((2, PARAMETERS), dtype=np.float32)
    for step in (1, 2, 3):
        slope = (step * slopes).astype(np.float32)
        momentum = 0.9 * momentum + 0.1 * slope.astype(np.float64)
        squares = 0.999 * squares + 0.001 * slope.astype(np.float64) ** 2
        mean, spread = momentum / (1 - 0.9**step), np.sqrt(squares / (1 - 0.999**step))
        expected -= 0.01 * mean / spread
        adam_step(weights, slope, rows[0], rows[1], 0.01, step)
        assert not slope.any()
    assert np.allclose(weights, expected, atol=1e-4)


def test_fitting_brings_values_to_their_targets():
    weights = random_weights(8)
    played = play_some(1, 0, 8, weights, NOBODY, SETTING)
    blue, goal = played.facts[:, 2], played.facts[:, 1]
    wanted = (goal + 0.25 * blue).astype(np.float32)
    rows = np.zeros((2, PARAMETERS), dtype=np.float32)
    order = np.arange(len(wanted))
    order = np.concatenate([order, -1 - order])
    arrays = (played.boards, played.facts, wanted)
    errors = [
        fit_positions(weights, *rows, 10 * turn, order, 16, 0.01, *arrays) for turn in range(15)
    ]
    assert errors[-1] < 0.1 < errors[0]


def test_games_do_not_depend_on_how_they_are_cut():
    weights = random_weights(9)
    together = play_some(4, 0, 6, weights, NOBODY, SETTING)
    parts = [play_some(4, first, 3, weights, NOBODY, SETTING) for first in (0, 3)]
    assert np.array_equal(together.boards, np.concatenate([part.boards for part in parts]))
    assert np.array_equal(together.targets, np.concatenate([part.targets for part in parts]))
    assert together.facts[:, 2].min() >= 0 and together.scores.max() <= rules.BLUE_UNITS


def test_looking_ahead_gives_targets_with_less_luck_in_them():
    weights = load_weights("axes-red")
    setting = SETTING._replace(
        red=settings.AXES_RED, tries=2, exploration=0.0, scattered=0.0, field_red=0.0, trace=1.0,
        expects=AXES_RED_ANSWERS,
    )  # fmt: skip
    plain = play_some(6, 0, 40, weights, NOBODY, setting)
    looking = play_some(6, 0, 40, weights, NOBODY, setting._replace(candidates=2))
    first = np.array([row[0] == rules.TURNS - 1 for row in looking.facts])
    played = looking.facts[:, 3] != settings.NOT_PLAYED
    assert 0.2 < 1 - played.mean() < 0.5  # about one more position for each turn of Blue
    begins = plain.targets[plain.facts[:, 0] == rules.TURNS - 1]
    assert looking.targets[first & played].std() < 0.5 * begins.std()
    assert abs(looking.targets[first & played].mean() - looking.scores.mean()) < 2.0
    others = looking.facts[~played]
    assert (others[:, 1] + others[:, 2] <= rules.BLUE_UNITS).all()
    assert (looking.targets[~played] >= others[:, 1] - 1e-3).all()


def test_learns(whole):
    folder, reported = whole
    assert [metrics["game"] for metrics in reported] == [199, 399, 599]
    assert "mean score" in TD_RECIPE.progress_line(reported[0])
    trained = np.array(load_newest(folder)[0].arrays["parameters"])
    alone = SETTING._replace(red=settings.AXES_RED, exploration=0.0, scattered=1.0)
    means = [
        play_some(5, 0, 200, weights, NOBODY, alone).scores.mean()
        for weights in (first_parameters(TINY), trained)
    ]
    assert means[1] > means[0] + 0.5


def test_goes_on_exactly_after_a_stop_and_with_more_threads(whole, tmp_path):
    folder, reported = whole
    assert run(tmp_path, stop_after=1) + run(tmp_path, threads=2) == reported
    assert_same_weights(folder, tmp_path)


def test_exports_weights_that_play(whole):
    folder, _ = whole
    assert "weights.safetensors" in export(folder)
    checkpoint, _ = load_newest(folder)
    assert checkpoint is not None
    exported = load_weights(str(folder / "weights.safetensors"))
    assert np.array_equal(exported, checkpoint.arrays["average"])


def test_one_side_can_learn_against_fixed_weights(tmp_path):
    config = dataclasses.replace(
        RED_RECIPE.presets["best-response"],
        games=40,
        generation=20,
        tries=1,
        batch=32,
        weights="early-red",
    )
    assert train(config, tmp_path, Control())
    assert not np.array_equal(load_newest(tmp_path)[0].arrays["average"], load_weights("early-red"))


def test_a_learner_of_both_sides_meets_a_pool_of_blues(tmp_path):
    pool = {"scripted": 0.3, "rival": "axes-red", "rival_share": 0.2, "older": 0.3}
    config = dataclasses.replace(TINY, games=120, generation=1, batch=8, **pool)
    assert train(config, tmp_path / "whole", Control(threads=2))
    reported: list[dict] = []
    assert not train(
        config,
        tmp_path / "cut",
        Control(report=reported.append, stopping=lambda: len(reported) > 90),
    )
    assert train(config, tmp_path / "cut", Control())
    assert_same_weights(tmp_path / "whole", tmp_path / "cut")
    assert load_newest(tmp_path / "cut")[0].counters["older_known"] == 3


def test_the_pool_is_drawn_by_its_shares():
    dice = Dice(3).array
    drawn = Counter(
        settings.draw_blue(settings.Pool(0.2, 0.1, 0.3), 4, dice) for _ in range(20_000)
    )
    shares = {
        settings.SIMPLE_BLUE: 0.1,
        settings.ONE_AXIS_BLUE: 0.1,
        0: 0.1,
        1: 0.1,
        2: 0.1,
        3: 0.1,
        settings.ITSELF: 0.4,
    }
    assert drawn.keys() == shares.keys()
    for player, share in shares.items():
        assert drawn[player] / 20_000 == pytest.approx(share, abs=0.01)


def test_scripts_move_as_the_agents_do():
    for script, name in (
        (settings.SIMPLE_BLUE, "simple-blue"),
        (settings.ONE_AXIS_BLUE, "one-axis-blue"),
    ):
        policy = make_agent(f"lucid/{name}").policy(make_game("lucid"))
        for number, position in enumerate(positions_after_moves(10, seed=3)):
            rules.mark_attackers(position)
            position[rules.MOVER] = rules.BLUE_SEAT
            memory = np.zeros(settings.SCRATCH, dtype=np.int64)
            actions = np.empty(64, dtype=np.int16)
            expected = np.array(position)
            policy.act(expected, Dice(number).array, memory.copy(), policy.constants, actions)
            settings.move_as_script(position, Dice(number).array, script, memory)
            assert np.array_equal(position, expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learner": "red", "opponent": "axes-red"}, "only Blue can learn"),
        ({"opponent": "champions"}, "plays itself"),
        ({"learner": "red"}, "who plays against red"),
        ({"learner": "blue", "opponent": "axes-red", "older": 0.1}, "for a learner of both sides"),
        ({"rival_share": 0.1}, "a rival needs weights and a share"),
        ({"learner": "red", "opponent": "nobody"}, "no weights 'nobody'"),
    ],
)
def test_configurations_that_make_no_sense(tmp_path, changes, message):
    with pytest.raises(SandtableError, match=message):
        train(dataclasses.replace(TINY, **changes), tmp_path, Control())
