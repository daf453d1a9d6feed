"""The rules on positions made by hand, the starts, and how many moves there are."""

import numpy as np
import pytest

from games.skirmish.plain import PlainSkirmish
from sandtable.batch import Batch
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, UnreadableSpec
from sandtable.games.skirmish import layout, rules
from sandtable.games.skirmish.layout import KINGS_STEPS, lowest, single
from sandtable.games.skirmish.levels import PUBLISHED
from sandtable.legal_actions import random_action_by_mask
from sandtable.registry import make_game
from sandtable.types import OVER

SKIRMISH = make_game("skirmish")
FAR_AWAY = "7s"  # a soldier of Second in the last column keeps the game going


def after(rows, ages, move="pass", half_turn=1):
    """Play First's move in rows written from the top, and return the rows and ages after it."""
    board = "/".join([*rows, *(["8"] * (8 - len(rows)))])
    state = SKIRMISH.parse(f"{board} f {half_turn} {ages} -").play(move)
    fields = state.line.split()
    return fields[0].split("/")[: len(rows)], fields[3]


@pytest.mark.parametrize(
    ("rows", "ages", "then", "ages_then"),
    [
        # a town raises a worker at every twelfth half-turn, to the west, already passed: age 1
        ((FAR_AWAY, "3T4"), "5,11", ["7s", "2WT4"], "6,1,12"),
        # with the west taken, to the east: that square comes later in the pass, age 2
        ((FAR_AWAY, "2xT4"), "5,11", ["7s", "2xTW3"], "6,12,2"),
        # then north, and on to the south-east, all later squares at age 2
        (("3x3s", "2xTx3"), "5,11", ["2Wx3s", "2xTx3"], "1,6,12"),
        (("2xxx2s", "2xTx3", "2xxx3"), "5,11", ["2xxx2s", "2xTx3", "2xxx3"], "6,12"),
        # nobody is raised in between
        ((FAR_AWAY, "3T4"), "5,12", ["7s", "3T4"], "6,13"),
        # the last worker comes before the town goes
        ((FAR_AWAY, "3T4"), "5,59", ["7s", "2W5"], "6,1"),
        # a barracks: a soldier at 8, another at 16, and it is gone
        ((FAR_AWAY, "3B4"), "5,7", ["7s", "2SB4"], "6,1,8"),
        ((FAR_AWAY, "3B4"), "5,15", ["7s", "2S5"], "6,1"),
        # a square freed earlier in the pass is free, one freed later is not yet
        ((FAR_AWAY, "2sT4"), "5,79,23", ["7s", "2WT4"], "6,1,24"),
        (("3x3s", "2xTs3", "8"), "5,23,79", ["2Wx3s", "2xT4", "8"], "1,6,24"),
        # both sides age in every half-turn, and Second's buildings raise in First's too
        ((FAR_AWAY, "1t4t1", "T7"), "5,11,23,3", ["7s", "wt3wt1", "T7"], "6,1,12,1,24,4"),
    ],
)
def test_time_passes_as_written(rows, ages, then, ages_then):
    assert after(rows, ages) == (then, ages_then)


def test_workers_and_soldiers_go_at_eighty():
    rows, ages = after([FAR_AWAY, "W6S"], "5,79,79", "a7-b7")
    assert (rows, ages) == (["7s", "8"], "6")


def test_age_travels_with_a_unit_and_a_new_barracks_is_one():
    assert after([FAR_AWAY, "1W6"], "5,30", "b7-c7") == (["7s", "2W5"], "6,31")
    assert after([FAR_AWAY, "1W6"], "5,30", "b7+") == (["7s", "1B6"], "6,2")


def test_soldiers_take_whatever_is_beside_them():
    state = SKIRMISH.parse("7s/8/8/2tbw3/2wSs3/2WTs3/8/8 f 1 5,5,5,5,5,30,5,5,5,5 -")
    steps = [name for name in state.legal_names if name.startswith("d4-")]
    assert steps == ["d4-c5", "d4-d5", "d4-e5", "d4-c4", "d4-e4", "d4-e3"]
    taken = state.play("d4-c5")
    assert taken.line.startswith("7s/8/2S1") or "2Sbw3" in taken.line
    assert "31" in taken.line.split()[3]


def test_workers_only_go_to_free_land():
    state = SKIRMISH.parse("7s/8/8/2sxS3/2wWT3/3x4/8/8 f 1 5,5,5,5,5,5 -")
    workers = [name for name in state.legal_names if name.startswith("d4")]
    assert workers == ["d4+", "d4-c3", "d4-e3"]


