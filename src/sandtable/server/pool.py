"""The processes in which programs think, so that nobody waits for another's program.

One request runs in a process at a time: a process that dies or takes too long is ended with all it
started, and only the program that ran in it has failed. Slow programs, and those of which nothing
is known yet, never get the last process.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sandtable.agents.external.descendants import (
    Born,
    descendants,
    end_all,
    end_marked,
    marked_environment,
    new_mark,
)
from sandtable.errors import SandtableError
from sandtable.system.processes import Group, group_options

__all__ = ["AgentFailure", "AgentPool"]

LONGEST_LINE = 1 << 26
SLOW_SECONDS = 0.5  # a program that takes longer than that on average is slow
SLOW_PATIENCE = 2.0  # after which it is its turn, however many quick ones come
IDLE_SECONDS = 60.0  # after which processes beyond those always kept are ended
START_SECONDS = 60.0
CLUSTER_START_SECONDS = 300.0
WAIT_SECONDS = 600.0  # for a process that is free; then something is very wrong
ABANDONED_SECONDS = 3.0  # for a program whose answer nobody wants any more
MOST_NAMES = 1000  # of which it is remembered how long they take
MOST_EXAMPLES = 8  # of late requests, which a new process answers before it works for anybody
REHEARSAL = "rehearsal/"  # where the key of such a request begins


class AgentFailure(SandtableError):
    """A program could not answer; the text says why."""

    def __init__(self, line: str, transcript: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(line)
        self.transcript = transcript  # of its decision, for the record


@dataclass(eq=False)
class Worker:
    """One process."""

    process: asyncio.subprocess.Process
    group: Group
    mark: str  # by which what it started is found
    slow: bool = False  # what it does now is slow
    leaving: list[str] = field(default_factory=list)  # whose agents it is to forget, told next time
    idle_since: float = field(default_factory=time.monotonic)
    below: list[Born] = field(default_factory=list)  # what it had started when it was ended

    def kill(self) -> None:
        """End it with everything it started."""
        self.below += descendants(self.process.pid)
        self.group.end()

    def has_died(self) -> bool:
        """Say whether it has ended, by itself or by somebody's hand."""
        return self.process.returncode is not None

    async def bury(self) -> None:
        """Wait for its end, and end external programs, which have groups of their own."""
        await self.process.wait()
        await asyncio.to_thread(end_all, self.below)
        await asyncio.to_thread(end_marked, self.mark)


@dataclass(eq=False)
class Waiting:
    """A request that waits for a process."""

    future: asyncio.Future[Worker]
    since: float = field(default_factory=time.monotonic)


