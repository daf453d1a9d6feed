"""Workers on a Ray cluster: several machines, or several nodes of one.

Every worker is an actor with one processor. One that dies, alone or with its machine, is replaced
as soon as there is room; what it had not handed over goes to the others. A cluster must ask for a
token, and each worker must run the same program as we do.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.arena.play.behaviour import source_key
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.arena.play.processes import Deaths, portable
from sandtable.arena.play.tasks import PlayerCache, Task
from sandtable.errors import MissingExtra, SandtableError

__all__ = ["ClusterWorkers", "check_address", "check_reachable", "connect"]

SECONDS_TO_CONNECT = 10.0
SECONDS_WITHOUT_ROOM = 60.0  # before we give up on a cluster that has no processor for us
TOKEN_PLACES = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def check_address(address: str) -> None:
    """Refuse an address we cannot read, and one of another machine that asks for no secret."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdigit() or "/" in address:
        raise SandtableError(
            f"'{address}' is no address of a cluster; write HOST:PORT, for example 127.0.0.1:6379"
        )
    mode = os.environ["RAY_AUTH_MODE"] = (os.environ.get("RAY_AUTH_MODE") or "token").lower()
    if mode != "token":
        if is_loopback(host):
            return  # somebody said in so many words that this machine needs no token
        raise SandtableError(
            f"RAY_AUTH_MODE is '{mode}', but {host} is another machine: a cluster over the network "
            "must ask for a token (docs/cluster.md)"
        )
    if not any(map(os.environ.get, TOKEN_PLACES)) and not token_file().exists():
        raise SandtableError(
            f"the cluster at {address} needs a token: set RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH, "
            f"or make {token_file()} with 'ray get-auth-token --generate' (docs/cluster.md)"
        )


def token_file() -> Path:
    """Return where Ray looks for a token by itself."""
    return Path.home() / ".ray" / "auth_token"


