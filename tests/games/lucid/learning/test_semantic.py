"""Training the twelve networks of lucid/semantic from expert games."""

import dataclasses
import json

import numpy as np
import pytest

from games.lucid.agents.expert import expert_file
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, read_expert_games
from sandtable.games.lucid.agents.semantic.networks import (
    HIDDEN,
    PARAMETERS,
    forward,
    load_networks,
)
from sandtable.games.lucid.learning.semantic import back_propagation
from sandtable.games.lucid.learning.semantic import recipe as semantic
from sandtable.learning.recipes import load_recipe
from sandtable.learning.run import Control

QUICK = semantic.SemanticConfig(examples=3000)


@pytest.fixture
def database(tmp_path):
    return str(expert_file(tmp_path, games=6))


def test_back_propagation_goes_down_the_slope():
    numbers = np.random.Generator(np.random.PCG64(4))
    network, inputs = numbers.normal(size=PARAMETERS), numbers.uniform(size=20)
    hidden = np.empty(HIDDEN)

    def loss(weights):
        return -np.log(forward(weights, inputs, hidden))

    changed, rate = network.copy(), 1e-6
    back_propagation.learn_example(changed, inputs, 1.0, rate, hidden)
    slope = (network - changed) / rate
    for index in [0, 25, 500, 719, 720, 755, 756, 791, 792]:
        nudge = np.zeros(PARAMETERS)
        nudge[index] = 1e-5
        expected = (loss(network + nudge) - loss(network - nudge)) / 2e-5
        assert slope[index] == pytest.approx(expected, rel=1e-3, abs=1e-7)


def test_bundled_games_are_about_as_many_as_published():
    games = read_expert_games(BUNDLED_GAMES)
    examples = semantic.read_examples(games, "here")
    turns = sum(turn.seat == 0 for game in games for turn in game.turns)
    assert len(games) == 20
    assert 600 <= 2 * turns <= 700  # published: 632 entries, mirrored ones included
    assert 455 <= len(examples.features) <= 646  # the two published numbers
    assert examples.targets.shape[1] == 12


def test_bundled_networks_know_games_they_have_never_seen():
    examples = semantic.read_examples(read_expert_games(BUNDLED_GAMES), "here")  # trained on others
    networks = load_networks()
    shares = [
        back_propagation.accuracy(networks[index], examples.features, examples.targets[:, index])
        for index in range(len(CATEGORIES))
    ]
    assert np.mean(shares) >= 0.96 and min(shares) >= 0.92


def test_the_ceiling_is_what_equal_views_allow():
    features = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 3.0], [2.0, 2.0]])
    assert back_propagation.ceiling(features, np.array([1.0, 1.0, 0.0, 0.0, 1.0])) == 0.8
    assert back_propagation.ceiling(features, np.array([1.0, 1.0, 1.0, 0.0, 1.0])) == 1.0


def test_a_third_of_the_games_is_held_out():
    examples = semantic.read_examples(read_expert_games(BUNDLED_GAMES), "here")
    mask = semantic.held_out(examples, semantic.SemanticConfig())
    assert len(set(examples.games[mask])) == 7  # of 20
    assert not set(examples.games[mask]) & set(examples.games[~mask])
    assert (mask == semantic.held_out(examples, semantic.SemanticConfig())).all()
    assert (mask != semantic.held_out(examples, semantic.SemanticConfig(seed=1))).any()
    with pytest.raises(SandtableError, match="one game cannot be divided"):
        semantic.held_out(
            dataclasses.replace(examples, games=0 * examples.games), semantic.SemanticConfig()
        )


def test_a_run_learns_and_is_exported(tmp_path, database):
    reported = []
    config = dataclasses.replace(QUICK, database=database, examples=20_000)
    folder = tmp_path / "run"
    assert semantic.train(config, folder, Control(report=reported.append))
    assert [metrics["step"] for metrics in reported] == list(range(24))
    assert {metrics["category"] for metrics in reported} == set(CATEGORIES)
    line = semantic.export(folder)
    assert "held out" in line
    table = json.loads((folder / "accuracy.json").read_text())
    assert list(table) == list(CATEGORIES)
    assert np.mean([row["training_data"] for row in table.values()]) > 0.95
    assert load_networks(folder / "semantic.safetensors").shape == (12, PARAMETERS)
    recipe = load_recipe("lucid/semantic")
    assert recipe.length(config) == 24 and "of" in recipe.progress_line(reported[0])


def test_a_run_that_is_not_finished_is_not_exported(tmp_path, database):
    config = dataclasses.replace(QUICK, database=database)
    assert not semantic.train(config, tmp_path / "parts", Control(seconds=0.0))
    with pytest.raises(SandtableError, match="is not finished"):
        semantic.export(tmp_path / "parts")


def test_a_database_that_is_not_there(tmp_path):
    config = dataclasses.replace(QUICK, database="nowhere.jsonl")
    with pytest.raises(SandtableError, match=r"there is no file nowhere\.jsonl"):
        semantic.train(config, tmp_path / "run", Control())
    assert not (tmp_path / "run").exists()


def test_too_few_games_are_refused(tmp_path):
    path = str(expert_file(tmp_path, games=1))
    config = dataclasses.replace(QUICK, database=path)
    with pytest.raises(SandtableError, match=r"has 1 games with \d+ labelled .* at least 60"):
        semantic.train(config, tmp_path / "run", Control())
    with pytest.raises(SandtableError, match="there is no checkpoint"):
        semantic.export(tmp_path / "run")
