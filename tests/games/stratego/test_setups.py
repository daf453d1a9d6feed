"""Set-ups: those with a name, files, what is illegal and why, and how random ones are drawn."""

import numpy as np
import pytest

from games.stratego.plain import ARMIES
from sandtable.dice import Dice
from sandtable.games.stratego import layout, setups
from sandtable.games.stratego.named_setups import NAMED
from sandtable.registry import make_game

VARIANTS = ("classic", "mini", "barrage", "duel")
KEEP = "2T62752692/S85276B482/5B36B475B3/324BFB3234"


@pytest.mark.parametrize("variant", VARIANTS)
def test_named_setups_are_legal_and_explained(variant):
    number = VARIANTS.index(variant)
    named = setups.named_setups(number)
    assert len(named) >= (4 if variant == "classic" else 2)
    for name, setup in named.items():
        assert setups.check_setup(setup) == []
        assert setups.check_setup(setup.mirrored()) == []
        assert str(setups.legal_setup(name, number)) == NAMED[variant][name][0]
        letters = str(setup).replace("/", "").replace(".", "")
        assert {letter: letters.count(letter) for letter in set(letters)} == ARMIES[variant]
        assert len(NAMED[variant][name][1]) > 20


@pytest.mark.parametrize(
    ("rows", "problems"),
    [
        (KEEP, []),
        (KEEP.replace("F", "2"), ["flag: none instead of 1", "scout: 9 instead of 8"]),
        (KEEP.replace("T", "9"), ["rank 10: none instead of 1", "rank 9: 2 instead of 1"]),
        (KEEP.replace("S", "."), ["spy: none instead of 1"]),
        (
            "FB22BB22BB/9T6S3B2345/2345234623/7745667885",
            ["no piece could ever move: bombs and flag shut all the others in"],
        ),
        ("BB22BB22FB/9T6S3B2345/2345234623/7745667885", ["no piece could ever move: bombs and flag "
         "shut all the others in"]),
        ("BB22B522FB/9T6S3B2345/2345234623/774B667885", []),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_setup(rows, problems):
    assert setups.check_setup(setups.parse_setup(rows, layout.CLASSIC)) == problems


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("26529627T2/75846S5827/B34B2634B5", "set up on 4 rows, split by '/', got 3"),
        (KEEP + "/..........", "set up on 4 rows, split by '/', got 5"),
        (KEEP.replace("2T6", "2T"), "the row '2T2752692' has 9 squares, not 10"),
        (KEEP.replace("T", "~"), "'~' in the row '2~62752692' means nothing; known are F, B, S"),
        (
            "kep",
            "there is no set-up or file 'kep'. Did you mean 'keep'. Set-ups for classic: corner",
        ),
        ("", "there is no set-up or file ''"),
        ("x" * 5000, "there is no set-up or file"),
        ("a\0b", "there is no set-up or file"),
        (KEEP.replace("F", "2"), "is not a legal set-up: flag: none instead of 1"),
    ],
)
def test_what_is_no_setup_is_refused(text, words):
    with pytest.raises(setups.UnreadableSetup, match=words.replace("?", "[?]")) as caught:
        setups.legal_setup(text, layout.CLASSIC)
    assert "\n" not in str(caught.value)


def test_setups_are_read_from_files(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(
        "# two of them\n\nB72T92/FBS353  # in one line\n\n"
        "2 9 7 5 10 2  # row by row,\n# with a comment between\nB 3 F 3 S B\n"
    )
    assert [line for line, _ in setups.setups_in(path)] == [3, 5]
    first = setups.legal_setup(f"{path}#1", layout.MINI)
    second = setups.legal_setup(f"{path}#2", layout.MINI)
    assert (str(first), str(second)) == ("B72T92/FBS353", "2975T2/B3F3SB")
    with pytest.raises(setups.UnreadableSetup, match="holds 2 set-ups; name one"):
        setups.legal_setup(str(path), layout.MINI)
    with pytest.raises(setups.UnreadableSetup, match="there is no #3"):
        setups.legal_setup(f"{path}#3", layout.MINI)
    with pytest.raises(setups.UnreadableSetup, match=r"mine\.txt:3: 'B72T92/FBS353' is no set-up"):
        setups.legal_setup(f"{path}#1", layout.CLASSIC)
    path.write_text("B72T92/FBS353\n")
    game = make_game(f"stratego:variant=mini,red={path},blue=bait")
    assert game.spec == "stratego:blue=bait,red=B72T92/FBS353,variant=mini"  # without the file
    assert game.start().line.startswith("bBbSb3bFb3bB/b2bTb5b7b9b2/6/6/rBr7r2rTr9r2/rFrBrSr3r5r3 r")
    assert not game.chance


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xff\xfe\x00"])
def test_files_without_setups_are_refused(tmp_path, content):
    path = tmp_path / "empty.txt"
    path.write_bytes(content)
    with pytest.raises(setups.UnreadableSetup):
        setups.legal_setup(str(path), layout.MINI)


def test_a_setup_can_be_played_piece_by_piece():
    corner = setups.named_setups(layout.DUEL)["corner"]
    chosen = make_game("stratego:variant=duel,setup=choose").start()
    for _ in range(2):
        chosen = chosen.play(setups.setup_actions(corner))
    given = make_game("stratego:variant=duel,setup=corner").start()
    assert np.array_equal(chosen.position, given.position)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_setups_are_drawn_as_told(variant):
    number, draws = VARIANTS.index(variant), 3_000
    side, rows = int(layout.SIDES[number]), int(layout.OWN_ROWS[number])
    dice = Dice(6)
    ranks = np.array([setups.random_setup(number, dice).ranks for _ in range(draws)])
    places = ranks.reshape(draws, rows, side)
    flags, bombs = places == layout.FLAG, places == layout.BOMB
    assert flags[:, -1].sum() == draws
    assert not bombs[:, 0].any()
    assert abs(flags[:, -1].sum(axis=0) / draws - 1 / side).max() < 0.03
    behind = bombs[:, 1:].mean(axis=0)
    free = np.array([[1.0] * side] * (rows - 2) + [[1 - 1 / side] * side])
    expected = layout.PIECE_COUNTS[number, layout.BOMB] / (side * (rows - 1) - 1) * free
    assert abs(behind - expected).max() < 0.04
    spies = (places == layout.SPY).mean(axis=0)
    assert abs(spies[0].mean() - spies[0]).max() < 0.03  # the same on every front square


def test_any_named_setup_comes_up_both_ways():
    game = make_game("stratego:variant=mini,setup=named")
    assert game.chance
    lines = {game.start(Dice(seed)).line.split()[0] for seed in range(200)}
    assert len(lines) == 16  # two set-ups, two ways, two sides
    named = setups.named_setups(layout.MINI).values()
    reds = {"/".join(line.replace("r", "").split("/")[4:]) for line in lines}
    assert reds == {str(each) for setup in named for each in (setup, setup.mirrored())}
