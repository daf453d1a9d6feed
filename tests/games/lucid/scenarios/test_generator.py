"""Drawn scenarios: a number means one for ever, and all of them can be played."""

from __future__ import annotations

import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid.scenarios.generator import generated_values
from sandtable.games.lucid.scenarios.parse import read_scenario
from sandtable.registry import make_game


def test_every_number_is_a_scenario_of_its_own():
    boards = set()
    for number in range(200):
        scenario = read_scenario(generated_values(number))
        blue, red = scenario.units
        assert blue > red > 0
        assert 4 <= scenario.columns <= 5 and 4 <= scenario.rows <= 5
        boards.add(scenario)
    assert len(boards) == 200


def test_a_number_means_one_scenario_for_ever():
    assert generated_values(17) == {
        "board": "r1,r1,1,r1/r1,r1,r2,1/4/b3,b3,b3,b3",
        "turns": 28,
        "closed_roads": "",
        "defender": "1 a3:2",
        "right_to_move": "alternate",
        "supply": "off",
    }


def test_specs_keep_the_number_and_can_be_changed():
    game = make_game("lucid:scenario=random-17")
    assert game.spec == "lucid:scenario=random-17"
    changed = make_game("lucid:scenario=random-17,turns=9")
    assert "random" not in changed.spec and "turns=9" in changed.spec
    assert make_game(changed.spec).start(Dice(1)) == changed.start(Dice(1))
    with pytest.raises(SandtableError, match="random-17 \\(17 being any number\\)"):
        make_game("lucid:scenario=random")
