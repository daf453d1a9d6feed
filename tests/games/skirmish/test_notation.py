"""Moves and positions as text, both ways, and what is said about text that is neither."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandtable.dice import Dice
from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.skirmish import layout
from sandtable.registry import make_game
from sandtable.types import OVER

SKIRMISH = make_game("skirmish")
OTHER = make_game("skirmish:both_empty=second,max_turns=90,passes=first,start=random")
START = "8/x2wt3/1x5x/5x2/3xxx2/x7/3WT3/8 f 1 2,2,2,2 -"
GOLDEN = Path(__file__).parent / "golden.txt"
PLENTY = settings(max_examples=25, deadline=None, derandomize=True)


def play(game, seed, length):
    dice, choices = Dice(seed), Dice(seed, "choices")
    state = game.start(dice)
    while length and state.turn != OVER:
        state = state.play(state.legal[choices.below(len(state.legal))], dice)
        length -= 1
    return state


@PLENTY
@given(st.integers(0, 2**32), st.integers(0, 230), st.sampled_from([SKIRMISH, OTHER]))
def test_positions_come_back_from_their_text(seed, length, game):
    state = play(game, seed, length)
    assert game.parse(state.line) == state
    assert game.parse(state.line).line == state.line
    assert (SKIRMISH.parse(state.line).position == state.position).all()


def test_without_options_those_of_the_game_count():
    short = START.rsplit(" ", 1)[0]
    assert SKIRMISH.parse(short).line == START
    assert OTHER.parse(short).line.endswith(" both_empty=second,max_turns=90,passes=first")


def test_every_action_comes_back_from_its_name():
    names = set()
    for action in range(layout.ACTIONS):
        name = SKIRMISH.notation.action_name(action)
        names.add(name)
        if action == layout.PASS or layout.DESTINATION[action] != layout.NOWHERE:
            assert SKIRMISH.notation.parse_action(name) == action
            assert SKIRMISH.notation.parse_action(name.upper()) == action
    assert len(names) == layout.ACTIONS


def test_squares_are_named_as_on_a_chess_board():
    name = SKIRMISH.notation.action_name
    assert name(0 * 9 + 5) == "a8-b8"
    assert name(63 * 9 + 0) == "h1-g2"
    assert name(56 * 9 + layout.BUILD) == "a1+"
    assert name(layout.PASS) == "pass"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a move; write b2-c3, b2"),
        ("b2", "is not a move"),
        ("b2-c9", "is not a move"),
        ("i2-h2", "is not a move"),
        ("b2-d2", "b2 and d2 are not one step apart"),
        ("b2-b2", "b2 and b2 are not one step apart"),
        ("b2-c3-d4", "is not a move"),
        ("pas", "is not a move"),
        ("\u00b2b-c3", "is not a move"),
    ],
)
def test_unreadable_actions(text, words):
    with pytest.raises(UnreadableAction, match=words):
        SKIRMISH.notation.parse_action(text)


def test_numbers_beyond_the_actions_have_no_name():
    for action in (-1, layout.ACTIONS):
        with pytest.raises(UnreadableAction, match="actions 0 to 576"):
            SKIRMISH.notation.action_name(action)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "5 fields"),
        ("8/8 f 1", "5 fields"),
        (START + " -", "5 fields"),
        ("8/8/8/8/8/8/8 f 1 - -", "8 rows split by '/', got 7"),
        ("8/8/8/8/8/8/8/9 f 1 - -", "'9' in row '9' means nothing"),
        ("8/8/8/8/8/8/8/7 f 1 - -", "row '7' has 7 squares"),
        ("8/8/8/8/8/8/8/8w f 1 2 -", "row '8w' has 9 squares"),
        ("8/8/8/8/8/8/8/8X f 1 2 -", "'X' in row '8X' means nothing"),
        ("8/8/8/8/8/8/8/W6s x 1 2,2 -", "mover is f, s or -"),
        ("8/8/8/8/8/8/8/W6s f 0 2,2 -", "half-turn is a number from 1 to 230, got '0'"),
        ("8/8/8/8/8/8/8/W6s f 231 2,2 -", "half-turn is a number from 1 to 230"),
        ("8/8/8/8/8/8/8/W6s f 2 2,2 -", "First moves in odd half-turns"),
        ("8/8/8/8/8/8/8/W6s s 1 2,2 -", "First moves in odd half-turns"),
        ("8/8/8/8/8/8/8/W6s f 1 2 -", "2 units on the board, but 1 ages"),
        ("8/8/8/8/8/8/8/W6s f 1 2,80 -", "unit on h1 is a number from 1 to 79, got '80'"),
        ("8/8/8/8/8/8/8/B6s f 1 16,2 -", "unit on a1 is a number from 1 to 15, got '16'"),
        ("8/8/8/8/8/8/8/W6s f 1 0,2 -", "from 1 to 79, got '0'"),
        ("8/8/8/8/8/8/8/W6s f 1 \u00b2,2 -", "from 1 to 79"),
        ("8/8/8/8/8/8/8/W6s - 5 2,2 -", "over only when a side has no units"),
        ("8/8/8/8/8/8/8/W6s f 1 2,2 fast=1", "'fast=1' in 'fast=1' is no option"),
        ("8/8/8/8/8/8/8/W6s f 1 2,2 both_empty=first", "is no option"),
        ("8/8/8/8/8/8/8/W6s f 1 2,2 max_turns=0", "max_turns is a number from 1 to 1000"),
        ("8/8/8/8/8/8/8/W6s f 1 2,2 passes=first,passes=both", "stands twice"),
        ("8/8/8/8/8/8/8/W6s f 5 2,2 max_turns=2", "the game ends with half-turn 4"),
    ],
)
def test_unreadable_positions(line, words):
    with pytest.raises(UnreadablePosition, match=words) as caught:
        SKIRMISH.parse(line)
    assert "\n" not in str(caught.value)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=40) | st.text("8/xtbwsTBWS123 f-,=", max_size=60))
def test_nonsense_is_refused_and_nothing_else_happens(text):
    with contextlib.suppress(UnreadablePosition):
        SKIRMISH.parse(text)
    with contextlib.suppress(UnreadableAction):
        SKIRMISH.notation.parse_action(text)


def test_the_game_that_is_written_down_replays():
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    state = SKIRMISH.parse(lines[3])
    assert state == SKIRMISH.start()
    *turns, end = [line for line in lines[4:] if line]
    for told, line in zip(turns[::2], turns[1::2], strict=True):
        seat, action = told.split(": ")
        assert SKIRMISH.seats[state.turn] == seat
        state = state.play(action)
        assert state.line == line
    assert end == f"{state.outcome.scores} {state.outcome.reason}"
    assert len(turns) > 200
