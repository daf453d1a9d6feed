"""Self-play on a Ray cluster: the nodes play while one learner learns.

Every worker is an actor with one processor that plays a group of games with the weights it is
given. One that dies, alone or with its machine, is replaced as soon as there is room, and its
group is played again by another; nodes that join are used from the next round on. The groups are
those of a run on one machine, but machines round differently, so runs are not equal bit for bit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.arena.play.behaviour import source_key
from sandtable.arena.play.cluster import SECONDS_WITHOUT_ROOM, check_address, connect
from sandtable.errors import SandtableError
from sandtable.learning.selfplay.games import Decisions, GroupOfGames, PlaySettings, SelfPlay
from sandtable.learning.selfplay.network import Answers, GameNetwork, answering, new_network
from sandtable.learning.selfplay.opponents import Opponents
from sandtable.learning.torch_networks import load_network, network_arrays
from sandtable.registry import make_game

__all__ = ["ClusterPlay"]

MOST_DEATHS = 5  # of workers at one group of games
NETWORK = "network"


class PlayingNode:
    """What runs on the cluster: room for the groups of games of one run."""

    def __init__(self, game: str, shape: tuple[str, int, int], digest_of: tuple[str, ...]) -> None:
        self.game, self.shape, self.digest_of = make_game(game), shape, digest_of
        self.groups: dict[tuple[PlaySettings, int], GroupOfGames] = {}
        torch.set_num_threads(1)

    def introduce(self) -> tuple[str, str]:
        """Tell which program this is, and whether the cluster asks for a token."""
        mode = os.environ.get("RAY_AUTH_MODE", "disabled").lower()
        return source_key({self.game.spec}, set(self.digest_of)), mode

    def network(self, arrays: dict[str, NDArray[Any]]) -> Answers:
        """Return a network with these weights."""
        network = new_network(self.game, *self.shape)
        load_network(network, arrays, NETWORK)
        return answering(network, torch.device("cpu"))

    def play(
        self,
        weights: list[dict[str, NDArray[Any]]],
        settings: PlaySettings,
        rows: int,
        task: tuple[int, int, int],
        pool: tuple[tuple[str, ...], float],
    ) -> Any:
        """Play a group of games; what goes wrong in it is a result too."""
        network, *old = (self.network(arrays) for arrays in weights)
        room = replace(settings, step=1.0, magnet=0.0), rows
        if room not in self.groups:
            self.groups = {room: GroupOfGames(self.game, settings, rows)}
        group = self.groups[room]
        group.settings = settings
        try:
            return group.play(network, *task, lambda: False, Opponents(self.game, old, *pool))
        except SandtableError as problem:
            return problem


class ClusterPlay(SelfPlay):
    """Plays whole games on the nodes of a cluster, in the groups of a run on one machine."""

    def __init__(
        self,
        address: str,
        game: str,
        settings: PlaySettings,
        shape: tuple[str, int, int],
        opponents: tuple[str, ...],
        jobs: int = 0,
    ) -> None:
        check_address(address)
        self.address, self.settings, self.game = address, settings, make_game(game)
        self.ray = connect(address)
        self.digest, self.jobs = source_key({self.game.spec}, set(opponents)), jobs
        kind = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(PlayingNode)
        self.new_worker: Callable[[], Any] = lambda: kind.remote(game, shape, opponents)
        self.idle: list[Any] = []
        self.coming: dict[Any, Any] = {}  # workers by the promise of their introduction
        self.busy: dict[Any, tuple[Any, int]] = {}  # worker and task, by the promise of games

    def change(self, **settings: Any) -> None:
        """Play with other settings from now on."""
        self.settings = replace(self.settings, **settings)

    def call_workers(self, wanted: int) -> None:
        """Ask for workers: one for each processor of the cluster, or as many as there are tasks."""
        room = int(self.ray.cluster_resources().get("CPU", 0))
        room = min(room, self.jobs) if self.jobs > 1 else room
        there = len(self.idle) + len(self.coming) + len(self.busy)
        for _ in range(min(max(room, 1), wanted) - there):
            worker = self.new_worker()
            self.coming[worker.introduce.remote()] = worker

    def welcome(self, worker: Any, digest: str, mode: str) -> None:
        """Make sure that a new worker is one of ours."""
        if mode != os.environ["RAY_AUTH_MODE"]:
            raise SandtableError(
                f"the cluster at {self.address} asks for no token: start every node with "
                "RAY_AUTH_MODE=token (docs/cluster.md)"
            )
        if digest != self.digest:
            raise SandtableError(
                f"a worker of the cluster at {self.address} has other versions of Sandtable or of "
                "the game than this machine; install the same everywhere"
            )
        self.idle.append(worker)

    def play(
        self,
        network: GameNetwork,
        seed: int,
        first: int,
        games: int,
        stopping: Callable[[], bool],
        opponents: Opponents | None = None,
    ) -> tuple[Decisions, NDArray[np.float64]] | None:
        """Play games of consecutive numbers; return what was decided, or None: stopped."""
        others = Opponents(self.game) if opponents is None else opponents
        networks = [network, *others.old_selves]
        weights = self.ray.put([network_arrays(each, NETWORK) for each in networks])
        count = min(self.settings.groups, self.settings.rows)
        rows = [len(part) for part in np.array_split(np.arange(self.settings.rows), count)]
        tasks = np.array_split(np.arange(games), count)
        done: dict[int, Any] = {}
        waiting, deaths = list(range(count)), [0] * count
        deadline = time.monotonic() + SECONDS_WITHOUT_ROOM
        while len(done) < count:
            if stopping():
                return None
            self.call_workers(count - len(done))
            while waiting and self.idle:
                worker, number = self.idle.pop(), waiting.pop(0)
                task = (seed, first + int(tasks[number][0]), len(tasks[number]))
                pool = tuple(others.specs), others.share
                promise = worker.play.remote(weights, self.settings, rows[number], task, pool)
                self.busy[promise] = worker, number
            if self.busy or self.idle:
                deadline = time.monotonic() + SECONDS_WITHOUT_ROOM
            elif time.monotonic() > deadline:
                raise SandtableError(
                    f"the cluster at {self.address} has had no free processor for "
                    f"{SECONDS_WITHOUT_ROOM:g} s; 'ray status' shows what it is doing"
                )
            for number, answer in self.answers():
                if answer is None:
                    deaths[number] += 1
                    waiting.insert(0, number)
                    if deaths[number] >= MOST_DEATHS:
                        raise SandtableError(
                            f"{MOST_DEATHS} workers died at the games from {tasks[number][0]} on"
                        )
                else:
                    done[number] = answer
        parts = [done[number] for number in range(count)]
        decisions = [self.decisions(kept, scores) for kept, scores in parts]
        return Decisions.joined(decisions), np.concatenate([scores for _, scores in parts])

    def answers(self) -> list[tuple[int, Any]]:
        """Wait a moment, and return tasks with their games; None: the worker has died."""
        found: list[tuple[int, Any]] = []
        ready, _ = self.ray.wait([*self.coming, *self.busy], timeout=1.0)
        for promise in ready:
            worker = self.coming.pop(promise, None)
            known, number = self.busy.pop(promise, (worker, -1))
            try:
                answer = self.ray.get(promise)
            except self.ray.exceptions.RayTaskError as problem:
                raise SandtableError(f"a worker of the cluster failed: {problem.cause}") from None
            except self.ray.exceptions.RayError:
                self.ray.kill(known, no_restart=True)
                if number >= 0:
                    found.append((number, None))
                continue
            if isinstance(answer, SandtableError):
                raise answer
            if number < 0:
                self.welcome(known, *answer)
                continue
            self.idle.append(known)
            found.append((number, answer))
        return found

    def close(self) -> None:
        """Leave the cluster; it ends our workers."""
        self.ray.shutdown()
