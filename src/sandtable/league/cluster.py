"""Workers of a league on a Ray cluster: one on each processor, replaced when it dies.

Each is the worker that ``worker.py`` is, in a process of the cluster; it works for a while, says
what it has done, and works on. What a worker that died had leased goes to others, as always.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandtable.arena.play.cluster import check_address, connect
from sandtable.arena.play.processes import portable
from sandtable.errors import SandtableError
from sandtable.league.link import ServerLink
from sandtable.league.worker import Worked, WorkerOptions, work

__all__ = ["work_on_cluster"]

SECONDS_AT_A_TIME = 10.0
SECONDS_WITHOUT_ROOM = 60.0  # before we say that a cluster has no processor for us
MOST_DEATHS = 5  # of workers one after the other, none of which brought anything


@dataclass
class While:
    """What a worker has done for a while."""

    done: Worked
    lines: list[str]  # what it had to say
    idle: bool  # whether there was nothing left to do


class ClusterWorker:
    """What runs on the cluster: a worker in a process of its own."""

    def __init__(self, server: str, token: str, options: WorkerOptions) -> None:
        self.link = ServerLink(server, token)
        self.folder = tempfile.TemporaryDirectory(prefix="sandtable-worker-")
        self.options = replace(options, folder=Path(self.folder.name))

    def introduce(self) -> str:
        """Tell whether the cluster asks for a token."""
        return os.environ.get("RAY_AUTH_MODE", "disabled").lower()

    def work(self, seconds: float) -> While | Exception:
        """Work for a while; what goes wrong in it is a result too."""
        lines: list[str] = []
        began = time.monotonic()
        try:
            done = work(self.link, replace(self.options, seconds=seconds), lines.append)
        except Exception as problem:
            return portable(problem)
        return While(done, lines, time.monotonic() - began < seconds)


class Crew:
    """All workers on the cluster."""

    def __init__(
        self, ray: Any, address: str, arguments: tuple[Any, ...], jobs: int | None
    ) -> None:
        self.ray, self.address, self.arguments = ray, address, arguments
        self.size = jobs or max(int(ray.cluster_resources().get("CPU", 0)), 1)
        self.kind = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(ClusterWorker)
        self.expected: dict[Any, tuple[Any, bool]] = {}  # worker, whether it has come, by promise
        self.ready = self.deaths = 0
        for _ in range(self.size):
            self.call_one()

    def call_one(self) -> None:
        """Ask for a worker; it begins when there is room for it."""
        worker = self.kind.remote(*self.arguments)
        self.expected[worker.introduce.remote()] = worker, False

    def next(self, seconds: float) -> While | None:
        """Return what a worker has done; None: nothing has come within this time."""
        promises, _ = self.ray.wait(list(self.expected), timeout=seconds)
        if not promises:
            return None
        worker, known = self.expected.pop(promises[0])
        try:
            answer = self.ray.get(promises[0])
        except self.ray.exceptions.RayTaskError as problem:
            raise SandtableError(f"a worker of the cluster failed: {problem.cause}") from None
        except self.ray.exceptions.RayError:
            self.bury(worker, known)
            return None
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            self.welcome(answer)
        self.deaths = 0 if known else self.deaths
        if isinstance(answer, str) or not answer.idle:
            self.expected[worker.work.remote(SECONDS_AT_A_TIME)] = worker, True
        return None if isinstance(answer, str) else answer

    def welcome(self, mode: str) -> None:
        """Make sure that no node takes orders from strangers."""
        if mode != os.environ["RAY_AUTH_MODE"]:
            raise SandtableError(
                f"the cluster at {self.address} asks for no token: start every node with "
                "RAY_AUTH_MODE=token (docs/cluster.md)"
            )
        self.ready += 1

    def bury(self, worker: Any, known: bool) -> None:
        """Ask for a worker in the place of a dead one."""
        self.ray.kill(worker, no_restart=True)
        self.ready -= known
        self.deaths += 1
        if self.deaths >= MOST_DEATHS:
            raise SandtableError(
                f"{MOST_DEATHS} workers on the cluster at {self.address} have died one after the "
                "other; 'ray status' and the logs of its nodes show why"
            )
        self.call_one()


def work_on_cluster(
    address: str,
    server: str,
    token: str,
    options: WorkerOptions,
    jobs: int | None,
    tell: Callable[[str], None],
    progress: Callable[[Worked], None] = lambda done: None,
) -> Worked:
    """Work with all processors of a cluster until Ctrl-C, or until there is nothing to do."""
    check_address(address)
    ServerLink(server).get("/api/leagues")  # one line if it is not there
    ray = connect(address)
    total = Worked()
    try:
        crew = Crew(ray, address, (server, token, options), jobs)
        deadline = time.monotonic() + SECONDS_WITHOUT_ROOM
        while crew.expected:
            came = crew.next(1.0)
            if crew.ready:
                deadline = time.monotonic() + SECONDS_WITHOUT_ROOM
            elif time.monotonic() > deadline:
                deadline = math.inf  # said once
                tell(
                    f"the cluster at {address} has had no free processor for "
                    f"{SECONDS_WITHOUT_ROOM:g} s ('ray status' shows why); waiting for one"
                )
            if came is not None:
                total.deals += came.done.deals
                total.games += came.done.games
                total.lost += came.done.lost
                for line in dict.fromkeys(came.lines):
                    tell(line)
                progress(total)
    finally:
        ray.shutdown()
    return total
