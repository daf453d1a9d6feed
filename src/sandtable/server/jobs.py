"""Work in the background: matches, training, analyses, each with its progress and its result."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sandtable.errors import SandtableError, failure_line
from sandtable.server.connections import NotFound, Refused
from sandtable.server.settings import Settings
from sandtable.system.processes import Group, group_options, interrupt

__all__ = ["Job", "Jobs"]

MOST_KEPT = 100  # of guests, and as many of the operator
MOST_FOR_GUESTS = 20  # that run or wait
LONGEST_LINE = 1 << 24
TAIL = 400  # characters of what a failed program said last
STOP_SECONDS = 5.0
MATCH_PROCESSES = 1

LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class Job:
    """One piece of work."""

    kind: str
    title: str
    job: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    status: str = "running"
    progress: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: str | None = None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    process: asyncio.subprocess.Process | None = None
    group: Group | None = None  # the process, and all it has started
    task: asyncio.Task[None] | None = None
    for_guests: bool = False  # begun by whoever may look: it takes no place of the operator's

    def as_data(self) -> dict[str, Any]:
        """Return it as it is told."""
        end = time.monotonic() if self.ended is None else self.ended
        return {
            "job": self.job,
            "kind": self.kind,
            "title": self.title,
            "status": self.status,
            "progress": self.progress,
            "result": self.result,
            "error": self.error,
            "seconds": round(end - self.began, 1),
        }

    def end_process(self) -> None:
        """End its process, if it has one, with all it has started."""
        if self.group is not None:
            self.group.end()

    def finish(self, status: str, error: str | None = None) -> None:
        """Note how it ended, unless it was stopped."""
        if self.status == "running":
            self.status, self.error = status, error
            self.ended = time.monotonic()


class Jobs:
    """All jobs since the server was started; the oldest are forgotten."""

    def __init__(self, settings: Settings, mark: str = "") -> None:
        self.settings = settings
        self.mark = mark  # begins the name of every job, where several servers have some
        self.jobs: dict[str, Job] = {}

    def get(self, name: str) -> Job:
        """Return a job."""
        if name not in self.jobs:
            raise NotFound("there is no such job")
        return self.jobs[name]

    def add(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> Job:
        """Begin a job; those of guests and those of the operator are counted on their own."""
        running = self.running(job.for_guests)
        if job.for_guests and running >= MOST_FOR_GUESTS:
            raise Refused("busy", "many games are being judged; wait a moment")
        if not job.for_guests and running >= self.settings.limits.jobs:
            raise Refused("busy", f"{running} jobs are running; wait for one, or stop it")
        job.job = self.mark + job.job[len(self.mark) :]
        alike = [each for each in self.jobs.values() if each.for_guests == job.for_guests]
        over = [each for each in alike if each.status != "running"]
        for oldest in over[: max(0, len(alike) - MOST_KEPT + 1)]:
            del self.jobs[oldest.job]
        self.jobs[job.job] = job
        job.task = asyncio.create_task(self.run(job, work))
        return job

    def running(self, for_guests: bool) -> int:
        """Return how many jobs of guests, or of the operator, are running."""
        mine = (each for each in self.jobs.values() if each.for_guests == for_guests)
        return sum(each.status == "running" for each in mine)

    async def run(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> None:
        """Do the work and note how it ended."""
        try:
            await work(job)
        except SandtableError as problem:
            job.finish("failed", str(problem))
        except asyncio.CancelledError:
            job.finish("stopped")
            raise
        except Exception as problem:  # a mistake of ours must not take a place for ever
            LOG.exception("a job failed: %s", job.title)
            job.finish("failed", failure_line(problem))
        else:
            job.finish("done")

    async def stop(self, job: Job) -> None:
        """Stop a job; what it has finished is kept."""
        if job.status != "running":
            return
        job.finish("stopped")
        if job.process is None:
            if job.task is not None:
                job.task.cancel()
            return
        if job.process.returncode is None:
            interrupt(job.process.pid)
        try:
            await asyncio.wait_for(job.process.wait(), STOP_SECONDS)
        except TimeoutError:
            job.end_process()

    async def close(self) -> None:
        """Stop all jobs."""
        for job in self.jobs.values():
            if job.status == "running":
                job.end_process()
            if job.task is not None and not job.task.done():
                job.task.cancel()
                with suppress(asyncio.CancelledError):
                    await job.task

    async def run_process(
        self,
        job: Job,
        arguments: list[str],
        given: str,
        heard: Callable[[str], None],
    ) -> None:
        """Run a program of Sandtable; ``heard`` gets every line it prints."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},  # progress is told as it is made
            **group_options(),
        )
        job.process, job.group = process, Group(process.pid)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(given.encode())
        process.stdin.close()
        tail = asyncio.create_task(last_words(process.stderr))
        while line := await process.stdout.readline():
            heard(line.decode("utf-8", "replace"))
        status = await process.wait()
        words = await tail
        if status != 0 and job.status == "running":
            raise SandtableError(words or f"it ended with status {status}")

    def begin_games(self, job: Job, plan: dict[str, Any], games: int) -> Job:
        """Begin a match or a tournament of so many games, which go to the archive."""
        given = plan | {"jobs": MATCH_PROCESSES, "archive": str(self.settings.archive)}
        job.progress = {"done": 0, "total": games}
        return self.add(job, lambda job: self.run_match(job, given))

    async def run_match(self, job: Job, plan: dict[str, Any]) -> None:
        """Play a match in a process of its own."""

        def heard(line: str) -> None:
            told = json.loads(line)
            job.progress = {"done": told["done"], "total": told["total"]}
            job.result = told["result"] or job.result

        await self.run_process(
            job, ["-m", "sandtable.server.match_process"], json.dumps(plan), heard
        )


async def last_words(stream: asyncio.StreamReader) -> str:
    """Return the last line of what a program said about its troubles."""
    tail = ""
    while piece := await stream.read(4096):
        tail = (tail + piece.decode("utf-8", "replace"))[-TAIL:]
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""
