"""The loop of Operation Lucid's champions: its stages, its pool, and how it goes on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.champion import lookahead
from sandtable.games.lucid.agents.evaluator.network import PARAMETERS, load_weights
from sandtable.games.lucid.learning.td import settings
from sandtable.games.lucid.learning.td.games import play_some
from sandtable.games.lucid.learning.td.loop import (
    BUNDLED_POOL,
    CHAMPIONS_RECIPE,
    ChampionsConfig,
    LoopState,
    stages_of,
    train,
)
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.run import Control

TINY = ChampionsConfig(
    rounds=2,
    first_games=12,
    pair_games=6,
    response_games=6,
    last_games=6,
    last_tries=2,
    last_candidates=2,
    generation=3,
    tries=1,
    candidates=1,
    batch=16,
)


def run(folder: Path, stop_after: int = 1_000_000, threads: int = 1) -> list[dict]:
    """Train until so many generations are done; return what was reported."""
    reported: list[dict] = []
    control = Control(
        report=reported.append, stopping=lambda: len(reported) >= stop_after, threads=threads
    )
    assert train(TINY, folder, control) == (stop_after > 1000)
    return reported


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, run(folder)


def test_stages_follow_each_other_and_responses_join_the_pool(whole):
    folder, reported = whole
    names = list(dict.fromkeys(metrics["stage"] for metrics in reported))
    assert names == ["pair 1", "blue response 1", "red response 1", "pair 2", "last pair"]
    assert [metrics["game"] for metrics in reported] == list(range(2, 36, 3))
    assert CHAMPIONS_RECIPE.length(TINY) == 36
    checkpoint, _ = load_newest(folder)
    assert checkpoint.counters["responses"] == 2
    responses = checkpoint.arrays["responses"]
    assert responses[:2].any(axis=1).all()
    assert not responses[2:].any()
    assert not np.array_equal(responses[0], responses[1])


def test_the_pool_of_a_pair_and_the_opponent_of_a_response():
    state = LoopState(TINY)
    pair, blue_response = stages_of(TINY)[:2]
    assert state.networks(pair).shape == (len(BUNDLED_POOL), PARAMETERS)
    state.rows.parameters += 1
    state.rows.average += 1
    state.remember_self()
    state.end_stage(pair)
    assert np.array_equal(state.networks(blue_response), state.pair[np.newaxis])
    assert np.array_equal(state.rows.parameters, state.pair)
    state.rows.average += 1
    state.end_stage(blue_response)
    pool = state.networks(pair)
    assert len(pool) == len(BUNDLED_POOL) + 2
    assert np.array_equal(pool[-2] + 1, pool[-1])  # the former self, and the response to it


def test_goes_on_exactly_after_stops_and_with_more_threads(whole, tmp_path):
    folder, reported = whole
    parts = run(tmp_path, 3) + run(tmp_path, 4, threads=2) + run(tmp_path)
    assert parts == reported
    one, other = load_newest(folder)[0], load_newest(tmp_path)[0]
    assert one.counters == other.counters
    for name, array in one.arrays.items():
        assert np.array_equal(array, other.arrays[name]), name


def test_exports_the_pair_and_every_response(whole):
    folder, _ = whole
    assert "2 responses" in CHAMPIONS_RECIPE.export(folder)
    arrays = load_newest(folder)[0].arrays
    assert np.array_equal(load_weights(str(folder / "weights.safetensors")), arrays["pair"])
    for number, side in enumerate(("blue", "red")):
        found = load_weights(str(folder / f"{side}-response-1.safetensors"))
        assert np.array_equal(found, arrays["responses"][number])


def test_exports_the_pair_of_the_stage_under_way(tmp_path):
    run(tmp_path, 2)
    CHAMPIONS_RECIPE.export(tmp_path)
    arrays = load_newest(tmp_path)[0].arrays
    exported = load_weights(str(tmp_path / "weights.safetensors"))
    assert np.array_equal(exported, arrays["average"])
    assert not np.array_equal(exported, arrays["pair"])


def test_players_are_drawn_by_the_share_of_the_pool():
    dice, pool = Dice(3).array, settings.Pool(0.0, 0.0, 0.0, 0.6)
    drawn = Counter(settings.draw_players(pool, 2, dice) for _ in range(20_000))
    own = settings.ITSELF
    shares = {(own, own): 0.4, (own, settings.AXES_RED): 0.1}
    shares |= {(own, network): 0.1 for network in (0, 1)}
    blues = (0, 1, settings.SIMPLE_BLUE, settings.ONE_AXIS_BLUE)
    shares |= {(blue, own): 0.075 for blue in blues}
    assert drawn.keys() == shares.keys()
    for players, share in shares.items():
        assert drawn[players] / 20_000 == pytest.approx(share, abs=0.01)


def test_turns_of_others_say_nothing_about_best_answers():
    """However badly Red plays on: what Blue's turns are worth is learnt from the own network."""
    weights = load_weights("early-red")
    networks = np.stack([-weights])  # plays what it likes least
    setting = settings.Setting(
        blue=settings.ITSELF, red=0, pool=settings.Pool(0.0, 0.0, 0.0), tries=2,
        candidates=0, reply_tries=1, margin=1.0, exploration=0.0, scattered=0.0,
        field_red=0.0, trace=1.0,
    )  # fmt: skip
    targets = {}
    for best_answers in (False, True):
        played = play_some(3, 0, 30, weights, networks, setting._replace(best_answers=best_answers))
        others = played.facts[:, settings.HOW] == settings.DISTURBED
        assert others.any() == best_answers
        first = played.facts[:, settings.TURNS_AFTER] == 35
        played_first = first & (played.facts[:, settings.HOW] == settings.AS_MEANT)
        targets[best_answers] = played.targets[played_first].mean()
    assert targets[False] > targets[True] + 1.0


def test_an_answer_by_a_model_is_what_that_network_would_play():
    """Red's answer is valued by the own network; a model like oneself expects the best one."""
    from games.lucid.agents.test_evaluator import positions_after_moves

    own, other = load_weights("early-red"), load_weights("td")
    alike = lookahead.new_lookahead(own, 1, own)
    different = lookahead.new_lookahead(own, 1, other)
    gaps = []
    for number, position in enumerate(positions_after_moves(8, seed=2)):
        values = []
        for look, expects in (
            (alike, lookahead.BEST_ANSWERS),
            (alike, lookahead.MODEL_OF_RED),
            (different, lookahead.MODEL_OF_RED),
            (different, lookahead.MODEL_OF_BLUE),
        ):
            look.after[:] = position
            values.append(lookahead.value_ahead(look, Dice(number).array, 3, expects))
        best, same, red, blue = values
        assert same == pytest.approx(best, abs=1e-3)
        gaps.append((red - best, blue - best))
    assert np.mean(gaps, axis=0)[0] > 0 > np.mean(gaps, axis=0)[1]  # both do worse than the best


def test_what_makes_no_sense_is_told(tmp_path):
    with pytest.raises(SandtableError, match="rounds is from 1"):
        train(ChampionsConfig(rounds=0), tmp_path, Control())
    with pytest.raises(SandtableError, match="no weights 'nobody'"):
        train(ChampionsConfig(weights="nobody"), tmp_path, Control())
