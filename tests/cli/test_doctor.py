"""``sandtable doctor``: fine here, and clear about what is not."""

import json

import pytest
from click import unstyle

from sandtable.cli import doctor


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    """Importing torch takes seconds and is not what these tests are about."""
    monkeypatch.setitem(doctor.EXAMINATIONS, "graphics", lambda: iter(()))
    monkeypatch.setattr(doctor, "GROUPS", doctor.GROUPS[:2])  # recipes import it too


def test_a_sound_installation_is_fine(sandtable, tmp_path):
    code, out, _ = sandtable("doctor", "--json", tmp_path / "doctor.json")
    assert code == 0
    found = {
        each["part"]: each
        for each in json.loads((tmp_path / "doctor.json").read_text())["findings"]
    }
    for part in ("sandtable", "python", "numba", "compiler", "games", "agents"):
        assert found[part]["state"] == "fine"
        assert part in out
    assert found["games"]["text"] == "4 can be loaded"
    assert "MB in" in found["cache"]["text"]
    assert "extra web" in found


def test_missing_extras_come_with_their_command(monkeypatch):
    there = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: None if name == "ray" else there(name))
    found = {each.part: each for each in doctor.extras()}
    assert found["extra cluster"].state == "missing"
    assert found["extra cluster"].text == "without ray"
    assert found["extra cluster"].cure == "pip install 'sandtable-games[cluster]'"


def test_a_needed_package_that_is_missing_is_an_error(sandtable, monkeypatch):
    there = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: None if name == "rich" else there(name))
    for name in ("extras", "kernels", "places", "plug-ins"):
        monkeypatch.delitem(doctor.EXAMINATIONS, name)
    code, out, err = sandtable("doctor")
    assert code == 1
    assert "-> pip install rich" in out
    assert "broken although needed: rich" in err


class Point:
    """Stands for an entry point that cannot be loaded."""

    name, dist = "broken", None

    def __init__(self, value: str, problem: Exception) -> None:
        self.value, self.problem = value, problem

    def load(self):
        raise self.problem


def test_plug_ins_that_cannot_be_loaded_are_named():
    theirs = doctor.problem_of("games", Point("their_game:game", ValueError("no\nluck")))
    assert theirs.state == "warning"
    assert "their_game:game" in theirs.text
    assert theirs.text.endswith("ValueError: no")
    ours = doctor.problem_of("games", Point("sandtable.games.x:x", ValueError("no luck")))
    assert ours.state == "broken"
    needs = ModuleNotFoundError("No module named 'torch'", name="torch")
    optional = doctor.problem_of("recipes", Point("sandtable.learning.x:RECIPE", needs))
    assert optional.state == "missing"
    assert optional.text == "needs torch"


def test_an_archive_that_cannot_be_written_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("SANDTABLE_ARCHIVE", str(tmp_path / "nowhere" / "archive.db"))
    found = {each.part: each for each in doctor.places()}
    assert found["archive"].state == "broken"
    monkeypatch.setenv("SANDTABLE_ARCHIVE", str(tmp_path / "archive.db"))
    found = {each.part: each for each in doctor.places()}
    assert found["archive"].state == "fine"
    assert "not there yet" in found["archive"].text


def test_a_compiler_that_is_switched_off_is_warned_of(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    found = {each.part: each for each in doctor.kernels()}
    assert found["compiler"].state == "warning"


def test_at_a_terminal_long_lists_wrap_between_words(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    names = [f"package-{number} 1.{number}" for number in range(8)]
    doctor.show([doctor.Finding("extra web", doctor.FINE, ", ".join(names))])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3
    assert max(len(line) for line in map(unstyle, lines)) <= 50
    assert " ".join(" ".join(map(unstyle, lines)).split()) == f"fine extra web {', '.join(names)}"
    assert len({len(line) - len(line.lstrip()) for line in lines[1:]}) == 1
