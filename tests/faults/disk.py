"""A disk that fails when it is told to, and remembers every write to cut the power after it.

Two layers are watched: the calls of ``os`` through which our own files are written, and the writes
of SQLite, whose table of file operations is exchanged for one of ours. Each write, truncation,
renaming, removal and wait for the disk is one operation. A ``Disk`` counts them, can let the n-th
fail, and keeps them for ``power_cuts``.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SQLITE_OK, SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC = 0, 13, 10 | 3 << 8, 10 | 4 << 8
SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_DELETE = 10 | 6 << 8, 10 | 10 << 8
MEMORY_OF_PROCESSES = "-shm"  # SQLite makes it anew


@dataclass(frozen=True)
class Operation:
    """Something that happened to a file."""

    kind: str  # write, truncate, sync, rename, link, remove, create
    path: str
    offset: int = 0
    data: bytes = b""
    other: str = ""
    names: tuple[str, ...] = ()  # of a folder that is waited for: all files in it


@dataclass
class Disk:
    """What was done to the files of a folder, and what is to fail."""

    folder: Path
    fail_at: int | None = None  # number of the operation, from 0
    error: int = errno.EIO
    lasting: bool = False  # all that follow fail too, until the disk is mended
    operations: list[Operation] = field(default_factory=list)
    attempts: int = 0
    failed: Operation | None = None
    acknowledged: list[tuple[int, Any]] = field(default_factory=list)
    forgets: str = ""  # "folders" or "files": the program leaves out to wait for these

    def watches(self, path: object) -> bool:
        return str(path).startswith(f"{self.folder}/") and MEMORY_OF_PROCESSES not in str(path)

    def attempt(self, operation: Operation) -> bool:
        """Count an operation; False: it fails."""
        number, self.attempts = self.attempts, self.attempts + 1
        due = self.fail_at is not None and (
            number == self.fail_at or (self.lasting and number > self.fail_at)
        )
        # A full disk still shortens, renames and removes.
        needs_room = operation.kind in ("write", "create", "link")
        if due and (needs_room or self.error != errno.ENOSPC):
            self.failed = self.failed or operation
            return False
        self.operations.append(operation)
        return True

    def mend(self) -> None:
        """From now on all goes well."""
        self.fail_at = None

    def acknowledge(self, what: Any) -> None:
        """Somebody was told that this is kept."""
        self.acknowledged.append((len(self.operations), what))

    def problem(self) -> OSError:
        return OSError(self.error, os.strerror(self.error))


# --- our own files -------------------------------------------------------------------------------


@contextmanager
def watched_calls(disk: Disk) -> Iterator[None]:
    """Let the calls of ``os`` pass through the disk."""
    real = {
        name: getattr(os, name)
        for name in ("write", "ftruncate", "fsync", "replace", "link", "unlink", "open")
    }

    def path_of(descriptor: int) -> str:
        with suppress(OSError):
            return str(Path(f"/proc/self/fd/{descriptor}").readlink())
        return ""

    def write(descriptor: int, data: Any) -> int:
        path = path_of(descriptor)
        if not disk.watches(path):
            return real["write"](descriptor, data)
        end = os.lseek(descriptor, 0, os.SEEK_CUR)
        if fcntl_appends(descriptor):
            end = os.fstat(descriptor).st_size
        if not disk.attempt(Operation("write", path, end, bytes(data))):
            half = bytes(data)[: len(data) // 2]  # some of it may have got there
            disk.operations.append(Operation("write", path, end, half))
            real["write"](descriptor, half)
            raise disk.problem()
        return real["write"](descriptor, data)

    def ftruncate(descriptor: int, length: int) -> None:
        path = path_of(descriptor)
        if disk.watches(path) and not disk.attempt(Operation("truncate", path, length)):
            raise disk.problem()
        real["ftruncate"](descriptor, length)

    def fsync(descriptor: int) -> None:
        waited = wait_for(disk, path_of(descriptor))
        if waited is not None and not disk.attempt(waited):
            raise disk.problem()

    def replace(source: Any, target: Any, **more: Any) -> None:
        named = Operation("rename", os.fspath(source), other=os.fspath(target))
        if disk.watches(target) and not disk.attempt(named):
            raise disk.problem()
        real["replace"](source, target, **more)

    def link(source: Any, target: Any, **more: Any) -> None:
        named = Operation("link", os.fspath(source), other=os.fspath(target))
        if disk.watches(target) and not disk.attempt(named):
            raise disk.problem()
        real["link"](source, target, **more)

    def unlink(path: Any, **more: Any) -> None:
        there = os.path.lexists(path)
        if disk.watches(path) and there and not disk.attempt(Operation("remove", str(path))):
            raise disk.problem()
        real["unlink"](path, **more)

    def opened(path: Any, flags: int, *more: Any, **others: Any) -> int:
        makes = flags & os.O_CREAT and (flags & os.O_TRUNC or not os.path.lexists(path))
        if makes and disk.watches(path) and not disk.attempt(Operation("create", str(path))):
            raise disk.problem()
        return real["open"](path, flags, *more, **others)

    fakes = {
        "write": write, "ftruncate": ftruncate, "fsync": fsync, "replace": replace,
        "link": link, "unlink": unlink, "open": opened,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, fake in fakes.items():
            patch.setattr(os, name, fake)
        yield


def wait_for(disk: Disk, path: str) -> Operation | None:
    """Return a wait for a file or a folder; None: for nothing of ours, or the program forgets."""
    is_folder = Path(path).is_dir()
    watched = disk.watches(path) or path == str(disk.folder)
    if not watched or disk.forgets == ("folders" if is_folder else "files"):
        return None
    return wait_for_folder(Path(path)) if is_folder else Operation("sync", path)


def wait_for_folder(folder: Path) -> Operation:
    """Return what makes the names of all files in a folder last; some were made unseen."""
    names = (str(each) for each in folder.iterdir() if each.is_file())
    kept = tuple(sorted(name for name in names if MEMORY_OF_PROCESSES not in name))
    return Operation("sync", str(folder), names=kept)


def fcntl_appends(descriptor: int) -> bool:
    import fcntl

    return bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND)


# --- SQLite --------------------------------------------------------------------------------------

Pointer = ctypes.c_void_p
OPEN = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, Pointer, Pointer, ctypes.c_int, Pointer)
DELETE = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, Pointer, ctypes.c_int)
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, Pointer, ctypes.c_int, ctypes.c_int64)
TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, ctypes.c_int64)
SYNC = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, ctypes.c_int)


class FileSystem(ctypes.Structure):
    """``sqlite3_vfs``, as far as it is used here; the rest is copied with it."""

    _fields_ = [
        ("version", ctypes.c_int), ("file_size", ctypes.c_int), ("longest_path", ctypes.c_int),
        ("following", Pointer), ("name", ctypes.c_char_p), ("data", Pointer),
        ("open", Pointer), ("delete", Pointer), ("others", Pointer * 14),
    ]  # fmt: skip


class FileMethods(ctypes.Structure):
    """``sqlite3_io_methods``."""

    _fields_ = [
        ("version", ctypes.c_int), ("close", Pointer), ("read", Pointer), ("write", Pointer),
        ("truncate", Pointer), ("sync", Pointer), ("others", Pointer * 13),
    ]  # fmt: skip


class WatchedSQLite:
    """A file system for SQLite that passes everything on, and tells a disk of it."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(_sqlite3.__file__)
        self.library.sqlite3_vfs_find.restype = Pointer
        self.library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
        self.library.sqlite3_vfs_register.argtypes = [Pointer, ctypes.c_int]
        self.library.sqlite3_vfs_unregister.argtypes = [Pointer]
        self.usual = self.library.sqlite3_vfs_find(None)
        self.system = FileSystem()
        ctypes.memmove(ctypes.byref(self.system), self.usual, ctypes.sizeof(FileSystem))
        self.really_open = OPEN(self.system.open)
        self.really_delete = DELETE(self.system.delete)
        self.disk: Disk | None = None
        self.paths: dict[int, str] = {}
        self.lasting: set[str] = set()  # logs whose names SQLite has waited for
        self.tables: dict[int, FileMethods] = {}
        self.kept: list[Any] = [OPEN(self.open), DELETE(self.delete)]
        self.system.name = b"watched"
        self.system.open = ctypes.cast(self.kept[0], Pointer).value
        self.system.delete = ctypes.cast(self.kept[1], Pointer).value

    def open(self, system: int, name: int | None, file: int, flags: int, out: int) -> int:
        # SQLite keeps the address of the name: it is passed on as it came.
        code = self.really_open(system, name, file, flags, out)
        place = Pointer.from_address(file)
        if code == SQLITE_OK and place.value:
            self.paths[file] = "" if name is None else os.fsdecode(ctypes.string_at(name))
            place.value = ctypes.addressof(self.methods(place.value))
        return code

    def methods(self, usual: int) -> FileMethods:
        """Return our table of file operations in place of another."""
        if usual not in self.tables:
            table = FileMethods()
            ctypes.memmove(ctypes.byref(table), usual, ctypes.sizeof(FileMethods))
            write, truncate, sync = WRITE(table.write), TRUNCATE(table.truncate), SYNC(table.sync)

            def our_write(file: int, data: int, count: int, offset: int) -> int:
                def named() -> Operation:
                    return Operation(
                        "write", self.paths[file], offset, ctypes.string_at(data, count)
                    )

                code = self.told(file, named, SQLITE_IOERR_WRITE)
                return code or write(file, data, count, offset)

            def our_truncate(file: int, length: int) -> int:
                def named() -> Operation:
                    return Operation("truncate", self.paths[file], length)

                return self.told(file, named, SQLITE_IOERR_TRUNCATE) or truncate(file, length)

            def our_sync(file: int, flags: int) -> int:
                def named() -> Operation:
                    return Operation("sync", self.paths[file])

                # Nothing here cuts the power in earnest: the disk itself need not be waited for.
                code = self.told(file, named, SQLITE_IOERR_FSYNC)
                if code == SQLITE_OK:
                    self.wait_for_new_name(self.paths.get(file, ""))
                return code

            ours = [WRITE(our_write), TRUNCATE(our_truncate), SYNC(our_sync)]
            self.kept += [*ours, sync]
            table.write, table.truncate, table.sync = (
                ctypes.cast(each, Pointer).value for each in ours
            )
            self.tables[usual] = table
        return self.tables[usual]

    def told(self, file: int, named: Any, code: int) -> int:
        disk = self.disk
        if disk is None or not disk.watches(self.paths.get(file, "")) or disk.attempt(named()):
            return SQLITE_OK
        return SQLITE_FULL if disk.error == errno.ENOSPC else code

    def wait_for_new_name(self, path: str) -> None:
        """With the first wait for a new log SQLite waits for the name of it; it asks for no more.

        That is what its file system for Unix does, below the operations that are exchanged here.
        """
        disk = self.disk
        is_log = path.endswith(("-wal", "-journal"))
        if disk is not None and disk.watches(path) and is_log and path not in self.lasting:
            self.lasting.add(path)
            disk.operations.append(wait_for_folder(Path(path).parent))

    def delete(self, system: int, name: int, sync: int) -> int:
        path, disk = os.fsdecode(ctypes.string_at(name)), self.disk
        watched = disk is not None and disk.watches(path) and os.path.lexists(path)
        if watched and disk is not None and not disk.attempt(Operation("remove", path)):
            return SQLITE_IOERR_DELETE
        code = self.really_delete(system, name, sync)
        self.lasting.discard(path)
        if watched and disk is not None and sync & 1:
            disk.operations.append(wait_for_folder(Path(path).parent))
        return code

    @contextmanager
    def watching(self, disk: Disk) -> Iterator[None]:
        self.disk = disk
        self.library.sqlite3_vfs_register(ctypes.addressof(self.system), 1)
        try:
            yield
        finally:
            self.library.sqlite3_vfs_register(self.usual, 1)
            self.disk = None


def watched_sqlite() -> WatchedSQLite:
    """Return the file system, or skip where SQLite cannot be reached from outside."""
    try:
        return WatchedSQLite()
    except (OSError, AttributeError) as problem:
        pytest.skip(f"the operations of this SQLite cannot be watched: {problem}")
