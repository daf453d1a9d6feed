"""The web server under load: many games against scripted programs, many who only watch, memory.

    python benchmarks/web.py --games 200 --spectators 1000 --seconds 60 --json benchmarks/web.json

The server runs as people start it; the players are in this process and share the machine with it.
A player thinks for a while (--think, on average) and plays a legal action. What is measured is the
time from sending it until the program's answer, or the next turn, has arrived whole: for the player
that is how long a move takes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

GAMES: tuple[tuple[str, list[dict[str, str]]], ...] = (
    ("lucid", [{"person": ""}, {"agent": "lucid/axes-red"}]),
    ("skirmish", [{"person": ""}, {"agent": "skirmish/greedy"}]),
    ("stratego:variant=mini", [{"person": ""}, {"agent": "random"}]),
    ("gravwell:players=2", [{"person": ""}, {"agent": "gravwell/random-no-stop"}]),
)
GOAL_SECONDS = 0.25
SECONDS_BETWEEN_SPECTATORS = 0.03  # all come from one address, which may open so many a second
SHARE = 0.95


class Server:
    """The server in a process of its own."""

    def __init__(self, folder: Path) -> None:
        words = ["serve", "--api-only", "--port", "0", "--data", str(folder / "data")]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandtable", *words], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://([0-9.:]+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}")
        self.host = found[1]

    def megabytes(self) -> float:
        """Return the memory of the server itself."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+([0-9]+) kB", status)
        return int(found[1]) / 1024 if found else float("nan")

    def processor_seconds(self) -> float:
        """Return the processor time of the server itself."""
        fields = (
            Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


class Load:
    """Players and spectators, and what they measured."""

    def __init__(self, host: str, think: float, until: float) -> None:
        self.host, self.think, self.until = host, think, until
        self.waits: list[float] = []
        self.finished = self.errors = self.messages = 0
        self.counting = False

    async def room(self, number: int) -> dict[str, Any]:
        game, seats = GAMES[number % len(GAMES)]
        async with httpx.AsyncClient(timeout=120) as http:
            while True:
                body = {"game": game, "seats": seats}
                answer = await http.post(f"http://{self.host}/api/rooms", json=body)
                if answer.status_code != 429:
                    answer.raise_for_status()
                    found: dict[str, Any] = answer.json()
                    return found
                await asyncio.sleep(0.5)

    async def play_on(self, number: int) -> None:
        """Play one game after the other."""
        dice = random.Random(number)
        while time.monotonic() < self.until:
            links = await self.room(number)
            try:
                await self.play(links, dice)
            except ConnectionClosed:
                self.errors += 1

    async def play(self, links: dict[str, Any], dice: random.Random) -> None:
        """Play one game to its end, or until time is up."""
        address = f"ws://{self.host}/api/rooms/{links['room']}/socket"
        async with connect(address, max_size=None, compression=None) as socket:
            await socket.send(json.dumps({"type": "join", "token": links["seats"][0]["token"]}))
            sent: float | None = None
            while True:
                message = json.loads(await socket.recv())
                now = message.get("now")
                if message["type"] == "error":
                    self.errors += 1
                if now is None or (now["thinking"] and not now["outcome"]):
                    continue
                if sent is not None and self.counting:
                    self.waits.append(time.monotonic() - sent)
                sent = None
                if now["outcome"]:
                    self.finished += 1
                    return
                if not now["legal"]:
                    continue
                await asyncio.sleep(dice.expovariate(1 / self.think))
                if time.monotonic() >= self.until:
                    return
                await socket.send(json.dumps(choice(now, dice)))
                sent = time.monotonic()

    async def watch(self, room: str) -> None:
        """Watch a room and read everything."""
        address = f"ws://{self.host}/api/rooms/{room}/socket"
        async with connect(address, max_size=None, compression=None, open_timeout=120) as socket:
            await socket.send(json.dumps({"type": "join"}))
            while time.monotonic() < self.until:
                try:
                    await asyncio.wait_for(socket.recv(), 1.0)
                    self.messages += 1
                except TimeoutError:
                    continue


def choice(now: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Choose an action; turns of many actions are closed soon."""
    legal = now["legal"]
    ends = [each for each in legal if each["kind"] == "end"]
    wanted = ends if ends and dice.random() < 0.3 else legal
    return {"type": "play", "ply": now["ply"], "actions": [dice.choice(wanted)["action"]]}


async def measure(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    """Let everybody in, wait until all play, then measure."""
    load = Load(server.host, options.think, time.monotonic() + 1e6)
    players = [asyncio.create_task(load.play_on(number)) for number in range(options.games)]
    await asyncio.sleep(options.settle)
    watched = await load.room(1)
    watchers = []
    for _ in range(options.spectators):
        watchers.append(asyncio.create_task(load.watch(watched["room"])))
        await asyncio.sleep(SECONDS_BETWEEN_SPECTATORS)
    memory = [server.megabytes()]
    began, used = time.monotonic(), server.processor_seconds()
    load.counting = True
    for _ in range(options.parts):
        await asyncio.sleep(options.seconds / options.parts)
        memory.append(server.megabytes())
    load.counting = False
    seconds = time.monotonic() - began
    used = server.processor_seconds() - used
    load.until = time.monotonic()
    done, late = await asyncio.wait([*players, *watchers], timeout=20)
    for task in late:
        task.cancel()
    failed = [task.exception() for task in done if not task.cancelled() and task.exception()]
    waits = sorted(load.waits)
    return {
        "games_at_a_time": options.games,
        "spectators": options.spectators,
        "think_seconds": options.think,
        "seconds": round(seconds, 1),
        "moves": len(waits),
        "moves_per_second": round(len(waits) / seconds, 1),
        "median_ms": round(1000 * statistics.median(waits), 1),
        "p95_ms": round(1000 * waits[int(SHARE * len(waits))], 1),
        "p99_ms": round(1000 * waits[int(0.99 * len(waits))], 1),
        "share_within_250_ms": round(sum(w <= GOAL_SECONDS for w in waits) / len(waits), 4),
        "games_finished": load.finished,
        "errors": load.errors + len(failed),
        "server_megabytes": [round(each, 1) for each in memory],
        "server_processor_share": round(used / seconds, 3),
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=2.0)
    parser.add_argument("--settle", type=float, default=20.0)
    parser.add_argument("--parts", type=int, default=6)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            result = asyncio.run(measure(server, options))
        finally:
            server.stop()
    print(json.dumps(result, indent=2))
    if options.json:  # which web_page.py writes too
        kept = json.loads(options.json.read_text("utf-8")) if options.json.is_file() else {}
        options.json.write_text(json.dumps(kept | result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
