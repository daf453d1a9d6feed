"""The archive on a PostgreSQL server: the same as in a file, with many writers at once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from records.played import RANDOM, broken_off, played, several
from records.postgres import Server
from sandtable.errors import ArchiveError
from sandtable.records.archive import Archive
from sandtable.records.files import append_records
from sandtable.records.queries import Wanted
from sandtable.records.schema import SCHEMA_VERSION
from sandtable.server.archive_list import matches_page
from sandtable.server.archive_pages import matching_games


@pytest.fixture(scope="module")
def server():
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def archive(server):
    opened = Archive.open(server.new_database())
    yield opened
    opened.close()


def test_the_same_as_a_file(archive, tmp_path):
    file = Archive.open(tmp_path / "games.db")
    for store in (archive, file):
        games = [*several(5), *several(3, RANDOM), *several(2, seed=2**100)]
        assert store.add(games) == 10
        assert store.add([*games, *several(7)]) == 2
        assert store.add([broken_off(played(seed=8), 5)]) == 1
        assert store.add([played(seed=8)]) == 1  # takes the place of the piece
        assert store.add([broken_off(played(seed=8), 5)]) == 0
        store.check_writable()
    for ask in (
        lambda store: list(store.records()),
        lambda store: list(store.identities()),
        lambda store: store.known_numbers(played().experiment),
        lambda store: store.get(played(seed=8).identity),
        lambda store: list(store.find(agent="random")),
        lambda store: list(store.look_up(Wanted(seed=2**100))),
        lambda store: list(store.look_up(Wanted(reason="TURNS", longest=1000))),
        lambda store: sorted(each.action_count for each in store.played()),
        lambda store: [(each.experiment, each.games) for each in store.experiments()],
        lambda store: store.count(),
    ):
        assert ask(archive) == ask(file)
    file.close()


def test_writers_at_once_store_each_game_once(server, tmp_path):
    url = server.new_database()  # without tables: they also race to make them
    source = tmp_path / "games.jsonl"
    append_records(source, several(60))
    writer = str(Path(__file__).with_name("writer.py"))
    processes = [
        subprocess.Popen(
            [sys.executable, writer, str(source), url, "7"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for each in processes:
        assert each.stdout.readline() == "ready\n"
    outputs = [each.communicate("go\n", timeout=60)[0] for each in processes]
    assert sum(int(word) for text in outputs for word in text.split()) == 60
    archive = Archive.open(url)
    assert list(archive.records()) == several(60)
    archive.close()


def test_older_versions_are_upgraded_and_newer_refused(server):
    import psycopg

    url = server.new_database()
    archive = Archive.open(url)
    archive.add(several(3))
    archive.close()
    with psycopg.connect(url) as connection:  # back to version 1
        connection.execute("ALTER TABLE experiments DROP COLUMN added")
        connection.execute("DROP INDEX games_by_forfeit")
        connection.execute("DROP INDEX games_by_length")
        connection.execute("UPDATE sandtable_archive SET schema_version = 1")
    archive = Archive.open(url)
    assert archive.version == SCHEMA_VERSION
    assert list(archive.records()) == several(3)
    archive.close()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE sandtable_archive SET schema_version = 99")
    with pytest.raises(ArchiveError, match="a newer Sandtable has written it"):
        Archive.open(url)


def test_what_goes_wrong_is_one_line_without_the_password(server):
    for url, words in (
        (server.url("nowhere"), "the server does not know it"),
        (server.url(password="secret"), "does not accept this name and password"),
        ("postgresql://me:secret@127.0.0.1:1/games", "no server answers there"),
    ):
        with pytest.raises(ArchiveError, match=words) as refused:
            Archive.open(url)
        assert str(refused.value).isprintable()
        assert "secret" not in str(refused.value) and server.password not in str(refused.value)


def test_the_pages_of_the_server_are_the_same_as_from_a_file(archive, tmp_path):
    listed = {"web": {"listed": True}}
    pages = []
    for store in (archive, Archive.open(tmp_path / "games.db")):
        store.add([*several(3), *several(2, RANDOM)])
        shown = next(iter(store.identities()))
        store.annotate(shown, lambda notes: {**notes, **listed})
        for everything in (True, False):
            asked = {"game": None, "agent": None, "everything": everything}
            asked |= {"limit": 10, "offset": 0}
            matches = json.loads(matches_page(store, asked))
            games = json.loads(matching_games(store, asked))
            pages.append((store is archive, everything, sorted_page(matches), sorted_page(games)))
    ours, theirs = pages[:2], pages[2:]
    assert [page[1:] for page in ours] == [page[1:] for page in theirs]
    assert [page[3]["total"] for page in ours] == [5, 1]


def sorted_page(page):
    """Return a page in an order of its own, without what tells the second it was stored in."""
    told = {}
    for name, value in page.items():
        if isinstance(value, list):
            texts = (re.sub(r'"added": "[^"]*"', "", json.dumps(each)) for each in value)
            told[name] = sorted(texts)
        else:
            told[name] = value
    return told
