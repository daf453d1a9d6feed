"""Workers in processes of their own, on this machine.

Each is connected by a pair of anonymous pipes, which nobody else can open. One that is killed, or
that an agent takes down with it, is replaced; the tasks it had are given to its successor.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.arena.play.tasks import PlayerCache, Task
from sandtable.errors import SandtableError

__all__ = ["Deaths", "ProcessWorkers", "portable"]

MOST_DEATHS = 5  # of workers at the same task, or in a row without any task finished
SECONDS_TO_LEAVE = 2.0
SPAWN = multiprocessing.get_context("spawn")


class Deaths:
    """Judges what to do with the tasks of workers that have died."""

    def __init__(self, plans: Sequence[MatchPlan], workers: int) -> None:
        self.plans = plans
        self.most_in_a_row = MOST_DEATHS * workers
        self.by_task: dict[Task, int] = {}
        self.in_a_row = 0

    def survived(self, task: Task) -> None:
        """Take note that a task has been played."""
        self.in_a_row = 0
        self.by_task.pop(task, None)

    def again(self, tasks: Sequence[Task]) -> list[Task]:
        """Return what is to be given to others; an error if that has been tried too often.

        The task that was being played is cut in two: so a game that kills whoever plays it is
        found, and so there is some progress even if workers do not live long.
        """
        self.in_a_row += 1
        if self.in_a_row >= self.most_in_a_row:
            raise SandtableError(
                f"{self.in_a_row} workers died one after the other without playing a game (killed, "
                "or out of memory); --jobs 1 shows what happens"
            )
        if not tasks:
            return []
        current, *others = tasks
        games_per_deal = len(self.plans[current.plan].orders)
        half = current.count // 2 // games_per_deal * games_per_deal
        if half:
            second = Task(current.plan, current.first + half, current.count - half)
            return [Task(current.plan, current.first, half), second, *others]
        self.by_task[current] = self.by_task.get(current, 0) + 1
        if self.by_task[current] == MOST_DEATHS:
            raise self.error(current)
        return [current, *others]

    def error(self, task: Task) -> SandtableError:
        """Return the error of a task that no worker survives."""
        last = task.first + task.count - 1
        games = f"game {task.first}" if task.count == 1 else f"games {task.first} to {last}"
        return SandtableError(
            f"a worker died {MOST_DEATHS} times at {games} of "
            f"{' - '.join(self.plans[task.plan].agents)} (killed, out of memory, or an agent ended "
            "it); --jobs 1 shows what happens"
        )


def serve(pipe: Connection, plans: Sequence[MatchPlan], keep_records: bool) -> None:
    """Play tasks until the other end of the pipe goes away; the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the business of the main process
    leave_on_request()
    players = PlayerCache(plans)
    try:
        while True:
            task: Task = pipe.recv()
            try:
                answer: Chunk | Exception = players.play(task, keep_records)
            except Exception as problem:
                answer = portable(problem)
            pipe.send(answer)
    except (EOFError, OSError):
        pass  # the main process has ended, or been killed
    finally:
        players.close()


def leave_on_request() -> None:
    """End in an orderly way when the main process says so: agents end what they have running."""
    signal.signal(signal.SIGTERM, leave)
    sys.unraisablehook = leave_again


def leave(number: int, frame: Any) -> None:
    """End, from wherever the signal finds us."""
    sys.exit(128 + number)


def leave_again(unraisable: Any) -> None:
    """Leave a moment later where it found us in a callback.

    Out of a function that C calls, such as those of the compiler, nothing can be raised: Python
    would print what was, and go on.
    """
    if isinstance(unraisable.exc_value, SystemExit):
        again = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGTERM))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


def portable(problem: Exception) -> Exception:
    """Return an exception that can be sent and built again anywhere."""
    if isinstance(problem, SandtableError):
        return SandtableError(str(problem))
    return RuntimeError(f"{type(problem).__name__}: {problem}")


@dataclass
class Worker:
    """One process, and the tasks it has."""

    process: BaseProcess
    pipe: Connection
    tasks: deque[Task] = field(default_factory=deque)  # the first is being played


class ProcessWorkers:
    """Plays in several processes."""

    brief = False

    def __init__(self, plans: Sequence[MatchPlan], jobs: int, keep_records: bool) -> None:
        self.plans = plans
        self.size = jobs
        self.keep_records = keep_records
        self.deaths = Deaths(plans, jobs)
        self.done: deque[tuple[Task, Chunk]] = deque()
        self.workers = [self.new_worker() for _ in range(jobs)]

    def new_worker(self) -> Worker:
        """Start a process."""
        ours, theirs = SPAWN.Pipe()
        process = SPAWN.Process(
            target=serve, args=(theirs, self.plans, self.keep_records), daemon=True
        )
        process.start()
        theirs.close()
        return Worker(process, ours)

    @property
    def busy(self) -> int:
        """How many tasks there are that have not come back."""
        return len(self.done) + sum(len(worker.tasks) for worker in self.workers)

    def submit(self, task: Task) -> None:
        """Give a task to the worker that has least to do."""
        self.give(min(self.workers, key=lambda worker: len(worker.tasks)), task)

    def give(self, worker: Worker, task: Task) -> None:
        """Send a task; if the worker is dead, its successor gets it later."""
        worker.tasks.append(task)
        with suppress(OSError):  # its end is noticed, and its tasks are given on, when we next wait
            worker.pipe.send(task)

    def finished(self) -> tuple[Task, Chunk]:
        """Wait for a task."""
        while not self.done:
            self.look(None)
        return self.done.popleft()

    def look(self, seconds: float | None) -> None:
        """Wait until some worker answers or dies, and take note of it."""
        by_handle = {worker.pipe: worker for worker in self.workers}
        for handle in wait(list(by_handle), seconds):
            worker = by_handle[handle]  # type: ignore[index]
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                self.replace(worker)
                continue
            task = worker.tasks.popleft()
            if isinstance(answer, Exception):
                raise answer
            self.deaths.survived(task)
            self.done.append((task, answer))

    def replace(self, dead: Worker) -> None:
        """Start a worker in the place of a dead one and give it the same tasks."""
        dead.pipe.close()
        dead.process.join()
        again = self.deaths.again(dead.tasks)
        successor = self.new_worker()
        self.workers[self.workers.index(dead)] = successor
        for task in again:
            self.give(successor, task)

    def last(self, seconds: float) -> Iterator[tuple[Task, Chunk]]:
        """Return what is finished within this time."""
        deadline = time.monotonic() + seconds
        current = [worker.tasks[0] for worker in self.workers if worker.tasks]
        while True:
            while self.done:
                yield self.done.popleft()
            waiting = [worker for worker in self.workers if worker.tasks]
            left = deadline - time.monotonic()
            if left <= 0 or not any(worker.tasks[0] in current for worker in waiting):
                return
            self.look(left)

    def close(self) -> None:
        """Stop all processes: idle ones leave when their pipe is closed, others are told to."""
        for worker in self.workers:
            worker.pipe.close()
            if worker.tasks:
                worker.process.terminate()
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        for worker in self.workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
