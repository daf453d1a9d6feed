"""The server of leagues: who may what, what is shown, and a bot on its author's machine."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.websockets import WebSocketState

from league.leagues import Fixture
from sandtable.league import client as client_module
from sandtable.league.application import Leagues, league_settings, make_league_application
from sandtable.league.link import NotAccepted, ServerFault, ServerLink, Unreachable, patiently
from sandtable.league.queue import MOST_ATTEMPTS
from sandtable.league.relay import BotSocket, RemoteBots
from sandtable.league.store import Store
from sandtable.league.trials import trials_of
from sandtable.league.worker import WorkerOptions, work
from sandtable.server.serve import config_of, listen

PATIENCE = 240.0
TOKEN = "token-of-workers"


class Running:
    """A server of leagues in a thread, with real sockets."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(folder / "leagues.db")
        self.open = self.store.add_league("open", "skirmish:max_turns=30", seed=3, most_rounds=1)
        self.private = self.store.add_league(
            "course", "skirmish", join_key="the-key", most_rounds=1
        )
        self.leagues = Leagues(self.store, TOKEN, programs=False)
        settings = league_settings(folder, "127.0.0.1", 0, ())
        self.listener = listen(settings)
        settings = replace(settings, port=int(self.listener.getsockname()[1]))
        self.address = f"http://127.0.0.1:{settings.port}"
        application = make_league_application(self.leagues, settings)
        self.server = uvicorn.Server(config_of(application, settings))
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True
        )
        self.thread.start()
        self.http = httpx.Client(base_url=self.address, timeout=PATIENCE)
        self.link = ServerLink(self.address)
        wait_until(lambda: self.server.started)

    def author(self, name: str, league: str = "open", key: str | None = None) -> ServerLink:
        wanted = {"name": name, "key": key}
        token = self.link.post(f"/api/leagues/{league}/authors", wanted)["token"]
        return ServerLink(self.address, token)

    def page(self, path: str, **more: object) -> str:
        answer = self.http.get(path, headers={"accept": "text/html"}, **more)
        assert answer.status_code == 200, answer.text
        return answer.text

    def close(self) -> None:
        self.http.close()
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        self.listener.close()
        self.store.close()


