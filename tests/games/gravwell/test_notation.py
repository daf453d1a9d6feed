"""Actions and positions as text, both ways, and what is said about text that is neither."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandtable.dice import Dice
from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.gravwell.layout import ACTIONS, GO, STOP, TAKE
from sandtable.games.gravwell.rules.hiding import SPECTATOR, hide
from sandtable.registry import make_game
from sandtable.types import OVER

GRAVWELL = make_game("gravwell")
TWO = make_game("gravwell:players=2")
INERT = make_game("gravwell:players=2,tractor=inert")
PAGE = Path(__file__).parents[3] / "src" / "sandtable" / "games" / "gravwell" / "README.md"
MIDDLE = "12,5+36 1.3 21 2 - CMg+LiY/Dy+NePuZr ArB/OXe Mg,- B,Xe EsFGaHIrJoKrQtRaSiThUVW - -"
VIEW = "12,5+36 1.3 21 2 - CMg+LiY/Dy+??? ArB/OXe Mg,- B,Xe ?????????????? - -"
DRAFT = "0,3+36 2.0 12 12 ArB,-,EsF,GaH,IrJo,KrLi C+Dy/+ - -,- O,V MgNeOPuQtRaSiThUVWXeYZr - -"


def test_actions_have_a_word_each():
    words = [GRAVWELL.notation.action_name(action) for action in range(ACTIONS)]
    assert words[:3] == ["Ar", "B", "C"]
    assert words[TAKE + 10] == "take-Kr"
    assert (words[GO], words[STOP]) == ("go", "stop")
    assert len(set(words)) == ACTIONS
    assert [GRAVWELL.notation.parse_action(word) for word in words] == list(range(ACTIONS))


@pytest.mark.parametrize(("text", "word"), [("kr", "Kr"), ("TAKE-KR", "take-Kr"), (" Go ", "go")])
def test_reading_forgives_case(text, word):
    action = GRAVWELL.notation.parse_action(text)
    assert GRAVWELL.notation.action_name(action) == word


@pytest.mark.parametrize("text", ["", "X", "take", "take-", "take-Q", "Kr Li", "stopp", "-Kr"])
def test_unreadable_actions(text):
    with pytest.raises(UnreadableAction, match="write a card such as Kr to play it") as caught:
        GRAVWELL.notation.parse_action(text)
    assert "\n" not in str(caught.value)


def test_there_are_no_other_actions():
    with pytest.raises(UnreadableAction, match="0 to 53, got 54"):
        GRAVWELL.notation.action_name(54)


@pytest.mark.parametrize("line", [MIDDLE, VIEW, DRAFT])
def test_lines_come_back(line):
    assert TWO.parse(line).line == line


def test_a_line_says_what_it_seems_to_say():
    state = TWO.parse(MIDDLE)
    assert (state.turn, state.legal_names) == (1, ("Dy", "Ne", "Pu", "Zr"))
    assert state.view(0).line == VIEW
    assert TWO.parse(DRAFT).legal_names == tuple(
        f"take-{card}" for card in ("Ar", "Es", "Ga", "Ir", "Kr")
    )


def test_the_page_of_the_game_shows_these_lines():
    page = PAGE.read_text(encoding="utf-8")
    assert f"    {MIDDLE}\n" in page
    assert f"    {VIEW}\n" in page
    planes = [len(make_game(f"gravwell:players={players}").plane_names) for players in (4, 3, 2)]
    assert "{} planes for four players, {}\nfor three and {} for two".format(*planes) in page


def test_options_come_from_the_line_or_else_from_the_game():
    for game, word in ((TWO, "-"), (INERT, "tractor=inert")):
        start = game.start(Dice(3)).line
        assert start.split()[-1] == word
        assert game.parse(start.rsplit(" ", 1)[0]).line == start
    assert TWO.parse(INERT.start(Dice(3)).line).line.endswith("inert")


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(2, 4), st.integers(0, 2**32), st.integers(0, 300))
def test_positions_and_views_come_back(players, seed, length):
    game = make_game(f"gravwell:players={players}")
    dice, choices = Dice(seed), Dice(seed, "choices")
    state = game.start(dice)
    for _ in range(length):
        if state.turn == OVER:
            break
        state = state.play(state.legal[choices.below(len(state.legal))], dice)
    assert game.parse(state.line) == state
    for seat in (SPECTATOR, *range(players)):
        view = state.position.copy()
        hide(view, seat)
        line = game.notation.position_line(view)
        assert (game.notation.parse_position(line) == view).all()


def changed(line, old, new):
    assert old in line
    return line.replace(old, new, 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("12,5+36 1.3 21 2", "has 12 fields .* got 4"),
        (changed(MIDDLE, "12,5+36", "12+36"), "2 ships are wanted, got 1"),
        (changed(MIDDLE, "12,5+36", "12,5+36,26"), "1 hulks are wanted, got 2"),
        (changed(MIDDLE, "12,5+36", "12,55+36"), "a tile is a number from 0 to 54, got '55'"),
        (changed(MIDDLE, "12,5+36", "12,12+36"), "more than one ship is on tile 12"),
        (changed(MIDDLE, "1.3", "7.3"), "the round is a number from 1 to 6"),
        (changed(MIDDLE, "1.3", "1.7"), "the turn is a number from 0 to 6"),
        (changed(MIDDLE, "1.3", "13"), "numbers, of the round and of the turn, are wanted"),
        (changed(MIDDLE, " 21 ", " 11 "), "each of 12 once, got '11'"),
        (changed(MIDDLE, " 2 - ", " 3 - "), "some of 12, or -, got '3'"),
        (changed(MIDDLE, "CMg+", "ZMg+"), "'Z' is no card here"),
        (changed(MIDDLE, "CMg+", "cMg+"), "is not made of the names of cards"),
        (changed(MIDDLE, "CMg+", "?Mg+"), r"'\?' is no card here"),
        (changed(MIDDLE, "CMg+", "ArMg+"), "the card Ar stands in two places"),
        (changed(MIDDLE, "CMg+", "Mg+"), r"1 cards are not named, but \? stands 0 times"),
        (changed(MIDDLE, "Mg,-", "Li,Dy"), "none is marked with ! as being resolved"),
        (changed(MIDDLE, "Mg,-", "-,Dy"), "cards are chosen in the order of the seats"),
        (changed(MIDDLE, "Mg,-", "Dy,-"), "seat 1 has Dy on the table, but not in its hand"),
        (changed(MIDDLE, "Mg,-", "Mg!,-"), "among those played by their seats"),
        (changed(MIDDLE, "Mg,-", "?!,-"), "the card being resolved has been turned over"),
        (changed(MIDDLE, "Mg,-", "MgLi,-"), "one card is wanted"),
        (changed(MIDDLE, "B,Xe", "C,O"), "of the turn before are among those played"),
        (changed(MIDDLE, "B,Xe", "B,B"), "are not different cards"),
        (changed(MIDDLE, "B,Xe", "-"), "stand in all turns but the first"),
        (changed(MIDDLE, "1.3", "1.4"), "has played 2 cards, which is not one a turn"),
        (changed(MIDDLE, "1.3", "1.0"), "stacks lie on the table in the draft"),
        (changed(MIDDLE, "W - -", "W over -"), "among those played by their seats"),
        (changed(MIDDLE, "W - -", "W end -"), "the end is - or over, got 'end'"),
        (changed(MIDDLE, "W - -", "W - tractor=on"), "the options are tractor=inert or -"),
        (
            changed(MIDDLE, "CMg+LiY", "CMgLiY+"),
            "one open and one hidden card from each of 3 stacks",
        ),
        (changed(VIEW, "LiY", "??"), r"\? stands for some cards that are covered"),
        (changed(VIEW, "???", "Ne??"), r"\? stands for some cards"),
        (changed(VIEW, "???", "??"), r"17 cards are not named, but \? stands 16"),
        (changed(changed(VIEW, "+???", "+??"), "Xe ?", "Xe ??"), "14 cards are not dealt, got 15"),
        (changed(changed(VIEW, "Y/Dy+???", "YO/Dy+???"), "/OXe", "/Xe"), "seat 1 has 4 cards left"),
        (changed(MIDDLE, "1.3", "1.2"), "not one a turn"),
        (changed(VIEW, "Mg,-", "?,-"), r"\? stands for some cards"),
        (changed(DRAFT, "0,3+36", "4,3+36"), "the rearmost ship drafts first"),
        (changed(DRAFT, " 12 12 ", " 12 1 "), "renewed before a draft"),
        (changed(DRAFT, "-,- O,V", "Ar,- O,V"), "no cards are played in a draft"),
        (changed(DRAFT, "ArB,-", "Ar,-"), "a stack is a card and a hidden card"),
        (changed(DRAFT, "ArB,-,", "ArB,"), "6 stacks are wanted, got 5"),
        (changed(DRAFT, " 12 12 ", " 21 12 "), "seat 1 has 0 cards left, but 2 in its hand"),
        (changed(DRAFT, "C+Dy/+", "+/C+Dy"), "seat 1 has 2 cards left, but 0 in its hand"),
    ],
)
def test_unreadable_positions(line, words):
    with pytest.raises(UnreadablePosition, match=words) as caught:
        TWO.parse(line)
    assert "\n" not in str(caught.value)


def test_questions_have_to_be_possible():
    asked = "10,12+36 1.1 12 12 - CDy+EsFGa/HIr+JoKrLi Mg/Ne Mg!,Ne - ArBOPuQtRaSiThUVWXeYZr - -"
    assert TWO.parse(asked).legal_names == ("go", "stop")
    with pytest.raises(UnreadablePosition, match="the owner of Mg cannot be asked"):
        TWO.parse(asked.replace(" 12 12 ", " 12 2 "))
    with pytest.raises(UnreadablePosition, match="is not on the Warp Gate"):
        TWO.parse(asked.replace("Zr - -", "Zr over -"))
    won = asked.replace("Zr - -", "Zr over -").replace("10,12", "54,12")
    assert TWO.parse(won).outcome.reason == "first reached the Warp Gate"
    with pytest.raises(UnreadablePosition, match="only after six rounds"):
        TWO.parse(won.replace("!", ""))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.text(max_size=40)
    | st.text("ArBCDy?+-/,.! 0123456789", max_size=120)
    | st.tuples(
        st.sampled_from([MIDDLE, VIEW, DRAFT]),
        st.integers(0, 90),
        st.text("?+-/,.!A1 ", max_size=2),
    ).map(lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] + 1 :])
)
def test_nonsense_is_refused_and_nothing_else_happens(text):
    with contextlib.suppress(UnreadablePosition):
        state = TWO.parse(text)
        assert TWO.parse(state.line) == state
    with contextlib.suppress(UnreadableAction):
        TWO.notation.parse_action(text)
