"""Reports as files, and the sheets of reports in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from sandtable.cli.common import write_text
from sandtable.errors import SandtableError
from sandtable.reports.pages import Page, html, markdown, plot_files
from sandtable.reports.sheets import Sheet

if TYPE_CHECKING:
    from rich.console import JustifyMethod

__all__ = ["check_reports", "terminal_table", "write_report"]

ENDINGS = (".html", ".htm", ".md")


def check_reports(paths: Sequence[Path]) -> None:
    """Find out before the first game whether the reports can be written."""
    for path in paths:
        if path.suffix.lower() not in ENDINGS:
            raise SandtableError(f"cannot write {path}: a report ends in .html or .md")
        write_text(path, None)


def write_report(path: Path, page: Page) -> None:
    """Write a report as its ending says; a page of Markdown has its plots in a folder beside it."""
    if path.suffix.lower() != ".md":
        write_text(path, html(page))
        return
    folder = f"{path.stem}-plots"
    drawings = plot_files(page, folder)
    for name, drawing in drawings.items():
        write_text(path.parent / name, drawing)
    write_text(path, markdown(page, folder if drawings else None))


def terminal_table(sheet: Sheet, title: str = "") -> Table:
    """Return one sheet for the terminal."""
    table = Table(title=title, title_justify="left", box=None, collapse_padding=True)
    table.header_style = "bold underline"
    for heading in sheet.headings:
        justify: JustifyMethod = "left" if heading in sheet.words else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    for line in sheet.lines:
        table.add_row(*line.cells, style=None if line.played else "dim")
    table.caption = sheet.caption
    table.caption_justify = "left"
    return table
