"""Threads that share the rows of a batch, handed their part with as little ceremony as possible.

A pool of the standard library takes about as long to hand out a part and to collect it as a kernel
takes for a hundred rows of it. Here a thread waits on a lock, and handing over is letting it go.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Crew", "Part"]

Part = tuple[Callable[..., None], tuple[Any, ...]]  # a loop and what it is called with


class Member:
    """A thread that runs one part after the other; it ends when its crew is no longer used."""

    def __init__(self) -> None:
        self.go, self.done = threading.Lock(), threading.Lock()
        self.go.acquire()
        self.done.acquire()
        self.part: Part | None = None  # None: stop
        self.problem: BaseException | None = None
        threading.Thread(target=self.work, name="batch", daemon=True).start()

    def work(self) -> None:
        """Run what comes until nothing more comes."""
        while True:
            self.go.acquire()
            if self.part is None:
                return
            loop, arguments = self.part
            self.part = None  # hold on to no arrays while waiting
            self.problem = caught(loop, arguments)
            del loop, arguments
            self.done.release()


def dismiss(members: list[Member]) -> None:
    """Let all threads end."""
    for member in members:
        member.go.release()


def caught(loop: Callable[..., Any], arguments: tuple[Any, ...] = ()) -> BaseException | None:
    """Call something; return what it raised, or None."""
    try:
        loop(*arguments)
    except BaseException as problem:
        return problem
    return None


class Crew:
    """Some threads besides the one that calls."""

    def __init__(self, size: int) -> None:
        self._members = [Member() for _ in range(size)]
        weakref.finalize(self, dismiss, self._members)

    def run(self, parts: Sequence[Part]) -> None:
        """Run one part for each thread and one more here; raise what the first of them raised."""
        helping = self._members[: len(parts) - 1]
        for member, part in zip(helping, parts[1:], strict=True):
            member.part = part
            member.go.release()
        problems = [caught(*parts[0])]
        for member in helping:
            problems.append(caught(member.done.acquire))
            if problems[-1] is not None:  # Ctrl-C: go when the arrays are at rest
                member.done.acquire()
            problems.append(member.problem)
            member.problem = None
        for problem in problems:
            if problem is not None:
                raise problem
