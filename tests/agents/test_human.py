"""A person at the terminal: what is typed, what is played, and what is said about mistakes."""

from __future__ import annotations

import io
import sys

import pexpect
import pytest

from agents.little_games import nim
from sandtable.agents.human.agent import Human, Terminal
from sandtable.agents.human.turn import TurnInProgress, compact
from sandtable.dice import Dice
from sandtable.errors import Forfeit, StopGame, UnreadableAction
from sandtable.registry import make_game

START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"


@pytest.fixture(scope="module")
def lucid():
    return make_game("lucid")


def person(*lines: str, hints: str | None = None) -> tuple[Human, io.StringIO]:
    """Return a Human who will type these lines, and what will be shown."""
    shown = io.StringIO()
    human = Human(hints=hints)
    human.terminal = Terminal(io.StringIO("".join(f"{line}\n" for line in lines)), shown)
    return human, shown


def played(game, *lines: str, position: str = START) -> tuple[str, str]:
    """Return the turn these lines make, and what was shown."""
    human, shown = person(*lines)
    view = game.parse(position)
    actions = human.choose(view.view(view.turn), Dice(1))
    return compact(game, actions), shown.getvalue()


@pytest.mark.parametrize(
    "lines",
    [
        ["a1-a2 a1-a2 b1-b2 end"],
        ["a1-a2*2 b1-b2 end"],
        ["2*a1-a2", "b1-b2", "end"],
        ["a1-a2, a1-a2,b1-b2", "", "  end  "],
        ["A1-A2*2", "1*b1-b2 END"],
    ],
)
def test_a_turn_is_typed_at_once_or_bit_by_bit(lucid, lines):
    assert played(lucid, *lines)[0] == "a1-a2*2 b1-b2 end"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("a1-a2", 1), ("a1-a2*3", 3), ("12*a1-a2", 12)],
)
def test_counts(lucid, word, expected):
    turn = TurnInProgress(lucid.parse(START))
    assert turn.parse(word) == (lucid.notation.parse_action("a1-a2"), expected)


@pytest.mark.parametrize("word", ["a1-a2*0", "0*a1-a2", "a1-a2*", "*3", "a1-a2*99999", "3*3*a1-a2"])
def test_bad_counts(lucid, word):
    with pytest.raises(UnreadableAction):
        TurnInProgress(lucid.parse(START)).parse(word)


def test_an_unreadable_word_keeps_what_stands_before_it(lucid):
    turn, shown = played(lucid, "a1-a2 a1a2 b1-b2", "end")
    assert turn == "a1-a2 end"
    assert "Did you mean 'a1-a2'? Taken: a1-a2. Not taken: a1a2 b1-b2." in shown


def test_an_illegal_word_keeps_what_stands_before_it(lucid):
    turn, shown = played(lucid, "b1-b2 a1-a2*4 c1-c2", "end")
    assert turn == "b1-b2 a1-a2*3 end"
    line = "'a1-a2' is not legal now after what you have moved ('moves' lists what is)."
    assert f"{line} Taken: b1-b2 a1-a2*3. Not taken: a1-a2*4 c1-c2.\n" in shown


def test_a_bad_word_alone_gets_a_short_line(lucid):
    _, shown = played(lucid, "a2-a3", "hlep", "end")
    assert "'a2-a3' is not legal now ('moves' lists what is).\n" in shown
    assert "Did you mean 'help'?" in shown
    assert "Taken" not in shown


def test_a_command_behind_moves_is_not_obeyed(lucid):
    turn, shown = played(lucid, "a1-a2 undo", "end")
    assert turn == "a1-a2 end"
    line = "'undo' is a command; commands stand at the beginning of a line."
    assert f"{line} Taken: a1-a2. Not taken: undo.\n" in shown


def test_nothing_may_follow_the_end_of_a_turn(lucid):
    turn, shown = played(lucid, "a1-a2 end b1-b2", "end*2", "b1-b2 end")
    assert turn == "a1-a2 b1-b2 end"
    assert "'end' ends the turn, so it must come last. Taken: a1-a2. Not taken: end b1-b2." in shown


def test_undo(lucid):
    turn, shown = played(
        lucid, "undo", "a1-a2*2 b1-b2", "undo", "undo 1", "undo x", "c1-c2 d1-d2", "undo all", "end"
    )
    assert turn == "end"
    assert "There is nothing to take back in this turn." in shown
    assert "Taken back: b1-b2\nSo far: a1-a2*2 ('end' ends the turn)" in shown
    assert "undo takes a number or 'all', got 'x'." in shown
    assert "Taken back: a1-a2 c1-c2 d1-d2\nSo far: nothing" in shown


def test_undo_brings_the_legal_moves_back(lucid):
    turn = TurnInProgress(lucid.parse(START))
    before = turn.view
    assert turn.take(["a1-a2*3"]) is None
    assert "a1-a2" not in turn.view.legal_names
    turn.undo(3)
    assert turn.view == before
    assert turn.actions == []


def test_moves_board_position_and_help(lucid):
    _, shown = played(
        lucid, "a1-a2*3", "moves", "moves B", "moves z", "position", "board", "?", "end"
    )
    assert "\nb1-b2 b1-a1 c1-c2 d1-d2 e1-e2 end\n" in shown
    assert "\nb1-b2 b1-a1\n" in shown
    assert "No legal move begins like 'z'." in shown
    after = lucid.parse(START).play("a1-a2 a1-a2 a1-a2")
    assert f"\n{after.line}\n" in shown
    assert str(after) in shown
    assert "b1-b2*2 end\n" in shown
    assert "resign " in shown


