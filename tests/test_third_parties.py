"""A game and an agent of two packages, word for word from the pages that show how to make them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from example_plugin import install

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {"sandtable-nim": "adding-games.md", "sandtable-nim-perfect": "adding-agents.md"}
BLOCK = r'^```\w+ title="{package}/([^"]+)"\n(.*?)^```$'


def write_package(package: str, folder: Path) -> list[str]:
    """Write the files of a package as its page shows them; return the text of its code."""
    page = (DOCS / PAGES[package]).read_text(encoding="utf-8")
    pattern = BLOCK.format(package=re.escape(package))
    code = []
    for name, text in re.findall(pattern, page, re.MULTILINE | re.DOTALL):
        path = folder / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".py":
            code += [line for line in text.splitlines() if line.strip()]
    return code


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Install both packages as their pages show them, apart from everything else."""
    sources, folder = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("installed")
    for package in PAGES:
        write_package(package, sources)
    install(folder, *(sources / package for package in PAGES))
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


JUDGE = """
import json
from sandtable.arena.play.game_loop import play_game
from sandtable.conformance import check_agent, check_game
from sandtable.registry import agent_names, make_agent, make_game

game = make_game("nim")

def won(specs, seat):
    agents = [make_agent(spec) for spec in specs]
    played = [play_game(game, agents, specs=specs, seed=1, number=number) for number in range(50)]
    return sum(each.record.outcome.scores[seat] > 0 for each in played)

print(json.dumps({
    "game": [str(problem) for problem in check_game(game, 10).problems],
    "agent": [str(problem) for problem in check_agent("nim/perfect", "nim", 5).problems],
    "listed": agent_names("nim"),
    "perfect, second": won(["random", "nim/perfect"], 1),
    "random, second": won(["nim/perfect", "random"], 1),
}))
"""


def test_they_keep_the_contract_and_play(environment):
    done = subprocess.run(
        [sys.executable, "-c", JUDGE], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["game"] == []
    assert found["agent"] == []
    assert "nim/perfect" in found["listed"]
    # From heaps of 1, 3, 5 and 7 the second player wins, if nobody makes a mistake.
    assert found["perfect, second"] == 50
    assert found["random, second"] < 10


@pytest.mark.parametrize(
    ("package", "most"), [("sandtable-nim", 100), ("sandtable-nim-perfect", 20)]
)
def test_they_are_as_short_as_the_pages_say(package, most, tmp_path):
    assert 10 < len(write_package(package, tmp_path)) <= most
