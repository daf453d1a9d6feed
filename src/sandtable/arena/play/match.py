"""A match: many games between the same agents, in fixed or in rotated seats."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sandtable.arena.play.journal import JournalInUse
from sandtable.arena.play.plan import MatchPlan, Results
from sandtable.arena.play.run import Run, RunOptions
from sandtable.arena.statistics.results import AgentResult, MatchResult, SeatResult, summarise
from sandtable.arena.statistics.totals import MatchTotals
from sandtable.registry import make_game

__all__ = ["AgentResult", "MatchResult", "SeatResult", "open_run", "play_match", "play_run"]

Progress = Callable[[int], None]  # called with the number of games that have just been finished


@contextmanager
def open_run(
    plans: Sequence[MatchPlan],
    options: RunOptions,
    journals: list[Path] | None = None,
    skip: Sequence[int] | None = None,
) -> Iterator[Run]:
    """Begin a run that is one of several.

    With ``journals`` its games are kept, and known when it is played again; the journal is added to
    the list, for whoever has other runs to play and removes all when their results are told.
    """
    kept = replace(options, resume=journals is not None)
    try:
        run = Run(plans, kept, skip).__enter__()
    except JournalInUse:  # by another process that plays the same; ours is played unkept
        run = Run(plans, replace(kept, resume=False), skip).__enter__()
    if run.journal and journals is not None:
        journals.append(run.journal.path)
    with run.stack:
        yield run


def play_match(
    plan: MatchPlan,
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
    archive: str | None = None,
    progress: Progress | None = None,
    journals: list[Path] | None = None,
    every_game: bool = False,
) -> MatchResult:
    """Play a match; Ctrl-C ends it early with what has been finished until then.

    With ``journals`` (see ``open_run``) it can go on after that. Who looks at single games asks for
    ``every_game``; otherwise only counts and sums are left of a long match.

    >>> from sandtable.arena.play.plan import make_plan
    >>> result = play_match(make_plan("lucid", ["random", "lucid/axes-red"], games=20, seed=0))
    >>> result.games, [seat.agent for seat in result.seats]
    (20, ['random', 'lucid/axes-red'])
    """
    options = RunOptions(jobs=jobs, cluster=cluster, archive=archive)
    results = Results(make_game(plan.game), len(plan.orders)) if every_game else None
    with open_run([plan], options, journals) as run:
        return play_run(plan, run, progress, results)


def play_run(
    plan: MatchPlan, run: Run, progress: Progress | None = None, results: Results | None = None
) -> MatchResult:
    """Play the match of a run that has been begun; whoever began it says when it is complete.

    Who wants to watch brings the ``results`` that the games are collected in, and with ``Results``
    keeps every one of them; otherwise a long match takes no more memory than a short one.
    """
    results = results or MatchTotals(make_game(plan.game), len(plan.orders))
    began = time.perf_counter()
    try:
        for _, chunk in run.chunks():
            results.add(chunk)
            if progress:
                progress(len(chunk.scores))
    except KeyboardInterrupt:
        if not results.received:
            raise
    seconds = time.perf_counter() - began
    results.close()
    return summarise(
        plan,
        results,
        kept=run.stored if run.store else None,
        seconds=seconds,
        jobs=run.jobs,
        resumed=run.resumed,
    )
