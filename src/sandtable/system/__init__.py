"""What differs between operating systems, in one place: locks, processes, signals, folders.

Everything else asks these modules. ``POSIX`` says which of the two ways is taken: that of Linux and
macOS, or that of Windows. Tests run the second way on the first kind of system by hiding ``fcntl``.
"""

from __future__ import annotations

import getpass
import importlib
import os
import re
import sys
import tempfile
from pathlib import Path

__all__ = ["POSIX", "temporary_folder", "use_utf8"]

POSIX = True
try:
    importlib.import_module("fcntl")
except ImportError:  # Windows
    POSIX = False


def temporary_folder(purpose: str = "") -> Path:
    """Return a folder for temporary files that no other person of this machine uses.

    >>> temporary_folder("models").name.startswith("sandtable-models-")
    True
    """
    person = str(os.getuid()) if hasattr(os, "getuid") else user_name()
    words = ["sandtable", *([purpose] if purpose else []), person]
    return Path(tempfile.gettempdir()) / "-".join(words)


def user_name() -> str:
    """Return who is using this machine, as a part of a name of a file."""
    try:
        name = getpass.getuser()
    except (OSError, ImportError, KeyError):  # Python before 3.13 looks for a module
        name = "somebody"
    return re.sub(r"[^\w-]", "_", name)


def use_utf8() -> None:
    """Read and print UTF-8 also where the system has another habit for files and pipes."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        encoding = str(getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
        if not POSIX and encoding != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
