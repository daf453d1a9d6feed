"""What a server does with rooms of another that is gone, step by step, against a real database."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import replace

import pytest

from faults.rooms import Answers, new_room
from records.postgres import Server
from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.server import rooms as rooms_module
from sandtable.server.classes.classes import Classes
from sandtable.server.rooms import Rooms
from sandtable.server.settings import Settings
from sandtable.server.shared.classes import SharedClassStorage
from sandtable.server.shared.membership import Membership
from sandtable.server.shared.storage import SharedStorage
from server.running import wait_until

ROOM = "a-room-here-1"
LEASE = 2.0  # seconds, in tests that wait for it


@pytest.fixture(scope="module")
def database():
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def url(database):
    return database.new_database()


def room_of_two(name=ROOM, minutes=None, **more):
    return replace(new_room("skirmish", (None, None), minutes), room=name, **more)


def let_lease_run_out(storage):
    """Let a server seem to be dead."""
    query = "UPDATE servers SET expires_at = clock_timestamp() WHERE server = %s"
    storage.database.rows(query, (storage.us,))


@contextmanager
def sharing(url, number=0, **more):
    """One server as it sees its rooms, without the rest of it."""
    storage = SharedStorage(url, **more)
    storage.join(f"127.0.0.1:{number}")
    try:
        yield storage
    finally:
        storage.close()


@contextmanager
def serving(folder, url, number=1, **more):
    """One server without its port: its rooms, its classes and its place among the servers."""
    with sharing(url, number, **more) as storage:
        archive = Archive.open(folder / f"archive {number}.db")
        settings = Settings(folder, folder / "archive.db", folder / "runs")
        answers = Answers()
        answers.rooms = rooms = Rooms(settings, storage, archive, answers)
        classes = Classes(rooms, SharedClassStorage(storage))
        classes.start()
        try:
            yield Membership(storage, rooms, classes, lambda living: None)
        finally:
            for room in rooms.open.values():
                room.close()
            archive.close()


async def until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_the_lease_goes_on_while_games_are_made_ready(url, tmp_path, monkeypatch):
    """As where kernels are compiled for the first time: that takes longer than a lease."""
    ready, names = rooms_module.ready_game, [f"a-room-here-{each}" for each in range(3)]

    def slow(spec):
        time.sleep(0.7 * LEASE)
        return ready(spec)

    async def take_over():
        with sharing(url) as first, serving(tmp_path, url, lease=LEASE) as second:
            for name in names:
                first.add_room(room_of_two(name))
            own = room_of_two("a-room-here-9")
            second.rooms.open_new(own, ready(own.game))
            let_lease_run_out(first)
            monkeypatch.setattr(rooms_module, "ready_game", slow)
            second.start()
            watching = SharedStorage(url)
            lives = []

            def all_there():
                lives.append(second.storage.us in {peer.server for peer in watching.peers()})
                return second.rooms.open.keys() >= set(names)

            await until(all_there)
            assert sum(not each for each in lives) == 0
            assert own.room in second.rooms.open
            assert second.storage.orphans(10) == []
            await second.close()
            assert set(watching.orphans(10)) == {*names, own.room}  # it gives them away
            watching.close()

    asyncio.run(take_over())


def test_a_server_whose_lease_ran_out_does_not_take_its_own_rooms_for_orphans(url, tmp_path):
    async def sleep_and_wake():
        with serving(tmp_path, url) as server:
            stored = room_of_two()
            await asyncio.to_thread(rooms_module.ready_game, stored.game)
            server.storage.add_room(stored)
            let_lease_run_out(server.storage)
            assert server.storage.orphans(10) == []
            await asyncio.wait_for(server.adopt(), 10.0)  # it comes to an end

    asyncio.run(sleep_and_wake())


def test_moves_that_were_told_outlive_a_crash_of_the_database():
    database = Server()  # of its own: all its connections end
    try:
        with sharing(database.new_database()) as storage, \
                sharing(database.new_database(), 1) as other:  # fmt: skip
            storage.add_room(room_of_two())
            for ply in range(5):
                storage.add_actions(ROOM, ply, [ply], {}, False)
            os.kill(other.database.opened.info.backend_pid, signal.SIGKILL)

            def back():
                with suppress(SandtableError):
                    return storage.get_room(ROOM) is not None
                return False

            wait_until(lambda: storage_lost(storage), 30)
            wait_until(back, 60)
            assert storage.get_room(ROOM)[1] == [0, 1, 2, 3, 4]
    finally:
        database.stop()


def storage_lost(storage):
    """Say whether the connection has been noticed to be broken."""
    with suppress(SandtableError):
        storage.database.rows("SELECT 1")
        return False
    return True


def test_nobody_waits_for_the_disk_where_that_is_said(url, monkeypatch):
    for said, found in (("", "on"), ("full", "on"), ("off", "off")):
        monkeypatch.setenv("SANDTABLE_SYNC", said)
        with sharing(url) as storage:
            assert storage.database.rows("SHOW synchronous_commit") == [(found,)]


def test_a_server_that_all_have_forgotten_comes_back(url):
    with sharing(url) as first, sharing(url, 1) as second:
        first.add_room(room_of_two())
        second.database.rows("DELETE FROM servers WHERE server = %s", (first.us,))
        assert second.orphans(10) == [ROOM]
        assert not first.renew()
        assert first.renew()
        assert [peer.address for peer in second.peers()] == ["127.0.0.1:0"]
        assert second.orphans(10) == []


def test_a_lost_room_is_looked_for_until_the_database_answers(url, tmp_path, monkeypatch):
    async def look():
        with serving(tmp_path, url) as server:
            server.storage.add_room(room_of_two())
            server.rooms.lost.add(ROOM)
            with monkeypatch.context() as silent:
                silent.setattr(server.storage, "get_room", refuse)
                assert not await server.go_on(ROOM)
            assert server.rooms.lost == {ROOM}
            assert await server.go_on(ROOM)
            assert server.rooms.lost == set()

    asyncio.run(look())


def refuse(*given):
    raise SandtableError("the database does not answer")
