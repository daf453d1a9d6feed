"""A tiny run of the champion's training: it learns something, and goes on exactly."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.games.skirmish.agents.champion.evaluation import load_weights
from sandtable.games.skirmish.agents.champion.features import FEATURES
from sandtable.games.skirmish.learning.champion.recipe import (
    ChampionConfig,
    export,
    gradient,
    new_learner,
    train,
)
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.run import Control

TINY = ChampionConfig(games=60, generation=20, budget=12, levels=4, epochs=4, batch=64)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder, reported = tmp_path_factory.mktemp("whole"), []
    assert train(TINY, folder, Control(report=reported.append))
    return folder, reported


def test_learns(whole):
    _, reported = whole
    assert [metrics["game"] for metrics in reported] == [19, 39, 59]
    assert reported[-1]["loss"] < reported[0]["loss"] - 0.02


def test_exports_weights_that_play(whole):
    folder, _ = whole
    assert "champion.safetensors" in export(folder)
    checkpoint, _ = load_newest(folder)
    assert checkpoint is not None
    exported = load_weights(folder / "champion.safetensors")
    assert np.array_equal(exported, checkpoint.arrays["average"])


def test_the_number_of_threads_changes_nothing(whole, tmp_path):
    folder, _ = whole
    assert train(TINY, tmp_path, Control(jobs=3))
    alone, shared = (load_newest(each)[0] for each in (folder, tmp_path))
    assert alone is not None
    assert shared is not None
    assert np.array_equal(alone.arrays["average"], shared.arrays["average"])


def test_begins_with_the_weights_of_a_file(whole):
    folder, _ = whole
    export(folder)
    path = folder / "champion.safetensors"
    assert np.array_equal(new_learner(0, str(path)).parameters, load_weights(path))


def test_gradient_is_that_of_the_loss():
    numbers = np.random.default_rng(0)
    parameters = new_learner(1).parameters
    features = numbers.random((8, FEATURES), dtype=np.float32)
    targets = numbers.uniform(-1, 1, 8).astype(np.float32)
    _, slope = gradient(parameters, features, targets)
    for place in numbers.choice(len(parameters) - 2, 12, replace=False):
        step = np.zeros_like(parameters)
        step[place] = 1e-3
        above, _ = gradient(parameters + step, features, targets)
        below, _ = gradient(parameters - step, features, targets)
        assert (above - below) / 2e-3 == pytest.approx(slope[place], abs=1e-3)
