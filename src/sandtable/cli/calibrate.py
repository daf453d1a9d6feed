"""``sandtable calibrate``: do intervals hold the truth as often as they promise?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import new_command, write_json

if TYPE_CHECKING:
    from sandtable.arena.statistics.calibration import Measured
    from sandtable.reports.pages import Page, Sheet

command = new_command()

EXIT_OUTSIDE = 3
INTRODUCTION = (
    "Results are drawn from distributions whose mean is known, and intervals and verdicts are made "
    "of them again and again. Intervals and the ratio of the sequential test come from the "
    "functions that reports call. Two simulations, of equal figures that are called different and "
    "of standings, take their intervals from there too, but repeat the rule that makes a verdict "
    "of them instead of calling the function of the report. An interval of 95% should hold the "
    "truth in 95% of such experiments, and a test that promises to err in 5% of them at most "
    "should do so. Sections that take long use a fifth of the experiments; the heading of each "
    "says how many it had.",
    "A coverage should lie between 93 and 97.5%. Where nearly all deals end alike (~) there are so "
    "few different outcomes that no interval can come close to 95% from both sides: there it must "
    "only not be too narrow. `!` is a figure outside its band, by more than chance does. Those in "
    "brackets are known not to hold, for the reason given. `-` is no interval: the experiment is "
    "too small for one, and none is shown.",
)


@command.command()
def calibrate(
    experiments: Annotated[
        int, typer.Option("--experiments", "-n", min=50, help="Simulated experiments of each case.")
    ] = 2000,
    only: Annotated[
        str, typer.Option("--only", help="Only cases whose section or name has these words.")
    ] = "",
    seed: Annotated[int, typer.Option("--seed", help="Of the simulated experiments.")] = 0,
    json: Annotated[Path | None, typer.Option("--json", help="Write all figures here.")] = None,
    report: Annotated[
        list[Path] | None, typer.Option("--report", help="Write a page (.html or .md); repeatable.")
    ] = None,
) -> None:
    """Simulate experiments whose truth is known, and see whether intervals and tests hold.

    Every interval that Sandtable prints is made of simulated results again and again, for shares
    from 2 to 99.8%, with and without draws, for one to eighteen games a deal and for 8 to 1,000
    deals; and every test is run where it must not find anything. Coverages should be between 93 and
    97.5%, errors at most 5%.

    Exit codes: 0 all are; 3 some are not.

    Examples:

      sandtable calibrate --only sequential

      sandtable calibrate -n 500 --report calibration.html
    """
    from rich.console import Console

    from sandtable.arena.statistics.calibration import cases, error_cases, measure
    from sandtable.cli.progress import games_progress
    from sandtable.cli.reports import check_reports, terminal_table, write_report

    reports = report or []
    check_reports(reports)
    wanted = only.lower()
    chosen = [each for each in cases() if wanted in f"{each.section} {each.label}".lower()]
    tests = [each for each in error_cases() if wanted in f"{each.section} {each.label}".lower()]
    found: list[Measured] = []
    total = sum(len(each.sizes) for each in chosen) + len(tests)
    with games_progress("simulating", total, "cases") as advance:
        for case in chosen:
            for size in case.sizes:
                found.append(measure(case, size, experiments, seed))
                advance(1)
        for test in tests:
            found.append(test.measure(experiments, seed))
            advance(1)
    console = Console()
    for sheet in calibration_sheets(found):
        console.print(terminal_table(sheet, sheet.title))
    if json:
        write_json(json, [as_data(each) for each in found])
    shown = " ".join(["sandtable calibrate", *([f"--only '{only}'"] if only else [])])
    for path in reports:
        write_report(path, calibration_page(found, f"{shown} --experiments {experiments}"))
    outside = [each for each in found if not each.holds]
    for each in outside:
        typer.echo(f"outside its band: {each.section}, {each.label}, {each.size}: {each.share:.1%}")
    typer.echo(f"{len(found)} figures, {len(outside)} outside their bands")
    if outside:
        raise typer.Exit(EXIT_OUTSIDE)


def as_data(measured: Measured) -> dict[str, object]:
    """Return one figure as plain data."""
    return {
        "section": measured.section,
        "case": measured.label,
        "size": measured.size,
        "share": round(measured.share, 6),
        "shown": round(measured.shown, 6),
        "experiments": measured.experiments,
        "band": [measured.band.low, measured.band.high],
        "holds": measured.holds,
        "limit": measured.limit,
    }


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
    from sandtable.arena.statistics.calibration import ERRORS
    from sandtable.reports.pages import Line, Sheet

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
    from sandtable.arena.statistics.calibration import ERRORS
    from sandtable.reports.pages import Page, Section

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
