"""Files that somebody else made: what is looked at before anything in them is used.

The text by which a SQLite file says what its tables are is a program: views and triggers, computed
columns, checks, indexes over expressions, what is to happen to rows in each other's way. An archive
has tables and indexes as we make them, word for word, or is not used.
"""

from __future__ import annotations

import re
import sqlite3
from functools import cache, lru_cache

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from sandtable.records.lines import one_line
from sandtable.records.schema import SCHEMA_VERSION, metadata, schema

__all__ = ["distrust"]

SETTINGS = (("DEFENSIVE", True), ("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False))
MOST_BYTES = 1 << 28  # of a text in a file, or of one that it makes us compute
LONGEST = 5_000  # letters of what a table is; ours have a few hundred
STATISTICS = "CREATE TABLE sqlite_stat1(tbl,idx,stat)"  # plain figures: somebody ran ANALYZE
WORD = re.compile(r"\w+|[^\w\s]")
SINCE_VERSION_2 = ", ADDED TEXT"
WAY_OUT = "ask for the games as JSON lines (sandtable archive export)"


def distrust(connection: sqlite3.Connection) -> None:
    """Let nothing that somebody wrote into a file run here, or raise an error."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    if hasattr(connection, "setconfig"):  # from Python 3.12 on
        for setting, value in SETTINGS:
            connection.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{setting}"), value)
    found = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    for kind, name, text in found:
        words = str(text or "").upper().split(maxsplit=2)
        if kind in ("view", "trigger") or words[:2] == ["CREATE", "VIRTUAL"]:
            known_as = "virtual table" if kind == "table" else kind
            raise sqlite3.DatabaseError(
                f"it holds a {known_as} '{shown(name)}', which no archive has, and is not used; "
                + WAY_OUT
            )
    if any(name == schema.name for _, name, _ in found):  # any other file is refused as none
        compare(connection, found)


def compare(connection: sqlite3.Connection, found: list[tuple[str, str, str | None]]) -> None:
    """Raise an error unless all is as some version of ours has made it."""
    ours = made_by_us()
    # What says the version comes first: of a newer one we cannot know what it makes.
    for kind, name, text in sorted(found, key=lambda each: each[1] != schema.name):
        if text is None and kind == "index" and str(name).startswith("sqlite_autoindex_"):
            continue  # it goes with its table
        if text is None or len(text) > LONGEST or words_of(text) not in ours.get(name, ()):
            raise sqlite3.DatabaseError(
                f"its {shown(kind)} '{shown(name)}' is not as an archive has it, and the file is "
                f"not used; drop it if you have added it, or {WAY_OUT}"
            )
        if name == schema.name:
            query = f"SELECT MAX(schema_version) FROM {schema.name}"
            version = connection.execute(query).fetchone()[0]
            if isinstance(version, int) and version > SCHEMA_VERSION:
                raise sqlite3.DatabaseError(
                    f"a newer Sandtable has written it (schema {version}, this one knows "
                    f"{SCHEMA_VERSION}); update Sandtable to use it"
                )


@cache
def made_by_us() -> dict[str, set[str]]:
    """Return for every table and index, by name, how all versions of Sandtable make it.

    >>> sorted(made_by_us()["games_by_length"])
    ['CREATE INDEX GAMES_BY_LENGTH ON GAMES ( ACTION_COUNT )']
    """
    known = {"sqlite_stat1": {words_of(STATISTICS)}}
    dialect = sqlite.dialect()
    for table in metadata.tables.values():
        text = words_of(str(CreateTable(table).compile(dialect=dialect)))
        known[table.name] = {text, text.replace(f" {SINCE_VERSION_2}", "")}
        for index in table.indexes:
            known[str(index.name)] = {words_of(str(CreateIndex(index).compile(dialect=dialect)))}
    return known


@lru_cache(maxsize=64)
def words_of(text: str) -> str:
    """Return what makes a table without how it is set.

    >>> words_of("create table one (\\n\\tnumber INTEGER)")
    'CREATE TABLE ONE ( NUMBER INTEGER )'
    """
    return " ".join(WORD.findall(text)).upper()


def shown(name: object) -> str:
    """Return a name from the file as it can stand in a line."""
    return one_line(str(name))[:50]
