"""Coverages and error rates as tables and a page."""

from __future__ import annotations

from collections.abc import Sequence

from sandtable.arena.statistics.calibration.cases import ERRORS, Measured
from sandtable.reports.pages import Page, Section
from sandtable.reports.sheets import Line, Sheet

__all__ = ["calibration_page", "calibration_sheets"]

INTRODUCTION = (
    "Results are drawn from distributions whose mean is known, and the functions that make the "
    "intervals and verdicts of every report are let loose on them. An interval of 95% should hold "
    "the truth in 95% of such experiments, and a test that promises to err in 5% of them at most "
    "should do so.",
    "A coverage should lie between 93 and 97.5%. Where nearly all deals end alike (~) there are so "
    "few different outcomes that no interval can come close to 95% from both sides: there it must "
    "only not be too narrow. `!` is a figure outside its band, by more than chance does. Those in "
    "brackets are known not to hold, for the reason given. `-` is no interval: the experiment is "
    "too small for one, and none is shown.",
)


def cell(measured: Measured | None) -> str:
    """Write one coverage."""
    if measured is None or not measured.shown:
        return "-"
    text = f"{100 * measured.share:.1f}"
    if measured.limit:
        return f"({text})"
    return text + ("" if measured.holds else "!") + ("~" if measured.band.high == 1 else "")


def calibration_sheets(found: Sequence[Measured]) -> list[Sheet]:
    """Return a table for each section, by the number of deals or games."""
    sheets = []
    for section in dict.fromkeys(each.section for each in found):
        rows = [each for each in found if each.section == section]
        title = f"{section} ({max(each.experiments for each in rows):,} experiments each)"
        if rows[0].band == ERRORS:
            lines = [Line((each.label, cell(each), f"{each.size:,}")) for each in rows]
            headings: tuple[str, ...] = ("case", "errors in %", "games or deals")
        else:
            sizes = sorted({each.size for each in rows})
            headings = ("case", *(f"{size:,}" for size in sizes))
            lines = []
            for label in dict.fromkeys(each.label for each in rows):
                by_size = {each.size: each for each in rows if each.label == label}
                lines.append(Line((label, *(cell(by_size.get(size)) for size in sizes))))
        caption = "per cent"
        sheets.append(Sheet(headings, tuple(lines), frozenset({"case"}), title, caption))
    return sheets


def calibration_page(found: Sequence[Measured], command: str) -> Page:
    """Return the whole page."""
    outside = sum(not each.holds for each in found)
    limits = dict.fromkeys(each.limit for each in found if each.limit)
    words = f"{len(found)} figures, {outside} outside their bands."
    intervals = [each for each in found if each.band != ERRORS]
    tests = [each for each in found if each.band == ERRORS]
    sections = [
        Section(
            title,
            sheets=tuple(calibration_sheets(rows)),
            remarks=tuple(f"- In brackets: {limit}." for limit in limits) * (rows is intervals),
        )
        for title, rows in (("Coverage of intervals", intervals), ("Errors of tests", tests))
        if rows
    ]
    return Page("How well intervals and tests hold", command, tuple(sections),
                (*INTRODUCTION, words))  # fmt: skip
