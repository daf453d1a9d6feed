"""Training: transitions, learning, and going on exactly where a run was broken off."""

from __future__ import annotations

import dataclasses
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout, rules
from sandtable.games.skirmish.agents.evaluations import SIMPLE, evaluate
from sandtable.games.skirmish.learning.dsl import games as games_module
from sandtable.games.skirmish.learning.dsl.config import DslConfig
from sandtable.games.skirmish.learning.dsl.games import (
    BOARDS,
    Replay,
    Round,
    rewards_on,
    score,
    watch,
)
from sandtable.games.skirmish.learning.dsl.learner import Learner, encode_all
from sandtable.games.skirmish.learning.dsl.recipe import train
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.config import check_config
from sandtable.learning.run import Control

TINY = DslConfig(
    budget=20, games=3, simple_games=1, simple_budget=40, max_turns=4, replay=12, batch=4
)
WATCHING = dataclasses.replace(
    TINY, games=1, watched_games=3, watched_budget=20, watched_steps=5, replay=200, mirror=True,
    final_learning_rate=0.0001, generated_levels=1,
)  # fmt: skip
CPU = Control(device="cpu")
WEIGHTS = np.array(SIMPLE)


@pytest.fixture(autouse=True)
def one_thread():
    """Keep torch from fighting with itself for the cores of a busy machine."""
    torch.set_num_threads(1)


def random_round(config, replay):
    """Play games of random moves through a round."""
    games = Round(config, 0, replay)
    games.set_up()
    dice = Dice(4)
    while True:
        running = [*games.waiting_for(learner=True), *games.waiting_for(learner=False)]
        if not running:
            return games
        moves = np.zeros(layout.ACTIONS, dtype=np.int16)
        count = rules.legal_moves(games.positions[running[0]], moves)
        games.play(running[0], int(moves[dice.below(count)]))


def test_transitions_of_the_thesis():
    replay = Replay(500)
    games = random_round(DslConfig(games=1, max_turns=30), replay)
    turns = int(games.lengths[0, layout.FIRST, layout.FIRST]) - 1
    assert replay.added == turns
    assert games.lengths[0, layout.SECOND].sum() == 0
    track = games.tracks[0, layout.FIRST, layout.FIRST]
    for index in range(turns):
        first, last = track[index], track[index + 1]
        assert first[layout.MOVER] == layout.FIRST
        over = last[layout.MOVER] == layout.OVER
        assert over == (index == turns - 1)
        np.testing.assert_array_equal(replay.arrays["first"][index], first[:BOARDS])
        np.testing.assert_array_equal(replay.arrays["last"][index], last[:BOARDS])
        assert replay.arrays["factor"][index] == (0.0 if over else 1.0)
        assert replay.arrays["gain"][index] == np.float32(evaluate(last, 0, WEIGHTS))
        if not over:
            assert last[layout.PLAYED] == first[layout.PLAYED] + 2


def test_rewards_of_several_moves_with_a_discount():
    config = DslConfig(
        games=1, max_turns=10, steps=3, discount=0.5, both_sides=True, win_reward=7, reward_scale=2
    )
    replay = Replay(500)
    games = random_round(config, replay)
    for seat in (0, 1):
        track = games.tracks[0, seat, seat, : games.lengths[0, seat, seat]]
        mine = np.flatnonzero(replay.arrays["seat"][: replay.added] == seat)
        assert len(mine) == len(track) - 1
        for place, index in enumerate(mine):
            rest = track[place + 1 : place + 4]
            rewards = [2 * evaluate(state, seat, WEIGHTS) for state in rest]
            over = rest[-1][layout.MOVER] == layout.OVER
            if over:
                rewards[-1] += 2 * 7 * score(rest[-1], seat)
            gain = sum(reward * 0.5**delay for delay, reward in enumerate(rewards))
            assert replay.arrays["gain"][index] == pytest.approx(gain)
            assert replay.arrays["factor"][index] == (0.0 if over else 0.125)


def test_states_before_the_moves_of_the_opponent():
    config = DslConfig(games=1, max_turns=10, both_sides=True, waiting_states=True)
    replay = Replay(500)
    games = random_round(config, replay)
    kinds = list(itertools.product((0, 1), (0, 1)))
    for seat, mover in kinds:
        track = games.tracks[0, seat, mover, : games.lengths[0, seat, mover]]
        assert set(track[:-1, layout.MOVER]) == {mover}
        assert track[-1, layout.MOVER] == layout.OVER
        own, other = track[:-1], games.tracks[0, 1 - seat, mover, : len(track) - 1]
        np.testing.assert_array_equal(own, other)  # the same states, seen by the other side
    assert replay.added == sum(games.lengths[0, seat, mover] - 1 for seat, mover in kinds)


def test_opponents_and_seats():
    games = Round(DslConfig(games=60, games_at_once=60, both_seats=True), 0, Replay(10))
    assert not any(games.is_self_play(index) for index in range(25))
    assert [games.is_self_play(index) for index in range(25, 31)] == [True, False] * 3
    combinations = {(games.is_self_play(i), games.learner_seat(i)) for i in range(25, 60)}
    assert combinations == set(itertools.product((True, False), (0, 1)))
    alone = Round(DslConfig(self_play_only=True), 0, Replay(10))
    assert alone.is_self_play(0)
    assert alone.learner_seat(0) == layout.FIRST


