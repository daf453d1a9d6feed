"""``sandtable agents``."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from sandtable import registry
from sandtable.cli.main import application
from sandtable.errors import UnknownName


def lines(*arguments: str) -> tuple[str, str]:
    """Return standard output and standard error of the command."""
    result = CliRunner().invoke(application, ["agents", *arguments], env={"COLUMNS": "120"})
    if result.exception:
        raise result.exception
    return result.stdout, result.stderr


def test_agents_with_what_they_play_and_their_options():
    shown, problems = lines()
    row = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert "any game" in row["random"]
    assert "lucid: red" in row["lucid/axes-red"]
    assert "axis" in row["lucid/one-axis-blue"]
    assert "command (needed)" in row["external"]
    assert "seconds=10.0" in shown
    assert "hints" in row["human"]
    assert problems == ""


def test_agents_of_one_game():
    assert "lucid/axes-red" in lines("lucid")[0]


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
