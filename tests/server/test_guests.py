"""What guests, who have no key, can ask and read."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from sandtable.cli import serve as command
from sandtable.errors import SandtableError
from sandtable.registry import make_agent
from sandtable.server.allowed_specs import allowed_agent, allowed_hint
from sandtable.server.client_messages import UnreadableMessage, read_message
from sandtable.server.pool import AgentFailure, AgentPool, Worker
from sandtable.specs import without_files
from server.running import running

KEY = {"X-Sandtable-Key": "secret"}


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    with running(tmp_path_factory.mktemp("keyed"), key="secret", workers=1) as found:
        yield found


def finished_room(server, name: str, listed: bool) -> str:
    """Play a room to its end by resigning; return the name of the game in the archive."""
    body = {"game": "skirmish", "seats": [{"person": name}, {"person": ""}], "listed": listed}
    room = server.post("/api/rooms", body, headers=KEY)
    with server.joined(room["room"], room["seats"][0]["token"]) as player:
        player.until_type("state")
        player.play(player.now["legal"][0]["action"])
        player.until_type("steps")
        player.send(type="resign")
        end = player.until(lambda each: each["type"] == "state" and each["why"] == "end")
    return end["now"]["archive"]


def test_only_listed_games_are_public_where_there_is_a_key(keyed):
    shown = finished_room(keyed, "Shown", True)
    quiet = finished_room(keyed, "Quiet", False)
    match = {"game": "skirmish", "agents": ["random", "random"], "games": 2}
    job = keyed.post("/api/matches", match, headers=KEY)["job"]
    assert keyed.job(job)["status"] == "done"
    deadline = time.monotonic() + 60
    while keyed.get("/api/archive", headers=KEY)["total"] < 4:
        assert time.monotonic() < deadline
    found = keyed.get("/api/archive")
    assert [game["id"] for game in found["games"]] == [shown]
    assert found["total"] == 1
    lines = keyed.http.get("/api/archive/records").text
    assert "Shown" in lines
    assert "Quiet" not in lines
    assert keyed.get("/api/jobs") == []
    assert keyed.get("/api/training") == []
    assert keyed.http.get("/api/labels").status_code == 401
    everything = keyed.get("/api/archive", headers=KEY)
    assert everything["total"] == 4
    assert [job["kind"] for job in keyed.get("/api/jobs", headers=KEY)] == ["match"]
    played = next(game["id"] for game in everything["games"] if game["players"][0] == "random")
    for path in ("", "/record", "/steps"):
        assert keyed.http.get(f"/api/archive/{played}{path}").status_code == 404
        assert keyed.http.get(f"/api/archive/{played}{path}", headers=KEY).status_code == 200
        assert keyed.http.get(f"/api/archive/{quiet}{path}").status_code == 200  # who was there


def test_a_server_that_starts_programs_has_a_key_even_for_this_machine_alone(monkeypatch):
    seen = []

    class Server:
        is_loopback = staticmethod(lambda host: True)
        serve = staticmethod(lambda settings, **more: seen.append(settings))

    monkeypatch.setattr(command, "load_server", lambda: Server)
    for words in ([], ["--allow-external"], ["--key"]):
        assert CliRunner().invoke(command.command, words).exit_code == 0
    assert [settings.key is not None for settings in seen] == [False, True, True]


def test_a_server_that_starts_programs_without_a_key_is_refused(tmp_path):
    from sandtable.server.serve import serve
    from server.running import settings_in

    with pytest.raises(SandtableError, match="needs a key"):
        serve(settings_in(tmp_path, external=True), client_wanted=False, ready=print)


@pytest.mark.parametrize(
    "spec",
    [
        "montecarlo:samples=999999", "montecarlo:999999", "alphabeta:budget=1000000000000000000",
        "alphabeta:seconds=60", "alphabeta:depth=40", "montecarlo:longest=1000000", "alphabeta:nan",
        "alphabeta:seconds=inf", "external:./bot", "stratego/value:moves=100000",
        "montecarlo:samples=0x7fffffff", "montecarlo:0b1111111111111", "alphabeta:budget=9e9x",
        "alphabeta:seconds=-0x99",
    ],
)  # fmt: skip
def test_guests_ask_modest_programs_only(spec):
    with pytest.raises(SandtableError):
        allowed_hint(spec)


@pytest.mark.parametrize(
    "spec", ["montecarlo:samples=500", "alphabeta:budget=5000", "random", "stratego/champion"]
)
def test_modest_programs_may_be_asked(spec):
    assert allowed_hint(spec) == spec


def test_eight_connections_with_one_token_get_one_hint_and_stop_nobody(keyed):
    seats = [{"person": ""}, {"agent": "skirmish/greedy"}]
    room = keyed.post("/api/rooms", {"game": "skirmish", "seats": seats}, headers=KEY)
    with ExitStack() as stack:
        token = room["seats"][0]["token"]
        players = [stack.enter_context(keyed.joined(room["room"], token)) for _ in range(8)]
        for number, player in enumerate(players):
            player.until_type("state")
            player.send(type="hint", agent=f"montecarlo:samples={1990 + number}", id=str(number))
        began = time.monotonic()
        keyed.post("/api/rooms", {"game": "skirmish", "seats": seats}, headers=KEY)
        assert time.monotonic() - began < 60
        refused = [
            player.until(lambda each: each["type"] in ("error", "hint")) for player in players
        ]
        assert sum(each.get("code") == "busy" for each in refused) >= 7 - sum(
            each["type"] == "hint" for each in refused
        )
        assert {each["code"] for each in refused if each["type"] == "error"} == {"busy"}
        assert keyed.inside(lambda held: len(held.rooms.hints.seats)) <= 1


def test_unknown_programs_never_get_the_last_process():
    async def work() -> None:
        pool = AgentPool(0, 2)
        pool.start_worker = lambda: None
        held = [Worker(SimpleNamespace(returncode=None), None, mark) for mark in "ab"]
        pool.workers, pool.idle = set(held), list(held)
        answered = asyncio.Event()

        async def exchange(worker, request):
            if request["operation"] == "slow":
                await answered.wait()
            return {}

        pool.exchange = exchange
        pool.means["known"] = 0.01
        tasks = [
            asyncio.create_task(pool.ask({"operation": "slow"}, limit=60, name=f"new {number}"))
            for number in range(5)
        ]
        await asyncio.sleep(0)
        await asyncio.wait_for(pool.ask({"operation": "quick"}, limit=60, name="known"), 20)
        assert pool.slow_running == 1
        answered.set()
        await asyncio.gather(*tasks)

    asyncio.run(work())


def test_names_of_any_length_in_a_path_are_no_error_of_ours(keyed):
    for path in ("/" + "a" * 300, "/assets/" + "b" * 5000, "/room/%00", "/" + "c/" * 3000):
        assert keyed.http.get(path).status_code in (200, 404, 503)


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "ping", "id": "\\ud800"}',
        '{"type": "nothing", "id": "\\udfff"}',
        '{"type": "ping", "\\ud800": 1}',
        '{"type": "join", "token": "\\ud800"}',
    ],
)
def test_halves_of_letters_are_refused_in_words_that_can_be_sent(text):
    with pytest.raises(UnreadableMessage) as problem:
        read_message(text)
    str(problem.value).encode()
    assert problem.value.identity is None


def test_half_a_letter_over_http_is_refused_too(keyed):
    body = b'{"game": "skirmish", "seats": [], "\\ud800": 1}'
    assert keyed.http.post("/api/rooms", content=body, headers=KEY).status_code == 422


SPECS = [
    "skirmish:level=secret", "stratego:variant=mini,red=secret", "skirmish:level=2975T2/B3F3SX",
    "stratego:variant=mini,red=2975T2/B3F3SX",
]  # fmt: skip
AGENTS = ["skirmish/dsl:weights=secret", "lucid/imitation-1:database=secret"]


def test_no_answer_tells_whether_a_file_exists(tmp_path, monkeypatch, keyed):
    monkeypatch.chdir(tmp_path)

    def agent_answer(spec: str) -> str:
        with without_files(), pytest.raises(SandtableError) as problem:
            make_agent(allowed_agent(spec, external=False))
        return str(problem.value)

    def answers() -> list[str]:
        asked = [keyed.http.get("/api/game", params={"spec": spec}).text for spec in SPECS]
        return asked + [agent_answer(spec) for spec in AGENTS]

    missing = answers()
    (tmp_path / "2975T2").mkdir()
    for path in (tmp_path / "secret", tmp_path / "2975T2" / "B3F3SX"):
        path.write_text("2975T2/B3F3SB")
    assert answers() == missing


def test_pages_of_the_archive_are_not_made_in_the_process_of_the_players(keyed):
    from sandtable.server import archive_pages

    shown = finished_room(keyed, "Reader", True)
    for path in ("", f"/{shown}", f"/{shown}/steps", f"/{shown}/record"):
        assert keyed.http.get(f"/api/archive{path}", headers=KEY).status_code in (200, 404)
    assert archive_pages.opened.cache_info().currsize == 0
    assert not archive_pages.TABLES
    assert keyed.inside(lambda held: len(held.desk.pool.workers)) >= 1


def test_what_a_hint_is_made_from_is_the_same_whatever_is_hidden(keyed, monkeypatch):
    pool, asked = keyed.held.pool, []

    async def ask(request, **more):
        if request["operation"] != "hint":
            return await AgentPool.ask(pool, request, **more)
        asked.append({**request, "seed": None})
        raise AgentFailure("no")

    monkeypatch.setattr(pool, "ask", ask)
    seats = [{"person": ""}, {"agent": "random"}]
    hidden = set()
    for _ in range(2):
        body = {"game": "stratego:variant=mini,setup=choose", "seats": seats}
        room = keyed.post("/api/rooms", body, headers=KEY)
        with keyed.joined(room["room"], room["seats"][0]["token"]) as player:
            player.until_type("state")
            while player.now["legal"] is None or player.now["legal"][0]["kind"] in ("place", "end"):
                if player.now["legal"]:
                    player.play(player.now["legal"][0]["action"])
                player.until(lambda each: "now" in each)
            player.send(type="hint", agent="stratego/baseline")
            assert player.until_type("error")["text"] == "no"
        table = keyed.held.rooms.open[room["room"]].table
        hidden.add(table.positions[-1].tobytes())
    assert len(hidden) == 2  # the program has set up in two ways
    assert asked[0] == asked[1]
