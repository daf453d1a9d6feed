"""A package of somebody else's: installed, listed, checked and played like our own."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sandtable as surface
from example_plugin import EXAMPLE, install

HERE = Path(__file__).parent
ELSEWHERE = "sandtable-"  # blocks of other packages, which test_third_parties.py installs
PAGES = [HERE.parent / "docs" / name for name in ("adding-games.md", "adding-agents.md")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Install the example, and a package that cannot be imported, apart from everything else."""
    folder = tmp_path_factory.mktemp("installed")
    install(folder, EXAMPLE, HERE / "broken_package")
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
        "hexapawn": "game hexapawn",
        "hexapawn:columns=5,rows=4": "game hexapawn:columns=5,rows=4",
        "hexapawn/machine": "agent hexapawn/machine in hexapawn",
        "kuhn/cautious": "agent kuhn/cautious in kuhn",
        "kuhn/equilibrium:boldness=0.3": "agent kuhn/equilibrium:boldness=0.3 in kuhn",
    }
    for name, subject in subjects.items():
        checked = sandtable(environment, "check", name)
        assert checked.returncode == 0, checked.stdout
        assert f"{subject} keeps the contract." in checked.stdout


PLAY = """
import json
from sandtable import make_agent, make_game, play_game

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


def test_bad_options_of_the_example_are_told_in_one_line(environment):
    refused = sandtable(environment, "check", "hexapawn:columns=9")
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == "error: hexapawn has 3 to 6 columns, got 9"
    refused = sandtable(environment, "check", "hexapawn/machine:boxes=nowhere.json")
    assert refused.returncode == 1
    assert "no matchboxes can be read from nowhere.json" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_published_table_of_the_example_is_reproduced(environment, tmp_path):
    rows = tmp_path / "rows.json"
    done = sandtable(environment, "reproduce", "hexapawn", "--quick", "--json", str(rows))
    assert done.returncode == 0, done.stderr
    assert "Hexapawn on three by three squares" in done.stdout
    found = {row["agent"]: row for row in json.loads(rows.read_text())["rows"]}
    assert found["hexapawn/machine"]["verdict"] == "agrees"
    assert found["random"]["verdict"] == "agrees"


def test_the_example_is_trained_and_goes_on_after_a_stop(environment, tmp_path):
    """In two parts the run gives the boxes that come with the package, bead by bead."""
    run = ("train", "hexapawn/machine", "--out", str(tmp_path / "run"))
    assert sandtable(environment, *run, "--games", "300").returncode == 0
    done = sandtable(environment, *run)
    assert done.returncode == 0, done.stderr
    boxes = tmp_path / "run" / "boxes.json"
    assert f"play with hexapawn/machine:boxes={boxes}" in done.stdout
    bundled = EXAMPLE / "src" / "sandtable_hexapawn" / "boxes.json"
    assert json.loads(boxes.read_text()) == json.loads(bundled.read_text())
    refused = sandtable(environment, *run, "--columns", "4")
    assert refused.returncode == 1
    assert "holds a run with another configuration (columns 3 there, 4 here)" in refused.stderr


def test_the_command_of_the_example_is_listed_and_runs(environment, tmp_path):
    assert "matchboxes" in sandtable(environment, "--help").stdout
    listed = sandtable(environment, "matchboxes")
    assert listed.returncode == 0, listed.stderr
    assert "bbb/w../.ww black  b3-a2\n" in listed.stdout
    assert listed.stdout.splitlines()[-1] == "31 boxes, 57 beads"
    refused = sandtable(environment, "matchboxes", str(tmp_path / "none.json"))
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr


def test_the_agent_of_the_example_explains_itself(environment):
    explained = sandtable(environment, "explain", "hexapawn/machine", "bbb/w../.ww black")
    assert explained.returncode == 0, explained.stderr
    assert "beads left: b3-a2" in explained.stdout


def code_of_guests() -> dict[str, str]:
    """Return the code that others build upon: templates, the example, notebooks, pages."""
    texts = {}
    root = HERE.parent
    files = [*(root / "src" / "sandtable" / "templates").rglob("*.py.template")]
    files += [*EXAMPLE.rglob("*.py")]
    for path in files:
        text = path.read_text(encoding="utf-8").replace("{{package}}", "package")
        texts[path.name] = re.sub(r"\{\{\w+\}\}", "Name", text)
    for path in (root / "docs" / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        texts[path.name] = re.sub(r"^[%!].*$", "", "\n".join(code), flags=re.MULTILINE)
    for path in [*PAGES, root / "docs" / "tutorial.md"]:
        blocks = re.findall(r"^```python.*?\n(.*?)^```$", path.read_text(encoding="utf-8"),
                            re.MULTILINE | re.DOTALL)  # fmt: skip
        for number, block in enumerate(blocks):
            prompts = re.findall(r"^(?:>>>|\.\.\.) (.*)$", block, re.MULTILINE)
            texts[f"{path.name} {number}"] = "\n".join(prompts) if prompts else block
    return texts


def test_what_others_build_upon_is_promised():
    """They import names of the public surface and nothing behind it."""
    texts = code_of_guests()
    assert len(texts) > 20
    used = set()
    for name, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("sandtable."), f"{name}: {node.module}"
                if node.module == "sandtable":
                    used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Import):
                assert not [alias for alias in node.names if alias.name.startswith("sandtable.")]
            elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "sandtable":
                used.add(node.attr)
    assert used <= set(surface.__all__)


def test_the_page_on_stability_lists_the_public_surface():
    page = (HERE.parent / "docs" / "stability.md").read_text(encoding="utf-8")
    table = "".join(line for line in page.splitlines() if line.startswith("|"))
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(surface.__all__)


def test_the_public_surface_is_what_it_says():
    """Every name is found, by a type checker as well, and its module offers it too."""
    assert sorted(surface.__all__) == sorted(surface.HOME_OF_NAME)
    for name, home in surface.HOME_OF_NAME.items():
        assert getattr(surface, name) is getattr(sys.modules[home], name)
    tree = ast.parse(Path(surface.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert typed == surface.HOME_OF_NAME


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
    weights = "src/sandtable_hexapawn/boxes.json"
    files = {str(path.relative_to(EXAMPLE)) for path in EXAMPLE.rglob("*.*") if path.is_file()}
    assert shown == {name for name in files if not name.endswith(".pyc")} - {weights}
