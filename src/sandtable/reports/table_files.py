"""Tables as files for other programs: CSV for spreadsheets and R, LaTeX for papers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from sandtable.reports.pages import Page, Sheet

__all__ = ["csv_text", "latex_text", "sheets_of"]

# What LaTeX takes for a command, and what it has to be given instead.
ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "·": r"$\cdot$",
}


def sheets_of(page: Page) -> list[Sheet]:
    """Return all tables of a page."""
    return [sheet for section in page.sections for sheet in section.sheets]


def csv_text(sheets: Iterable[Sheet]) -> str:
    """Return tables as CSV, one after the other, with an empty line between them.

    >>> from sandtable.reports.pages import Line
    >>> csv_text([Sheet(("agent", "games"), (Line(("a,b", "1,000")),))]).splitlines()
    ['agent,games', '"a,b",1000']
    """
    parts = []
    for sheet in sheets:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(sheet.headings)
        for line in sheet.lines:
            writer.writerow(
                cell if heading in sheet.words else plain_number(cell)
                for heading, cell in zip(sheet.headings, line.cells, strict=True)
            )
        parts.append(buffer.getvalue())
    return "\n".join(parts)


def plain_number(cell: str) -> str:
    """Return a number without the commas that people read it by; other texts as they are.

    >>> plain_number("1,000"), plain_number("3.88 ±0.06")
    ('1000', '3.88 ±0.06')
    """
    bare = cell.replace(",", "")
    return bare if bare.replace(".", "", 1).lstrip("+-").isdecimal() else cell


def latex_text(sheets: Iterable[Sheet]) -> str:
    r"""Return tables as LaTeX, which needs the package booktabs.

    >>> from sandtable.reports.pages import Line
    >>> "a\\_b & 3 \\\\" in latex_text([Sheet(("agent", "games"), (Line(("a_b", "3")),))])
    True
    """
    lines = ["% needs \\usepackage{booktabs}"]
    for sheet in sheets:
        places = "".join("l" if heading in sheet.words else "r" for heading in sheet.headings)
        lines += ["\\begin{table}", "  \\centering", f"  \\begin{{tabular}}{{{places}}}"]
        lines += ["    \\toprule", f"    {latex_row(sheet.headings)}", "    \\midrule"]
        lines += [f"    {latex_row(line.cells)}" for line in sheet.lines]
        lines += ["    \\bottomrule", "  \\end{tabular}"]
        words = ". ".join(part.rstrip(".") for part in (sheet.title, sheet.caption) if part)
        lines += [f"  \\caption{{{escaped(words)}}}"] if words else []
        lines += ["\\end{table}", ""]
    return "\n".join(lines)


def latex_row(cells: Iterable[str]) -> str:
    """Return one line of a table."""
    return " & ".join(map(escaped, cells)) + " \\\\"


def escaped(text: str) -> str:
    r"""Return a text in which LaTeX finds no commands.

    >>> print(escaped("50% of a_b"))
    50\% of a\_b
    """
    return "".join(ESCAPED.get(letter, letter) for letter in text)
