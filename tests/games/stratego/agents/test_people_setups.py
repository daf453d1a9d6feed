"""Set-ups as people make them: all pieces, and the shares that are known of people."""

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.people_setups import (
    LANE_COLUMNS,
    draw_as_people,
    draw_trap,
)
from sandtable.games.stratego.setups import Setup, check_setup

COUNT = 4000


def drawn(draw, count=COUNT):
    """Return set-ups [n, 4, 10]."""
    setups, dice = np.zeros((count, 40), dtype=np.int64), Dice(5, "people")
    for ranks in setups:
        draw(ranks, dice.array)
    return setups.reshape(count, 4, 10)


@pytest.mark.parametrize("draw", [draw_as_people, draw_trap])
def test_every_set_up_is_legal(draw):
    for setup in drawn(draw, 200):
        assert check_setup(Setup(layout.CLASSIC, tuple(map(int, setup.ravel())))) == []


def test_shares_are_those_of_people():
    setups = drawn(draw_as_people)
    front_bombs = setups[:, 0] == layout.BOMB
    columns = (setups == layout.FLAG).any(1).argmax(1)
    from_edge = np.minimum(columns, 9 - columns)
    shares = {
        "marshal in front": (setups[:, 0] == layout.MARSHAL).any(1).mean(),
        "a bomb in front": front_bombs.any(1).mean(),
        "squares in front with a bomb": front_bombs.mean(),
        "a bomb where a lane ends": front_bombs[:, list(LANE_COLUMNS)].any(1).mean(),
        "spy in the back row": (setups[:, 3] == layout.SPY).any(1).mean(),
        "flag at the edge or beside it": (from_edge <= 1).mean(),
        "flag three columns from the edge or more": (from_edge >= 3).mean(),
    }
    known = [0.36, 0.455, 0.068, 0.292, 0.05, 0.28, 0.52]
    assert np.allclose(list(shares.values()), known, atol=0.025), shares


def test_traps_shut_most_lanes_and_leave_one_open():
    setups = drawn(draw_trap, 500)
    shut = (setups[:, 0][:, list(LANE_COLUMNS)] == layout.BOMB).sum(1)
    assert shut.min() == 3
    assert shut.max() == 5
    assert (setups[:, 1] == layout.SPY).any(1).all()