def is_loopback(host: str) -> bool:
    """Say whether an address can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Playing:
    """What runs on the cluster: the players of all plans, in a process of their own."""

    def __init__(self, plans: Sequence[MatchPlan], keep_records: bool) -> None:
        self.players = PlayerCache(plans)
        self.keep_records = keep_records

    def introduce(self) -> tuple[str, str]:
        """Tell which program this is, and whether the cluster asks for a token."""
        mode = os.environ.get("RAY_AUTH_MODE", "disabled").lower()
        return digest_of(self.players.plans), mode

    def play(self, task: Task) -> Chunk | Exception:
        """Play a task; what goes wrong in it is a result too."""
        try:
            return self.players.play(task, self.keep_records)
        except Exception as problem:
            return portable(problem)


def digest_of(plans: Sequence[MatchPlan]) -> str:
    """Return the digest of the program that plays these plans."""
    agents = {spec for plan in plans for spec in plan.agents}
    return source_key({plan.game for plan in plans}, agents)


@dataclass(eq=False)
class Actor:
    """One worker on the cluster."""

    handle: Any
    ready: bool = False
    tasks: list[Task] = field(default_factory=list)  # the first is being played


class ClusterWorkers:
    """Plays on a Ray cluster."""

    brief = False

    def __init__(
        self, plans: Sequence[MatchPlan], address: str, jobs: int | None, keep_records: bool
    ) -> None:
        check_address(address)
        self.ray = connect(address)
        self.plans = plans
        self.address = address
        self.digest = digest_of(plans)
        room = int(self.ray.cluster_resources().get("CPU", 0))
        self.size = jobs or max(room, 1)
        self.arguments = self.ray.put(list(plans)), keep_records
        self.kind = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Playing)
        self.waiting: deque[Task] = deque()
        self.expected: dict[Any, tuple[Actor, Task | None]] = {}  # by what Ray promised us
        self.done: deque[tuple[Task, Chunk]] = deque()
        self.deaths = Deaths(plans, self.size)
        self.actors = [self.new_actor() for _ in range(self.size)]

    def new_actor(self) -> Actor:
        """Ask for a worker; it begins when there is room for it."""
        actor = Actor(self.kind.remote(*self.arguments))
        self.expected[actor.handle.introduce.remote()] = actor, None
        return actor

    @property
    def busy(self) -> int:
        """How many tasks there are that have not come back."""
        given = sum(len(actor.tasks) for actor in self.actors)
        return len(self.waiting) + given + len(self.done)

    def submit(self, task: Task) -> None:
        """Take a task."""
        self.waiting.append(task)

    def give_out(self) -> None:
        """Give tasks to workers that are there; each may have one more than it is playing."""
        while self.waiting:
            actor = min(
                (each for each in self.actors if each.ready),
                key=lambda each: len(each.tasks),
                default=None,
            )
            if actor is None or len(actor.tasks) > 1:
                return
            task = self.waiting.popleft()
            actor.tasks.append(task)
            self.expected[actor.handle.play.remote(task)] = actor, task

    def finished(self) -> tuple[Task, Chunk]:
        """Wait for a task."""
        deadline = time.monotonic() + SECONDS_WITHOUT_ROOM
        while not self.done:
            self.give_out()
            self.look(1.0)
            if any(each.ready for each in self.actors):
                deadline = time.monotonic() + SECONDS_WITHOUT_ROOM
            elif time.monotonic() > deadline:
                raise SandtableError(
                    f"the cluster at {self.address} has had no free processor for "
                    f"{SECONDS_WITHOUT_ROOM:g} s; 'ray status' shows what it is doing"
                )
        return self.done.popleft()

    def look(self, seconds: float) -> None:
        """Wait until some worker answers or dies, and take note of it."""
        ready, _ = self.ray.wait(list(self.expected), timeout=seconds, fetch_local=False)
        for promise in ready:
            if promise not in self.expected:
                continue  # of a worker whose death we have just noticed
            actor, task = self.expected[promise]
            try:
                answer = self.ray.get(promise)
            except self.ray.exceptions.RayTaskError as problem:
                raise SandtableError(f"a worker of the cluster failed: {problem.cause}") from None
            except self.ray.exceptions.RayError:
                self.replace(actor)
                continue
            del self.expected[promise]
            if task is None:
                self.welcome(actor, *answer)
                continue
            actor.tasks.remove(task)
            if isinstance(answer, Exception):
                raise answer
            self.deaths.survived(task)
            self.done.append((task, copied(answer)))

    def welcome(self, actor: Actor, digest: str, mode: str) -> None:
        """Make sure that a new worker is one of ours."""
        if mode != os.environ["RAY_AUTH_MODE"]:
            raise SandtableError(
                f"the cluster at {self.address} asks for no token: start every node with "
                "RAY_AUTH_MODE=token (docs/cluster.md)"
            )
        if digest != self.digest:
            raise SandtableError(
                f"a worker of the cluster at {self.address} has other versions of Sandtable, its "
                "agents or their files than this machine; install the same everywhere"
            )
        actor.ready = True

    def replace(self, dead: Actor) -> None:
        """Ask for a worker in the place of a dead one; its tasks go to whoever is there."""
        self.ray.kill(dead.handle, no_restart=True)
        self.actors.remove(dead)
        self.expected = {
            promise: value for promise, value in self.expected.items() if value[0] is not dead
        }
        self.waiting.extendleft(reversed(self.deaths.again(dead.tasks)))
        self.actors.append(self.new_actor())

    def last(self, seconds: float) -> Iterator[tuple[Task, Chunk]]:
        """Return what is finished within this time."""
        self.waiting.clear()
        deadline = time.monotonic() + seconds
        current = [actor.tasks[0] for actor in self.actors if actor.tasks]
        while True:
            while self.done:
                yield self.done.popleft()
            left = deadline - time.monotonic()
            playing = {task for actor in self.actors for task in actor.tasks}
            if left <= 0 or playing.isdisjoint(current):
                return
            self.look(left)

    def close(self) -> None:
        """Leave the cluster; it ends our workers."""
        self.ray.shutdown()


def check_reachable(address: str) -> None:
    """Say in one line that nobody is there: Ray tries for minutes, and without a word."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_CONNECT).close()
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise SandtableError(f"there is no cluster at {address}: {reason}") from None


def connect(address: str) -> Any:
    """Join a cluster that is running, and say in one line why that cannot be."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
    except ImportError:
        raise MissingExtra("playing on a cluster", "cluster") from None
    check_reachable(address)
    try:
        # Ray would print advice about every dead worker between our results.
        ray._private.worker.print_to_stdstream = lambda *data, **options: None
        with quiet():
            ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError, ValueError) as problem:
        words = str(problem).strip().splitlines()[0]
        raise SandtableError(
            f"cannot join the cluster at {address} (does it have the same token?): {words}"
        ) from None
    return ray


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what Ray's own code writes to standard error away: we say what is wrong, once."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def copied(chunk: Chunk) -> Chunk:
    """Return a chunk in memory of our own, so that the cluster can forget it."""
    return replace(
        chunk,
        scores=np.array(chunk.scores),
        luck=np.array(chunk.luck),
        measures=np.array(chunk.measures),
    )
