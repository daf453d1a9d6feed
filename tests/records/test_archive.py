"""The archive: games in a database, once and whole, and clear words when it cannot be used."""

import resource
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from records.played import RANDOM, broken_off, played, several
from records.test_files import records
from sandtable.errors import ArchiveError, BrokenRecord
from sandtable.records import connection
from sandtable.records.archive import PAGE, Archive


@pytest.fixture
def archive(tmp_path):
    opened = Archive.open(tmp_path / "games.db")
    yield opened
    opened.close()


def change(archive, statement, *values):
    """Change the file behind the archive's back."""
    with sqlite3.connect(archive.path) as database:
        database.execute(statement, values)
    database.close()


def test_add_and_get(archive):
    games = several(5)
    assert archive.add(games) == 5
    assert archive.add([*games, *several(7)]) == 2
    assert archive.add([]) == 0
    assert archive.count() == 7
    assert archive.get(games[3].identity) == games[3]
    for unknown in ("", "31146386e5-99", "31146386e5-03", "-", "x-" + "9" * 5000, "x-²"):
        assert archive.get(unknown) is None
    assert list(archive.identities()) == [game.identity for game in several(7)]


@given(record=records)
@settings(max_examples=25, deadline=None)
def test_any_record_is_refused_or_comes_back(record):
    with tempfile.TemporaryDirectory() as folder:
        opened = Archive.open(Path(folder) / "any.db")
        try:
            opened.add([record])
        except BrokenRecord:
            assert opened.count() == 0
        else:
            assert list(opened.records()) == [record]
        finally:
            opened.close()


def test_find_narrows(archive):
    games = [*several(3), *several(2, RANDOM), *several(2, seed=2**100)]
    assert archive.add(games) == 7
    by_id = sorted(games, key=lambda game: (game.experiment, game.number))
    assert list(archive.find()) == list(archive.records()) == by_id
    assert list(archive.find(experiment=games[0].experiment)) == several(3)
    assert list(archive.find(agent="random")) == several(2, RANDOM)
    assert len(list(archive.find(game="lucid", agent="lucid/axes-red"))) == 5
    assert list(archive.find(game="chess")) == []


def test_pages_leave_nothing_out(archive, monkeypatch):
    monkeypatch.setattr("sandtable.records.archive.PAGE", 4)
    games = [*several(9), *several(8, RANDOM)]
    archive.add(games)
    assert PAGE > 4
    assert sorted(game.identity for game in archive.records()) == sorted(
        game.identity for game in games
    )


def test_games_can_be_added_while_others_are_read(archive):
    archive.add(several(3))
    for record in archive.records():
        archive.add([played(seed=8, number=record.number)])
    assert archive.count() == 6


def test_finished_game_takes_the_place_of_a_piece(archive):
    short, long = broken_off(played(), 5), broken_off(played(), 20)
    assert archive.add([short]) == 1
    assert archive.known_numbers(short.experiment) == set()
    assert archive.add([long]) == 1
    assert archive.add([short]) == 0
    assert archive.get(short.identity) == long
    assert archive.add([short, played(), long]) == 1
    assert archive.add([long]) == 0
    assert archive.get(short.identity) == played()
    assert archive.known_numbers(short.experiment) == {0}
    assert archive.count() == 1


def test_all_or_none(archive):
    def failing():
        yield from several(3)
        raise RuntimeError("the arena stopped")

    with pytest.raises(RuntimeError):
        archive.add(failing())
    assert archive.count() == 0


def test_database_problem_in_the_middle_stores_nothing(archive, monkeypatch):
    monkeypatch.setattr("sandtable.records.connection.distrust", lambda connection: None)
    change(archive, "CREATE UNIQUE INDEX not_twice ON games (reason)")
    with pytest.raises(ArchiveError, match="UNIQUE constraint failed"):
        archive.add(several(5))
    assert archive.count() == 0
    with sqlite3.connect(archive.path) as database:
        assert database.execute("SELECT count(*) FROM experiments").fetchone() == (0,)
    database.close()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE games SET actions = 'a1-a2 b7' WHERE number = 1", "'b7' is not a movelet"),
        ("UPDATE games SET scores = '[1' WHERE number = 1", "games.db, game 31146386e5-1: "),
        ("UPDATE games SET scores = x'00' WHERE number = 1", "game 31146386e5-1: "),
        ("UPDATE games SET final = x'00' WHERE number = 1", "'final' must be a text"),
        ("UPDATE games SET number = 'x' WHERE number = 1", "'number' must be a whole number"),
        ("DELETE FROM players WHERE seat = 1", "'seats' must be a list of 2 agents"),
        ("UPDATE experiments SET seed = 8", "'experiment' is '31146386e5', but"),
        ("UPDATE experiments SET seed = 'x'", "'seed' must be a whole number"),
        ("DELETE FROM experiments", "the field 'game' of the record is missing"),
    ],
)
def test_tampered_row_is_found(archive, statement, message):
    archive.add(several(3))
    change(archive, statement)
    assert any(message in str(finding.problem) for finding in archive.scan())
    with pytest.raises(BrokenRecord):
        list(archive.records())


