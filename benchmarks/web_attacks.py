"""Attacks on the web server by somebody without a key, while a game goes on beside them.

    python benchmarks/web_attacks.py idle --connections 2000 --files 1024
    python benchmarks/web_attacks.py bodies --connections 1200 --seconds 20
    python benchmarks/web_attacks.py hints
    python benchmarks/web_attacks.py reads --seconds 20

``idle`` half-sends requests and leaves them there, ``bodies`` the same with bodies, from another
address; ``hints`` asks for hints over eight connections with one seat's link, each of another
costly program; ``reads`` asks a server with a key, without it, for pages of an archive of 20,000
games as fast as it can. Meanwhile a player pings,
and one more room is made. All traffic goes to a server on this machine that the command starts and
stops itself. It fails where a ping takes 250 ms or more at the 95th percentile, where the room is
not made in time, or where the log has grown large.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import httpx
from web_load import GAMES, GOAL_SECONDS, TROUBLES, Load, Server, figures, ping, write_result

from sandtable.arena.play.game_loop import play_game
from sandtable.records.archive import Archive
from sandtable.registry import make_agent, make_game

Attack: TypeAlias = Callable[[Load, argparse.Namespace], Awaitable[dict[str, Any]]]

ROOM_SECONDS = 20.0
MOST_LOG = 100_000  # bytes
HALF = b"GET /api/about HTTP/1.1\r\nHost: "
READERS = 30
SECOND_ADDRESS = "127.0.0.2"
LISTED_SHARE = 100  # of so many games one was played in a listed room


async def idle(load: Load, options: argparse.Namespace) -> dict[str, Any]:
    """Open connections, send half a request over each, and wait."""
    host, _, port = load.host.partition(":")
    writers: list[asyncio.StreamWriter] = []
    refused = 0
    for _ in range(options.connections):
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), 5.0)
            writer.write(HALF)
            writers.append(writer)
        except TROUBLES:
            refused += 1
    await asyncio.sleep(options.seconds)
    for writer in writers:
        writer.close()
        with suppress(*TROUBLES):
            await writer.wait_closed()
    return {"half_sent": len(writers), "not_connected": refused}


async def bodies(load: Load, options: argparse.Namespace) -> dict[str, Any]:
    """Open connections, send half of a body over each, and wait.

    They come from a second address of this machine: whoever plays has another.
    """
    host, _, port = load.host.partition(":")
    half = f"POST /api/rooms HTTP/1.1\r\nHost: {load.host}\r\ncontent-length: 500\r\n\r\n{{"
    writers: list[asyncio.StreamWriter] = []
    refused = 0
    for _ in range(options.connections):
        try:
            connecting = asyncio.open_connection(host, int(port), local_addr=(SECOND_ADDRESS, 0))
            _, writer = await asyncio.wait_for(connecting, 5.0)
            writer.write(half.encode())
            writers.append(writer)
        except TROUBLES:
            refused += 1
    await asyncio.sleep(options.seconds)
    for writer in writers:
        writer.close()
        with suppress(*TROUBLES):
            await writer.wait_closed()
    return {"half_sent": len(writers), "not_connected": refused}


async def hints(load: Load, options: argparse.Namespace) -> dict[str, Any]:
    """Ask over eight connections with one token, over and over."""
    links = await load.room("skirmish", [{"person": ""}, {"agent": "skirmish/greedy"}])
    answers: Counter[str] = Counter()
    until = time.monotonic() + options.seconds

    async def ask(number: int) -> None:
        async with load.socket(links["room"]) as socket:
            await socket.send(json.dumps({"type": "join", "token": links["seats"][0]["token"]}))
            for turn in range(100_000):
                costly = ("montecarlo:samples=", 1990 if turn % 2 else 999_990)
                wanted = f"{costly[0]}{costly[1] + number}"
                await socket.send(json.dumps({"type": "hint", "agent": wanted}))
                while time.monotonic() < until:
                    try:
                        message = json.loads(await asyncio.wait_for(socket.recv(), 0.5))
                    except TimeoutError:
                        continue
                    if message["type"] in ("error", "hint"):
                        answers[message.get("code", message["type"])] += 1
                        break
                if time.monotonic() >= until:
                    return
                await asyncio.sleep(0.1)

    await asyncio.gather(*(ask(number) for number in range(8)))
    return {"answers": dict(answers)}


async def reads(load: Load, options: argparse.Namespace) -> dict[str, Any]:
    """Read pages of the archive, boards of its games and lists, over many connections.

    The server has a key, and whoever reads here has none: every page looks through all games for
    those of listed rooms.
    """
    until = time.monotonic() + options.seconds
    statuses: Counter[int] = Counter()
    async with httpx.AsyncClient(timeout=60, base_url=f"http://{load.host}") as http:
        first = (await http.get("/api/archive?limit=200")).json()["games"]
        games = [game["id"] for game in first]
        if not games:
            raise SystemExit("a guest finds no game in the archive: nothing would be measured")

        async def read(number: int) -> None:
            while time.monotonic() < until:
                game = games[number % len(games)]
                for path in ("?limit=200", f"/{game}/steps?count=200", f"/{game}"):
                    statuses[(await http.get(f"/api/archive{path}")).status_code] += 1
                statuses[(await http.get("/api/agents?game=lucid")).status_code] += 1

        await asyncio.gather(*(read(number) for number in range(READERS)))
    told = {str(status): count for status, count in statuses.items()}
    return {"statuses": told, "games_in_archive": options.games, "games_found": len(games)}


def fill_archive(path: Path, count: int) -> None:
    """Put games into an archive of which a guest finds one in a hundred: those of listed rooms.

    What a guest finds was played; the others are copies under other numbers, which nobody opens.
    """
    game, specs = make_game("lucid"), ("lucid/simple-blue", "lucid/axes-red")
    archive = Archive.open(path)
    agents = [make_agent(spec) for spec in specs]
    for number in range(max(count // LISTED_SHARE, 1)):
        played = play_game(game, agents, specs=specs, seed=1, number=number).record
        listed = replace(played, annotations={"web": {"listed": True}})
        copies = range(1, LISTED_SHARE)
        archive.add([listed, *(replace(played, seed=1 + copy) for copy in copies)])
    archive.close()


async def measure(server: Server, attack: Attack, options: argparse.Namespace) -> dict[str, Any]:
    """Ping before an attack and while it goes on; make a room in its midst."""
    load = Load(server.host, think=1.0, key=server.key)
    game = await load.room(*GAMES[1])
    quiet: list[float] = []
    under: list[float] = []
    load.until = time.monotonic() + 3.0
    await ping(load, game["room"], quiet)
    load.until = time.monotonic() + 1e6
    pinging = asyncio.create_task(ping(load, game["room"], under))
    attacking = asyncio.ensure_future(attack(load, options))
    await asyncio.sleep(options.seconds / 2)
    began = time.monotonic()
    problem = None
    try:
        await asyncio.wait_for(load.room(*GAMES[1]), 80.0)
    except TROUBLES as trouble:
        problem = f"{type(trouble).__name__} {trouble}"
    made = time.monotonic() - began
    descriptors = server.descriptors()
    told = await attacking
    load.until = 0.0
    with suppress(*TROUBLES):
        await asyncio.wait_for(pinging, 30.0)
    return {
        "attack": options.attack,
        "seconds": options.seconds,
        **told,
        "ping_before": figures(quiet),
        "ping_meanwhile": figures(under),
        "room_made_after_seconds": round(made, 2),
        "room_problem": problem,
        "descriptors": descriptors,
        "log_bytes": server.log.stat().st_size,
        "server_megabytes": round(server.megabytes(), 1),
        "load_average": round(os.getloadavg()[0], 1),
    }


def problems_of(result: dict[str, Any]) -> list[str]:
    """Say what did not hold."""
    found = []
    late = result["ping_meanwhile"].get("p95_ms", float("inf"))
    if late >= 1000 * GOAL_SECONDS:
        found.append(f"pings took {late} ms at the 95th percentile")
    if result["room_problem"] or result["room_made_after_seconds"] > ROOM_SECONDS:
        found.append(f"a room was not made in {ROOM_SECONDS:g} s: {result['room_problem']}")
    if result["log_bytes"] > MOST_LOG:
        found.append(f"the log has grown to {result['log_bytes']} bytes")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attack", choices=("idle", "bodies", "hints", "reads"))
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--files", type=int, default=1024, help="that the server may open")
    parser.add_argument("--games", type=int, default=20_000, help="in the archive that is read")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--json", type=Path, help="joined by the other attacks")
    options = parser.parse_args()
    attack: Attack = {"idle": idle, "bodies": bodies, "hints": hints, "reads": reads}[
        options.attack
    ]
    with tempfile.TemporaryDirectory() as folder:
        words: list[str] = []
        if attack is reads:
            archive = Path(folder) / "archive.db"
            fill_archive(archive, options.games)
            words = ["--key", "--archive", str(archive)]
        server = Server(Path(folder), *words, files=options.files)
        try:
            result = asyncio.run(measure(server, attack, options))
        finally:
            server.stop()
    write_result(options.json, {options.attack: result}, keep=True)
    problems = problems_of(result)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
