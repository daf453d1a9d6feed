"""Rooms that several servers share: any of them may be killed, and every game goes on as it was."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import httpx
import pytest
from pydantic import TypeAdapter
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from faults.rooms import new_room
from records.postgres import Server
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.records.lines import record_from_line
from sandtable.records.replay import check
from sandtable.registry import make_agent, make_game
from sandtable.server.connections import encoded
from sandtable.server.replays import set_up
from sandtable.server.server_messages import ServerMessage
from sandtable.server.shared.storage import LEASE_SECONDS, SharedStorage
from sandtable.server.storage import SYNC_VARIABLE, Elsewhere, RoomLost
from sandtable.server.table import SPECTATOR
from server.running import wait_until
from server.shared_servers import Proxy, SharedServer

CHECKER = TypeAdapter(ServerMessage)
PATIENCE = 60.0
ROOM = "a-room-here-1"
PEOPLE, PROGRAM = {"person": ""}, {"agent": "random"}
GAMES = (
    ("stratego:variant=mini", [PEOPLE, PEOPLE]),  # which hides things
    ("skirmish:max_turns=40", [PEOPLE, PEOPLE]),
    ("stratego:variant=mini", [PEOPLE, PROGRAM]),
    ("skirmish:max_turns=40", [PEOPLE, PROGRAM]),
)
PACE = 0.12  # seconds, on average, that a player thinks: games last longer than the kills
DISTURBANCES = ("kill", "database", "sleep", "kill")


@pytest.fixture(scope="module")
def database():
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def pair(database):
    """Two servers as they see their rooms, without the rest of them."""
    url = database.new_database()
    both = [SharedStorage(url), SharedStorage(url)]
    for number, each in enumerate(both):
        each.join(f"127.0.0.1:{number}")
    yield both
    for each in both:
        each.close()


def let_lease_run_out(storage):
    """Let a server seem to be dead."""
    query = "UPDATE servers SET expires_at = clock_timestamp() WHERE server = %s"
    storage.database.rows(query, (storage.us,))


def room_of_two(name=ROOM, minutes=None):
    return replace(new_room("skirmish", (None, None), minutes), room=name)


def test_a_server_that_slept_cannot_write_into_what_another_has_taken_over(pair):
    first, second = pair
    first.add_room(room_of_two())
    first.add_actions(ROOM, 0, [1, 2], {"pace": 1.0}, False)
    with pytest.raises(Elsewhere):
        second.take_room(ROOM)  # its keeper lives
    assert second.keeper_of(ROOM).address == "127.0.0.1:0"
    let_lease_run_out(first)
    assert second.orphans(10) == [ROOM]
    first.add_actions(ROOM, 2, [3], {"pace": 1.0}, False)  # nobody has it: that is still true
    stored, actions = second.take_room(ROOM)
    assert (actions, stored.state) == ([1, 2, 3], {"pace": 1.0})
    second.add_actions(ROOM, 3, [4], {"pace": 2.0}, False)
    for write in (
        lambda: first.add_actions(ROOM, 4, [5], {}, False),
        lambda: first.cut_actions(ROOM, 0, {}),
        lambda: first.set_state(ROOM, {}, True),
        lambda: first.set_seats(stored),
        lambda: first.add_room(room_of_two("a-room-here-2"), (ROOM, {})),
    ):
        with pytest.raises(RoomLost):
            write()
    first.add_transcript(ROOM, 1, [{"text": "too late"}])
    assert not first.renew()  # it hears that its lease had run out
    assert ROOM not in first.still_ours()
    assert second.get_room(ROOM)[1] == [1, 2, 3, 4]
    assert second.get_room("a-room-here-2") is None
    assert second.transcript(ROOM) == []
    let_lease_run_out(second)
    first.let_go(ROOM)
    assert first.take_room(ROOM)[1] == [1, 2, 3, 4]
    with pytest.raises(RoomLost):  # also not by the number of an earlier tenure
        second.set_state(ROOM, {}, False)


def test_what_several_servers_keep_is_what_one_keeps_in_a_file(pair):
    first, second = pair
    first.add_room(room_of_two(minutes=5.0))
    first.add_actions(ROOM, 0, [7, 8, 9], {"takebacks": 0}, False)
    first.add_transcript(ROOM, 1, [{"text": "one"}])
    first.add_transcript(ROOM, 2, [{"text": "two"}])
    first.cut_actions(ROOM, 2, {"takebacks": 1})
    stored, actions = second.get_room(ROOM)
    assert actions == [7, 8]
    assert stored == replace(room_of_two(minutes=5.0), state={"takebacks": 1})
    assert [each["text"] for each in second.transcript(ROOM)] == ["one"]
    assert second.finished_room(ROOM) is None
    first.set_state(ROOM, {"stopped": True}, True)
    assert second.finished_room(ROOM)[1] == 2
    assert second.listed_rooms(10) == [ROOM]
    assert first.forget_old_rooms(0.0) == 0  # it is not in the archive
    first.set_archived(ROOM)
    assert first.forget_old_rooms(1.0) == 0
    assert first.forget_old_rooms(0.0) == 1
    assert second.get_room(ROOM) is None
    first.save_text("shelf", "name", "text")
    first.save_text("shelf", "name", "other")
    assert second.saved_texts("shelf") == {"name": "other"}
    assert second.delete_text("shelf", "name") and not first.delete_text("shelf", "name")


def test_a_tournament_and_its_rooms_change_hands_together(pair):
    first, second = pair
    rooms = [replace(room_of_two(name), state={"class": "a-class"}) for name in ("one", "two")]
    first.save_class("a-class", 1.0, False, "{}", rooms)
    with pytest.raises(Elsewhere):
        second.take_room("one")
    let_lease_run_out(first)
    assert second.orphans(10) == []  # not one by one
    assert second.orphaned_classes() == ["a-class"]
    second.take_room("one")
    assert second.taken_classes == {"a-class"}  # somebody has to go on with "two" as well
    second.set_state("two", {}, False)
    for write in (
        lambda: first.save_class("a-class", 1.0, True, "{}", []),
        lambda: first.set_state("two", {}, False),
    ):
        with pytest.raises(SandtableError):
            write()
    second.save_class("a-class", 1.0, True, "{}", [])


def test_a_clock_runs_as_long_as_its_server_lived(pair):
    first, second = pair
    first.add_room(room_of_two(minutes=5.0))
    first.add_actions(ROOM, 0, [1], {}, False)
    time.sleep(0.3)
    first.renew()  # the last sign of life
    time.sleep(0.3)
    let_lease_run_out(first)
    second.take_room(ROOM)
    assert 0.3 <= second.seconds_served(ROOM) < 0.6
    assert second.seconds_served(ROOM) == 0.0  # it is taken off once


def test_a_database_that_is_silent_loses_a_room_and_no_more(pair):
    first, second = pair
    first.add_room(room_of_two())
    first.add_actions(ROOM, 0, [1], {}, False)
    dropped = []
    first.drop_everything = lambda: dropped.append(True)
    query = "SELECT pg_terminate_backend(%s)"
    second.database.rows(query, (first.database.opened.info.backend_pid,))
    with pytest.raises(RoomLost, match="ended the connection"):
        first.add_actions(ROOM, 1, [2], {}, False)
    assert dropped == []
    with pytest.raises(RoomLost, match="another server"):  # it could have lost what was written
        first.add_actions(ROOM, 1, [2], {}, False)
    assert dropped == [True]  # all rooms are read again
    assert first.take_room(ROOM)[1] == [1]
    first.add_actions(ROOM, 1, [2], {}, False)


class Visitor(threading.Thread):
    """Plays or watches through the proxy, and comes again whenever it is let go."""

    def __init__(self, host, room, token, number):
        super().__init__(daemon=True)
        self.host, self.room, self.token = host, room, token
        self.dice = random.Random(number)
        self.steps, self.boards, self.problems = {}, [], []
        self.viewer, self.over, self.breaks = SPECTATOR, False, 0

    def run(self):
        until = time.monotonic() + 2 * PATIENCE
        while not self.over and time.monotonic() < until:
            with suppress(WebSocketException, OSError, TimeoutError):
                address = f"ws://{self.host}/api/rooms/{self.room}/socket"
                with connect(address, max_size=None, open_timeout=15) as socket:
                    self.take_part(socket)
            self.breaks += not self.over
            time.sleep(0.1)

    def take_part(self, socket):
        joining = {"type": "join"} | ({} if self.token is None else {"token": self.token})
        socket.send(json.dumps(joining))
        while not self.over:
            text = socket.recv(PATIENCE)
            CHECKER.validate_json(text)
            message = json.loads(text)
            if message["type"] == "error" and message["code"] not in ("stale", "not_allowed"):
                self.problems.append(message)
            if "now" not in message:
                continue
            now = message["now"]
            if message["type"] == "state":
                self.viewer = SPECTATOR if message["you"] is None else message["you"]
                for entry in message["log"]:
                    self.note(entry)
            for step in message.get("steps", []):
                self.note(step)
                self.boards.append((step["ply"], step["board"]))
            self.over = now["outcome"] is not None
            if not self.over:
                self.boards.append((now["ply"], now["board"]))
            if now["legal"]:
                time.sleep(self.dice.expovariate(1 / PACE))
                action = self.dice.choice(now["legal"])["action"]
                socket.send(json.dumps({"type": "play", "ply": now["ply"], "actions": [action]}))

    def note(self, entry):
        """Note what was played; what is hidden in a game is told when it is over."""
        if entry["action"] is not None:
            self.steps.setdefault(entry["ply"], set()).add(entry["action"])


def asked(proxy, method, path, **more):
    """Ask by a connection of its own, so that another server is asked every time."""
    address = f"http://{proxy.host}{path}"
    return httpx.request(method, address, timeout=PATIENCE, **more).raise_for_status()


def check_what_was_told(visitor, record, table):
    """What somebody was told of the moves has stayed true, and the boards were for those eyes."""
    assert visitor.problems == []
    for ply, actions in visitor.steps.items():
        assert actions == {record.actions[ply - 1]}
    viewer = table.kind_of_viewer(visitor.viewer, False)
    told = {(ply, encoded(board)) for ply, board in visitor.boards if ply < table.ply}
    assert told == {(ply, encoded(table.board(ply, viewer))) for ply, _ in told}


def test_servers_and_database_die_while_games_are_played_and_no_move_is_lost(
    database, tmp_path, monkeypatch
):
    monkeypatch.setenv(SYNC_VARIABLE, "full")  # what is told is in the database's log
    for game in {name for name, _ in GAMES}:  # what is compiled here is not waited for there
        make_agent("random").choose(make_game(game).start(Dice(1)).view(0), Dice(1))
    url, proxy, dice = database.new_database(), Proxy(), random.Random(28)
    servers = [SharedServer(tmp_path / str(n), url, proxy.host) for n in range(3)]
    try:
        proxy.servers = [each.wait().port for each in servers[:2]]
        visitors, rooms = [], []
        for number in range(8):
            game, seats = GAMES[number % len(GAMES)]
            wanted = {"game": game, "seats": seats, "listed": True}
            links = asked(proxy, "POST", "/api/rooms", json=wanted).json()
            rooms.append(links["room"])
            tokens = [*(seat["token"] for seat in links["seats"]), None]
            visitors += [
                Visitor(proxy.host, links["room"], token, 10 * number + index)
                for index, token in enumerate(tokens)
            ]
        for each in visitors:
            each.start()
        proxy.servers.append(servers[2].wait().port)
        for number, disturbance in enumerate(DISTURBANCES):
            time.sleep(dice.uniform(0.3, 1.5))
            assert not all(each.over for each in visitors)
            victim = dice.choice([each for each in servers if each.process.poll() is None])
            if disturbance == "kill":
                victim.stop()
                servers.append(SharedServer(tmp_path / f"new {number}", url, proxy.host))
                proxy.servers.append(servers[-1].wait().port)
            elif disturbance == "sleep":  # until the others have taken its rooms
                victim.process.send_signal(signal.SIGSTOP)
                time.sleep(LEASE_SECONDS + 1.0)
                victim.process.send_signal(signal.SIGCONT)
            else:
                database.crash()
                time.sleep(0.5)
                database.start()
        for each in visitors:
            each.join(2 * PATIENCE)
        assert [each for each in visitors if not each.over] == []
        assert sum(each.breaks for each in visitors) > 0  # it was felt
        for room in rooms:
            record = record_from_line(asked(proxy, "GET", f"/api/rooms/{room}/record").text, room)
            check(record)  # every move is there once and in its place, to the end
            assert record.outcome.forfeited_by is None
            table = set_up(record)
            for visitor in visitors:
                if visitor.room == room:
                    check_what_was_told(visitor, record, table)
        listed = asked(proxy, "GET", "/api/rooms").json()
        assert {each["room"] for each in listed} == set(rooms)
        assert all(each["over"] for each in listed)
        kept = "/api/archive?limit=1"
        wait_until(lambda: asked(proxy, "GET", kept).json()["total"] == len(rooms), PATIENCE)
    finally:
        proxy.close()
        for each in servers:
            each.stop()
