"""PettingZoo's own judges, and stricter ones: seeds, illegal actions, hidden information."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from adapters.judged_games import HIDDEN, SPECS, illegal_choice, legal_choice

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (extra interop)")

from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from sandtable.adapters.pettingzoo import aec_env, parallel_env
from sandtable.dice import Dice
from sandtable.registry import make_game

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # hints on style, not failures


def trace(spec: str, seed: int, plies: int = 150) -> list[bytes]:
    """Play legal actions and write down all that anybody could see of it."""
    env, dice, seen = aec_env(spec), Dice(1, "choices"), []
    env.reset(seed=seed)
    for name in env.agent_iter(plies):
        observation, reward, ended, cut, _ = env.last()
        seen += [observation["observation"].tobytes(), observation["action_mask"].tobytes()]
        seen.append(repr((name, reward, ended, cut)).encode())
        env.step(None if ended or cut else legal_choice(observation["action_mask"], dice))
    return seen


@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoo_finds_no_fault_when_seats_act_in_turn(spec, capsys):
    api_test(aec_env(spec), num_cycles=20)
    seed_test(functools.partial(aec_env, spec), num_cycles=5)


@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoo_finds_no_fault_when_all_seats_are_asked(spec, capsys):
    parallel_api_test(parallel_env(spec), num_cycles=20)
    parallel_seed_test(functools.partial(parallel_env, spec), num_cycles=5)


def test_pettingzoo_likes_the_drawings(capsys):
    pytest.importorskip("PIL", reason="Pillow is not installed (extra interop)")
    pytest.importorskip("resvg_py", reason="resvg is not installed (extra png)")
    render_test(functools.partial(aec_env, "lucid"))
    assert capsys.readouterr().out  # the mode "human" prints


@pytest.mark.parametrize("spec", SPECS)
def test_a_seed_decides_everything_and_another_seed_something_else(spec):
    first = trace(spec, 7)
    assert trace(spec, 7) == first
    if make_game(spec).chance:
        assert trace(spec, 8) != first


@pytest.mark.parametrize("spec", SPECS)
def test_the_next_game_of_a_seed_differs_but_comes_again(spec):
    def second_game() -> bytes:
        env = aec_env(spec)
        env.reset(seed=3)
        env.reset()
        return env.table.dice.array.tobytes() + env.table.now.position.tobytes()

    assert second_game() == second_game()


@pytest.mark.parametrize("nonsense", ["masked", -1, 10**9, 0.5, None])
@pytest.mark.parametrize("spec", SPECS)
def test_an_illegal_action_loses_and_breaks_nothing(spec, nonsense):
    env = aec_env(spec)
    env.reset(seed=5)
    offender = env.agent_selection
    mask = env.observe(offender)["action_mask"]
    env.step(illegal_choice(mask) if nonsense == "masked" else nonsense)
    bounds = dict(zip(env.possible_agents, env.game.score_bounds, strict=True))
    for name in env.possible_agents:
        low, high = bounds[name]
        assert env.terminations[name]
        assert env.rewards[name] == (low if name == offender else high)
        assert env.infos[name] == {"illegal_action_by": offender}
    while env.agents:
        env.step(None)


def test_who_is_to_act_may_not_wait_when_all_are_asked():
    env = parallel_env("lucid")
    seen, _ = env.reset(seed=5)
    assert [seen[name]["action_mask"][env.wait] for name in ("blue", "red")] == [0, 1]
    _, rewards, ended, _, infos = env.step({"blue": env.wait, "red": env.wait})
    assert rewards == {"blue": 0.0, "red": 0.0}  # Blue's lowest score, and Red's highest
    assert ended == {"blue": True, "red": True}
    assert infos["red"] == {"illegal_action_by": "blue"}
    assert env.agents == []


@pytest.mark.parametrize("spec", HIDDEN)
def test_what_a_seat_sees_does_not_depend_on_what_is_hidden(spec):
    env, dice = aec_env(spec), Dice(2, "choices")
    env.reset(seed=11)
    changed = 0
    for _ in range(12):
        seat = env.table.turn
        name = env.possible_agents[seat]
        truth, seen = env.table.now, env.observe(name)
        env.table.state = truth.view(seat).guess(dice)
        changed += not np.array_equal(truth.position, env.table.now.position)
        for key, value in env.observe(name).items():
            np.testing.assert_array_equal(value, seen[key])
        env.table.state = truth
        env.step(legal_choice(seen["action_mask"], dice))
    assert changed > 0  # the guesses did change something
