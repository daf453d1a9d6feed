"""The rules on positions made by hand: fights, ways, repetition, ends, and known counts."""

from dataclasses import replace

import numpy as np
import pytest

from games.stratego.boards import play, state_of
from games.stratego.plain import PlainStratego
from games.stratego.test_twin import plain_of
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, UnreadableSpec
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules import kernels as rules
from sandtable.registry import make_game
from sandtable.types import OVER

# By attacker: what becomes of it against S 2 3 4 5 6 7 8 9 T B F (won, lost, or = both).
DEFENDERS = "S23456789TBF"
FIGHTS = {
    "S": "=LLLLLLLLWLW",
    "2": "W=LLLLLLLLLW",
    "3": "WW=LLLLLLLWW",
    "4": "WWW=LLLLLLLW",
    "5": "WWWW=LLLLLLW",
    "6": "WWWWW=LLLLLW",
    "7": "WWWWWW=LLLLW",
    "8": "WWWWWWW=LLLW",
    "9": "WWWWWWWW=LLW",
    "T": "WWWWWWWWW=LW",
}
PAIRS = [(attacker, defender) for attacker in DEFENDERS for defender in DEFENDERS]


def fight(attacker, defender, red_attacks):
    """Let two pieces fight on d4; each side has a flag and a 6 elsewhere."""
    red, blue = {"a1": "F", "b1": "6"}, {"a10": "F", "b10": "6"}
    ours, theirs = (red, blue) if red_attacks else (blue, red)
    if attacker == "F":
        ours.pop("a1" if red_attacks else "a10")
    if defender == "F":
        theirs.pop("a10" if red_attacks else "a1")
    ours["d3"], theirs["d4"] = attacker, defender
    return state_of(red, blue, "r" if red_attacks else "b")


@pytest.mark.parametrize("red_attacks", [True, False])
def test_every_fight(red_attacks):
    for attacker, defender in PAIRS:
        state = fight(attacker, defender, red_attacks)
        if attacker in "BF":
            assert "d3-d4" not in state.legal_names
            with pytest.raises(IllegalAction, match=f"the {'bomb' if attacker == 'B' else 'flag'}"):
                state.play("d3-d4")
            continue
        after = state.play("d3-d4")
        won = FIGHTS[attacker][DEFENDERS.index(defender)]
        owner = "r" if (won == "W") == red_attacks else "b"
        left = {"W": f"{owner}{attacker}!'", "L": f"{owner}{defender}!", "=": ""}[won]
        row = after.line.split()[0].split("/")[6]
        assert row == (f"3{left}6" if left else "10"), (attacker, defender)
        if defender == "F":
            assert after.outcome.scores == ((1.0, -1.0) if red_attacks else (-1.0, 1.0))
            assert after.outcome.reason == f"{'Red' if red_attacks else 'Blue'} has taken the flag"
        else:
            assert after.turn == (1 if red_attacks else 0)


def test_both_fighters_become_known_and_losses_are_counted():
    red, blue = {"a1": "F", "e4": "5", "b1": "4"}, {"a10": "F", "e5": "7", "j9": "3"}
    after = state_of(red, blue).play("e4-e5")
    assert "b7!1" in after.line
    assert after.position[layout.HIDDEN + layout.RANKS + 7] == 0
    assert after.position[layout.ALIVE + 5] == 0
    assert after.position[layout.QUIET] == 0


def test_ways():
    state = state_of({"a1": "F", "b4": "5", "c4": "B", "b3": "6"}, {"a10": "F", "b5": "2"})
    assert {name for name in state.legal_names if name.startswith("b4")} == {"b4-a4", "b4-b5"}
    for move, words in {
        "b4-c4": "an own piece is on c4",
        "b4-b6": "a 5 moves one square, only scouts move farther",
        "c4-c5": "the bomb on c4 never moves",
        "a1-a2": "the flag on a1 never moves",
        "b5-b6": "the piece on b5 is Blue's",
        "e5-e6": "there is no piece on e5",
        "c5-b5": "c5 is a lake",
    }.items():
        with pytest.raises(IllegalAction, match=words) as caught:
            state.play(move)
        assert "\n" not in str(caught.value)
    lake = state_of({"a1": "F", "c4": "5"}, {"a10": "F", "b5": "2"})
    with pytest.raises(IllegalAction, match="c5 is a lake"):
        lake.play("c4-c5")


