"""Tables of text, for the terminal and for pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Line", "Sheet"]


@dataclass(frozen=True)
class Line:
    """One line of a sheet."""

    cells: tuple[str, ...]
    played: bool = True  # False: nothing of ours in it


@dataclass(frozen=True)
class Sheet:
    """A table of text, for the terminal and for pages."""

    headings: tuple[str, ...]
    lines: tuple[Line, ...]
    words: frozenset[str] = frozenset({"agent", "verdict"})  # headings of columns without numbers
    title: str = ""
    caption: str = ""  # what the cells are; for the terminal alone

    def as_data(self) -> dict[str, Any]:
        """Return the sheet as plain data."""
        return {
            "title": self.title,
            "caption": self.caption,
            "headings": list(self.headings),
            "words": sorted(self.words),
            "lines": [{"cells": list(line.cells), "played": line.played} for line in self.lines],
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Sheet:
        """Return a sheet from its data."""
        lines = tuple(Line(tuple(each["cells"]), each["played"]) for each in data["lines"])
        words = frozenset(data["words"])
        headings = tuple(data["headings"])
        return cls(headings, lines, words, title=data["title"], caption=data["caption"])