def test_nobody_leaves_the_board():
    state = SKIRMISH.parse("W6s/8/8/8/8/8/8/7S f 1 5,5,5 -")
    assert state.legal_names == ("a8+", "a8-b8", "a8-a7", "a8-b7", "h1-g2", "h1-h2", "h1-g1")


def test_passing_is_only_for_those_without_moves():
    stuck = SKIRMISH.parse("T6s/8/8/8/8/8/8/8 f 1 5,5 -")
    assert stuck.legal_names == ("pass",)
    with pytest.raises(IllegalAction, match="'pass' is not legal"):
        SKIRMISH.start().play("pass")


@pytest.mark.parametrize(
    ("passes", "free"), [("none", ""), ("first", "f"), ("second", "s"), ("both", "fs")]
)
def test_an_option_lets_sides_pass(passes, free):
    state = make_game(f"skirmish:passes={passes}").start()
    assert ("pass" in state.legal_names) == ("f" in free)
    assert ("pass" in state.play("d2-d3").legal_names) == ("s" in free)
    moves = np.zeros(layout.ACTIONS, dtype=np.int16)
    count = rules.legal_moves(state.position, moves)
    assert tuple(moves[:count]) == state.legal


def test_the_end_is_looked_for_only_after_a_move():
    # the tick takes First's last unit, and still First has its half-turn
    state = SKIRMISH.parse("7s/8/8/8/8/8/8/W7 s 2 5,79 -").play("h8-h7")
    assert state.turn == layout.FIRST
    assert state.legal_names == ("pass",)
    assert state.play("pass").outcome.scores == (-1.0, 1.0)
    # and with nobody left but the mover it still has to move
    state = SKIRMISH.parse("8/7s/8/8/8/8/8/W7 f 1 79,5 -").play("a1-a2")
    assert state.turn == layout.SECOND
    assert state.play("pass").outcome.scores == (1.0, -1.0)


@pytest.mark.parametrize(("both_empty", "score"), [("draw", 0.0), ("second", -1.0)])
def test_an_empty_board_is_what_the_option_says(both_empty, score):
    game = make_game(f"skirmish:both_empty={both_empty}")
    last = game.parse("7s/8/8/8/8/8/8/W7 f 1 79,79").play("a1-a2")
    assert last.turn == layout.SECOND
    ended = last.play("pass")
    assert ended.outcome.scores == (score, -score)
    assert "nobody has units left" in ended.outcome.reason


def test_turns_can_be_limited():
    game = make_game("skirmish:max_turns=2")
    state = game.start().play("d2-d3").play("d7-d6").play("d3-d2")
    assert (state.turn, game.max_actions) == (layout.SECOND, 4)
    ended = state.play("d6-d7")
    assert (ended.outcome.scores, ended.outcome.reason) == ((0.0, 0.0), "2 turns played")
    # a win in the last half-turn is a win
    won = game.parse("8/8/8/8/8/8/8/sW6 s 4 5,5").play("a1-b1")
    assert won.outcome.scores == (-1.0, 1.0)


