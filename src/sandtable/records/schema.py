"""The tables of an archive, and records as rows of them.

What all games of an experiment have in common stands once in ``experiments`` and, seat by seat, in
``players``; each game is one row of ``games``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Executable,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    and_,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from sandtable.errors import BrokenRecord
from sandtable.records.lines import FORMAT, FORMAT_VERSION, READER, WRITER, one_line

__all__ = [
    "SCHEMA_VERSION",
    "add_or_replace",
    "experiment_fields",
    "experiment_row",
    "experiments",
    "game_fields",
    "game_row",
    "games",
    "metadata",
    "narrowed",
    "player_rows",
    "players",
    "schema",
    "without_options",
]

SCHEMA_VERSION = 2  # archive.py leads there from older ones

# A number of 64 bits: SQLite has no other, a server has to be told.
Long = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData()

schema = Table("sandtable_archive", metadata, Column("schema_version", Integer, nullable=False))

experiments = Table(
    "experiments",
    metadata,
    Column("experiment", Text, primary_key=True),
    Column("game", Text, nullable=False),  # spec string with the options
    Column("game_name", Text, nullable=False),  # without them
    Column("version", Long, nullable=False),  # of the rules
    Column("seed", Text, nullable=False),  # as text: a seed may be larger than 64 bits
    Column("start", Text),  # NULL: the game's own, by its dice
    Column("added", Text),  # when it was first stored (UTC); NULL: by an older version
    Index("experiments_by_game", "game_name", "version"),
)

players = Table(
    "players",
    metadata,
    Column("experiment", Text, ForeignKey("experiments.experiment"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("agent", Text, nullable=False),  # spec string with the options
    Column("agent_name", Text, nullable=False),  # without them
    Index("players_by_agent", "agent_name"),
)

games = Table(
    "games",
    metadata,
    Column("experiment", Text, ForeignKey("experiments.experiment"), primary_key=True),
    Column("number", Long, primary_key=True),
    Column("scores", Text),  # JSON list by seat; NULL: the game was broken off
    Column("reason", Text),
    Column("forfeited_by", Integer),
    Column("action_count", Integer, nullable=False),
    Column("actions", Text, nullable=False),
    Column("final", Text, nullable=False),
    Column("seconds", Text, nullable=False),  # JSON list by seat, or an empty one
    Column("annotations", Text, nullable=False),  # JSON object
    Index("games_by_forfeit", "forfeited_by"),
    Index("games_by_length", "action_count"),
)


def experiment_row(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the row of an experiment from the fields of one of its records."""
    return {
        "experiment": fields["experiment"],
        "game": fields["game"],
        "game_name": without_options(fields["game"]),
        "version": fields["version"],
        "seed": str(fields["seed"]),
        "start": fields["start"],
        "added": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def player_rows(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the agents from the fields of a record."""
    return [
        {
            "experiment": fields["experiment"],
            "seat": seat,
            "agent": agent,
            "agent_name": without_options(agent),
        }
        for seat, agent in enumerate(fields["seats"])
    ]


def without_options(spec: str) -> str:
    """Return the name in a spec string."""
    return spec.partition(":")[0].strip()


def game_row(fields: dict[str, Any], action_count: int) -> dict[str, Any]:
    """Return the row of a game from the fields of its record."""
    outcome = fields["outcome"] or {}
    return {
        "experiment": fields["experiment"],
        "number": fields["number"],
        "scores": WRITER.encode(outcome["scores"]) if outcome else None,
        "reason": outcome.get("reason"),
        "forfeited_by": outcome.get("forfeited_by"),
        "action_count": action_count,
        "actions": fields["actions"],
        "final": fields["final"],
        "seconds": WRITER.encode(fields["seconds"]),
        "annotations": WRITER.encode(fields["annotations"]),
    }


def experiment_fields(connection: Connection, experiment: str) -> dict[str, Any]:
    """Return the fields that all records of an experiment share."""
    fields = {"format": FORMAT, "format_version": FORMAT_VERSION, "experiment": experiment}
    columns = [column for column in experiments.c if column.name != "added"]
    row = connection.execute(select(*columns).filter_by(experiment=experiment)).first()
    if row is None:
        return fields  # a game without its experiment: what is missing will be named
    agents = select(players.c.agent).filter_by(experiment=experiment).order_by(players.c.seat)
    try:
        seed: object = int(row.seed)
    except ValueError:
        seed = row.seed
    return {
        **fields,
        "game": row.game,
        "version": row.version,
        "seats": list(connection.scalars(agents)),
        "seed": seed,
        "start": row.start,
    }


def game_fields(row: Row[Any], where: str) -> dict[str, Any]:
    """Return the fields of a record that belong to the game alone."""
    try:
        scores, seconds, annotations = (
            None if text is None else READER.decode(text)
            for text in (row.scores, row.seconds, row.annotations)
        )
    except (BrokenRecord, TypeError, ValueError, RecursionError) as problem:
        raise BrokenRecord(f"{where}: {one_line(str(problem))}") from None
    outcome = {"scores": scores, "reason": row.reason, "forfeited_by": row.forfeited_by}
    return {
        "id": f"{row.experiment}-{row.number}",
        "number": row.number,
        "actions": row.actions,
        "final": row.final,
        "outcome": None if scores is None else outcome,
        "seconds": seconds,
        "annotations": annotations,
    }


def add_or_replace(insert: type[sqlite.Insert] | type[postgresql.Insert]) -> Executable:
    """Return the statement that adds a game, or replaces a broken-off one by a better one."""
    statement = insert(games)
    new = statement.excluded
    better = or_(new.scores.is_not(None), new.action_count > games.c.action_count)
    return statement.on_conflict_do_update(
        index_elements=["experiment", "number"],
        set_={column.name: new[column.name] for column in games.c if not column.primary_key},
        where=and_(games.c.scores.is_(None), better),
    )


def narrowed(game: str | None, experiment: str | None, agent: str | None) -> Select[Any]:
    """Return the query for the games of a game, an experiment or an agent."""
    query = select(games)
    if experiment is not None:
        query = query.where(games.c.experiment == experiment)
    if game is not None:
        of_game = select(experiments.c.experiment).where(experiments.c.game_name == game)
        query = query.where(games.c.experiment.in_(of_game))
    if agent is not None:
        of_agent = select(players.c.experiment).where(players.c.agent_name == agent)
        query = query.where(games.c.experiment.in_(of_agent))
    return query
