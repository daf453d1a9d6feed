"""Several matches that are the rows of one table: their games stay until the last is complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_FORFEIT, EXIT_STOPPED, print_resumed
from sandtable.cli.text import counted, write

if TYPE_CHECKING:
    from sandtable.arena.play.match import MatchResult
    from sandtable.arena.play.plan import MatchPlan
    from sandtable.arena.play.run import Run, RunOptions

__all__ = ["end_rows", "play_rows"]


def play_rows(plans: Sequence[MatchPlan], how: RunOptions) -> tuple[list[MatchResult], list[Run]]:
    """Play one match after the other; after Ctrl-C return what there is, if there is anything."""
    results: list[MatchResult] = []
    runs: list[Run] = []
    try:
        for plan in plans:
            results.append(play_row(plan, how, runs))
            if not results[-1].complete:
                break
    except KeyboardInterrupt:
        if not results:
            raise
    return results, runs


def play_row(plan: MatchPlan, how: RunOptions, runs: list[Run]) -> MatchResult:
    """Play one match; its journal stays until all are complete."""
    from sandtable.arena.play.match import play_run
    from sandtable.arena.play.run import Run
    from sandtable.cli.progress import games_progress

    with (
        games_progress(" - ".join(plan.agents), plan.games) as progress,
        Run([plan], how) as run,
    ):
        runs.append(run)
        print_resumed(run)
        return play_run(plan, run, progress)


def end_rows(
    plans: Sequence[MatchPlan], results: Sequence[MatchResult], runs: Sequence[Run]
) -> None:
    """Say what was stopped and end the command so; complete runs need their journals no more."""
    if len(results) < len(plans) or not results[-1].complete:
        done = f"{len(results)} of {counted(len(plans), 'match', 'matches')}"
        write(f"stopped after {done}; the same command goes on from there", err=True)
        raise typer.Exit(EXIT_STOPPED)
    for run in runs:
        run.complete()
    if any(result.forfeits for result in results):
        raise typer.Exit(EXIT_FORFEIT)
