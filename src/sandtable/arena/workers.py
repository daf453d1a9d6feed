"""Who plays the chunks of a match: this thread, several threads, or several processes.

The results are the same for all of them. Agents that act inside kernels run in threads, which
share the compiled code and do not hold each other up; all others in processes of their own.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from sandtable.arena.chunks import Chunk, MatchPlan, Player
from sandtable.errors import SandtableError

__all__ = ["run_plan"]

Keep = Callable[[Chunk], None]

SECONDS_PER_CHUNK = 0.4  # short enough for a lively progress bar and a prompt Ctrl-C
FIRST_CHUNK = 1
MOST_GAMES_PER_CHUNK = 20_000


class ChunkSizes:
    """Cuts games into chunks of about equal time; the cut has no influence on the games.

    The games of one deal, ``together``, always stay in one chunk.
    """

    def __init__(self, games: int, jobs: int, together: int = 1) -> None:
        self.games = games
        self.jobs = jobs
        self.together = together
        self.next = 0
        self.size = FIRST_CHUNK

    def cut(self) -> tuple[int, int] | None:
        """Return (first, count) of the next chunk, or None when all games are given out."""
        left = self.games - self.next
        if left <= 0:
            return None
        fair = max(1, -(-left // self.jobs))  # near the end nobody should wait for one worker
        deals = max(1, min(self.size, fair) // self.together)
        count = min(deals * self.together, left)
        first, self.next = self.next, self.next + count
        return first, count

    def learn(self, chunk: Chunk) -> None:
        """Adapt the size to the time a chunk took."""
        wanted = len(chunk.scores) * SECONDS_PER_CHUNK / max(chunk.seconds, 1e-6)
        self.size = max(1, min(int(wanted), 8 * len(chunk.scores), MOST_GAMES_PER_CHUNK))


def timed(player: Player, first: int, count: int, keep_records: bool) -> Chunk:
    """Play a chunk and note how long it took."""
    began = time.perf_counter()
    chunk = player.play(first, count, keep_records)
    return replace(chunk, seconds=time.perf_counter() - began)


_player: Player | None = None  # the one player of a worker process


def start_worker(plan: MatchPlan) -> None:
    """Prepare a worker process; Ctrl-C is the business of the main process."""
    global _player  # noqa: PLW0603 - a process pool offers no other place
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _player = Player(plan)


def play_in_worker(first: int, count: int, keep_records: bool) -> Chunk:
    """Play a chunk in a worker process."""
    assert _player is not None
    return timed(_player, first, count, keep_records)


def run_plan(player: Player, jobs: int, *, keep_records: bool, keep: Keep, first: int = 0) -> None:
    """Play all games of a plan and hand over each chunk as soon as it is finished.

    Games before the ``first`` one, which begins a deal, have been played already.
    """
    plan = player.plan
    sizes = ChunkSizes(plan.games, jobs, len(plan.orders))
    sizes.next = first
    try:
        if jobs == 1 or "human" in {spec.partition(":")[0] for spec in plan.agents}:
            run_here(player, sizes, keep_records, keep)
        elif player.policies is not None:
            with ThreadPoolExecutor(jobs) as threads:

                def submit(first: int, count: int) -> Future[Chunk]:
                    return threads.submit(timed, player, first, count, keep_records)

                run_pool(submit, threads, sizes, keep)
        else:
            run_processes(plan, jobs, sizes, keep_records, keep)
    finally:
        player.close()


def run_here(player: Player, sizes: ChunkSizes, keep_records: bool, keep: Keep) -> None:
    """Play everything in this thread."""
    while cut := sizes.cut():
        chunk = timed(player, *cut, keep_records)
        sizes.learn(chunk)
        keep(chunk)


def run_processes(
    plan: MatchPlan, jobs: int, sizes: ChunkSizes, keep_records: bool, keep: Keep
) -> None:
    """Play in several processes of their own."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=start_worker, initargs=(plan,))

    def submit(first: int, count: int) -> Future[Chunk]:
        return pool.submit(play_in_worker, first, count, keep_records)

    try:
        run_pool(submit, pool, sizes, keep)
    except BrokenProcessPool as problem:
        raise SandtableError(
            "a worker process died (killed, out of memory, or an agent ended it); "
            "--jobs 1 shows what happened"
        ) from problem
    except KeyboardInterrupt:
        for process in list(pool._processes.values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run_pool(
    submit: Callable[[int, int], Future[Chunk]], pool: Executor, sizes: ChunkSizes, keep: Keep
) -> None:
    """Keep all workers of a pool busy until the games run out."""
    running: set[Future[Chunk]] = set()
    try:
        while True:
            while len(running) < 2 * sizes.jobs and (cut := sizes.cut()):
                running.add(submit(*cut))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                chunk = future.result()
                sizes.learn(chunk)
                keep(chunk)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
