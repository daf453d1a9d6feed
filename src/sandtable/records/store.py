"""Where games are kept: a file of JSON lines or an archive, chosen by the ending of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from sandtable.errors import MissingExtra
from sandtable.records.files import Finding, RecordFile
from sandtable.records.record import Annotations, Record

__all__ = ["Store", "open_store", "without_database"]

LINES_ENDING = ".jsonl"
DATABASE_LIBRARY = "sqlalchemy"


class Store(Protocol):
    """What files and archives can both do. Games are known by their ids and stored once."""

    def add(self, records: Iterable[Record]) -> int:
        """Store the games that are not there yet; return how many those were."""
        ...

    def check_writable(self) -> None:
        """Raise an error now if games could not be stored later."""
        ...

    def annotate(self, identity: str, change: Callable[[Annotations], Annotations]) -> None:
        """Put what ``change`` makes of the annotations of a game in their place."""
        ...

    def get(self, identity: str) -> Record | None:
        """Return the game of this id, or None."""
        ...

    def known_numbers(self, experiment: str) -> set[int]:
        """Return the numbers of the finished games of an experiment: those need no playing."""
        ...

    def records(self) -> Iterator[Record]:
        """Return all games one by one; raise BrokenRecord at the first that cannot be read."""
        ...

    def scan(self) -> Iterator[Finding]:
        """Return all there is one by one, also what cannot be read."""
        ...

    def identities(self) -> Iterator[str]:
        """Return the ids of all games."""
        ...

    def count(self) -> int:
        """Return how many games there are."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def without_database(problem: ModuleNotFoundError) -> Exception:
    """Return what to raise where the library of databases is not installed.

    >>> without_database(ModuleNotFoundError(name="sqlalchemy")).args[0][:55]
    "a database of games or leagues needs the extra 'archive"
    """
    if (problem.name or "").partition(".")[0] != DATABASE_LIBRARY:
        return problem
    return MissingExtra("a database of games or leagues", "archive")


def open_store(path: str, *, create: bool = True) -> Store:
    """Open a file that ends in .jsonl as JSON lines and any other as an archive.

    With ``create`` a file that is not there is made when it is needed; without, it is an error.
    An archive needs the extra ``archive``; without it MissingExtra says so.
    """
    if path.lower().endswith(LINES_ENDING):
        return RecordFile(Path(path), create=create)
    try:
        from sandtable.records.archive import Archive
    except ModuleNotFoundError as problem:
        raise without_database(problem) from None
    return Archive.open(path, create=create)
