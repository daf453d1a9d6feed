"""``sandtable agents``."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from sandtable import registry
from sandtable.cli.agents import option_rows
from sandtable.cli.main import application
from sandtable.errors import UnknownName


def lines(*arguments: str, columns: int = 80) -> tuple[str, str]:
    """Return standard output and standard error of the command."""
    environment = {"COLUMNS": str(columns)}
    result = CliRunner().invoke(application, ["agents", *arguments], env=environment)
    if result.exception:
        raise result.exception
    return result.stdout, result.stderr


def test_every_agent_on_a_line_of_its_own_that_fits_into_80_columns():
    shown, problems = lines()
    begins = {line.split()[0] for line in shown.splitlines() if line and line[0] != " "}
    assert begins >= set(registry.agent_names())
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown and problems == ""
    assert len(shown.splitlines()) < 4 * len(registry.agent_names())


def test_a_game_lists_only_agents_that_can_play_it():
    shown, _ = lines("lucid")
    names = {line.split()[0] for line in shown.splitlines() if line and line[0] != " "}
    assert {"lucid/axes-red", "mcts", "random"} <= names
    assert not {"alphabeta", "skirmish/greedy"} & names  # one needs a game without dice
    assert "\nalphabeta " in lines("skirmish")[0]
    assert "\nmcts " not in lines("stratego")[0]


def test_a_page_about_one_agent():
    shown, _ = lines("lucid/champion-blue")
    assert "lucid, blue" in shown
    assert "  tries        beginnings from which it climbs to a good turn [16]" in shown
    assert "also bundled: axes-red" in shown
    assert "sandtable-games, sandtable.games.lucid.agents" in shown
    assert max(map(len, shown.splitlines())) <= 80
    general, _ = lines("alphabeta")
    assert "skirmish, any seat" in general and "not lucid: " in general
    assert "the option 'command'" in lines("external")[0]
    assert "It has no options." in lines("random")[0]


@pytest.mark.parametrize("name", registry.agent_names())
def test_every_option_of_our_agents_has_a_meaning(name):
    factory = registry.agent_factory(name)
    assert [option for option, _, meaning in option_rows(factory) if not meaning] == []
    assert max((len(meaning) for _, _, meaning in option_rows(factory)), default=0) < 90


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("lucid/axes-rd", "lucid/axes-red"), ("randon", "random"), ("alphabet", "alphabeta")],
)
def test_a_mistyped_agent_is_told_as_one(typed, meant):
    with pytest.raises(UnknownName, match=f"no agent '{typed}'. Did you mean '{meant}'"):
        lines(typed)


def test_an_unknown_game_is_an_error_with_a_proposal():
    with pytest.raises(UnknownName, match="Did you mean 'lucid'"):
        lines("lucit")


def test_a_broken_plug_in_only_warns(monkeypatch):
    points = dict(registry.registered(registry.AGENTS))
    points["broken"] = EntryPoint("broken", "no_such_module:Agent", registry.AGENTS)
    points["other/one"] = EntryPoint("other/one", "no_such_module:Agent", registry.AGENTS)
    real = registry.registered
    monkeypatch.setattr(
        registry, "registered", lambda group: points if group == registry.AGENTS else real(group)
    )
    shown, problems = lines("lucid")
    assert "lucid/axes-red" in shown
    assert problems.startswith(
        "warning: the agent 'broken' (no_such_module:Agent) cannot be loaded"
    )
    assert "other/one" not in problems
