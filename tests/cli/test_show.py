"""``sandtable show``: the drawings get where they should, and mistakes get one clear line."""

import shlex
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sandtable.cli.show import show
from sandtable.registry import make_game

START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"
COMBAT = "2,B3r2,2/2,b1,2/2,b1,2/2,b1,2/2,b1,2 b 9 0 -"


def drawing(line):
    game = make_game("lucid")
    return game.drawing.text(game.parse(line).position)


def test_start_is_drawn_as_text(sandtable):
    code, out, errors = sandtable("show", "lucid")
    assert (code, errors) == (0, "")
    assert out == drawing(START) + "\n"  # the dice of seed 0 let Blue begin


def test_seed_throws_the_dice(sandtable):
    movers = {sandtable("show", "lucid", "--seed", seed)[1].splitlines()[0] for seed in range(8)}
    assert len(movers) == 2


@pytest.mark.parametrize("words", [[COMBAT], COMBAT.split()])
def test_position_with_or_without_quotes(sandtable, words):
    code, out, _ = sandtable("show", "lucid", *words)
    assert (code, out) == (0, drawing(COMBAT) + "\n")


def test_moves_are_played_and_dice_told(sandtable):
    code, out, _ = sandtable("show", "lucid", COMBAT, "--moves", "c4-b4 end", "--seed", "3")
    assert code == 0
    picture, combat, turn = out.rstrip().rpartition("\n\n")[0], *out.splitlines()[-2:]
    assert picture.startswith("Operation Lucid, turn 10 of 36")
    assert combat.startswith("c5: Blue attacks 3 to 2 out of supply, ")
    assert turn in ("turn 10: Blue has the right to move", "turn 10: Red has the right to move")
    assert sandtable("show", "lucid", COMBAT, "-m", "c4-b4,end", "-s", "3")[1] == out


def test_legal_actions_are_listed(sandtable):
    out = sandtable("show", "lucid", START, "--moves", "a1-a2", "--legal", "--seat", "blue")[1]
    assert out.endswith("\n\n7 legal actions: a1-a2 b1-b2 b1-a1 c1-c2 d1-d2 e1-e2 end\n")
    assert "over" in sandtable("show", "lucid", "5/5/5/5/5 - 9 3 -", "--legal")[1].splitlines()[-1]


def test_svg_to_the_terminal_is_the_svg_alone(sandtable):
    code, out, _ = sandtable("show", "lucid", START, "--format", "svg", "--moves", "end")
    assert code == 0
    assert ElementTree.fromstring(out).tag.endswith("svg")


def test_files_by_their_ending(sandtable, tmp_path):
    for name in ("start.svg", "start.PNG", "start.txt"):
        assert sandtable("show", "lucid", START, "-o", tmp_path / name)[0] == 0
    game = make_game("lucid")
    svg = game.drawing.svg(game.parse(START).position)
    assert (tmp_path / "start.svg").read_text() == svg + "\n"
    assert (tmp_path / "start.txt").read_text() == drawing(START) + "\n"
    assert (tmp_path / "start.PNG").read_bytes().startswith(b"\x89PNG")


def test_width_and_format_of_a_png(sandtable, tmp_path):
    out = tmp_path / "picture"
    assert sandtable("show", "lucid", "-o", out, "--format", "png", "--width", "380")[0] == 0
    width, height = struct.unpack(">II", out.read_bytes()[16:24])
    assert (width, height) == (380, 472)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ludic"], "there is no game 'ludic'. Did you mean 'lucid'?"),
        (["lucid", "5/5/5"], "a lucid position has 5 fields"),
        (["lucid", "5/5/5/5/b9,4 b 1 0 -"], "'b9' in row 'b9,4' is no node"),
        (["lucid", START, "--moves", "jump"], "'jump' is not a movelet"),
        (["lucid", START, "--moves", "a1-b1"], f"'a1-b1' is not legal in {START}"),
        (["lucid", START, "--moves", "a5-a4"], f"'a5-a4' is not legal in {START}"),
        (["lucid", "--seat", "green"], "lucid has no seat 'green'; its seats: blue, red"),
        (["lucid", "--out", "x.gif"], "cannot tell from 'x.gif' how to draw"),
        (["lucid", "--out", "/no/such/x.svg"], "cannot write /no/such/x.svg: there is no folder"),
        (["lucid", "--out", "/", "--format", "svg"], "cannot write /: Is a directory"),
        (["lucid", "--format", "png"], "a PNG is not for the terminal: add --out FILE"),
        (["lucid", "--width", "100"], "--width is for PNG files, not for text"),
        (["lucid", "--format", "svg", "--legal"], "--legal would stand in the middle"),
    ],
)
def test_mistakes_get_one_line(sandtable, words, expected):
    code, out, errors = sandtable("show", *words)
    assert (code, out) == (1, "")
    assert errors.startswith(f"error: {expected}")
    assert errors.count("\n") == 1


def test_missing_extra_gets_one_line(sandtable, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    code, _, errors = sandtable("show", "lucid", "-o", tmp_path / "x.png")
    assert code == 1
    assert (
        errors == "error: drawing a PNG needs the extra 'png': pip install 'sandtable-games[png]'\n"
    )
    assert not (tmp_path / "x.png").exists()


def test_help_has_examples_that_work(sandtable, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    examples = show.__doc__.partition("Examples:")[2].strip().splitlines()
    for example in filter(None, map(str.strip, examples)):
        words = shlex.split(example.partition(" > ")[0])
        assert sandtable(*words[1:])[0] == 0, example


def test_installed_command():
    command = Path(sys.executable).with_name("sandtable")
    words = [command, "show", "lucid", "nonsense"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