class AgentPool:
    """Hands requests to processes."""

    def __init__(self, kept: int, most: int, cluster: str | None = None) -> None:
        self.kept, self.most = kept, max(most, 2)
        self.words, self.start_seconds = ["-m", "sandtable.server.worker"], START_SECONDS
        if cluster is not None:  # the processes here only pass on what those there answer
            self.words = ["-m", "sandtable.server.cluster_worker", cluster]
            self.start_seconds = CLUSTER_START_SECONDS
        self.idle: list[Worker] = []
        self.workers: set[Worker] = set()
        self.starting = 0
        self.slow_running = 0
        self.waiting: dict[bool, deque[Waiting]] = {False: deque(), True: deque()}
        self.last_worker: dict[str, Worker] = {}  # by key: who has the agent
        self.busy: dict[str, Worker] = {}  # by key: who works for it now
        self.means: dict[str, float] = {}  # by name: seconds that answers took of late
        self.examples: dict[str, dict[str, Any]] = {}  # by name: a request that is answered quickly
        self.numbers = itertools.count()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.closed = False

    def start(self) -> None:
        """Start the processes that are always kept, and look after the others."""
        for _ in range(self.kept):
            self.start_worker()
        self.in_background(self.tidy())

    def in_background(self, work: Any) -> None:
        """Run something beside everything else."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def start_worker(self) -> None:
        """Start one more process."""
        self.starting += 1
        self.in_background(self.bring_up())

    async def bring_up(self) -> None:
        """Start a process and wait until it can work."""
        mark = new_mark()
        threads = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        environment = marked_environment(mark) | threads
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *self.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=LONGEST_LINE,
                env=environment,
                **group_options(),
            )
        except OSError:
            self.starting -= 1
            return
        worker = Worker(process, Group(process.pid), mark)
        self.workers.add(worker)
        try:
            assert process.stdout is not None
            line = await asyncio.wait_for(process.stdout.readline(), self.start_seconds)
        except TimeoutError:
            line = b""
        try:
            if line:
                await asyncio.wait_for(self.rehearse(worker), START_SECONDS)
        except (TimeoutError, OSError, ValueError, EOFError):
            line = b""
            self.examples.clear()  # whichever of them it was, the next process comes up
        self.starting -= 1
        if not line or self.closed:
            self.lose(worker)
        else:
            self.free(worker)

    async def rehearse(self, worker: Worker) -> None:
        """Have a new process do what others did of late: it loads what that needs.

        Otherwise the first moves of every game would wait for it, whenever a process is replaced.
        """
        for number, request in enumerate(list(self.examples.values())):
            await self.exchange(worker, {**request, "key": f"{REHEARSAL}{number}"})
        worker.leaving.append(REHEARSAL)

    # --- handing out ----------------------------------------------------------------------------

    async def ask(
        self,
        request: dict[str, Any],
        *,
        limit: float,
        name: str,
        key: str | None = None,
        example: bool = False,
    ) -> dict[str, Any]:
        """Let a process answer a request, or raise AgentFailure.

        ``name`` tells which requests take equally long; ``key`` which process would be best;
        ``example`` that a new process may answer it too, to be prepared for others of that name.
        """
        slow = self.means.get(name, math.inf) > SLOW_SECONDS
        worker = await self.acquire(slow, key)
        began = time.monotonic()
        work = asyncio.ensure_future(self.exchange(worker, request))
        # Where nobody waits for it any more, as at the end of a server, nothing is to be told.
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        if key is not None:
            self.busy[key] = worker
            work.add_done_callback(lambda _: self.busy.pop(key, None))
        try:
            reply = await asyncio.wait_for(asyncio.shield(work), limit)
        except asyncio.CancelledError:
            self.in_background(self.abandon(worker, work))
            raise
        except TimeoutError:
            work.cancel()
            self.note(name, limit)
            self.lose(worker)
            raise AgentFailure(f"no answer within {limit:g} s") from None
        except (OSError, ValueError, EOFError):
            self.lose(worker)
            raise AgentFailure("its process died") from None
        taken = time.monotonic() - began
        self.note(name, taken)
        if example and taken < SLOW_SECONDS and "error" not in reply:
            self.examples.pop(name, None)
            self.examples[name] = request
            if len(self.examples) > MOST_EXAMPLES:
                del self.examples[next(iter(self.examples))]
        if key is not None:
            self.last_worker[key] = worker
        self.free(worker)
        if "error" in reply:
            raise AgentFailure(str(reply["error"]), reply.get("transcript", ()))
        return reply

    def hurry(self, key: str) -> None:
        """Have the agent of a key, if it thinks now, answer with what it has."""
        worker = self.busy.get(key)
        writer = None if worker is None else worker.process.stdin
        if writer is not None and not writer.is_closing():
            writer.write(json.dumps({"operation": "hurry", "key": key}).encode() + b"\n")

    def note(self, name: str, seconds: float) -> None:
        """Remember how long something took; of too many names the oldest are forgotten."""
        self.means[name] = 0.5 * self.means.pop(name, seconds) + 0.5 * seconds
        if len(self.means) > MOST_NAMES:
            del self.means[next(iter(self.means))]

    def knows(self, name: str) -> bool:
        """Say whether something of this name has been answered before."""
        return name in self.means

    async def exchange(self, worker: Worker, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        writer, reader = worker.process.stdin, worker.process.stdout
        assert writer is not None
        assert reader is not None
        number = next(self.numbers)
        leaving, worker.leaving = worker.leaving, []
        message = {"id": number, **request, "leaving": leaving}
        writer.write(json.dumps(message).encode() + b"\n")
        await writer.drain()
        line = await reader.readline()
        if not line:
            raise EOFError
        reply: dict[str, Any] = json.loads(line)
        if reply.get("id") != number:
            raise ValueError("an answer to another request")
        return reply

    async def abandon(self, worker: Worker, work: asyncio.Future[dict[str, Any]]) -> None:
        """Wait a little for an answer nobody wants, then end the process."""
        try:
            await asyncio.wait_for(work, ABANDONED_SECONDS)
        except (TimeoutError, OSError, ValueError, EOFError):
            self.lose(worker)
        else:
            self.free(worker)

    async def acquire(self, slow: bool, key: str | None) -> Worker:
        """Return a process that has nothing to do, the one that knows the game if possible."""
        wanted = self.last_worker.get(key) if key else None
        for dead in [each for each in self.idle if each.has_died()]:
            self.lose(dead)  # nobody's program is to blame for that
        if self.idle and self.may_run(slow):
            worker = wanted if wanted in self.idle else self.idle[-1]
            assert worker is not None
            self.idle.remove(worker)
            return self.taken(worker, slow)
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self.waiting[slow].append(Waiting(future))
        wants = len(self.waiting[False]) + len(self.waiting[True])
        if len(self.workers) + self.starting < self.most and self.starting < wants:
            self.start_worker()
        try:
            return await asyncio.wait_for(asyncio.shield(future), WAIT_SECONDS)
        except TimeoutError:
            future.cancel()
            raise AgentFailure(f"no process was free for {WAIT_SECONDS:g} s") from None
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.free(future.result())
            future.cancel()
            raise

    def may_run(self, slow: bool) -> bool:
        """Say whether a request may take a process: the last one is not for slow programs."""
        return not slow or self.slow_running < self.most - 1

    def taken(self, worker: Worker, slow: bool) -> Worker:
        """Note that a process works."""
        worker.slow = slow
        self.slow_running += slow
        return worker

    def free(self, worker: Worker) -> None:
        """Take a process back, and give it to whoever waits."""
        self.slow_running -= worker.slow
        worker.slow = False
        worker.idle_since = time.monotonic()
        for slow in self.order():
            queue = self.waiting[slow]
            while queue and self.may_run(slow):
                future = queue.popleft().future
                if not future.done():
                    future.set_result(self.taken(worker, slow))
                    return
        self.idle.append(worker)

    def order(self) -> tuple[bool, bool]:
        """Say whether slow requests come first: only if one of them has waited for long."""
        queue = self.waiting[True]
        late = bool(queue) and time.monotonic() - queue[0].since > SLOW_PATIENCE
        return late, not late

    def lose(self, worker: Worker) -> None:
        """End a process, and start another one if it is missed."""
        self.slow_running -= worker.slow
        worker.slow = False
        self.workers.discard(worker)
        if worker in self.idle:
            self.idle.remove(worker)
        worker.kill()
        self.in_background(worker.bury())
        missed = len(self.workers) + self.starting < self.kept or any(self.waiting.values())
        if missed and not self.closed:
            self.start_worker()

    # --- looking after them ---------------------------------------------------------------------

    async def tidy(self) -> None:
        """End processes that have had nothing to do for long, and see which have died."""
        while True:
            await asyncio.sleep(5.0)
            for worker in list(self.idle):
                long = time.monotonic() - worker.idle_since > IDLE_SECONDS
                spare = long and len(self.workers) > self.kept
                if spare or worker.has_died():
                    self.lose(worker)
                elif worker.leaving:
                    self.idle.remove(worker)
                    self.in_background(self.let_go(worker))
            alive = {key: each for key, each in self.last_worker.items() if each in self.workers}
            self.last_worker = alive

    def forget(self, prefix: str) -> None:
        """Let the agents of a game go, wherever they are; a process hears of it with its next work.

        An agent may be in several: whoever is free is asked, and makes it anew from its history.
        """
        for key in [key for key in self.last_worker if key.startswith(prefix)]:
            del self.last_worker[key]
        for worker in self.workers:
            worker.leaving.append(prefix)

    async def let_go(self, worker: Worker) -> None:
        """Have a process that does nothing else forget agents."""
        try:
            await self.exchange(worker, {"operation": "forget"})
        except (OSError, ValueError, EOFError):
            self.lose(worker)
        else:
            self.free(worker)

    async def close(self) -> None:
        """End all processes."""
        self.closed = True
        for task in list(self.tasks):
            task.cancel()
        for worker in list(self.workers):
            worker.kill()
        for worker in list(self.workers):
            with suppress(Exception):
                await asyncio.wait_for(worker.bury(), 5.0)
            transport = getattr(worker.process, "_transport", None)
            if transport is not None:
                transport.close()
