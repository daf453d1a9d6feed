"""The conformance kit for agents, and the command: ours pass, and every broken one is found out."""

import random
import re
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from typer.testing import CliRunner

from sandtable import registry
from sandtable.agents.random import Random
from sandtable.agents.scripted import Scripted
from sandtable.cli.check import command
from sandtable.conformance import check_agent
from sandtable.errors import WrongSeats
from sandtable.registry import agent_factory, agent_names, game_names, make_game

NEED_SOMEBODY_ELSE = ("human", "external", "model", "network", "table", "file")
QUICK = {
    "skirmish/dsl": "skirmish/dsl:budget=60,weights=dsl-1000",  # a network at every leaf
    "montecarlo": "montecarlo:samples=1,longest=4",
    "mcts": "mcts:simulations=3,longest=4",
    "ismcts": "ismcts:simulations=3,longest=4",
    "response": "response:against=random,simulations=3,longest=4",
    "openspiel": "openspiel:random",
    "stratego/baseline": "stratego/baseline:samples=1",
    "stratego/value": "stratego/value:samples=1,attacks=0",
}


def suits(agent, game):
    try:
        getattr(agent_factory(agent), "suits", lambda game: None)(make_game(game))
    except WrongSeats:
        return False
    return agent not in NEED_SOMEBODY_ELSE


PLAYING = [
    (agent, game) for game in game_names() for agent in agent_names(game) if suits(agent, game)
]


@pytest.mark.parametrize(("agent", "game"), PLAYING)
def test_registered_agents_keep_the_contract(agent, game):
    games = 1 if agent == "openspiel" else 2  # a new bot for every decision takes its time
    report = check_agent(QUICK.get(agent, agent), game, games=games)
    report.raise_if_broken()
    assert report.checked["same answers"] == report.games > 0


class RandomlyBroken(Random):
    """The random player, with something wrong."""

    def choose(self, view, dice):
        return self.spoiled(view, dice, super().choose(view, dice))


class Illegal(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        return int(np.flatnonzero(~view.mask)[0])


class Unknown(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        return view.game.action_count


class TooMuch(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        return [view.game.action_count - 1] * 40


class Nothing(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        return []


class Wordy(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        return "end"


class Crashing(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        raise RuntimeError("on purpose")


class Writing(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        position = view.position
        position.flags.writeable = True
        position[0] += 1
        return answer


class Reseeding(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        dice.array[0] += np.uint64(1)
        return answer


class Moody(RandomlyBroken):
    def spoiled(self, view, dice, answer):
        return random.choice(view.legal)


class Remembering(Scripted):
    """Does not forget the game before: it plays its legal actions in turn."""

    calls = 0

    def begin(self, game, seat, dice):
        pass

    def choose(self, view, dice):
        self.calls += 1
        return view.legal[self.calls % len(view.legal)]

    policy = None


class TwoFaced(RandomlyBroken):
    """Ends its turn at once in Python, and plays at random in its kernel."""

    def spoiled(self, view, dice, answer):
        return view.game.action_count - 1


BROKEN_AGENTS = {
    "Illegal": "legal",
    "Unknown": "legal",
    "TooMuch": "legal",
    "Nothing": "answers",
    "Wordy": "answers",
    "Crashing": "answers",
    "Writing": "view",
    "Reseeding": "dice",
    "Moody": "same answers",
    "Remembering": "begin",
    "TwoFaced": "policy",
}


@pytest.fixture
def broken_agents(monkeypatch):
    """Register the classes above as agents."""
    sound = registry.registered
    points = {
        name: EntryPoint(name, f"{__name__}:{name}", registry.AGENTS) for name in BROKEN_AGENTS
    }
    monkeypatch.setattr(
        registry,
        "registered",
        lambda group: sound(group) | (points if group == registry.AGENTS else {}),
    )


@pytest.mark.usefixtures("broken_agents")
@pytest.mark.parametrize("name", BROKEN_AGENTS)
def test_broken_agents_are_found_out(name):
    report = check_agent(name, "lucid", games=2)
    assert BROKEN_AGENTS[name] in {problem.check for problem in report.problems}, report.lines()


def test_an_agent_is_checked_in_its_own_seats_only():
    assert check_agent("lucid/axes-red", "lucid", games=1).games == 1
    assert check_agent("random", "lucid", games=1).games == 2


def run_command(*arguments):
    return CliRunner().invoke(command, arguments)


def test_the_command_says_what_was_checked():
    result = run_command("lucid", "--games", "2", "--seed", "7")
    assert result.exit_code == 0
    assert "game lucid: 2 games with seed 7" in result.output
    assert "ok     guess" in result.output
    assert "game lucid keeps the contract." in result.output


def test_the_command_checks_an_agent_in_every_game_it_plays():
    result = run_command("random", "--games", "1")
    assert result.exit_code == 0
    for game in game_names():
        assert f"agent random in {game} keeps the contract." in result.output


def test_the_command_passes_over_games_that_cannot_be_loaded(monkeypatch):
    sound = registry.registered
    broken = {"broken": EntryPoint("broken", "no_such_module:game", registry.GAMES)}
    monkeypatch.setattr(
        registry,
        "registered",
        lambda group: sound(group) | (broken if group == registry.GAMES else {}),
    )
    result = run_command("random", "--games", "1")
    assert result.exit_code == 0
    assert "warning: the game 'broken' (no_such_module:game) cannot be loaded" in result.output
    assert "agent random in lucid keeps the contract." in result.output


@pytest.mark.usefixtures("broken_agents")
def test_the_command_fails_with_a_line_for_each_problem():
    result = run_command("Illegal", "--game", "lucid", "--games", "1")
    assert result.exit_code == 1
    assert "BROKEN legal" in result.output
    assert "agent Illegal in lucid breaks the contract:" in result.output
    assert re.search(r"it played \S+, which is not legal \(game 0, in ", result.output)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["lucidd"], "Did you mean 'lucid'?"),
        (["human"], "people promise nothing"),
        (["lucid", "--game", "lucid"], "there is no game or agent"),
    ],
)
def test_the_command_refuses_what_it_cannot_check(arguments, complaint):
    result = run_command(*arguments)
    assert complaint in str(result.exception)


def test_an_agent_of_another_game_is_refused(monkeypatch):
    monkeypatch.setattr(registry, "agent_game", lambda name: "chess")
    with pytest.raises(WrongSeats, match="plays chess, not lucid"):
        check_agent("lucid/axes-red", "lucid")
