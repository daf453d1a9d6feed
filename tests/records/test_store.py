"""Both kinds of store keep what they promise, also when processes are killed or write at once."""

import random
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from records.played import played, renumbered, several
from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.errors import ArchiveError
from sandtable.records.files import append_records
from sandtable.records.replay import check
from sandtable.records.store import open_store

WRITER = Path(__file__).with_name("writer.py")
GAMES = 400
BATCH = 3

both = pytest.mark.parametrize("name", ["games.jsonl", "games.db"])


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A file with many games for the writers."""
    path = tmp_path_factory.mktemp("source") / "source.jsonl"
    append_records(path, [renumbered(played(), number) for number in range(GAMES)])
    return path


def start_writer(source, path, batch):
    writer = subprocess.Popen(
        [sys.executable, str(WRITER), str(source), str(path), str(batch)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "ready\n"
    return writer


@both
def test_killed_writers_lose_and_double_nothing(tmp_path, source, name):
    path = tmp_path / name
    moments = random.Random(name)
    expected = [renumbered(played(), number) for number in range(GAMES)]
    stored = 0
    for batches in (0, 3, 9, 5, 12):
        kill_writer(source, path, stored // BATCH + batches, moments.uniform(0.0, 0.002))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # half a line may be there
            store = open_store(str(path))
            numbers = [record.number for record in store.records()]
            store.close()
        assert sorted(numbers) == list(range(len(numbers)))
        assert stored + batches * BATCH <= len(numbers) < GAMES
        stored = len(numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert store.add(expected) == GAMES - stored
    assert store.add(expected) == 0
    assert sorted(store.records(), key=lambda record: record.number) == expected
    assert not [finding for finding in store.scan() if finding.problem]
    store.close()


def kill_writer(source, path, batches, seconds):
    """Start a writer and kill it a moment after it has said that so many batches are stored."""
    writer = start_writer(source, path, BATCH)
    writer.stdin.write("go\n")
    writer.stdin.flush()
    for _ in range(batches):
        writer.stdout.readline()
    time.sleep(seconds)
    writer.kill()
    writer.communicate()


@both
def test_two_processes_write_at_once(tmp_path, source, name):
    path = tmp_path / name
    writers = [start_writer(source, path, batch) for batch in (17, 23)]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    said = [writer.communicate(timeout=60)[0] for writer in writers]
    assert sum(int(line) for lines in said for line in lines.splitlines()) == GAMES
    store = open_store(str(path), create=False)
    assert store.count() == GAMES
    assert len(store.known_numbers(played().experiment)) == GAMES
    assert not [finding for finding in store.scan() if finding.problem]
    store.close()


@both
def test_same_behaviour(tmp_path, name):
    store = open_store(str(tmp_path / name))
    store.check_writable()
    assert store.count() == 0
    assert list(store.records()) == []
    assert store.add(several(3)) == 3
    assert store.add(several(4)) == 1
    assert list(store.records()) == several(4)
    assert store.get(played(number=2).identity) == played(number=2)
    assert store.get("nothing-1") is None
    assert store.known_numbers(played().experiment) == {0, 1, 2, 3}
    assert store.known_numbers("nothing") == set()
    store.close()


@both
def test_records_of_a_match_are_sound_and_complete(tmp_path, name):
    plan = make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], 40, 7, None)
    assert play_match(plan, archive=str(tmp_path / name)).kept == 40
    assert play_match(plan, archive=str(tmp_path / name)).kept == 0
    store = open_store(str(tmp_path / name), create=False)
    kept = list(store.records())
    store.close()
    assert [record.identity for record in kept] == [played(number=n).identity for n in range(40)]
    assert [record.actions for record in kept] == [played(number=n).actions for n in range(40)]
    for record in kept:
        check(record)


@both
def test_unwritable_store_is_known_before_the_first_game(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError):
        open_store(str(tmp_path / "file" / name)).check_writable()


@both
def test_missing_store_is_not_made_for_reading(tmp_path, name):
    with pytest.raises(ArchiveError, match="there is no"):
        open_store(str(tmp_path / name), create=False)


def test_ending_decides(tmp_path):
    open_store(str(tmp_path / "GAMES.JSONL")).add(several(1))
    open_store(str(tmp_path / "games")).add(several(1))
    assert (tmp_path / "GAMES.JSONL").read_bytes().startswith(b'{"format"')
    assert (tmp_path / "games").read_bytes().startswith(b"SQLite format 3")


def test_database_library_is_imported_only_for_archives(tmp_path):
    program = (
        "import sys; from sandtable.records.store import open_store;"
        f"open_store({str(tmp_path / 'games.jsonl')!r}).check_writable();"
        "sys.exit('sqlalchemy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    "words",
    ["archive list games.db", "match lucid random random --archive games.db", "league new a lucid"],
)
def test_without_the_database_library_one_line_names_the_extra(words, tmp_path):
    program = (
        "import sys; sys.modules['sqlalchemy'] = None; import sandtable.league.worker;"
        f"sys.argv[1:] = {words.split()!r}; from sandtable.cli.main import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert " ".join(done.stderr.split()) == (
        "error: a database of games or leagues needs the extra 'archive': "
        "pip install 'sandtable-games[archive]'"
    )
