"""Processes that a program has started, to be ended with it.

Killing a process group misses whoever has left it for a session of its own. Two things find those,
on Linux. A program takes the place of the parent of all orphans below it (``adopt_orphans``), so
as long as it runs everything it started hangs together, in whatever session and environment. And
every process that keeps the environment it was born with has a mark in it, by which it is found
when the program has ended by itself. What is not found: a process in a session of its own, without
that environment, whose program ended before anybody looked at its children. Where there is no
``/proc`` (macOS, Windows) nothing is found, and the group is all that is ended.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sandtable.system import POSIX

__all__ = [
    "Born",
    "adopt_orphans",
    "born",
    "descendants",
    "end_all",
    "end_marked",
    "marked",
    "marked_environment",
    "new_mark",
]

NAME = "SANDTABLE_STARTED_BY"
PROCESSES = Path("/proc" if POSIX else "/no/such/folder")
ROUNDS = 20  # looks, until nobody new has been born meanwhile
SECONDS_BETWEEN = 0.01
SET_CHILD_SUBREAPER = 36  # of prctl; it stays when the process becomes another program
DEAD = (b"Z", b"X")  # nobody has heard of its end yet

PRCTL: Callable[..., int] | None
try:
    PRCTL = ctypes.CDLL(None).prctl if POSIX else None
except (OSError, AttributeError):  # not on this system
    PRCTL = None


class Born(NamedTuple):
    """A process: its number, and when it was born, for numbers are used again."""

    number: int
    born: int


def new_mark() -> str:
    """Return a mark that nothing else has."""
    return secrets.token_hex(8)


def marked_environment(mark: str) -> dict[str, str]:
    """Return the environment of this process with one more mark in it.

    >>> marked_environment("abc")["SANDTABLE_STARTED_BY"].endswith("abc")
    True
    """
    marks = [*os.environ.get(NAME, "").split(), mark]  # a program can be started by another's
    return {**os.environ, NAME: " ".join(marks)}


def adopt_orphans() -> None:
    """Let this process be the parent of all below it whose own parent ends.

    It is called between fork and exec: nothing is imported or looked up here.
    """
    if PRCTL is not None:
        PRCTL(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def family() -> dict[int, list[Born]]:
    """Return all living processes by their parents."""
    found: dict[int, list[Born]] = defaultdict(list)
    for entry in PROCESSES.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            words = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            if words[0] not in DEAD:
                found[int(words[1])].append(Born(int(entry.name), int(words[19])))
    return found


def descendants(*roots: int) -> list[Born]:
    """Return all living processes below some, in whatever session they are.

    >>> descendants(2**22 + 1)
    []
    """
    children, found, waiting = family(), [], list(roots)
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += [each.number for each in below]
    return [each for each in found if each.number != os.getpid()]


def marked(mark: str) -> list[int]:
    """Return the processes that were started with a mark, but for this one."""
    wanted = mark.encode()
    found = []
    for entry in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (entry / "environ").read_bytes() and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def born(number: int) -> Born | None:
    """Return a living process by its number."""
    try:
        words = (PROCESSES / str(number) / "stat").read_bytes().rpartition(b")")[2].split()
        return None if words[0] in DEAD else Born(number, int(words[19]))
    except (OSError, ValueError, IndexError):
        return None


def end_all(processes: list[Born]) -> None:
    """End processes that were found earlier, and all below them."""
    end_found(lambda: [each.number for each in processes if born(each.number) == each])


def end_marked(mark: str) -> None:
    """End all processes with a mark and all below them, also those that are just being born."""
    end_found(lambda: marked(mark))


def end_found(find: Callable[[], list[int]]) -> None:
    """End processes and all below them, those below first: they are found by who is above."""
    for left in reversed(range(ROUNDS)):
        found = find()
        if not found:
            return
        send_all(found, signal.SIGSTOP)  # so that they give birth to nobody meanwhile
        below = {each.number for each in descendants(*found)} - set(found)
        send_all(below, signal.SIGKILL)
        if not below or not left:
            send_all(found, signal.SIGKILL)
        time.sleep(SECONDS_BETWEEN)


def send_all(processes: Iterable[int], number: int) -> None:
    """Send a signal to processes, some of which may have ended."""
    for process in processes:
        with suppress(OSError):
            os.kill(process, number)