def wait_until(done) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    found = Running(tmp_path_factory.mktemp("leagues"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def played(server, tmp_path_factory):
    """A league with bots of two authors, one of them on its author's machine, wholly played."""
    ann, bob = server.author("ann"), server.author("bob")
    for author, name, spec in ((ann, "rand", "random"), (bob, "greedy", "skirmish/greedy")):
        author.upload(f"/api/leagues/open/bots?name={name}&kind=agent&spec={spec}", b"")
    ann.upload("/api/leagues/open/bots?name=far&kind=remote", b"")
    ann.post(
        "/api/leagues/open/tests", {"first": "rand", "second": "greedy", "high": 200, "most": 8}
    )
    messages: list[dict] = []

    def choose(message):
        messages.append(message)
        return message["legal_numbers"][0]

    def far() -> None:
        client_module.play(
            server.address.replace("http", "ws"), league="open", bot="far", token=ann.token,
            choose=choose, watch=messages.append, again=False,
        )  # fmt: skip

    thread = threading.Thread(target=far, daemon=True)
    thread.start()
    wait_until(server.leagues.remote.connected)
    options = WorkerOptions(tmp_path_factory.mktemp("files"), until_idle=True, idle_seconds=0.01)
    told: list[str] = []
    done = work(ServerLink(server.address, TOKEN), options, told.append)
    assert told == []
    yield done, messages
    for each in list(server.leagues.remote.here.values()):
        each.leave()


def test_a_worker_plays_everything_remote_bots_included(server, played):
    done, messages = played
    assert done.deals >= 16
    assert done.lost == 0
    table = server.http.get("/api/leagues/open").json()["table"]
    assert {row["bot"] for row in table} == {"rand", "greedy", "far"}
    far = next(row for row in table if row["bot"] == "far")
    assert far["deals"] > 0
    assert far["forfeits"] == 0
    assert {message["type"] for message in messages} == {"choose", "watch"}
    assert trials_of(server.store, server.open)[0].ended is not None


def test_every_page_is_there_and_leads_to_every_game(server, played):
    assert "Public leagues" in server.page("/")
    for path in ("", "/cross", "/games", "/tests", "/tests/1", "/join", "/bots/greedy"):
        assert "<h1>" in server.page(f"/leagues/open{path}")
    listed = server.page("/leagues/open/games")
    assert "/leagues/open/games/1-0" in listed
    game = server.page("/leagues/open/games/1-0")
    assert "/leagues/open/games/1-0/0.svg" not in game
    assert "/leagues/open/games/1-0/1.svg" in server.page("/leagues/open/games/1-0?turn=1")
    drawn = server.http.get("/leagues/open/games/1-0/0.svg")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.text.startswith("<svg")
    record = json.loads(server.http.get("/leagues/open/games/1-0.jsonl").text)
    assert set(record["seats"]) <= {"rand", "greedy", "far"}
    assert record["seed"] != 3
    for path in (
        "/leagues/open/games/1-7",
        "/leagues/open/games/x",
        "/leagues/open/bots/nobody",
        "/leagues/nothing",
        "/leagues/open/tests/99",
        "/leagues/open/games/1-0/999.svg",
    ):
        assert server.http.get(path).status_code == 404


def test_no_page_tells_seeds_tokens_or_what_is_being_played(server, played):
    pages = [server.page(f"/leagues/open{path}") for path in ("", "/cross", "/games", "/join")]
    pages.append(server.http.get("/api/leagues/open").text)
    for text in pages:
        assert TOKEN not in text
        assert str(server.open.deal_seed(0, 0)) not in text


def test_a_worker_that_dies_while_it_brings_a_result_is_no_fault_of_the_server(server):
    told: list[logging.LogRecord] = []
    listening = logging.Handler(logging.ERROR)
    listening.emit = told.append
    logging.getLogger("uvicorn.error").addHandler(listening)
    host, port = server.listener.getsockname()[:2]
    with socket.create_connection((host, port)) as worker:
        worker.sendall(
            f"POST /api/work/result HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
            "Content-Length: 1000\r\n\r\n{".encode()
        )
        time.sleep(0.3)  # it is read by now
    time.sleep(0.3)
    assert server.http.get("/api/leagues").status_code == 200
    logging.getLogger("uvicorn.error").removeHandler(listening)
    assert told == []


def test_a_private_league_looks_like_none(server):
    for path in ("/leagues/course", "/api/leagues/course", "/leagues/course/games",
                 "/api/leagues/course/bots"):  # fmt: skip
        private, none = server.http.get(path), server.http.get(path.replace("course", "nothing"))
        assert private.status_code == none.status_code == 404
        assert private.text == none.text
    assert "course" not in server.page("/")
    assert all(each["name"] != "course" for each in server.http.get("/api/leagues").json())
    with pytest.raises(NotAccepted, match="join key"):
        server.author("eve", "course", "a-guess")
    author = server.author("dora", "course", "the-key")
    assert author.get("/api/leagues/course")["private"] is True
    opened = server.http.post("/open", data={"league": "course", "key": "the-key"})
    assert opened.status_code == 303
    assert "httponly" in opened.headers["set-cookie"].lower()
    assert "course" in server.page("/leagues/course")  # by the cookie
    assert server.http.post("/open", data={"league": "course", "key": "no"}).status_code == 404
    server.http.cookies.clear()


def test_a_form_with_too_many_fields_is_one_line(server):
    form = dict.fromkeys(("league", "key", "a", "b", "c"), "x")
    assert server.http.post("/open", data=form).status_code == 400


def test_joining_without_a_key_is_slow(tmp_path):
    store = Store.open(tmp_path / "leagues.db")
    leagues = Leagues(store, TOKEN, programs=False)
    joined = [leagues.may_join("1.2.3.4") for _ in range(40)]
    assert joined[:20] == [True] * 20
    assert not joined[-1]
    assert leagues.may_join("1.2.3.5")
    store.close()


def test_who_has_no_token_may_do_nothing(server):
    lease = {"worker": "w", "sandbox": False, "games": {}, "most": 1}
    for link in (server.link, ServerLink(server.address, "wrong"), server.author("cid")):
        with pytest.raises(NotAccepted, match="token of a worker"):
            link.post("/api/work/lease", lease)
        with pytest.raises(NotAccepted, match="token of a worker"):
            link.download("0" * 64)
    for link in (server.link, ServerLink(server.address, TOKEN)):
        with pytest.raises(NotAccepted, match="token of an author"):
            link.upload("/api/leagues/open/bots?name=x&kind=agent&spec=random", b"")
    other = server.author("fay", "course", "the-key")
    with pytest.raises(NotAccepted, match="token of an author of this league"):
        other.upload("/api/leagues/open/bots?name=x&kind=agent&spec=random", b"")


def test_only_its_author_retires_or_tests_a_bot(server, played):
    eve = server.author("eve")
    with pytest.raises(NotAccepted, match="no bot 'greedy' of yours"):
        eve.post("/api/leagues/open/bots/greedy/retire", {})
    with pytest.raises(NotAccepted, match="not yours"):
        eve.post("/api/leagues/open/tests", {"first": "greedy", "second": "rand"})


def test_what_is_too_large_or_unknown_is_one_line(server):
    gus = server.author("gus")
    worker = ServerLink(server.address, TOKEN)
    path = "/api/leagues/open/bots?name=big&kind=program"
    with pytest.raises(NotAccepted, match="not accepted here"):
        gus.upload(path, b"#!/bin/sh\n")
    with pytest.raises((NotAccepted, Unreachable)):
        gus.upload("/api/leagues/open/bots?name=b&kind=weights&spec=network", bytes(65 * 2**20))
    answer = server.http.post("/api/leagues/open/authors", content=b"x" * 600_000)
    assert answer.status_code == 413
    with pytest.raises(NotAccepted, match="a lease, a deal and its records"):
        worker.post("/api/work/result", {"lease": "x"})
    with pytest.raises(NotAccepted, match="no such deal"):
        worker.post("/api/work/result", {"lease": "x", "deal": 9999, "records": []})
    with pytest.raises(NotAccepted, match="no such deal any more"):
        worker.post(
            "/api/work/ask", {"lease": "x", "deal": 1, "bot": 1, "line": "{}", "seconds": 1}
        )
    with pytest.raises(NotAccepted, match="name"):
        server.author("<script>")
    strange = server.http.get("/leagues/open", headers={"host": "evil.example"})
    assert strange.status_code == 421


def test_a_stranger_cannot_speak_for_a_remote_bot(server, played, capsys):
    ws = server.address.replace("http", "ws")
    with pytest.raises(SystemExit, match="no remote bot of this name and token"):
        client_module.play(ws, league="open", bot="far", token="wrong", choose=len, again=False)
    with pytest.raises(SystemExit, match="no remote bot of this name and token"):
        token = server.author("hal").token
        client_module.play(ws, league="open", bot="far", token=token, choose=len, again=False)


def test_the_client_library_stands_alone(server, tmp_path):
    text = server.http.get("/api/client.py").text
    assert "sandtable" not in [line.split()[1] for line in text.splitlines()
                               if line.startswith(("import ", "from "))]  # fmt: skip
    (tmp_path / "copied.py").write_text(text)
    spec = importlib.util.spec_from_file_location("copied", tmp_path / "copied.py")
    copied = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copied)
    message = {"type": "choose", "legal": ["a", "b"]}
    assert copied.answer_to(message, lambda told: told["legal"][0]) == {"actions": ["a"]}
    assert copied.answer_to({"type": "begin"}, len) == {"ready": True, "watch": False}
    assert copied.answer_to({"type": "finish"}, len) is None


def test_a_server_that_is_away_is_asked_again():
    answers = [Unreachable("it is away"), Unreachable("it is away"), {"there": True}]
    told, slept = [], []

    def ask():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert patiently(ask, told.append, slept.append) == {"there": True}
    assert len(told) == 2  # once why, once that it is over
    assert slept == sorted(slept)
    with pytest.raises(Unreachable, match="does not answer"):
        ServerLink("http://127.0.0.1:9").get("/api/leagues")


@pytest.mark.parametrize("problem", [NotAccepted("no"), ServerFault("broken")])
def test_a_result_that_is_not_taken_ends_no_worker(tmp_path, monkeypatch, problem):
    monkeypatch.setattr("sandtable.league.link.FIRST_PAUSE", 0.0)
    league = Fixture(tmp_path, rounds=1, bots=2)
    results, released = [], []

    class Link:
        def post(self, path, data, seconds=60.0):
            if path.endswith("/lease"):
                token = league.lease(data["most"])
                return {"lease": token, "seconds": 60.0, "deals": league.leases[token],
                        "elsewhere": 0}  # fmt: skip
            if path.endswith("/result"):
                results.append(data["deal"])
                if data["deal"] == 1:
                    raise problem
                league.queue.finish(data["deal"], data["records"], "w")
            if path.endswith("/release"):
                released.append(data["lost"])
                league.queue.release(data["lease"], data["lost"])
            return {}

    told = []
    options = WorkerOptions(tmp_path, until_idle=True, idle_seconds=0.0)
    done = work(Link(), options, told.append)
    assert (done.deals, done.lost) == (7, MOST_ATTEMPTS)
    assert released == [[1]] * MOST_ATTEMPTS
    assert results.count(1) == MOST_ATTEMPTS * (1 if isinstance(problem, NotAccepted) else 4)
    assert any("does not take its result" in line for line in told)
    league.close()


class SlowSocket:
    """A socket whose other end reads nothing."""

    client_state = WebSocketState.CONNECTED
    closed = False

    async def send_text(self, text):
        await asyncio.Event().wait()

    async def close(self, code, reason):
        self.closed = True


@pytest.mark.parametrize("seconds", [0.01, None])
def test_a_bot_that_reads_nothing_forfeits(monkeypatch, seconds):
    monkeypatch.setattr("sandtable.league.relay.SECONDS_TO_SEND", 0.01)

    async def passed():
        remote, socket = RemoteBots(), SlowSocket()
        remote.comes(3, BotSocket(socket))
        return await remote.pass_on(3, "{}", seconds), remote.connected(), socket.closed

    forfeit, connected, closed = asyncio.run(passed())
    assert "does not read" in forfeit["forfeit"]
    assert not connected
    assert closed


def test_an_answer_has_a_number():
    for text in ('{"id": []}', '{"id": true}', '{"answer": {}}', "[]"):
        with pytest.raises(ValueError, match="an answer"):
            BotSocket(None).hear(text)
