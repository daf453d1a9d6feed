"""Moves and positions as text, both ways, and what is said about text that is neither."""

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.stratego.boards import line_of, play, state_of
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, UnreadableAction, UnreadablePosition
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules import kernels as rules
from sandtable.registry import make_game
from sandtable.types import OVER

CLASSIC = make_game("stratego")
MINI = make_game("stratego:variant=mini")
GAMES = [
    CLASSIC,
    MINI,
    make_game("stratego:variant=barrage,setup=choose"),
    make_game("stratego:variant=duel,long_scouts=false,two_squares=1,more_squares=false"),
    make_game("stratego:variant=mini,red=choose,no_attack=0,max_plies=90"),
]
GOLDEN = Path(__file__).parent / "golden.txt"
START = "b9b3bSbFbBbB/bTb3b2b2b5b7/6/6/r3r5rTrSr3r7/rBr2rBrFr2r9 r 0/0 -/- -/- - variant=mini"
PLENTY = settings(max_examples=30, deadline=None, derandomize=True)


def played(game, seed, length):
    dice, choices = Dice(seed), Dice(seed, "choices")
    state = game.start(dice)
    while length and state.turn != OVER:
        state = state.play(int(rules.random_action(np.array(state.position), choices.array)), dice)
        length -= 1
    return state


@PLENTY
@given(st.integers(0, 2**32), st.integers(0, 150), st.sampled_from(GAMES))
def test_positions_and_views_come_back_from_their_text(seed, length, game):
    state = played(game, seed, length)
    for each in (state, state.view(0), state.view(1)):
        assert np.array_equal(game.parse(each.line).position, each.position)
        assert game.parse(each.line).line == each.line


def test_chases_come_back_from_their_text():
    red, blue = {"a1": "F", "b8": "7", "j1": "4"}, {"a10": "F", "d8": "5", "j10": "3"}
    state = play(state_of(red, blue), "b8-c8 d8-e8 c8-d8 e8-e9 d8-e8 e9-d9 e8-e9 d9-d8 e9-d9 d8-e8")
    moves = "b8-c8,d8-e8,c8-d8,e8-e9,d8-e8,e9-d9,e8-e9,d9-d8,e9-d9,d8-e8"
    assert state.line.split()[4:6] == ["e9-d9*1/d8-e8*1", f"10/0:{moves}"]
    again = state.game.parse(state.line)
    assert again == state
    with pytest.raises(IllegalAction, match="more-squares rule"):
        again.play("d9-d8")


def test_without_options_those_of_the_game_count():
    short = START.rsplit(" ", 1)[0]
    assert MINI.parse(short).line == START
    other = make_game("stratego:variant=mini,two_squares=5,long_scouts=false")
    assert other.parse(short).line.endswith(" variant=mini,long_scouts=false,two_squares=5")


@pytest.mark.parametrize("game", [CLASSIC, MINI])
def test_every_action_comes_back_from_its_name(game):
    side, names = game.board_shape[0], set()
    for action in range(game.action_count):
        name = game.notation.action_name(action)
        names.add(name)
        assert game.notation.parse_action(name) == action
        assert game.notation.parse_action(name.upper()) == action
        if action < layout.first_setup_action(side):
            ends = layout.from_square_of(side, action), layout.to_square_of(side, action)
            assert layout.action_between(side, *ends) == action
    assert len(names) == game.action_count
    for action in (-1, game.action_count):
        with pytest.raises(UnreadableAction, match="stratego has actions 0 to"):
            game.notation.action_name(action)


