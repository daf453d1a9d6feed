"""A match or tournament in its own process: a plan comes in, results go out while it runs."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from sandtable.arena.play.plan import Chunk, MatchPlan, make_plan
from sandtable.arena.play.run import Run, RunOptions
from sandtable.arena.statistics.results import summarise
from sandtable.arena.statistics.totals import MatchTotals
from sandtable.arena.tournaments.schedules import make_tournament
from sandtable.arena.tournaments.standings import Games
from sandtable.errors import SandtableError
from sandtable.registry import make_game

__all__ = ["main"]

SECONDS_BETWEEN = 1.0
FIRST_SECONDS = 0.3


class Standings:
    """What is known of a match, or of a tournament, while its games come in."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.jobs = int(wanted["jobs"])
        self.match: MatchPlan | None = None
        self.began = time.perf_counter()
        game, agents, seed = wanted["game"], wanted["agents"], wanted["seed"]
        rotate = wanted["rotate"]
        if wanted["kind"] == "match":
            self.match = make_plan(game, agents, wanted["games"], seed, rotate=rotate)
            self.plans = [self.match]
            self.results = MatchTotals(make_game(self.match.game), len(self.match.orders))
        else:
            tournament = make_tournament(
                wanted["kind"], [game], agents, wanted["deals"], seed, rotate=rotate
            )
            self.plans = list(tournament.matches)
            self.games = Games(tournament)

    def add(self, number: int, chunk: Chunk) -> None:
        """Take in some games."""
        if self.match is not None:
            self.results.add(chunk)
        else:
            self.games.add(number, chunk)

    def result_data(self, run: Run) -> dict[str, Any] | None:
        """Return the result so far, if there is any."""
        if self.match is None:
            result = self.games.conclude()
            return result.as_data() if result.games else None
        self.results.close()
        if not self.results.games:
            return None
        seconds = time.perf_counter() - self.began
        return summarise(
            self.match, self.results, kept=run.stored, seconds=seconds, jobs=run.jobs
        ).as_data()


def play(wanted: dict[str, Any]) -> None:
    """Play; when it is stopped, what is finished is told and kept."""
    standings = Standings(wanted)
    total = sum(plan.games for plan in standings.plans)
    how = RunOptions(jobs=standings.jobs, archive=wanted["archive"])
    done = 0

    def report() -> None:
        line = {"done": done, "total": total, "result": standings.result_data(run)}
        print(json.dumps(line), flush=True)

    with Run(standings.plans, how) as run:
        standings.began = time.perf_counter()
        next_report = standings.began + FIRST_SECONDS
        with suppress(KeyboardInterrupt):
            for number, chunk in run.chunks():
                standings.add(number, chunk)
                done += len(chunk.scores)
                if time.perf_counter() >= next_report:
                    report()
                    next_report = time.perf_counter() + SECONDS_BETWEEN
        report()


def end_with_server() -> None:
    """End when the server has gone: it is the parent of this process."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(2.0)
    os._exit(1)


def main() -> None:
    """Read the plan and play."""
    threading.Thread(target=end_with_server, daemon=True).start()
    try:
        play(json.load(sys.stdin))
    except SandtableError as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main()
