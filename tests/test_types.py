"""State: immutable, complete, and without any dice inside."""

from __future__ import annotations

import numpy as np
import pytest

import sandtable
from sandtable import Dice, make_game
from sandtable.errors import IllegalAction, SandtableError, UnreadableAction

GAME = make_game("lucid")
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"


def test_a_state_cannot_be_changed():
    state = GAME.parse(START)
    with pytest.raises(ValueError, match="read-only"):
        state.position[0] = 1
    with pytest.raises(AttributeError, match="play"):
        state.seat = 1
    before = state.line
    state.play("a1-a2")
    assert state.line == before


def test_playing_by_number_name_or_list_is_the_same():
    state = GAME.parse(START)
    by_name = state.play("a1-a2 a1-a2 b1-b2")
    by_list = state.play([0, 0, 4])
    assert by_name == by_list == state.play(0).play("a1-a2").play(np.int64(4))
    assert hash(by_name) == hash(by_list)
    assert by_name.legal_names == tuple(map(GAME.notation.action_name, by_name.legal))


def test_the_dice_decide_and_fresh_ones_are_thrown_by_default():
    state = GAME.parse(START)
    assert state.play("end", Dice(1)) == state.play("end", Dice(1))
    assert {state.play("end").turn for _ in range(64)} == {0, 1}


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        ("a1-c3", UnreadableAction, "no edge joins a1 and c3"),
        ("north", UnreadableAction, "'north' is not a movelet"),
        ("a2-a3", IllegalAction, "'a2-a3' is not legal in r2,"),
        (101, IllegalAction, "action 101 is not legal"),
        ([], UnreadableAction, "no action given"),
    ],
)
def test_bad_actions_are_told(action, error, words):
    with pytest.raises(error, match=words):
        GAME.parse(START).play(action)


def test_after_the_end_nothing_is_legal():
    over = GAME.parse("r2,4/5/5/5/b3,4 - 36 4 -")
    assert over.turn == sandtable.OVER
    assert over.legal == ()
    assert over.outcome == sandtable.Outcome((4.0, -4.0), "36 turns played")
    with pytest.raises(IllegalAction, match="the game is over"):
        over.play("end")


def test_views_know_their_seat():
    state = GAME.parse(START)
    assert state.view(1).seat == 1
    assert "seen by red" in repr(state.view(1))
    assert state.view(0) != state
    assert state.view(0).guess() == state
    with pytest.raises(SandtableError, match="no seat 5"):
        state.view(5)
    assert GAME.seat_number("Red") == GAME.seat_number("1") == 1
    with pytest.raises(SandtableError, match="blue, red"):
        GAME.seat_number("green")


def test_notebooks_get_a_picture():
    assert GAME.parse(START)._repr_svg_().startswith("<svg")


def test_the_public_names_are_there():
    for name in sandtable.__all__:
        assert getattr(sandtable, name) is not None
    assert dir(sandtable) == sorted(sandtable.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sandtable.nonsense
