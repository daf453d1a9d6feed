"""``sandtable puzzles`` and ``sandtable puzzle``: found, checked and solved at a terminal."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace

import pexpect
import pytest
from typer.testing import CliRunner

from example_plugin import installed_here
from sandtable.cli import puzzle as puzzle_command
from sandtable.cli.main import application
from sandtable.puzzles import mining
from sandtable.puzzles.puzzle import (
    bundled_puzzles,
    line_from_puzzle,
    read_puzzles,
    write_puzzles,
)

WIDTH = 80


@pytest.fixture
def state(monkeypatch, tmp_path):
    monkeypatch.setenv("SANDTABLE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def solve(*words: str, typed: str):
    result = CliRunner().invoke(application, ["puzzle", *words], input=typed)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_puzzles_of_a_plug_in_game_are_mined_gone_on_with_and_checked(
    example_package, sandtable, tmp_path
):
    out = tmp_path / "found.jsonl"
    with installed_here(example_package):
        code, _, told = sandtable("puzzles", "mine", "hexapawn", "--count", 1, "--out", out)
        assert code == 0, told
        assert len(out.read_text().splitlines()) == 1
        code, said, told = sandtable("puzzles", "mine", "hexapawn", "--count", 2, "--out", out)
        assert code == 0
        assert "going on from 1 puzzle" in told
        assert "2 puzzles of " in said
        code, said, _ = sandtable("puzzles", "check", out)
        assert code == 0
        assert "2 of 2 puzzles hold" in said
        broken = tmp_path / "broken.jsonl"
        puzzle = read_puzzles(out)[0]
        worst = min(puzzle.values, key=lambda move: puzzle.values[move])
        values = {**puzzle.values, worst: puzzle.values[puzzle.best], puzzle.best: -1.0}
        ranked = sorted(values, key=lambda move: -values[move])
        write_puzzles(broken, [replace(puzzle, best=worst, second=ranked[1], values=values)])
        code, said, _ = sandtable("puzzles", "check", broken)
        assert code == 1
        assert f"puzzle 1: {puzzle.best} is better than {worst}" in said
        assert "0 of 1 puzzle hold" in said
        code, _, told = sandtable("puzzles", "mine", "kuhn", "--out", out)
        assert (code, told.count("\n")) == (1, 1)
        assert "holds puzzles of hexapawn with seed 0" in told
        text = solve("hexapawn", "--file", str(out), typed="moves\nquit\n")
        assert "Puzzle 1 of 2" in text


def test_control_c_keeps_what_was_found(sandtable, tmp_path, monkeypatch):
    first = bundled_puzzles("skirmish")[0]

    def stopped(miner, *numbers):
        yield first
        raise KeyboardInterrupt

    monkeypatch.setattr(mining.Miner, "puzzles", stopped)
    out = tmp_path / "found.jsonl"
    code, _, told = sandtable("puzzles", "mine", "skirmish", "--count", 5, "--out", out)
    assert code == 130
    assert "stopped with 1 puzzle" in told
    assert out.read_text() == line_from_puzzle(first) + "\n"


def test_a_broken_file_is_one_line(sandtable, tmp_path):
    out = tmp_path / "broken.jsonl"
    write_puzzles(out, bundled_puzzles("lucid")[:2])
    data = json.loads(out.read_text().splitlines()[1]) | {"best": "nowhere"}
    out.write_text(out.read_text().splitlines()[0] + "\n" + json.dumps(data) + "\n")
    for words in (("puzzles", "check", out), ("puzzle", "lucid", "--file", out)):
        code, _, told = sandtable(*words)
        assert (code, told.count("\n")) == (1, 1)
        assert f"{out}, line 2: 'nowhere' is not legal there" in told


@pytest.mark.parametrize("game", ["gravwell", "lucid", "skirmish", "stratego"])
def test_a_puzzle_is_asked_hinted_and_answered(state, game):
    puzzle = bundled_puzzles(game)[0]
    worst = min(puzzle.values, key=lambda move: puzzle.values[move])
    typed = f"help\nhint\nmoves\nblurb\n{worst}\n{puzzle.best}\nquit\n"
    text = solve(game, "1", typed=typed)
    assert max(len(line) for line in text.splitlines()) <= WIDTH
    assert "Puzzle 1 of " in text
    assert "Not the best: yours " in text
    assert "Right: " in text
    assert "Margin " in text and "judged by" in text
    assert "Puzzle 2 of " in text  # it goes on
    assert "Solved: 1 of " in text
    again = solve(game, typed="quit\n")
    assert "Puzzle 2 of " in again  # what was solved is remembered


def test_the_solution_is_told_but_does_not_count(state):
    puzzle = bundled_puzzles("skirmish")[2]
    text = solve("skirmish", "3", typed="solution\nnext\nquit\n")
    assert puzzle.best in text
    assert "Solved: 0 of " in text


def test_only_one_move_is_an_answer(state):
    puzzle = next(each for each in bundled_puzzles("lucid") if each.best != "end")
    number = bundled_puzzles("lucid").index(puzzle) + 1
    text = solve("lucid", str(number), typed=f"{puzzle.best} {puzzle.best}\nquit\n")
    assert "One move only." in text
    text = solve("lucid", str(number), typed=f"{puzzle.best} end\nquit\n")
    assert "Right: " in text


def test_mistakes_are_one_line(sandtable, state):
    code, _, told = sandtable("puzzle", "lucid", 100000)
    assert code == 1
    assert "lucid has " in told and "not number 100000" in told
    code, _, told = sandtable("puzzle", "openspiel.tic_tac_toe")
    assert code == 1
    assert "comes without puzzles; 'sandtable puzzles mine" in " ".join(told.split())


def test_solved_ones_are_passed_over(state):
    solved = puzzle_command.SolvedPuzzles()
    few = list(bundled_puzzles("lucid")[:3])
    assert puzzle_command.next_place(few, solved, 0) == 1
    solved.add(few[1].identity)
    assert puzzle_command.next_place(few, puzzle_command.SolvedPuzzles(), 0) == 2
    for each in few:
        solved.add(each.identity)
    assert puzzle_command.next_place(few, solved, 0) is None


def test_at_a_real_terminal(tmp_path):
    child = pexpect.spawn(
        sys.executable,
        ["-m", "sandtable", "puzzle", "skirmish", "1"],
        encoding="utf-8",
        timeout=120,
        dimensions=(40, WIDTH),
        env={**os.environ, "TERM": "xterm", "SANDTABLE_STATE": str(tmp_path)},
    )
    child.expect("Puzzle 1 of ")
    child.expect("your move> ")
    child.sendline(bundled_puzzles("skirmish")[0].best)
    child.expect("Right: ")
    child.expect("your move> ")
    child.sendline("quit")
    child.expect("Solved: 1 of ")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
