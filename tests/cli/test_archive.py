"""``sandtable archive`` as its user meets it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from records.played import RANDOM, broken_off, played, several
from sandtable.records.archive import Archive
from sandtable.records.files import read_records


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    path = tmp_path / "games.db"
    opened = Archive.open(path)
    opened.add([*several(30), *several(12, RANDOM), broken_off(played(seed=8), 5)])
    opened.close()
    return path


def test_list(sandtable, place):
    code, out, err = sandtable("archive", "list", place)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "43 games of 3 experiments"
    assert "1 (1 broken off)" in out
    code, out, _ = sandtable("archive", "list", place, "--agent", "random", "--agent", "random")
    assert out.splitlines()[-1] == "12 games of 1 experiment"
    assert sandtable("archive", "list", place, "--game", "chess")[1] == "0 games of 0 experiments\n"


@pytest.mark.parametrize(
    ("options", "games"),
    [
        ([], 43),
        (["--agent", "lucid/axes-red"], 31),
        (["--seed", "8"], 1),
        (["--broken-off"], 1),
        (["--finished", "--agent", "lucid/axes-red"], 30),
        (["--forfeited"], 0),
        (["--longest", "5"], 1),
        (["--reason", "TURNS PLAYED", "--agent", "random"], None),
    ],
)
def test_search(sandtable, place, options, games):
    code, out, err = sandtable("archive", "search", place, "--limit", 5, *options)
    assert (code, err) == (0, "")
    if games is None:  # as many as the records themselves say
        reasons = [record.outcome.reason for record in several(12, RANDOM)]
        games = sum("turns played" in reason for reason in reasons)
        assert games
    lines = out.splitlines()
    assert lines[-1].startswith(f"{games:,} game")
    assert len(lines) == min(games, 5) + 1


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "db"])
def test_export_and_import(sandtable, place, tmp_path, ending):
    pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    between, other, lines = (tmp_path / name for name in (f"out.{ending}", "new.db", "all.jsonl"))
    code, out, err = sandtable("archive", "export", place, between)
    assert (code, err) == (0, "") and out.startswith("43 games ")
    code, out, err = sandtable("archive", "import", other, between)
    assert (code, out, err) == (0, f"43 games added to {other}\n", "")
    code, out, _ = sandtable("archive", "import", other, between)
    assert out == f"0 games added to {other}, 43 were there already\n"
    sandtable("archive", "export", other, lines)
    opened = Archive.open(place)
    assert list(read_records(lines)) == list(opened.records())
    opened.close()


def test_parquet_has_the_documented_columns(sandtable, place, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    out = tmp_path / "lucid.parquet"
    assert sandtable("archive", "export", place, out, "--agent", "lucid/axes-red")[0] == 0
    table = parquet.read_table(out)
    assert table.num_rows == 31
    record = several(1)[0]
    first = next(row for row in table.to_pylist() if row["id"] == record.identity)
    assert first["scores"] == list(record.outcome.scores)
    assert first["action_count"] == len(record.actions)
    assert json.loads(first["annotations"]) == {}


def test_stats(sandtable, place):
    code, out, err = sandtable("archive", "stats", place)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == (
        "43 games of 3 experiments; 42 finished, 1 broken off, 0 forfeited"
    )
    scores = [record.outcome.scores[0] for record in several(30)]
    row = next(line for line in out.splitlines() if "lucid/simple-blue" in line)
    assert row.split()[2:5] == ["1", "30", f"{sum(scores) / 30:.3f}"]
    assert "fewer than 20 observations" in " ".join(out.split())  # of the small experiments


def test_stats_of_games_that_share_dice_have_no_interval(sandtable, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "shared.db"
    opened = Archive.open(path)
    others = [replace(each, seats=("lucid/simple-blue", "b")) for each in several(30)]
    opened.add([*several(30), *others])
    opened.close()
    _, out, _ = sandtable("archive", "stats", path)
    told = " ".join(out.split())
    assert "no interval of lucid/simple-blue in seat 1 of lucid: several experiments threw" in told
    assert "lucid/axes-red in seat 2 of lucid: several" not in told  # one experiment


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["list", "none.db"], "error: there is no archive none.db\n"),
        (["list", "games.jsonl"], "error: games.jsonl is no archive; 'sandtable archive import"),
        (["import", "new.db", "none.jsonl"], "error: there is no file none.jsonl\n"),
        (["import", "new.db", "none.parquet"], "error: cannot read none.parquet: "),
        (["list", "mysql://me:secret@host/games"], "error: a database is a file, sqlite"),
    ],
)
def test_mistakes_are_one_line(sandtable, tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    code, out, err = sandtable("archive", *words)
    assert (code, out) == (1, "")
    assert err.startswith(error) and err.count("\n") == 1 and "secret" not in err
