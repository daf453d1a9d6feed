"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sandtable.cli.main import COMMANDS, application

COMMAND = str(Path(sys.executable).with_name("sandtable"))


def test_help_lists_every_command():
    shown = CliRunner().invoke(application, ["--help"]).stdout
    for name in COMMANDS:
        assert name in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name):
    shown = CliRunner().invoke(application, [name, "--help"]).stdout
    assert f"sandtable {name}" in shown.partition("Usage:")[2].partition("\n")[2]


def test_help_and_import_load_nothing_heavy():
    code = (
        "import sys, sandtable, sandtable.cli.main as main\n"
        "try: main.application(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numba', 'numpy', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_what_is_wrong_with_a_command_line_is_told_in_one_line(sandtable):
    for words, told in (
        (["mach"], "error: there is no command 'mach'. Did you mean 'match'?"),
        (["mtch"], "error: there is no command 'mtch'. Did you mean 'match'?"),
        (["qqq"], "error: there is no command 'qqq'. 'sandtable --help' lists them all."),
        (["match", "--gmes"], "error: no such option: --gmes"),
        (["match"], "error: missing argument"),
        (["levels", "nwe"], "Did you mean 'new'?"),
    ):
        code, out, err = sandtable(*words)
        assert code == 2 and out == ""
        assert told in err and err.count("\n") == 1, words
        assert "─" not in err


@pytest.mark.parametrize("group", ["levels", "setups", "archive", "new"])
def test_a_group_of_commands_called_alone_shows_its_help(sandtable, group):
    _, out, err = sandtable(group)
    assert f"Usage: sandtable {group}" in out + err
    assert "Missing command" not in out + err


def test_a_full_disk_behind_the_output_is_told():
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [COMMAND, "games"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr == "error: No space left on device\n"


def test_version_and_module():
    done = subprocess.run(
        [sys.executable, "-m", "sandtable", "--version"], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("sandtable 0.")


def test_shell_completion_knows_games_and_agents():
    environment = {
        "_SANDTABLE_COMPLETE": "complete_bash",
        "COMP_WORDS": "sandtable match lucid lucid/one",
        "COMP_CWORD": "3",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run([COMMAND], capture_output=True, text=True, env=environment, timeout=60)
    assert "lucid/one-axis-blue" in done.stdout


@pytest.mark.filterwarnings("default")
def test_a_broken_command_of_a_plug_in_breaks_only_itself(sandtable, monkeypatch):
    point = EntryPoint("matchboxes-two", "sandtable_nowhere:command", "sandtable.commands")
    for module in ("sandtable.cli.main", "sandtable.registry"):
        monkeypatch.setattr(f"{module}.registered", lambda group: {point.name: point})
    code, out, err = sandtable("--help")
    assert code == 0
    assert "tournament" in out and point.name not in out
    assert f"warning: the command '{point.name}' (sandtable_nowhere:command) cannot be" in err
    code, _, err = sandtable(point.name)
    assert code == 1 and "cannot be loaded" in err and "Traceback" not in err
