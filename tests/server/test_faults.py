"""Programs that fail, a server that is killed, clocks that run out: nothing is lost."""

from __future__ import annotations

import asyncio
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import uvicorn

from sandtable.dice import Dice
from sandtable.records.lines import record_from_line
from sandtable.records.replay import check
from sandtable.registry import make_agent, make_game
from sandtable.server import pool as pool_module
from sandtable.server.pool import AgentPool
from sandtable.server.serve import Serving
from sandtable.server.storage import Storage, StoredRoom, StoredSeat
from server.running import Process, running, settings_in, wait_until

AGENTS = '''
import os, time
from sandtable.agents.random import Random

class Crashing(Random):
    """Ends its process."""
    def choose(self, view, dice):
        os._exit(7)

class Hanging(Random):
    """Answers once (the first answer may take long), then never again."""
    answered = False
    def choose(self, view, dice):
        while self.answered:
            time.sleep(0.1)
        self.answered = True
        return super().choose(view, dice)

class Raising(Random):
    """Fails in Python."""
    def choose(self, view, dice):
        raise ValueError("no idea")

class Nonsense(Random):
    """Answers with what nobody can play."""
    def choose(self, view, dice):
        return [99999]

class Slow(Random):
    """Takes its time."""
    def choose(self, view, dice):
        time.sleep(0.2)
        return super().choose(view, dice)
'''
NAMES = ("crashing", "hanging", "raising", "nonsense", "slow")


@pytest.fixture(scope="module")
def plug_in(tmp_path_factory):
    """A folder with agents that fail, as if it had been installed."""
    folder = tmp_path_factory.mktemp("plug-in")
    (folder / "failing_agents.py").write_text(AGENTS)
    described = folder / "failing_agents-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: failing-agents\nVersion: 1.0\n"
    )
    points = [f"{name} = failing_agents:{name.capitalize()}" for name in NAMES]
    (described / "entry_points.txt").write_text("\n".join(["[sandtable.agents]", *points]) + "\n")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("process")


@pytest.fixture(scope="module")
def process(folder, plug_in):
    """A server that the last test using it kills."""
    for game, agent in (("skirmish:max_turns=2", "random"), ("lucid", "lucid/axes-red")):
        seat = (
            1 if agent == "lucid/axes-red" else 0
        )  # what is compiled here is not waited for there
        make_agent(agent).choose(make_game(game).start(Dice(1)).view(seat), Dice(1))
    found = Process(folder, plug_in)
    yield found
    if found.process.poll() is None:
        found.stop(signal.SIGKILL)


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("crashing", "its process died"),
        ("hanging", "no answer within 3 s"),
        ("raising", "ValueError: no idea"),
        ("nonsense", "illegal action in 99999"),
    ],
)
def test_a_program_that_fails_forfeits_and_others_play_on(process, agent, reason):
    failing = process.room("skirmish:max_turns=4", agent, "random")
    with process.joined(failing["room"]) as spectator:
        other = process.room("skirmish:max_turns=2", "random", "random")
        with process.joined(other["room"]) as watching:
            watching.until(lambda message: message.get("why", "") in ("join", "end"))
            if not watching.now["outcome"]:
                watching.until(lambda message: message.get("why") == "end")
        spectator.until_type("state")
        if not spectator.now["outcome"]:
            spectator.until(lambda message: message.get("why") == "end")
    assert spectator.now["outcome"] == {
        "scores": [-1.0, 1.0],
        "reason": f"Blue forfeits: {reason}",
        "forfeited_by": 0,
    }
    assert watching.now["outcome"]["reason"] == "2 turns played"
    check(record_from_line(process.http.get(f"/api/rooms/{failing['room']}/record").text, "here"))


def test_games_go_on_where_a_killed_server_stopped(process, folder, plug_in):
    first = process
    persons = first.room("lucid", None, "lucid/axes-red", clock={"minutes": 10})
    programs = first.room("skirmish", "slow", "slow")
    token = persons["seats"][0]["token"]
    with first.joined(persons["room"], token) as player:
        player.until_type("state")
        while player.now["ply"] < 6 or not player.now["legal"]:
            if player.now["legal"]:
                player.play(player.legal("end"))
            player.until(lambda message: "now" in message)
        move = next(each for each in player.now["legal"] if each["kind"] == "move")
        player.play(move["action"])
        player.until_type("steps")
        before = player.now
        first.stop(signal.SIGKILL)  # with a turn half played, and while programs think
    again = Process(folder, plug_in, first.port)
    try:
        with again.joined(persons["room"], token) as player:
            state = player.until_type("state")
            same = ("ply", "turn", "board", "legal", "status", "can")
            assert {name: player.now[name] for name in same} == {
                name: before[name] for name in same
            }
            assert 0 < before["clocks"][0] - player.now["clocks"][0] + 1 < 30
            assert [entry["ply"] for entry in state["log"]] == list(range(1, before["ply"] + 1))
            player.send(type="undo", ply=before["ply"], scope="action")
            assert player.until_type("state")["now"]["ply"] == before["ply"] - 1
            player.send(type="resign")
            player.until(lambda message: message.get("why") == "end")
        check(record_from_line(again.http.get(f"/api/rooms/{persons['room']}/record").text, "here"))
        with again.joined(programs["room"], programs["owner"]) as owner:
            ply = owner.until_type("state")["now"]["ply"]
            owner.until_type("steps")  # its programs think again
            assert owner.now["ply"] > ply
    finally:
        again.stop()
    assert again.process.returncode in (0, 130, -signal.SIGINT)  # Ctrl-C ends it cleanly


