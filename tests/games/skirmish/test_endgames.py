"""Solved endgames: right by a plain twin, proved by the checker, and asked of agents."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from games.skirmish.plain import PlainSkirmish
from sandtable.agent import Agent
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.endgames import error_rate, maps, table
from sandtable.games.skirmish.endgames.check import check_table
from sandtable.games.skirmish.endgames.error_rate import by_chance, some_questions
from sandtable.games.skirmish.endgames.files import read_table, write_table
from sandtable.games.skirmish.endgames.maps import EndgameMap, blank_position
from sandtable.games.skirmish.endgames.solve import solve
from sandtable.games.skirmish.endgames.suite import LEVELS, draw_questions, read_suite
from sandtable.registry import make_game
from sandtable.types import State

KINDS = {layout.TOWN: "town", layout.BARRACKS: "barracks", 3: "worker", 4: "soldier"}
TINY = EndgameMap("tiny", "2xxxxxx/3xxxxx" + "/xxxxxxxx" * 6, 3)
LEAST_AGE = 74  # no towns and barracks to begin with; workers still build them


@pytest.fixture(scope="module")
def solved():
    return solve(TINY, 1 << 16, LEAST_AGE)


def copied(solved: table.SolvedTable) -> table.SolvedTable:
    return table.SolvedTable(*(array.copy() for array in solved))


def plain_game(position) -> PlainSkirmish:
    land = {divmod(s, 8) for s in range(64) if position[layout.LAND + s]}
    units = {}
    for square in range(64):
        unit, age = int(position[layout.UNITS + square]), int(position[layout.AGES + square])
        if unit:
            units[divmod(square, 8)] = [1 if unit > 0 else 2, KINDS[abs(unit)], age]
    return PlainSkirmish(land, units, int(position[layout.MOVER]) + 1)


@functools.cache
def plain_value(land: frozenset, units: tuple, mover: int) -> int:
    """Value a position by trying everything: half-turns to a win, their negative for a loss."""
    values = []
    game = PlainSkirmish(set(land), {square: list(unit) for square, unit in units}, mover)
    for move in game.moves() or [None]:
        after = PlainSkirmish(set(land), {square: list(unit) for square, unit in units}, mover)
        after.play(move)
        if after.over:
            result = after.result() * (1 if mover == 1 else -1)
            values.append(999 * result)
        else:
            rest = tuple(sorted((square, tuple(unit)) for square, unit in after.units.items()))
            value = -plain_value(land, rest, after.mover)
            values.append(value - (value > 0) + (value < 0))
    return max(values)


def test_every_value_is_that_of_a_plain_twin(solved):
    position = blank_position(TINY)
    keys = solved.keys[solved.keys != table.FREE]
    assert len(keys) == solved.size[0] > 2500
    kinds = set()
    for number, key in enumerate(keys):
        table.position_of(key, number % 2, position)
        game = plain_game(position)
        kinds |= {unit[1] for unit in game.units.values()}
        units = tuple(sorted((square, tuple(unit)) for square, unit in game.units.items()))
        expected = plain_value(frozenset(game.land), units, game.mover)
        assert table.find(solved, key) == expected, game
    assert kinds == {"barracks", "worker", "soldier"}


def test_towns_are_valued_like_a_plain_twin_too():
    corner = EndgameMap("corner", "2xxxxxx/1xxxxxxx" + "/xxxxxxxx" * 6, 4)
    solved, position, towns = solve(corner, 1 << 21), blank_position(corner), 0
    for key in solved.keys[solved.keys != table.FREE][::400]:
        table.position_of(key, layout.SECOND, position)
        if not (abs(position[layout.UNITS : layout.AGES]) == layout.TOWN).any():
            continue
        game = plain_game(position)
        units = tuple(sorted((square, tuple(unit)) for square, unit in game.units.items()))
        expected = plain_value(frozenset(game.land), units, game.mover)
        assert table.find(solved, key) == expected, game
        towns += 1
    assert towns > 15


def test_a_key_is_the_same_for_both_sides_and_leads_back():
    position = blank_position(TINY)
    for square, unit, age in ((0, 4, 7), (1, -3, 60), (8, -2, 15), (9, 1, 59)):
        position[layout.UNITS + square], position[layout.AGES + square] = unit, age
    key = table.key_of(position)
    again = blank_position(TINY)
    table.position_of(key, layout.FIRST, again)
    assert np.array_equal(again, position)
    table.position_of(key, layout.SECOND, again)
    assert (again[layout.UNITS : layout.AGES] == -position[layout.UNITS : layout.AGES]).all()
    assert table.key_of(again) == key
    again[layout.UNITS + 10], again[layout.AGES + 10] = 4, 1
    assert table.key_of(again) == table.TOO_MANY


def test_the_checker_proves_it_and_counts(solved):
    counts = check_table(solved, TINY, LEAST_AGE)
    assert counts.positions == solved.size[0]
    assert counts.wins + counts.draws + counts.losses == counts.positions
    assert min(counts.wins, counts.draws, counts.losses, counts.choices) > 0


@pytest.mark.parametrize("change", [-1, 1])
def test_the_checker_finds_one_wrong_value(solved, change: int):
    broken = copied(solved)
    slots = np.flatnonzero(broken.keys != table.FREE)
    broken.values[slots[len(slots) // 2]] += change
    with pytest.raises(SandtableError, match="table of tiny is wrong") as caught:
        check_table(broken, TINY, LEAST_AGE)
    assert "\n" not in str(caught.value)


def test_the_checker_misses_positions_that_are_left_out(solved):
    broken = table.new_table(len(solved.keys))
    for key in solved.keys[solved.keys != table.FREE][:-1]:
        table.insert(broken, key, table.find(solved, key))
    with pytest.raises(SandtableError, match=r"wrong|lacks"):
        check_table(broken, TINY, LEAST_AGE)
    with pytest.raises(SandtableError, match="lacks a pair"):
        check_table(solved, TINY, LEAST_AGE - 10)


def test_a_table_too_small_is_told():
    with pytest.raises(SandtableError, match="do not fit into 1,024 slots"):
        solve(TINY, 1 << 10, LEAST_AGE)


def test_files_hold_the_whole_table_or_say_what_is_wrong(solved, tmp_path):
    path = tmp_path / "tiny.safetensors"
    write_table(solved, path)
    again = read_table(path)
    assert np.array_equal(np.sort(again.keys), np.sort(solved.keys))
    assert check_table(again, TINY, LEAST_AGE) == check_table(solved, TINY, LEAST_AGE)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(SandtableError, match="is damaged"):
        read_table(path)
    with pytest.raises(SandtableError, match="sandtable endgames build"):
        read_table(tmp_path / "nowhere.safetensors")


def test_questions_are_drawn_by_the_seed_alone(solved):
    drawn = draw_questions(solved, TINY, 5, seed=1)
    assert drawn == draw_questions(copied(solved), TINY, 5, seed=1)
    assert drawn != draw_questions(solved, TINY, 5, seed=2)
    for question in drawn:
        assert 0 < len(question.right) < question.moves
        assert ("one right" in LEVELS[question.level]) == (len(question.right) == 1)


def test_the_bundled_questions_can_be_asked():
    questions, game = read_suite(), make_game("skirmish")
    assert {question.map for question in questions} == set(maps.MAPS)
    seconds = sum(question.seat == layout.SECOND for question in questions)
    assert len(questions) >= 10_000
    assert abs(seconds - len(questions) / 2) < 50
    for question in questions[:300]:
        state = State(game, game.notation.parse_position(question.position))
        assert set(question.right) < set(state.legal_names)
        assert question.moves == len(state.legal)
        assert question.value in {"win", "draw"}
    assert len({question.position for question in questions}) == len(questions)


def test_chance_is_as_bad_as_it_should_be(sandtable, tmp_path):
    asked = some_questions(read_suite(), 100)
    out = tmp_path / "answers.json"
    code, told, _ = sandtable("endgames", "error-rate", "random", "-n", 100, "--json", out)
    assert code == 0
    line = next(line for line in told.splitlines() if line.startswith("all"))
    assert abs(float(line.split()[2].rstrip("%")) - 100 * by_chance(asked)) < 12
    assert out.read_text().count('"wrong"') == len(asked) == 200


def test_every_question_is_a_game_of_its_own():
    """What an agent remembers of one question says nothing in the next."""

    class Counting(Agent):
        begun, finished = 0, 0

        def begin(self, game, seat, dice):
            self.first, self.seat = True, seat
            Counting.begun += 1

        def choose(self, view, dice):
            assert self.first
            assert view.turn == self.seat
            self.first = False
            return view.legal[0]

        def finish(self, outcome):
            Counting.finished += 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_rate, "make_agent", lambda spec: Counting())
        answers = error_rate.answer("random", read_suite()[:9], seed=0)
    assert (len(answers.wrong), Counting.begun, Counting.finished) == (9, 9, 9)


def test_tables_are_built_and_checked_by_commands(sandtable, tmp_path, monkeypatch):
    small = EndgameMap("small", "3xxxxx" + "/xxxxxxxx" * 7, 3)
    monkeypatch.setitem(maps.MAPS, "small", small)
    folder = tmp_path / "tables"
    code, told, _ = sandtable("endgames", "build", folder, "--map", "small", "--bits", 18)
    assert (code, "positions solved, written to" in told) == (0, True)
    code, told, _ = sandtable("endgames", "check", folder, "--map", "small")
    assert (code, "all proved" in told) == (0, True)
    out = tmp_path / "questions.jsonl.gz"
    words = ("draw", folder, "--map", "small", "--out", out, "--each", 3)
    assert sandtable("endgames", *words)[0] == 0
    code, told, _ = sandtable("endgames", "error-rate", "skirmish/greedy", "--questions", out)
    assert (code, told.splitlines()[1].split()[0]) == (0, "all")


def test_mistakes_are_told_in_one_line(sandtable, tmp_path):
    for words in (
        ("check", tmp_path),
        ("build", tmp_path, "--map", "rong"),
        ("error-rate", "random", "--questions", tmp_path / "nothing.gz"),
        ("error-rate", "randum"),
        ("error-rate", "lucid/axes-red"),
        ("error-rate", "random", "--json", tmp_path),
        ("draw", tmp_path, "--out", tmp_path),
    ):
        code, _, errors = sandtable("endgames", *words)
        assert code == 1, words
        assert errors.startswith("error: "), words
        assert errors.count("\n") == 1, errors
    nothing = tmp_path / "nothing.gz"
    _, _, errors = sandtable("endgames", "error-rate", "random", "--questions", nothing)
    assert errors == f"error: there is no file of questions {nothing}\n"
    _, _, errors = sandtable("endgames", "error-rate", "lucid/axes-red")
    assert "plays lucid, not skirmish" in errors
