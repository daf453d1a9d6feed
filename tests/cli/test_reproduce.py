"""``sandtable reproduce``: the published tables beside ours."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sandtable.cli.main import application
from sandtable.errors import SandtableError
from sandtable.games.stratego.published_matches import MatchRow, MatchTable, ThinkingTime
from sandtable.games.stratego.reproduction import NOTES, published_table
from sandtable.reproduce.comparison import ComparedMeans
from sandtable.reproduce.run import reproducible_games

RESULTS = Path(__file__).parent.parent.parent / "results"


def reproduce(*arguments):
    result = CliRunner().invoke(application, ["reproduce", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


def test_rows_beside_the_published_ones(tmp_path):
    rows, page = tmp_path / "rows.json", tmp_path / "new" / "page.md"
    shown = reproduce("lucid", "--quick", "--json", str(rows), "--report", str(page))
    data = json.loads(rows.read_text())
    assert data["game"] == "lucid"
    by_agent = {row["agent"]: row for row in data["rows"]}
    assert len(data["rows"]) == 17  # table 5.1 of 2003, table 2 of 2001, and ours
    simple = by_agent["lucid/simple-blue"]
    assert simple["published"]["mean"] == 3.88
    assert simple["ours"]["games"] == 10_000
    assert simple["ours"]["low"] < simple["ours"]["mean"] < simple["ours"]["high"]
    assert simple["adjusted"]["sd"] < 1.2
    assert simple["verdict"] == by_agent["lucid/one-axis-blue"]["verdict"] == "agrees"
    unplayed = [row["label"] for row in data["rows"] if row["ours"] is None]
    assert unplayed == ["Human expert", "Human expert (2001)"]
    assert by_agent["lucid/semantic"]["published"] is None  # ours; the published one is a row above
    assert by_agent["lucid/semantic"]["verdict"] == "not published"
    assert by_agent["lucid/semantic"]["ours"]["games"] == 20  # it does not play inside a kernel
    assert "SimpleBlue" in shown and "agrees" in shown
    assert "| SimpleBlue | 3.880 (3.810 to 3.940) |" in page.read_text()
    assert "](page-plots/" in page.read_text()
    again = tmp_path / "again.html"
    saved = reproduce("--from", str(tmp_path), "--report", str(again))
    row = next(line.split() for line in shown.splitlines() if "SimpleBlue" in line)
    assert row in [line.split() for line in saved.splitlines()]
    assert "Human expert" in saved and "Human expert" not in shown  # nobody has played there
    assert "2 published rows not played here" in shown
    assert "3.880 (3.810 to 3.940)" in again.read_text() and "<svg" in again.read_text()
    assert "Rows by verdict: " in again.read_text()
    assert "https://" not in again.read_text() and "<script" not in again.read_text()


def test_rows_that_cannot_be_shown(tmp_path):
    path = tmp_path / "rows.json"
    for text, words in (
        ("{", "not JSON"),
        ("[]", "no rows"),
        ('{"format": "sandtable-reproduction", "format_version": 3}', "another version"),
        ('{"format": "sandtable-reproduction", "format_version": 1}', "lacks 'rows'"),
        ('{"format": "sandtable-reproduction", "format_version": 2}', "lacks 'game'"),
    ):
        path.write_text(text)
        with pytest.raises(SandtableError, match=words):
            reproduce("--from", str(path))
    with pytest.raises(SandtableError, match="cannot read"):
        reproduce("--from", str(tmp_path / "none"))
    with pytest.raises(SandtableError, match=r"\.html, \.md, \.csv or \.tex"):
        reproduce("lucid", "--report", str(tmp_path / "page.pdf"))


def test_the_saved_rows_of_the_repository_make_a_report(tmp_path):
    page = tmp_path / "report.md"
    reproduce("--from", str(RESULTS), "--report", str(page))
    text = page.read_text()
    for kept in (rows.with_suffix(".md") for rows in sorted(RESULTS.glob("*.json"))):
        tables = [line for line in kept.read_text().splitlines() if line.startswith("|")]
        assert tables and set(tables) <= set(text.splitlines())
    assert len(list((tmp_path / "report-plots").iterdir())) >= 3


def test_all_games_in_one_report(tmp_path):
    """Each paper has its section, with tables, verdicts, plots and notes, in both formats."""
    for path in RESULTS.glob("*.json"):
        shutil.copy(path, tmp_path)
    row = MatchRow(
        "baseline", "random", "baseline - random", "paper", 94, 100, (1.0, 1.0, 1.0, -1.0)
    )
    table = published_table()
    stratego = MatchTable(
        game="stratego",
        title=table["title"],
        source=table["source"],
        seed=0,
        rows=(row, replace(row, rules="full", published=None)),
        notes=NOTES,
        rule_titles={rules["rules"]: rules["title"] for rules in table["rules"]},
        times=(ThinkingTime("baseline", "baseline", 500, 60.0, 80.0, 12),),
    )
    if not (tmp_path / "stratego.json").exists():
        (tmp_path / "stratego.json").write_text(json.dumps(stratego.as_data()))
    pages = [tmp_path / "all.html", tmp_path / "all.md"]
    reproduce("--from", str(tmp_path), "--report", str(pages[0]), "--report", str(pages[1]))
    whole, sections = pages[0].read_text(), pages[1].read_text().split("\n## ")[1:]
    assert [each.partition(":")[0] for each in sections] == [
        "Gravwell", "Operation Lucid", "Skirmish", "Stratego",
    ]  # fmt: skip
    assert whole.count("<h2>") == 4 and "Rows by verdict: " in whole
    for html, section in zip(whole.split("<h2>")[1:], sections, strict=True):
        assert "<svg" in html and ">verdict</th>" in html and "<li>" in html
        assert "| verdict |" in section and "](all-plots/" in section and "\n- " in section
        assert any(word in section for word in ("agrees", "higher", "lower"))


def test_every_game_with_tables_is_run_by_default(tmp_path, monkeypatch):
    """Which games; that each of them can be run is shown with its own tables."""

    def answer(game, settings, report):
        assert settings.quick and settings.games == 5
        return ComparedMeans(game, f"All about {game}", "A paper", settings.seed, rows=())

    monkeypatch.setattr("sandtable.reproduce.run.run_reproduction", answer)
    rows = tmp_path / "rows.json"
    shown = reproduce("--quick", "--games", "5", "--json", str(rows))
    played = [each["game"] for each in json.loads(rows.read_text())]
    assert played == reproducible_games() == ["gravwell", "lucid", "skirmish", "stratego"]
    assert all(f"All about {game}" in shown for game in played)
    assert "Next things to try" in shown
    assert "play lucid human lucid/axes-red" in shown  # the first game of two seats


def test_some_rows_of_one_game(tmp_path):
    rows = tmp_path / "rows.json"
    arguments = ("--rows", "lucid/one-axis-blue", "--games", "100", "--json", str(rows))
    reproduce("lucid", *arguments)
    assert [row["agent"] for row in json.loads(rows.read_text())["rows"]] == ["lucid/one-axis-blue"]
    with pytest.raises(SandtableError, match="there is no row 'lucid/one'"):
        reproduce("lucid", "--rows", "lucid/one")
    with pytest.raises(SandtableError, match="--rows are those of one game"):
        reproduce("--rows", "lucid/one-axis-blue")
