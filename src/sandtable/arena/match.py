"""A match: many games between the same agents, in fixed or in rotated seats."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from sandtable.arena.chunks import Chunk, MatchPlan, Player, Results
from sandtable.arena.results import AgentResult, MatchResult, SeatResult, summarise
from sandtable.arena.workers import run_plan
from sandtable.registry import make_game

if TYPE_CHECKING:
    from sandtable.records.store import Store

__all__ = ["AgentResult", "MatchResult", "SeatResult", "play_match"]

Progress = Callable[[int], None]  # called with the number of games that have just been finished


def open_archive(path: str) -> Store:
    """Open an archive, and find out before the first game whether it can be written."""
    from sandtable.records.store import open_store  # a database library, only if it is needed

    store = open_store(path)
    store.check_writable()
    return store


def play_match(
    plan: MatchPlan,
    *,
    jobs: int = 1,
    archive: str | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match; Ctrl-C ends it early with what has been finished until then."""
    store = open_archive(archive) if archive else None
    kept = 0 if store else None
    results = Results(make_game(plan.game))
    try:
        player = Player(plan)
        player.warm_up()
        began = time.perf_counter()

        def keep(chunk: Chunk) -> None:
            nonlocal kept
            if store and kept is not None:
                kept += store.add(chunk.records)
            results.add(chunk)
            if progress:
                progress(len(chunk.scores))

        try:
            run_plan(player, jobs, keep_records=store is not None, keep=keep)
        except KeyboardInterrupt:
            if not results.chunks:
                raise
    finally:
        if store:
            store.close()
    results.close()
    return summarise(plan, results, kept, time.perf_counter() - began, jobs)
