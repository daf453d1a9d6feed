"""Gymnasium environments, judged more strictly than by Gymnasium (see ``test_judges``)."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.judged_games import HIDDEN, JUDGED, illegal_choice, legal_choice

pytest.importorskip("gymnasium", reason="Gymnasium is not installed (extra interop)")

from gymnasium.wrappers.vector import RecordEpisodeStatistics

from sandtable.adapters.gymnasium import BatchVectorEnv, single_seat_env
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.registry import make_game


def trace(spec: str, seed: int, steps: int) -> list[bytes]:
    """Play legal actions against random ones and write down all that can be seen."""
    env, dice = single_seat_env(spec), Dice(1, "choices")
    observation, info = env.reset(seed=seed)
    seen = [observation.tobytes(), info["action_mask"].tobytes()]
    for _ in range(steps):
        observation, reward, over, cut, info = env.step(legal_choice(env.action_masks(), dice))
        seen += [observation.tobytes(), info["action_mask"].tobytes()]
        seen.append(repr((reward, over, cut)).encode())
        if over:
            break
    return seen


@pytest.mark.parametrize("spec", JUDGED)
def test_a_seed_decides_everything_and_another_seed_something_else(spec):
    game = make_game(spec)
    steps = 6 if game.chance else 60  # without dice only what the opponent chose can differ
    first = trace(spec, 7, steps)
    assert trace(spec, 7, steps) == first
    if game.chance or game.max_actions > 2:  # otherwise nothing is left to differ
        assert any(trace(spec, seed, steps) != first for seed in (8, 9, 10))


@pytest.mark.parametrize("spec", JUDGED)
def test_an_illegal_action_gets_the_lowest_score_and_breaks_nothing(spec):
    seat = min(2, make_game(spec).max_actions) - 1
    env = single_seat_env(spec, seat=seat)
    env.reset(seed=5)
    _, reward, over, cut, info = env.step(illegal_choice(env.action_masks()))
    assert reward == env.game.score_bounds[seat][0]
    assert over and not cut
    assert info["illegal_action_by"] == env.game.seats[seat]
    assert not env.action_masks().any()


@pytest.mark.parametrize("spec", HIDDEN)
def test_the_drawing_for_a_seat_does_not_show_what_is_hidden(spec):
    env = single_seat_env(spec, render_mode="ansi")
    env.reset(seed=11)
    drawn = env.render()
    session = env.episodes.session
    session.position[:] = session.view(env.seat).guess(Dice(4)).position
    assert env.render() == drawn


def test_opponents_must_fit_the_seats():
    with pytest.raises(SandtableError, match="1 seats are left for opponents, got 2"):
        single_seat_env("lucid", opponents=["random", "random"])
    with pytest.raises(WrongSeats, match="plays blue, not red"):
        single_seat_env("lucid", seat="blue", opponents="lucid/simple-blue")


def test_a_seat_that_never_acts_is_told_and_not_waited_for():
    env = single_seat_env("stratego:max_plies=1,variant=mini", seat="blue")
    with pytest.raises(SandtableError, match="in a row ended before blue could act"):
        env.reset(seed=1)


def test_agents_that_return_whole_turns_play_them_out():
    env, dice = single_seat_env("lucid", seat="red", opponents="lucid/simple-blue"), Dice(3)
    env.reset(seed=2)
    over = False
    while not over:
        _, reward, over, _, info = env.step(legal_choice(env.action_masks(), dice))
    assert "illegal_action_by" not in info
    assert -15.0 <= reward <= 0.0


def many_games(spec: str, seed: int) -> list[bytes]:
    """Step eight games with the first legal action of each and write everything down."""
    env = BatchVectorEnv(spec, 8)
    observations, info = env.reset(seed=seed)
    seen = []
    for _ in range(30):
        observations, rewards, over, _, info = env.step(info["action_mask"].argmax(axis=1))
        seen += [observations.tobytes(), rewards.tobytes(), over.tobytes(), info["seat"].tobytes()]
        assert "illegal" not in info
    return seen


@pytest.mark.parametrize("spec", JUDGED)
def test_many_games_at_once_follow_their_seed(spec):
    first = many_games(spec, 7)
    assert many_games(spec, 7) == first
    if make_game(spec).chance:
        assert many_games(spec, 8) != first


def test_a_wrapper_of_gymnasium_counts_the_games_that_end():
    env = RecordEpisodeStatistics(BatchVectorEnv("skirmish:max_turns=3", 4))
    _, info = env.reset(seed=1)
    lengths = []
    for _ in range(20):
        _, _, over, _, info = env.step(info["action_mask"].argmax(axis=1))
        lengths += info["episode"]["l"][over].tolist() if over.any() else []
    assert len(lengths) >= 4
    assert set(lengths) <= set(range(1, 7))


@pytest.mark.parametrize("spec", JUDGED)
def test_in_many_games_what_is_illegal_is_punished_replaced_and_told(spec):
    env = BatchVectorEnv(spec, 4)
    observations, info = env.reset(seed=1)
    assert observations.shape == (4, *env.game.plane_shape)
    assert np.array_equal(env.action_masks(), info["action_mask"])
    mask, movers = info["action_mask"], np.array(info["seat"])
    chosen = np.array([mask[0].argmax(), -1, 10**6, illegal_choice(mask[3])])
    _, rewards, _, _, info = env.step(chosen)
    assert info["illegal"].tolist() == [False, True, True, True]
    assert rewards[1:].tolist() == [env.game.score_bounds[seat][0] for seat in movers[1:]]


def test_many_games_begin_anew_and_hand_out_scores():
    env = BatchVectorEnv("skirmish:max_turns=3", 4)
    _, info = env.reset(seed=1)
    ended = 0
    for _ in range(20):
        _, rewards, over, _, info = env.step(info["action_mask"].argmax(axis=1))
        ended += int(over.sum())
        assert (rewards[~over] == 0.0).all()
        assert ("scores" in info) == bool(over.any())
    assert ended >= 4