def test_hint_of_a_named_agent_from_the_turn_so_far(lucid):
    _, shown = played(lucid, "a1-a2*3", "hint lucid/simple-blue", "end")
    told = shown.partition("lucid/simple-blue would play: ")[2].splitlines()[0]
    assert sorted(told.split()) == ["b1-b2*3", "c1-c2*3", "d1-d2*3", "e1-e2*3", "end"]


def test_hint_by_default_comes_from_an_agent_of_this_game_and_seat(lucid):
    _, shown = played(lucid, "hint", "end", position=START.replace(" b ", " r "))
    assert "lucid/champion-red thinks ...\nlucid/champion-red would play: " in shown
    human, seen = person("hint", "end", hints="lucid/one-axis-blue:axis=c")
    human.choose(lucid.parse(START).view(0), Dice(1))
    assert "lucid/one-axis-blue:axis=c would play: c1-c2*3" in seen.getvalue()


def test_hint_from_an_agent_that_answers_bit_by_bit_goes_to_the_end_of_the_turn(lucid):
    _, shown = played(lucid, "hint random", "end")
    assert shown.partition("random would play: ")[2].splitlines()[0].endswith("end")


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("nobody", "there is no agent 'nobody'."),
        ("lucid/axes-red", "'lucid/axes-red' plays red, not blue"),
        ("human", "a hint comes from another agent"),
        ("external:/no/such/program", "cannot start '/no/such/program'"),
    ],
)
def test_hints_that_cannot_be_had_cost_nothing(lucid, spec, line):
    turn, shown = played(lucid, "a1-a2", f"hint {spec}", "end")
    assert line in shown
    assert turn == "a1-a2 end"


def test_resign(lucid):
    with pytest.raises(Forfeit, match=r"^resigned$"):
        played(lucid, "a1-a2", "resign", "no", "resign", "yes")


@pytest.mark.parametrize("lines", [["a1-a2", "quit"], ["a1-a2"], []])
def test_quit_and_the_end_of_the_input_break_the_game_off(lucid, lines):
    with pytest.raises(StopGame):
        played(lucid, *lines)


def test_bytes_that_are_no_text_are_no_answer(lucid):
    shown = io.StringIO()
    human = Human()
    human.terminal = Terminal(io.TextIOWrapper(io.BytesIO(b"a1-\xff\n"), encoding="utf-8"), shown)
    with pytest.raises(StopGame):
        human.choose(lucid.parse(START).view(0), Dice(1))
    assert "not text" in shown.getvalue()


def test_where_every_action_closes_each_word_is_a_turn():
    game = nim()
    human, shown = person("take9", "take1 take2", "take2*2", "take3")
    assert human.choose(game.start().view(0), Dice(1)) == [2]
    assert "'take1' ends the turn, so it must come last. Taken: nothing." in shown.getvalue()
    assert "7 stones, secret 42" in shown.getvalue()


def test_the_dice_are_never_thrown_by_the_person(lucid):
    human, _ = person("a1-a2 a1-a2", "undo", "end")
    dice = Dice(3)
    before = dice.array.copy()
    human.choose(lucid.parse(START).view(0), dice)
    assert (dice.array == before).all()


def test_completion(lucid):
    human, _ = person()
    turn = TurnInProgress(lucid.parse(START))
    complete = human._completions
    assert complete(turn, "", "a") == ["a1-a2"]
    assert complete(turn, "", "h") == ["hint", "help"]
    assert complete(turn, "a1-a2 ", "h") == []
    assert complete(turn, "a1-a2*3 ", "b") == ["b1-b2", "b1-a1"]
    assert complete(turn, "", "3*a") == ["3*a1-a2"]
    assert complete(turn, "end ", "") == []
    assert complete(turn, "moves ", "e") == ["e1-e2", "end"]
    assert complete(turn, "hint ", "lucid/si") == ["lucid/simple-blue"]


# Where the test runner has threads, newer Pythons warn of the fork that makes a terminal.
in_terminal = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


@in_terminal
def test_a_real_terminal():
    """Tab completion, history, undo, a mistake and the end of the input, as a person meets them."""
    arguments = ["-m", "sandtable", "play", "lucid", "human", "lucid/axes-red", "--seed", "1"]
    child = pexpect.spawn(
        sys.executable, arguments, encoding="utf-8", timeout=20, dimensions=(40, 100)
    )
    try:
        child.expect("You play blue.*blue> ")
        child.sendline("a1-a3")
        child.expect("no edge joins a1 and a3")
        child.expect("blue> ")
        child.send("a\t*3 c\t\n")  # only one move begins with a, only one with c
        child.expect(r"So far: a1-a2\*3 c1-c2")
        child.expect(r"moved\)> ")
        child.sendline("undo all")
        child.expect("Taken back: .*blue> ")
        child.sendline("hint lucid/simple-blue")
        child.expect("would play: .* end\r\n.*blue> ")
        child.send("\x1b[A")  # the up arrow brings the hint
        child.sendline("")
        child.expect("1. \x1b\\[94mblue\x1b\\[0m: .*c1-c2.* end\r\n")
        child.expect("blue> ")
        child.sendeof()
        child.expect("The game is broken off.")
        child.expect("To go on with it: sandtable play --resume")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 0


@in_terminal
def test_ctrl_c_at_the_prompt_is_quit():
    arguments = ["-m", "sandtable", "play", "lucid", "human", "lucid/axes-red", "--seed", "1"]
    child = pexpect.spawn(sys.executable, arguments, encoding="utf-8", timeout=20)
    try:
        child.expect("blue> ")
        child.sendintr()
        child.expect("The game is broken off.")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 0