def test_scouts_go_far_and_show_it():
    red, blue = {"a1": "F", "e1": "2", "b1": "5"}, {"a10": "F", "e7": "9", "h1": "3"}
    state = state_of(red, blue)
    far = {name for name in state.legal_names if name.startswith("e1")}
    assert far == {"e1-d1", "e1-c1", "e1-f1", "e1-g1", "e1-h1"} | {f"e1-e{r}" for r in range(2, 8)}
    assert "r2!'" in state.play("e1-e4").line
    assert "r2'" in state.play("e1-e2").line
    assert "b9!" in state.play("e1-e7").line
    for move, words in {
        "e1-e8": "e7 is in the way to e8",
        "e1-a1": "b1 is in the way to a1",
        "e1-b1": "an own piece is on b1",
    }.items():
        with pytest.raises(IllegalAction, match=words):
            state.play(move)
    short = state_of(red, blue, options="long_scouts=false")
    assert {n for n in short.legal_names if n.startswith("e1")} == {"e1-d1", "e1-f1", "e1-e2"}
    with pytest.raises(IllegalAction, match="with long_scouts=false scouts also move one square"):
        short.play("e1-e4")


SHUTTLE = {"red": {"a1": "F", "e4": "5"}, "blue": {"a10": "F", "j10": "4", "i9": "3"}}


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_two_squares_rule(limit):
    state = state_of(**SHUTTLE, options=f"two_squares={limit}" if limit != 3 else "")
    for number in range(limit):
        state = state.play("e4-e3" if number % 2 == 0 else "e3-e4").play(
            "j10-i10" if number % 2 == 0 else "i10-j10"
        )
    back = "e3-e4" if limit % 2 else "e4-e3"
    assert back not in state.legal_names
    with pytest.raises(IllegalAction, match=f"two-squares rule: .* in {limit} moves in a row"):
        state.play(back)
    assert state.view(0).legal_names == state.legal_names  # everybody sees what is repeated
    elsewhere = [name for name in state.legal_names if name.startswith(back[:2])]
    assert len(elsewhere) >= 2
    away = state.play(elsewhere[0])  # another way, or another piece, and counting begins again
    assert away.position[layout.SHUTTLE] == 1


def test_two_squares_rule_counts_each_side_and_only_moves_in_a_row():
    state = play(state_of(**SHUTTLE), "e4-e3 j10-i10 e3-e4 i10-j10 e4-e3 i9-i8")
    assert "e3-e4" not in state.legal_names
    state = play(state, "e3-f3 j10-i10")
    assert "f3-e3" in state.legal_names
    off = play(state_of(**SHUTTLE, options="two_squares=0"), "e4-e3 j10-i10 " * 1)
    for _ in range(5):
        off = play(off, "e3-e4 i10-j10 e4-e3 j10-i10")
    assert "e3-e4" in off.legal_names


# A 7 goes round after a 5 that goes round: the fifth move of the chaser would repeat the second.
CHASE = {"red": {"a1": "F", "b8": "7", "j1": "4"}, "blue": {"a10": "F", "d8": "5", "j10": "3"}}
ROUND = "b8-c8 d8-e8 c8-d8 e8-e9 d8-e8 e9-d9 e8-e9 d9-d8 e9-d9 d8-e8"


def test_more_squares_rule():
    state = play(state_of(**CHASE), ROUND)
    with pytest.raises(IllegalAction, match="more-squares rule: the chase would repeat a position"):
        state.play("d9-d8")
    assert "d9-e9" in state.legal_names  # beside it too, but nothing was like that before
    assert state.view(0).legal_names == state.legal_names
    assert "d9-d8" in play(state_of(**CHASE, options="more_squares=false"), ROUND).legal_names


def test_a_chase_is_broken_by_another_answer_or_another_piece():
    there, pause, on = ROUND[:41], " j10-j9 j1-j2 j9-j10 j2-j1", ROUND[41:]
    assert there.endswith("e8-e9")
    state = play(state_of(**CHASE), there + pause + on)
    before, after = play(state_of(**CHASE), ROUND[:17]), state.play("d9-d8")
    rows = [each.line.split()[0].replace("'", "") for each in (before, after)]
    assert rows[0] == rows[1]  # the same position, but in another chase


