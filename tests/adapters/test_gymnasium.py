"""Gymnasium's own judge, and stricter ones: seeds, illegal actions, many games at once."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.judged_games import HIDDEN, SPECS, illegal_choice, legal_choice

pytest.importorskip("gymnasium", reason="Gymnasium is not installed (extra interop)")

from gymnasium.utils.env_checker import check_env

from sandtable.adapters.gymnasium import BatchVectorEnv, single_seat_env
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.registry import make_game


def trace(spec: str, seed: int, steps: int = 25) -> list[bytes]:
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


@pytest.mark.filterwarnings("ignore::UserWarning")  # hints on style, not failures
@pytest.mark.parametrize("spec", SPECS)
def test_gymnasium_finds_no_fault(spec):
    check_env(single_seat_env(spec), skip_render_check=True)


@pytest.mark.parametrize("spec", SPECS)
def test_a_seed_decides_everything_and_another_seed_something_else(spec):
    first = trace(spec, 7)
    assert trace(spec, 7) == first
    assert trace(spec, 8) != first


@pytest.mark.parametrize("spec", SPECS)
def test_an_illegal_action_gets_the_lowest_score_and_breaks_nothing(spec):
    env = single_seat_env(spec, seat=1)
    env.reset(seed=5)
    _, reward, over, cut, info = env.step(illegal_choice(env.action_masks()))
    assert reward == env.game.score_bounds[1][0]
    assert over and not cut
    assert info["illegal_action_by"] == env.game.seats[1]
    assert not env.action_masks().any()


@pytest.mark.parametrize("spec", HIDDEN)
def test_the_drawing_for_a_seat_does_not_show_what_is_hidden(spec):
    env = single_seat_env(spec, render_mode="ansi")
    env.reset(seed=11)
    drawn = env.render()
    env.table.state = env.table.now.view(env.seat).guess(Dice(4))
    assert env.render() == drawn


def test_opponents_must_fit_the_seats():
    with pytest.raises(SandtableError, match="1 seats are left for opponents, got 2"):
        single_seat_env("lucid", opponents=["random", "random"])
    with pytest.raises(WrongSeats, match="plays blue, not red"):
        single_seat_env("lucid", seat="blue", opponents="lucid/simple-blue")


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


@pytest.mark.parametrize("spec", SPECS)
def test_many_games_at_once_follow_their_seed(spec):
    first = many_games(spec, 7)
    assert many_games(spec, 7) == first
    if make_game(spec).chance:
        assert many_games(spec, 8) != first


def test_in_many_games_what_is_illegal_is_replaced_and_told():
    env = BatchVectorEnv("lucid", 4)
    observations, info = env.reset(seed=1)
    assert observations.shape == (4, *env.game.plane_shape)
    legal = info["action_mask"].argmax(axis=1)
    _, _, _, _, info = env.step(
        np.array([legal[0], -1, 10**6, illegal_choice(info["action_mask"][3])])
    )
    assert info["illegal"].tolist() == [False, True, True, True]


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
