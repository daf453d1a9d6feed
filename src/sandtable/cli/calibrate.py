"""``sandtable calibrate``: do intervals hold the truth as often as they promise?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import new_command, write_json

if TYPE_CHECKING:
    from sandtable.arena.statistics.calibration.cases import Measured

command = new_command()

EXIT_OUTSIDE = 3


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

    from sandtable.arena.statistics.calibration.cases import cases, error_cases, measure
    from sandtable.arena.statistics.calibration.page import calibration_page, calibration_sheets
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
