"""One run of the benchmarks: what is measured one after the other, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from sandtable.benchmarking.figures import Figure, Run
from sandtable.benchmarking.timing import Effort
from sandtable.benchmarking.yardsticks import (
    OPENSPIEL,
    PGX,
    Yardsticks,
    openspiel_figures,
    pgx_figure,
    yardsticks_for,
)
from sandtable.errors import SandtableError, install_command
from sandtable.registry import make_game

__all__ = ["CAREFUL", "QUICK", "Task", "run_tasks", "tasks_of"]

CAREFUL = Effort(tries=9, seconds=0.25)
QUICK = Effort(tries=3, seconds=0.05)

# What a yardstick needs, and how it is installed.
PACKAGES = {
    OPENSPIEL: (("pyspiel", "open_spiel"), install_command("interop")),
    PGX: (("pgx", "jax"), install_command("bench")),
}


@dataclass(frozen=True)
class Task:
    """Something to measure, by the name that the screen shows meanwhile."""

    label: str
    measure: Callable[[], list[Figure]]


def missing(source: str) -> str | None:
    """Return one line about packages that a yardstick needs and that are not here, or None."""
    modules, command = PACKAGES[source]
    absent = [name for name in modules if find_spec(name) is None]
    return f"{source} is not measured: {absent[0]} is missing ({command})" if absent else None


def tasks_of(spec: str, size: int, effort: Effort, yardsticks: bool, run: Run) -> list[Task]:
    """Return all that is to be measured for a game; notes about what is not go to the run."""
    from sandtable.benchmarking import ours

    game = make_game(spec)
    tasks = [
        Task(f"{game.spec}: random play", lambda: ours.play_figures(game, effort)),
        Task(f"{game.spec}: search", lambda: [ours.search_figure(game, effort)]),
        Task(f"{game.spec}: batches", lambda: ours.batch_figures(game, size, effort)),
        Task(f"{game.spec}: networks", lambda: ours.network_figures(game, effort)),
    ]
    if yardsticks:
        from sandtable.benchmarking.twin import twin_figure

        tasks.append(Task(f"{game.spec}: plain Python", lambda: [twin_figure(game.spec, effort)]))
        tasks += others(game.spec, yardsticks_for(game), size, effort, run)
    return tasks


def others(game: str, beside: Yardsticks, size: int, effort: Effort, run: Run) -> Iterator[Task]:
    """Return the yardsticks of other packages, as far as those are here."""
    wanted = {OPENSPIEL: beside.openspiel, PGX: beside.pgx}
    for source, names in wanted.items():
        line = missing(source) if names else None
        if line and line not in run.notes:
            run.notes.append(line)
        for name in names if line is None else ():
            yield Task(f"{game}: {source}'s {name.partition('(')[0]}", yardstick(
                game, source, name, size, effort))  # fmt: skip


def yardstick(
    game: str, source: str, name: str, size: int, effort: Effort
) -> Callable[[], list[Figure]]:
    """Return the measuring of one game of another package."""

    def measure() -> list[Figure]:
        if source == PGX:
            return [pgx_figure(game, name, size, effort)]
        return openspiel_figures(game, name, effort)

    return measure


def run_tasks(tasks: list[Task], run: Run, begun: Callable[[str], None]) -> None:
    """Measure one thing after the other into the run; what cannot be measured is noted there."""
    for task in tasks:
        begun(task.label)
        try:
            run.figures += task.measure()
        except SandtableError as problem:
            run.notes.append(f"{task.label}: {problem}")
        except Exception as problem:  # another package, in a version that we do not know
            line = str(problem).strip().partition("\n")[0]
            run.notes.append(f"{task.label}: {type(problem).__name__}: {line}")
