"""Programs that are started, interrupted, and ended with all they have started.

On Linux and macOS a program leads a group of its own, which gets signals as a whole. On Windows it
is put into a job, which the system ends with all that is in it, also when we die.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sandtable.system import POSIX
from sandtable.system.windows_jobs import Job, job_with

__all__ = ["Group", "group_options", "interrupt", "listen_for_interrupts"]

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # on Windows any signal ends a process at once
BREAK = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM)


def group_options(before: Callable[[], None] | None = None) -> dict[str, Any]:
    """Return the options with which a program is started as the head of a group.

    ``before`` is called in the new process before the program begins, where the system can do that.

    >>> import subprocess, sys
    >>> subprocess.run([sys.executable, "-c", "print('hello')"], **group_options()).returncode
    0
    """
    if POSIX:
        return {"start_new_session": True} | ({"preexec_fn": before} if before else {})
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


class Group:
    """A program that was started with ``group_options``, and all it has started."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.job: Job | None = None if POSIX else job_with(number)

    def end(self) -> None:
        """End all of them at once."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.number, KILL)
            elif self.job is not None:
                self.job.end()
            else:
                os.kill(self.number, KILL)


def interrupt(number: int) -> None:
    """Ask a program to stop as Ctrl-C does; on Windows as Ctrl-Break does, which goes to groups."""
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGINT if POSIX else BREAK)


def listen_for_interrupts() -> None:
    """Take Ctrl-Break like Ctrl-C, where there is such a thing."""
    number = getattr(signal, "SIGBREAK", None)
    if number is not None:
        signal.signal(number, signal.default_int_handler)
