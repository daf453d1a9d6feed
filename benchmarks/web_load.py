"""What the measurements of the web server share: the server as people start it, and its visitors.

All traffic stays on this machine. Whatever goes wrong for a visitor is counted with its reason.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

__all__ = ["GAMES", "GOAL_SECONDS", "Load", "Server", "figures", "ping", "write_result"]

GAMES: tuple[tuple[str, list[dict[str, str]]], ...] = (
    ("lucid", [{"person": ""}, {"agent": "lucid/axes-red"}]),
    ("skirmish", [{"person": ""}, {"agent": "skirmish/greedy"}]),
    ("stratego:variant=mini", [{"person": ""}, {"agent": "random"}]),
    ("gravwell:players=2", [{"person": ""}, {"agent": "gravwell/random-no-stop"}]),
)
GOAL_SECONDS = 0.25
TROUBLES = (WebSocketException, OSError, TimeoutError, httpx.HTTPError)
PATIENCE = 120.0


class Server:
    """The server in a process of its own, which may open so many files."""

    def __init__(self, folder: Path, *words: str, files: int | None = None) -> None:
        command = ["serve", "--api-only", "--port", "0", "--data", str(folder / "data"), *words]

        limit = [] if files is None else ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
        self.log = folder / "log.txt"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*limit, sys.executable, "-m", "sandtable", *command],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://([0-9.:]+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}{self.log.read_text('utf-8')}")
        self.host = found[1]
        key = re.search(r"#key=([A-Za-z0-9_-]+)", line)
        self.key = key[1] if key else None

    def workers(self) -> list[int]:
        """Return the processes of the programs."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(word) for word in path.read_text("ascii").split()]

    def megabytes(self, process: int | None = None) -> float:
        """Return the memory of the server itself, or of another process."""
        try:
            status = Path(f"/proc/{process or self.process.pid}/status").read_text("ascii")
        except OSError:
            return 0.0
        found = re.search(r"VmRSS:\s+([0-9]+) kB", status)
        return int(found[1]) / 1024 if found else 0.0

    def descriptors(self) -> int:
        """Return how many files the server has open."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def processor_seconds(self) -> float:
        """Return the processor time of the server itself."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text("ascii")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


