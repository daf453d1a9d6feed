"""Tables for a terminal of any width: nothing is cut, no name is broken, words wrap.

A table that is too wide lets its columns of words wrap between words. One that is too wide even
then is told row by row: the name on a line of its own, what is known about it below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from sandtable.cli.text import wrapped

if TYPE_CHECKING:
    from rich.console import JustifyMethod

    from sandtable.reports.pages import Sheet

__all__ = ["FittingTable", "column_widths", "terminal_table"]

GAP = 1  # empty columns between two cells; ruled tables have more
RULED_GAP = 3
EDGES = 2  # columns left and right of a table
NAMES = "agent"  # the column that names a row, where there is one
UNBROKEN = "\N{NO-BREAK SPACE}"


def column_widths(sheet: Sheet, room: int, gap: int = GAP) -> list[int] | None:
    """Return the widths of the columns in so much room; None: they do not fit.

    Columns of words become narrower, the widest first, but never narrower than their longest word;
    those of numbers as narrow as their numbers, with the heading in several lines.

    >>> from sandtable.reports.pages import Line, Sheet
    >>> sheet = Sheet(("agent", "games"), (Line(("one and only", "1,000")),))
    >>> column_widths(sheet, 40), column_widths(sheet, 15), column_widths(sheet, 8)
    ([12, 5], [8, 5], None)
    >>> column_widths(Sheet(("agent", "games"), ()), 40)  # nothing is known yet
    [5, 5]
    """
    columns = list(zip(sheet.headings, *(line.cells for line in sheet.lines), strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [
        max(
            longest_word(heading),
            max(map(longest_word if heading in sheet.words else longest_part, cells), default=0),
        )
        for heading, *cells in columns
    ]
    while sum(widths) + gap * len(widths) > room:
        spare = [width if width > low else 0 for width, low in zip(widths, least, strict=True)]
        if not any(spare):
            return None
        widths[spare.index(max(spare))] -= 1
    return widths


def longest_word(text: str) -> int:
    """Return the length of the longest word of a cell."""
    return max(map(len, text.split()), default=0)


def longest_part(cell: str) -> int:
    """Return the width of a number with what stands in brackets behind it on a line of its own."""
    return max(map(len, bracket_below(cell).split("\n")))


def bracket_below(cell: str) -> str:
    """Put what stands in brackets behind a number below it.

    >>> bracket_below("5.2 (no interval)")
    '5.2\\n(no interval)'
    """
    return cell.replace(" (", "\n(")


class FittingTable:
    """A sheet that looks at the width of the terminal when it is printed."""

    def __init__(self, sheet: Sheet, title: str = "", *, ruled: bool = False) -> None:
        self.sheet = sheet
        self.title = title
        self.ruled = ruled
        self.caption = sheet.caption

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print as a table if it fits, and row by row otherwise."""
        gap = RULED_GAP if self.ruled else GAP
        widths = column_widths(self.sheet, options.max_width - EDGES, gap)
        if self.title:
            yield Text(self.title, style="italic")
        yield self.as_rows(options.max_width) if widths is None else self.as_table(widths)
        if self.caption:
            yield Text(self.caption, style="dim italic")

    def as_table(self, widths: list[int]) -> Table:
        """Return the sheet as a table with these widths."""
        table = Table(box=None, padding=(0, 0, 0, GAP), header_style="bold underline")
        if self.ruled:
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading, width in zip(self.sheet.headings, widths, strict=True):
            wraps = heading in self.sheet.words
            justify: JustifyMethod = "left" if wraps else "right"
            table.add_column(heading, justify=justify, width=width, vertical="top")
        for line in self.sheet.lines:
            cells = [
                Text(
                    cell
                    if len(cell) <= width or heading in self.sheet.words
                    else bracket_below(cell)
                )
                for heading, cell, width in zip(
                    self.sheet.headings, line.cells, widths, strict=True
                )
            ]
            table.add_row(*cells, style=None if line.played else "dim")
        return table

    @property
    def naming(self) -> str:
        """The heading of the column that says what a row is about."""
        headings = self.sheet.headings
        wordy = [each for each in headings if each in self.sheet.words] or [headings[0]]
        return NAMES if NAMES in wordy else wordy[0]

    def as_rows(self, width: int) -> RenderableType:
        """Return the sheet row by row: the words in front, what was measured below."""
        parts: list[RenderableType] = []
        for line in self.sheet.lines:
            cells = dict(zip(self.sheet.headings, line.cells, strict=True))
            name = cells.pop(self.naming)
            facts = [f"{heading} {cell}".strip() for heading, cell in cells.items() if cell.strip()]
            told = "   ".join(fact.replace(" ", UNBROKEN) for fact in facts)
            below = wrapped(f"    {told}", width, indent="    ").replace(UNBROKEN, " ")
            parts.append(Text(name, style="bold" if line.played else "dim", overflow="fold"))
            parts.append(Text(below, style="" if line.played else "dim"))
        return Group(*parts)


def terminal_table(sheet: Sheet, title: str = "") -> FittingTable:
    """Return one sheet for the terminal."""
    return FittingTable(sheet, title)
