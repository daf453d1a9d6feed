"""``sandtable bench`` with work that takes no time: what is shown, kept, compared and stopped."""

import json

import pytest

from sandtable.benchmarking import tasks as benchmark
from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.timing import Timing
from sandtable.cli import bench as bench_command


@pytest.fixture
def speeds(monkeypatch, tmp_path):
    """Let every game have two figures and a yardstick, at speeds that a test can change."""
    rates = {"batch": 1000.0, "yardstick": 10.0, "stop": False}

    def figure(game: str, name: str, rate: float, source: str = "sandtable") -> Figure:
        return Figure(
            game, name, "steps/s", Timing(rate, 0.01, rate / 5, 0.01, rate, 3), source, planes=True
        )

    def tasks(spec, size, effort, yardsticks, run):
        def stoppable():
            if rates["stop"]:
                raise KeyboardInterrupt
            return [figure(spec, "theirs", rates["yardstick"], "OpenSpiel")]

        run.notes.append(
            "pgx is not measured: pgx is missing (pip install 'sandtable-games[bench]')"
        )
        return [
            benchmark.Task("ours", lambda: [figure(spec, "batch", rates["batch"])]),
            benchmark.Task("theirs", stoppable),
        ]

    monkeypatch.setattr(benchmark, "tasks_of", tasks)
    monkeypatch.setattr(bench_command, "last_run_file", lambda: tmp_path / "kept" / "last.json")
    monkeypatch.setenv("COLUMNS", "200")
    return rates


def test_figures_are_shown_as_ratios_saved_and_kept(sandtable, speeds, tmp_path):
    saved, page = tmp_path / "run.json", tmp_path / "page.md"
    page.write_text("Before.\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nAfter.\n")
    options = ("--json", saved, "--page", page)
    code, out, _ = sandtable("bench", "--games", "lucid,skirmish", *options)
    assert code == 0
    assert "1,000 steps/s" in out
    assert "100 (98 to 102)" in out
    assert "note: pgx is not measured: pgx is missing (pip install 'sandtable-games[bench]')" in out
    assert "There is no earlier run to compare with" in out
    data = json.loads(saved.read_text())
    assert data["command"].startswith("sandtable bench --games lucid,skirmish")
    text = page.read_text()
    assert text.startswith("Before.\n<!-- figures: begin -->\n")
    assert text.endswith("<!-- figures: end -->\nAfter.\n")
    assert "| lucid | batch | OpenSpiel: theirs | 100 | 98 and 102 |" in text
    assert "old" not in text
    assert [each["times"] for each in data["ratios"]] == [100.0, 100.0]
    code, out, _ = sandtable("bench", "--games", "lucid")
    assert "Nothing is slower or faster" in out


def test_what_became_slower_is_flagged_against_the_last_run_or_a_file(sandtable, speeds, tmp_path):
    saved = tmp_path / "run.json"
    sandtable("bench", "--games", "lucid", "--json", saved)
    speeds["batch"] = 700.0
    code, out, _ = sandtable("bench", "--games", "lucid")
    assert code == 0
    assert "SLOWER: lucid, batch: -30%" in out
    code, out, _ = sandtable("bench", "--games", "lucid", "--against", saved, "--check")
    assert code == 1
    assert "SLOWER: lucid, batch: -30%" in out
    code, out, _ = sandtable("bench", "--games", "lucid", "--check")  # as slow as the last time
    assert code == 0


def test_a_run_that_is_stopped_keeps_what_it_has(sandtable, speeds, tmp_path):
    speeds["stop"] = True
    saved = tmp_path / "run.json"
    code, out, err = sandtable("bench", "--games", "lucid", "--json", saved)
    assert code == 130
    assert "1,000 steps/s" in out
    assert "stopped; what was measured is kept" in err
    assert len(json.loads(saved.read_text())["figures"]) == 1


def test_mistakes_end_in_one_line(sandtable, speeds, tmp_path):
    code, _, err = sandtable("bench", "--games", "lucidd")
    assert code == 1
    assert "there is no game 'lucidd'" in err
    code, _, err = sandtable("bench", "--against", tmp_path / "nothing.json")
    assert code == 1
    assert "cannot read" in err
    (tmp_path / "page.md").write_text("no marks")
    code, _, err = sandtable("bench", "--page", tmp_path / "page.md")
    assert code == 1
    assert "has no lines '<!-- figures: begin -->'" in err
