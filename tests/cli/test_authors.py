"""What authors of agents and games meet: mistakes with their place, agents in files, tables."""

from __future__ import annotations

import json
import sys
from importlib.metadata import EntryPoint

import pytest

from sandtable import registry
from sandtable.errors import SandtableError, failure_line
from sandtable.server.allowed_specs import allowed_agent, allowed_hint

BOT = '''
"""A bot in a file."""
from helper import choice


class Bot:
    """Plays the action at a place of the list."""

    seats = ("blue",)

    def __init__(self, place: int = 0) -> None:
        """Take the action at ``place``."""
        self.place = place

    def choose(self, view, dice):
        return choice(view, self.place)


class Crash:
    """Crashes."""

    def choose(self, view, dice):
        return {}["nothing"]
'''
CRASH_LINE = BOT.splitlines().index('        return {}["nothing"]') + 1
HELPER = "def choice(view, place):\n    return view.legal[min(place, len(view.legal) - 1)]\n"
KERNEL = '''
from sandtable.compiled import kernel


@kernel
def inner(value):
    return value + missing_name


class Compiled:
    """Calls a kernel with a mistake in it."""

    def choose(self, view, dice):
        return inner(3)
'''
RED = "lucid/axes-red"


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a bot."""
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "kernel_bot.py").write_text(KERNEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SANDTABLE_TRACEBACK", "")  # and as it was afterwards
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    sys.modules.pop("helper", None)


def test_an_agent_in_a_file_plays_with_its_options(desk, sandtable):
    code, out, err = sandtable("match", "lucid", "file:./bot.py:Bot", RED, "-n", 4, "--fresh")
    assert code == 0 and "file:./bot.py:Bot" in out, err
    first = registry.make_agent("file:./bot.py:Bot,place=2")
    assert first.place == 2 if hasattr(first, "place") else first.chooser.place == 2
    code, _, err = sandtable("match", "lucid", "file:./bot.py:Bot,plce=2", RED)
    assert code == 1 and "Did you mean 'place'" in err
    code, _, err = sandtable("match", "lucid", RED, "file:./bot.py:Bot")
    assert code == 1 and "not blue" in err
    code, out, _ = sandtable("agents", "file:./bot.py:Bot")
    assert "place" in out and "Take the action at place" in out


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("file:./nowhere.py:Bot", "there is no file nowhere.py"),
        ("file:./bot.py:Nobody", "has no 'Nobody'"),
        ("file:./bot.py", "write file:./bot.py:Bot"),
        ("file:bot", "write file:./bot.py:Bot"),
    ],
)
def test_files_without_agents_are_told(desk, sandtable, spec, told):
    code, _, err = sandtable("match", "lucid", spec, RED)
    assert code == 1 and told in err and err.count("\n") == 1


def test_a_file_is_read_again_after_an_edit(desk):
    import os

    before = registry.make_agent("file:./bot.py:Bot").chooser
    (desk / "bot.py").write_text(BOT.replace("place: int = 0", "place: int = 7"))
    os.utime(desk / "bot.py", ns=(1, 1))
    assert (before.place, registry.make_agent("file:./bot.py:Bot").chooser.place) == (0, 7)


@pytest.mark.parametrize("spec", ["file:./bot.py:Bot", "file:bot.py:Bot", "file:/tmp/bot.py:Bot"])
def test_the_server_never_plays_a_file(desk, spec):
    for allowed in (allowed_hint, lambda text: allowed_agent(text, external=True)):
        with pytest.raises(SandtableError, match="files cannot be named"):
            allowed(spec)


def test_a_crash_is_told_with_its_place_once_and_kept(desk, sandtable):
    words = ["match", "lucid", "file:./bot.py:Crash", RED, "-n", 6, "--fresh"]
    code, _, err = sandtable(*words, "--archive", "crashes.jsonl")
    assert code == 3
    assert err.count("KeyError") == 1 and "and 5 more" in err
    assert f"KeyError: 'nothing' (bot.py line {CRASH_LINE})" in err
    assert "Traceback" not in err
    kept = json.loads((desk / "crashes.jsonl").read_text().splitlines()[0])
    assert f'bot.py", line {CRASH_LINE}, in choose' in kept["annotations"]["traceback"]
    code, _, err = sandtable(*words, "--traceback")
    assert code == 3 and err.count("Traceback (most recent call last)") == 1


def test_a_mistake_in_a_kernel_is_told_in_the_words_of_the_compiler_once(desk, sandtable):
    words = ["match", "lucid", "file:./kernel_bot.py:Compiled", RED, "-n", 3, "--fresh"]
    code, _, err = sandtable(*words)
    assert code == 3
    assert err.count("name 'missing_name' is not defined") == 1
    assert "a kernel cannot be compiled: NameError" in err
    assert "pipeline" not in err and "\x1b" not in err


def test_whatever_else_is_raised_is_one_line(desk, sandtable, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("nothing to divide by")

    monkeypatch.setattr("sandtable.registry.game_names", fail)
    code, _, err = sandtable("games")
    assert code == 1 and err.count("\n") == 1
    assert err.startswith("error: ZeroDivisionError: nothing to divide by (test_authors.py line")
    assert "--traceback shows all" in err
    assert "Traceback" in sandtable("games", "--traceback")[2]


def test_a_game_that_cannot_be_loaded_is_told_about(sandtable, monkeypatch):
    real = registry.registered
    points = {
        **real(registry.GAMES),
        "broken": EntryPoint("broken", "no_such_module:game", registry.GAMES),
    }
    monkeypatch.setattr(
        registry, "registered", lambda group: points if group == registry.GAMES else real(group)
    )
    code, out, _ = sandtable("games")
    assert code == 0
    assert "Cannot be loaded" in out and "the game 'broken' (no_such_module:game)" in out
    assert "lucid" in out


def test_a_place_in_a_library_is_not_where_the_mistake_is():
    try:
        json.loads("{")
    except ValueError as problem:
        assert "test_authors.py line" in failure_line(problem)


def test_a_grid_of_options(desk, sandtable):
    words = ["match", "lucid", "lucid/one-axis-blue", RED, "-n", 30, "--fresh"]
    code, out, _ = sandtable(
        *words, "--grid", "axis=a,c", "--report", "g.csv", "--report", "g.tex", "--json", "g.json"
    )
    assert code == 0
    rows = (desk / "g.csv").read_text().splitlines()
    assert rows[0].startswith("axis,games,mean,") and len(rows) == 3
    assert [row.split(",")[0] for row in rows[1:]] == ["a", "c"]
    assert "\\toprule" in (desk / "g.tex").read_text()
    single, _ = (json.loads((desk / "g.json").read_text()), out)
    assert [each["grid"] for each in single] == [{"axis": "a"}, {"axis": "c"}]
    code, _, err = sandtable(*words, "--grid", "axs=a")
    assert code == 1 and "Did you mean 'axis'" in err


def test_citations(desk, sandtable):
    _, out, _ = sandtable("cite", "lucid")
    assert "@software{sandtable," in out and "Ole Martin Halck" in out
    sandtable("match", "lucid", "lucid/simple-blue", RED, "-n", 5, "--json", "r.json", "--fresh")
    _, out, _ = sandtable("cite", "r.json")
    assert "lucid/simple-blue against lucid/axes-red" in out and "seed 0, 5 games" in out
    assert out.count("{") == out.count("}")
    (desk / "other.json").write_text("[]x")
    assert "is no file of results" in sandtable("cite", "other.json")[2]


def test_two_runs_in_one_plot(desk, sandtable):
    for name, factor in (("first", 1), ("second", 2)):
        (desk / name).mkdir()
        lines = [json.dumps({"game": n, "loss": factor / (n + 1), "note": "x"}) for n in range(500)]
        (desk / name / "metrics.jsonl").write_text("\n".join(lines) + '\n{"game": 5')
    _, out, _ = sandtable("curves", "first", "second")
    assert "first: 500 lines" in out and "game, loss" in out
    code, _, _ = sandtable("curves", "first", "second", "--metric", "loss", "--out", "c.svg")
    drawing = (desk / "c.svg").read_text()
    assert code == 0 and drawing.count("<polyline") == 2
    assert "Did you mean 'loss'" in sandtable("curves", "first", "--metric", "los")[2]
    assert "no folder of a training run" in sandtable("curves", "nowhere")[2]


def test_nothing_is_printed_before_an_error(sandtable):
    code, out, err = sandtable("perft", "skirmish", "nonsense")
    assert (code, out) == (1, "") and err.startswith("error: ")


def test_an_agent_for_any_game_is_tried_in_one_of_two_seats(desk, sandtable):
    _, out, _ = sandtable("new", "agent", "cunning")
    assert out.splitlines()[-1].endswith(" cunning random")
