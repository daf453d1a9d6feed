"""Who may talk to the server, how much, and what stands on its pages."""

from __future__ import annotations

import dataclasses

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from sandtable.errors import SandtableError
from sandtable.server.allowed_specs import allowed_agent, allowed_game
from sandtable.server.limits import Bucket
from server.running import NO_LIMITS, running

ROOM = {"game": "skirmish", "seats": [{"person": ""}, {"person": ""}]}


def test_pages_come_with_headers_that_forbid_foreign_content(server):
    answer = server.http.get("/api/about")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy.replace("style-src-attr 'unsafe-inline'", "")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", ""])
def test_other_names_are_not_answered_to(server, host):
    answer = server.http.get("/api/about", headers={"Host": host})
    assert answer.status_code == 421
    assert "version" not in answer.text


def test_requests_from_foreign_pages_change_nothing(server):
    for origin in ("http://evil.example", "null", f"http://{server.host}.evil.example"):
        answer = server.http.post("/api/rooms", json=ROOM, headers={"Origin": origin})
        assert answer.status_code == 403
        room = server.room("skirmish", None, None)["room"]
        with (
            pytest.raises((InvalidStatus, ConnectionClosed)),
            connect(
                f"ws://{server.host}/api/rooms/{room}/socket", additional_headers={"Origin": origin}
            ) as socket,
        ):
            socket.recv(5)
    own = server.http.post("/api/rooms", json=ROOM, headers={"Origin": f"http://{server.host}"})
    assert own.status_code == 200


def test_a_server_with_a_key_wants_it_for_whatever_starts_work(tmp_path):
    with running(tmp_path, key="secret", workers=0) as server:
        assert server.get("/api/about")["key_needed"]
        for headers in ({}, {"X-Sandtable-Key": "wrong"}):
            for path, body in (("/api/rooms", ROOM), ("/api/labels/retrain", {})):
                answer = server.http.post(path, json=body, headers=headers)
                assert answer.status_code == 401
                assert "key" in answer.json()["error"]
        made = server.http.post("/api/rooms", json=ROOM, headers={"X-Sandtable-Key": "secret"})
        assert made.status_code == 200
        with server.joined(made.json()["room"], made.json()["seats"][0]["token"]) as guest:
            guest.until_type("state")
            guest.play(guest.now["legal"][0]["action"])  # who is invited needs no key
            guest.until_type("steps")


def test_too_much_is_refused(tmp_path):
    limits = dataclasses.replace(
        NO_LIMITS, requests_per_second=0.001, request_burst=14, messages_per_second=0.001,
        message_burst=3, sockets=2,
    )  # fmt: skip
    with running(tmp_path, limits=limits, workers=0) as server:
        room = server.room("skirmish", None, None)["room"]
        large = server.http.post("/api/rooms", content=b" " * 70_000)
        assert (large.status_code, large.json()) == (413, {"error": "this is too large"})
        with server.joined(room) as one, server.joined(room) as two:
            one.until_type("state")
            two.until_type("state")
            with server.joined(room) as three:
                assert three.closing_code() == 4429
            for _ in range(60):
                one.send(type="ping")
            assert one.until_type("error")["code"] == "rate"
            assert one.closing_code() == 4429
            two.socket.send("x" * 20_000)
            assert two.closing_code() == 1009  # a message too big
        codes = [server.http.get("/api/about").status_code for _ in range(14)]
        assert codes[0] == 200
        assert codes[-1] == 429


def test_a_bucket_lets_a_burst_pass_and_then_a_measured_pace():
    bucket = Bucket(rate=0.0, burst=3)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    bucket.rate = 1e9
    assert bucket.take()


def test_without_a_client_every_page_says_what_to_do(tmp_path, server):
    answer = server.http.get("/room/anything")
    built = answer.status_code == 200 and "<html" in answer.text
    assert built or (answer.status_code == 503 and "make client" in answer.text)
    for path in ("/../pyproject.toml", "/%2e%2e/%2e%2e/__init__.py", "/assets/../../storage.py"):
        found = httpx.get(f"http://{server.host}{path}")
        assert "import" not in found.text
    assert server.http.get("/api/nothing").status_code == 404


@pytest.mark.parametrize(
    "spec",
    [
        "external:./bot", "human", "lucid/semantic:weights=/etc/passwd", "alphabeta:../x",
        "lucid/imitation-4:~/games.jsonl",
    ],
)  # fmt: skip
def test_agents_that_name_files_or_programs_are_refused(spec):
    with pytest.raises(SandtableError):
        allowed_agent(spec, external=False)


def test_games_that_name_files_are_refused_but_rows_are_not():
    rows = "stratego:red=2975T2/B3F3SB,variant=mini"
    assert allowed_game(rows) == rows
    for value in ("/etc/passwd", "../x#1", "B72T92/FBS353#2", "~/setups"):
        with pytest.raises(SandtableError, match="files cannot be named"):
            allowed_game(f"stratego:variant=mini,red={value}")
    with pytest.raises(SandtableError, match="files cannot be named"):
        allowed_game("openspiel.efg_game:filename=secret")