def test_rooms_whose_game_or_program_is_gone_break_nothing(tmp_path):
    storage = Storage(settings_in(tmp_path).data)
    for name, game, agent in (
        ("gone-game-aa", "kuhn", "random"),
        ("gone-agent-a", "skirmish", "slow"),
        ("old-rules-aa", "lucid", None),
    ):
        seats = (StoredSeat("One", agent, None), StoredSeat("Two", None, "token"))
        version = 0 if game == "lucid" else 1
        fixed = {"start": None, "branched": None, "owner": "owner", "clock": None, "listed": True}
        changing = {"state": {}, "over": False, "archived": False}
        room = StoredRoom(
            room=name, made_at=time.time(), game=game, version=version, seed=1, seats=seats,
            **fixed, **changing,
        )  # fmt: skip
        storage.add_room(room)
    storage.close()
    with running(tmp_path, workers=0) as server:
        assert [room["room"] for room in server.get("/api/rooms")] == ["gone-agent-a"]
        assert server.http.get("/api/rooms/gone-game-aa").status_code == 404
        wait_until(lambda: server.get("/api/rooms/gone-agent-a")["over"])
        reason = server.get("/api/rooms/gone-agent-a")["outcome"]["reason"]
        assert reason.startswith("Blue forfeits: there is no agent 'slow'")


def test_slow_programs_get_their_turn_however_many_quick_ones_come(monkeypatch):
    async def serve(patience: float) -> list[str]:
        monkeypatch.setattr(pool_module, "SLOW_PATIENCE", patience)
        pool, worker, served = AgentPool(1, 4), pool_module.Worker(None, None, ""), []

        async def ask(name: str, slow: bool) -> None:
            got = await pool.acquire(slow, None)
            served.append(name)
            pool.free(got)

        pool.starting = 4  # as if it were busy bringing up processes: none is started here
        asked = [asyncio.create_task(ask("slow", True))]
        asked += [asyncio.create_task(ask("quick", False)) for _ in range(3)]
        await asyncio.sleep(0.01)
        pool.free(worker)
        await asyncio.gather(*asked)
        return served

    with ThreadPoolExecutor(1) as elsewhere:  # a browser's tests keep a loop in this thread
        served = [elsewhere.submit(asyncio.run, serve(patience)).result() for patience in (1e9, 0)]
    assert served[0] == ["quick", "quick", "quick", "slow"]
    assert served[1] == ["slow", "quick", "quick", "quick"]


@pytest.mark.parametrize("is_harmful", [False, True])
def test_a_new_process_rehearses_what_others_did_and_comes_up_if_that_ends_it(is_harmful):
    class Rehearsed(AgentPool):
        answered: list[str]

        async def exchange(self, worker, request):
            self.answered.append(request.get("key", ""))
            if is_harmful and request.get("key", "").startswith(pool_module.REHEARSAL):
                worker.kill()
            return await super().exchange(worker, request)

    async def lose_a_process():
        pool = Rehearsed(1, 2)
        pool.answered = []
        pool.start()
        check = {"operation": "check", "game": "skirmish", "agent": "random", "seat": 0}
        for key in ("slow", "quick"):  # the first answer may take long, and is no example then
            await pool.ask({**check, "key": key}, limit=60, name="x", key=key, example=True)
        assert pool.examples["x"]["key"] == "quick"
        (first,) = pool.workers
        pool.lose(first)
        await pool.ask({**check, "key": "after"}, limit=60, name="x", key="after")
        assert first not in pool.workers
        await pool.close()
        return pool

    with ThreadPoolExecutor(1) as elsewhere:  # a browser's tests keep a loop in this thread
        pool = elsewhere.submit(asyncio.run, lose_a_process()).result()
    assert pool.answered == ["slow", "quick", f"{pool_module.REHEARSAL}0", "after"]
    assert bool(pool.examples) != is_harmful


def test_who_runs_out_of_time_loses(tmp_path):
    with running(tmp_path) as server:
        room = server.room("skirmish", None, None, clock={"minutes": 0.1, "increment": 0})
        tokens = [seat["token"] for seat in room["seats"]]
        held = server.server.config.app.application.state.server.rooms.open[room["room"]]
        held.clocks.left[0] = 0.2  # instead of waiting for six seconds
        with (
            server.joined(room["room"], tokens[0]) as first,
            server.joined(room["room"], tokens[1]) as second,
        ):
            first.until_type("state")
            second.until_type("state")
            end = second.until(lambda message: message.get("why") == "end")
    outcome = end["now"]["outcome"]
    assert outcome["reason"] == "Blue forfeits: its time is up"
    assert outcome["forfeited_by"] == 0


def test_a_client_that_does_not_read_is_let_go_and_can_come_back(server):
    from sandtable.server.connections import MOST_WAITING, Connection

    connection = Connection()
    for number in range(MOST_WAITING + 5):
        connection.send({"type": "pong", "number": number})
    assert connection.too_slow
    assert connection.outgoing.get_nowait() is None  # the word to close
    assert connection.outgoing.empty()


def test_whoever_presses_ctrl_c_twice_ends_the_server_in_order_too():
    heard = []

    async def application(scope, receive, send):
        assert scope["type"] == "lifespan"
        for _ in range(2):
            message = await receive()
            heard.append(message["type"])
            await send({"type": f"{message['type']}.complete"})

    async def serve() -> None:
        serving = Serving(uvicorn.Config(application, port=0, lifespan="on", log_level="warning"))
        task = asyncio.create_task(serving.serve())
        while not serving.started:
            await asyncio.sleep(0.01)
        serving.handle_exit(signal.SIGINT, None)
        serving.handle_exit(signal.SIGINT, None)
        assert serving.force_exit
        serving._captured_signals.clear()  # this process goes on
        await asyncio.wait_for(task, 30.0)

    asyncio.run(serve())
    assert heard == ["lifespan.startup", "lifespan.shutdown"]