def test_newer_schema_is_refused(archive):
    change(archive, "UPDATE sandtable_archive SET schema_version = 99")
    with pytest.raises(ArchiveError, match="a newer Sandtable has written it") as refused:
        Archive.open(archive.path)
    assert str(refused.value).isprintable()


def not_a_database(folder):
    path = folder / "notes.db"
    path.write_text("These are notes, and by no means a database. " * 50)
    return path


def other_database(folder):
    path = folder / "other.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE addresses (name TEXT)")
    database.close()
    return path


def damaged_archive(folder):
    path = folder / "damaged.db"
    opened = Archive.open(path)
    opened.add(several(30))
    opened.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    return path


def under_a_file(folder):
    (folder / "file").write_text("")
    return folder / "file" / "games.db"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (not_a_database, "this file is not a database"),
        (other_database, "this database is not an archive of Sandtable"),
        (damaged_archive, "damaged"),
        (under_a_file, "the file cannot be opened or made there"),
        (lambda folder: folder / "nowhere" / "games.db", "there is no folder"),
        (lambda folder: folder, "this is a folder"),
        (lambda folder: "mysql://me:secret@host/games", "a database is a file, sqlite"),
        (lambda folder: "sqlite://", "a database is a file, sqlite"),
        (lambda folder: "a b://", "is no URL"),
    ],
)
def test_what_cannot_be_an_archive(tmp_path, make, message):
    path = make(tmp_path)
    with pytest.raises(ArchiveError, match=message) as refused:
        Archive.open(path).add(several(31))
    assert str(refused.value).isprintable()
    assert "secret" not in str(refused.value)


def test_other_database_is_left_alone(tmp_path):
    path = other_database(tmp_path)
    before = path.read_bytes()
    with pytest.raises(ArchiveError):
        Archive.open(path)
    assert path.read_bytes() == before


def test_reading_makes_no_file(tmp_path):
    with pytest.raises(ArchiveError, match="there is no archive"):
        Archive.open(tmp_path / "games.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_url_and_odd_names(tmp_path):
    odd = tmp_path / "50% of #1? games.db"
    for name in (odd, f"sqlite:///{tmp_path}/games.db"):
        opened = Archive.open(name)
        opened.add(several(1))
        opened.close()
    assert odd.exists()
    assert (tmp_path / "games.db").exists()


def test_empty_file_becomes_an_archive(tmp_path):
    (tmp_path / "games.db").touch()
    opened = Archive.open(tmp_path / "games.db")
    assert opened.add(several(1)) == 1
    opened.close()


def test_locked_archive(archive, monkeypatch):
    monkeypatch.setattr(connection, "SECONDS_TO_WAIT", 0.1)
    impatient = Archive.open(archive.path)
    other = sqlite3.connect(archive.path)
    other.execute("BEGIN IMMEDIATE")
    assert impatient.count() == 0  # reading goes on
    for attempt in (impatient.check_writable, lambda: impatient.add(several(1))):
        with pytest.raises(ArchiveError, match="another process has kept it locked"):
            attempt()
    other.rollback()
    other.close()
    impatient.check_writable()
    assert impatient.add(several(1)) == 1
    impatient.close()


def test_check_writable_changes_nothing(archive):
    archive.add(several(2))
    archive.check_writable()
    again = Archive.open(archive.path, create=False)
    assert again.count() == 2
    again.close()


def test_medium_that_can_only_be_read(archive, monkeypatch):
    archive.add(several(3))
    archive.close()
    monkeypatch.setattr(connection.os, "access", lambda path, mode: False)
    opened = Archive.open(archive.path, create=False)
    assert list(opened.records()) == several(3)
    for attempt in (opened.check_writable, lambda: opened.add(several(4))):
        with pytest.raises(ArchiveError, match="it can only be read"):
            attempt()
    opened.close()


def test_full_disk_stores_nothing(archive):
    archive.add(several(3))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = archive.path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        with pytest.raises(ArchiveError, match="the disk"):
            archive.add(several(100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(archive.records()) == several(3)
    assert archive.add(several(100)) == 97
