"""``sandtable new``: what it writes works at once, and bad names are refused in one line."""

import os
import subprocess
import sys

import pytest

from example_plugin import installed_here

PIP = "-m pip install --quiet --no-deps --no-index --no-build-isolation --disable-pip-version-check"
RUN = "from sandtable.cli.main import run; run()"


class NewPackages:
    """A folder in which somebody makes packages, and what is installed for them alone."""

    def __init__(self, folder):
        self.folder, self.installed = folder, folder / "installed"
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.installed),
            "COLUMNS": "200",
        }

    def python(self, *words, within=""):
        return subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.folder / within,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def sandtable(self, *words):
        done = self.python("-c", RUN, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, package):
        done = self.python(*PIP.split(), "--target", self.installed, f"./{package}")
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """Make a game, install it, and make an agent for it, as the commands say."""
    place = NewPackages(tmp_path_factory.mktemp("packages"))
    place.told = place.sandtable("new", "game", "three-in-a-row")
    place.install("sandtable-three-in-a-row")
    place.sandtable("new", "agent", "sly", "--game", "three-in-a-row")
    place.install("sandtable-three-in-a-row-sly")
    return place


def test_the_next_commands_are_told_and_work(workplace, sandtable):
    assert workplace.told.splitlines()[1:] == [
        "  pip install --editable sandtable-three-in-a-row",
        "  sandtable check three-in-a-row",
        "  sandtable play three-in-a-row human random",
    ]
    with installed_here(workplace.installed):
        code, out, _ = sandtable("check", "three-in-a-row")
        assert code == 0
        assert "game three-in-a-row keeps the contract." in out
        code, out, _ = sandtable("check", "three-in-a-row/sly")
        assert code == 0
        assert "agent three-in-a-row/sly in three-in-a-row keeps the contract." in out


def test_the_packages_pass_their_own_tests(workplace):
    tests = [f"sandtable-three-in-a-row{agent}/tests" for agent in ("", "-sly")]
    # Without settings of this repository, which their authors do not have.
    done = workplace.python("-m", "pytest", "-q", "-c", os.devnull, "--rootdir", ".", *tests)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_the_packages_are_tidy(workplace):
    """No placeholder is left, and a linter with settings of its own has nothing to say."""
    packages = [f"sandtable-three-in-a-row{agent}" for agent in ("", "-sly")]
    files = [path for name in packages for path in (workplace.folder / name).rglob("*")]
    texts = [path.read_text(encoding="utf-8") for path in files if path.suffix in (".py", ".toml")]
    assert len(texts) > 10
    assert not [text for text in texts if "{{" in text and "}}" in text.partition("{{")[2]]
    for package in packages:
        words = ("-m", "ruff", "check", "--isolated", "--line-length", "100", "--select", "E,F,I,B")
        done = workplace.python(*words, ".", within=package)
        assert done.returncode == 0, done.stdout


def test_an_agent_for_any_game(sandtable, tmp_path):
    code, out, _ = sandtable("new", "agent", "sly", "--into", tmp_path / "mine")
    assert code == 0
    assert "sandtable check sly" in out
    assert '"sly" = "sandtable_sly.agent:Sly"' in (tmp_path / "mine" / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("game", "Three"), "'Three' is no name: use small letters, digits and single hyphens"),
        (("game", "a/b"), "'a/b' is no name"),
        (("game", "class"), "'class' is a word of Python's own"),
        (("game", "lucid"), "there is a game 'lucid' already"),
        (("agent", "random"), "there is an agent 'random' already"),
        (("agent", "sly", "--game", "lucidd"), "there is no game 'lucidd'. Did you mean 'lucid'?"),
    ],
)
def test_bad_names_are_refused(words, problem, sandtable, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = sandtable("new", *words)
    assert code == 1
    assert err.startswith(f"error: {problem}")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_left_alone(sandtable, tmp_path):
    code, _, err = sandtable("new", "game", "mine", "--into", tmp_path)
    assert code == 1
    assert err == f"error: {tmp_path} is there already; remove it, or name another with --into\n"