def test_straight_back_is_left_to_the_two_squares_rule():
    red, blue = {"a1": "F", "f8": "7", "j1": "4"}, {"a10": "F", "e9": "5", "j10": "3"}
    there = "f8-e8 e9-d9 e8-d8 d9-e9 d8-e8 e9-d9 e8-d8"
    caught = play(state_of(red, blue), there)
    with pytest.raises(IllegalAction, match="two-squares rule"):
        caught.play("d9-e9")  # it has run out of moves before the chaser
    state = state_of(red, blue, options="two_squares=0")
    with pytest.raises(IllegalAction, match="more-squares rule"):
        play(state, "f8-e8 e9-d9 e8-d8 d9-e9 d8-e8")


def test_a_side_without_a_move_loses():
    red, blue = {"a1": "F", "e4": "5"}, {"a10": "F", "a9": "B", "e5": "4"}
    ended = state_of(red, blue).play("e4-e5")
    assert ended.outcome.scores == (1.0, -1.0)
    assert ended.outcome.reason == "Blue has no legal move"
    shut_in = state_of(
        {"a1": "F", "e4": "5"}, {"a10": "F", "b10": "6", "b9": "B", "c10": "B", "e5": "4"}
    )
    assert shut_in.play("e4-f4").turn == 1  # the 4 can move
    assert shut_in.play("e4-e5").turn == OVER


def test_if_nobody_can_move_it_is_a_draw():
    ended = state_of({"a1": "F", "e4": "5"}, {"a10": "F", "e5": "5"}).play("e4-e5")
    assert ended.outcome.scores == (0.0, 0.0)
    assert ended.outcome.reason == "neither side can move"


def test_a_side_may_be_stuck_by_the_two_squares_rule():
    red = {"a1": "F", "b2": "B", "b3": "B", "a4": "B", "a2": "5"}
    state = state_of(red, {"a10": "F", "j10": "4"}, options="two_squares=1").play("a2-a3")
    ended = state.play("j10-i10")
    assert ended.outcome.scores == (-1.0, 1.0)
    assert ended.outcome.reason == "Red has no legal move"


def test_games_without_attacks_are_drawn():
    red, blue = {"a1": "F", "e4": "5"}, {"a10": "F", "j10": "4"}
    drawn = state_of(red, blue, quiet=99, plies=100, options="no_attack=100").play("e4-e3")
    assert (drawn.outcome.scores, drawn.outcome.reason) == (
        (0.0, 0.0),
        "100 moves without an attack",
    )
    blue = {"a10": "F", "j10": "4", "e5": "4"}
    attacked = state_of(red, blue, quiet=99, plies=100, options="no_attack=100").play("e4-e5")
    assert attacked.turn == 1
    assert state_of(red, blue, quiet=100, plies=100, options="no_attack=0").play("e4-e3").turn == 1


def test_long_games_are_drawn_but_a_win_in_the_last_move_counts():
    red, blue = {"a1": "F", "e4": "5"}, {"a10": "F", "j10": "4"}
    drawn = state_of(red, blue, plies=4, options="max_plies=5").play("e4-e3")
    assert (drawn.outcome.scores, drawn.outcome.reason) == ((0.0, 0.0), "5 moves played")
    blue = {"e5": "F", "j10": "4"}
    won = state_of(red, blue, plies=4, options="max_plies=5").play("e4-e5")
    assert won.outcome.scores == (1.0, -1.0)
    stuck = state_of(red, {"a10": "F", "e5": "4"}, plies=4, options="max_plies=5").play("e4-e5")
    assert stuck.outcome.reason == "Blue has no legal move"


