"""Processes that let others go first."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["let_others_go_first"]

GROUP = Path("/proc/self/autogroup")  # Linux: the priority of a session, which may count instead


def let_others_go_first(steps: int) -> None:
    """Lower the priority of this process by so many steps; not every system has priorities.

    >>> let_others_go_first(0)
    """
    with suppress(OSError, AttributeError):
        lowered = os.nice(steps)
        if os.getsid(0) == os.getpid():  # others of the session would be lowered with it
            GROUP.write_text(str(lowered), encoding="ascii")