@pytest.mark.parametrize("game", [CLASSIC, MINI])
def test_turned_actions_are_those_of_the_other_side(game):
    side = game.board_shape[0]

    def turned(square):
        return (side - 1 - square // 10) * 10 + side - 1 - square % 10

    for action in range(game.action_count):
        other = layout.turned_action(side, action)
        assert layout.turned_action(side, other) == action
        if action < layout.first_setup_action(side):
            assert layout.from_square_of(side, other) == turned(layout.from_square_of(side, action))
            assert layout.to_square_of(side, other) == turned(layout.to_square_of(side, action))
        else:
            assert other == action


def test_squares_are_named_as_on_a_chess_board():
    name = CLASSIC.notation.action_name
    assert name(0) == "a10-b10"
    assert name(9) == "a10-a9"
    assert name(99 * 18) == "j1-a1"
    assert name(1799) == "j1-j2"
    assert [name(1800 + rank) for rank in range(14)] == [*".S23456789TBF", "done"]
    assert CLASSIC.notation.parse_action("10") == 1810


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a move such as a4-a5; in a set-up write F, B, S, 2 to 10"),
        ("a4", "is not a move such as a4-a5"),
        ("a4-a11", "there is no square a11; they are a1 to j10"),
        ("k4-k5", "there is no square k4"),
        ("a0-a1", "there is no square a0"),
        ("a4-b5", "is no move: pieces move along a row or a column"),
        ("a4-a4", "is no move: pieces move along a row or a column"),
        ("a4-a5-a6", "is not a move"),
        ("1", "is not a move"),
        ("\u00b2", "is not a move"),
        ("finished", "is not a move"),
    ],
)
def test_unreadable_actions(text, words):
    with pytest.raises(UnreadableAction, match=words):
        CLASSIC.notation.parse_action(text)


FEW = "bFb24/6/6/6/6/rFr24"  # each side has its flag and a scout
LOST = "S233579TBB"


def mini_line(rows=FEW, state="r", moves="10/3", lost=f"{LOST}/{LOST}", last="-/-", chase="-"):
    return f"{rows} {state} {moves} {lost} {last} {chase} variant=mini"


def test_the_line_that_is_spoiled_below_is_sound():
    assert MINI.parse(mini_line()).line == mini_line()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "7 fields"),
        ("6/6 r 0/0", "7 fields"),
        (START + " -", "7 fields"),
        (START.replace("variant=mini", "-"), "it is of the variant classic, but the game is mini"),
        (START.replace("variant=mini", "speed=1"), "'speed=1' is no option; those are variant"),
        (START + ",variant=mini", "the option variant stands twice"),
        (START + ",two_squares=x", "two_squares is a number from 0 to 1000, got 'x'"),
        (START + ",long_scouts=no", "long_scouts is one of false, true, got 'no'"),
        (mini_line("6/6/6/6/6"), "6 rows split by '/', got 5"),
        (mini_line("bFb24/6/6/6/6/rFr25"), "the row 'rFr25' does not have 6 squares"),
        (mini_line("bFb24/6/6/6/6/rFr23"), "the row 'rFr23' has 5 squares, not 6"),
        (mini_line("bFb24/6/6/6/6/rFr2x3"), "'x3' in the row 'rFr2x3' means nothing"),
        (mini_line("bFb24/6/~5/6/6/rFr24"), "a4 is no lake"),
        (mini_line("bFb24/6/6/6/6/rFr2!'rF'3"), "the flag on c1 cannot have moved"),
        (mini_line("bFb?!4/6/6/6/6/rFr24"), "b6 is marked as known, but its rank is '\\?'"),
        (mini_line("bFb?4/6/6/6/6/rFr?4"), "every seat knows its own pieces"),
        (mini_line(state="x"), "who moves is r, b, setup:17/ready or one of r#flag"),
        (mini_line(state="r#flag"), "the game is over when Blue's flag is lost, and only then"),
        (mini_line(moves="10"), "the moves are written as 57/3, got '10'"),
        (mini_line(moves="10/11"), "the number of quiet moves is from 0 to 10, got '11'"),
        (mini_line(moves="11/3"), "Red moves after an even number of moves"),
        (mini_line(moves="4000/3"), "the game is drawn after 4000 moves"),
        (mini_line(moves="400/200"), "the game is drawn after 200 moves without an attack"),
        (mini_line(lost="S233579TBB"), "losses of both sides are written as"),
        (mini_line(lost="S233579TBBB/S233579TBB"), "'B' in the losses .* can be lost"),
        (mini_line(lost="S233579TB/S233579TBB"), "Red has 2 pieces, by its losses it is 3"),
        (mini_line("bFb24/6/6/6/6/rFr34"), "Red has 0 of the rank scout, by its losses it is 1"),
        (mini_line(last="a1-a2/-"), "a last move is written as a4-a5\\*1, got 'a1-a2'"),
        (mini_line(last="a1-a7*1/-"), "'a1-a7' is no move on this board"),
        (mini_line(last="a1-b2*1/-"), "'a1-b2' is no move: pieces move along"),
        (mini_line(chase="3/0"), "chases are written as 3/0:a4-a5,b6-b7,a5-b5"),
        (mini_line(chase="3/0:a4-a5"), "the length of a chase is from 0 to 1, got '3'"),
        (mini_line(chase="0/0:a4-a5"), "the longer chase has as many moves"),
        (mini_line("bFb24/6/6/6/rB5/rFrB4", lost="S2233579T/S233579TBB"), "Red is to move but has"),
        (mini_line("bFb?'b?'3/6/6/6/6/rFr24", lost=f"{LOST}/22335579TB"), "'5' in the losses"),
        (mini_line("b?'b?4/6/6/6/6/rFr24", lost=f"{LOST}/S2233579TB"), "1 unknown pieces of"),
        (mini_line("b2b?4/6/6/6/6/rFr24"), "a view shows all unknown pieces as '\\?'"),
        ("6/6/6/6/6/6 setup:13/0 0/0 -/- -/- - variant=mini", "a side sets up on 12 squares"),
        ("6/6/6/6/r55/6 setup:0/0 0/0 -/- -/- - variant=mini", "Red cannot have set up these"),
        ("6/6/6/6/r55/6 setup:ready/0 0/0 -/- -/- - variant=mini", "Red cannot have set up these"),
        ("6/6/6/6/r5'5/6 setup:1/0 0/0 -/- -/- - variant=mini", "have not moved and are not known"),
        ("6/6/6/6/6/6 setup:0/0 2/0 -/- -/- - variant=mini", "nothing moves and nothing is lost"),
    ],
)  # fmt: skip
def test_unreadable_positions(line, words):
    with pytest.raises(UnreadablePosition, match=words) as caught:
        MINI.parse(line)
    assert "\n" not in str(caught.value)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=40) | st.text("6/rb?SFBT259!'~ -*:,=#0", max_size=60))
