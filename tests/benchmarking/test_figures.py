"""Runs as files, ratios against yardsticks, and what counts as slower."""

import dataclasses
from pathlib import Path

import pytest

from sandtable.benchmarking.figures import Figure, Run, changes, read_run, tables, this_machine
from sandtable.benchmarking.timing import Effort, Timing, half_distance, measured
from sandtable.cli.common import write_json
from sandtable.errors import SandtableError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def timing(rate: float, draws: float = 100.0, spread: float = 0.01) -> Timing:
    return Timing(rate, spread, rate / draws, spread, rate * 2, 5)


def run_of(*figures: Figure) -> Run:
    return Run(this_machine(), "sandtable bench", 256, list(figures))


def ours(rate: float, **more: float) -> Figure:
    return Figure("lucid", "batch", "steps/s", timing(rate, **more), planes=True)


def test_a_timing_is_the_median_of_tries_beside_draws_of_the_same_moment():
    amounts = []

    def work() -> float:
        amounts.append(sum(range(2000)))
        return 3.0

    found = measured(work, Effort(tries=5, seconds=0.005))
    assert found.tries == 5
    assert found.rate > 0
    assert found.wall > 0
    assert 0 < found.relative < found.rate
    assert len(amounts) >= 7  # one to compile, one to see how long it takes, five tries


def test_the_spread_is_half_the_distance_of_the_quartiles():
    assert half_distance([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(1 / 3)
    assert half_distance([7.0]) == 0.0


def test_a_ratio_compares_like_with_like():
    alone = Figure("lucid", "steps without planes", "steps/s", timing(500.0))
    threads = dataclasses.replace(ours(1000.0), name="two threads", per_core=False)
    yardstick = Figure("lucid", "backgammon", "steps/s", timing(10.0), "OpenSpiel", planes=True)
    elsewhere = dataclasses.replace(yardstick, game="skirmish")
    ratios = run_of(ours(1000.0), alone, threads, yardstick, elsewhere).ratios()
    assert [(each.ours, each.times) for each in ratios] == [("batch", 100), ("two threads", 100)]
    assert ratios[0].low == pytest.approx(100 / 1.02)
    assert ratios[0].high == pytest.approx(102)
    waited = dataclasses.replace(yardstick, timing=dataclasses.replace(timing(10.0), wall=5.0))
    ratios = run_of(ours(1000.0), threads, waited).ratios()
    assert [each.ours for each in ratios] == ["batch"]  # its clock on the wall tells nothing


def test_a_slower_machine_is_no_regression_but_slower_code_is():
    before = run_of(ours(1000.0))
    assert changes(before, run_of(ours(500.0, draws=50.0))) == []
    (change,) = changes(before, run_of(ours(800.0)))
    assert change.share == pytest.approx(-0.2)
    assert changes(before, run_of(ours(920.0))) == []  # less than is ever called a change
    assert changes(before, run_of(ours(800.0, spread=0.1))) == []  # within the noise of its tries
    (change,) = changes(before, run_of(ours(2000.0)))
    assert change.share > 0


def test_yardsticks_and_figures_of_one_run_alone_are_not_compared():
    yardstick = Figure("lucid", "backgammon", "steps/s", timing(10.0), "OpenSpiel")
    slower = dataclasses.replace(yardstick, timing=timing(1.0))
    assert changes(run_of(yardstick), run_of(slower, ours(1.0))) == []


def test_a_run_is_read_back_as_it_was_written(tmp_path):
    run = run_of(ours(1000.0), Figure("lucid", "x", "steps/s", timing(1.0), "pgx", planes=True))
    run.notes.append("something is missing")
    write_json(tmp_path / "run.json", run.as_data())
    assert read_run(tmp_path / "run.json") == run


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 1, "figures": [{}]}'])
def test_other_files_are_refused_in_one_line(tmp_path, text):
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(SandtableError, match="is not a file of 'sandtable bench --json'"):
        read_run(tmp_path / "other.json")
    with pytest.raises(SandtableError, match="cannot read"):
        read_run(tmp_path / "nowhere.json")


def test_the_page_shows_the_run_that_was_recorded():
    run = read_run(BENCHMARKS / "bench.json")
    assert tables(run) in (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    assert {figure.source for figure in run.figures} >= {"sandtable", "OpenSpiel", "pgx"}
    assert all(figure.value > 0 for figure in run.figures)
