"""Files of JSON lines: what is written can be read, once and whole, whatever happens between."""

import dataclasses
import json
import resource
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from records.played import RANDOM, broken_off, played, renumbered, several
from sandtable.errors import ArchiveError, BrokenRecord
from sandtable.records.files import (
    RecordFile,
    append_records,
    read_records,
    record_from_line,
    record_to_line,
)
from sandtable.records.lines import FIELDS
from sandtable.records.record import Record
from sandtable.types import Outcome

FINISHED_LINE = record_to_line(played())

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def read_or_refuse(line):
    """Read a line; a refusal must be one line that names the place."""
    try:
        return record_from_line(line, "games.jsonl:3")
    except BrokenRecord as problem:
        assert str(problem).startswith("games.jsonl:3: ")
        assert str(problem).isprintable()
        assert len(str(problem)) < 1200
        return None


def test_line_is_as_documented():
    fields = json.loads(FINISHED_LINE)
    record = played()
    assert tuple(fields) == FIELDS
    assert " " not in FINISHED_LINE.partition('"actions"')[0]
    assert fields["format"] == "sandtable-game"
    assert fields["id"] == record.identity == f"{record.experiment}-0"
    assert fields["actions"].split()[:4] == ["e1-e2", "e1-e2", "e1-e2", "d1-d2"]
    assert fields["outcome"]["scores"] == list(record.outcome.scores)


@given(seed=st.integers(0, 2**64), number=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_random_games_come_back_as_they_were(seed, number):
    record = played(RANDOM, seed, number)
    line = record_to_line(record)
    assert "\n" not in line
    assert record_from_line(line, "here") == record


records = st.builds(
    Record,
    game=st.just("lucid"),
    version=st.integers(0, 3),
    seats=st.tuples(st.text(max_size=6), st.text(max_size=6)),
    seed=st.integers(),
    number=st.integers(-1, 2**64),
    actions=st.lists(st.integers(-1, 102), max_size=5).map(tuple),
    outcome=st.none()
    | st.builds(
        Outcome,
        st.tuples(st.floats(), st.floats()),
        st.text(max_size=8),
        st.none() | st.integers(-1, 2),
    ),
    final=st.text(max_size=8),
    start=st.none() | st.text(max_size=8),
    seconds=st.just(()) | st.tuples(st.floats(), st.floats()),
    annotations=st.dictionaries(st.text(max_size=4), json_values, max_size=3),
)


@given(record=records)
@settings(max_examples=200, deadline=None)
def test_any_record_is_refused_or_comes_back(record):
    try:
        line = record_to_line(record)
    except BrokenRecord as problem:
        assert str(problem).isprintable()
        return
    assert record_from_line(line, "here") == record


@given(text=st.text() | json_values.map(json.dumps))
@example("[" * 100_000)
@example("9" * 10_000)
@example('{"format":"sandtable-game","format_version":1}')
@settings(max_examples=200, deadline=None)
def test_arbitrary_text_is_refused(text):
    assert read_or_refuse(text) is None


@given(
    place=st.integers(0, len(FINISHED_LINE)),
    length=st.integers(0, 5),
    text=st.text(max_size=5),
)
@settings(max_examples=300, deadline=None)
def test_damaged_line_is_refused_or_still_a_record(place, length, text):
    damaged = FINISHED_LINE[:place] + text + FINISHED_LINE[place + length :]
    record = read_or_refuse(damaged)
    if record is not None:
        assert record_from_line(record_to_line(record), "here") == record


@given(name=st.sampled_from(FIELDS), value=json_values)
@settings(max_examples=300, deadline=None)
def test_mistyped_field_is_refused_or_still_a_record(name, value):
    line = json.dumps({**json.loads(FINISHED_LINE), name: value})
    record = read_or_refuse(line)
    if record is not None:
        assert record_from_line(record_to_line(record), "here") == record


@pytest.mark.parametrize("name", FIELDS)
def test_missing_field_is_named(name):
    fields = json.loads(FINISHED_LINE)
    del fields[name]
    with pytest.raises(BrokenRecord, match=name.replace("_", "[_ ]")):
        record_from_line(json.dumps(fields), "here")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 2}, "format version 2; this version of Sandtable reads version 1"),
        ({"format_version": True}, "format version True"),
        ({"game": "lucit"}, "there is no game 'lucit'. Did you mean 'lucid'?"),
        ({"actions": "a1-a2 a1-c3"}, "no edge joins a1 and c3"),
        ({"actions": ["a1-a2"]}, "'actions' must be a text"),
        ({"seats": ["random"]}, "'seats' must be a list of 2 agents"),
        ({"number": 2**63}, "'number' must be from 0 to"),
        ({"number": True}, "'number' must be a whole number, got True"),
        ({"seed": 7.0}, "'seed' must be a whole number, got 7.0"),
        ({"seed": 8}, "but game, version, seats, seed, number and start make it"),
        ({"id": "31146386e5-1"}, "'id' is '31146386e5-1', but"),
        ({"outcome": {}}, "the field 'scores' of the outcome is missing"),
        ({"seconds": [-1, 0]}, "'seconds' holds -1"),
        ({"comment": "nice"}, "a record has no field 'comment'"),
        ({"final": "\ud800"}, "'final' is not proper text"),
    ],
)
def test_what_is_wrong_is_said(change, message):
    line = json.dumps({**json.loads(FINISHED_LINE), **change})
    with pytest.raises(BrokenRecord) as refused:
        record_from_line(line, "games.jsonl:3")
    assert message in str(refused.value)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "1e999"])
