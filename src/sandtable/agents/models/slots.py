"""How many requests go to an endpoint at the same time, whichever processes they come from.

A match plays in several processes, and a small server answers one request after the other. Each
request holds the lock of one of so many files; a process that dies lets go of it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sandtable.system import temporary_folder
from sandtable.system.locks import lock_file

__all__ = ["slot"]

LOOK_SECONDS = 0.02  # between looks whether a slot is free


@contextmanager
def slot(endpoint: str, count: int) -> Iterator[None]:
    """Wait until fewer than ``count`` requests to an endpoint are under way, and be one of them.

    >>> with slot("http://localhost:9", 1):
    ...     print("alone")
    alone
    """
    folder = temporary_folder("models")
    folder.mkdir(mode=0o700, exist_ok=True)
    name = hashlib.blake2b(endpoint.encode(), digest_size=8).hexdigest()
    handles = [(folder / f"{name}-{number}").open("ab") for number in range(count)]
    try:
        held = None
        while held is None:
            held = next((handle for handle in handles if lock_file(handle)), None)
            if held is None:
                time.sleep(LOOK_SECONDS)
        yield
    finally:
        for handle in handles:
            handle.close()
