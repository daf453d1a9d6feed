"""``sandtable show`` of an agent: its networks as text, SVG and PNG, and mistakes in one line."""

from xml.etree import ElementTree

import pytest

from games.gravwell.agents.plain_networks import grown_brain
from sandtable.games.gravwell.agents.neuro_evolution.brain import brain_text
from sandtable.games.gravwell.agents.neuro_evolution.drawing import brain_svg
from sandtable.games.gravwell.agents.neuro_evolution.formulas import brain_lines

AGENT = "gravwell/neuro-evolution"


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "networks.json"
    path.write_text(brain_text(grown_brain(7, "card", "stop"), {}))
    return f"{AGENT}:{path}"


def test_networks_of_a_file(sandtable, spec, tmp_path):
    brain = grown_brain(7, "card", "stop")
    assert sandtable("show", spec) == (0, brain_lines(brain) + "\n", "")
    assert sandtable("show", spec, "-o", tmp_path / "networks.svg")[0] == 0
    assert (tmp_path / "networks.svg").read_text() == brain_svg(brain) + "\n"
    assert sandtable("show", spec, "-o", tmp_path / "networks.png", "--width", "500")[0] == 0
    assert (tmp_path / "networks.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = sandtable("show", spec, "--format", "svg")
    assert code == 0
    assert ElementTree.fromstring(out).tag.endswith("svg")


def test_bundled_networks(sandtable):
    code, out, _ = sandtable("show", AGENT)
    assert code == 0
    for kind in ("card", "stack", "stop"):
        assert f"{kind}: " in out
    assert sandtable("show", f"{AGENT}:published")[1].startswith("hand: plays the card")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([f"{AGENT}:none.json"], "cannot read the networks none.json: No such file or directory"),
        ([f"{AGENT}:pyproject.toml"], "pyproject.toml is not a file of networks: it is no JSON"),
        ([f"{AGENT}:color=red"], f"'{AGENT}' has no option 'color' (its options: weights)"),
        (
            [AGENT, "--legal"],
            f"'{AGENT}' is an agent: position, --moves, --seat, --legal, --pl",
        ),
        (
            [AGENT, "-m", "go"],
            f"'{AGENT}' is an agent: position, --moves, --seat, --legal, --pl",
        ),
        ([AGENT, "-o", "x.gif"], "cannot tell from 'x.gif' how to draw"),
        (["gravwell/random-no-stop"], "'gravwell/random-no-stop' has nothing to show"),
        (["gravwell/neuro"], "there is no agent 'gravwell/neuro'. Did you mean 'gravwell/neuro-"),
    ],
)
def test_mistakes_get_one_line(sandtable, request, monkeypatch, words, expected):
    monkeypatch.chdir(request.config.rootpath)
    code, out, errors = sandtable("show", *words)
    assert (code, out) == (1, "")
    assert errors.startswith(f"error: {expected}")
    assert errors.count("\n") == 1
