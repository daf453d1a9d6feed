"""Other libraries' own judges on every game, variant and number of seats."""

from __future__ import annotations

import functools
import inspect
import unittest
from importlib.metadata import distribution
from types import SimpleNamespace

import pytest

from adapters.judged_games import JUDGED, SPECS, VALUES, legal_choice

pytest.importorskip("gymnasium", reason="Gymnasium is not installed (extra interop)")
pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (extra interop)")
pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")

import pyspiel
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec

from sandtable.adapters.gymnasium import single_seat_env
from sandtable.adapters.openspiel.our_games import openspiel_game, register
from sandtable.adapters.pettingzoo import SandtableParallel, aec_env, parallel_env
from sandtable.dice import Dice
from sandtable.errors import DISTRIBUTION
from sandtable.registry import GAMES, load, make_game

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # hints on style, not failures

FEW = 4  # streams of dice: enough for judges that walk through all of them
PICTURED = {
    (game.name, game.seats, game.board_shape): spec
    for spec, game in ((spec, make_game(spec)) for spec in JUDGED)
}.values()
every_variant = pytest.mark.parametrize("spec", JUDGED)


def test_no_game_and_no_option_is_left_out():
    ours = {point.name for point in distribution(DISTRIBUTION).entry_points if point.group == GAMES}
    assert set(VALUES) == ours
    for name, values in VALUES.items():
        assert set(values) == set(inspect.signature(load(GAMES, "game", name)).parameters)
    assert {len(make_game(spec).seats) for spec in JUDGED} == {2, 3, 4}


@every_variant
def test_pettingzoo_finds_no_fault_when_seats_act_in_turn(spec, capsys):
    api_test(aec_env(spec), num_cycles=4)
    seed_test(functools.partial(aec_env, spec), num_cycles=2)


@every_variant
def test_pettingzoo_finds_no_fault_when_all_seats_are_asked(spec, capsys):
    parallel_api_test(parallel_env(spec), num_cycles=4)
    parallel_seed_test(functools.partial(parallel_env, spec), num_cycles=2)


class LegalActions(Discrete):
    """Numbers of actions of which only legal ones are drawn, as masked learners would."""

    def __init__(self, env, agent):
        super().__init__(env.wait + 1)
        self.env, self.seat_drawn_for = env, env.possible_agents.index(agent)

    def sample(self, mask=None, probability=None):
        mask = self.env.observation(self.seat_drawn_for)["action_mask"]
        return legal_choice(mask, self.env.choices)


class DrawingLegalActions(SandtableParallel):
    """An environment for a judge that draws without asking for masks, and resets without a seed."""

    def __init__(self, spec, first_seed, max_cycles):
        super().__init__(make_game(spec), max_cycles=max_cycles)
        self.first_seed = first_seed

    def reset(self, seed=None, options=None):
        self.choices = Dice(self.first_seed, "choices")
        return super().reset(self.first_seed, options)

    def action_space(self, agent):
        return LegalActions(self, agent)


def lasts(spec: str, seed: int, steps: int) -> bool:
    """Say whether a game does not end by its rules before so many steps."""
    env = DrawingLegalActions(spec, seed, None)
    env.reset()
    for _ in range(steps):
        env.step({name: env.action_space(name).sample() for name in env.agents})
    return bool(env.agents)


@pytest.mark.parametrize("spec", [spec for spec in JUDGED if make_game(spec).max_actions > 4])
def test_pettingzoo_finds_that_games_are_cut_off_when_asked_to_be(spec):
    seed = next(seed for seed in range(20) if lasts(spec, seed, 4))

    def cut_off(max_cycles):
        return DrawingLegalActions(spec, seed, max_cycles)

    def in_turn(max_cycles):
        return parallel_to_aec(cut_off(max_cycles))

    max_cycles_test(SimpleNamespace(parallel_env=cut_off, env=in_turn))


@every_variant
def test_pettingzoo_likes_the_drawings(spec, capsys):
    """As text all of them; as pixels, which take long, one for each board and number of seats."""
    pytest.importorskip("PIL", reason="Pillow is not installed (extra interop)")
    pytest.importorskip("resvg_py", reason="resvg is not installed (extra png)")

    def drawn(render_mode):
        env = aec_env(spec, render_mode)
        if spec not in PICTURED:
            env.metadata = {**env.metadata, "render_modes": ["ansi", "human"]}
        return env

    render_test(drawn)
    assert capsys.readouterr().out  # the mode "human" prints


@every_variant
def test_gymnasium_finds_no_fault(spec):
    check_env(single_seat_env(spec), skip_render_check=True)


@every_variant
def test_stable_baselines_finds_no_fault(spec):
    judge = pytest.importorskip(
        "stable_baselines3.common.env_checker",
        reason="Stable-Baselines3 is not installed (extra examples)",
    )
    game = make_game(spec)
    seat = min(len(game.seats), game.max_actions) - 1  # the last one that acts
    judge.check_env(single_seat_env(game, seat=seat), warn=False)


@every_variant
def test_openspiel_finds_no_fault_in_whole_games(spec, capfd):
    register()
    game = openspiel_game(spec, streams=FEW)
    short = spec in SPECS or game.max_game_length() < 100  # every state is written down
    pyspiel.random_sim_test(game, num_sims=1, serialize=short, verbose=False)


@every_variant
def test_openspiel_finds_no_fault_in_many_states(spec, monkeypatch):
    judge = pytest.importorskip("open_spiel.integration_tests.api_test")
    sample = judge.sample_some_states.sample_some_states
    monkeypatch.setattr(
        judge.sample_some_states, "sample_some_states", lambda game, max_states: sample(game, 12)
    )
    facts = {"game": openspiel_game(spec, streams=FEW), "game_name": spec}
    case = type("Judged", (judge.EnforceAPIOnPartialTreeBase,), facts)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert [text for _, text in result.failures + result.errors] == []
