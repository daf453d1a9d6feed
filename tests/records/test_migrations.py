"""Archives of older versions are brought up to date in place; nothing in them is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

from records.played import several
from sandtable.records.archive import Archive
from sandtable.records.schema import SCHEMA_VERSION

# What version 1 of the tables was, word for word.
VERSION_1 = """
CREATE TABLE sandtable_archive (schema_version INTEGER NOT NULL);
CREATE TABLE experiments (
    experiment TEXT NOT NULL, game TEXT NOT NULL, game_name TEXT NOT NULL,
    version INTEGER NOT NULL, seed TEXT NOT NULL, start TEXT, PRIMARY KEY (experiment));
CREATE INDEX experiments_by_game ON experiments (game_name, version);
CREATE TABLE players (
    experiment TEXT NOT NULL, seat INTEGER NOT NULL, agent TEXT NOT NULL,
    agent_name TEXT NOT NULL, PRIMARY KEY (experiment, seat),
    FOREIGN KEY(experiment) REFERENCES experiments (experiment));
CREATE INDEX players_by_agent ON players (agent_name);
CREATE TABLE games (
    experiment TEXT NOT NULL, number INTEGER NOT NULL, scores TEXT, reason TEXT,
    forfeited_by INTEGER, action_count INTEGER NOT NULL, actions TEXT NOT NULL,
    final TEXT NOT NULL, seconds TEXT NOT NULL, annotations TEXT NOT NULL,
    PRIMARY KEY (experiment, number),
    FOREIGN KEY(experiment) REFERENCES experiments (experiment));
INSERT INTO sandtable_archive VALUES (1);
"""
COPIED = {
    "experiments": "experiment, game, game_name, version, seed, start",
    "players": "experiment, seat, agent, agent_name",
    "games": "*",
}


@pytest.fixture
def old(tmp_path):
    """Return an archive of version 1 with five games."""
    new, path = tmp_path / "new.db", tmp_path / "old.db"
    archive = Archive.open(new)
    archive.add(several(5))
    archive.close()
    database = sqlite3.connect(path)
    database.executescript(VERSION_1)
    database.execute("ATTACH ? AS new", [str(new)])
    for table, columns in COPIED.items():
        database.execute(f"INSERT INTO {table} SELECT {columns} FROM new.{table}")
    database.commit()
    database.close()
    return path


def tables(path):
    """Return the columns and indexes of a file."""
    database = sqlite3.connect(path)
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master ORDER BY name")]
    columns = [database.execute(f"PRAGMA table_info({name})").fetchall() for name in COPIED]
    database.close()
    return names, [[column[1] for column in table] for table in columns]


def test_an_old_archive_is_upgraded_in_place(old, tmp_path):
    archive = Archive.open(old, create=False)
    assert archive.version == SCHEMA_VERSION
    assert list(archive.records()) == several(5)
    assert archive.add(several(7)) == 2
    (facts,) = archive.experiments()
    assert (facts.games, facts.added) == (7, None)
    archive.close()
    assert tables(old) == tables(tmp_path / "new.db")


def test_an_old_archive_that_can_only_be_read_stays_as_it_is(old, monkeypatch):
    before = old.read_bytes()
    monkeypatch.setattr(Archive, "can_be_written", lambda self: False)
    archive = Archive.open(old, create=False)
    assert archive.version == 1
    assert list(archive.records()) == several(5)
    assert archive.experiments()[0].added is None
    archive.close()
    assert old.read_bytes() == before


def test_two_processes_upgrade_at_once(old):
    program = (
        "import sys; from sandtable.records.archive import Archive; sys.stdin.readline(); "
        "print(Archive.open(sys.argv[1]).version)"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(old)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    answers = [each.communicate("go\n", timeout=60)[0] for each in both]
    assert answers == [f"{SCHEMA_VERSION}\n"] * 2
