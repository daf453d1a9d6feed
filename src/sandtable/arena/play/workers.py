"""Who plays the tasks: this thread, several threads, several processes, or a cluster.

The results are the same for all of them, byte for byte. Agents that act inside kernels run in
threads, which share the compiled code and do not hold each other up; all others in processes of
their own. A worker that dies is replaced, and what it had not handed over is played again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Protocol

from sandtable.arena.play.plan import Chunk, Interrupted, MatchPlan
from sandtable.arena.play.tasks import PlayerCache, Task

__all__ = ["InlineWorker", "ThreadWorkers", "Workers", "choose_workers", "has_people"]

SECONDS_TO_END = 2.0  # that running tasks get to come to their end after Ctrl-C

Finished = tuple[Task, Chunk]


class Workers(Protocol):
    """Where tasks are played; they come back in any order, each once, but perhaps in pieces."""

    size: int  # how many tasks are played side by side
    brief: bool  # tasks are short and played in this thread: Ctrl-C can wait for their end

    @property
    def busy(self) -> int:
        """How many tasks there are that have not come back."""
        ...

    def submit(self, task: Task) -> None:
        """Take a task."""
        ...

    def finished(self) -> Finished:
        """Wait until some task has been played, and return it with its results."""
        ...

    def last(self, seconds: float) -> Iterator[Finished]:
        """Return what comes to its end within this time, after Ctrl-C."""
        ...

    def close(self) -> None:
        """Stop at once."""
        ...


def choose_workers(
    plans: Sequence[MatchPlan],
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
    keep_records: bool = False,
    players: PlayerCache,
) -> Workers:
    """Return the workers that suit these plans; ``players`` holds their players in this process.

    ``jobs`` None means one job here, and on a cluster one for each of its processors.
    """
    compiled = all(players.player(index).policies is not None for index in range(len(plans)))
    if cluster is not None:
        from sandtable.arena.play.cluster import ClusterWorkers

        return ClusterWorkers(plans, cluster, jobs, keep_records)
    if jobs in (None, 1) or has_people(plans):
        return InlineWorker(players, keep_records, brief=compiled)
    assert jobs is not None
    if compiled:
        return ThreadWorkers(players, jobs, keep_records)
    from sandtable.arena.play.processes import ProcessWorkers

    return ProcessWorkers(plans, jobs, keep_records)


def has_people(plans: Sequence[MatchPlan]) -> bool:
    """Say whether somebody at a keyboard takes part, who can only sit here."""
    return any(spec.partition(":")[0] == "human" for plan in plans for spec in plan.agents)


class InlineWorker:
    """Plays everything in this thread."""

    size = 1

    def __init__(self, players: PlayerCache, keep_records: bool, *, brief: bool) -> None:
        self.players = players
        self.keep_records = keep_records
        self.brief = brief
        self.waiting: deque[Task] = deque()
        self.interrupted: Finished | None = None

    @property
    def busy(self) -> int:
        """How many tasks there are that have not come back."""
        return len(self.waiting)

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.waiting.append(task)

    def finished(self) -> Finished:
        """Play the next task."""
        task = self.waiting.popleft()
        try:
            return task, self.players.play(task, self.keep_records)
        except Interrupted as stop:
            done = stop.finished
            self.interrupted = Task(task.plan, done.first, len(done.scores)), done
            raise

    def last(self, seconds: float) -> Iterator[Finished]:
        """Return the games that were finished when Ctrl-C came."""
        if self.interrupted:
            yield self.interrupted

    def close(self) -> None:
        """Nothing is left running."""


class ThreadWorkers:
    """Plays in several threads of this process."""

    brief = False

    def __init__(self, players: PlayerCache, jobs: int, keep_records: bool) -> None:
        self.players = players
        self.size = jobs
        self.keep_records = keep_records
        self.pool = ThreadPoolExecutor(jobs)
        self.running: dict[Future[Chunk], Task] = {}

    @property
    def busy(self) -> int:
        """How many tasks there are that have not come back."""
        return len(self.running)

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.running[self.pool.submit(self.players.play, task, self.keep_records)] = task

    def finished(self) -> Finished:
        """Wait for a task."""
        done, _ = wait(self.running, return_when=FIRST_COMPLETED)
        future = next(iter(done))
        return self.running.pop(future), future.result()

    def last(self, seconds: float) -> Iterator[Finished]:
        """Return what is being played now, but nothing that has not begun."""
        for future in [each for each in self.running if each.cancel()]:
            del self.running[future]
        done, _ = wait(self.running, timeout=seconds)
        for future in done:
            with suppress(Exception):
                yield self.running.pop(future), future.result()

    def close(self) -> None:
        """Begin nothing more; a task in a kernel comes to its end."""
        self.pool.shutdown(wait=True, cancel_futures=True)
