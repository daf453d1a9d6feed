"""Weights of strangers: their graphs run in the sandbox, with a clock and a bound on memory."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from league.leagues import HERE, Fixture
from league.networks import network
from sandtable.arena.play.game_loop import play_game
from sandtable.dice import Dice
from sandtable.errors import Forfeit, StopGame
from sandtable.league.games import played_deals
from sandtable.league.sandbox import networks
from sandtable.league.sandbox.networks import GraphFailed, GuardedWeights, SandboxedNetwork
from sandtable.league.sandbox.programs import SandboxLimits, sandbox_problem
from sandtable.registry import make_agent, make_game

needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=sandbox_problem() or "there")
GAME = make_game("skirmish")
LIMITS = SandboxLimits(memory=512)


def weights(folder, loop=""):
    path = folder / "weights.onnx"
    path.write_bytes(network(GAME, loop))
    return path


def guarded(path, seconds=20.0):
    return GuardedWeights(lambda: make_agent(f"network:weights={path}"), LIMITS, seconds)


def played(agent, seed=3):
    agents = [agent, make_agent("random")]
    return play_game(GAME, agents, specs=["mine", "random"], seed=seed, number=0).record


@needs_sandbox
def test_a_network_in_the_sandbox_plays_as_it_does_here(tmp_path):
    path = weights(tmp_path)
    agent = guarded(path)
    for seed in (3, 4):
        inside, here = played(agent, seed), played(make_agent(f"network:weights={path}"), seed)
        assert inside.outcome == here.outcome
        assert inside.outcome.forfeited_by is None
        assert inside.actions == here.actions
    assert agent.networks == []  # nothing goes on between games


@needs_sandbox
@pytest.mark.parametrize("loop", ["endless", "hungry"])
def test_a_graph_without_end_costs_its_game_and_no_more(tmp_path, monkeypatch, loop):
    monkeypatch.setattr(networks, "SECONDS_TO_OPEN", 5.0)
    agent = guarded(weights(tmp_path, loop), seconds=1.0)
    began = time.monotonic()
    outcome = played(agent).outcome
    assert time.monotonic() - began < 30
    assert outcome.forfeited_by == 0
    words = "no answer within 1 s" if loop == "endless" else "its network failed: "
    assert words in outcome.reason
    assert agent.networks == []
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(networks.PROGRAM) not in left


def test_weights_that_break_their_agent_cost_a_game_and_no_worker():
    def broken():
        raise ValueError("a header of nonsense")

    agent = GuardedWeights(broken, LIMITS, 5.0)
    assert agent.policy(GAME) is None
    outcome = played(agent).outcome
    assert outcome.forfeited_by == 0
    assert "a header of nonsense" in outcome.reason


@needs_sandbox
def test_memory_is_bounded_from_the_start():
    with pytest.raises((Forfeit, GraphFailed), match="network"):
        SandboxedNetwork(network(GAME), SandboxLimits(memory=32), 5.0)


@needs_sandbox
def test_weights_wait_for_a_worker_with_a_sandbox(tmp_path):
    league = Fixture(tmp_path, rounds=1, bots=2)
    league.add("net", "network", "weights", network(GAME))
    token = league.lease(32, presence=HERE)
    kinds = {bot["kind"] for deal in league.leases[token] for bot in deal["bots"]}
    assert kinds == {"agent"}
    league.close()


@needs_sandbox
def test_a_worker_plays_weights_of_both_kinds(tmp_path):
    league = Fixture(tmp_path, rounds=1, bots=2)
    league.add("right", "network", "weights", network(GAME))
    league.add("none", "network", "weights", b"nothing that is a network")
    token = league.lease(32, presence=HERE, sandbox=True)
    for deal in league.leases[token]:
        names = {bot["name"] for bot in deal["bots"]}
        if {"right", "none"} == names:
            assert league.bring(token, deal)
            break
    _, table = league.outcome()
    forfeits = {row["bot"]: row["forfeits"] for row in table}
    assert (forfeits["right"], forfeits["none"]) == (0, 2)
    reason = played_deals(league.store, league.league)[0].forfeits[0][1]
    assert "forfeits: its file is damaged or holds no network" in reason
    league.close()


def test_without_a_sandbox_no_network_is_run(tmp_path, monkeypatch):
    text = "import sys\nprint('no sandbox', file=sys.stderr)\nsys.exit(97)\n"
    launcher = tmp_path / "launcher.py"
    launcher.write_text(text, encoding="utf-8")
    monkeypatch.setattr(networks, "launch_words", lambda *about: [sys.executable, str(launcher)])
    agent = guarded(weights(tmp_path))
    with pytest.raises(StopGame):
        agent.begin(GAME, 0, Dice(1))
    assert agent.lost
