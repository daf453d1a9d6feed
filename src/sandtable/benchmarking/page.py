"""The figures of a run as tables of a Markdown page, between two marks that stay in place."""

from __future__ import annotations

from pathlib import Path

from sandtable.benchmarking.figures import Figure, Run
from sandtable.errors import SandtableError

__all__ = ["figure_text", "number", "tables", "write_page"]

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def figure_text(figure: Figure) -> str:
    """Return the number of a figure with its unit."""
    clock = "" if figure.per_core else " (clock)"
    return f"{number(figure.value)} {figure.unit}{clock}"


def number(value: float) -> str:
    """Return a number with three digits that count, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def tables(run: Run) -> str:
    """Return the ratios first, then every figure."""
    machine = run.machine
    lines = [
        f"`{run.command}` on {machine.get('processor', '?')}, {machine.get('cores', '?')} cores, "
        f"Python {machine.get('python', '?')}; batches of {run.batch}.",
        "",
        "| game | ours | yardstick | times as fast | between |",
        "|---|---|---|---:|---|",
    ]
    for each in run.ratios():
        between = f"{number(each.low)} and {number(each.high)}"
        cells = (each.game, each.ours, each.yardstick, number(each.times), between)
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| game | measured | whose | rate | spread |", "|---|---|---|---:|---:|"]
    for figure in run.figures:
        spread = f"{100 * figure.timing.spread:.0f}%"
        cells = (figure.game, figure.name, figure.source, figure_text(figure), spread)
        lines.append(f"| {' | '.join(cells)} |")
    if any(figure.waited for figure in run.figures):
        lines += ["", "The machine was busy: some ratios by the clock on the wall are left out."]
    lines += ["", *run.notes]
    return "\n".join(lines).rstrip() + "\n"


def write_page(path: Path, run: Run | None) -> None:
    """Put the tables between the marks of a page; without a run only see whether it has them."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from None
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SandtableError(
            f"{path} has no lines '{BEGIN}' and '{END}' for figures to stand between"
        )
    if run is not None:
        path.write_text(f"{before}{BEGIN}\n\n{tables(run)}\n{END}{after}", encoding="utf-8")
