"""``sandtable play``."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner, Result

from agents.little_games import nim
from agents.programs import GOOD, write_program
from sandtable import registry
from sandtable.agents.human.agent import Human
from sandtable.cli import play as play_command
from sandtable.cli.main import application
from sandtable.errors import (
    SandtableError,
    UnknownName,
    UnreadablePosition,
    UnreadableSpec,
    WrongSeats,
)
from sandtable.registry import make_game

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
    assert result.stdout.endswith("Result: blue 0, red 0 (36 turns played).\n")


def test_a_game_is_recorded_finished_and_broken_off(tmp_path):
    path = tmp_path / "games.jsonl"
    arguments = ["lucid", "human", "lucid/axes-red", "--record", str(path)]
    result = play(*arguments, "--seed", "1", "--position", START, typed="a1-a2 end\n")
    assert result.exit_code == 0
    assert f"The game is broken off.\nThe game is kept in {path} as " in result.stdout
    assert "To go on from here: sandtable play lucid human lucid/axes-red --pos" in result.stdout
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
    result = play("lucid", "human", "lucid/axes-red", "--position", START, typed="resign\n")
    assert result.exit_code == 3
    assert result.stdout.endswith("Result: blue 0, red 0 (blue forfeits: resigned).\n")
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
    assert play_command.clocked(person, 0.1) is person


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
    assert "42" not in shown
    assert "first: take1" not in shown
    assert "2. second: take1\n   6 stones became 5\n" in shown
    assert shown.endswith("Result: first 1, second -1 (no stone is left). first wins.\n")
    broken_off = play("nim", external, "human", "--seed", "1", typed="take1\n").stdout
    assert "42" not in broken_off
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
