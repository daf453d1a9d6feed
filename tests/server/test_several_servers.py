"""Two servers behind a plain proxy: whichever is asked, the answer is the same."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from records.postgres import Server
from sandtable.errors import SandtableError
from sandtable.server.serve import shared_key
from sandtable.server.shared.storage import SharedStorage
from server.running import wait_until
from server.shared_servers import Proxy, SharedServer

PATIENCE = 60.0
SKIRMISH = "skirmish:max_turns=4"
PEOPLE = [{"person": ""}, {"person": ""}]


@pytest.fixture(scope="module")
def url():
    running = Server()
    yield running.new_database()
    running.stop()


@pytest.fixture(scope="module")
def proxy(url, tmp_path_factory):
    found = Proxy()
    folder = tmp_path_factory.mktemp("several")
    servers = [SharedServer(folder / str(n), url, found.host) for n in range(2)]
    found.servers = [each.wait().port for each in servers]
    found.running = servers
    yield found
    found.close()
    for each in servers:
        each.stop()


def ask(host, method, path, token=None, **more):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = httpx.request(
        method, f"http://{host}{path}", timeout=PATIENCE, headers=headers, **more
    )
    assert answer.status_code == 200, answer.text
    return answer.json() if "json" in answer.headers["content-type"] else answer.text


@contextmanager
def joined(host, room, token=None):
    with connect(f"ws://{host}/api/rooms/{room}/socket", max_size=None) as socket_:
        socket_.send(json.dumps({"type": "join"} | ({} if token is None else {"token": token})))
        yield socket_


def next_of(socket_, kind):
    while True:
        message = json.loads(socket_.recv(PATIENCE))
        if message["type"] == kind:
            return message


def both(proxy, method, path, **more):
    """Ask each of the servers by itself."""
    return [ask(each.host, method, path, **more) for each in proxy.running]


def test_a_room_is_the_same_wherever_one_asks(proxy):
    first = proxy.running[0].host
    wanted = {"game": "stratego:variant=mini", "listed": True,
              "seats": [{"person": "", "open": True}, {"person": ""}]}  # fmt: skip
    links = ask(first, "POST", "/api/rooms", json=wanted)
    room, tokens = links["room"], [seat["token"] for seat in links["seats"]]
    second = proxy.running[1].host
    taken = ask(second, "POST", f"/api/rooms/{room}/seats/0", json={"name": "Ann"})
    assert (taken["name"], taken["token"]) == ("Ann", tokens[0])
    again = httpx.post(f"http://{second}/api/rooms/{room}/seats/0", json={"name": "Ben"})
    assert (again.status_code, "somebody has taken" in again.text) == (409, True)
    assert both(proxy, "GET", f"/api/rooms/{room}")[0]["seats"][0]["name"] == "Ann"
    listed = both(proxy, "GET", "/api/rooms")
    assert listed[0] == listed[1] and [each["room"] for each in listed[0]] == [room]
    assert both(proxy, "GET", f"/api/yours?rooms={room}")[1] == listed[0]
    states = []
    for host in (first, second):
        for token in (*tokens, None):
            with joined(host, room, token) as socket_:
                states.append(next_of(socket_, "state"))
    assert states[:3] == states[3:]
    assert states[0]["now"]["board"] != states[1]["now"]["board"]
    with joined(second, room, "wrong") as socket_, pytest.raises(ConnectionClosed) as closed:
        next_of(socket_, "state")
    assert closed.value.rcvd.code == 4401
    with joined(second, room, tokens[states[0]["now"]["turn"]]) as player:
        now = next_of(player, "state")["now"]
        with joined(first, room) as watching:
            next_of(watching, "state")
            action = now["legal"][0]["action"]
            player.send(json.dumps({"type": "play", "ply": 0, "actions": [action]}))
            assert next_of(watching, "steps")["now"]["ply"] == 1
    path = f"/api/rooms/{room}/log"
    logs = [ask(host, "GET", path, token) for host in (first, second) for token in tokens]
    assert logs[:2] == logs[2:] and logs[0]["total"] == 1
    assert httpx.get(f"http://{second}/api/rooms/{room}/record").status_code == 409
    assert httpx.get(f"http://{second}/api/rooms/nowhere-here").status_code == 404


def test_jobs_and_saved_texts_are_found_from_everywhere(proxy):
    wanted = {"game": SKIRMISH, "agents": ["random", "random"], "games": 2}
    job = ask(proxy.running[0].host, "POST", "/api/matches", json=wanted)["job"]

    def done():
        found = both(proxy, "GET", f"/api/jobs/{job}")
        assert found[0]["title"] == found[1]["title"]
        return found[1]["status"] == "done"

    wait_until(done, PATIENCE)
    assert [[each["job"] for each in jobs] for jobs in both(proxy, "GET", "/api/jobs")] == [
        [job]
    ] * 2
    assert httpx.get(f"http://{proxy.host}/api/jobs/abcdefghijkl").status_code == 404


def test_a_class_plays_wherever_its_people_are_sent(proxy):
    made = ask(proxy.host, "POST", "/api/classes", json={"game": SKIRMISH, "title": "4b"})
    path = f"/api/classes/{made['name']}"
    tokens = [
        ask(proxy.host, "POST", f"{path}/players", json={"name": name})["token"]
        for name in ("Ann", "Ben", "Eve")
    ]
    page = ask(proxy.host, "POST", f"{path}/rounds", made["host"], json={})
    assert len(page["rounds"][0]["meetings"]) == 1
    assert [found[0]["name"] for found in both(proxy, "GET", "/api/classes")] == [made["name"]] * 2
    game = page["rounds"][0]["meetings"][0]["games"][0]
    for player in game["players"]:
        (way,) = both(proxy, "GET", f"{path}/me", token=tokens[player])[1]["games"]
        with joined(proxy.host, way["room"], way["link"].partition("token=")[2]) as socket_:
            assert next_of(socket_, "state")["you"] == game["players"].index(player)
    decided = {"room": game["room"], "seat": 0}
    page = ask(proxy.host, "POST", f"{path}/decisions", made["host"], json=decided)
    assert page["rounds"][0]["over"]
    tables = both(proxy, "GET", path)
    assert tables[0] == tables[1]
    assert tables[0]["standings"][0]["points"] > 0


def test_only_servers_are_let_in_where_servers_talk(proxy, url):
    storage = SharedStorage(url)
    peers = storage.peers()
    secret = storage.database.secret()
    storage.close()
    assert len(peers) == 2
    for peer in peers:
        about = f"http://{peer.address}/api/about"
        assert httpx.get(about).status_code == 403
        assert httpx.get(about, headers={"x-sandtable-peer": "guessed"}).status_code == 403
        assert httpx.get(about, headers={"x-sandtable-peer": secret}).status_code == 200
    outside = f"http://{proxy.running[0].host}/api/jobs"
    strange = {"host": "elsewhere.example", "x-sandtable-peer": secret}
    assert httpx.get(outside, headers=strange).status_code == 421  # it opens nothing else
    assert shared_key(url) == shared_key(url)


def test_a_database_that_is_not_there_is_said_in_one_line(sandtable, tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        rooms = f"postgresql://me:secret@127.0.0.1:{port}/rooms"
        code, _, errors = sandtable("serve", "--api-only", "-p", 0, "--data", tmp_path,
                                    "--rooms", rooms)  # fmt: skip
    assert (code, errors.count("\n"), "secret" in errors) == (1, 1, False)
    assert "no server answers there" in errors
    with pytest.raises(SandtableError, match="postgresql://"):
        SharedStorage(str(tmp_path / "rooms.db"))
    code, _, errors = sandtable("serve", "--peers", "nowhere", "--rooms", rooms)
    assert (code, errors) == (1, "error: 'nowhere' is no HOST:PORT, for example 10.0.0.5:8100\n")


def children_of(process):
    path = Path(f"/proc/{process}/task/{process}/children")
    words = [int(word) for word in path.read_text().split()]
    return [each for each in words if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_one_command_starts_several_servers_and_replaces_one_that_died(url, tmp_path):
    server = SharedServer(tmp_path, url, more=("--processes", "2")).wait()
    try:
        wanted = {"game": SKIRMISH, "seats": PEOPLE}
        rooms = [ask(server.host, "POST", "/api/rooms", json=wanted)["room"] for _ in range(8)]
        first = children_of(server.process.pid)
        assert len(first) == 2
        os.kill(first[0], signal.SIGKILL)
        wait_until(lambda: len(set(children_of(server.process.pid)) - {first[0]}) == 2, PATIENCE)

        def there():
            with suppress(httpx.TransportError):
                return len(ask(server.host, "GET", f"/api/yours?rooms={','.join(rooms)}")) == 8
            return False

        wait_until(there, PATIENCE)
    finally:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(PATIENCE)
        server.stop()
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://{server.host}/api/about")


def test_a_server_that_is_stopped_hands_over_at_once(proxy):
    first, second = proxy.running
    wanted = {"game": SKIRMISH, "seats": PEOPLE}
    links = ask(first.host, "POST", "/api/rooms", json=wanted)
    token = links["seats"][0]["token"]
    with joined(second.host, links["room"], token) as player:
        now = next_of(player, "state")["now"]
        play = {"type": "play", "ply": 0, "actions": [now["legal"][0]["action"]]}
        player.send(json.dumps(play))
        next_of(player, "steps")
        began = time.monotonic()
        first.stop(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            next_of(player, "nothing")
        assert closed.value.rcvd.code == 4503
    with joined(second.host, links["room"], token) as player:
        assert next_of(player, "state")["now"]["ply"] == 1
    assert time.monotonic() - began < 15.0  # mostly for the server to end
