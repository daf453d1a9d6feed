"""``sandtable bench``: how fast everything is on this machine, beside others' games."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_ERROR, EXIT_STOPPED, new_command, write_json

if TYPE_CHECKING:
    from sandtable.benchmarking.figures import Figure, Run

command = new_command()

BATCH = 256  # games side by side


@command.command()
def bench(
    games: list[str] | None = typer.Option(
        None, "--games", "-g", help="Only this game; may be repeated, or a list with commas.",
        show_default="all that are installed",
    ),
    quick: bool = typer.Option(False, "--quick", help="Short tries: rough figures, sooner."),
    batch: int = typer.Option(BATCH, "--batch", min=1, help="Games side by side in a batch."),
    yardsticks: bool = typer.Option(
        True, "--yardsticks/--no-yardsticks", help="Also measure plain Python, OpenSpiel and pgx."
    ),
    json: Path | None = typer.Option(None, "--json", help="Write the figures to this file."),
    page: Path | None = typer.Option(
        None, "--page", help="Put the tables into this page, between its marks for figures."
    ),
    against: Path | None = typer.Option(
        None, "--against", help="Compare with the run in this file.",
        show_default="the last run on this machine",
    ),
    check: bool = typer.Option(False, "--check", help="Exit code 1 if something became slower."),
) -> None:  # fmt: skip
    """Measure the speed of games, searches, batches and networks.

    Figures are medians of several tries, in work per second of processor time on one core. Beside
    ours stand games of like size: OpenSpiel's, those of pgx, and our own rules as plain Python.
    What has become slower since the last run is said at the end; Ctrl-C keeps what was measured.
    How well models and agents play is measured by: sandtable benchmark models

    Examples:

      sandtable bench --quick

      sandtable bench --games stratego --json stratego.json

      sandtable bench --against benchmarks/bench.json --check
    """
    from sandtable.benchmarking.figures import Run, read_run, this_machine
    from sandtable.benchmarking.tasks import CAREFUL, QUICK, run_tasks, tasks_of

    write_files(None, json, page)  # find out before the measuring whether they can be written
    before = read_run(against) if against else last_run()
    run = Run(this_machine(), " ".join(["sandtable", *sys.argv[1:]]), batch)
    effort = QUICK if quick else CAREFUL
    tasks = [
        task for name in chosen(games) for task in tasks_of(name, batch, effort, yardsticks, run)
    ]
    stopped = False
    try:
        with showing(len(tasks)) as begun:
            run_tasks(tasks, run, begun)
    except KeyboardInterrupt:
        stopped = True
    show(run)
    slower = print_changes(before, run)
    keep(run, before if against is None else last_run())
    write_files(run, json, page)
    if stopped:
        typer.echo("stopped; what was measured is kept", err=True)
        raise typer.Exit(EXIT_STOPPED)
    if check and slower:
        raise typer.Exit(EXIT_ERROR)


def write_files(run: Run | None, json: Path | None, page: Path | None) -> None:
    """Write the figures where they are wanted; without a run only see whether that can be done."""
    from sandtable.benchmarking.figures import write_page

    if json:
        write_json(json, run.as_data() if run else None)
        if run:
            typer.echo(f"Figures: {json}")
    if page:
        write_page(page, run)


def chosen(games: list[str] | None) -> list[str]:
    """Return the games to measure; those that cannot be loaded are named and left out."""
    from sandtable.errors import SandtableError
    from sandtable.registry import game_names, make_game

    if games:
        words = [word for text in games for word in text.split(",")]
        return [make_game(word.strip()).spec for word in words if word.strip()]
    found = []
    for name in game_names():
        try:
            found.append(make_game(name).spec)
        except SandtableError as problem:
            typer.echo(f"warning: {problem}", err=True)
    return found


@contextmanager
def showing(tasks: int) -> Iterator[Callable[[str], None]]:
    """Show a bar that names what is being measured; without a terminal a line for each."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    )  # fmt: skip
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=tasks)
        begun = 0

        def begin(label: str) -> None:
            nonlocal begun
            progress.update(bar, completed=begun, description=label)
            begun += 1
            if not console.is_terminal:
                typer.echo(f"measuring {begun} of {tasks}: {label}", err=True)

        yield begin


