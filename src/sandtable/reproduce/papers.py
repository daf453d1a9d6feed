"""Every numbered table and figure of the papers, with the place of ours and a verdict.

A game's ``papers.json`` lists them. A line has its verdict in words, or says which rows of the
published tables, or which study, it comes from; then the verdict is that of the measured figures.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError
from sandtable.registry import GAMES, game_names, module_folder
from sandtable.reports.pages import Line, Page, Section, Sheet
from sandtable.reproduce.studies import read_study, studies_of

__all__ = ["VERDICTS", "Item", "Paper", "papers_of", "papers_page", "verdict_of"]

VERDICTS = (
    "agrees",
    "higher",
    "lower",
    "contradicts",
    "cannot be told",
    "not applicable",
    "not measured",
)
FILE = "papers.json"
TITLE = "Tables and figures of the papers beside ours"
NOT_PUBLISHED = ("not published", "not played")


@dataclass(frozen=True)
class Item:
    """One numbered table or figure, and where ours is.

    >>> Item("Figure 1", "the board", "`sandtable show lucid`", verdict="agrees").rows
    ()
    """

    item: str  # "Table 5.1"
    about: str  # what it shows, in our words
    ours: str  # the place of ours: a page, a command
    verdict: str = ""  # where it is not that of measured figures
    reason: str = ""
    rows: tuple[str, ...] = ()  # labels of rows in the results of the game
    study: str = ""  # name of a study of the game


@dataclass(frozen=True)
class Paper:
    """One paper with its numbered tables and figures.

    >>> Paper("A report", ()).items
    ()
    """

    title: str
    items: tuple[Item, ...]


def papers_of(game: str) -> tuple[Paper, ...]:
    """Return the papers of a game; none if it has no list of them.

    >>> [len(paper.items) for paper in papers_of("random")]
    []
    """
    if game not in game_names():
        return ()
    place = module_folder(GAMES, game) / FILE
    if not place.is_file():
        return ()
    data = json.loads(place.read_text("utf-8"))
    return tuple(Paper(each["title"], tuple(map(item_of, each["items"]))) for each in data)


def item_of(data: dict[str, Any]) -> Item:
    """Return one line of the list."""
    return Item(**{**data, "rows": tuple(data.get("rows", ()))})


def verdict_of(game: str, item: Item, results: Path) -> tuple[str, str]:
    """Return the verdict of a line, and the figures or the reason behind it."""
    if item.study:
        known = {study.name: study for study in studies_of(game)}
        if item.study not in known:
            raise SandtableError(f"{game}, {item.item}: there is no study '{item.study}'")
        finding = read_study(game, known[item.study], results / "studies").finding
        return finding.verdict, " ".join(filter(None, (finding.words, item.reason)))
    if item.rows:
        return verdict_of_rows(game, item, results)
    return item.verdict, item.reason


def verdict_of_rows(game: str, item: Item, results: Path) -> tuple[str, str]:
    """Return what the rows say together: the one verdict of all, or how many have which."""
    path = results / f"{game}.json"
    try:
        rows = json.loads(path.read_text("utf-8"))["rows"]
    except (OSError, ValueError, KeyError) as problem:
        raise SandtableError(f"cannot read the rows of {game} in {path}: {problem}") from problem
    found = []
    for label in item.rows:
        verdicts = [row["verdict"] for row in rows if row["label"] == label]
        if not verdicts:
            raise SandtableError(f"{game}, {item.item}: there is no row '{label}' in {path}")
        published = [each for each in verdicts if each not in NOT_PUBLISHED]
        found += published[:1] or ["not measured"]
    counts = Counter(part for verdict in found for part in parts_of(verdict))
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    judged = [each for each in counts if each not in ("cannot be told", "not measured")]
    order = ("contradicts", "higher", "lower", "agrees")
    verdict = next((each for each in order if each in judged), found[0] if found else "")
    return verdict, " ".join(filter(None, (f"of its rows {words}.", item.reason)))


def parts_of(verdict: str) -> list[str]:
    """Return the plain words in the verdict of a row.

    >>> parts_of("seen higher, unseen cannot be told")
    ['higher', 'cannot be told']
    """
    words = [each.strip() for each in verdict.split(",")]
    plain = {"exact": "agrees", "below": "agrees"}
    return [
        next((known for known in VERDICTS if known in word), plain.get(word, word))
        for word in words
    ]


def papers_page(games: Sequence[str], results: Path, command: str) -> Page:
    """Return the whole list, paper by paper."""
    sections = []
    for game in games:
        for paper in papers_of(game):
            lines = []
            for item in paper.items:
                verdict, reason = verdict_of(game, item, results)
                lines.append(Line((item.item, item.about, item.ours, verdict, reason)))
            headings = ("item", "what it shows", "ours", "verdict", "because")
            sheet = Sheet(headings, tuple(lines), words=frozenset(headings))
            sections.append(Section(paper.title, sheets=(sheet,)))
    introduction = (
        "Every numbered table and figure of the papers that Sandtable implements. A verdict is "
        "that of measured figures where there are any; `agrees` also says that ours shows the same "
        "thing, and `not applicable` that there is nothing to compare.",
    )
    return Page(TITLE, command, tuple(sections), introduction)
