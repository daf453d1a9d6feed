"""The two rules against repetition: cases made by hand, and hunts played by kernels and twin."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from games.stratego.boards import line_of, play, state_of
from games.stratego.plain import ARMIES, LAKES
from games.stratego.test_twin import play_both
from sandtable.arena.play.game_loop import play_game
from sandtable.errors import BrokenRecord, IllegalAction, UnreadablePosition, UnreadableSpec
from sandtable.games.stratego import layout
from sandtable.records.record import Record
from sandtable.records.replay import check, start_of
from sandtable.registry import make_agent, make_game

FLAGS = {"red": {"a1": "F"}, "blue": {"a10": "F"}}
BEFORE = "repetition=version-1"

# Pieces of the two sides, moves, and then the move that repeats a position. The threats come first.
REPEATING = {
    "one chaser, one evader": (
        {"b8": "7"},
        {"d8": "5"},
        "b8-c8 d8-e8 c8-d8 e8-e9 d8-e8 e9-d9 e8-e9 d9-d8 e9-d9 d8-e8",
        "d9-d8",
    ),
    "two chasers, two evaders": (
        {"c8": "7", "i4": "5"},
        {"d9": "6", "h3": "3"},
        "c8-d8 d9-c9 d8-c8 c9-d9 i4-h4 h3-i3 h4-i4 i3-h3",
        "c8-d8",
    ),
    "one chaser, two evaders": (
        {"f8": "7"},
        {"e7": "6", "g9": "3"},
        "f8-e8 e7-f7 e8-f8 f7-e7 f8-g8 g9-f9 g8-f8 f9-g9",
        "f8-e8",
    ),
    "two chasers, one evader": (
        {"h8": "6", "f10": "3"},
        {"g9": "7"},
        "h8-h9 g9-g8 h9-h8 g8-g7 h8-h7 g7-g8 h7-h8 g8-g9 f10-g10 g9-f9 g10-f10 f9-g9",
        "h8-h9",
    ),
    "the other one of two chasers closes the circle": (
        {"c8": "7", "i4": "5"},
        {"d9": "6", "h3": "3"},
        "i4-h4 h3-i3 c8-d8 d9-c9 h4-i4 i3-h3 d8-c8 c9-d9",
        "i4-h4",
    ),
}
TURNED = {f"{column}{row}": f"{'abcdefghij'[9 - 'abcdefghij'.index(column)]}{11 - row}"
          for column in "abcdefghij" for row in range(1, 11)}  # fmt: skip


def hunt(chasers, hunted, seat="r", options=""):
    """Set up a hunt by one of the sides; Blue's is the same on the board turned round."""
    if seat == "r":
        return state_of(FLAGS["red"] | chasers, FLAGS["blue"] | hunted, "r", options=options)
    chasers, hunted = (
        {TURNED[square]: piece for square, piece in side.items()} for side in (chasers, hunted)
    )
    red, blue = {"j1": "F"} | hunted, {"j10": "F"} | chasers
    return state_of(red, blue, "b", options=options)


def seen_by(seat, moves):
    """Write moves as they are on the board of a hunt by this side."""
    words = [move.split("-") for move in moves.split()]
    if seat == "b":
        words = [[TURNED[square] for square in ends] for ends in words]
    return " ".join("-".join(ends) for ends in words)


@pytest.mark.parametrize("seat", ["r", "b"])
@pytest.mark.parametrize("case", REPEATING)
def test_a_chase_must_not_come_back_to_a_position_of_its_own(case, seat):
    chasers, hunted, moves, last = REPEATING[case]
    last = seen_by(seat, last)
    state = play(hunt(chasers, hunted, seat), seen_by(seat, moves))
    assert last not in state.legal_names
    with pytest.raises(IllegalAction, match="more-squares rule: the chase would repeat a position"):
        state.play(last)
    assert state.view(state.turn).legal_names == state.legal_names
    assert state.game.parse(state.line) == state
    free = play(hunt(chasers, hunted, seat, "more_squares=false"), seen_by(seat, moves))
    assert set(free.legal_names) - set(state.legal_names) == {last}


