"""Playing the games of one or many plans, with workers, a journal and an archive.

``play_plans`` is the one way in which matches, tournaments and tests of one agent against another
get their games played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandtable.arena.play.interrupts import postponed_interrupts
from sandtable.arena.play.journal import open_journal
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.arena.play.tasks import Cutter, PlayerCache, Task
from sandtable.arena.play.workers import SECONDS_TO_END, Workers, choose_workers, has_people

if TYPE_CHECKING:
    from sandtable.arena.play.journal import Journal
    from sandtable.records.store import Store

__all__ = ["Run", "RunOptions", "in_order", "play_plans"]


@dataclass(frozen=True)
class RunOptions:
    """What a person can choose about playing; nothing of it has an influence on the results."""

    jobs: int | None = 1  # games side by side; None: one, or on a cluster all its processors
    cluster: str | None = None  # address of a Ray cluster
    archive: str | None = None  # keep every game there
    resume: bool = False  # go on where the same run was stopped, and keep a journal for that
    fresh: bool = False  # forget what an earlier run has finished
    records: bool = False  # chunks bring the records of their games, also without an archive
    in_turn: bool = False  # one plan after the other, not all of them evenly


class Run:
    """A run of plans: the games played so far go into a journal and an archive.

        with Run(plans, RunOptions(jobs=2, resume=True)) as run:
            for plan, chunk in run.chunks():
                ...
            ...  # tell the results
            run.complete()

    Chunks come as they are finished, in any order; those known from an earlier run come first.
    Ctrl-C first brings what is finished by then, and then a KeyboardInterrupt.
    """

    def __init__(
        self, plans: Sequence[MatchPlan], options: RunOptions, skip: Sequence[int] | None = None
    ) -> None:
        self.plans = list(plans)
        self.skip = list(skip or [0] * len(self.plans))  # first games of each plan, known elsewhere
        self.options = options
        self.store: Store | None = None
        self.journal: Journal | None = None
        self.jobs = 1
        self.stored = 0  # records that were new in the archive
        self.resumed = 0  # games known from an earlier run
        self.stack = ExitStack()

    def __enter__(self) -> Run:
        try:
            self.set_up()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *details: object) -> None:
        self.stack.close()

    def set_up(self) -> None:
        """Find out before the first game whether all can be written, and read what is known."""
        self.players = PlayerCache(self.plans)
        self.stack.callback(self.players.close)
        if self.options.archive:
            self.store = open_archive(self.options.archive)
            self.stack.callback(self.store.close)
        for plan in range(len(self.plans)):
            player = self.players.player(plan)
            # The compiler answers Ctrl-C with an error of its own; it is done in some seconds.
            with postponed_interrupts() if player.policies is not None else nullcontext():
                player.warm_up()
        if self.options.resume and not has_people(self.plans):
            self.journal = open_journal(
                self.plans, self.options.archive or "", fresh=self.options.fresh
            )
            self.stack.callback(self.journal.close)
            self.resumed = self.journal.games
            if self.store:
                self.stored += self.store.add(self.journal.last_records)

    def chunks(self) -> Iterator[tuple[int, Chunk]]:
        """Return all games, first those of an earlier run: number of the plan, chunk of games."""
        games_per_deal = [
            self.players.player(plan).games_per_deal for plan in range(len(self.plans))
        ]
        known: list[list[tuple[int, int]]] = [[(0, count)] if count else [] for count in self.skip]
        if self.journal:
            for plan, first, count in self.journal.spans:
                known[plan].append((first, count))
            yield from self.journal.known()
        if self.resumed >= sum(plan.games for plan in self.plans):
            return
        workers = choose_workers(
            self.plans,
            jobs=self.options.jobs,
            cluster=self.options.cluster,
            keep_records=self.store is not None or self.options.records,
            players=self.players,
        )
        self.stack.callback(workers.close)
        self.jobs = workers.size
        cutter = Cutter(self.plans, games_per_deal, workers.size, in_turn=self.options.in_turn)
        for plan, spans in enumerate(known):
            cutter.leave_out(plan, spans)
        yield from self.play(workers, cutter)

    def play(self, workers: Workers, cutter: Cutter) -> Iterator[tuple[int, Chunk]]:
        """Keep all workers busy until the games run out."""
        held: Task | None = None  # cut, but not given out yet
        try:
            while True:
                while workers.busy < 2 * workers.size and (held := held or cutter.cut()):
                    if workers.busy >= workers.size and not cutter.ahead(held):
                        break
                    workers.submit(held)
                    held = None
                if not workers.busy:
                    return
                with postponed_interrupts() if workers.brief else nullcontext():
                    task, chunk = workers.finished()
                    self.keep(task, chunk)
                cutter.learn(task, chunk)
                yield task.plan, chunk
        except KeyboardInterrupt:
            for task, chunk in workers.last(SECONDS_TO_END):
                self.keep(task, chunk)
                yield task.plan, chunk
            raise

    def keep(self, task: Task, chunk: Chunk) -> None:
        """Make sure that nothing can lose these games any more."""
        with postponed_interrupts():
            if self.journal:
                self.journal.add(task.plan, chunk)
            if self.store:
                self.stored += self.store.add(chunk.records)

    def complete(self) -> None:
        """All games are played and their results told: forget what is known of the run."""
        if self.journal:
            self.journal.remove()


def play_plans(plans: Sequence[MatchPlan], options: RunOptions) -> Iterator[tuple[int, Chunk]]:
    """Play all games of some plans: number of the plan, chunk of games, in any order."""
    with Run(plans, options) as run:
        yield from run.chunks()
        run.complete()


def in_order(chunks: Iterator[tuple[int, Chunk]]) -> Iterator[tuple[int, Chunk]]:
    """Return the chunks of each plan in the order of its games, held back until their turn.

    Whatever looks at the games one after the other, and may stop on the way, then sees the same
    for any number of workers.
    """
    waiting: dict[tuple[int, int], Chunk] = {}
    following: dict[int, int] = {}  # by plan: the number of the next game
    for plan, chunk in chunks:
        waiting[plan, chunk.first] = chunk
        while (ready := waiting.pop((plan, following.get(plan, 0)), None)) is not None:
            following[plan] = ready.first + len(ready.scores)
            yield plan, ready


def open_archive(path: str) -> Store:
    """Open an archive, and find out before the first game whether it can be written."""
    from sandtable.records.store import open_store  # a database library, only if it is needed

    store = open_store(path)
    store.check_writable()
    return store