def test_numbers_that_json_does_not_know(constant):
    scores = json.dumps(json.loads(FINISHED_LINE)["outcome"]["scores"], separators=(",", ":"))
    line = FINISHED_LINE.replace(scores, f"[{constant},0.0]")
    assert line != FINISHED_LINE
    assert read_or_refuse(line) is None


def test_field_given_twice():
    assert read_or_refuse(FINISHED_LINE[:-1] + ',"seed":7}') is None


def test_append_and_read(tmp_path):
    path = tmp_path / "games.jsonl"
    games = several(5)
    assert append_records(path, games) == 5
    assert list(read_records(path)) == games
    assert append_records(path, [*games, *several(7)]) == 2
    assert list(read_records(path)) == several(7)
    assert append_records(path, several(7)) == 0
    assert append_records(path, []) == 0


def test_same_game_twice_in_one_call(tmp_path):
    assert append_records(tmp_path / "games.jsonl", [played(), played()]) == 1


def test_games_of_several_experiments(tmp_path):
    path = tmp_path / "games.jsonl"
    games = [*several(3), *several(3, RANDOM), *several(3, seed=8)]
    assert append_records(path, games) == 9
    store = RecordFile(path)
    assert store.known_numbers(games[0].experiment) == {0, 1, 2}
    assert store.get(games[4].identity) == games[4]
    assert store.get("31146386e5-99") is None
    assert list(store.identities()) == [game.identity for game in games]


def test_finished_game_takes_the_place_of_a_piece(tmp_path):
    path = tmp_path / "games.jsonl"
    short, long = broken_off(played(), 5), broken_off(played(), 20)
    append_records(path, [played(number=1), short, played(number=2)])
    store = RecordFile(path)
    assert store.known_numbers(short.experiment) == {1, 2}
    assert store.get(short.identity) == short
    assert append_records(path, [long]) == 1
    assert append_records(path, [short]) == 0
    assert store.get(short.identity) == long  # the store has noticed the new file
    assert store.add([short, played(), long]) == 1
    assert append_records(path, [long, short, played()]) == 0
    assert list(read_records(path)) == [played(number=1), played(number=2), played()]
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


def test_link_and_mode_survive_a_new_file(tmp_path):
    real = tmp_path / "real.jsonl"
    append_records(real, [broken_off(played(), 5)])
    real.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    assert append_records(link, [played()]) == 1
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert list(read_records(real)) == [played()]


def test_store_sees_what_others_append(tmp_path):
    path = tmp_path / "games.jsonl"
    store = RecordFile(path)
    assert store.count() == 0
    append_records(path, several(2))
    assert store.add(several(3)) == 1
    append_records(path, several(4))
    assert store.count() == 4


@pytest.mark.parametrize("cut", [1, 2, 30, 200, -2, -1])
def test_half_a_line_is_left_out_then_moved_aside(tmp_path, cut):
    path = tmp_path / "games.jsonl"
    append_records(path, several(3))
    whole = path.read_bytes()
    line = record_to_line(played(number=3)).encode()
    path.write_bytes(whole + line[:cut])
    with pytest.warns(UserWarning, match=r"games\.jsonl:4: .*; it is left out"):
        assert list(read_records(path)) == several(3)
    with pytest.warns(UserWarning, match="ended in half a line"):
        assert append_records(path, several(4)) == 1
    assert path.read_bytes() == whole + line + b"\n"
    assert (tmp_path / "games.jsonl.incomplete").read_bytes() == line[:cut] + b"\n"


