"""Rows that were saved before files brought their page along: the answers, made again of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sandtable.arena.statistics.intervals import Estimate
from sandtable.reproduce.comparison import ComparedMeans, Comparison, Figure
from sandtable.reproduce.reproduction import Reproduction
from sandtable.reproduce.wins import GAMES, GamesWon, Wins, WinsRow

__all__ = ["from_earlier"]


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
    figures = {name: Figure(**row[name]) if row[name] else None for name in ("ours", "adjusted")}
    published = Figure(**row["published"])
    return Comparison(row["label"], row["agent"], published, **figures, note=row.get("note", ""))


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
        return [GamesWon(**each) for each in self.data.get("generated", ())]

    def lead_over(self, other: WinsRow | None) -> Estimate | None:
        """Return the lead over the simple opponent in the same games."""
        lead = self.data.get("lead_over_simple")
        return Estimate(lead["mean"], 0.0, lead["low"], lead["high"], 0) if lead else None

    def lead_on_levels(self, other: WinsRow | None) -> Estimate | None:
        """Return nothing: it was not saved."""
        return None

    def against_simple(self) -> GamesWon | None:
        """Return the share won against the simple opponent itself."""
        duel = self.data.get("against_simple")
        return GamesWon(**duel) if duel else None

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
        and {part: tuple(GamesWon(**each) for each in repeated[part]) for part in GAMES},
        # Only the number of levels is read from it; the figures are those of the file.
        by_level=np.full((1, levels, 2), np.nan) if levels else None,
        note=row.get("note", ""),
        data=row,
    )