def test_how_long_ago_the_position_was_there_is_told():
    chasers, hunted, moves, last = REPEATING["two chasers, two evaders"]
    state = play(hunt(chasers, hunted), moves)
    with pytest.raises(IllegalAction, match="a position, that of 7 moves ago"):
        state.play(last)


def test_version_1_knew_chases_by_one_piece_only():
    for case, (chasers, hunted, moves, last) in REPEATING.items():
        state = play(hunt(chasers, hunted, options=BEFORE), moves)
        assert (last in state.legal_names) == (case != "one chaser, one evader")
        assert state.game.parse(state.line) == state


def with_pause(case, place, own, other):
    """Play a case to its end, with a move of each side slipped in there."""
    chasers, hunted, moves, last = REPEATING[case]
    words = moves.split()
    words[place:place] = [own, other]
    state = play(hunt(chasers | {"a3": "4"}, hunted | {"j8": "9"}), " ".join(words))
    return last in state.legal_names


def test_a_move_that_threatens_nobody_ends_a_chase():
    case = "two chasers, two evaders"
    assert not with_pause(case, 0, "a3-a4", "j8-j7")  # before it began
    assert with_pause(case, 2, "a3-a4", "j8-j7")
    assert with_pause(case, 8, "a3-a4", "j8-j7")


def test_an_answer_by_a_piece_that_is_not_threatened_ends_a_chase():
    hunted = play(hunt({"b8": "7"}, {"d8": "5", "j8": "9"}), "b8-c8 d8-e8 c8-d8")
    assert hunted.position[layout.CHASE] == 3
    assert hunted.play("e8-e9").position[layout.CHASE] == 4
    assert hunted.play("j8-j7").position[layout.CHASE] == 0


def test_an_attack_ends_all_chases():
    chasers, hunted, moves, last = REPEATING["two chasers, two evaders"]
    words = moves.split()
    for place in range(0, len(words) + 1, 2):
        state = hunt(chasers | {"a3": "4"}, hunted | {"a4": "3", "j8": "9"})
        state = play(state, " ".join([*words[:place], "a3-a4", "j8-j7", *words[place:]]))
        assert (last in state.legal_names) == (place > 0)


def test_a_fight_that_is_won_beside_a_further_enemy_begins_a_chase():
    pieces = {"d7": "9"}, {"d8": "4", "d9": "5"}
    moves = "d7-d8 d9-e9 d8-d9 e9-e8 d9-e9 e8-d8 e9-e8 d8-d9"
    assert "e8-d8" not in play(hunt(*pieces), moves).legal_names  # where it stood after the fight
    assert "e8-d8" in play(hunt(*pieces, options=BEFORE), moves).legal_names
    lost = hunt({"d7": "4"}, {"d8": "9", "d9": "5"}).play("d7-d8")
    assert lost.position[layout.CHASE] == 0


def test_who_is_chased_is_free():
    chasers, hunted, moves, _ = REPEATING["one chaser, one evader"]
    words = moves.split()
    state = play(hunt(chasers, hunted), " ".join(words[:-1]))
    assert words[-1] in state.legal_names


def test_straight_back_is_left_to_the_two_squares_rule_only_in_the_very_next_move():
    red, blue = {"c8": "7", "i4": "5"}, {"d9": "6", "h3": "3"}
    state = play(hunt(red, blue), "c8-d8 d9-c9 d8-c8 c9-d9")
    assert "c8-d8" in state.legal_names
    off = play(hunt(red, blue, options="two_squares=0"), "c8-d8 d9-c9 d8-c8 c9-d9")
    assert "c8-d8" not in off.legal_names


# --- two squares ----------------------------------------------------------------------------------

SCOUT = ({"a3": "2", "c1": "4"}, {"i10": "5"})


PAUSE = ("i10-i9", "i9-h9", "h9-h8")


