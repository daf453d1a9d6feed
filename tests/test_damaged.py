"""Damaged and strange files of every kind that is read: one line, or as good as none."""

from __future__ import annotations

import json
import random

import pytest

from sandtable.agents.response.table import read_table
from sandtable.arena.play.kept_games import KeptGames
from sandtable.benchmarking.figures import read_run
from sandtable.cli.cite import read_results
from sandtable.cli.ladder import taken
from sandtable.errors import SandtableError
from sandtable.learning.exploit.state import ExploitPlan, ExploitState
from sandtable.learning.exploit.telling import learning_curve
from sandtable.learning.state import read_state
from sandtable.puzzles.puzzle import bundled_puzzles, line_from_puzzle, puzzle_from_line
from sandtable.reports.training_logs import read_log
from sandtable.reproduce.report import load_file

NASTY = (
    "", "[", "null", "1", '"x"', "[]", "{}", "[" * 100_000, '{"a":' * 50_000, "1" * 6000,
    '{"format": [], "format_version": {}, "plan": 1, "levels": 3, "figures": [1], "steps": 5}',
    '{"game": 1e999, "score": "x", "first": 1e999, "results": [1], "state": [], "length": 1e999}',
    '{"game": 1' + "0" * 400 + ', "score": 1, "first": 0, "results": [1' + "0" * 400 + "]}",
    "\ud800", "\x00", '{"state": "running", "reason": "", "unit": "", "length": "x"}',
)  # fmt: skip


class NoLevels:
    levels = ()


PLAN = ExploitPlan("skirmish", "random", 0, "random", 0, 20, 0, (), ())
READERS = {
    "table": read_table,
    "kept games": KeptGames,
    "bench": read_run,
    "results to cite": lambda path: list(read_results(path)),
    "ladder": lambda path: taken([path], NoLevels()),
    "exploit": lambda path: ExploitState.opened(PLAN, path.parent),
    "curve": lambda path: learning_curve(path.parent),
    "state of a training": read_state,
    "log": lambda path: read_log(path.parent),
    "reproduction": load_file,
}
NAMES = {"curve": "metrics.jsonl", "log": "metrics.jsonl", "exploit": "exploit.json"}


@pytest.mark.parametrize("kind", READERS)
def test_files_that_hold_something_else(kind, tmp_path):
    path = tmp_path / NAMES.get(kind, "file.json")
    for text in NASTY:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            READERS[kind](path)
        except SandtableError as problem:
            assert "\n" not in str(problem) and len(str(problem)) < 2000


def test_a_puzzle_with_any_field_changed_is_refused_or_a_puzzle():
    chance = random.Random(0)
    line = line_from_puzzle(bundled_puzzles("skirmish")[0])
    values = (None, True, -1, 10**400, "x", "\ud800", [], {}, [1], {"x": 1}, [{}], 1e308, 0.5)
    refused = 0
    for name in json.loads(line):
        for value in values:
            data = json.loads(line) | {name: value}
            try:
                puzzle_from_line(json.dumps(data), "here")
            except SandtableError as problem:
                assert "\n" not in str(problem)
                refused += 1
    for _ in range(60):
        place = chance.randrange(len(line))
        changed = line[:place] + chance.choice('0"{}[],:x\\-') + line[place + 1 :]
        try:
            puzzle_from_line(changed, "here")
        except SandtableError as problem:
            assert "\n" not in str(problem)
            refused += 1
    assert refused > 100
