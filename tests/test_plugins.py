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
from example_plugin import EXAMPLE, copy_package, installed_here

HERE = Path(__file__).parent
ELSEWHERE = "sandtable-"  # blocks of other packages, which test_third_parties.py installs
PAGES = [HERE.parent / "docs" / name for name in ("adding-games.md", "adding-agents.md")]


@pytest.fixture
def plugged_in(example_package):
    """Have the example installed."""
    with installed_here(example_package):
        yield


@pytest.fixture(scope="module")
def beside_a_broken_one(example_package, tmp_path_factory):
    """Return settings for processes that find the example and a package that cannot be imported."""
    folder = tmp_path_factory.mktemp("broken")
    copy_package(folder, HERE / "broken_package")
    path = os.pathsep.join([str(example_package), str(folder)])
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "200"}


def run_alone(settings, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a person would, in a process of its own."""
    run = "from sandtable.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", run, *words],
        env=settings,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_example_is_listed_and_a_broken_plug_in_only_warned_of(beside_a_broken_one):
    games = run_alone(beside_a_broken_one, "games")
    assert games.returncode == 0
    assert "Kuhn poker" in games.stdout
    assert "Operation Lucid" in games.stdout
    told = games.stdout + games.stderr
    assert "'broken'" in told and "RuntimeError: this plug-in is broken on purpose" in told


def test_the_agents_of_the_example_are_listed(plugged_in, sandtable):
    code, out, _ = sandtable("agents", "kuhn")
    assert code == 0
    assert "kuhn/cautious" in out
    assert "kuhn/equilibrium" in out


@pytest.mark.parametrize("words", [("check", "broken"), ("match", "broken", "random", "random")])
def test_the_broken_plug_in_fails_only_where_it_is_named(words, beside_a_broken_one):
    refused = run_alone(beside_a_broken_one, *words)
    assert refused.returncode == 1
    assert "the game 'broken' (sandtable_broken:broken) cannot be loaded" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("name", "subject"),
    {
        "kuhn": "game kuhn",
        "hexapawn": "game hexapawn",
        "hexapawn:columns=5,rows=4": "game hexapawn:columns=5,rows=4",
        "hexapawn/machine": "agent hexapawn/machine in hexapawn",
        "kuhn/cautious": "agent kuhn/cautious in kuhn",
        "kuhn/equilibrium:boldness=0.3": "agent kuhn/equilibrium:boldness=0.3 in kuhn",
    }.items(),
)
def test_the_example_keeps_the_contract(name, subject, plugged_in, sandtable):
    code, out, _ = sandtable("check", name)
    assert code == 0, out
    assert f"{subject} keeps the contract." in out


def total(specs, games):
    """Return what the first seat has won in so many games, and the last position of the first."""
    agents = [surface.make_agent(spec) for spec in specs]
    game = surface.make_game("kuhn")
    played = [
        surface.play_game(game, agents, specs=specs, seed=3, number=number).record
        for number in range(games)
    ]
    assert not [record for record in played if record.outcome.forfeited_by is not None]
    return sum(record.outcome.scores[0] for record in played), played[0].final


def test_the_example_is_played_in_the_arena(plugged_in):
    equilibrium = ["kuhn/equilibrium", "kuhn/equilibrium"]
    assert total(equilibrium, 300) == total(equilibrium, 300)
    # The value of the game is a coin in 18 games for the second player; one game deviates by 1.3.
    assert abs(total(equilibrium, 2000)[0] / 2000 + 1 / 18) < 4 * 1.3 / 2000**0.5
    cautious = total(["kuhn/equilibrium", "kuhn/cautious"], 1000)[0]
    assert cautious / 1000 > -1 / 18 - 5 * 1.3 / 1000**0.5
    assert total(["random", "kuhn/equilibrium"], 1000)[0] < 0


@pytest.mark.parametrize("first", ["kuhn/cautious", "kuhn/equilibrium"])
def test_the_example_is_played_from_the_command_line(first, plugged_in, sandtable, tmp_path):
    """Once with an agent in Python, once all in kernels."""
    results = tmp_path / "results.json"
    options = ("--games", "300", "--seed", "1", "--json", results)
    code, out, err = sandtable("match", "kuhn", first, "kuhn/equilibrium", *options)
    assert code == 0, err
    assert first in out
    assert json.loads(results.read_text())["games"] == 300


def test_bad_options_of_the_example_are_told_in_one_line(plugged_in, sandtable):
    code, _, err = sandtable("check", "hexapawn:columns=9")
    assert code == 1
    assert err.splitlines()[-1] == "error: hexapawn has 3 to 6 columns, got 9"
    code, _, err = sandtable("check", "hexapawn/machine:boxes=nowhere.json")
    assert code == 1
    assert "no matchboxes can be read from nowhere.json" in err
    assert "Traceback" not in err


def test_the_published_table_of_the_example_is_reproduced(plugged_in, sandtable, tmp_path):
    rows = tmp_path / "rows.json"
    code, out, err = sandtable("reproduce", "hexapawn", "--quick", "--json", rows)
    assert code == 0, err
    assert "Hexapawn on three by three squares" in out
    found = {row["agent"]: row for row in json.loads(rows.read_text())["rows"]}
    assert found["hexapawn/machine"]["verdict"] == "agrees"
    assert found["random"]["verdict"] == "agrees"


def test_the_example_is_trained_and_goes_on_after_a_stop(plugged_in, sandtable, tmp_path):
    """In two parts the run gives the boxes that come with the package, bead by bead."""
    run = ("train", "hexapawn/machine", "--out", tmp_path / "run")
    assert sandtable(*run, "--games", "300")[0] == 0
    code, out, err = sandtable(*run)
    assert code == 0, err
    boxes = tmp_path / "run" / "boxes.json"
    assert f"play with hexapawn/machine:boxes={boxes}" in out
    bundled = EXAMPLE / "src" / "sandtable_hexapawn" / "boxes.json"
    assert json.loads(boxes.read_text()) == json.loads(bundled.read_text())
    code, _, err = sandtable(*run, "--columns", "4")
    assert code == 1
    assert "holds a run with another configuration (columns 3 there, 4 here)" in err


def test_the_command_of_the_example_is_listed_and_runs(plugged_in, sandtable, tmp_path):
    assert "matchboxes" in sandtable("--help")[1]
    code, out, err = sandtable("matchboxes")
    assert code == 0, err
    assert "bbb/w../.ww black  b3-a2\n" in out
    assert out.splitlines()[-1] == "31 boxes, 57 beads"
    code, _, err = sandtable("matchboxes", tmp_path / "none.json")
    assert code == 1
    assert "Traceback" not in err


def test_the_agent_of_the_example_explains_itself(plugged_in, sandtable):
    code, out, err = sandtable("explain", "hexapawn/machine", "bbb/w../.ww black")
    assert code == 0, err
    assert "beads left: b3-a2" in out


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
