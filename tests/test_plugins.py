"""A package of somebody else's: installed, listed, checked and played like our own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLE = HERE / "example_package"
ELSEWHERE = "sandtable-"  # blocks of other packages, which test_third_parties.py installs
PAGES = [HERE.parent / "docs" / name for name in ("adding-games.md", "adding-agents.md")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Install the example, and a package that cannot be imported, apart from everything else."""
    folder = tmp_path_factory.mktemp("installed")
    options = "--quiet --no-deps --no-index --no-build-isolation --disable-pip-version-check"
    command = [sys.executable, "-m", "pip", "install", *options.split(), "--target", str(folder)]
    packages = [str(EXAMPLE), str(HERE / "broken_package")]
    subprocess.run([*command, *packages], check=True, capture_output=True)
    cache = tmp_path_factory.mktemp("cache")
    return {**os.environ, "PYTHONPATH": str(folder), "SANDTABLE_CACHE": str(cache)}


def run_python(environment, code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sandtable(environment, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a person would."""
    run = "from sandtable.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", run, *arguments],
        env={**environment, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_example_is_listed_and_a_broken_plug_in_only_warned_of(environment):
    games = sandtable(environment, "games")
    assert games.returncode == 0
    assert "Kuhn poker" in games.stdout
    assert "Operation Lucid" in games.stdout
    assert "warning: the game 'broken'" in games.stderr
    assert "RuntimeError: this plug-in is broken on purpose" in games.stderr
    agents = sandtable(environment, "agents", "kuhn")
    assert agents.returncode == 0
    assert "kuhn/cautious" in agents.stdout
    assert "kuhn/equilibrium" in agents.stdout


def test_the_broken_plug_in_fails_only_where_it_is_named(environment):
    for arguments in (("check", "broken"), ("match", "broken", "random", "random")):
        refused = sandtable(environment, *arguments)
        assert refused.returncode == 1
        assert "the game 'broken' (sandtable_broken:broken) cannot be loaded" in refused.stderr
        assert "Traceback" not in refused.stderr


def test_the_example_keeps_the_contract(environment):
    subjects = {
        "kuhn": "game kuhn",
        "kuhn/cautious": "agent kuhn/cautious in kuhn",
        "kuhn/equilibrium:boldness=0.3": "agent kuhn/equilibrium:boldness=0.3 in kuhn",
    }
    for name, subject in subjects.items():
        checked = sandtable(environment, "check", name)
        assert checked.returncode == 0, checked.stdout
        assert f"{subject} keeps the contract." in checked.stdout


PLAY = """
import json
from sandtable.arena.play.game_loop import play_game
from sandtable.registry import make_agent, make_game

def total(specs, games):
    agents = [make_agent(spec) for spec in specs]
    played = [play_game(make_game("kuhn"), agents, specs=specs, seed=3, number=number).record
              for number in range(games)]
    assert not [record for record in played if record.outcome.forfeited_by is not None]
    return sum(record.outcome.scores[0] for record in played), played[0].final

print(json.dumps([
    total(["kuhn/equilibrium", "kuhn/equilibrium"], 300),
    total(["kuhn/equilibrium", "kuhn/equilibrium"], 300),
    total(["kuhn/equilibrium", "kuhn/equilibrium"], 2000),
    total(["kuhn/equilibrium", "kuhn/cautious"], 1000),
    total(["random", "kuhn/equilibrium"], 1000),
]))
"""


def test_the_example_is_played_in_the_arena(environment):
    once, again, even, cautious, clueless = json.loads(run_python(environment, PLAY))
    assert once == again
    # The value of the game is a coin in 18 games for the second player; one game deviates by 1.3.
    assert abs(even[0] / 2000 + 1 / 18) < 4 * 1.3 / 2000**0.5
    assert cautious[0] / 1000 > -1 / 18 - 5 * 1.3 / 1000**0.5
    assert clueless[0] < 0


def test_the_example_is_played_from_the_command_line(environment, tmp_path):
    """Once with an agent in Python, once all in kernels."""
    for first in ("kuhn/cautious", "kuhn/equilibrium"):
        results = tmp_path / f"{first.replace('/', ' ')}.json"
        agents = (first, "kuhn/equilibrium")
        options = ("--games", "300", "--seed", "1", "--json", str(results))
        played = sandtable(environment, "match", "kuhn", *agents, *options)
        assert played.returncode == 0, played.stderr
        assert first in played.stdout
        assert json.loads(results.read_text())["games"] == 300


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_show_the_files_of_the_example(page):
    """Every code block with a title is the text of that file, from its first line to its last."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    assert blocks
    for title, block in blocks:
        if title.startswith(ELSEWHERE):
            continue
        assert block == (EXAMPLE / title).read_text(encoding="utf-8"), title


def test_together_the_pages_show_the_whole_example():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    titles = re.findall(r'^```\w+ title="([^"]+)"$', text, re.MULTILINE)
    shown = {title for title in titles if not title.startswith(ELSEWHERE)}
    files = {str(path.relative_to(EXAMPLE)) for path in EXAMPLE.rglob("*")
             if path.suffix in (".py", ".toml")}  # fmt: skip
    assert shown == files