class Load:
    """Players and spectators, and what they measured."""

    def __init__(self, host: str, think: float, key: str | None = None) -> None:
        self.host, self.think = host, think
        self.headers = {} if key is None else {"X-Sandtable-Key": key}  # for rooms only
        self.until = time.monotonic() + 1e9
        self.waits: list[float] = []
        self.errors: Counter[str] = Counter()
        self.players: set[int] = set()  # who has got in
        self.watchers: set[int] = set()
        self.rooms: dict[int, str] = {}  # by player: where he plays now
        self.finished = self.forfeits = self.messages = 0
        self.counting = False

    async def room(self, game: str, seats: list[dict[str, str]]) -> dict[str, Any]:
        """Make a room."""
        async with httpx.AsyncClient(timeout=PATIENCE) as http:
            body = {"game": game, "seats": seats}
            address = f"http://{self.host}/api/rooms"
            answer = await http.post(address, json=body, headers=self.headers)
            answer.raise_for_status()
            found: dict[str, Any] = answer.json()
            return found

    def socket(self, room: str) -> connect:
        address = f"ws://{self.host}/api/rooms/{room}/socket"
        return connect(address, max_size=None, compression=None, open_timeout=PATIENCE)

    def trouble(self, who: str, problem: Exception) -> None:
        """Count what went wrong."""
        reason = type(problem).__name__
        if isinstance(problem, ConnectionClosed) and problem.rcvd is not None:
            reason = f"closed with {problem.rcvd.code} {problem.rcvd.reason}"
        self.errors[f"{who}: {reason}: {problem}"[:160]] += 1

    async def play_on(self, number: int) -> None:
        """Play one game after the other."""
        dice = random.Random(number)
        while time.monotonic() < self.until:
            try:
                links = await self.room(*GAMES[number % len(GAMES)])
                await self.play(number, links, dice)
            except TROUBLES as problem:
                self.trouble("player", problem)
                await asyncio.sleep(1.0)

    async def play(self, number: int, links: dict[str, Any], dice: random.Random) -> None:
        """Play one game to its end, or until time is up."""
        async with self.socket(links["room"]) as socket:
            await socket.send(json.dumps({"type": "join", "token": links["seats"][0]["token"]}))
            sent: float | None = None
            while True:
                message = json.loads(await socket.recv())
                now = message.get("now")
                self.rooms[number] = links["room"]
                self.players.add(number)
                if message["type"] == "error":
                    self.errors[f"player: {message['code']}: {message['text']}"] += 1
                if now is None or (now["thinking"] and not now["outcome"]):
                    continue
                if sent is not None and self.counting:
                    self.waits.append(time.monotonic() - sent)
                sent = None
                if now["outcome"]:
                    self.finished += 1
                    self.forfeits += now["outcome"]["forfeited_by"] is not None
                    return
                if not now["legal"]:
                    continue
                await asyncio.sleep(dice.expovariate(1 / self.think))
                if time.monotonic() >= self.until:
                    return
                await socket.send(json.dumps(choice(now, dice)))
                sent = time.monotonic()

    async def watch_on(self, number: int, player: int) -> None:
        """Watch a player, room after room, and read everything."""
        while time.monotonic() < self.until:
            room = self.rooms.get(player)
            try:
                if room is not None:
                    await self.watch(number, player, room)
                else:
                    await asyncio.sleep(0.5)
            except TROUBLES as problem:
                self.trouble("spectator", problem)
                await asyncio.sleep(1.0)

    async def watch(self, number: int, player: int, room: str) -> None:
        """Watch a room until its player is in another."""
        async with self.socket(room) as socket:
            await socket.send('{"type": "join"}')
            while time.monotonic() < self.until and self.rooms.get(player) == room:
                try:
                    await asyncio.wait_for(socket.recv(), 1.0)
                except TimeoutError:
                    continue
                self.messages += 1
                self.watchers.add(number)


def choice(now: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Choose an action; turns of many actions are closed soon."""
    legal = now["legal"]
    ends = [each for each in legal if each["kind"] == "end"]
    wanted = ends if ends and dice.random() < 0.3 else legal
    return {"type": "play", "ply": now["ply"], "actions": [dice.choice(wanted)["action"]]}


async def ping(load: Load, room: str, waits: list[float], pause: float = 0.05) -> None:
    """Ask over and over whether the server is there, as the page of a player does."""
    async with load.socket(room) as socket:
        await socket.send('{"type": "join"}')
        while time.monotonic() < load.until:
            began = time.monotonic()
            await socket.send('{"type": "ping"}')
            while json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))["type"] != "pong":
                pass
            waits.append(time.monotonic() - began)
            await asyncio.sleep(pause)


def figures(waits: list[float]) -> dict[str, Any]:
    """Return what there is to know about waiting times."""
    ordered = sorted(waits)
    if not ordered:
        return {"count": 0}
    return {
        "count": len(ordered),
        "median_ms": round(1000 * statistics.median(ordered), 1),
        "p95_ms": round(1000 * ordered[int(0.95 * len(ordered))], 1),
        "p99_ms": round(1000 * ordered[int(0.99 * len(ordered))], 1),
        "slowest_ms": round(1000 * ordered[-1], 1),
        "share_within_250_ms": round(sum(w <= GOAL_SECONDS for w in ordered) / len(ordered), 4),
    }


def write_result(path: Path | None, result: dict[str, Any], keep: bool = False) -> None:
    """Print a result, and write it to a file; ``keep``: beside what else stands there."""
    print(json.dumps(result, indent=2))
    if path is not None:
        kept = json.loads(path.read_text("utf-8")) if keep and path.is_file() else {}
        path.write_text(json.dumps(kept | result, indent=2) + "\n", encoding="utf-8")
