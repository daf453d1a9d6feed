"""The answer to published figures, whatever their shape, and the sheets it is shown as."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sandtable.arena.statistics.intervals import LEVEL, holm
from sandtable.reports.pages import Line, Section, Sheet
from sandtable.reports.plots import IntervalPlot

__all__ = ["FORMAT", "FORMAT_VERSION", "Line", "Reproduction", "Row", "Sheet"]

FORMAT, FORMAT_VERSION = "sandtable-reproduction", 2


class Row(Protocol):
    """One agent's part of the answer."""

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data."""
        ...


class SupportsChance(Protocol):
    """A difference, and how likely it would be by chance."""

    @property
    def chance(self) -> float:
        """How likely a difference as large as this would be if there were none."""
        ...

    @property
    def label(self) -> str:
        """What it is a difference of."""
        ...


def by_chance(differences: Sequence[SupportsChance]) -> list[str]:
    """Say how many of several comparisons would differ by chance, and how many hold all the same.

    Those of which nothing can be told do not count. No line for a single comparison.
    """
    found = comparisons(differences)
    if found["compared"] < 2:
        return []
    doubtful = f": not {', '.join(found['doubtful'])}" if found["doubtful"] else ""
    verb = "differs" if found["differ"] == 1 else "differ"
    return [
        f"- {found['compared']} figures are compared: about {found['by_chance']:.1f} would differ "
        f"by chance at the 95% level if all were equal. {found['differ']} {verb}; "
        f"{found['differ_allowing_for_number']} allowing for their number (Holm){doubtful}."
    ]


def comparisons(differences: Sequence[SupportsChance]) -> dict[str, Any]:
    """Return the same as numbers, for files, and which differences hold on their own only."""
    known = [each for each in differences if not math.isnan(each.chance)]
    chances = [each.chance for each in known]
    hold = holm(chances)
    alone = [chance < 1 - LEVEL for chance in chances]
    doubtful = [each.label for each, is_alone, holds in zip(known, alone, hold, strict=True)
                if is_alone and not holds]  # fmt: skip
    return {
        "compared": len(chances),
        "by_chance": round(len(chances) * (1 - LEVEL), 6),
        "differ": sum(alone),
        "differ_allowing_for_number": sum(hold),
        "doubtful": list(dict.fromkeys(label for label in doubtful if label)),
    }


@dataclass(frozen=True)
class Reproduction(ABC):
    """The answer to the published figures of one game."""

    game: str
    title: str
    source: str
    seed: int
    rows: Sequence[Row]
    complete: bool = True  # False: broken off before all rows were played
    notes: tuple[str, ...] = field(default=())

    @abstractmethod
    def sheets(self, wide: bool) -> list[Sheet]:
        """Return what is shown: with short cells for a terminal, or wide ones for a page."""

    def remarks(self) -> list[str]:
        """Return what a page says under the sheets, before the notes."""
        return []

    def explanation(self) -> list[str]:
        """Return the lines at the end of a page that say how the figures are to be read."""
        return []

    def differences(self) -> Sequence[SupportsChance]:
        """Return the differences between published figures and ours that verdicts are about."""
        return []

    def plots(self) -> list[IntervalPlot]:
        """Return published figures and ours as plots."""
        return []

    def verdicts(self) -> list[str]:
        """Return the verdict of every row."""
        return [row.as_data()["verdict"] for row in self.rows]

    def section(self) -> Section:
        """Return the answer as a section of a page."""
        return Section(
            self.title,
            self.source,
            sheets=tuple(self.sheets(wide=True)),
            plots=tuple(plot for plot in self.plots() if plot.rows),
            remarks=(*self.remarks(), *by_chance(self.differences())),
            notes=self.notes,
            explanation=" ".join(self.explanation()),
        )

    def as_data(self) -> dict[str, Any]:
        """Return the answer as plain data: the rows, and the page that is made of them."""
        section = self.section()
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "game": self.game,
            "title": self.title,
            "source": self.source,
            "seed": self.seed,
            "complete": self.complete,
            "rows": [row.as_data() for row in self.rows],
            "comparisons": comparisons(self.differences()),
            "notes": list(self.notes),
            "page": {
                "sheets": [sheet.as_data() for sheet in section.sheets],
                "short_sheets": [sheet.as_data() for sheet in self.sheets(wide=False)],
                "plots": [plot.as_data() for plot in self.plots() if plot.rows],
                "remarks": list(section.remarks),
                "explanation": section.explanation,
            },
        }
