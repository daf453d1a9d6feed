"""The answer to published figures, whatever their shape, and the sheets it is shown as."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = ["Line", "Reproduction", "Row", "Sheet"]


class Row(Protocol):
    """One agent's part of the answer."""

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data."""
        ...


@dataclass(frozen=True)
class Line:
    """One line of a sheet."""

    cells: tuple[str, ...]
    played: bool = True  # False: nothing of ours in it


@dataclass(frozen=True)
class Sheet:
    """A table of text, for the terminal and for Markdown."""

    headings: tuple[str, ...]
    lines: tuple[Line, ...]
    words: frozenset[str] = frozenset({"agent", "verdict"})  # headings of columns without numbers
    title: str = ""
    caption: str = ""  # what the cells are; for the terminal alone


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

    def as_data(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "format": "sandtable-reproduction",
            "format_version": 1,
            "game": self.game,
            "title": self.title,
            "source": self.source,
            "seed": self.seed,
            "complete": self.complete,
            "rows": [row.as_data() for row in self.rows],
            "notes": list(self.notes),
        }
