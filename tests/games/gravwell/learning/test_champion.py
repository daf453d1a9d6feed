"""A tiny run of the training of Gravwell's champion: it learns something, and goes on exactly."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from sandtable.dice import stream_key
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.champion.network import (
    END,
    FIRST_BIAS,
    HIDDEN,
    PARAMETERS,
    STOPPING,
    load_weights,
    weights_named,
)
from sandtable.games.gravwell.layout import NOTHING
from sandtable.games.gravwell.learning.champion.fitting import new_learner, slope_of, write_stopping
from sandtable.games.gravwell.learning.champion.games import (
    new_samples,
    new_stops,
    play_generation,
    set_targets,
)
from sandtable.games.gravwell.learning.champion.recipe import GravwellChampionConfig, export, train
from sandtable.games.gravwell.learning.champion.schools import usual_schools
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.config import check_config
from sandtable.learning.run import Control

TINY = GravwellChampionConfig(
    games=150, generation=50, samples=2, passes=2, batch=64, learning_rate=0.003
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder, reported = tmp_path_factory.mktemp("whole"), []
    assert train(TINY, folder, Control(report=reported.append))
    return folder, reported


def test_learns(whole):
    _, reported = whole
    assert [metrics["game"] for metrics in reported] == [49, 99, 149]
    assert reported[-1]["loss"] < math.log(2) - 0.01  # of a coin


def test_begins_with_known_weights_and_new_units_that_lead_nowhere_yet():
    known, begun = load_weights(weights_named("first")), new_learner(3, "first")
    rows = begun.parameters[:FIRST_BIAS].reshape(-1, HIDDEN)
    assert np.array_equal(begun.parameters[FIRST_BIAS:], known[FIRST_BIAS:])
    assert rows.any(axis=0).all()
    assert (known[:FIRST_BIAS].reshape(-1, HIDDEN).any(axis=0)).sum() == HIDDEN // 2
    assert np.array_equal(begun.average, begun.parameters)


def test_exports_weights_that_play(whole):
    folder, _ = whole
    assert "champion.safetensors" in export(folder)
    checkpoint, _ = load_newest(folder)
    exported = load_weights(folder / "champion.safetensors")
    assert np.array_equal(exported, checkpoint.arrays["average"])


@pytest.fixture(scope="module")
def played():
    """Views of four games with new networks."""
    samples, parameters = new_samples(4), new_learner(1).average
    key = np.uint64(stream_key(1, "test"))
    totals, stops = np.zeros(4), new_stops()
    play = dataclasses.replace(TINY, trace=1.0).play
    kept = play_generation(
        0, 4, key, play, parameters, parameters, usual_schools(), samples, 0, stops, totals
    )
    return samples, kept, stops


def test_what_is_kept_of_games(played):
    samples, kept, stops = played
    assert 0 < kept <= 4 * 240
    targets = samples.targets[:kept]
    assert set(targets.tolist()) <= {0.0, 1.0, 0.25, np.float32(1 / 3), 0.5}
    chosen = samples.chosen[:kept]
    choices = chosen[chosen != NOTHING]
    held = samples.held[:kept][chosen != NOTHING]
    assert len(choices) > 100
    assert all(int(hand) >> int(card) & 1 for hand, card in zip(held, choices, strict=True))
    assert (stops[:, :, 1] <= stops[:, :, 0]).all()
    learner = new_learner(0)
    write_stopping(learner, stops)
    assert np.array_equal(learner.parameters[STOPPING:END], learner.average[STOPPING:END])
    assert ((learner.average[STOPPING:END] > 0) & (learner.average[STOPPING:END] < 1)).all()


def test_targets_carry_the_result_back_through_the_values():
    samples = new_samples(1)
    samples.seats[:5] = [0, 1, 0, 1, 0]
    samples.values[:5] = [0.1, 0.2, 0.3, 0.4, 0.5]
    set_targets(samples, 0, 5, np.array([1.0, 0.0, 0.0, 0.0]), 0.9)
    before_last = 0.9 * 1.0 + 0.1 * 0.5
    first = 0.9 * before_last + 0.1 * 0.3
    assert samples.targets[:5].tolist() == pytest.approx([first, 0.04, before_last, 0.0, 1.0])


def test_slope_is_that_of_the_loss(played):
    samples, kept, _ = played
    views = np.flatnonzero(samples.chosen[:kept] != NOTHING)[:12]
    learner = new_learner(1)
    slope = np.empty(PARAMETERS, dtype=np.float32)

    def loss(parameters):
        losses = np.zeros(3)
        slope_of(parameters.astype(np.float32), slope, samples, views, losses)
        return (losses[0] + losses[1]) / len(views)

    loss(learner.parameters)
    found = slope.copy()
    steep = np.argsort(-np.abs(found))
    places = itertools.chain(steep[:10], steep[50:400:50])
    for place in places:
        step = np.zeros(PARAMETERS)
        step[place] = 2e-3
        measured = (loss(learner.parameters + step) - loss(learner.parameters - step)) / 4e-3
        assert measured == pytest.approx(found[place], rel=0.05, abs=2e-3)


def test_a_response_learns_in_one_seat_only():
    """Its rivals' views are not kept; with the rivals' own weights it wins about its part."""
    samples, parameters = new_samples(20), load_weights()
    key, totals = np.uint64(stream_key(1, "response test")), np.zeros(4)
    play = dataclasses.replace(TINY, rivals="champion", two_players=1.0, three_players=0.0).play
    stops = new_stops()
    kept = play_generation(
        0, 20, key, play, parameters, parameters, usual_schools(), samples, 0, stops, totals
    )
    assert kept <= 20 * 60
    assert totals[0] == 20
    assert 0 < totals[1] < 20


def test_a_champion_alone_among_other_schools():
    samples, parameters = new_samples(20), load_weights()
    key, totals = np.uint64(stream_key(1, "schools test")), np.zeros(4)
    play = dataclasses.replace(TINY, schools=1.0).play
    stops = new_stops()
    kept = play_generation(
        0, 20, key, play, parameters, parameters, usual_schools(), samples, 0, stops, totals
    )
    assert kept <= 20 * 60
    assert totals[0] == 20
    assert totals[1] > 5  # of 20; even would be fewer than seven


def test_more_games_for_few_players_than_games_are_refused():
    with pytest.raises(SandtableError, match="--two-players and --three-players are together"):
        check_config(dataclasses.replace(TINY, two_players=0.7, three_players=0.6))
