"""Reproductions as a page, fresh ones and saved ones."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.arena.statistics.intervals import Estimate
from sandtable.errors import DAMAGED, SandtableError
from sandtable.reports import pages
from sandtable.reports.pages import Page, Sheet
from sandtable.reports.plots import IntervalPlot
from sandtable.reports.training_logs import training_section
from sandtable.reproduce.comparison import ComparedMeans, Comparison, Figure
from sandtable.reproduce.games_won import GAMES, GamesWon, Wins, WinsRow
from sandtable.reproduce.reproduction import FORMAT, FORMAT_VERSION, Reproduction

__all__ = [
    "SavedReproduction",
    "from_earlier",
    "load_reproductions",
    "markdown",
    "reproduction_page",
]

TITLE = "Published figures beside ours"
EARLIER_VERSION = 1


def from_earlier(data: dict[str, Any]) -> Reproduction | None:
    """Return the answer that a file of format 1 was written from; None: of no known kind."""
    rows = data["rows"]
    about: dict[str, Any] = {
        **{name: data[name] for name in ("game", "title", "source", "seed", "complete")},
        "notes": tuple(data["notes"]),
    }
    if all("adjusted" in row for row in rows):
        return ComparedMeans(rows=tuple(map(compared, rows)), **about)
    if all("seen" in row for row in rows):
        budgets = tuple(data["opponent_budgets"])
        return Wins(rows=tuple(map(saved_wins, rows)), budgets=budgets, **about)
    return None


def compared(row: dict[str, Any]) -> Comparison:
    """Return one row of means."""
    names = ("published", "ours", "adjusted")
    figures = {name: Figure.from_data(row[name]) if row[name] else None for name in names}
    return Comparison(
        row["label"],
        row["agent"],
        **figures,
        note=row.get("note", ""),
        tolerance=row.get("tolerance", math.inf),
    )


@dataclass(frozen=True, eq=False)
class SavedWinsRow(WinsRow):
    """A row of games won whose single games are not known any more."""

    data: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """What was found."""
        return str(self.data["verdict"])

    def verdict_of(self, part: str) -> str:
        """What was found in one of the tables."""
        by_part = dict(each.split(" ", 1) for each in self.verdict.split(", ") if " " in each)
        return by_part.get(part, self.verdict)

    def generated(self) -> list[GamesWon]:
        """Return the shares on generated levels."""
        return [GamesWon.from_data(each) for each in self.data.get("generated", ())]

    def lead_over(self, other: WinsRow | None) -> Estimate | None:
        """Return the lead over the simple opponent in the same games."""
        lead = self.data.get("lead_over_simple")
        if not lead:
            return None
        low, high = (math.nan if lead[end] is None else lead[end] for end in ("low", "high"))
        return Estimate(lead["mean"], 0.0, low, high, 0)

    def lead_on_levels(self, other: WinsRow | None) -> Estimate | None:
        """Return nothing: it was not saved."""
        return None

    def against_simple(self) -> GamesWon | None:
        """Return the share won against the simple opponent itself."""
        duel = self.data.get("against_simple")
        return GamesWon.from_data(duel) if duel else None

    def as_data(self) -> dict[str, Any]:
        """Return the row as it was saved."""
        return self.data


def saved_wins(row: dict[str, Any]) -> SavedWinsRow:
    """Return one row of games won."""
    published, repeated = row["published"], row.get("repeated")
    levels = row.get("generated_levels")
    return SavedWinsRow(
        agent=row["agent"],
        label=row["label"],
        spec=row["spec"],
        published=published and {part: tuple(published[part]) for part in GAMES},
        ours={part: tuple(row[part]) for part in GAMES} if row["seen"] else None,
        repeated=repeated
        and {part: tuple(GamesWon.from_data(each) for each in repeated[part]) for part in GAMES},
        # Only the number of levels is read from it; the figures are those of the file.
        by_level=np.full((1, levels, 2), np.nan) if levels else None,
        note=row.get("note", ""),
        data=row,
    )


@dataclass(frozen=True)
class SavedRow:
    """A row of a saved answer, as plain data."""

    data: dict[str, Any]

    def as_data(self) -> dict[str, Any]:
        """Return the row."""
        return self.data


@dataclass(frozen=True)
class SavedReproduction(Reproduction):
    """An answer read from a file: its rows, and the page that was made of them."""

    page: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> SavedReproduction:
        """Return an answer from its data."""
        return cls(
            game=data["game"],
            title=data["title"],
            source=data["source"],
            seed=data["seed"],
            rows=tuple(SavedRow(row) for row in data["rows"]),
            complete=data["complete"],
            notes=tuple(data["notes"]),
            page=data["page"],
        )

    def sheets(self, wide: bool) -> list[Sheet]:
        """Return the tables."""
        saved = self.page["sheets" if wide else "short_sheets"]
        return [Sheet.from_data(each) for each in saved]

    def plots(self) -> list[IntervalPlot]:
        """Return the plots."""
        return [IntervalPlot.from_data(each) for each in self.page["plots"]]

    def remarks(self) -> list[str]:
        """Return what was said under the tables."""
        return list(self.page["remarks"])

    def explanation(self) -> list[str]:
        """Return how the figures are to be read."""
        return [self.page["explanation"]]


def load_reproductions(path: Path) -> list[Reproduction]:
    """Read the answers of one file, or of all JSON files of a folder, in the order of the games."""
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        found = [each for file in files for each in load_file(file)]
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
    if not found:
        raise SandtableError(f"there are no rows of sandtable reproduce --json in {path}")
    return sorted(found, key=lambda each: each.game)


def load_file(path: Path) -> list[Reproduction]:
    """Read one file; one of another kind has no answers."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except DAMAGED as problem:
        raise SandtableError(f"{path} is not JSON: {problem}") from problem
    answers = data if isinstance(data, list) else [data]
    found = []
    for answer in answers:
        if isinstance(answer, dict) and answer.get("format") == FORMAT:
            try:
                made = answer_from(answer)
            except (KeyError, TypeError) as problem:
                raise SandtableError(f"{path} lacks {problem}") from problem
            if made is None:
                raise SandtableError(
                    f"{path} was written by another version of sandtable; make it again with "
                    f"sandtable reproduce {answer.get('game', '')} --json {path}"
                )
            found.append(made)
    return found


def answer_from(data: dict[str, Any]) -> Reproduction | None:
    """Return an answer from its data; None: of another version."""
    if data.get("format_version") == EARLIER_VERSION:
        return from_earlier(data)
    if data.get("format_version") != FORMAT_VERSION:
        return None
    return SavedReproduction.from_data(data)


def reproduction_page(
    reproductions: Sequence[Reproduction], command: str, results: Path | None = None
) -> Page:
    """Return the whole report, with how many rows came out how.

    Where rows come from a folder of results, curves of their training stand below them.
    """
    counts = Counter(verdict for each in reproductions for verdict in each.verdicts())
    summary = ", ".join(f"{count} `{verdict}`" for verdict, count in counts.most_common())
    unfinished = [each.title for each in reproductions if not each.complete]
    words = [f"Rows by verdict: {summary}."] if summary else []
    words += [f"Broken off: {'; '.join(unfinished)}."] if unfinished else []
    sections = []
    for each in reproductions:
        sections.append(each.section())
        trained = training_section(results, each.game) if results else None
        sections += [trained] if trained else []
    return Page(TITLE, command, tuple(sections), tuple(words))


def markdown(reproductions: Sequence[Reproduction], command: str) -> str:
    """Return the report as Markdown, without its plots."""
    return pages.markdown(reproduction_page(reproductions, command))
