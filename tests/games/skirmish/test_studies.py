"""Studies of Deep-State Learning: what is played, how it is judged, and games side by side."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch

from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.games.skirmish import studies
from sandtable.games.skirmish.agents.dsl.agent import OnnxValues
from sandtable.games.skirmish.learning.dsl.config import SMALL, TINY
from sandtable.games.skirmish.learning.dsl.networks import export_onnx, new_network
from sandtable.games.skirmish.side_by_side import play_side_by_side
from sandtable.games.skirmish.studies import STUDIES, WON, figure, judged_plans
from sandtable.learning.config import check_config
from sandtable.reproduce.run import Settings
from sandtable.reproduce.studies import Measurement


def named(name):
    return next(study for study in STUDIES if study.name == name)


def shares(**kinds):
    """Return figures of kinds with two trainings each, and ten points of interval."""
    return {
        f"{name.replace('_', '-')}-{number}": [Measurement(WON, won, won - 5, won + 5, 150)]
        for name, both in kinds.items()
        for number, won in enumerate(both, start=1)
    }


def test_opponents_are_judged_by_interval_and_by_every_training():
    judge = named("opponents").judge
    better = judge(shares(mixed=(60, 64), self_play=(40, 44), simple=(50, 50)))
    assert better.verdict == "agrees"
    assert "+20.0 points (+12.9 to +27.1; by training 60 and 64 against 40 and 44" in better.words
    assert judge(shares(mixed=(41, 40), self_play=(60, 64), simple=(5, 5))).verdict == "contradicts"
    near = judge(shares(mixed=(50, 51), self_play=(47, 46), simple=(50, 50)))
    assert near.verdict == "cannot be told"
    mixed_up = judge(shares(mixed=(80, 40), self_play=(41, 41), simple=(50, 50)))
    assert mixed_up.verdict == "cannot be told"  # the other training was no better


def test_open_questions_are_answered_without_a_verdict_on_the_thesis():
    found = named("networks").judge(
        shares(author=(50, 50), quarters=(60, 60), transformer=(40, 40), perceptron=(50, 51))
    )
    assert found.verdict == "not applicable"
    assert "quarters against author: +10.0 points" in found.words


def test_variants_change_one_thing():
    for study in STUDIES:
        configs = {each.name: each.measure.args[1] for each in study.variants}
        for config in configs.values():
            check_config(config)
            assert config.budget == (SMALL if study.name == "opponents" else TINY).budget
    opponents = {each.name: each.measure.args[1] for each in named("opponents").variants}
    assert opponents["mixed-2"].seed == 1
    assert replace(opponents["self-play-1"], self_play_only=False) == opponents["mixed-1"]
    rewards = [each.measure.args[1] for each in named("rewards").variants]
    assert {replace(each, reward="utility", win_reward=20.0, seed=0) for each in rewards} == {TINY}
    assert SMALL.watched == TINY.watched == "simple"  # the constant opponent is the yardstick alone


def test_a_configuration_of_two_studies_is_tried_once(monkeypatch):
    """The usual network, reward and watching are one training, whichever study asks first."""
    tried = []

    def train(config, label, report):
        tried.append(config)
        return torch.nn.Linear(1, 1)

    monkeypatch.setattr(studies, "TRIED", {})
    monkeypatch.setattr(studies, "trained_network", train)
    monkeypatch.setattr(studies, "values_of", lambda network: None)
    monkeypatch.setattr(studies, "play_side_by_side", lambda *arguments: [(0, True)])
    settings = Settings(games=4)
    kinds = {"networks": "author-1", "rewards": "utility-win-1", "watching": "simple-1"}
    found = []
    for study, name in kinds.items():
        variant = next(each for each in named(study).variants if each.name == name)
        found.append(variant.measure(settings, lambda *words: nullcontext(lambda count: None)))
    assert tried == [TINY]
    assert found[0] == found[1] == found[2]
    variant.measure(Settings(games=6), lambda *words: nullcontext(lambda count: None))
    assert len(tried) == 2  # other games are other figures


def test_networks_meet_every_budget_from_both_sides():
    plans = judged_plans(0, 8)
    assert len(plans) == 16
    opponents = Counter(plan.agents[1 - number % 2] for number, plan in enumerate(plans))
    assert set(opponents.values()) == {4}
    assert all(plan.agents[number % 2] == "random" for number, plan in enumerate(plans))
    assert "passes=second" in plans[0].game


def test_a_level_is_one_draw():
    won = np.zeros((20, 2))
    won[:10] = 1.0
    found = figure(won)
    assert (found.value, found.count) == (50.0, 40)
    assert found.high - found.low > 38  # as from 20 draws; from 40 it would be 32


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    torch.set_num_threads(1)
    path = tmp_path_factory.mktemp("weights") / "weights.onnx"
    export_onnx(new_network(3, "author"), path, {})
    return path


def test_games_side_by_side_are_those_of_the_agent(weights):
    agent = f"skirmish/dsl:budget=60,weights={weights}"
    plans = []
    for level in ("1", "random-3"):
        for seat in (0, 1):
            agents = [agent, "alphabeta:budget=40,evaluation=constant,ordering=published"]
            game = f"skirmish:level={level},both_empty=second,passes={('second', 'first')[seat]}"
            plans.append(make_plan(game, agents[:: 1 - 2 * seat], 1, 0))
    seats = [0, 1, 0, 1]
    found = dict(play_side_by_side(plans, seats, 60, OnnxValues(weights), leaves=8))
    expected = [
        play_match(plan).seats[seat].score.mean > 0 for plan, seat in zip(plans, seats, strict=True)
    ]
    assert [found[number] for number in range(4)] == expected
