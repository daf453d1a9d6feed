"""The tables of a server of leagues: in a SQLite file, or on a PostgreSQL server.

A league has authors, they have bots; rounds say who was there when deals were chosen; a deal is the
same dice in all rotations of its bots over the seats; its games are kept as records. Nothing that
has been finished is ever changed.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "DONE", "LEASED", "OPEN", "SCHEMA_VERSION", "VOID", "authors", "bots", "deals", "facts",
    "files", "games", "leagues", "metadata", "rounds", "tests",
]  # fmt: skip

SCHEMA_VERSION = 1
OPEN, LEASED, DONE, VOID = "open", "leased", "done", "void"  # states of a deal

Long = BigInteger().with_variant(Integer(), "sqlite")
metadata = MetaData()

facts = Table("league_facts", metadata, Column("schema_version", Integer, nullable=False))

leagues = Table(
    "league_leagues",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("game", Text, nullable=False),  # spec string
    Column("version", Integer, nullable=False),  # of its rules
    Column("seed", Text, nullable=False),  # a secret: who knows it knows dice to come
    Column("move_time", Float, nullable=False),  # seconds a bot may think
    Column("most_rounds", Integer),  # NULL: it goes on for ever
    Column("join_key", Text),  # its digest; NULL: public
    Column("made_at", Text, nullable=False),
)

authors = Table(
    "league_authors",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league", Integer, ForeignKey("league_leagues.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("token", Text, nullable=False, unique=True),  # its digest
    Column("made_at", Text, nullable=False),
    UniqueConstraint("league", "name"),
)

bots = Table(
    "league_bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league", Integer, ForeignKey("league_leagues.id"), nullable=False),
    Column("author", Integer, ForeignKey("league_authors.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),  # agent, weights, program or remote
    Column("spec", Text, nullable=False),  # of agents and weights; otherwise empty
    Column("file", Text),  # digest of weights or of the program
    Column("made_at", Text, nullable=False),
    Column("retired_at", Text),  # NULL: it plays
    UniqueConstraint("league", "name"),
)

files = Table(
    "league_files",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

rounds = Table(
    "league_rounds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league", Integer, ForeignKey("league_leagues.id"), nullable=False),
    Column("test", Integer, nullable=False),  # 0: for the ratings
    Column("number", Integer, nullable=False),  # from 0
    Column("roster", Text, nullable=False),  # JSON: the bots that could play, as it was made
    Column("made_at", Text, nullable=False),
    UniqueConstraint("league", "test", "number"),
)

deals = Table(
    "league_deals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league", Integer, ForeignKey("league_leagues.id"), nullable=False),
    Column("test", Integer, nullable=False),  # 0: for the ratings
    Column("round", Integer, nullable=False),  # its number
    Column("number", Integer, nullable=False),  # of the deal in the league or the test, from 0
    Column("seed", Text, nullable=False),  # of its dice alone
    Column("bots", Text, nullable=False),  # their numbers in the order of the first game's seats
    Column("members", Text, nullable=False),  # the same numbers in their own order
    Column("state", Text, nullable=False),
    Column("lease", Text),  # who has it
    Column("lease_until", Float),  # seconds of the clock of the server
    Column("attempts", Integer, nullable=False),  # leases so far
    Column("places", Text),  # when done: see results.py
    Column("played", Text),  # digest of what was played: copies of a game are alike
    Column("forfeits", Text),  # JSON: [bot, reason] of each game that was forfeited
    Column("worker", Text),  # who brought it, or why it was given up
    Column("done_at", Text),
    UniqueConstraint("league", "test", "number"),
    Index("league_deals_by_state", "state", "league"),
    Index("league_deals_by_round", "league", "test", "round"),
)

games = Table(
    "league_games",
    metadata,
    Column("deal", Integer, ForeignKey("league_deals.id"), primary_key=True),
    Column("rotation", Integer, primary_key=True),
    Column("record", LargeBinary, nullable=False),  # a line of the record format, compressed
)

tests = Table(
    "league_tests",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("league", Integer, ForeignKey("league_leagues.id"), nullable=False),
    Column("first", Integer, ForeignKey("league_bots.id"), nullable=False),
    Column("second", Integer, ForeignKey("league_bots.id"), nullable=False),
    Column("low", Float, nullable=False),  # normalised Elo
    Column("high", Float, nullable=False),
    Column("most", Integer, nullable=False),  # deals
    Column("author", Integer, ForeignKey("league_authors.id")),  # NULL: the operator
    Column("ended", Text),  # the verdict
    Column("made_at", Text, nullable=False),
)
