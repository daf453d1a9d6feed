"""Records in files of JSON lines: one game a line, each game once, never half a game.

Whoever appends holds a lock on the file, so several processes can write to one file. A process
that is killed while it writes can leave half a line at the end; readers leave it out with a
warning, and the next writer moves it aside. A game that was broken off may be stored, and makes
way for its finished self (or for a longer piece): then the file is written anew beside the old
one and takes its place in one step.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sandtable.errors import ArchiveError, BrokenRecord
from sandtable.files import sync_folder, take_place, write_at_end, write_beside
from sandtable.records.lines import record_from_line, record_to_line
from sandtable.records.places import Places, read_raw
from sandtable.records.record import Annotations, Record
from sandtable.system import POSIX
from sandtable.system.locks import lock_file

__all__ = [
    "Finding",
    "RecordFile",
    "append_records",
    "best_of_each",
    "read_records",
    "record_from_line",
    "record_to_line",
]


PIECE = 1 << 20  # bytes written at a time


class Finding(NamedTuple):
    """What stands in one place of a file or archive: a record, or what is wrong with it."""

    where: str
    record: Record | None
    problem: BrokenRecord | None


def read_records(path: Path) -> Iterator[Record]:
    """Read the games of a file one by one, each once; raise BrokenRecord at the first bad line."""
    return RecordFile(path, create=False).records()


def append_records(path: Path, records: Iterable[Record]) -> int:
    """Append the games that the file does not hold yet; return how many those were.

    When this returns, the games are on the disk. Whoever appends again and again to a large file
    should keep one RecordFile and use its ``add``, which looks only at what is new in the file.
    """
    return RecordFile(path).add(records)


class RecordFile:
    """A file of JSON lines as a store of records."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self.target = Path(os.path.realpath(path))  # a link stays a link when we write anew
        self.places = Places(path)
        if not create and not path.exists():
            raise ArchiveError(f"there is no file {path}")

    def close(self) -> None:
        """Nothing is held open between calls."""

    def records(self) -> Iterator[Record]:
        """Return the games one by one, each once."""
        self.look()
        starts = dict(self.places.starts)
        for start, where, raw in self.lines():
            try:
                record = read_raw(raw, where)
            except BrokenRecord as problem:
                if raw.endswith(b"\n"):
                    raise
                warnings.warn(f"{problem}; it is left out", stacklevel=2)
                return
            if starts.get(record.identity, start) == start:
                yield record

    def scan(self) -> Iterator[Finding]:
        """Return all there is, also the broken lines, and games that stand there twice."""
        seen = set()
        for _, where, raw in self.lines():
            try:
                record = read_raw(raw, where)
                if record.identity in seen:
                    raise BrokenRecord(f"{where}: game {record.identity} stands in this file twice")
            except BrokenRecord as problem:
                yield Finding(where, None, problem)
                continue
            seen.add(record.identity)
            yield Finding(where, record, None)

    def get(self, identity: str) -> Record | None:
        """Return the game of this id, or None."""
        self.look()
        if identity not in self.places.starts:
            return None
        with self.clear_errors("read"), self.path.open("rb") as handle:
            handle.seek(self.places.starts[identity])
            return read_raw(handle.readline(), f"{self.path}, game {identity}")

    def identities(self) -> Iterator[str]:
        """Return the ids of all games in the order of the file."""
        self.look()
        return iter(list(self.places.starts))

    def count(self) -> int:
        """Return how many games there are."""
        self.look()
        return len(self.places.starts)

    def known_numbers(self, experiment: str) -> set[int]:
        """Return the numbers of the finished games of an experiment."""
        self.look()
        finished = self.places.starts.keys() - self.places.broken_off.keys()
        split = (identity.rpartition("-") for identity in finished)
        return {int(number) for name, _, number in split if name == experiment}

    def add(self, records: Iterable[Record]) -> int:
        """Append the games that are not there yet; return how many those were.

        All records are taken before the file is touched, so they may come from a generator that
        takes its time or fails. A finished game takes the place of a broken-off one.
        """
        best = best_of_each(records)
        lines = {name: record_to_line(record).encode() + b"\n" for name, record in best.items()}
        with self.locked() as handle:
            wanted = [name for name in best if self.places.wants(name, best[name])]
            starts = self.places.starts
            replaced = {starts[name] for name in wanted if name in starts}
            data = b"".join(lines[name] for name in wanted)
            if replaced:
                self.write_anew(handle, replaced, data)
            elif data:
                write_at_end(handle.fileno(), data)
            self.look()
        return len(wanted)

    def annotate(self, identity: str, change: Callable[[Annotations], Annotations]) -> None:
        """Put what ``change`` makes of the annotations of a game in their place."""
        with self.locked() as handle:
            record = self.get(identity)
            if record is None:
                raise ArchiveError(f"{self.path} holds no game '{identity}'")
            changed = replace(record, annotations=change(record.annotations))
            line = record_to_line(changed).encode() + b"\n"
            self.write_anew(handle, {self.places.starts[identity]}, line)
            self.look()

    def check_writable(self) -> None:
        """Raise an error now if games could not be appended later."""
        with self.locked():
            pass

    def look(self) -> None:
        """Take note of what is new in the file."""
        with self.clear_errors("read"):
            self.places.look()

    def lines(self) -> Iterator[tuple[int, str, bytes]]:
        """Return where each line begins, its name for errors, and its bytes; no empty lines."""
        if not self.path.exists():
            return
        start = 0
        with self.clear_errors("read"), self.path.open("rb") as handle:
            for number, raw in enumerate(handle, start=1):
                if raw.strip():
                    yield start, f"{self.path}:{number}", raw
                start += len(raw)

    @contextmanager
    def locked(self) -> Iterator[BinaryIO]:
        """Open the file for one writer, looked at and repaired."""
        with self.clear_errors("write"), self.one_writer():
            created = not self.target.exists()
            with self.open_locked() as handle:
                if created:
                    sync_folder(self.target.parent)
                self.places.look()
                if self.places.first_problem:
                    raise self.places.first_problem
                self.repair(handle)
                yield handle

    @contextmanager
    def one_writer(self) -> Iterator[None]:
        """Hold the lock of a file beside it on Windows, where nothing that is open is replaced."""
        if POSIX:
            yield
            return
        with self.target.with_name(f".{self.target.name}.lock").open("ab") as beside:
            lock_file(beside, wait=True)
            yield

    def open_locked(self) -> BinaryIO:
        """Open the file and wait for its lock; make sure it is still the file of that name."""
        while True:
            # Nothing is buffered: what could not be written must not be written later.
            handle = self.target.open("a+b", buffering=0)
            lock_file(handle, wait=True)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle.fileno()), self.target.stat()):
                    return handle
            handle.close()  # another writer has put a new file in its place

    def repair(self, handle: BinaryIO) -> None:
        """Give the last line its end, or move it aside if it is half a line."""
        handle.seek(self.places.looked_at)
        rest = handle.read()
        if not rest:
            return
        try:
            read_raw(rest, "")
        except BrokenRecord:
            aside = self.target.with_name(self.target.name + ".incomplete")
            with aside.open("ab", buffering=0) as other:
                write_at_end(other.fileno(), rest + b"\n")
            os.ftruncate(handle.fileno(), self.places.looked_at)
            os.fsync(handle.fileno())
            warnings.warn(
                f"{self.path} ended in half a line (its writer was stopped), now in {aside.name}",
                stacklevel=2,
            )
        else:
            write_at_end(handle.fileno(), b"\n")
            self.places.look()

    def write_anew(self, handle: BinaryIO, without: set[int], data: bytes) -> None:
        """Write the file without the lines at some places and with new ones, all or nothing."""
        temporary = write_beside(self.target, self.pieces(without, data))
        if not POSIX:
            handle.close()  # the lock beside it stays
        take_place(temporary, self.target)

    def pieces(self, without: set[int], data: bytes) -> Iterator[bytes]:
        """Return the file without the lines at some places and with new ones, in large pieces."""
        start, piece = 0, bytearray()
        with self.target.open("rb") as old:
            for raw in old:
                if start not in without:
                    piece += raw
                start += len(raw)
                if len(piece) > PIECE:
                    yield bytes(piece)
                    piece.clear()
        yield bytes(piece) + data

    @contextmanager
    def clear_errors(self, doing: str) -> Iterator[None]:
        """Turn what the system reports into one line."""
        try:
            yield
        except OSError as problem:
            reason = problem.strerror or str(problem)
            if not self.path.parent.exists():
                reason = f"there is no folder {self.path.parent}"
            raise ArchiveError(f"cannot {doing} {self.path}: {reason}") from problem


def best_of_each(records: Iterable[Record]) -> dict[str, Record]:
    """Return one record for each game: a finished one if there is one, or the longest piece."""
    best: dict[str, Record] = {}
    for record in records:
        identity = record.identity
        known = best.get(identity)
        if known is None or (known.outcome is None and rank(record) > rank(known)):
            best[identity] = record
    return best


def rank(record: Record) -> tuple[bool, int]:
    """Order the pieces of one game: a finished one is best, then the one with more actions."""
    return record.outcome is not None, len(record.actions)
