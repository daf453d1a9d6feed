"""A page of sections with tables, plots and notes, written as Markdown or as one file of HTML.

The HTML stands alone: its style and its plots are inside, nothing is fetched, and it follows the
reader's light or dark theme.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from sandtable.reports.curves import CurvePlot
from sandtable.reports.plots import STYLE, IntervalPlot

__all__ = ["Line", "Page", "Section", "Sheet", "html", "markdown", "plot_files"]

PAGE_STYLE = (
    ":root{color-scheme:light dark;--ink:#22252b;--faint:#666b75;--line:#d5d8de;--back:#fff;"
    "--good:#1d7a46;--bad:#b3400f}"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e8ec;--faint:#a5abb7;--line:#3b3f48;"
    "--back:#16181d;--good:#67cc97;--bad:#ff9a5c}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);"
    "max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "h1,h2,h3{line-height:1.25}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:.6rem 0;font-size:14px}"
    "th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid var(--line);"
    "font-variant-numeric:tabular-nums}th.word,td.word{text-align:left}"
    "tr.idle{color:var(--faint)}.good{color:var(--good)}.bad{color:var(--bad)}"
    ".source,.made,footer{color:var(--faint)}code{font-size:.92em}"
)
GOOD, BAD = ("agrees", "exact", "below"), ("higher", "lower", "differs", "not below")


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


@dataclass(frozen=True)
class Section:
    """One part of a page."""

    title: str
    source: str = ""
    sheets: tuple[Sheet, ...] = ()
    plots: tuple[IntervalPlot | CurvePlot, ...] = ()
    remarks: tuple[str, ...] = ()  # lines of a list, under the tables
    notes: tuple[str, ...] = ()
    explanation: str = ""


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    command: str  # that made it
    sections: tuple[Section, ...]
    introduction: tuple[str, ...] = ()


def plot_files(page: Page, folder: str) -> dict[str, str]:
    """Return the plots of a page as files of SVG, by the name of the file."""
    return {
        f"{folder}/{plot_name(section, index)}": plot.draw(standalone=True) + "\n"
        for section in page.sections
        for index, plot in enumerate(section.plots)
    }


def plot_name(section: Section, index: int) -> str:
    """Return the name of the file of a plot."""
    words = re.sub("[^a-z0-9]+", "-", section.title.lower()).strip("-")
    return f"{words[:40].strip('-')}-{index + 1}.svg"


def markdown(page: Page, plot_folder: str | None = None) -> str:
    """Return the page as Markdown; with a folder it shows the plots that are there."""
    lines = [f"# {page.title}", "", f"Made by `{page.command}`.", ""]
    for words in page.introduction:
        lines += [words, ""]
    for section in page.sections:
        lines += [f"## {section.title}", ""]
        lines += [f"Source: {section.source}.", ""] if section.source else []
        for sheet in section.sheets:
            lines += [*sheet_lines(sheet), ""]
        if plot_folder:
            for index, plot in enumerate(section.plots):
                lines += [f"![{plot.title}]({plot_folder}/{plot_name(section, index)})", ""]
        listed = [f"- {each.removeprefix('- ')}" for each in (*section.remarks, *section.notes)]
        lines += [*listed, ""] if listed else []
        lines += [section.explanation, ""] if section.explanation else []
    return "\n".join(lines)


def sheet_lines(sheet: Sheet) -> list[str]:
    """Return one table in Markdown, under its title if it has one."""
    lines = [f"### {sheet.title}", ""] if sheet.title else []
    lines.append("| " + " | ".join(map(cell_text, sheet.headings)) + " |")
    lines.append("|" + "---|" * len(sheet.headings))
    return lines + ["| " + " | ".join(map(cell_text, line.cells)) + " |" for line in sheet.lines]


def cell_text(text: str) -> str:
    """Return a cell that does not end its column."""
    return text.replace("|", "\\|")


def html(page: Page) -> str:
    """Return the page as one file of HTML."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(page.title)}</title>",
        f"<style>{PAGE_STYLE}{STYLE}</style></head><body>",
        f"<h1>{escape(page.title)}</h1>",
        f'<p class="made">Made by <code>{escape(page.command)}</code>.</p>',
        *(f"<p>{formatted(words)}</p>" for words in page.introduction),
    ]
    for section in page.sections:
        parts += section_html(section)
    return "\n".join([*parts, "</body></html>", ""])


def section_html(section: Section) -> list[str]:
    """Return one section."""
    parts = [f"<h2>{escape(section.title)}</h2>"]
    if section.source:
        parts.append(f'<p class="source">Source: {escape(section.source)}.</p>')
    for sheet in section.sheets:
        parts += sheet_html(sheet)
    for plot in section.plots:
        parts += [f"<h3>{escape(plot.title)}</h3>", plot.draw()]
    listed = [each.removeprefix("- ") for each in (*section.remarks, *section.notes)]
    if listed:
        parts += ["<ul>", *(f"<li>{formatted(each)}</li>" for each in listed), "</ul>"]
    if section.explanation:
        parts.append(f"<p>{formatted(section.explanation)}</p>")
    return parts


def sheet_html(sheet: Sheet) -> list[str]:
    """Return one table."""
    classes = [' class="word"' if each in sheet.words else "" for each in sheet.headings]
    parts = [f"<h3>{escape(sheet.title)}</h3>"] if sheet.title else []
    headings = zip(classes, sheet.headings, strict=True)
    parts.append('<div class="wide"><table><thead><tr>')
    parts.append("".join(f"<th{kind}>{escape(each)}</th>" for kind, each in headings))
    parts.append("</tr></thead><tbody>")
    for line in sheet.lines:
        cells = [
            f"<td{kind}>{judged(cell) if heading == 'verdict' else escape(cell)}</td>"
            for kind, cell, heading in zip(classes, line.cells, sheet.headings, strict=True)
        ]
        parts.append(f"<tr{'' if line.played else ' class=idle'}>{''.join(cells)}</tr>")
    return [*parts, "</tbody></table></div>"]


def judged(verdict: str) -> str:
    """Return a verdict in its colour; one of several parts has none."""
    for kind, words in (("bad", BAD), ("good", GOOD)):
        if verdict.startswith(words) and ", " not in verdict.replace("below, as", ""):
            return f'<span class="{kind}">{escape(verdict)}</span>'
    return escape(verdict)


def formatted(text: str) -> str:
    """Return a sentence in which `code` is set as such."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))
