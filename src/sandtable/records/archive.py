"""Records in a database for search: a SQLite file or a PostgreSQL server, through SQLAlchemy.

Several processes can write at once: a writer waits for the one before it. ``add`` is one
transaction, and a game has one row by its key, so nothing is stored twice or half.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, func, inspect, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from sandtable.errors import ArchiveError, BrokenRecord
from sandtable.records.connection import (
    Place,
    clear_errors,
    name_of,
    open_engine,
    place_of,
    use_write_ahead_log,
)
from sandtable.records.files import Finding, best_of_each
from sandtable.records.lines import (
    LARGEST_NUMBER,
    READER,
    WRITER,
    record_fields,
    record_from_fields,
)
from sandtable.records.queries import (
    ExperimentFacts,
    Played,
    Wanted,
    experiment_facts,
    played_games,
)
from sandtable.records.record import Annotations, Record
from sandtable.records.schema import (
    SCHEMA_VERSION,
    add_or_replace,
    experiment_fields,
    experiment_row,
    experiments,
    game_fields,
    game_row,
    games,
    metadata,
    narrowed,
    player_rows,
    players,
    schema,
)

__all__ = ["Archive", "create_tables", "insert_for", "stored_version", "upgrade"]

PAGE = 500  # rows read at a time, so that no reading transaction stays open for long

# From version 1 to 2: when an experiment was first stored; forfeits and long games are searched.
TO_VERSION_2 = (
    "ALTER TABLE experiments ADD COLUMN added TEXT",
    "CREATE INDEX games_by_forfeit ON games (forfeited_by)",
    "CREATE INDEX games_by_length ON games (action_count)",
)
STEPS = {1: TO_VERSION_2}  # by the version they start from

LOCK_NUMBER = 5_364_214_712  # of the lock in a server under which tables are made and changed


class Archive:
    """An archive of records in one database."""

    def __init__(self, engine: Engine, place: Place) -> None:
        self.engine = engine
        self.place = place
        self.path = place if isinstance(place, Path) else name_of(place)  # as people know it
        self.version = SCHEMA_VERSION  # of the tables that are there

    @classmethod
    def open(cls, path_or_url: str | Path, create: bool = True) -> Archive:
        """Open an archive, or make a new one; an ArchiveError says why it cannot be used."""
        place = place_of(path_or_url)
        if not create and isinstance(place, Path) and not place.exists():
            raise ArchiveError(f"there is no archive {place}")
        archive = cls(open_engine(place), place)
        try:
            archive.set_up(create)
        except BaseException:
            archive.close()
            raise
        return archive

    def set_up(self, create: bool) -> None:
        """Create the tables in an empty database; check and renew them in any other."""
        with self.reading() as connection:
            empty = not inspect(connection).get_table_names()
        if empty and create:
            if isinstance(self.place, Path):
                with clear_errors(self.place):
                    use_write_ahead_log(self.engine)
            with self.writing() as connection:
                create_tables(connection)
        with self.reading() as connection:
            self.version = stored_version(connection, str(self.path))
        if self.version < SCHEMA_VERSION and self.can_be_written():
            with self.writing() as connection:
                self.version = upgrade(connection, str(self.path))

    def can_be_written(self) -> bool:
        """Say whether we may change the place at all; one that we may only read stays as it is."""
        place = self.place
        return not isinstance(place, Path) or (
            os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)
        )

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that has the right to write from its first moment."""
        with clear_errors(self.place), self.engine.connect() as connection:
            connection.execution_options(begin="IMMEDIATE")
            with connection.begin():
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with clear_errors(self.place), self.engine.connect() as connection, connection.begin():
            yield connection

    def check_writable(self) -> None:
        """Raise an error now if games could not be added later."""
        with self.writing() as connection:
            connection.execute(schema.insert().values(schema_version=SCHEMA_VERSION))
            connection.rollback()

    def add(self, records: Iterable[Record]) -> int:
        """Add the games that are not there yet, all or none; return how many those were.

        A finished game takes the place of a broken-off one, and so does a longer piece.
        """
        rows: list[dict[str, Any]] = []
        shared: dict[str, dict[str, Any]] = {}  # by experiment: the fields of one of its games
        for record in best_of_each(records).values():
            fields = record_fields(record)
            rows.append(game_row(fields, len(record.actions)))
            shared.setdefault(fields["experiment"], fields)
        if not rows:
            return 0
        with self.writing() as connection:
            connection.execution_options(preserve_rowcount=True)  # a server keeps it on demand
            insert = insert_for(connection)
            unless_known = insert(experiments).on_conflict_do_nothing()
            for name in sorted(shared):  # always in one order: writers must not wait in a circle
                if connection.execute(unless_known, experiment_row(shared[name])).rowcount:
                    connection.execute(players.insert(), player_rows(shared[name]))
            rows.sort(key=lambda row: (row["experiment"], row["number"]))
            due = self.count_with(connection, rows)
            added = connection.execute(add_or_replace(insert), rows).rowcount
            self.verify(connection, rows)
            if due is not None and count_games(connection) != due:
                raise ArchiveError(
                    f"archive {self.path}: other games were lost when some were written; nothing "
                    "was added"
                )
            return added

    def count_with(self, connection: Connection, rows: list[dict[str, Any]]) -> int | None:
        """Return how many games there will be with these; None: others write at the same time."""
        if not isinstance(self.place, Path):
            return None
        keys = select(games.c.experiment, games.c.number)
        known = sum(len(list(connection.execute(page))) for _, page in in_pages(keys, rows))
        return count_games(connection) + len(rows) - known

    def annotate(self, identity: str, change: Callable[[Annotations], Annotations]) -> None:
        """Put what ``change`` makes of the annotations of a game in their place."""
        experiment, _, number = identity.rpartition("-")
        if self.get(identity) is None:
            raise ArchiveError(f"archive {self.path}: there is no game '{identity}'")
        here = (games.c.experiment == experiment) & (games.c.number == int(number))
        with self.writing() as connection:
            text = connection.scalar(select(games.c.annotations).where(here))
            changed = change(READER.decode(text or "{}"))
            new = update(games).where(here).values(annotations=WRITER.encode(dict(changed)))
            connection.execute(new)

    def verify(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        """Make sure before the end of a transaction that all games are there as they are told."""
        for page, query in in_pages(select(*games.c), rows):
            stored = {(row.experiment, row.number): row for row in connection.execute(query)}
            for row in page:
                there = stored.get((row["experiment"], row["number"]))
                same = there is not None and there._mapping == row
                if there is None or (not same and there.scores is None and row["scores"]):
                    raise ArchiveError(
                        f"archive {self.path}: game {row['experiment']}-{row['number']} is not "
                        "there after it was written; nothing was added"
                    )

    def get(self, identity: str) -> Record | None:
        """Return the game of this id, or None."""
        experiment, _, number = identity.rpartition("-")
        if not (number.isascii() and number.isdigit()) or len(number) > len(str(LARGEST_NUMBER)):
            return None
        if int(number) > LARGEST_NUMBER or str(int(number)) != number:
            return None
        query = select(games).filter_by(experiment=experiment, number=int(number))
        with self.reading() as connection:
            row = connection.execute(query).first()
            finding = self.finding(row, {}, connection) if row else None
        return sound(finding) if finding else None

    def find(
        self, *, game: str | None = None, experiment: str | None = None, agent: str | None = None
    ) -> Iterator[Record]:
        """Return the games one by one, in the order of experiment and number.

        ``game`` and ``agent`` are names without options (``lucid``, ``lucid/axes-red``).
        """
        for finding in self.search(narrowed(game, experiment, agent)):
            yield sound(finding)

    def records(self) -> Iterator[Record]:
        """Return all games, one by one."""
        return self.find()

    def scan(self) -> Iterator[Finding]:
        """Return all there is, also the broken games."""
        return self.search(select(games))

    def search(self, query: Select[Any]) -> Iterator[Finding]:
        """Return what a query over the games finds, page by page."""
        common: dict[str, dict[str, Any]] = {}
        key = (games.c.experiment, games.c.number)
        page = query.order_by(*key).limit(PAGE)
        rows: list[Row[Any]] = []
        while True:
            with self.reading() as connection:
                rows = list(connection.execute(page))
                findings = [self.finding(row, common, connection) for row in rows]
            yield from findings
            if len(rows) < PAGE:
                return
            last = rows[-1]
            page = query.order_by(*key).limit(PAGE)
            page = page.where(tuple_(*key) > tuple_(last.experiment, last.number))

    def finding(
        self, row: Row[Any], common: dict[str, dict[str, Any]], connection: Connection
    ) -> Finding:
        """Return what stands in a row; ``common`` keeps what is known of the experiments."""
        where = f"{self.path}, game {row.experiment}-{row.number}"
        if row.experiment not in common:
            common[row.experiment] = experiment_fields(connection, row.experiment)
        try:
            fields = common[row.experiment] | game_fields(row, where)
            return Finding(str(self.path), record_from_fields(fields, where), None)
        except BrokenRecord as problem:
            return Finding(str(self.path), None, problem)

    def experiments(self, wanted: Wanted | None = None) -> list[ExperimentFacts]:
        """Return what there is of each experiment, in the order of game and agents."""
        with self.reading() as connection:
            return experiment_facts(connection, wanted or Wanted(), with_times=self.version > 1)

    def look_up(self, wanted: Wanted) -> Iterator[Record]:
        """Return the games that are wanted one by one, in the order of experiment and number."""
        for finding in self.search(wanted.narrow(select(games))):
            yield sound(finding)

    def played(self, wanted: Wanted | None = None) -> Iterator[Played]:
        """Return the short facts of finished games, without reading the games themselves."""
        with self.reading() as connection:
            yield from played_games(connection, wanted or Wanted())

    def count(self) -> int:
        """Return how many games there are."""
        with self.reading() as connection:
            return count_games(connection)

    def identities(self) -> Iterator[str]:
        """Return the ids of all games, in the order of experiment and number."""
        query = select(games.c.experiment, games.c.number).order_by("experiment", "number")
        with self.reading() as connection:
            return iter([f"{row.experiment}-{row.number}" for row in connection.execute(query)])

    def known_numbers(self, experiment: str) -> set[int]:
        """Return the numbers of the finished games of an experiment."""
        query = select(games.c.number).filter_by(experiment=experiment)
        with self.reading() as connection:
            return set(connection.scalars(query.where(games.c.scores.is_not(None))))


def sound(finding: Finding) -> Record:
    """Return the record that was found, or raise what is wrong with it."""
    if finding.record is None:
        raise finding.problem or BrokenRecord(f"{finding.where}: nothing is there")
    return finding.record


def count_games(connection: Connection) -> int:
    """Return how many games there are; a million take a few milliseconds."""
    return connection.scalar(select(func.count()).select_from(games)) or 0


def in_pages(
    query: Select[Any], rows: list[dict[str, Any]]
) -> Iterator[tuple[list[dict[str, Any]], Select[Any]]]:
    """Return rows page by page, with the query narrowed to the games that they are."""
    key = tuple_(games.c.experiment, games.c.number)
    for first in range(0, len(rows), PAGE):
        page = rows[first : first + PAGE]
        yield page, query.where(key.in_([(row["experiment"], row["number"]) for row in page]))


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


def stored_version(connection: Connection, place: str) -> int:
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
    version = stored_version(connection, place)  # another process may have been quicker
    while version < SCHEMA_VERSION:
        for statement in STEPS[version]:
            connection.exec_driver_sql(statement)
        version += 1
        connection.execute(update(schema).values(schema_version=version))
    return version