def scouted(moves, options=""):
    """Play moves of Red's scout, and something harmless between them."""
    between = [f"{move} {answer}" for move, answer in zip(moves.split(), PAUSE, strict=False)]
    return play(hunt(*SCOUT, options=options), " ".join(between))


def test_a_scouts_way_counts_by_the_borders_it_crosses():
    state = scouted("a3-a6 a6-a4 a4-a6")
    free = {name for name in state.legal_names if name.startswith("a6")}
    assert free == {"a6-b6", "a6-a7", "a6-a8", "a6-a9", "a6-a10"}
    for goal, squares in {"a5": "a6 and a5", "a4": "a5 and a4", "a3": "a5 and a4"}.items():
        with pytest.raises(IllegalAction, match=f"crossed between {squares} in 3 moves in a row"):
            state.play(f"a6-{goal}")
    assert ":3.3" in state.line
    assert state.game.parse(state.line) == state
    before = scouted("a3-a6 a6-a4 a4-a6", options=BEFORE)
    assert "a6-a4" in before.legal_names


@pytest.mark.parametrize(
    ("moves", "barred"),
    [
        ("a3-a4 a4-a3 a3-a6", {"a6-a3", "a6-a2"}),  # only the border of a3 was crossed three times
        ("a3-a7 a7-a5 a5-a6", {"a6-a5", "a6-a4", "a6-a3", "a6-a2"}),
        ("a3-a6 a6-b6 b6-a6", set()),  # round a corner it begins anew
        ("a3-a5 a5-a7 a7-a4", set()),  # no border more than twice
        ("a3-a6 c1-c2 a6-a3", set()),  # another piece in between
    ],
)
def test_only_borders_crossed_by_all_of_the_last_moves_are_barred(moves, barred):
    free = scouted(moves, options="two_squares=0")
    assert set(free.legal_names) - set(scouted(moves).legal_names) == barred


def test_an_attack_crosses_a_border_too():
    red, blue = {"a3": "2"}, {"a7": "S", "i10": "5"}
    state = play(hunt(red, blue), "a3-a6 i10-i9 a6-a4 i9-i10 a4-a7 i10-i9")
    assert {"a7-a6", "a7-a5"} & set(state.legal_names) == {"a7-a6"}  # a5|a6 three times


def test_lines_say_how_often_borders_were_crossed():
    line = scouted("a3-a6 a6-a5").line
    assert "a6-a5*1:2/" in line
    game = make_game("stratego")
    for wrong, words in {
        line.replace("*1:2/", "*1:2.2/"): "the way crosses 1 borders",
        line.replace("*1:2/", "*2:1/"): "the count of a border is from 2 to 30000",
        line[:-1] + "two_squares=0": "without the two-squares rule nothing is crossed",
    }.items():
        with pytest.raises(UnreadablePosition, match=words):
            game.parse(wrong)


def test_the_old_reading_is_an_option():
    assert make_game(f"stratego:{BEFORE}").spec == f"stratego:{BEFORE}"
    with pytest.raises(UnreadableSpec, match="repetition does not go with ends=paper"):
        make_game(f"stratego:ends=paper,{BEFORE}")
    with pytest.raises(UnreadableSpec, match="repetition is one of tournament, version-1"):
        make_game("stratego:repetition=version-3")


# --- hunts by kernels and twin --------------------------------------------------------------------

HUNTS, MOST_MOVES = 50, 110
HUNT = f"stratego:no_attack={MOST_MOVES}"
WANTED = {
    "a chase goes on": 1_000,
    "a second chaser": 60,
    "a second evader": 200,
    "more squares": 40,
    "two squares": 200,
}
SQUARES = sorted(set(TURNED) - LAKES)


