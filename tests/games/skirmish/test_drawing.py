"""Drawings, words and planes."""

from xml.etree import ElementTree

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.planes import PLANE_NAMES
from sandtable.registry import make_game
from sandtable.types import OVER

SKIRMISH = make_game("skirmish")
MIDDLE = "3ss3/xssb1w2/1x2w2x/3s1x2/3xxx1S/x3W1S1/5W1S/1WsW4 f 61 " + (
    "21,53,5,15,12,4,28,23,45,39,3,16,11,51,45,3 -"
)
DRAWN = """\
Skirmish, half-turn 61: First to move

  8   .    .    .    s21  s53  .    .    .
  7   ~    s5   s15  b12  .    w4   .    .
  6   .    ~    .    .    w28  .    .    ~
  5   .    .    .    s23  .    ~    .    .
  4   .    .    .    ~    ~    ~    .    S45
  3   ~    .    .    .    W39  .    S3   .
  2   .    .    .    .    .    W16  .    S11
  1   .    W51  s45  W3   .    .    .    .
      a    b    c    d    e    f    g    h

First:  4 workers, 3 soldiers
Second: 1 barracks, 2 workers, 6 soldiers
t town, b barracks, w worker, s soldier, each with its age; capitals are First's
. land, ~ water, where nothing can go"""
SVG = "{http://www.w3.org/2000/svg}"


def events(line, action):
    state = SKIRMISH.parse(line)
    after = state.play(action)
    number = SKIRMISH.notation.parse_action(action)
    return SKIRMISH.drawing.events(state.position, number, after.position)


def test_text():
    assert str(SKIRMISH.parse(MIDDLE)) == DRAWN


def test_finished_games_and_limits_are_told():
    over = SKIRMISH.parse("8/8/8/8/8/8/8/W7 - 5 2 -")
    assert str(over).startswith("Skirmish, half-turn 5: game over, Second has no units left\n")
    assert "Second: no units" in str(over)
    limited = make_game("skirmish:max_turns=100").start()
    assert str(limited).startswith("Skirmish, half-turn 1 of 200: First to move\n")


def test_svg_shows_every_unit_and_square():
    root = ElementTree.fromstring(SKIRMISH.drawing.svg(SKIRMISH.parse(MIDDLE).position))
    classes = [element.get("class", "") for element in root.iter()]
    assert classes.count("unit first") == 7
    assert classes.count("unit second") == 9
    assert classes.count("water") == 8
    assert classes.count("land") == 56
    places = {e.get("data-square") for e in root.iter() if e.get("class", "").startswith("unit")}
    assert {"d8", "h4", "c1"} <= places
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert titles[0] == "Skirmish, half-turn 61: First to move"
    assert "Second's barracks on d7, age 12 of 16" in titles
    assert "Second's worker on f7, age 4" in root.find(f"{SVG}desc").text


def test_every_position_of_a_game_can_be_drawn():
    choices, state = Dice(9, "choices"), SKIRMISH.start()
    while True:
        svg = SKIRMISH.drawing.svg(state.position)
        assert svg.isascii()
        ElementTree.fromstring(svg)
        if state.turn == OVER:
            break
        state = state.play(state.legal[choices.below(len(state.legal))])
    assert "has no units left" in svg
    assert " wins</text>" in svg


def test_an_empty_sea_and_an_empty_land_can_be_drawn():
    for board in ("/".join(["xxxxxxxx"] * 8), "/".join(["8"] * 8)):
        position = SKIRMISH.parse(f"{board} - 3 - -").position
        ElementTree.fromstring(SKIRMISH.drawing.svg(position))


@pytest.mark.parametrize(
    ("line", "action", "told"),
    [
        ("8/3t4/8/8/8/8/4W3/4T3 f 1 5,5,5 -", "e2-e3", []),
        ("8/3t4/8/8/8/8/3sS3/4T3 f 1 5,9,5,5 -", "e2-d2", ["Second's soldier on d2 is taken"]),
        ("8/3t4/8/8/8/8/4W3/4T3 f 1 11,5,5 -", "e2-e3", ["Second's worker on c7 is raised"]),
        (
            "8/2st4/8/8/8/8/4W3/4T3 f 1 79,11,5,5 -",
            "e2-e3",
            [
                "Second's soldier on c7 is gone, 80 half-turns old",
                "Second's worker on c7 is raised",
            ],
        ),
        (
            "8/8/8/8/8/8/3sS3/4T3 f 1 9,5,5 -",
            "e2-d2",
            ["Second's soldier on d2 is taken", "the game is over: Second has no units left"],
        ),
    ],
)
def test_events(line, action, told):
    assert events(line, action) == told


def test_planes_are_those_of_the_thesis():
    state = SKIRMISH.parse("t7/1b6/2w5/3s3x/3S4/2W5/1B6/T7 f 1 8,8,16,40,20,4,2,40 -")
    planes = state.planes(layout.FIRST)
    assert planes.shape == (len(PLANE_NAMES), 8, 8) == (6, 8, 8)
    assert planes[0].sum() == 63
    assert planes[0, 3, 7] == 0
    for plane, place in ((1, (7, 0)), (2, (6, 1)), (3, (5, 2)), (4, (4, 3))):
        assert planes[plane, place[0], place[1]] == 1
        assert planes[plane, 7 - place[0], place[1]] == -1
        assert np.abs(planes[plane]).sum() == 2
    assert planes[5, 7, 0] == 0.5
    assert planes[5, 3, 3] == -0.5
    assert (planes[5] != 0).sum() == 8


def test_second_sees_the_board_turned_round():
    state = SKIRMISH.parse(MIDDLE)
    first, second = state.planes(layout.FIRST), state.planes(layout.SECOND)
    assert (second[0] == first[0, ::-1]).all()
    assert (second[1:] == -first[1:, ::-1]).all()
