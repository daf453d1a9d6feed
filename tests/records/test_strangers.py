"""Archives that somebody prepared, and URLs with passwords in them."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from sqlalchemy import make_url
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from records.played import several
from sandtable.errors import ArchiveError, SandtableError
from sandtable.records.archive import Archive
from sandtable.records.connection import name_of, place_of, without_secrets
from sandtable.records.parquet import read_parquet, write_parquet
from sandtable.records.schema import games

ENDLESS = (
    "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) "
    "SELECT 'a' AS experiment, n AS number, NULL AS scores, NULL AS reason, NULL AS forfeited_by, "
    "0 AS action_count, '' AS actions, '' AS final, '[]' AS seconds, '{}' AS annotations FROM more"
)


def with_more(constraint):
    """Return what gives the table of games one constraint more."""
    columns = str(CreateTable(games).compile(dialect=sqlite.dialect())).strip()
    return ["DROP TABLE games", f"{columns[:-1]}, {constraint})"]


@pytest.fixture
def prepared(tmp_path):
    """An archive with games, and a way to change it as a stranger would."""
    path = tmp_path / "games.db"
    archive = Archive.open(path)
    archive.add(several(3))
    archive.close()

    def change(*statements):
        with sqlite3.connect(path) as database:
            for statement in statements:
                database.execute(statement)
        database.close()
        return path

    return change


@pytest.mark.parametrize(
    ("statements", "named"),
    [
        (["DROP TABLE games", f"CREATE VIEW games AS {ENDLESS}"], "a view 'games'"),
        (
            ["CREATE TRIGGER lost AFTER INSERT ON games BEGIN DELETE FROM games; END"],
            "a trigger 'lost'",
        ),
        (
            ["DROP TABLE games", "CREATE VIRTUAL TABLE games USING fts5(experiment, number)"],
            "a virtual table 'games'",
        ),
        (
            ["ALTER TABLE games ADD COLUMN large AS (hex(zeroblob(number + 1000000000)))"],
            "its table 'games' is not as",
        ),
        (with_more("UNIQUE (number) ON CONFLICT REPLACE"), "its table 'games' is not as"),
        (with_more("CHECK (length(hex(zeroblob(100000000))) > 0)"), "its table 'games' is not as"),
        (with_more("UNIQUE (final COLLATE NOCASE)"), "its table 'games' is not as"),
        (["CREATE INDEX slow ON games (hex(zeroblob(number + 10000000)))"], "its index 'slow'"),
        (["CREATE UNIQUE INDEX one ON games (actions)"], "its index 'one'"),
        (
            [
                "DROP INDEX games_by_length",
                "CREATE INDEX games_by_length ON games (action_count) WHERE number > 4",
            ],
            "its index 'games_by_length'",
        ),
        (["CREATE TABLE more (number)"], "its table 'more'"),
    ],
)
def test_what_would_run_by_itself_is_refused_at_once(prepared, statements, named):
    path = prepared(*statements)
    began = time.monotonic()
    with pytest.raises(ArchiveError, match=named):
        Archive.open(path)
    assert time.monotonic() - began < 5


def test_plain_figures_about_tables_do_no_harm(prepared):
    archive = Archive.open(prepared("ANALYZE"))
    assert archive.add(several(6)) == 3
    archive.close()


def test_games_that_are_lost_by_adding_others_are_noticed(prepared, monkeypatch):
    archive = Archive.open(prepared())

    def cheat(connection, rows):
        verify(connection, rows)
        connection.exec_driver_sql("DELETE FROM games WHERE number = 0")

    verify = archive.verify
    monkeypatch.setattr(archive, "verify", cheat)
    with pytest.raises(ArchiveError, match="other games were lost"):
        archive.add(several(6)[2:])
    monkeypatch.setattr(archive, "verify", verify)
    assert archive.count() == 3
    assert archive.add(several(6)[2:]) == 3
    archive.close()


def test_what_is_not_there_after_writing_is_not_called_kept(prepared, monkeypatch):
    archive = Archive.open(prepared())
    statements = []

    def cheat(connection, rows):
        statements.append(len(rows))
        connection.exec_driver_sql("DELETE FROM games WHERE number = 4")
        verify(connection, rows)

    verify = archive.verify
    monkeypatch.setattr(archive, "verify", cheat)
    with pytest.raises(ArchiveError, match="is not there after it was written; nothing was added"):
        archive.add(several(6))
    assert statements
    assert archive.count() == 3
    archive.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunter2@host:54x2/games",
        "postgresql:/me:hunter2@host/games",
        "postgres//me:hunter2@host/games",
        "://me:hunter2@host",
        "mysql://me:hunter2@host/games?password=hunter2",
        "postgresql://me@host?password=hunter2",
        "Postgresql:me:hunter2@host/games",
        "POSTGRES:hunter2@host",
        "pg:me:hunter2@host/games",
        "host=h password=hunter2 dbname=games",
        "host=h PassWord = hunter2",
        "postgresql://me:secret@hunter2@host/games",
        "postgresql://me:secret@here/hunter2@host/games",
        "postgresql:///me:hunter2@host/games",
        "mysql://me:secret@hunter2@host/games",
        "postgresql://host/games;password=hunter2",
    ],
)
def test_a_mistyped_url_is_one_line_without_its_password(url):
    with pytest.raises(ArchiveError) as caught:
        place_of(url)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "postgresql://USER:PASSWORD@HOST" in str(caught.value)


def test_the_name_of_a_server_has_no_password_wherever_it_stands():
    place = place_of("postgresql://me:one@host/games?password=two&sslpassword=three&port=4")
    assert name_of(place) == "postgresql://me:***@host/games"


@pytest.mark.parametrize("secret", ["s@cr et", "a+b", "p/w", "%41", "ä:b", "x"])
def test_what_a_library_says_is_told_without_the_password_however_it_is_written(secret):
    place = make_url("postgresql://host/games").set(password=secret, query={"sslpassword": "o&o"})
    forms = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
    for each in forms | {form.lower() for form in forms if "%" in form}:
        said = without_secrets(place, f"no such thing: [{each}] [{quote('o&o')}]")
        assert said.endswith("[***] [***]"), each


def test_files_with_odd_names_stay_files(tmp_path):
    odd = tmp_path / "a:b@c.db"
    odd.touch()
    assert place_of(odd) == odd
    assert place_of("sqlite:///a@b.db") == Path("a@b.db")
    assert place_of("games@home.db") == Path("games@home.db")


def test_damaged_parquet_is_one_line_wherever_the_damage_is(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "games.parquet"
    write_parquet(path, several(40))
    whole = path.read_bytes()
    told = set()
    for place in range(0, len(whole), max(1, len(whole) // 150)):
        data = bytearray(whole)
        data[place : place + 4] = b"\xff\x00\xff\x80"
        path.write_bytes(data)
        try:
            list(read_parquet(path))
        except SandtableError as problem:
            assert "\n" not in str(problem)
            told.add(str(problem)[:20])
    assert told
