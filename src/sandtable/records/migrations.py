"""The versions of the archive's tables: newer ones are refused, older ones are brought up to date.

Each step leads from one version to the next, in one transaction with its new version number, so
that an archive is never between two of them.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sandtable.errors import ArchiveError
from sandtable.records.schema import SCHEMA_VERSION, metadata, schema

__all__ = ["create_tables", "found_version", "insert_for", "upgrade"]

# From version 1 to 2: when an experiment was first stored; forfeits and long games are searched.
TO_VERSION_2 = (
    "ALTER TABLE experiments ADD COLUMN added TEXT",
    "CREATE INDEX games_by_forfeit ON games (forfeited_by)",
    "CREATE INDEX games_by_length ON games (action_count)",
)
STEPS = {1: TO_VERSION_2}  # by the version they start from

LOCK_NUMBER = 5_364_214_712  # of the lock in a server under which tables are made and changed


def insert_for(connection: Connection) -> type[sqlite.Insert] | type[postgresql.Insert]:
    """Return the kind of INSERT that this database understands."""
    return postgresql.Insert if connection.dialect.name == "postgresql" else sqlite.Insert


def lock(connection: Connection) -> None:
    """Keep other processes from changing tables; a file is locked by its transaction."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})")


def create_tables(connection: Connection) -> None:
    """Make the tables in an empty database; another process may have been quicker."""
    lock(connection)
    metadata.create_all(connection)
    if connection.scalar(select(schema.c.schema_version)) is None:
        connection.execute(schema.insert().values(schema_version=SCHEMA_VERSION))


def found_version(connection: Connection, place: str) -> int:
    """Return the version of an archive; refuse what is none, or what is newer than we are."""
    if not inspect(connection).has_table(schema.name):
        raise ArchiveError(f"archive {place}: this database is not an archive of Sandtable")
    versions = list(connection.scalars(select(schema.c.schema_version)))
    if len(versions) != 1 or not isinstance(versions[0], int):
        raise ArchiveError(f"archive {place}: the version of its schema cannot be read")
    if versions[0] > SCHEMA_VERSION:
        raise ArchiveError(
            f"archive {place}: a newer Sandtable has written it (schema {versions[0]}, this one "
            f"knows {SCHEMA_VERSION}); update Sandtable to use it"
        )
    if versions[0] < min(STEPS):
        raise ArchiveError(f"archive {place}: there is no schema {versions[0]}")
    return versions[0]


def upgrade(connection: Connection, place: str) -> int:
    """Bring the tables up to date, step by step; return the version they have then."""
    lock(connection)
    version = found_version(connection, place)  # another process may have been quicker
    while version < SCHEMA_VERSION:
        for statement in STEPS[version]:
            connection.exec_driver_sql(statement)
        version += 1
        connection.execute(update(schema).values(schema_version=version))
    return version
