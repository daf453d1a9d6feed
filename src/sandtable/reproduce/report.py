"""Reproductions as a page of Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from sandtable.reproduce.reproduction import Reproduction, Sheet

__all__ = ["markdown"]


def markdown(reproductions: Sequence[Reproduction], command: str) -> str:
    """Return the whole report."""
    lines = ["# Published figures beside ours", "", f"Made by `{command}`.", ""]
    for reproduction in reproductions:
        lines += [f"## {reproduction.title}", "", f"Source: {reproduction.source}.", ""]
        for sheet in reproduction.sheets(wide=True):
            lines += [*sheet_lines(sheet), ""]
        lines += [*reproduction.remarks(), ""]
        lines += [f"- {note}" for note in reproduction.notes]
        lines += ["", *reproduction.explanation(), ""]
    return "\n".join(lines)


def sheet_lines(sheet: Sheet) -> list[str]:
    """Return one table, under its title if it has one."""
    lines = [f"### {sheet.title}", ""] if sheet.title else []
    lines.append("| " + " | ".join(sheet.headings) + " |")
    lines.append("|" + "---|" * len(sheet.headings))
    return lines + ["| " + " | ".join(line.cells) + " |" for line in sheet.lines]
