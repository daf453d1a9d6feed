"""``sandtable curves``: what training runs logged, several in one plot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sandtable.cli.common import new_command, write_text
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError, suggestion

command = new_command()


@command.command()
def curves(
    runs: Annotated[list[Path], typer.Argument(help="Folders of training runs.")],
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric", "-m", help="What to draw.", show_default="a list of what was logged"
        ),
    ] = None,
    over: Annotated[
        str | None, typer.Option("--over", help="The horizontal axis.", show_default="lines")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Draw into this file (.svg).")] = Path(
        "curves.svg"
    ),
) -> None:
    """Draw what training runs logged into one plot, a curve for each run.

    Without --metric it says what the runs have logged.

    Examples:

      sandtable curves runs/first runs/second

      sandtable curves runs/first runs/second --metric loss --out loss.svg
    """
    from sandtable.reports.curves import CurvePlot
    from sandtable.reports.training_logs import curve_of, logged_metrics, read_log

    logs = {name_of(run, runs): read_log(run) for run in runs}
    known = logged_metrics(list(logs.values()))
    if metric is None:
        for name, lines in logs.items():
            write(f"{name}: {counted(len(lines), 'line')}")
        write(f"Choose what to draw with --metric: {', '.join(known)}")
        return
    for wanted in (metric, over):
        if wanted is not None and wanted not in known:
            hint = suggestion(wanted, known)
            raise SandtableError(
                f"the runs have logged no '{wanted}' (logged are {', '.join(known)}).{hint}"
            )
    if out.suffix.lower() != ".svg":
        raise SandtableError(f"curves are drawn as SVG: end '{out.name}' in .svg")
    drawn = tuple(curve_of(name, lines, metric, over) for name, lines in logs.items())
    empty = [curve.series for curve in drawn if not curve.points]
    if empty:
        raise SandtableError(f"{empty[0]} has logged no '{metric}'")
    plot = CurvePlot(metric, over or "lines of the log", metric, drawn)
    write_text(out, plot.draw(standalone=True) + "\n")
    write(f"{counted(len(drawn), 'run')} drawn: {out}")


def name_of(run: Path, runs: list[Path]) -> str:
    """Return what a run is called in the plot: its folder, with what is above it if need be."""
    same = sum(other.name == run.name for other in runs) > 1
    return str(run) if same else run.name
