"""PettingZoo environments, judged more strictly than by PettingZoo (see ``test_judges``)."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.judged_games import HIDDEN, JUDGED, SPECS, illegal_choice, legal_choice

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (extra interop)")

from sandtable.adapters.pettingzoo import aec_env, parallel_env
from sandtable.dice import Dice
from sandtable.registry import make_game

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # hints on style, not failures


def trace(spec: str, seed: int, plies: int) -> list[bytes]:
    """Play legal actions and write down all that anybody could see of it."""
    env, dice, seen = aec_env(spec), Dice(1, "choices"), []
    env.reset(seed=seed)
    for name in env.agent_iter(plies):
        observation, reward, ended, cut, _ = env.last()
        seen += [observation["observation"].tobytes(), observation["action_mask"].tobytes()]
        seen.append(repr((name, reward, ended, cut)).encode())
        env.step(None if ended or cut else legal_choice(observation["action_mask"], dice))
    return seen


@pytest.mark.parametrize("spec", JUDGED)
def test_a_seed_decides_everything_and_another_seed_something_else(spec):
    plies = 150 if spec in SPECS else 20
    first = trace(spec, 7, plies)
    assert trace(spec, 7, plies) == first
    if make_game(spec).chance:
        assert any(trace(spec, seed, plies) != first for seed in (8, 9, 10))


def parallel_trace(spec: str, seed: int) -> list[bytes]:
    """Ask all seats at once, and write down all that anybody could see of it."""
    env, dice, seen = parallel_env(spec), Dice(1, "choices"), []
    told, infos = env.reset(seed=seed)
    for _ in range(12):
        for name, each in told.items():
            seen += [name.encode(), each["observation"].tobytes(), each["action_mask"].tobytes()]
        if not env.agents:
            break
        chosen = {name: legal_choice(told[name]["action_mask"], dice) for name in env.agents}
        told, rewards, ended, cut, infos = env.step(chosen)
        seen.append(repr((rewards, ended, cut, infos)).encode())
    return seen


@pytest.mark.parametrize("spec", JUDGED)
def test_a_seed_decides_everything_also_when_all_seats_are_asked(spec):
    first = parallel_trace(spec, 7)
    assert parallel_trace(spec, 7) == first
    if make_game(spec).chance:
        assert any(parallel_trace(spec, seed) != first for seed in (8, 9, 10))


@pytest.mark.parametrize("spec", SPECS)
def test_the_next_game_of_a_seed_differs_but_comes_again(spec):
    def second_game() -> bytes:
        env = aec_env(spec)
        env.reset(seed=3)
        env.reset()
        return env.episodes.session.dice.array.tobytes() + env.episodes.session.position.tobytes()

    assert second_game() == second_game()


@pytest.mark.parametrize("nonsense", ["masked", -1, 10**9, 0.5, None])
@pytest.mark.parametrize("spec", JUDGED)
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


def test_both_kinds_are_cut_off_after_so_many_actions():
    env = aec_env("lucid", max_cycles=3)
    env.reset(seed=5)
    for _ in range(3):
        assert not any(env.truncations.values())
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert env.truncations == {"blue": True, "red": True}
    assert not any(env.terminations.values())
    assert env.rewards == {"blue": 0.0, "red": 0.0}
    all_at_once = parallel_env("lucid", max_cycles=1)
    seen, _ = all_at_once.reset(seed=5)
    chosen = {name: int(each["action_mask"].argmax()) for name, each in seen.items()}
    _, _, ended, cut, _ = all_at_once.step(chosen)
    assert (ended, cut) == ({"blue": False, "red": False}, {"blue": True, "red": True})
    assert all_at_once.agents == []


@pytest.mark.parametrize("spec", HIDDEN)
def test_what_a_seat_sees_does_not_depend_on_what_is_hidden(spec):
    env, dice = aec_env(spec), Dice(2, "choices")
    env.reset(seed=11)
    changed = 0
    for _ in range(12):
        seat = env.episodes.turn
        name = env.possible_agents[seat]
        session = env.episodes.session
        truth, seen = session.state, env.observe(name)
        session.position[:] = truth.view(seat).guess(dice).position
        changed += not np.array_equal(truth.position, session.position)
        for key, value in env.observe(name).items():
            np.testing.assert_array_equal(value, seen[key])
        session.position[:] = truth.position
        env.step(legal_choice(seen["action_mask"], dice))
    assert changed > 0  # the guesses did change something
