"""Where each game stands in a file of JSON lines, without reading the games themselves."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sandtable.errors import BrokenRecord
from sandtable.records.lines import FORMAT, FORMAT_VERSION, record_from_line
from sandtable.records.record import Record

__all__ = ["Places", "read_raw"]

MARK = f'{{"format":"{FORMAT}",'.encode()
# How every line begins that Sandtable has written: enough to know a game without reading it all.
HEAD = re.compile(
    re.escape(MARK + f'"format_version":{FORMAT_VERSION},"id":"'.encode()) + rb'([0-9a-f]+-[0-9]+)"'
)
BROKEN_OFF = b'"outcome":null'


def read_raw(raw: bytes, where: str) -> Record:
    """Read a record from the bytes of a line; only the last line of a file may lack its end."""
    if not raw.endswith(b"\n") and not raw.rstrip().endswith(b"}"):
        raise BrokenRecord(f"{where}: the last line is incomplete")
    try:
        return record_from_line(raw.decode(), where)
    except UnicodeDecodeError as problem:
        raise BrokenRecord(f"{where}: byte {problem.start + 1} is not UTF-8 text") from None


class Places:
    """What is known about a file: only ids and places are held in memory.

    The file may grow at any time through other processes; ``look`` reads what is new.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.forget()

    def forget(self) -> None:
        """Start afresh, as with a file that has not been looked at."""
        self.inode = -1
        self.looked_at = 0  # bytes from the beginning of the file, always whole lines
        self.line_count = 0
        self.starts: dict[str, int] = {}  # where the line of each game begins
        self.broken_off: dict[str, int] = {}  # how many actions each unfinished game has
        self.first_problem: BrokenRecord | None = None

    def look(self) -> None:
        """Take note of the lines that came since the last look."""
        if not self.path.exists():
            self.forget()
            return
        with self.path.open("rb") as handle:
            status = os.fstat(handle.fileno())
            if status.st_ino != self.inode or status.st_size < self.looked_at:
                self.forget()  # another file has taken its place
                self.inode = status.st_ino
            handle.seek(self.looked_at)
            for raw in handle:
                whole = raw.endswith(b"\n")
                if raw.strip():
                    self.note(raw, whole)
                if whole:  # half a line is looked at again: it may just be being written
                    self.looked_at += len(raw)
                    self.line_count += 1

    def note(self, raw: bytes, whole: bool) -> None:
        """Take note of one line."""
        head = HEAD.match(raw)
        action_count: int | None = None
        if whole and head and raw.count(MARK) == 1 and BROKEN_OFF not in raw:
            identity = head[1].decode()
        else:
            try:
                record = read_raw(raw, f"{self.path}:{self.line_count + 1}")
            except BrokenRecord as problem:
                if whole and self.first_problem is None:
                    self.first_problem = problem
                return
            identity = record.identity
            action_count = unfinished_actions(record)
        if identity not in self.starts or self.is_worse(identity, action_count):
            self.starts[identity] = self.looked_at
            self.broken_off.pop(identity, None)
            if action_count is not None:
                self.broken_off[identity] = action_count

    def is_worse(self, identity: str, action_count: int | None) -> bool:
        """Say whether a game should make way for one with so many actions (None: finished)."""
        known = self.broken_off.get(identity)
        return known is not None and (action_count is None or action_count > known)

    def wants(self, identity: str, record: Record) -> bool:
        """Say whether a record belongs into the file, as a new game or in place of a piece."""
        return identity not in self.starts or self.is_worse(identity, unfinished_actions(record))


def unfinished_actions(record: Record) -> int | None:
    """Return how many actions a broken-off game has; None for a finished one."""
    return len(record.actions) if record.outcome is None else None
