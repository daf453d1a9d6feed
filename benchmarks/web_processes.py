"""What one server carries, and several that share their rooms: seconds, bytes and memory a move.

    python benchmarks/web_processes.py --json benchmarks/web_processes.json

Three ways to serve the same load, one after the other: one server with its file, one with a
PostgreSQL database (which waits for its disk), and two with that database behind a plain proxy that
sends every connection to the next one. People play scripted programs in four games, as in web.py;
then as many spectators as --spectators says come to the same tables. Rates depend on what else the
machine does; processor seconds hardly do, so it is these that are compared: of the servers, of the
processes of their programs, and of the database, by action (of people and programs) and by message
to a spectator. Then rooms are made in this process, and what Python holds for each is weighed, new
and after some actions. At last every level of every game plays in this process, and its processor
time by action is taken. Everything stays on this machine: servers listen on 127.0.0.1, and end with
the command.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import sys
import tempfile
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from web_load import GAMES, Load, Server, choice, figures

from sandtable.agents.level.ladder import ladder_of
from sandtable.arena.play.game_loop import play_game
from sandtable.records.archive import Archive
from sandtable.registry import game_names, make_agent, make_game
from sandtable.server.connections import Connection
from sandtable.server.pool import AgentPool
from sandtable.server.requests import ClockWanted, NewRoom, NewSeat
from sandtable.server.room import Room
from sandtable.server.rooms import Rooms, fresh_room
from sandtable.server.settings import Settings
from sandtable.server.shared.storage import SharedStorage
from sandtable.server.storage import SYNC_VARIABLE, RoomStorage, Storage, StoredSeat

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from records.postgres import Server as Database  # type: ignore[import-not-found]
from server.shared_servers import Proxy  # type: ignore[import-not-found]

MOST_PLAYERS, MOST_SPECTATORS, MOST_SECONDS, MOST_ROOMS = 400, 4000, 120.0, 1000
LISTED, LISTS, WRITES = 50, 40, 500
WARM_SECONDS = 20.0  # in which the programs of every server have played before anything is counted
ACTIONS = 60  # in a room whose memory is told
TICKS = os.sysconf("SC_CLK_TCK")
DATABASE_SQL = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), pg_database_size(%s)"


class Tables(Load):
    """Players and spectators, who count actions and bytes as well."""

    actions = to_players = to_spectators = bytes_to_players = bytes_to_spectators = 0

    async def play(self, number: int, links: dict[str, Any], dice: random.Random) -> None:
        """Play one game to its end, or until time is up."""
        async with self.socket(links["room"]) as socket:
            await socket.send(json.dumps({"type": "join", "token": links["seats"][0]["token"]}))
            sent: float | None = None
            while time.monotonic() < self.until:
                text = await socket.recv()
                message = json.loads(text)
                self.rooms[number] = links["room"]
                self.players.add(number)
                if self.counting:
                    self.actions += len(message.get("steps", ()))
                    self.to_players += 1
                    self.bytes_to_players += len(text)
                now = message.get("now")
                if now is None or (now["thinking"] and not now["outcome"]):
                    continue
                if sent is not None and self.counting:
                    self.waits.append(time.monotonic() - sent)
                sent = None
                if now["outcome"]:
                    self.finished += 1
                    return
                if now["legal"]:
                    await asyncio.sleep(dice.expovariate(1 / self.think))
                    await socket.send(json.dumps(choice(now, dice)))
                    sent = time.monotonic()

    async def watch(self, number: int, player: int, room: str) -> None:
        """Watch a room until its player is in another."""
        async with self.socket(room) as socket:
            await socket.send('{"type": "join"}')
            while time.monotonic() < self.until and self.rooms.get(player) == room:
                with suppress(TimeoutError):
                    text = await asyncio.wait_for(socket.recv(), 1.0)
                    self.watchers.add(number)
                    if self.counting and '"type":"steps"' in text[:20]:
                        self.to_spectators += 1
                        self.bytes_to_spectators += len(text)


def times_of(process: int) -> tuple[float, float]:
    """Return the processor seconds of a process, and of its children that have ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("ascii")
    except OSError:
        return 0.0, 0.0
    fields = [int(each) for each in stat.rpartition(")")[2].split()[11:15]]
    return (fields[0] + fields[1]) / TICKS, (fields[2] + fields[3]) / TICKS


