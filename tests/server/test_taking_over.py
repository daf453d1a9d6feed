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
from sandtable.server.classes.tournament import (
    ClassGame,
    ClassPlayer,
    ClassRound,
    ClassTournament,
    Meeting,
)
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


def class_of_two(over=False):
    """Return a class with two games that have begun."""
    names = ["one", "two"]
    rooms = [room_of_two(name, minutes=None, state={"class": "a-class"}) for name in names]
    games = tuple(Meeting((0, 1), (ClassGame(name, (0, 1)),)) for name in names)
    players = (ClassPlayer("Ann", "token-a", None), ClassPlayer("Ben", "token-b", None))
    made = ClassTournament(
        name="a-class", host="host", title="4b", made_at=1.0, game=rooms[0].game, over=over,
        players=players, rounds=(ClassRound(games, ()),), kind="swiss", both_sides=False,
        clock=None, listed=False,
    )  # fmt: skip
    return made, rooms


@pytest.mark.parametrize("over", [False, True])
def test_all_rooms_of_a_class_go_on_when_one_is_asked_for(url, tmp_path, over):
    async def ask():
        with sharing(url) as first, serving(tmp_path, url) as second:
            made, rooms = class_of_two(over)
            SharedClassStorage(first).save(made, rooms)
            let_lease_run_out(first)
            assert await second.rooms.find("one") is not None  # before the next beat
            assert "two" not in second.rooms.open
            await second.beat()
            assert second.rooms.open.keys() == {"one", "two"}
            assert second.classes.open.keys() == {"a-class"}

    asyncio.run(ask())


@pytest.mark.parametrize("ended", [False, True])
def test_games_of_a_class_that_is_over_are_taken_over(url, tmp_path, ended):
    async def take_over():
        with sharing(url) as first, serving(tmp_path, url) as second:
            made, rooms = class_of_two(over=True)
            SharedClassStorage(first).save(made, rooms)
            if ended:  # and the server is killed before the archive has heard of it
                for room in ("one", "two"):
                    first.set_state(room, {"stopped": True, "class": "a-class"}, True)
            let_lease_run_out(first)
            await second.beat()
            assert second.rooms.open.keys() == {"one", "two"}
            if ended:
                await until(lambda: all(room.archived for room in second.rooms.open.values()))
                assert second.storage.unfinished_of("a-class") == []

    asyncio.run(take_over())


def test_clocks_stand_while_no_server_lives_however_often_a_room_changes_hands(url, tmp_path):
    """A minute with the first, nine hours of nothing, half a minute with the second, and again."""

    def came_to_be(storage, *, seen_ago, acted_ago):
        """Move a server and what it did into the past."""
        for change in (
            f"servers SET renewed_at = clock_timestamp() - interval '{seen_ago} s', "
            "expires_at = clock_timestamp() WHERE server = %s",
            f"rooms SET acted_at = least(acted_at, clock_timestamp() - interval '{acted_ago} s'), "
            f"taken_at = clock_timestamp() - interval '{acted_ago} s' WHERE keeper = %s",
        ):
            storage.database.rows(f"UPDATE {change}", (storage.us,))

    async def change_hands():
        with sharing(url) as first, serving(tmp_path, url, 1) as second, \
                serving(tmp_path, url, 2) as third:  # fmt: skip
            first.add_room(room_of_two(minutes=5.0))
            game = rooms_module.make_game("skirmish")
            action = int(game.start(rooms_module.Dice(5)).legal[0])
            first.add_actions(ROOM, 0, [action], {"clocks": [300.0, 300.0]}, False)
            came_to_be(first, seen_ago=100_000, acted_ago=100_060)
            room = await second.rooms.find(ROOM)
            assert room.clocks.left[room.table.turn] == pytest.approx(240.0, abs=5.0)
            room.close()
            came_to_be(second.storage, seen_ago=50_000, acted_ago=50_030)
            room = await third.rooms.find(ROOM)
            assert room.clocks.left[room.table.turn] == pytest.approx(210.0, abs=5.0)
            third.rooms.lose(room)
            room = await third.rooms.find(ROOM)  # read again: as it was
            assert room.clocks.left[room.table.turn] == pytest.approx(210.0, abs=5.0)
            room.store_state(over=False)
            third.rooms.lose(room)
            room = await third.rooms.find(ROOM)  # and taken off once
            assert room.clocks.left[room.table.turn] == pytest.approx(210.0, abs=5.0)

    asyncio.run(change_hands())