def test_the_copy_is_the_network_with_noise():
    learner = Learner(DslConfig(mutation=0.01), torch.device("cpu"))
    learner.begin_round(0)
    noise = (learner.copy.head.weight - learner.network.head.weight).detach()
    assert 0.0095 < float(noise.std()) < 0.0105
    assert torch.equal(learner.target.head.weight, learner.network.head.weight)


def test_it_learns_the_utility():
    config = DslConfig(
        games=600, games_at_once=600, max_turns=1, replay=2000, batch=32, discount=0.0,
        reward_scale=0.1, both_sides=True,
    )  # fmt: skip
    learner = Learner(config, torch.device("cpu"))
    random_round(config, learner.replay)
    losses = [float(learner.gradient_step()) for _ in range(100)]
    assert np.mean(losses[-10:]) < 0.5 * np.mean(losses[:10])
    unseen = Replay(200)
    random_round(dataclasses.replace(config, seed=9, games=100, games_at_once=100), unseen)
    boards, seats = unseen.arrays["first"], unseen.arrays["seat"]
    planes = np.empty((len(boards), 6, 8, 8), dtype=np.float32)
    encode_all(boards, seats, planes)
    learner.values.refresh()
    assert np.corrcoef(learner.values(planes), unseen.arrays["gain"])[0, 1] > 0.4


def weights(folder):
    """Return everything of the newest checkpoint but the clock."""
    checkpoint, _ = load_newest(folder)
    counters = {k: v for k, v in checkpoint.counters.items() if k != "seconds"}
    return counters, {name: array.tobytes() for name, array in checkpoint.arrays.items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    assert train(TINY, folder, CPU)
    return folder


def test_stopping_after_every_move_changes_nothing(undisturbed, tmp_path):
    def stop_at_once():
        return True

    stops = 0
    while not train(TINY, tmp_path, Control(device="cpu", stopping=stop_at_once)):
        stops += 1
    assert stops >= 8
    assert weights(tmp_path) == weights(undisturbed)
    lines = [path.joinpath("metrics.jsonl").read_text() for path in (tmp_path, undisturbed)]
    games = [[line.partition('"seconds"')[0] for line in text.splitlines()] for text in lines]
    assert games[0] == games[1]
    assert len(games[0]) == TINY.games


def test_games_of_others_come_first(tmp_path):
    stops = 0
    while not train(WATCHING, tmp_path / "a", Control(device="cpu", stopping=lambda: True)):
        stops += 1
    assert stops >= 8
    assert train(WATCHING, tmp_path / "b", CPU)
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    counters, _ = weights(tmp_path / "a")
    assert counters["added"] > 40
    assert counters["gradient_steps"] > 5


def test_games_side_by_side(tmp_path):
    config = dataclasses.replace(
        TINY, games=4, games_at_once=3, both_seats=True, both_sides=True, steps=2, exploration=0.5
    )
    reported = []
    assert train(config, tmp_path, dataclasses.replace(CPU, report=reported.append))
    assert sorted(metrics["game"] for metrics in reported) == [0, 1, 2, 3]


def test_there_must_be_a_level():
    with pytest.raises(SandtableError, match="nothing to train on"):
        check_config(dataclasses.replace(TINY, levels=" "))
    check_config(dataclasses.replace(TINY, levels="", generated_levels=1))


@pytest.mark.parametrize("kind", ["utility", "material", "change", "result"])
def test_rewards_of_every_kind(kind):
    config = DslConfig(games=1, max_turns=30, reward=kind, win_reward=20, reward_scale=0.5)
    check_config(config)
    games = random_round(config, Replay(500))
    track = games.tracks[0, 0, 0, : games.lengths[0, 0, 0]]
    worth = [evaluate(state, 0, WEIGHTS) for state in track]
    result = 20 * score(track[-1], 0)
    found = [2 * each for each in rewards_on(config, track, 0)]
    assert len(found) == len(track) - 1
    if kind == "change":
        assert sum(found) == pytest.approx(worth[-1] - worth[0] + result)
    elif kind == "result":
        assert found == [0.0] * (len(track) - 2) + [result]
    else:
        for state, value, reward in zip(track[1:-1], worth[1:-1], found, strict=False):
            enemies = (state[layout.UNITS : layout.UNITS + layout.SQUARES] < 0).sum()
            assert reward == pytest.approx(value * (1 + enemies if kind == "material" else 1))


def test_a_run_has_some_reward():
    with pytest.raises(SandtableError, match="no reward at all without --win-reward"):
        check_config(DslConfig(reward="result"))


@pytest.mark.parametrize(("watched", "evaluations"), [("simple", 1), ("both", 2)])
def test_the_yardstick_is_watched_only_if_asked_for(watched, evaluations, monkeypatch):
    seen = set()
    make_agent = games_module.make_agent
    monkeypatch.setattr(games_module, "make_agent", lambda spec: seen.add(spec) or make_agent(spec))
    config = dataclasses.replace(WATCHING, watched=watched, levels="1 2 3", watched_budget=5)
    with ThreadPoolExecutor(1) as threads:
        watch(config, Replay(2000), threads)
    assert len(seen) == evaluations
    assert any("constant" in spec for spec in seen) == (watched == "both")
