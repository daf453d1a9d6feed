"""How a SQLite file is opened for several processes at once, and its errors in plain words."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from sandtable.errors import ArchiveError
from sandtable.records.lines import one_line

__all__ = ["clear_errors", "file_of", "open_engine", "use_write_ahead_log"]

SECONDS_TO_WAIT = 30.0  # for another process that is writing

# What SQLite says, and what that means for a person.
MEANINGS = (
    ("file is not a database", "this file is not a database"),
    ("malformed", "the database is damaged"),
    ("readonly", "it can only be read"),
    ("read-only", "it can only be read"),
    ("is full", "the disk is full"),
    ("locked", f"another process has kept it locked for {SECONDS_TO_WAIT:g} s"),
    ("I/O error", "the disk cannot be read or written"),
    ("unable to open", "the file cannot be opened or made there"),
    ("no such table", "it is not an archive of Sandtable, or damaged"),
)


def file_of(path_or_url: str | Path) -> Path:
    """Return the file that a path or a URL (sqlite:///FILE) means."""
    text = str(path_or_url)
    if "://" not in text:
        return Path(text)
    try:
        url = make_url(text)
    except ArgumentError:
        raise ArchiveError(
            f"'{one_line(text)}' is no URL; write a file or sqlite:///FILE"
        ) from None
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        hidden = url.render_as_string(hide_password=True)
        raise ArchiveError(f"an archive is a file or sqlite:///FILE; got '{one_line(hidden)}'")
    return Path(url.database)


def open_engine(path: Path) -> Engine:
    """Return an engine for a file; nothing is opened yet."""
    query = {"uri": "true"}
    if path.exists() and not os.access(path.parent, os.W_OK):
        # On a medium that cannot be written SQLite cannot keep its log, and needs none.
        log = path.with_name(path.name + "-wal")
        query |= {"mode": "ro"} if log.exists() else {"mode": "ro", "immutable": "1"}
    database = "file:" + quote(str(path.absolute()))
    # No connection is kept between calls: a process that forks must not pass one on.
    engine = create_engine(
        URL.create("sqlite", database=database, query=query),
        connect_args={"timeout": SECONDS_TO_WAIT},
        poolclass=NullPool,
    )
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", begin)
    return engine


def prepare(connection: sqlite3.Connection, record: Any) -> None:
    """Set up a new connection: we begin transactions ourselves, and a commit waits for the disk."""
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")


def begin(connection: Connection) -> None:
    """Begin a transaction; writers ask for IMMEDIATE, so that they wait at the start only."""
    kind = connection.get_execution_options().get("begin", "DEFERRED")
    if kind:
        connection.exec_driver_sql(f"BEGIN {kind}")


def use_write_ahead_log(engine: Engine) -> None:
    """Let readers read while a writer writes; the file remembers it.

    SQLite does not wait here while another process has the file open, so we do.
    """
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while True:
        try:
            with engine.connect().execution_options(begin=None) as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            return
        except OperationalError as problem:
            if "locked" not in str(problem.orig) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turn what the database or the system reports into one line."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as problem:
        origin = problem.orig if isinstance(problem, DBAPIError) else problem
        raise ArchiveError(f"archive {path}: {reason(path, str(origin))}") from problem


def reason(path: Path, said: str) -> str:
    """Say in plain words why an archive cannot be used."""
    if not path.parent.exists():
        return f"there is no folder {path.parent}"
    if path.is_dir():
        return "this is a folder"
    for words, meaning in MEANINGS:
        if words in said:
            return f"{meaning} ({one_line(said)})"
    return one_line(said)
