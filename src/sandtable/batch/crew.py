"""Threads that share the rows of a batch: how they sleep, wake, end, and tell what went wrong.

What they do while awake is in ``batch_signals``, and Python has no part in that. A thread that
finds nothing to do sleeps here until it is woken, so it burns no core while nobody steps.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable

from sandtable.batch import loops
from sandtable.batch.signals import (
    AWAITED,
    STRIDE,
    WOKEN,
    Signals,
    gather,
    new_signals,
    patience_of,
    task_ended,
)

__all__ = ["Crew"]


class Member:
    """A thread besides the one that calls; it ends when its crew is no longer used."""

    def __init__(
        self,
        join: Callable[..., int],
        rows: loops.Rows,
        signals: Signals,
        number: int,
        patience: int,
    ) -> None:
        self.wake, self.ended = threading.Event(), threading.Event()
        self.dismissed = False
        self.problem: BaseException | None = None
        self.signals, self.number, self.patience = signals, number, patience
        self.join = functools.partial(join, rows, signals, number, 0, loops.EVERYBODY)
        self.join(0, loops.FIRST_CALL)  # without patience: marks the thread as asleep
        threading.Thread(target=self.work, name="batch", daemon=True).start()

    def work(self) -> None:
        """Sleep and do what comes, until the crew is no longer used."""
        awaited = False
        while not self.dismissed:
            if awaited:
                self.ended.set()
            else:
                self.wake.wait()
                self.wake.clear()
            awaited = self.served()

    def served(self) -> bool:
        """Do what comes; say whether the caller sleeps until it is done."""
        while not self.dismissed:
            try:
                return self.join(self.patience, loops.FIRST_CALL) == AWAITED
            except BaseException as problem:
                self.problem = problem
                if task_ended(self.signals, self.number):
                    return True
        return False


def dismiss(members: list[Member]) -> None:
    """Let all threads end."""
    for member in members:
        member.dismissed = True
        member.wake.set()


class Crew:
    """The thread that calls, and some more, which share the rows of a batch."""

    def __init__(self, join: Callable[..., int], rows: loops.Rows, threads: int) -> None:
        self.threads = threads
        self._signals = new_signals(len(rows.turns), threads)
        self._patience = patience_of(threads)
        self._join = functools.partial(join, rows, self._signals, 0)
        self._at_rest = True
        self._members = [
            Member(join, rows, self._signals, number, self._patience)
            for number in range(1, threads)
        ]
        weakref.finalize(self, dismiss, self._members)

    def run(self, task: int, who: int) -> int:
        """Do a task in all rows; raise what the first of the threads raised."""
        if self.threads == 1 or who == loops.ALONE:
            return self._join(task, loops.ALONE, 0, loops.FIRST_CALL)
        if not self._at_rest:  # an earlier call was left by Ctrl-C while it waited after Ctrl-C
            self._settle()
        self._at_rest = False
        try:
            said = self._join(task, who, self._patience, loops.FIRST_CALL)
            if said == loops.SLEEPERS:
                self._wake()
                said = self._join(task, who, self._patience, loops.POSTED)
            if said == loops.STRAGGLER:
                self._settle()
                said = self._join(task, who, self._patience, loops.SHARED)
        except BaseException:  # also Ctrl-C: go when the arrays are at rest
            self._settle()
            self._problem()
            raise
        self._at_rest = True
        if (problem := self._problem()) is not None:
            raise problem
        return said

    def _wake(self) -> None:
        """Wake the threads that were asleep when they were given their task."""
        for number, member in enumerate(self._members, 1):
            if self._signals[number * STRIDE + WOKEN]:
                self._signals[number * STRIDE + WOKEN] = 0
                member.wake.set()

    def _settle(self) -> None:
        """Sleep until no thread is at work."""
        self._wake()
        while number := int(gather(self._signals, self._patience)):
            member = self._members[number - 1]
            member.ended.wait()
            member.ended.clear()
        self._at_rest = True

    def _problem(self) -> BaseException | None:
        """Return what the first of the other threads raised in this task, if any did."""
        first = None
        for member in self._members:
            if member.problem is not None:
                first, member.problem = first or member.problem, None
        return first
