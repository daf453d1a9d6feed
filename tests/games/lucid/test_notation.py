"""Movelets and positions as text, both ways, and what is said about text that is neither."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.lucid.test_properties import PLENTY, lengths, play, seeds
from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.lucid import rules
from sandtable.registry import make_game

LUCID = make_game("lucid")
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"


@PLENTY
@given(seeds, lengths)
def test_positions_come_back_from_their_text(seed, length):
    for state in play(seed, length):
        assert LUCID.parse(state.line) == state
        assert LUCID.parse(state.line).line == state.line


def test_every_movelet_comes_back_from_its_name():
    names = set()
    for action in range(rules.ACTIONS):
        name = LUCID.notation.action_name(action)
        names.add(name)
        if action == rules.END or rules.DESTINATION[action] != rules.NOWHERE:
            assert LUCID.notation.parse_action(name) == action
            assert LUCID.notation.parse_action(name.upper()) == action
    assert len(names) == rules.ACTIONS


def test_actions_are_read_in_any_usual_writing():
    actions = [LUCID.notation.parse_action(word) for word in ("a1-a2", "b1-b2", "end")]
    for text in ("a1-a2 b1-b2 end", "a1-a2, b1-b2, end", " A1-A2,b1-b2\nEND "):
        assert LUCID.parse_actions(text) == actions


@pytest.mark.parametrize("text", ["", "a1", "a1-a3", "a1-goal", "f1-f2", "a0-a1", "a1-a2-a3", "²",
                                  "end end", "c5-c6", "a1-n", "A1-b2", "e5-gaol"])  # fmt: skip
def test_what_is_no_movelet_is_refused_with_its_text(text):
    with pytest.raises(UnreadableAction, match=f"^'{text}'"):
        LUCID.notation.parse_action(text)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "5 fields"),
        (START + " -", "5 fields"),
        (START.replace("/5/5/5/", "/5/5/"), "5 rows"),
        (START.replace("5/5/5", "5/4/5"), "has 4 nodes"),
        (START.replace("5/5/5", "5/3,3/5"), "has 6 nodes"),
        (START.replace("5/5/5", "5/²,3/5"), "is no node"),
        (START.replace("5/5/5", "5/" + "9" * 5000 + "/5"), "is no node"),
        (START.replace("b3,", "b4,"), "is no node"),
        (START.replace(" b ", " x "), "the mover is"),
        (START.replace(" 1 ", " 37 "), "turn is a number"),
        (START.replace(" 1 ", " ² "), "turn is a number"),
        (START.replace(" 0 ", " 1 "), "at most 15 Blue"),
        (START.replace(" 0 ", " -1 "), "units in the goal is a number"),
        (START.replace(" -", " a1:4"), "is not like a2:3"),
        (START.replace(" -", " a2:1"), "more units have moved"),
        (START.replace(" b ", " - "), "the game is over exactly"),
        ("5/5/2,B1R1,2/5/5 b 1 0 -", "one of them attacks"),
        ("5/5/2,b1r1,2/5/5 b 1 0 -", "one of them attacks"),  # nobody came in this turn
        ("5/5/2,R1,2/5/5 b 1 0 -", "elsewhere nobody does"),
        ("5/5/5/5/5 b 1 0 -", "the game is over exactly"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(line, complaint):
    with pytest.raises(UnreadablePosition, match=complaint):
        LUCID.parse(line)


@PLENTY
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    for parse, error in (
        (LUCID.notation.parse_action, UnreadableAction),
        (LUCID.notation.parse_position, UnreadablePosition),
    ):
        try:
            parse(text)
        except error:
            continue


@PLENTY
@given(seeds, lengths, st.integers(0, 10**6), st.sampled_from("0123459abrBR,/-: ²"))
def test_a_damaged_line_is_refused_or_means_a_position(seed, length, place, letter):
    line = play(seed, length)[-1].line
    place %= len(line)
    damaged = line[:place] + letter + line[place + 1 :]
    try:
        position = LUCID.notation.parse_position(damaged)
    except UnreadablePosition:
        return
    again = LUCID.notation.parse_position(LUCID.notation.position_line(position))
    assert np.array_equal(position, again)
