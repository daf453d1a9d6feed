"""Tables in terminals of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sandtable.cli.tables import terminal_table
from sandtable.cli.text import wrapped
from sandtable.reports.pages import Line, Page, Section, Sheet
from sandtable.reports.table_files import csv_text, latex_text, sheets_of

NAMES = ("lucid/one-axis-blue:axis=c", "lucid/axes-red", "a name of several words")
SHEET = Sheet(
    ("agent", "mean score", "95% interval", "games", "verdict"),
    tuple(Line((name, "3.880", "3.810 to 3.940", "10,000", "not published")) for name in NAMES),
    caption="a caption of some words",
)


def shown(width: int) -> str:
    """Return the table as a terminal of so many columns has it."""
    console = Console(width=width, file=io.StringIO())
    console.print(terminal_table(SHEET, "A title of some words"))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_nothing_is_cut_and_no_name_is_broken(width):
    text = shown(width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    for word in (*NAMES[:2], "3.880", "10,000"):
        assert word in text
    assert text.split().count("several") == 1


def test_a_table_that_fits_has_one_line_for_each_row():
    assert len(shown(80).splitlines()) == 3 + len(NAMES)
    assert shown(40).splitlines()[1] == NAMES[0]  # told row by row


def test_sentences_wrap_between_words():
    text = wrapped("there is no agent 'lucid/axes-rd'. Did you mean 'lucid/axes-red'?", 30)
    assert text.splitlines() == [
        "there is no agent",
        "'lucid/axes-rd'. Did you mean",
        "'lucid/axes-red'?",
    ]


def test_tables_for_other_programs():
    page = Page("p", "c", (Section("s", sheets=(SHEET, SHEET)),))
    first, second = csv_text(sheets_of(page)).split("\n\n")
    assert (
        first.splitlines()[1]
        == "lucid/one-axis-blue:axis=c,3.880,3.810 to 3.940,10000,not published"
    )
    assert second.splitlines()[0] == first.splitlines()[0]
    tex = latex_text([SHEET])
    assert "\\begin{tabular}{lrrrl}" in tex
    assert "95\\% interval" in tex
