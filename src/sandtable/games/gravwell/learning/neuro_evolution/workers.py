"""Who judges the networks of a generation: this process, or several, with the same results."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.neuro_evolution.networks import Program
from sandtable.games.gravwell.learning.neuro_evolution.games import FACTS, Judging, judged

__all__ = ["Judges"]

SECONDS_BETWEEN_LOOKS = 0.2  # at whether to stop
Programs = Sequence[Program]
Sums = NDArray[np.float64]  # [network, FACTS]


def start_worker() -> None:
    """Prepare a worker process; Ctrl-C is the business of the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def judge_some(programs: Programs, games: Judging, first: int, last: int) -> Sums:
    """Judge one network after the other."""
    return np.array([judged(program, games, first, last) for program in programs]).reshape(
        -1, FACTS
    )


class Judges:
    """Judges networks in one or more processes, until told to stop."""

    def __init__(self, jobs: int, must_stop: Callable[[], bool]) -> None:
        self.jobs = jobs
        self.must_stop = must_stop
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Judges:
        if self.jobs > 1:
            context = multiprocessing.get_context("spawn")
            self.pool = ProcessPoolExecutor(self.jobs, context, initializer=start_worker)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.pool:
            for process in list((self.pool._processes or {}).values()):
                process.terminate()
            self.pool.shutdown(wait=True, cancel_futures=True)

    def judge(self, programs: Programs, games: Judging, first: int, last: int) -> Sums | None:
        """Return what came out for every network in games first to last, or None when stopped."""
        if self.pool is None:
            return self.judge_here(programs, games, first, last)
        size = -(-len(programs) // self.jobs)
        parts = [programs[begin : begin + size] for begin in range(0, len(programs), size)]
        try:
            waiting = [self.pool.submit(judge_some, part, games, first, last) for part in parts]
            if not self.finished(waiting):
                return None
            return np.concatenate([each.result() for each in waiting])
        except BrokenProcessPool as problem:
            raise SandtableError(
                "a worker process died (killed, or out of memory); the same command goes on"
            ) from problem

    def judge_here(self, programs: Programs, games: Judging, first: int, last: int) -> Sums | None:
        """Judge in this process."""
        sums = np.empty((len(programs), FACTS))
        for number, program in enumerate(programs):
            if self.must_stop():
                return None
            sums[number] = judged(program, games, first, last)
        return sums

    def finished(self, waiting: list[Future[Sums]]) -> bool:
        """Wait for the workers; say no when told to stop before they are done."""
        while wait(waiting, SECONDS_BETWEEN_LOOKS).not_done:
            if self.must_stop():
                return False
        return True
