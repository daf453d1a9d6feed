"""Connect four: the contract by the conformance kit, the rules by positions thought through."""

import pytest
from sandtable_connect_four.game import connect_four

from sandtable import UnreadablePosition, check_game


def after(columns):
    """Return the state after stones in these columns, in turn."""
    state = connect_four().start()
    for column in columns:
        state = state.play(column)
    return state


def test_it_keeps_the_contract():
    assert not check_game(connect_four()).problems


@pytest.mark.parametrize(
    "columns",
    ["aabbccd", "abababa", "abbccdcddgd", "gffeededdad"],
    ids=["across", "up", "rising", "falling"],
)
def test_four_in_a_row_win(columns):
    before, state = after(columns[:-1]), after(columns)
    assert before.legal
    assert state.outcome.scores == (1.0, -1.0)
    assert not state.legal


def test_rows_do_not_go_on_at_the_other_edge():
    assert after("eafbgda").legal  # e1 f1 g1 and a2 are neighbours only in the array


def test_a_full_board_is_a_draw():
    rows = ["xxoxxo.", "ooxooxx", "xxoxxoo", "ooxooxx", "xxoxxoo", "ooxooxx"]
    state = connect_four().parse("/".join(rows) + " o").play("g")
    assert state.outcome.scores == (0.0, 0.0)


@pytest.mark.parametrize("text", ["x/o x", "." * 7, ("x......" + "/......." * 5) + " o"])
def test_nonsense_is_no_position(text):
    with pytest.raises(UnreadablePosition):
        connect_four().parse(text)
