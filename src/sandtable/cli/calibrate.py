"""``sandtable calibrate``: do intervals hold the truth as often as they promise?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from json import loads as load
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import new_command, write_json
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.calibration.experiments import Measured
    from sandtable.reports.pages import Page, Sheet

command = new_command()

EXIT_OUTSIDE = 3
INTRODUCTION = (
    "Results are drawn from distributions whose mean is known, and the functions that reports call "
    "make intervals and verdicts of them again and again. An interval of 95% should hold the truth "
    "in 95% of the experiments that show it, and a test that promises to err in 5% of them at most "
    "should do so.",
    "A coverage must lie between 93 and 97.5%; `!` marks one that does not. Since games are won or "
    "lost, coverage jumps by a few points as the true share moves from one to the next, whatever "
    "the interval: what is judged is the mean over true odds of up to a third more or less, and in "
    "brackets stands the coverage at the very share. `-` means that the interval is not shown, in "
    "95% of the experiments or more. Where it is shown in some of them, the percentage of those is "
    "in square brackets. A figure outside its band is measured again with ten times as many "
    "experiments, and then counts as it is. A comparison with 10 to 100 published games may err in "
    "7%: one game is a large step there.",
)
BEFORE = (
    "What an outside audit found before intervals and tests were mended (its own simulations, "
    "2,000 experiments each), and what the tables above say now. In per cent; `-`: not shown. "
    "The bootstrap, which covered 54 to 70% with few different values, has been taken out; and 200 "
    "copies of one game without dice, which were shown as 100% (98.1 to 100), count as one "
    "observation and have no interval."
)


@command.command()
def calibrate(
    experiments: Annotated[
        int, typer.Option("--experiments", "-n", min=50, help="Simulated experiments of each case.")
    ] = 2000,
    only: Annotated[
        str, typer.Option("--only", help="Only cases whose section or name has these words.")
    ] = "",
    size: Annotated[
        list[int] | None, typer.Option("--size", help="Only these numbers of deals; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the simulated experiments.")] = 0,
    measured: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Take figures that --json has written; repeatable."),
    ] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all figures here.")] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            "--report", help="Write a page (.html, .md, or tables as .csv or .tex); repeatable."
        ),
    ] = None,
) -> None:
    """Simulate experiments whose truth is known, and see whether intervals and tests hold.

    Every interval that Sandtable prints is made of simulated results again and again, for shares
    from 2 to 99.8%, with and without draws, for one to eighteen games a deal and for 8 to 1,000
    deals; and every test is run where it must not find anything. Coverages should be between 93 and
    97.5%, errors at most 5%. All of it takes about an hour of one core; --only takes a part, and
    --from puts parts together, of several seeds too.

    Exit codes: 0 all are; 3 some are not.

    Examples:

      sandtable calibrate --only sequential

      sandtable calibrate --only deals --size 200 -n 500 --report calibration.html

      sandtable calibrate --from one.json --from other.json --report calibration.md
    """
    from rich.console import Console

    from sandtable.cli.reports import check_reports, terminal_table, write_report

    reports = report or []
    check_reports(reports)
    chosen = partial(simulate, experiments, only.lower(), size, seed, json)
    found = read(measured) if measured else chosen()
    console = Console()
    for sheet in calibration_sheets(found):
        console.print(terminal_table(sheet, sheet.title))
    if json:
        write_json(json, [as_data(each) for each in found])
    most = max((each.experiments for each in found), default=experiments)
    shown = " ".join(["sandtable calibrate", *([f"--only '{only}'"] if only else [])])
    for path in reports:
        number = min(most, experiments)
        write_report(path, calibration_page(found, f"{shown} --experiments {number}"))
    outside = [each for each in found if not each.holds()]
    for each in outside:
        typer.echo(f"outside its band: {each.section}, {each.label}, {each.size}: {each.share:.1%}")
    typer.echo(f"{len(found)} figures, {len(outside)} outside their bands")
    if outside:
        raise typer.Exit(EXIT_OUTSIDE)


def simulate(
    experiments: int, wanted: str, sizes: list[int] | None, seed: int, json: Path | None
) -> list[Measured]:
    """Run the chosen experiments; what is finished is written down on the way."""
    from sandtable.calibration.every_case import all_cases, all_error_cases
    from sandtable.calibration.experiments import measure, measure_errors
    from sandtable.cli.progress import games_progress

    chosen = [
        (case, size)
        for case in all_cases()
        if wanted in f"{case.section} {case.label}".lower()
        for size in case.sizes
        if not sizes or size in sizes
    ]
    tests = [each for each in all_error_cases()
             if wanted in f"{each.section} {each.label}".lower() and not sizes]  # fmt: skip
    if not chosen and not tests:
        raise SandtableError(f"no experiment has the words '{wanted}'; see docs/calibration.md")
    found: list[Measured] = []
    with games_progress("simulating", len(chosen) + len(tests), "cases") as advance:
        for task in (
            *(partial(measure, *each, experiments, seed) for each in chosen),
            *(partial(measure_errors, each, experiments, seed) for each in tests),
        ):
            found.append(task())  # fmt: skip
            if json:
                write_json(json, [as_data(each) for each in found])
            advance(1)
    return found


def read(paths: Sequence[Path]) -> list[Measured]:
    """Return the figures of files that --json has written, in the order of the page."""
    from sandtable.calibration.every_case import all_cases, all_error_cases
    from sandtable.calibration.experiments import Band, Measured

    found = []
    for path in paths:
        try:
            rows = load(path.read_text(encoding="utf-8"))
            for row in rows:
                band = Band(*row.pop("band"))
                row.pop("holds")
                label, share = row.pop("case"), row.pop("share")
                shares = {name: row.pop(name) for name in ("at_the_share", "shown")}
                made = Measured(label=label, share=share, band=band, **shares, **row)
                found.append(made)
        except OSError as problem:
            raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise SandtableError(f"{path} is not what calibrate --json writes: {problem}") from None
    found = pooled(found)
    order = [(each.section, each.label) for each in all_cases()]
    order += [(each.section, each.label) for each in all_error_cases()]
    places = {name: place for place, name in enumerate(order)}
    last = len(order)
    return sorted(found, key=lambda each: (places.get((each.section, each.label), last), each.size))


def pooled(found: Sequence[Measured]) -> list[Measured]:
    """Put figures of one case and size together, as from several seeds."""
    parts: dict[tuple[str, str, int], list[Measured]] = {}
    for each in found:
        size = each.size if each.band.low else 0  # tests of several lengths are one figure
        parts.setdefault((each.section, each.label, size), []).append(each)
    made = []
    for same in parts.values():
        total = sum(each.experiments for each in same)
        weights = [each.experiments / total if total else 1 / len(same) for each in same]

        def mean(name: str, same: list[Measured] = same, weights: list[float] = weights) -> float:
            parts = zip(weights, same, strict=True)
            return float(sum(weight * getattr(each, name) for weight, each in parts))

        made.append(
            replace(
                same[0],
                experiments=total,
                size=round(mean("size")),
                share=mean("share"),
                at_the_share=mean("at_the_share"),
                shown=mean("shown"),
            )
        )
    return made


def as_data(measured: Measured) -> dict[str, object]:
    """Return one figure as plain data."""
    return {
        "section": measured.section,
        "case": measured.label,
        "size": measured.size,
        "share": round(measured.share, 6),
        "at_the_share": round(measured.at_the_share, 6),
        "shown": round(measured.shown, 6),
        "experiments": measured.experiments,
        "band": [measured.band.low, measured.band.high],
        "holds": measured.holds(),
    }


def cell(measured: Measured | None) -> str:
    """Write one coverage."""
    if measured is None:
        return "?"
    if measured.rarely_shown:
        return "-"
    text = f"{100 * measured.share:.1f}" + ("" if measured.holds() else "!")
    if measured.band.low == 0:
        return text
    return f"{text} ({100 * measured.at_the_share:.1f}){measured.part_shown}"


def calibration_sheets(found: Sequence[Measured]) -> list[Sheet]:
    """Return a table for each section, by the number of deals or games."""
    from sandtable.reports.pages import Line, Sheet

    sheets = []
    for section in dict.fromkeys(each.section for each in found):
        rows = [each for each in found if each.section == section]
        repeats = [each.experiments for each in rows if not each.rarely_shown]
        title = f"{section} ({min(repeats):,} experiments each)" if repeats else section
        if rows[0].band.low == 0:
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
    from sandtable.calibration.every_case import figure_count
    from sandtable.reports.pages import Page, Section

    outside = sum(not each.holds() for each in found)
    hidden = [each for each in found if each.rarely_shown]
    never = sum(not each.experiments for each in hidden)
    missing = figure_count() - len(found)
    unknown = f" {missing} cells with `?` were not measured." if missing > 0 else ""
    words = (
        f"{len(found)} figures, {len(hidden)} of them not shown, {outside} outside their bands."
        f"{unknown} Of "
        f"those not shown {never} never were, in no experiment, and {len(hidden) - never} in fewer "
        "than 5% of them: whoever happens to see one of these should not build on it."
    )
    intervals = [each for each in found if each.band.low > 0]
    tests = [each for each in found if each.band.low == 0]
    sections = [
        Section(title, sheets=tuple(calibration_sheets(rows)))
        for title, rows in (("Coverage of intervals", intervals), ("Errors of tests", tests))
        if rows
    ]
    compared = comparison_sheet(found)
    if compared.lines:
        sections.append(Section("Then and now", sheets=(compared,), explanation=BEFORE))
    return Page("How well intervals and tests hold", command, tuple(sections),
                (*INTRODUCTION, words))  # fmt: skip


def comparison_sheet(found: Sequence[Measured]) -> Sheet:
    """Return what was found before beside the figures of today, as far as they are there."""
    from sandtable.calibration.before import AUDIT, now
    from sandtable.reports.pages import Line, Sheet

    by_case = {
        (each.section, each.label, each.size if each.band.low else 0): each for each in found
    }
    lines = [
        Line((each.what, each.then, now(each, by_case))) for each in AUDIT if now(each, by_case)
    ]
    return Sheet(("what", "then", "now"), tuple(lines), frozenset({"what"}), "", "per cent")
