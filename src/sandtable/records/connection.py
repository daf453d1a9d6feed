"""How a database is opened for several processes at once, and its errors in plain words.

An archive is a SQLite file, or a PostgreSQL server that is named by a URL.
"""

from __future__ import annotations

import os
import re
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

from sandtable.errors import ArchiveError, MissingExtra
from sandtable.records.lines import one_line
from sandtable.records.strangers import distrust

__all__ = ["Place", "clear_errors", "name_of", "open_engine", "place_of", "use_write_ahead_log"]

Place = Path | URL  # a file, or a database on a server

SECONDS_TO_WAIT = 30.0  # for another process that is writing

# It may hold a password: nothing of what was written is repeated.
NO_URL = (
    "that is no URL of a database; write a file, sqlite:///FILE or "
    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
)

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


# What psycopg says about a server, and what that means.
SERVER_MEANINGS = (
    ("Connection refused", "no server answers there"),
    ("No such file or directory", "no server answers there"),
    ("could not translate host name", "there is no such host"),
    ("resolve host", "there is no such host"),
    ("password authentication failed", "the server does not accept this name and password"),
    ("no password supplied", "the server wants a password"),
    ("does not exist", "the server does not know it"),
    ("permission denied", "this user may not do that"),
    ("read-only transaction", "it can only be read"),
    ("No space left", "the server's disk is full"),
    ("terminat", "the server has ended the connection"),
    ("server closed the connection", "the server has ended the connection"),
)


# Text that could hold a password although it is no URL: a name and another before an @, as a URL
# without its slashes has them, or a password by its name, as in the lists that libpq takes.
COULD_BE_SECRET = re.compile(r":.*@|@.*@|pass\w*\s*=", re.IGNORECASE | re.DOTALL)


def place_of(path_or_url: str | Path) -> Place:
    """Return the file or the server that a path or a URL means.

    What is neither, and could hold a password, is refused without being repeated.
    """
    text = str(path_or_url)
    if "://" not in text:
        mistyped = text.lower().startswith("postgres") and "@" in text
        if (mistyped or COULD_BE_SECRET.search(text)) and not is_there(text):
            raise ArchiveError(NO_URL)
        return Path(text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # a port that is no number, for one
        raise ArchiveError(NO_URL) from None
    kind = url.get_backend_name().lower()
    if kind != "sqlite" and holds_more_of_a_password(url):
        raise ArchiveError(NO_URL)
    if kind in ("postgresql", "postgres") and url.database:
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite" or not url.database or url.database == ":memory:":
        raise ArchiveError(
            "a database is a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE; "
            f"got '{one_line(name_of(url))}'"
        )
    return Path(url.database)


def is_there(text: str) -> bool:
    """Say whether there is a file of that name."""
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # longer than a name can be, or with letters no name has
        return False


def holds_more_of_a_password(url: URL) -> bool:
    """Say whether what was read as host or database may be the end of a password.

    An @ or a / in a password has to be written %40 or %2F; otherwise it ends too early.
    """
    parts = (url.username, url.host, url.database)
    return any("@" in part or COULD_BE_SECRET.search(part) for part in parts if part)


def name_of(place: Place) -> str:
    """Return what we call a place in front of people: without its password, wherever that stands.

    >>> name_of(place_of("postgresql://me:secret@host/games?sslpassword=other"))
    'postgresql://me:***@host/games'
    """
    if isinstance(place, Path):
        return str(place)
    plain = place.set(drivername="postgresql") if place.drivername.startswith("post") else place
    return plain.set(query={}).render_as_string(hide_password=True)


def without_secrets(place: Place, said: str) -> str:
    """Return what a library says about a place, without what only its user may know.

    >>> place = place_of("postgresql://me:s%40cr+et@host/games?sslpassword=a+b")
    >>> without_secrets(place, "s%40cr+et, s@cr et, s%40cr%20et, %73@cr+et, a+b, a b")
    '***, ***, ***, ***, ***, ***'
    """
    if isinstance(place, Path):
        return said
    secrets = [str(place.password or "")]
    for name, values in place.normalized_query.items():
        if "pass" in name.lower():
            secrets += values
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        for each in (secret, secret.replace("+", " ")):  # some read + in a URL as a space
            said = re.sub("".join(map(letter_in_urls, each)), "***", said)
    return said


def letter_in_urls(letter: str) -> str:
    """Return a pattern for a letter as it is, or as a URL may have it."""
    encoded = "".join(f"%{byte:02x}" for byte in letter.encode("utf-8", "surrogatepass"))
    space = r"|\+" if letter == " " else ""
    return f"(?:{re.escape(letter)}|(?i:{encoded}){space})"


def open_engine(place: Place) -> Engine:
    """Return an engine for a file or a server; nothing is opened yet."""
    return file_engine(place) if isinstance(place, Path) else server_engine(place)


def server_engine(url: URL) -> Engine:
    """Return an engine for a PostgreSQL server."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtra("a database on a PostgreSQL server", "postgres") from None
    arguments = {"connect_timeout": 10, "application_name": "sandtable"}
    return create_engine(url, connect_args=arguments, poolclass=NullPool)


def file_engine(path: Path) -> Engine:
    """Return an engine for a file."""
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
    distrust(connection)
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
def clear_errors(place: Place) -> Iterator[None]:
    """Turn what the database or the system reports into one line."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as problem:
        origin = problem.orig if isinstance(problem, DBAPIError) else problem
        said = without_secrets(place, str(origin))
        raise ArchiveError(f"archive {name_of(place)}: {reason(place, said)}") from problem


def reason(place: Place, said: str) -> str:
    """Say in plain words why an archive cannot be used.

    >>> reason(make_url("postgresql://host/name"), "Connection refused\\n\\tIs it running?")
    'no server answers there (Connection refused Is it running?)'
    """
    said = " ".join(said.split())  # a server may say several lines
    if isinstance(place, Path) and not place.parent.exists():
        return f"there is no folder {place.parent}"
    if isinstance(place, Path) and place.is_dir():
        return "this is a folder"
    for words, meaning in MEANINGS if isinstance(place, Path) else SERVER_MEANINGS:
        if words in said:
            return f"{meaning} ({one_line(said)})"
    return one_line(said)
