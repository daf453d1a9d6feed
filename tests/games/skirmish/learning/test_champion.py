"""A tiny run of the champion's training: it learns something, and goes on exactly."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from sandtable.errors import SandtableError
from sandtable.games.skirmish.agents.champion.features import FEATURES
from sandtable.games.skirmish.agents.champion.weights_file import load_weights
from sandtable.games.skirmish.learning.champion.recipe import (
    ChampionConfig,
    export,
    gradient,
    new_learner,
    train,
)
from sandtable.learning.checkpoints import NEWEST, load_newest
from sandtable.learning.recipes import Control

TINY = ChampionConfig(games=60, generation=20, budget=12, levels=4, epochs=4, batch=64)


def run(folder: Path, stop_after: int = 1_000_000) -> list[dict]:
    """Train until so many generations are done; return what was told."""
    told: list[dict] = []
    control = Control(tell=told.append, stopping=lambda: len(told) >= stop_after)
    assert train(TINY, folder, control) == (stop_after > 3)
    return told


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, run(folder)


def test_learns(whole):
    _, told = whole
    assert [facts["game"] for facts in told] == [19, 39, 59]
    assert told[-1]["loss"] < told[0]["loss"] - 0.02


def test_goes_on_exactly_after_a_stop(whole, tmp_path):
    folder, told = whole
    parts = run(tmp_path, stop_after=1) + run(tmp_path)
    assert parts == told
    one, _ = load_newest(folder)
    other, _ = load_newest(tmp_path)
    assert one is not None
    assert other is not None
    assert one.counters == other.counters
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        assert np.array_equal(array, other.arrays[name]), name


def test_exports_weights_that_play(whole):
    folder, _ = whole
    assert "champion.safetensors" in export(folder)
    checkpoint, _ = load_newest(folder)
    assert checkpoint is not None
    exported = load_weights(folder / "champion.safetensors")
    assert np.array_equal(exported, checkpoint.arrays["average"])


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


def test_another_configuration_or_a_damaged_checkpoint_is_refused(whole, tmp_path):
    folder, _ = whole
    with pytest.raises(SandtableError, match="another configuration"):
        train(dataclasses.replace(TINY, budget=13), folder, Control())
    with pytest.raises(SandtableError, match="cannot be changed"):
        train(dataclasses.replace(TINY, games=80), folder, Control())
    (tmp_path / NEWEST).write_bytes(b"no checkpoint")
    with pytest.raises(SandtableError, match="damaged"):
        train(TINY, tmp_path, Control())
    with pytest.raises(SandtableError, match="budget is at least 1"):
        train(dataclasses.replace(TINY, budget=0), tmp_path, Control())