def show(run: Run) -> None:
    """Print the figures, game by game, and the ratios."""
    from rich.console import Console
    from rich.table import Table

    from sandtable.benchmarking.figures import number

    console = Console()
    for game in dict.fromkeys(figure.game for figure in run.figures):
        table = Table(title=game, title_justify="left")
        for heading in ("measured", "whose", "rate", "+-", "in 1,000 draws"):
            table.add_column(
                heading, justify="left" if heading in ("measured", "whose") else "right"
            )
        for figure in run.figures:
            if figure.game == game:
                table.add_row(*figure_cells(figure))
        console.print(table)
    ratios = run.ratios()
    if ratios:
        table = Table(title="Ours as a multiple of the yardstick", title_justify="left")
        for heading in ("game", "ours", "yardstick", "times"):
            table.add_column(heading, justify="right" if heading == "times" else "left")
        for each in ratios:
            times = f"{number(each.times)} ({number(each.low)} to {number(each.high)})"
            table.add_row(each.game, each.ours, each.yardstick, times)
        console.print(table)
    if any(figure.waited for figure in run.figures):
        typer.echo("note: the machine was busy: some ratios by the clock on the wall are left out")
    for note in run.notes:
        typer.echo(f"note: {note}")


def figure_cells(figure: Figure) -> list[str]:
    """Return the cells of a figure's row."""
    from sandtable.benchmarking.figures import figure_text

    return [
        figure.name,
        figure.source,
        figure_text(figure),
        f"{100 * figure.timing.spread:.0f}%",
        f"{1000 * figure.timing.relative:.3g}",
    ]


def last_run_file() -> Path:
    """Return where the figures of the last run are kept."""
    from sandtable.compiled import cache_home

    return cache_home().parent / "bench" / "last.json"


def last_run() -> Run | None:
    """Return the last run on this machine, if there was one that can be read."""
    from sandtable.benchmarking.figures import read_run
    from sandtable.errors import SandtableError

    if not last_run_file().exists():
        return None
    try:
        return read_run(last_run_file())
    except SandtableError as problem:
        typer.echo(f"warning: {problem}", err=True)
        return None


def print_changes(before: Run | None, run: Run) -> bool:
    """Say what has become slower or faster since another run; return whether something slowed."""
    from sandtable.benchmarking.figures import changes

    if before is None:
        typer.echo("There is no earlier run to compare with; this one is kept for the next.")
        return False
    if (before.machine.get("processor"), before.batch) != (run.machine["processor"], run.batch):
        typer.echo("The earlier run is of another processor or batch: the two are not compared.")
        return False
    known = {(each.game, each.name) for each in before.figures}
    if not any((each.game, each.name) in known for each in run.figures):
        typer.echo("The earlier run has none of these figures; they are kept for the next.")
        return False
    found = changes(before, run)
    for each in found:
        word = "SLOWER" if each.share < 0 else "faster"
        typer.echo(
            f"{word}: {each.game}, {each.name}: {100 * each.share:+.0f}% "
            f"(beyond the noise of {100 * each.noise:.0f}%) against the draws of its run"
        )
    if not found:
        typer.echo("Nothing is slower or faster than in the earlier run, beyond noise.")
    return any(each.share < 0 for each in found)


def keep(run: Run, before: Run | None) -> None:
    """Keep the figures for the next run, with those of the last one that this one left out."""
    from sandtable.benchmarking.figures import Run

    kept = {}
    if before and before.machine.get("processor") == run.machine["processor"]:
        kept = {(each.game, each.source, each.name): each for each in before.figures}
    kept |= {(each.game, each.source, each.name): each for each in run.figures}
    if kept:
        whole = Run(run.machine, run.command, run.batch, list(kept.values()), run.notes)
        write_json(last_run_file(), whole.as_data())