def children_of(process: int) -> list[int]:
    """Return the living children of a process."""
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in path.read_text("ascii").split()]


class Setting:
    """Servers of one kind, with what they need."""

    def __init__(self, folder: Path, kind: str, servers: int, database: Database | None) -> None:
        self.kind, self.database, self.proxy = kind, database, None
        words: list[str] = []
        if database is not None:
            self.url = database.new_database()
            words = ["--rooms", self.url]
            self.proxy = Proxy()
            words += ["--allow-host", self.proxy.host]
        folders = [folder / f"{kind} {number}" for number in range(servers)]
        for each in folders:
            each.mkdir()
        self.servers = [Server(each, *words) for each in folders]
        self.host = self.servers[0].host
        if self.proxy is not None:
            self.proxy.servers = [int(each.host.rpartition(":")[2]) for each in self.servers]
            self.host = self.proxy.host if servers > 1 else self.host

    def used(self) -> dict[str, float]:
        """Return the processor seconds up to now, and what the database has written."""
        found = {"server": sum(each.processor_seconds() for each in self.servers)}
        programs = 0.0
        for each in self.servers:
            programs += times_of(each.process.pid)[1]
            programs += sum(sum(times_of(child)) for child in each.workers())
        found["programs"] = programs
        if self.database is not None:
            postmaster = self.database.folder / "data" / "postmaster.pid"
            head = int(postmaster.read_text("ascii").split()[0])
            living = sum(sum(times_of(child)) for child in children_of(head))
            found["database"] = sum(times_of(head)) + living
            found["database_bytes"] = self.written()
        return found

    def written(self) -> float:
        """Return how many bytes the database has written into its log."""
        import psycopg

        assert self.database is not None
        with psycopg.connect(self.database.url()) as connection:
            row = connection.execute(DATABASE_SQL, ("postgres",)).fetchone()
        assert row is not None
        return float(row[0])

    def stop(self) -> None:
        """End the servers."""
        for each in self.servers:
            each.stop()
        if self.proxy is not None:
            self.proxy.close()


async def measure(setting: Setting, options: argparse.Namespace) -> dict[str, Any]:
    """Let people play, then let others watch."""
    load = Tables(setting.host, options.think)
    tasks = [asyncio.create_task(load.play_on(number)) for number in range(options.players)]
    await until(lambda: len(load.players) >= options.players, options.settle)
    await asyncio.sleep(WARM_SECONDS)
    alone = await count(setting, load, options.seconds)
    tasks += [
        asyncio.create_task(load.watch_on(number, number % options.players))
        for number in range(options.spectators)
    ]
    await until(lambda: len(load.watchers) >= options.spectators, options.settle)
    watched = await count(setting, load, options.seconds)
    load.until = time.monotonic()
    _, late = await asyncio.wait(tasks, timeout=20)
    for task in late:
        task.cancel()
    lists = await list_costs(setting)
    by_action = {
        f"{name}_ms_an_action": round(1000 * alone["used"][name] / max(alone["actions"], 1), 3)
        for name in ("server", "programs", "database")
        if name in alone["used"]
    }
    if "database_bytes" in alone["used"]:
        by_action["database_bytes_an_action"] = round(
            alone["used"]["database_bytes"] / max(alone["actions"], 1)
        )
    spent = watched["used"]["server"] - alone["used"]["server"] * (
        watched["actions"] / max(alone["actions"], 1)
    )
    told = max(watched["to_spectators"], 1)
    return {
        "servers": len(setting.servers),
        "players": options.players,
        "spectators": len(load.watchers),
        **by_action,
        "server_ms_a_message_to_a_spectator": round(1000 * spent / told, 4),
        "bytes_a_message_to_a_spectator": round(watched["bytes_to_spectators"] / told),
        "bytes_to_a_player_an_action": round(alone["bytes_to_players"] / max(alone["actions"], 1)),
        "lists": lists,
        "alone": alone,
        "watched": watched,
        "errors": load.errors.total(),
        "reasons": dict(load.errors.most_common(5)),
    }


