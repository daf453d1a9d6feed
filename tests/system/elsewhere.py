"""Runs the core as if this were Windows: without the modules and calls that only POSIX has.

Locks are those of a small msvcrt that keeps its promises: one byte is locked for one open file,
at the place where that stands, and nobody waits.
"""

from __future__ import annotations

import fcntl
import importlib
import importlib.abc
import os
import pkgutil
import select
import signal
import struct
import sys
import types
from contextlib import suppress
from pathlib import Path

MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty", "_posixshmem"}
LARGE = {"jax", "mcp", "open_spiel", "openai", "pettingzoo", "pgx", "pyspiel", "ray", "torch"}
CALLS = {
    os: [
        "chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid",
        "getloadavg", "getpgid", "getpgrp", "getpriority", "getsid", "getuid", "killpg", "mkfifo",
        "nice", "sched_getaffinity", "sched_setaffinity", "set_blocking", "setpgid",
        "setpriority", "setsid", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC",
    ],
    signal: ["SIGALRM", "SIGHUP", "SIGSTOP", "SIGUSR1", "SIGUSR2", "alarm", "setitimer"],
    select: ["poll", "epoll"],
}  # fmt: skip
PLACE = struct.Struct("hhqqi4x")  # struct flock: kind, whence, start, length, process


def locking(descriptor: int, mode: int, count: int) -> None:
    """Lock so many bytes from where the file stands, for this opening of the file alone."""
    start = os.lseek(descriptor, 0, os.SEEK_CUR)
    place = PLACE.pack(fcntl.F_WRLCK, os.SEEK_SET, start, count, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, place)
    except OSError as problem:
        raise PermissionError(13, "Permission denied") from problem


class Hiding(importlib.abc.MetaPathFinder):
    """Finds nothing of what is to be hidden."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a hidden module, and large ones, without which their extra is not there."""
        if name in MODULES | LARGE:
            raise ModuleNotFoundError(f"No module named '{name}' (hidden)", name=name)


def hide() -> None:
    """Take away what Windows has not, and bring the one module that it has instead."""
    multiprocessing_needs = importlib.import_module("multiprocessing.util")
    assert multiprocessing_needs  # part of Python, which knows its system better than we do
    msvcrt = types.ModuleType("msvcrt")
    msvcrt.LK_NBLCK = 2
    msvcrt.locking = locking
    sys.modules["msvcrt"] = msvcrt
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Hiding())
    for owner, names in CALLS.items():
        for name in names:
            with suppress(AttributeError):
                delattr(owner, name)


def import_all() -> int:
    """Import every module of the package, but for those that need a large library."""
    import sandtable
    from sandtable.errors import SandtableError

    count = 0
    for found in pkgutil.walk_packages(sandtable.__path__, "sandtable."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except (ImportError, SandtableError) as problem:
            missing = getattr(problem.__cause__ or problem, "name", None) or ""
            if missing.partition(".")[0] not in LARGE:
                raise
        else:
            count += 1
    return count


def run(*words: object) -> None:
    """Run a command line of Sandtable."""
    from sandtable.cli.main import application

    code = application([*map(str, words)], prog_name="sandtable", standalone_mode=False)
    assert code in (0, None), (words, code)


def play(folder: Path, command: str) -> None:
    """Play a match, one with a program, a replay; lock, write anew, and learn a little."""
    from sandtable.records.files import RecordFile
    from sandtable.system import POSIX
    from sandtable.system.locks import lock_file

    assert not POSIX
    games = folder / "games.jsonl"
    match = ("match", "lucid", "--games", 2, "--seed", 3, "--jobs", 1)
    run(*match, "lucid/simple-blue", "lucid/axes-red", "--archive", games)
    run(*match, f"external:command={command}", "lucid/axes-red")
    kept = RecordFile(games)
    first, second = kept.identities()
    kept.annotate(first, lambda annotations: annotations)
    assert set(kept.identities()) == {first, second}
    run("replay", games, "--check")
    with games.open("ab") as one, games.open("ab") as other:
        assert lock_file(one)
        assert not lock_file(other)
        games.read_bytes()  # nobody is kept from reading
    learn = ("train", "gravwell/q-learning", "--games", 4, "--block", 2, "--out", folder / "run")
    run(*learn)


if __name__ == "__main__":
    hide()
    if sys.argv[1] == "import":
        print(import_all(), "modules")
    else:
        play(Path(sys.argv[2]), sys.argv[3])
        print("played")
