"""Every numbered table and figure of the papers is listed, with a verdict and a place of ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from beside import ROOT, beside
from sandtable.errors import SandtableError
from sandtable.reports.pages import markdown
from sandtable.reproduce.papers import (
    VERDICTS,
    Item,
    papers_of,
    papers_page,
    parts_of,
    verdict_of,
)
from sandtable.reproduce.run import reproducible_games

RESULTS, PAGE = ROOT / "results", ROOT / "docs" / "papers.md"
TEXTS = beside("papers")
EVERY = [(game, paper, item) for game in reproducible_games() for paper in papers_of(game)
         for item in paper.items]  # fmt: skip
# The numbered tables and figures of each paper, by a word of its title.
NUMBERED = {
    "report of 2003": ["Figure 2.1", *(f"Figure 3.{n}" for n in range(1, 7)), "Figure 4.1",
                       "Figure 4.2", "Table 3.1", "Table 3.2", "Table 4.1", "Table 4.2",
                       "Table 5.1"],
    "paper of 2001": ["Fig. 1", "Fig. 2", "Fig. 3", "Table 1", "Table 2"],
    "Deep State-Value": ["Figure 1", "Figure 2", "Figure 3", "Figure 4", "Table 1", "Table 2"],
    "Stratego": [f"Figure {n}" for n in range(1, 7)],
    "Gravwell": [*(f"Figure {n}" for n in range(1, 16)), *(f"Table {n}" for n in range(1, 6))],
}  # fmt: skip


@pytest.mark.parametrize(
    ("game", "paper", "item"), EVERY, ids=[f"{game} {item.item}" for game, _, item in EVERY]
)
def test_every_line_has_a_verdict_and_a_place(game: str, paper: object, item: Item) -> None:
    verdict, reason = verdict_of(game, item, RESULTS)
    assert verdict in VERDICTS
    assert item.ours.strip() or verdict == "not applicable"
    if verdict not in ("agrees", "not measured"):
        assert reason.strip(), "what differs needs its reason"


@pytest.mark.parametrize("title", NUMBERED)
def test_nothing_numbered_is_left_out(title: str) -> None:
    listed = {item.item for _, paper, item in EVERY if title in paper.title}
    assert set(NUMBERED[title]) <= listed


@pytest.mark.skipif(not TEXTS.is_dir(), reason="the texts of the papers are not here")
def test_the_list_of_numbers_is_that_of_the_papers() -> None:
    text = (TEXTS / "lucid-report-2003.txt").read_text("utf-8")
    found = set(re.findall(r"^\s*((?:Figure|Table) \d\.\d) ", text, flags=re.MULTILINE))
    assert found == set(NUMBERED["report of 2003"])


def test_the_page_is_current() -> None:
    games = [game for game in reproducible_games() if papers_of(game)]
    command = "sandtable reproduce --papers --from results"
    assert markdown(papers_page(games, RESULTS, command)).strip() == PAGE.read_text().strip()


def test_rows_and_studies_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SandtableError, match="no row 'Nobody'"):
        verdict_of("lucid", Item("Table 9", "", "", rows=("Nobody",)), RESULTS)
    with pytest.raises(SandtableError, match="no study 'nothing'"):
        verdict_of("lucid", Item("Table 9", "", "", study="nothing"), RESULTS)
    with pytest.raises(SandtableError, match="cannot read the rows"):
        verdict_of("lucid", Item("Table 9", "", "", rows=("SimpleBlue",)), tmp_path)


def test_verdicts_of_several_parts_are_told_apart() -> None:
    assert parts_of("higher, higher, lower, lower") == ["higher", "higher", "lower", "lower"]
    assert parts_of("exact") == ["agrees"]