def few_pieces(number):
    """Return a position with one to three pieces a side that hunt each other."""
    drawn = random.Random(number)
    squares = drawn.sample(SQUARES, 8)
    sides = []
    for flag, first in ((0, 2), (1, 5)):
        army = Counter(ARMIES["classic"]) - Counter("FBBBBBB")
        ranks = drawn.sample(sorted((army - Counter({"2": 5})).elements()), drawn.randint(2, 3))
        marks = [drawn.choice(("", "!")) for _ in ranks]
        pieces = [rank + mark for rank, mark in zip(ranks, marks, strict=True)]
        sides.append({squares[flag]: "F"} | dict(zip(squares[first:], pieces, strict=False)))
    return make_game(HUNT).parse(line_of(*sides, "r", options=f"no_attack={MOST_MOVES}"))


def hunting(plain, moves, choices):
    """Let Red threaten and Blue flee, to and fro where that can be, and seldom something else."""
    quiet = [move for move in moves if move[1] not in plain.board]
    theirs = plain.chases["red"]
    if plain.mover == "red":
        wanted = [move for move in quiet if plain.enemies_beside(move[1], plain.mover)]
    else:
        wanted = [move for move in quiet if theirs and plain.board[move[0]] in theirs.threatened]
    if not choices.below(20) or not quiet:
        wanted = moves
    elif not wanted:
        others = [each for each in plain.board if plain.board[each].owner != plain.mover]
        wanted = sorted(quiet, key=lambda move: nearest(move[1], others))[:2]
    ends = [set(move[1:]) for move in plain.moves_made[plain.mover][-5:]]
    back = [move for move in wanted if set(move) in ends]
    wanted = back if back and choices.below(3) else wanted
    return wanted[choices.below(len(wanted))]


def nearest(square, others):
    """Return how far the nearest of other squares is."""
    place = "abcdefghij".index(square[0]), int(square[1:])
    return min(
        abs("abcdefghij".index(each[0]) - place[0]) + abs(int(each[1:]) - place[1])
        for each in others
    )


def test_kernels_and_twin_agree_on_hunts():
    seen, plies = {}, 0
    for number in range(HUNTS):
        plies += play_both(HUNT, number, seen, few_pieces(number), hunting)
    assert plies > 2_000
    assert {what: count for what, count in WANTED.items() if seen.get(what, 0) < count} == {}


# --- records of version 1 -------------------------------------------------------------------------


def as_of_version_1(line):
    return line.replace(f",{BEFORE}", "").replace(f" {BEFORE}", " -")


@pytest.mark.parametrize("options", ["variant=mini", "ends=paper,variant=mini", "variant=barrage"])
def test_records_of_version_1_replay_by_its_reading(options):
    today = f"stratego:{options}" + ("" if "paper" in options else f",{BEFORE}")
    game = make_game(today)
    agents = [make_agent("random"), make_agent("random")]
    played = play_game(game, agents, specs=["random"] * 2, seed=3, number=0).record
    old = replace(played, game=f"stratego:{options}", version=1,
                  final=as_of_version_1(played.final))  # fmt: skip
    check(old)
    with pytest.raises(BrokenRecord, match="'final' is"):
        check(replace(old, final=old.final.replace(" -/", " 2/", 1).replace("*1", "*9")))
    with pytest.raises(BrokenRecord, match="version 3 of the rules of stratego"):
        check(replace(old, version=3))


def test_a_record_of_version_1_may_begin_in_the_middle():
    chasers, hunted, moves, last = REPEATING["two chasers, two evaders"]
    begin = as_of_version_1(hunt(chasers, hunted, options=BEFORE).line)
    state = play(hunt(chasers, hunted, options=BEFORE), f"{moves} {last}")
    actions = tuple(state.game.notation.parse_action(word) for word in f"{moves} {last}".split())
    record = Record(
        game="stratego", version=1, seats=("human", "human"), seed=0, number=0, start=begin,
        actions=actions, final=as_of_version_1(state.line), outcome=None,
    )  # fmt: skip
    check(record)
    assert start_of(record).game.spec == f"stratego:{BEFORE}"
    with pytest.raises(BrokenRecord, match="more-squares rule"):
        check(replace(record, version=2))
