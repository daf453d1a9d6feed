"""What is stored comes first: full disks, forgotten rooms, clocks that are wrong."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from faults.disk import Disk
from faults.rooms import STRATEGO, OneRoom, new_room
from sandtable.errors import SandtableError
from sandtable.server import room as room_module
from sandtable.server.guests import claim
from sandtable.server.rooms import FORGET_DAYS
from sandtable.server.storage import Storage

DAY = 86400.0


class Full:
    """Lets the storage of a room be full, as often as is wanted."""

    def __init__(self, storage, monkeypatch):
        self.full, real = False, storage.writing

        @contextlib.contextmanager
        def writing():
            if self.full:
                raise SandtableError("cannot use rooms.db: database or disk is full")
            with real() as database:
                yield database

        monkeypatch.setattr(storage, "writing", writing)


def in_room(tmp_path, monkeypatch, stored, do):
    """Run ``do(one, full)`` in the loop of a server that has one room."""
    monkeypatch.setattr(room_module, "RETRY_SECONDS", 0.02)

    async def run():
        one = OneRoom(Disk(tmp_path), stored)
        try:
            await do(one, Full(one.storage, monkeypatch))
        finally:
            await one.rooms.close()
            one.storage.close()
            one.archive.close()

    asyncio.run(run())


async def until(true, seconds=10.0):
    for _ in range(int(seconds / 0.01)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("change", ["resign", "stop", "flag"])
def test_a_game_whose_end_cannot_be_stored_has_not_ended_and_shows_nothing(
    tmp_path, monkeypatch, change
):
    async def do(one, full):
        room = one.room
        for token in ("token-red", "token-blue"):
            from sandtable.server.connections import Connection

            room.join(Connection(), token)
        one.messages()
        full.full = True
        if change == "flag":
            room.clocks.left[room.clocks.running] = 0.0
            room.flag_fell()
        else:
            end = room.break_off if change == "stop" else lambda: room.forfeit(0, "red resigns")
            with pytest.raises(SandtableError, match="full"):
                end()
        assert not room.over
        assert one.messages() == []
        new_state = room.broadcast.new_state(-1, "spectator", "join")
        assert "red resigns" not in new_state
        assert room.clocks.running is None  # nobody loses time by it
        full.full = False
        if change == "flag":
            await until(lambda: room.over)  # the flag falls as soon as it can be stored
            assert "time is up" in room.outcome.reason
            return
        await until(lambda: room.stalled is None)
        seat = room.table.turn
        room.play(seat, [room.table.legal_actions(seat)[0]["action"]])  # the game goes on
        assert room.table.ply == 1

    in_room(tmp_path, monkeypatch, new_room(STRATEGO, (None, None), 5.0), do)


def test_whatever_can_be_stored_again_lets_the_room_go_on(tmp_path, monkeypatch):
    async def do(one, full):
        from sandtable.server.connections import Connection

        room = one.room
        for token in ("token-red", "token-blue"):
            room.join(Connection(), token)
        full.full = True
        with pytest.raises(SandtableError, match="full"):
            room.forfeit(0, "red resigns")
        assert room.clocks.running is None
        full.full = False
        assert claim(room, 0, "Ann", "token-red")["name"] == "Ann"  # nothing else wakes the room
        await asyncio.sleep(0)
        assert room.clocks.running == room.table.turn

    in_room(tmp_path, monkeypatch, new_room(STRATEGO, (None, None), 5.0), do)


def test_programs_go_on_when_there_is_room_again(tmp_path, monkeypatch):
    async def do(one, full):
        room = one.room
        await until(lambda: room.table.ply >= 2)
        full.full = True
        await until(lambda: room.stalled is not None)
        ply = room.table.ply
        await asyncio.sleep(0.2)
        assert room.table.ply == ply
        assert not room.paused
        full.full = False
        await until(lambda: room.over)
        await until(lambda: room.archived)

    stored = new_room("skirmish:max_turns=2", ("random", "random"), None)
    in_room(tmp_path, monkeypatch, stored, do)


def test_a_refused_move_gives_no_time(tmp_path, monkeypatch):
    async def do(one, full):
        room, before = one.room, list(one.room.clocks.left)
        full.full = True
        seat = room.table.turn
        for _ in range(5):
            with pytest.raises(SandtableError):
                room.play(seat, [room.table.legal_actions(seat)[0]["action"]])
        assert room.clocks.left == before

    in_room(tmp_path, monkeypatch, new_room(STRATEGO, (None, None), 5.0), do)


def test_a_commit_that_fails_does_not_block_the_next(tmp_path):
    storage = Storage(tmp_path)
    storage.database.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
    storage.database.execute(
        "CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)"
    )
    storage.database.execute("PRAGMA foreign_keys = ON")
    with pytest.raises(SandtableError, match="FOREIGN KEY"), storage.writing() as database:
        database.execute("INSERT INTO child VALUES (1)")  # found only by COMMIT
    storage.save_text("shelf", "name", "text")
    assert storage.saved_texts("shelf") == {"name": "text"}
    storage.close()


def test_only_finished_and_archived_games_are_forgotten_by_the_time_the_server_ran(
    tmp_path, monkeypatch
):
    storage = Storage(tmp_path)
    long_ago = time.time() - 10 * 365 * DAY
    for name, over, archived in (("open", 0, 0), ("unkept", 1, 0), ("played", 1, 1)):
        stored = new_room("skirmish", (None, None), None)
        storage.add_room(
            replace(stored, room=name, made_at=long_ago, over=bool(over), archived=bool(archived))
        )
        storage.add_actions(name, 0, [1], {}, bool(over))
    known = ["open", "unkept", "played"]

    def left():
        return [name for name in known if storage.get_room(name)]

    monkeypatch.setattr(time, "time", lambda: 4e9)  # a clock that is decades ahead
    assert storage.forget_old_rooms(FORGET_DAYS) == 0
    assert left() == known
    real = time.monotonic
    monkeypatch.setattr(
        "sandtable.server.storage.time",
        SimpleNamespace(monotonic=lambda: real() + 29 * DAY, time=lambda: 4e9),
    )
    storage.forget_old_rooms(FORGET_DAYS)
    assert left() == known
    storage.add_actions("played", 1, [2], {}, True)  # something happened there
    monkeypatch.setattr(
        "sandtable.server.storage.time", SimpleNamespace(monotonic=lambda: real() + 58 * DAY)
    )
    storage.forget_old_rooms(FORGET_DAYS)
    assert left() == known
    monkeypatch.setattr(
        "sandtable.server.storage.time", SimpleNamespace(monotonic=lambda: real() + 60 * DAY)
    )
    assert storage.forget_old_rooms(FORGET_DAYS) == 1
    assert left() == ["open", "unkept"]
    storage.close()


def test_a_wait_for_the_disk_that_fails_is_told_until_all_is_written_again(tmp_path, monkeypatch):
    monkeypatch.setattr("sandtable.server.storage.SYNC_SECONDS", 0.001)
    broken, waited = [], []

    def wait(path):
        waited.append(path.name)
        if broken:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr("sandtable.server.storage.sync_folder", wait)
    storage = Storage(tmp_path)
    broken.append(True)
    storage.save_text("shelf", "one", "told")
    asyncio.run(until(lambda: storage.unsafe is not None))
    for _ in range(2):
        with pytest.raises(SandtableError, match="does not keep what is written"):
            storage.save_text("shelf", "two", "refused")
    broken.clear()
    storage.save_text("shelf", "three", "told")
    assert storage.unsafe is None and "rooms.db" in waited
    assert set(storage.saved_texts("shelf")) == {"one", "three"}
    storage.close()


def test_a_file_of_a_former_version_is_brought_up_to_date(tmp_path):
    storage = Storage(tmp_path)
    storage.add_room(new_room("skirmish", (None, None), None))
    storage.close()
    with sqlite3.connect(tmp_path / "rooms.db") as database:
        database.execute("ALTER TABLE rooms DROP COLUMN acted_at")
        database.execute("UPDATE facts SET value = '1' WHERE name = 'schema_version'")
    database.close()
    storage = Storage(tmp_path)
    assert storage.get_room("a-room-here-1") is not None
    assert storage.fact("schema_version") == "2"
    storage.set_state("a-room-here-1", {"pace": 1.0}, False)
    storage.close()
