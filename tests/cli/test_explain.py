"""``sandtable explain``: what an agent saw and weighed, as text and as a picture."""

import shlex
from xml.etree import ElementTree

import pytest

from sandtable.cli.explain import explain
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES

WINGS = "r2,r3,1,r3,r2/5/b3,b3,1,b3,b3/1,b1,3/1,b1,2,b1 b 5 0 -"


def test_semantic_shows_groups_features_outputs_and_moves(sandtable, tmp_path):
    picture = tmp_path / "why.svg"
    code, out, _ = sandtable("explain", "lucid/semantic", WINGS, "-o", picture)
    assert code == 0
    for group in ("Group 1: b1 b2 a3 b3 (8 units)", "Group 2: e1 (1 unit)", "Group 3: d3 e3"):
        assert group in out
    assert all(out.count(f"{name}: ") == 3 for name in FEATURE_NAMES)
    assert all(f"{name} 0." in out or f"{name} 1." in out for name in CATEGORIES)
    assert "chosen: " in out and "Move: " in out
    drawn = picture.read_text()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert all(name in drawn for name in CATEGORIES) and 'class="arrow"' in drawn


def test_imitation_shows_the_reference_and_its_distance(sandtable, tmp_path):
    picture = tmp_path / "why.svg"
    code, out, _ = sandtable("explain", "lucid/imitation-4", WINGS, "-o", picture)
    assert code == 0
    assert "Reference: game " in out and ", distance " in out
    assert "Expert's move there: " in out and "Demands met: " in out
    drawn = picture.read_text()
    ElementTree.fromstring(drawn)
    assert "Demands met" not in sandtable("explain", "lucid/imitation-1", WINGS)[1]


@pytest.mark.parametrize(("number", "states"), [(1, 4), (2, 4), (3, 5), (4, 5)])
def test_imitation_draws_every_state_on_the_way(sandtable, tmp_path, number, states):
    picture = tmp_path / "why.svg"
    sandtable("explain", f"lucid/imitation-{number}", WINGS, "-o", picture)
    drawn = picture.read_text()
    assert drawn.count("Operation Lucid</text>") == states
    for name in ("reference state", "desired next state", "current state", "resulting state"):
        assert drawn.count(name) == 1
    assert drawn.count("intermediate state") == (states == 5)  # the others have nothing between


def test_constraints_show_the_plan(sandtable):
    out = sandtable("explain", "lucid/constraint-blue:candidates=100", WINGS)[1]
    assert "Plan: 13 on row 2 and north of it; 12 on row 3 and north of it" in out
    assert "Value of the best: " in out
    red = WINGS.replace(" b 5", " r 5")
    assert "on rows 5 to 5" in sandtable("explain", "lucid/constraint-red", red)[1]


def test_it_explains_what_the_agent_would_play(sandtable):
    first, again = (sandtable("explain", "lucid/semantic", WINGS)[1] for _ in range(2))
    assert first == again


def test_semantic_explains_red_and_what_was_looked_up(sandtable, tmp_path):
    picture = tmp_path / "why.svg"
    red = WINGS.replace(" b 5", " r 5")
    code, out, _ = sandtable("explain", "lucid/semantic", red, "-o", picture)
    assert code == 0 and "coverExit" in out and "sally" in picture.read_text()
    code, out, _ = sandtable("explain", "lucid/semantic-lookup:neighbours=2", WINGS)
    assert code == 0 and "looked up: game " in out


def test_a_start_is_one_in_which_the_agent_moves(sandtable):
    for seed in ("0", "3"):  # the coin gives the first turn to Blue, and to Red
        code, out, _ = sandtable("explain", "lucid/semantic-lookup", "--seed", seed)
        assert code == 0 and "turn 1 of 36: Blue to move" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["random"], "'random' does not explain its moves; these do: alphabeta"),
        (["lucid/semantik"], "there is no agent 'lucid/semantik'"),
        (["lucid/constraint-blue", WINGS.replace(" b 5", " r 5")], "plays blue, not red"),
        (["lucid/semantic", "5/5/5/5/5 - 9 3 -"], "the game is over in"),
        (["lucid/semantic", "5/5"], "a lucid position has 5 fields"),
        (["lucid/semantic", WINGS, "-o", "why.png"], "is drawn as SVG: end 'why.png' in .svg"),
    ],
)
def test_mistakes_get_one_line(sandtable, words, expected):
    code, out, errors = sandtable("explain", *words)
    assert (code, out) == (1, "") and errors.count("\n") == 1
    assert errors.startswith("error: ") and expected in errors


def test_help_has_examples_that_work(sandtable, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    examples = explain.__doc__.partition("Examples:")[2].strip().splitlines()
    for example in filter(None, map(str.strip, examples)):
        assert sandtable(*shlex.split(example)[1:])[0] == 0, example