async def list_costs(setting: Setting) -> dict[str, Any]:
    """Return what it costs the servers to list fifty rooms for the first page."""
    async with httpx.AsyncClient(timeout=120.0) as http:
        for number in range(LISTED):
            game = GAMES[number % len(GAMES)][0]
            body = {"game": game, "seats": [{"person": ""}] * len(make_game(game).seats)}
            host = setting.servers[number % len(setting.servers)].host
            answer = await http.post(f"http://{host}/api/rooms", json={**body, "listed": True})
            answer.raise_for_status()
        used = setting.used()["server"]
        for _ in range(LISTS):
            (await http.get(f"http://{setting.host}/api/rooms")).raise_for_status()
        used = setting.used()["server"] - used
    return {"rooms": LISTED, "lists": LISTS, "server_ms_a_list": round(1000 * used / LISTS, 2)}


def write_times(writes: int) -> dict[str, float]:
    """Return how long a server waits until one action is stored: in its file, in the database."""
    state = {"clocks": [600.0, 600.0], "pace": 0.0, "draws": [], "names": {}}
    seats = (StoredSeat("One", None, "one"), StoredSeat("Two", None, "two"))
    found = {}
    database = Database(waits=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            shared = SharedStorage(database.new_database())
            shared.join("127.0.0.1:1")
            os.environ[SYNC_VARIABLE] = "full"
            waiting = SharedStorage(database.new_database())
            del os.environ[SYNC_VARIABLE]
            waiting.join("127.0.0.1:2")
            storages: dict[str, RoomStorage] = {"file": Storage(Path(folder)), "database": shared}
            for name, storage in {**storages, "database_full": waiting}.items():
                game = make_game(GAMES[0][0])
                room = fresh_room(game, seats, None, dict(state))
                storage.add_room(room)
                waits = []
                for ply in range(writes):
                    began = time.perf_counter()
                    storage.add_actions(room.room, ply, [1], state, False)
                    waits.append(time.perf_counter() - began)
                waits.sort()
                found[f"{name}_median_ms"] = round(1000 * waits[writes // 2], 3)
                found[f"{name}_p95_ms"] = round(1000 * waits[int(0.95 * writes)], 3)
                storage.close()
    finally:
        database.stop()
    return {"writes": writes, **found}


async def until(true: Any, seconds: float) -> None:
    """Wait until something is true, or time is up."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        await asyncio.sleep(0.2)


async def count(setting: Setting, load: Tables, seconds: float) -> dict[str, Any]:
    """Count for a while what is played and told, and what it costs."""
    names = ("actions", "to_players", "bytes_to_players", "to_spectators", "bytes_to_spectators")
    for name in names:
        setattr(load, name, 0)
    load.waits.clear()
    before, began, load.counting = setting.used(), time.monotonic(), True
    await asyncio.sleep(seconds)
    load.counting = False
    passed, after = time.monotonic() - began, setting.used()
    used = {name: round(after[name] - before[name], 3) for name in after}
    return {
        "seconds": round(passed, 1),
        "server_megabytes": round(sum(each.megabytes() for each in setting.servers), 1),
        **{name: getattr(load, name) for name in names},
        "actions_per_second": round(load.actions / passed, 1),
        "server_processor_share": round(used["server"] / passed, 3),
        "used": used,
        "answers": figures(load.waits),
        "load_average": round(os.getloadavg()[0], 1),
    }


async def room_memory(rooms: int, actions: int) -> list[dict[str, Any]]:
    """Return what Python holds for a room of each game: a new one, and after some actions.

    The rooms are in this process, of two or more persons, with one who watches each.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings = Settings(data=place, archive=place / "archive.db", runs=place)
        storage, archive = Storage(place), Archive.open(settings.archive)
        held = Rooms(settings, storage, archive, AgentPool(0, 2))
        for spec, _ in GAMES:
            await fill(held, spec, 5, actions)  # what all rooms of a game share
            tracemalloc.start()
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            made = await fill(held, spec, rooms, 0)
            gc.collect()
            new = tracemalloc.get_traced_memory()[0] - before
            for room in made:
                play(room, actions)
            gc.collect()
            later = tracemalloc.get_traced_memory()[0] - before
            tracemalloc.stop()
            played = sum(room.table.ply for room in made) / rooms
            found.append(
                {
                    "game": spec,
                    "kilobytes_new": round(new / rooms / 1024, 1),
                    "actions": round(played, 1),
                    "kilobytes_later": round(later / rooms / 1024, 1),
                }
            )
        await held.close()
        storage.close()
        archive.close()
    return found


async def fill(held: Rooms, spec: str, rooms: int, actions: int) -> list[Room]:
    """Make rooms, and play in them."""
    made = []
    for _ in range(rooms):
        game = make_game(spec)
        seats = [NewSeat(person="")] * len(game.seats)
        stored = await held.make(NewRoom(game=spec, seats=seats, clock=ClockWanted(minutes=60)))
        made.append(held.open[stored.room])
        made[-1].join(Connection(), None)
        play(made[-1], actions)
    return made


def play(room: Room, actions: int) -> None:
    """Play random actions, and let whoever watches read what it is told."""
    dice = random.Random(28)
    for _ in range(actions):
        if room.over:
            return
        seat = room.table.turn
        room.play(seat, [dice.choice(room.table.legal_actions(seat))["action"]])
        for connection in room.audience.connections:
            while not connection.outgoing.empty():
                connection.outgoing.get_nowait()


def level_times(seconds: float) -> list[dict[str, Any]]:
    """Return the processor time that every level of every game takes for an action."""
    found = []
    for name in sorted(game_names()):
        game = make_game(name)
        for level in ladder_of(game).levels:
            found.append({"game": name, "level": level.name, **thinking_time(name, seconds, level)})
            print(json.dumps(found[-1]), file=sys.stderr, flush=True)
    return found


def thinking_time(name: str, seconds: float, level: Any) -> dict[str, Any]:
    """Let a level play itself for some seconds, after a first game that nobody counts."""
    game = make_game(name)
    specs = [level.spec] * len(game.seats)
    spent, actions, games = 0.0, 0, -1  # the first game compiles kernels
    deadline = time.monotonic() + 4 * seconds
    while games < 1 or (spent < seconds and time.monotonic() < deadline):
        agents = [make_agent(spec) for spec in specs]
        begun = time.process_time()
        played = play_game(game, agents, specs=specs, seed=28, number=games + 1)
        games += 1
        if games:
            spent += time.process_time() - begun
            actions += len(played.record.actions)
        for agent in agents:
            agent.close()
    return {
        "games": games,
        "actions": actions,
        "ms_an_action": round(1000 * spent / max(actions, 1), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=40)
    parser.add_argument("--spectators", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=25.0, help="of each of two counts")
    parser.add_argument("--think", type=float, default=0.7)
    parser.add_argument("--rooms", type=int, default=20, help="of each game, to weigh them")
    parser.add_argument("--settle", type=float, default=60.0, help="most seconds to get all in")
    parser.add_argument(
        "--levels", type=float, default=3.0, help="processor seconds by level; 0: none"
    )
    parser.add_argument("--only", help="file, database, pair, memory or levels")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.players = min(options.players, MOST_PLAYERS)
    options.spectators = min(options.spectators, MOST_SPECTATORS)
    options.seconds, options.rooms = (
        min(options.seconds, MOST_SECONDS),
        min(options.rooms, MOST_ROOMS),
    )
    result: dict[str, Any] = {}
    if options.json is not None and options.json.is_file():
        result = json.loads(options.json.read_text("utf-8"))
    database = None
    try:
        for kind, servers in (("file", 1), ("database", 1), ("pair", 2)):
            if options.only not in (None, kind):
                continue
            if kind != "file" and database is None:
                database = Database(waits=True)
            with tempfile.TemporaryDirectory() as folder:
                setting = Setting(Path(folder), kind, servers, database if kind != "file" else None)
                try:
                    result[kind] = asyncio.run(measure(setting, options))
                finally:
                    setting.stop()
            print(json.dumps({kind: result[kind]}, indent=2), flush=True)
    finally:
        if database is not None:
            database.stop()
    if options.only in (None, "memory"):
        result["writes"] = write_times(WRITES)
        print(json.dumps(result["writes"], indent=2), flush=True)
        result["memory"] = asyncio.run(room_memory(options.rooms, ACTIONS))
        print(json.dumps(result["memory"], indent=2), flush=True)
    if options.levels and options.only in (None, "levels"):
        result["levels"] = level_times(options.levels)
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
