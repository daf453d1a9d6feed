"""A match in a process of its own: a plan comes in, results go out as lines while it runs."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from sandtable.arena.chunks import Chunk, Results, make_plan
from sandtable.arena.results import summarise
from sandtable.arena.running import HowToPlay, Run
from sandtable.errors import SandtableError
from sandtable.registry import make_game

__all__ = ["main"]

SECONDS_BETWEEN = 1.0
FIRST_SECONDS = 0.3


class Reporter:
    """Prints how a match stands, now and then."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.plan = make_plan(
            wanted["game"],
            wanted["agents"],
            wanted["games"],
            wanted["seed"],
            rotate=wanted["rotate"],
        )
        self.jobs = int(wanted["jobs"])
        how = HowToPlay(jobs=self.jobs, archive=wanted["archive"])
        self.match = Run([self.plan], how)
        self.results = Results(make_game(self.plan.game), len(self.plan.orders))
        self.done = 0
        self.began = time.perf_counter()
        self.next_report = self.began + FIRST_SECONDS

    def keep(self, chunk: Chunk) -> None:
        """Take in some games."""
        self.results.add(chunk)
        self.done += len(chunk.scores)
        if time.perf_counter() >= self.next_report:
            self.report()
            self.next_report = time.perf_counter() + SECONDS_BETWEEN

    def report(self) -> None:
        """Print the result so far."""
        self.results.close()
        told = None
        if len(self.results.scores):
            seconds = time.perf_counter() - self.began
            kept = self.match.stored
            result = summarise(
                self.plan, self.results, kept=kept, seconds=seconds, jobs=self.match.jobs
            )
            told = result.as_data()
        line = {"done": self.done, "total": self.plan.games, "result": told}
        print(json.dumps(line), flush=True)

    def run(self) -> None:
        """Play the match; when it is stopped, what is finished is told and kept."""
        with self.match as match:
            self.began = time.perf_counter()
            with suppress(KeyboardInterrupt):
                for _, chunk in match.chunks():
                    self.keep(chunk)
            self.report()


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
        Reporter(json.load(sys.stdin)).run()
    except SandtableError as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main()