def test_by_the_paper_a_side_that_cannot_move_loses_and_nothing_is_drawn():
    red, blue = {"a1": "F", "e4": "4"}, {"a10": "F", "e5": "4"}
    assert state_of(red, blue).play("e4-e5").outcome.reason == "neither side can move"
    paper = state_of(red, blue, options="ends=paper").play("e4-e5")
    assert (paper.outcome.scores, paper.outcome.reason) == ((1.0, -1.0), "Blue has no legal move")
    assert paper.view(1).guess(Dice(0)).view(1) == paper.view(1)
    red, blue = {"a1": "F", "e4": "5"}, {"a10": "F", "j10": "4"}
    quiet = state_of(red, blue, quiet=400, plies=400, options="ends=paper")
    moves = "e4-e3 j10-j9 e3-e4 j9-j10 " * 4
    assert play(quiet, moves).turn == 0  # as often as they like
    assert quiet.line.endswith(" ends=paper")
    assert quiet.game.parse(quiet.line) == quiet
    assert make_game("stratego:ends=paper").spec == "stratego:ends=paper"
    with pytest.raises(UnreadableSpec, match="no_attack does not go with ends=paper"):
        make_game("stratego:ends=paper,no_attack=50")


# How many ways to play so many moves from named set-ups of both sides.
PERFT = {
    "stratego:variant=mini,setup=corner": [9, 80, 1_085],
    "stratego:variant=barrage,setup=bait": [30, 900, 27_486],
    "stratego:setup=keep": [10, 96, 1_240],
    "stratego:setup=one-lane,long_scouts=false": [2, 4, 28, 193],
}
MOST_FOR_TWIN = 2_000  # it takes its time


def perft(position, depth):
    if depth == 0 or rules.turn(position) == OVER:
        return 1
    moves = np.zeros(256, dtype=np.int16)
    total = 0
    for action in moves[: rules.legal_moves(position, moves)]:
        child = position.copy()
        rules.apply(child, int(action), Dice(0).array)
        total += perft(child, depth - 1)
    return total


def plain_perft(plain, depth):
    if depth == 0 or plain.over:
        return 1
    total = 0
    for move in plain.moves():
        board = {square: replace(piece) for square, piece in plain.board.items()}
        child = PlainStratego(plain.side, board, long_scouts=plain.long_scouts, mover=plain.mover)
        child.play(*move)
        total += plain_perft(child, depth - 1)
    return total


@pytest.mark.parametrize("spec", PERFT)
def test_as_many_moves_as_written_down(spec):
    game = make_game(spec)
    position = np.array(game.start().position)
    plain = plain_of(game, position)
    for depth, expected in enumerate(PERFT[spec], start=1):
        assert perft(position, depth) == expected
        if expected < MOST_FOR_TWIN:
            assert plain_perft(plain, depth) == expected


def test_random_actions_are_drawn_with_equal_chances():
    state = state_of({"a1": "F", "e1": "2", "b1": "5"}, {"a10": "F", "e5": "9", "h1": "3"})
    dice, position = Dice(8).array, np.array(state.position)
    drawn = [int(rules.random_action(position, dice)) for _ in range(6_000)]
    counts = np.array([drawn.count(action) for action in state.legal])
    expected = 6_000 / len(state.legal)
    assert counts.sum() == 6_000
    assert ((counts - expected) ** 2 / expected).sum() < 3 * len(state.legal)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("stratego:variant=clasic", "variant is one of classic, mini, barrage, duel, got 'clasic'"),
        ("stratego:two_squares=-1", "two_squares is a number from 0 to 1000, got '-1'"),
        ("stratego:max_plies=0", "max_plies is a number from 1 to 30000, got '0'"),
        ("stratego:no_attack=many", "no_attack is a whole number, got 'many'"),
        ("stratego:long_scouts=maybe", "long_scouts is true or false, got 'maybe'"),
        ("stratego:ranks=up", "ranks is ten-high or one-high, got 'up'"),
        ("stratego:seats=3", "'stratego' has no option 'seats'"),
    ],
)
def test_wrong_options_are_refused(spec, words):
    with pytest.raises(UnreadableSpec, match=words) as caught:
        make_game(spec)
    assert "\n" not in str(caught.value)


def test_specs_are_the_same_when_read_again():
    for spec in (
        "stratego",
        "stratego:blue=keep,long_scouts=false,max_plies=500,red=choose,variant=classic",
        "stratego:more_squares=false,no_attack=0,ranks=one-high,setup=bait,variant=duel",
        "stratego:setup=B72T92/FBS353,variant=mini",
    ):
        game = make_game(spec)
        assert game.spec == spec.replace(",variant=classic", "")
        assert make_game(game.spec).spec == game.spec
