"""The file of puzzles: what is in it can be a puzzle, and what cannot is told in one line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.puzzles.answers import task_words
from sandtable.puzzles.plan import plan_of
from sandtable.puzzles.puzzle import (
    CELLS,
    bundled_puzzles,
    line_from_puzzle,
    position_text,
    puzzle_from_line,
    read_puzzles,
    view_from_text,
    write_puzzles,
)
from sandtable.registry import make_game
from sandtable.types import State

# As many as docs/puzzles.md tells; a hundred of each are wanted.
FEWEST = {"gravwell": 104, "lucid": 101, "skirmish": 101, "stratego": 100}
GAMES = tuple(FEWEST)
HIDDEN = ("gravwell", "stratego")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_brings_puzzles_with_margins_that_two_judges_found(name):
    puzzles = bundled_puzzles(name)  # reading checks that positions and moves can be
    assert len(puzzles) >= FEWEST[name]
    assert len({puzzle.identity for puzzle in puzzles}) == len(puzzles)
    plan = plan_of(make_game(name))
    for puzzle in puzzles:
        first, second = puzzle.judgements
        assert first.by != second.by
        assert first.low > 0 and second.low > 0
        assert first.margin >= plan.margin - 1e-4
        assert task_words(puzzle).endswith(".")
    assert len({puzzle.seat for puzzle in puzzles}) > 1
    assert len({puzzle.best for puzzle in puzzles}) > 10


@pytest.mark.parametrize("name", HIDDEN)
def test_nothing_hidden_is_in_a_file(name):
    for puzzle in bundled_puzzles(name):
        state = puzzle.state
        assert np.array_equal(state.view(puzzle.seat).position, state.position)


def test_a_file_is_read_as_it_was_written(tmp_path):
    few = list(bundled_puzzles("lucid")[:3])
    path = tmp_path / "few.jsonl"
    write_puzzles(path, few)
    again = read_puzzles(path)
    assert again == few
    assert [each.identity for each in again] == [each.identity for each in few]


def changed(**what):
    """Return a line of a puzzle with something changed in it; None: left out."""
    data = json.loads(line_from_puzzle(bundled_puzzles("lucid")[0])) | what
    return json.dumps({key: value for key, value in data.items() if value is not None})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "no JSON"),
        ("[]", "this is no puzzle"),
        (lambda: changed(format="record"), "this is no puzzle"),
        (lambda: changed(format_version=9), "format version 9; this Sandtable reads 1"),
        (lambda: changed(best=None), "there is no 'best'"),
        (lambda: changed(values=3), "no attribute 'items'"),
        (lambda: changed(game="no-such-game"), "there is no game 'no-such-game'"),
        (lambda: changed(version=99), "made for version 99 of the rules of lucid"),
        (lambda: changed(position="nonsense"), "the position cannot be read"),
        (lambda: changed(position=f"{CELLS}AAAAAA=="), "the position cannot be read: 2 cells"),
        (lambda: changed(seat=5), "seat 5 is not to move"),
        (lambda: changed(best="a1-b2"), "'a1-b2' is not legal there"),
        (lambda: changed(values={}), "no value of"),
        (lambda: changed(unit="francs"), "the unit is one of chance, score"),
        (lambda: changed(margin=7.5), "the margin is"),
        (lambda: changed(judgements=[]), "no judge has found a margin"),
    ],
)
def test_what_is_no_puzzle_is_told_in_one_line(line, told):
    text = line if isinstance(line, str) else line()
    with pytest.raises(SandtableError) as problem:
        puzzle_from_line(text, "file, line 3")
    said = str(problem.value)
    assert told in said
    assert "\n" not in said
    if "no-such-game" not in said:
        assert said.startswith("file, line 3: ")


def test_a_second_move_that_is_not_the_next_best_is_noticed():
    puzzle = bundled_puzzles("lucid")[0]
    worst = min(puzzle.values, key=lambda move: puzzle.values[move])
    line = line_from_puzzle(replace(puzzle, second=worst))
    with pytest.raises(SandtableError, match=f"'{worst}' is not the next best move"):
        puzzle_from_line(line, "here")


def test_a_position_that_tells_a_secret_is_refused():
    puzzle = bundled_puzzles("stratego")[0]
    whole = puzzle.state.guess(Dice(1))
    told = position_text(State(whole.game, whole.position))
    with pytest.raises(SandtableError, match="tells what its seat may not know"):
        puzzle_from_line(line_from_puzzle(replace(puzzle, position=told)), "here")


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(SandtableError, match=r"cannot read .*nowhere"):
        read_puzzles(tmp_path / "nowhere.jsonl")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(SandtableError, match="is no text"):
        read_puzzles(tmp_path / "bytes")


@pytest.mark.parametrize("spec", ["lucid", "skirmish", "stratego:variant=mini", "gravwell"])
def test_a_view_comes_back_from_its_text_cell_by_cell(spec):
    game, dice = make_game(spec), Dice(4, "walk")
    state = game.start(dice)
    for _ in range(40):
        view = state.view(state.turn)
        text = position_text(view)
        assert view_from_text(game, text, state.turn) == view
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
        if state.turn < 0:
            break