def test_nonsense_is_refused_and_nothing_else_happens(text):
    with contextlib.suppress(UnreadablePosition):
        MINI.parse(text)
    with contextlib.suppress(UnreadableAction):
        MINI.notation.parse_action(text)


@pytest.mark.parametrize(
    ("moves", "action", "words"),
    [
        ("", "a1-a2", "both sides set up before anybody moves"),
        ("", "done", "12 squares are not decided yet"),
        ("", "4", "there is no 4 in this variant"),
        ("F", "F", "every flag is placed"),
        ("2 2", "2", "every scout is placed"),
        ("", ".", "no square may be left empty"),
        ("B72T92FBS353", "B", "every square is decided; 'done' ends the set-up"),
    ],
)
def test_wrong_set_up_actions_are_explained(moves, action, words):
    state = make_game("stratego:variant=mini,setup=choose").start()
    letters = moves.split() if " " in moves or len(moves) < 2 else list(moves)
    state = state.play(" ".join(letters)) if letters else state
    with pytest.raises(IllegalAction, match=words):
        state.play(action)


def test_squares_can_be_left_empty_only_where_there_are_more_of_them():
    state = make_game("stratego:variant=barrage,setup=choose").start()
    state = state.play(" ".join("." * 32))
    assert "." not in state.legal_names
    with pytest.raises(IllegalAction, match="the other squares need pieces"):
        state.play(".")


def test_the_games_that_are_written_down_replay():
    text = GOLDEN.read_text(encoding="utf-8")
    _, *games = text.split("# random against random of ")
    assert len(games) == 2
    for written in games:
        heading, first, *lines = written.splitlines()
        game = make_game(heading.partition(": ")[0])
        state = game.parse(first)
        told = [line for line in lines if line and not line.startswith("  ")]
        for turn, line in zip(told[:-1:2], told[1:-1:2], strict=True):
            seat, actions = turn.split(": ")
            assert game.seats[state.turn] == seat
            state = state.play(actions)
            assert state.line == line
        assert told[-1] == f"{state.outcome.scores} {state.outcome.reason}"


def test_lines_made_by_hand_are_read_as_they_are_meant():
    line = line_of({"a1": "F", "e4": "5!'"}, {"a10": "F", "e5": "6'"})
    position = CLASSIC.parse(line).position
    assert position[64] == 5 + layout.OWNED + layout.KNOWN + layout.MOVED
    assert position[54] == 6 + (layout.OWNED << 1) + layout.MOVED
    assert position[layout.ALIVE + 6] == 0
    assert position[layout.HIDDEN + 5] == 0
    assert position[layout.HIDDEN + layout.RANKS + 6] == 1
