"""Alarms of a clock that breaks into whatever runs, and what none of them may break into."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["may_break_in", "undisturbed"]


class Quiet(threading.local):
    """How many pieces of work of a thread must not be broken off, one inside the other."""

    depth = 0


QUIET = Quiet()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep alarms from what must not be left half done, such as ending a program.

    >>> with undisturbed():
    ...     may_break_in()
    False
    """
    QUIET.depth += 1
    try:
        yield
    finally:
        QUIET.depth -= 1


def may_break_in() -> bool:
    """Say whether an alarm may raise an error in this thread now; else the next one will.

    >>> may_break_in()
    True
    """
    return QUIET.depth == 0
