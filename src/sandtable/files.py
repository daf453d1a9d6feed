"""The one way in which files are written: whole or not at all, and on the disk when it is said.

A plain file is written beside the old one, forced to the disk, and then takes its name; its mode
stays, and a link to it stays a link. What is no plain file (a FIFO, a device, a terminal, the
standard output as ``/dev/stdout``) is written through. What cannot be written is one line.

All that the program keeps in files of its own passes through the few calls of ``os`` here and in
``write_at_end``: tests let each of them fail, and cut the power after each.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandtable.errors import SandtableError
from sandtable.system import POSIX

__all__ = [
    "can_be_replaced",
    "check_writable",
    "make_folder",
    "make_folder_of",
    "name_beside",
    "remove",
    "replace",
    "sync_folder",
    "take_place",
    "write_all",
    "write_at_end",
    "write_beside",
    "write_whole",
    "written_whole",
]

OWN_DESCRIPTOR = re.compile(r"/(?:proc/(?:self|thread-self)|dev)/fd/([0-9]+)")
MOST_LINKS = 40
NEW_FILE = 0o666
AS_IT_IS = getattr(os, "O_BINARY", 0)  # Windows would make two bytes of the end of a line
OURS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | AS_IT_IS
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | OURS  # never another
SECONDS_TO_REPLACE = 2.0  # on Windows, where nobody may have the old file open
SECONDS_BETWEEN_TRIES = 0.02


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; on a full disk the one before stays.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "weights", b"1234")
    ...     (Path(folder) / "weights").read_bytes()
    b'1234'
    """
    try:
        descriptor = own_descriptor(path)
        if descriptor is not None:
            write_through(descriptor, data)
        elif not is_plain(path):
            write_into(path, data)
        else:
            target = target_of(path)
            take_place(write_beside(target, [data]), target)
    except OSError as problem:
        raise cannot_write(path, problem) from problem


def check_writable(path: Path) -> None:
    """Raise an error now if a file could not be written later; nothing is left behind.

    >>> check_writable(Path("/dev/null"))
    >>> check_writable(Path("/"))
    Traceback (most recent call last):
    sandtable.errors.SandtableError: cannot write /: Is a directory
    """
    try:
        if own_descriptor(path) is None and is_plain(path):
            remove(write_beside(target_of(path), []))
        elif own_descriptor(path) is None and not os.access(path, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as problem:
        raise cannot_write(path, problem) from problem


def cannot_write(path: Path, problem: OSError) -> SandtableError:
    """Return the one line that is told."""
    reason = problem.strerror or str(problem)
    if isinstance(problem, FileNotFoundError) and not path.parent.is_dir():
        reason = f"there is no folder {path.parent}"
    return SandtableError(f"cannot write {path}: {reason}")


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SandtableError(f"cannot make the folder {folder}: {problem.strerror}") from problem


def make_folder_of(path: Path) -> None:
    """Make the folder that a file will be written in, if it is not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise SandtableError(f"cannot write {path}: {reason}") from problem


# --- what a path is ------------------------------------------------------------------------------


def is_plain(path: Path) -> bool:
    """Say whether a path is, or is to be, a plain file; a folder raises an error."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "Is a directory")
    return stat.S_ISREG(mode)


def can_be_replaced(path: Path) -> bool:
    """Say whether what is written there stays, and can be written anew as more comes.

    What goes into a FIFO, a device or the standard output is gone: it is written once.

    >>> can_be_replaced(Path("results.json")), can_be_replaced(Path("/dev/stdout"))
    (True, False)
    """
    return own_descriptor(path) is None and is_plain(path)


def own_descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that a path such as /dev/stdout leads to, or None.

    A new file of that name would be another file than the one the output goes to.
    """
    place = os.path.abspath(path)  # noqa: PTH100 - links must not be followed yet
    for _ in range(MOST_LINKS):
        found = OWN_DESCRIPTOR.fullmatch(place)
        if found:
            return int(found[1])
        if not os.path.islink(place):  # noqa: PTH114
            return None
        place = os.path.normpath(
            os.path.join(os.path.dirname(place), os.readlink(place))  # noqa: PTH115, PTH118, PTH120
        )
    return None


def target_of(path: Path) -> Path:
    """Return the plain file that links lead to; one that may not be written is an error."""
    target = Path(os.path.realpath(path))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied")
    return target


# --- writing -------------------------------------------------------------------------------------


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Return a new file for a library to write; when it has, that takes the place of another.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "table") as new:
    ...         _ = new.write_bytes(b"1234")
    ...     (Path(folder) / "table").read_bytes()
    b'1234'
    """
    plain = can_be_replaced(path)
    if plain:
        target = target_of(path)
        temporary = write_beside(target, [])
    else:
        handle, name = tempfile.mkstemp()
        os.close(handle)
        temporary = Path(name)
    try:
        yield temporary
        if plain:
            sync_folder(temporary)  # a file is waited for in the same way
            take_place(temporary, target)
        else:
            write_whole(path, temporary.read_bytes())
    finally:
        remove(temporary)


def take_place(temporary: Path, target: Path) -> None:
    """Give a file that is written and on the disk the name it is meant for."""
    try:
        replace(temporary, target)
    except BaseException:
        remove(temporary)
        raise
    sync_folder(target.parent)


def replace(temporary: Path, target: Path) -> None:
    """Let a file take the name of another; on Windows wait a little for whoever reads that."""
    deadline = time.monotonic() + SECONDS_TO_REPLACE
    while True:
        try:
            os.replace(temporary, target)  # noqa: PTH105 - as all calls that tests let fail
            return
        except PermissionError:
            if POSIX or time.monotonic() > deadline:
                raise
        time.sleep(SECONDS_BETWEEN_TRIES)


def name_beside(target: Path) -> Path:
    """Return a name beside a file that nobody has, nor can have put a link at beforehand.

    >>> name_beside(Path("runs/newest")).name[:8], len(name_beside(Path("newest")).name)
    ('.newest.', 24)
    """
    return target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}")


def write_beside(target: Path, pieces: Iterable[bytes]) -> Path:
    """Write a new file beside another, with its mode, and wait until the disk has it."""
    temporary = name_beside(target)
    descriptor = os.open(temporary, FRESH, NEW_FILE)
    try:
        try:
            for piece in pieces:
                write_all(descriptor, piece)
            with suppress(OSError, AttributeError):  # none yet, another person's, or Windows
                before = os.stat(target)  # noqa: PTH116
                os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
                os.fchown(descriptor, before.st_uid, before.st_gid)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        remove(temporary)
        raise
    return temporary


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it: the system may take the bytes in pieces."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def write_at_end(descriptor: int, data: bytes, *, sync: bool = True) -> None:
    """Append and wait for the disk; if there is no room, leave the file as it was."""
    size = os.fstat(descriptor).st_size
    try:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    except BaseException:  # also when a person presses Ctrl-C
        os.ftruncate(descriptor, size)
        raise


def write_through(descriptor: int, data: bytes) -> None:
    """Write to what is open already, after what was printed before."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    write_all(descriptor, data)


def write_into(path: Path, data: bytes) -> None:
    """Write to a FIFO or a device; whoever reads it gets what there is."""
    descriptor = os.open(path, os.O_WRONLY | OURS)
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file that is not needed any more."""
    with suppress(OSError):
        os.unlink(path)  # noqa: PTH108


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of the files in a folder, or what is in a file.

    Windows has no such call for folders, and takes it only of those who may write a file.
    """
    if not POSIX and folder.is_dir():
        return
    descriptor = os.open(folder, (os.O_RDONLY if POSIX else os.O_RDWR) | OURS)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
