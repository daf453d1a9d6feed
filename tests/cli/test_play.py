"""``sandtable play``."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner, Result

from agents.little_games import nim
from agents.programs import GOOD, write_program
from sandtable import registry
from sandtable.agent import Agent
from sandtable.agents.human.agent import Human
from sandtable.cli import play as play_command
from sandtable.cli import waiting
from sandtable.cli.main import application
from sandtable.cli.screen import result_line
from sandtable.dice import Dice
from sandtable.errors import (
    Forfeit,
    SandtableError,
    StopGame,
    UnknownName,
    UnreadablePosition,
    UnreadableSpec,
    WrongSeats,
)
from sandtable.registry import make_game
from sandtable.types import Outcome

START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"
LAST_TURN = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 36 0 -"


def play(*arguments: str, typed: str = "") -> Result:
    """Run the command; what a person would see as one line of error is raised."""
    result = CliRunner().invoke(application, ["play", *arguments], input=typed)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_two_programs_are_watched():
    result = play("lucid", "lucid/simple-blue", "lucid/axes-red", "--seed", "1")
    assert result.exit_code == 0
    head, *rest = result.stdout.splitlines()
    assert head == "Operation Lucid: blue lucid/simple-blue, red lucid/axes-red"
    assert rest[0] == "The dice have the seed 1 (--seed 1 throws them again)."
    assert re.match(r"Result: blue \d+, red -?\d+ \(.*\)\.$", rest[-1])
    turns = [line for line in rest if re.match(r"\d+\. (blue|red): .*end$", line)]
    assert len(turns) == int(turns[-1].split(".")[0])
    again = play("lucid", "lucid/simple-blue", "lucid/axes-red", "--seed", "1")
    assert again.stdout == result.stdout


def test_quiet_shows_the_result_only():
    result = play("lucid", "random", "lucid/axes-red", "--seed", "2", "--quiet")
    assert re.fullmatch(r"Result: .* Seed 2\.\n", result.stdout)


def test_a_fresh_seed_is_shown():
    seeds = {
        re.search(r"--seed (\d+)", play("lucid", "random", "random").stdout)[1] for _ in range(2)
    }
    assert len(seeds) == 2


def test_the_dice_are_told_once_a_turn_also_for_agents_that_answer_bit_by_bit():
    game = make_game("lucid")
    result = play("lucid", "random", "random", "--seed", "4", "--position", START)
    first = result.stdout.partition("\n1. blue: ")[2]
    words, told = first.splitlines()[:2]
    assert words.endswith(" end")
    assert told.startswith("   ")
    assert result.stdout.count(str(game.parse(START))) == 1


def test_a_person_plays_the_last_turn():
    result = play(
        "lucid", "human", "lucid/axes-red", "--position", LAST_TURN, typed="a1-a2*3\nend\n"
    )
    assert result.exit_code == 0
    assert "You play blue." in result.stdout
    assert "\n1. blue: a1-a2*3 end\n" in result.stdout
    *_, last, again = result.stdout.splitlines()
    assert last == "Result: blue 0, red 0 (36 turns played)."
    assert re.search(r"^1\. blue: a1-a2", replay_of(again), re.MULTILINE)


def replay_of(line: str) -> str:
    """Follow the words with which a game ends: look at it again."""
    words = line.removeprefix("To look at it again: sandtable ").split()
    return CliRunner().invoke(application, [*words, "--turn", "1"]).stdout


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """Remember nothing of other tests."""
    monkeypatch.setenv("SANDTABLE_STATE", str(tmp_path / "state"))
    folder = tmp_path / "state" / "played"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("game", "others"),
    [
        ("lucid", ["random"]),
        ("skirmish", ["random"]),
        ("stratego:variant=mini", ["random"]),
        ("gravwell", ["random"] * 3),
    ],
)
def test_a_game_that_was_broken_off_goes_on(game, others, own_folder):
    asked = play(game, "human", *others, "--seed", "5", typed="hint random\n").stdout
    moves = re.findall(r"random would play: (.*)", asked)[0] + "\n"
    for path in own_folder.iterdir():  # others have moved before the person
        path.unlink()
    first = play(game, "human", *others, "--seed", "5", typed=moves)
    assert first.stdout.endswith("To go on with it: sandtable play --resume\n")
    (before,) = (json.loads(path.read_text()) for path in own_folder.iterdir())
    assert before["outcome"] is None and before["actions"]
    shown = play("--resume", typed="hint random\n").stdout
    assert "The dice have the seed 5" in shown and "Going on after" in shown
    again = play("--resume", typed=re.findall(r"random would play: (.*)", shown)[0] + "\n")
    (after,) = (json.loads(path.read_text()) for path in own_folder.iterdir())
    assert after["actions"].startswith(before["actions"])
    assert len(after["actions"]) > len(before["actions"])
    assert again.exit_code == 0


def test_there_is_a_game_to_go_on_with_or_it_is_told(own_folder):
    with pytest.raises(SandtableError, match="no game that was broken off"):
        play("--resume")
    with pytest.raises(SandtableError, match="sandtable play --resume"):
        play("lucid")
    play("lucid", "human", "random", "--position", LAST_TURN, typed="end\n")
    with pytest.raises(SandtableError, match="no game that was broken off"):
        play("--resume")  # the one there is is over


def test_a_person_reads_the_rules_and_asks_why(own_folder):
    typed = "rules\nwhy a1-a2 end\nwhy a1-a3\nwhy\n"
    shown = play(
        "lucid", "human:hints=montecarlo:samples=1", "random", "--position", START, typed=typed
    ).stdout
    assert "COURSE OF PLAY\n1. There are 36 turns." in shown
    assert "Views and planes" not in shown
    assert "montecarlo:samples=1 thinks ..." in shown
    assert re.search(r"a1-a2 end: (number \d+ of|not among) the \d+ moves", shown)
    assert "no edge joins a1 and a3" in shown
    assert "why needs a move" in shown


def test_a_game_is_recorded_finished_and_broken_off(tmp_path):
    path = tmp_path / "games.jsonl"
    arguments = ["lucid", "human", "lucid/axes-red", "--record", str(path)]
    result = play(*arguments, "--seed", "1", "--position", START, typed="a1-a2 end\n")
    assert result.exit_code == 0
    assert f"The game is broken off.\nThe game is kept in {path} as " in result.stdout
    assert result.stdout.endswith("To go on with it: sandtable play --resume\n")
    finished = ["--seed", "2", "--position", LAST_TURN]
    play(*arguments, *finished, typed="end\n")
    again = play(*arguments, *finished, typed="e1-e2 end\n")
    assert "The dice have the seed 2, game 1 (earlier ones are kept)." in again.stdout
    broken_off, whole, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (whole["number"], second["number"]) == (0, 1)
    assert second["actions"] == "e1-e2 end"
    assert broken_off["outcome"] is None
    assert broken_off["actions"]
    assert whole["outcome"]["reason"] == "36 turns played"


def test_what_is_wrong_is_found_before_the_game(tmp_path):
    axes = "lucid/axes-red"
    for arguments, problem, words in [
        (["lucit", "human", axes], UnknownName, "Did you mean 'lucid'"),
        (["lucid", "human"], WrongSeats, "needs 2 agents"),
        (["lucid", axes, "human"], WrongSeats, "plays red, not blue"),
        (["lucid", "humen", axes], UnknownName, "Did you mean 'human'"),
        (["lucid", "human", "level:esay"], UnknownName, "Did you mean 'easy'"),
        (["lucid", "human", "level:name=hardd"], UnknownName, "Did you mean 'hard'"),
        (["lucit"], UnknownName, "Did you mean 'lucid'"),
        (["lucid"], SandtableError, "sandtable play lucid human level:easy"),
        (["lucid", "human", axes, "--position", "x"], UnreadablePosition, "5 fields"),
        (["lucid", "human", axes, "--record", str(tmp_path)], SandtableError, "this is a folder"),
        (
            ["lucid", "human", axes, "--record", "/no/where/x"],
            SandtableError,
            "/no/where/x",
        ),
    ]:
        with pytest.raises(problem, match=words):
            play(*arguments)


def test_resigning_and_forfeits_have_their_own_exit_code(tmp_path):
    result = play(
        "lucid", "human", "lucid/axes-red", "--position", START, typed="resign\nno\nresign\nyes\n"
    )
    assert result.exit_code == 3
    assert result.stdout.count("Give the game up?") == 2
    assert "The game goes on." in result.stdout
    assert "\nResult: blue 0, red 0 (blue resigned).\n" in result.stdout
    crashing = write_program(tmp_path, "sys.exit(7)")
    result = play("lucid", f'external:"{crashing}"', "lucid/axes-red")
    assert result.exit_code == 3
    assert "blue forfeits: it ended with exit code 7" in result.stdout


def test_a_program_that_cannot_be_started_is_told_before_the_game():
    with pytest.raises(UnreadableSpec, match="external: cannot start '/no/such/bot'"):
        play("lucid", "external:/no/such/bot", "lucid/axes-red")


def test_the_clock_is_for_programs_not_for_people(tmp_path):
    slow = write_program(tmp_path, "ready(); read(); time.sleep(60)")
    clock = ["--move-time", "0.3", "--position", START]
    result = play("lucid", f'external:"{slow}"', "random", *clock)
    assert result.exit_code == 3
    assert "blue forfeits: no answer within 0.3 s" in result.stdout

    person = Human()
    assert play_command.awaited(person, "human", 0.1) is person


def test_only_one_person_at_a_terminal_where_things_are_hidden(monkeypatch):
    monkeypatch.setattr(registry, "make_game", lambda text: nim(hidden=True))
    monkeypatch.setattr(registry, "agent_game", lambda name: None)
    with pytest.raises(SandtableError, match="only one person can play it"):
        play("nim", "human", "human")


def test_a_person_is_shown_no_secret(monkeypatch, tmp_path):
    """The first seat of the hidden game knows the secret 42, the second does not."""
    monkeypatch.setattr(registry, "make_game", lambda text: nim(hidden=True))
    bot = write_program(tmp_path, "games(lambda message: answer({'action': 0}))")
    external = f'external:"{bot}"'
    shown = play("nim", external, "human", "--seed", "1", typed="take1\n" * 9).stdout
    shown = shown.replace(str(tmp_path), "")  # which may have any number in it
    assert "42" not in shown
    assert "first: take1" not in shown
    assert "2. second: take1\n   6 stones became 5\n" in shown
    assert shown.endswith("Result: first 1, second -1 (no stone is left). first wins.\n")
    broken_off = play("nim", external, "human", "--seed", "1", typed="take1\n").stdout
    assert "42" not in broken_off.replace(str(tmp_path), "")
    watched = play("nim", external, external, "--seed", "1").stdout
    assert "\n7 stones, secret 42\n" in watched
    assert "\n1. first: take1\n   7 stones became 6\n6 stones, secret 42\n" in watched


def test_ctrl_c_keeps_the_game_while_programs_play(tmp_path):
    path = tmp_path / "games.jsonl"
    bot = write_program(tmp_path, GOOD.replace("answer", "time.sleep(0.05) or answer"))
    command = [sys.executable, "-u", "-m", "sandtable", "play", "lucid", f'external:"{bot}"']
    command += ["lucid/axes-red", "--record", str(path), "--seed", "1", "--delay", "0.05"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("3. "):
                process.send_signal(signal.SIGINT)
                break
        rest = process.stdout.read()
    assert process.returncode == 0
    assert f"The game is kept in {path}" in rest
    assert len(json.loads(path.read_text())["actions"]) >= 3


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


class Slow(Agent):
    def choose(self, view, dice):
        time.sleep(0.2)
        return view.legal[0]


def test_a_terminal_says_that_a_program_thinks_and_its_first_move_may_take_longer(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0.02)
    monkeypatch.setattr(waiting, "first_move_time", lambda seconds: 100 * seconds)
    monkeypatch.setattr(sys, "stdout", FakeTerminal())
    program = waiting.Awaited(Slow(), "slow:1", 0.1)
    state = make_game("skirmish").start(Dice(1))
    assert program.choose(state, Dice(1)) == state.legal[0]
    said = sys.stdout.getvalue()
    assert said.startswith("slow:1 gets ready for its first move") and said.endswith(" \r")
    with pytest.raises(Forfeit, match=r"no answer within 0\.1 s"):
        program.choose(state, Dice(1))
    assert "slow:1 thinks ..." in sys.stdout.getvalue()


def test_at_a_terminal_sentences_and_rules_wrap_between_words(monkeypatch):
    lines = iter(["9", "rules", "quit"])
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "stdout", FakeTerminal())
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    game = make_game("gravwell:players=2")
    state = game.start(Dice(1))
    person = Human()
    with pytest.raises(StopGame):
        person.choose(state.view(state.turn), Dice(1))
    said = sys.stdout.getvalue()
    complaint = said.partition("'9' is not an action")[2].partition("GRAVWELL")[0]
    assert len(complaint.splitlines()) > 2
    rules = said.partition("GRAVWELL")[2]
    assert max(map(len, (*complaint.splitlines(), *rules.splitlines()))) <= 60
    assert "ship that starts on 0. A hulk" in " ".join(rules.split())
    assert "tractor   Jo 2, Qt 3" in rules


def test_no_score_is_less_than_nothing():
    drawn = Outcome((0.0, -0.0), "nobody is left")
    line = result_line(make_game("skirmish"), drawn)
    assert line == "Result: first 0, second 0 (nobody is left). A draw."
