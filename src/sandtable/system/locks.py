"""Locks of open files, which a process loses with its end, however it ends.

Libraries for this lock a second file by its name (filelock), or need another package on Windows
(portalocker). What is locked here is the very file that is written, so that nothing is left beside
it, and nobody can write into a file whose name has gone to another one meanwhile.
"""

from __future__ import annotations

import importlib
import os
import time
from typing import Any, Protocol

from sandtable.system import POSIX

__all__ = ["lock_file"]

# Windows keeps everybody else from reading what is locked. So one byte is, far behind the end.
FAR_AWAY = 1 << 40
SECONDS_BETWEEN_TRIES = 0.02

SYSTEM: Any
try:
    SYSTEM = importlib.import_module("fcntl" if POSIX else "msvcrt")
except ImportError:  # neither kind of system, as in a browser: there is one process
    SYSTEM = None


class HasNumber(Protocol):
    """An open file."""

    def fileno(self) -> int:
        """Return its number."""


def lock_file(file: HasNumber, *, wait: bool = False, shared: bool = False) -> bool:
    """Take the lock of an open file until it is closed; say whether we have it.

    ``shared`` locks keep out only those that are not; where the system knows none, they are like
    others. An error means that this file cannot be locked at all.

    >>> from tempfile import TemporaryFile
    >>> with TemporaryFile() as file:
    ...     lock_file(file)
    True
    """
    if SYSTEM is None:
        return True
    if not POSIX:
        return lock_byte(file.fileno(), wait)
    kind = SYSTEM.LOCK_SH if shared else SYSTEM.LOCK_EX
    try:
        SYSTEM.flock(file.fileno(), kind if wait else kind | SYSTEM.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_byte(descriptor: int, wait: bool) -> bool:
    """Take the lock as Windows has it; its own way to wait gives up after ten seconds."""
    while True:
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, FAR_AWAY, os.SEEK_SET)
        try:
            SYSTEM.locking(descriptor, SYSTEM.LK_NBLCK, 1)
            return True
        except PermissionError:
            if not wait:
                return False
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        time.sleep(SECONDS_BETWEEN_TRIES)