def test_line_without_its_end_is_kept(tmp_path):
    path = tmp_path / "games.jsonl"
    append_records(path, several(3))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert list(read_records(path)) == several(3)
    assert RecordFile(path).count() == 3
    assert append_records(path, several(4)) == 1
    assert list(read_records(path)) == several(4)


def test_broken_line_in_the_middle(tmp_path):
    path = tmp_path / "games.jsonl"
    append_records(path, several(3))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[1][:-40] + "\n" + lines[2])
    before = path.read_bytes()
    with pytest.raises(BrokenRecord, match=r"games\.jsonl:2: this is not a line of JSON"):
        list(read_records(path))
    findings = list(RecordFile(path).scan())
    assert [finding.record is None for finding in findings] == [False, True, False]
    assert RecordFile(path).get(played(number=2).identity) == played(number=2)
    assert path.read_bytes() == before


def test_two_files_put_together_hold_each_game_once(tmp_path):
    path = tmp_path / "games.jsonl"
    append_records(path, several(2))
    path.write_bytes(path.read_bytes() * 2 + b"\n\n")
    assert list(read_records(path)) == several(2)
    assert [str(finding.problem) for finding in RecordFile(path).scan() if finding.problem] == [
        f"{path}:{line}: game {played(number=line - 3).identity} stands in this file twice"
        for line in (3, 4)
    ]


def test_half_a_line_in_the_middle_hides_no_game(tmp_path):
    """A line glued to half a line must not make us believe that the half game is there."""
    path = tmp_path / "games.jsonl"
    first, second = (record_to_line(record) for record in several(2))
    path.write_text(first[:300] + second + "\n")
    assert played().identity not in list(RecordFile(path).identities())
    with pytest.raises(BrokenRecord, match=r"games\.jsonl:1: "):
        append_records(path, several(1))


@given(data=st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_arbitrary_bytes_never_cost_a_game(data):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "games.jsonl"
        path.write_bytes(record_to_line(played()).encode() + b"\n" + data)
        store = RecordFile(path)
        list(store.scan())
        try:
            assert store.add(several(2)) == 1
        except BrokenRecord as problem:
            assert str(problem).isprintable()
            assert path.read_bytes().endswith(data)
        else:
            assert list(read_records(path)) == several(2)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("a file/games.jsonl", "Not a directory"),
        ("nowhere/games.jsonl", "there is no folder"),
        ("folder.jsonl", "Is a directory"),
    ],
)
def test_file_that_cannot_be_written(tmp_path, place, message):
    (tmp_path / "a file").write_text("")
    (tmp_path / "folder.jsonl").mkdir()
    store = RecordFile(tmp_path / place)
    for attempt in (store.check_writable, lambda: store.add([played()])):
        with pytest.raises(ArchiveError, match=message):
            attempt()


def test_no_file_to_read(tmp_path):
    with pytest.raises(ArchiveError, match="there is no file"):
        read_records(tmp_path / "games.jsonl")


def test_full_disk_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "games.jsonl"
    append_records(path, several(3))
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 300, limits[1]))
    try:
        with pytest.raises(ArchiveError, match="File too large"):
            append_records(path, several(6))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert append_records(path, several(6)) == 3


def test_many_records_take_a_moment(tmp_path):
    """Names of actions are looked up in a table; a slow way would take minutes here."""
    path = tmp_path / "games.jsonl"
    games = [renumbered(played(), number) for number in range(3000)]
    assert append_records(path, games) == 3000
    assert sum(1 for _ in read_records(path)) == 3000
    assert append_records(path, games[:10]) == 0


def test_annotations_are_kept(tmp_path):
    path = tmp_path / "games.jsonl"
    notes = {"opening": "five axes", "values": [1, 2.5, None], "Umlaut": "ü\n\x1b[31m"}
    record = dataclasses.replace(played(), annotations=notes)
    append_records(path, [record])
    assert list(read_records(path)) == [record]
    assert len(path.read_bytes().splitlines()) == 1