def long_game(seed):
    """Play peacefully; each side's youngest worker builds in the last half-turn it can."""
    choices, state = Dice(seed, "choices"), SKIRMISH.start()
    while state.turn != OVER:
        position = state.position
        actions = [a for a in state.legal if a == layout.PASS or a % layout.STEPS != layout.BUILD]
        actions = [a for a in actions if not rules.is_capture(position, a)] or list(state.legal)
        if position[layout.PLAYED] in (135, 136):
            builds = [
                a for a in state.legal if a != layout.PASS and a % layout.STEPS == layout.BUILD
            ]
            actions = sorted(builds, key=lambda a: position[layout.AGES + a // layout.STEPS])[:1]
        state = state.play(actions[choices.below(len(actions))])
    return int(state.position[layout.PLAYED])


def test_the_longest_game_is_as_long_as_the_bound():
    assert long_game(seed=0) == SKIRMISH.max_actions == 230


def test_starts():
    assert SKIRMISH.start().line == "8/x2wt3/1x5x/5x2/3xxx2/x7/3WT3/8 f 1 2,2,2,2 -"
    bare = make_game("skirmish:start=town-only").start()
    assert bare.line == "8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8 f 1 2,2 -"
    assert not SKIRMISH.chance
    assert make_game("skirmish:start=random").chance


def random_starts(count):
    game = make_game("skirmish:start=random,level=7")
    return np.array([game.start(Dice(5, "start", number)).position for number in range(count)])


def test_random_starts_are_drawn_as_in_the_thesis():
    positions = random_starts(4000)
    units = positions[:, layout.UNITS : layout.UNITS + 64]
    land = positions[:, layout.LAND : layout.LAND + 64]
    assert (positions[:, layout.START] == 0).all()
    flipped = (land != land[0]).any(axis=1)
    assert len({tuple(row) for row in land}) == 2
    assert abs(flipped.mean() - 0.5) < 0.03
    extra = abs(units) > layout.TOWN
    assert abs((extra.sum(axis=1) == 0).mean() - 0.2) < 0.02
    free = land.sum(axis=1) - 2
    drawn = extra.sum(axis=1) > 0
    assert abs((extra.sum(axis=1)[drawn] / free[drawn]).mean() - 10 / 64) < 0.005
    kinds = [int((abs(units) == kind).sum()) for kind in (2, 3, 4)]
    assert max(kinds) / min(kinds) < 1.06
    for row in range(8):  # flipping swaps sides and rows, so the chances stay row / 7
        here = units[:, row * 8 : row * 8 + 8][extra[:, row * 8 : row * 8 + 8]]
        assert abs((here > 0).mean() - row / 7) < 0.03
    assert ((units == layout.TOWN).sum(axis=1) == 1).all()
    towns = (units == layout.TOWN).argmax(axis=1)
    assert {divmod(int(square), 8)[0] for square in towns} == {6}


# How many ways to play so many half-turns.
PERFT = {
    "1": [8, 64, 360, 2160],
    "3": [7, 42, 246, 1024],
    "6": [7, 42, 180, 1020],
}


def perft(position, depth):
    if depth == 0 or rules.turn(position) == OVER:
        return 1
    moves = np.zeros(layout.ACTIONS, dtype=np.int16)
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
    for move in plain.moves() or [None]:
        units = {square: list(unit) for square, unit in plain.units.items()}
        child = PlainSkirmish(plain.land, units, plain.mover, plain.half_turns)
        child.play(move)
        total += plain_perft(child, depth - 1)
    return total


@pytest.mark.parametrize("level", PERFT)
def test_as_many_moves_as_written_down(level):
    position = make_game(f"skirmish:level={level}").start().position
    plain = PlainSkirmish.from_level(PUBLISHED[level])
    plain.begin()
    for depth, expected in enumerate(PERFT[level], start=1):
        assert perft(position, depth) == expected
        assert plain_perft(plain, depth) == expected


def test_sets_of_squares():
    for square in range(64):
        assert lowest(np.uint64(single(square))) == square
        assert lowest(np.uint64(2**64 - 2**square)) == square
        row, column = divmod(square, 8)
        around = [s for s in range(64) if max(abs(s // 8 - row), abs(s % 8 - column)) == 1]
        assert int(KINGS_STEPS[square]) == sum(1 << other for other in around)


def test_batches_play_whole_games():
    batch = Batch(SKIRMISH, 32, seed=2, auto_reset=True)
    finished = 0
    for _ in range(300):
        batch.step(batch.random_actions())
        finished += int(batch.over.sum())
    assert finished > 32


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("skirmish:start=ful", "start is one of full, town-only, random, got 'ful'. Did you mean"),
        ("skirmish:both_empty=first", "both_empty is one of draw, second"),
        ("skirmish:passes=all", "passes is one of none, first, second, both"),
        ("skirmish:max_turns=-1", "max_turns is 0 to 1000, got -1"),
        ("skirmish:max_turns=many", "max_turns is a whole number, got 'many'"),
    ],
)
def test_wrong_options_are_refused(spec, words):
    with pytest.raises(UnreadableSpec, match=words):
        make_game(spec)


def test_specs_are_the_same_when_read_again():
    for spec in ("skirmish", "skirmish:both_empty=second,level=3,max_turns=100,passes=both"):
        assert make_game(spec).spec == spec
        assert make_game(make_game(spec).spec) == make_game(spec)


def test_the_same_action_is_drawn_as_out_of_the_mask():
    by_mask = random_action_by_mask("skirmish", SKIRMISH.rules.legal, SKIRMISH.action_count)
    passed = 0
    for level in ("1", "5", "random-3"):
        for passes in ("none", "both"):
            dice, other = Dice(2, "game"), Dice(2, "drawn by mask")
            position = np.array(
                make_game(f"skirmish:level={level},passes={passes}").start(dice).position
            )
            while rules.turn(position) != OVER:
                again = other.array.copy()
                action = rules.random_action(position, other.array)
                assert action == by_mask(position, again)
                assert np.array_equal(again, other.array)
                passed += action == layout.PASS
                rules.apply(position, action, dice.array)
    assert passed > 5
