"""The memory of the web server over as many games as an hour of many tables brings.

    python benchmarks/web_memory.py --games 1000 --json benchmarks/web_memory.json

A server of its own keeps tables of scripted programs going, all four games at a time; some are
watched by clients that read everything. Whenever a game ends another begins, until so many are
played. The memory of the server and of the processes in which its programs think is noted along the
way; a line through the second half of the notes says by how much it grows with 1,000 games. With
--trace Python's own count of what the server holds is noted too (and everything takes longer).

At 200 tables where a game with a person takes twelve minutes, 1,000 games end in an hour. Here
nobody waits for a person, so that the hour passes in minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import connect

SHORT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("skirmish:max_turns=10", ("skirmish/greedy", "random")),
    ("stratego:variant=mini,max_plies=20", ("random", "random")),
)
LONG: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lucid", ("lucid/one-axis-blue", "lucid/axes-red")),
    ("gravwell:players=2", ("gravwell/decision-tree", "gravwell/random-no-stop")),
)
GAMES = SHORT * 4 + LONG  # what is kept of a game counts here, not how long it was
LOOK_SECONDS = 1.0  # between looks whether a game that nobody watches is over
CONFIDENCE = 1.96
TRACED = "traced.txt"


def tell_traced(path: Path) -> None:
    """Write again and again how many megabytes Python's objects take."""
    while True:
        gc.collect()
        path.write_text(f"{tracemalloc.get_traced_memory()[0] / 1e6:.3f}", encoding="ascii")
        time.sleep(1.0)


def serve(folder: Path, trace: bool) -> None:
    """Be the server: as people start it, but with no limit to what one address may ask for."""
    from sandtable.server.serve import serve as run
    from sandtable.server.settings import Limits, Settings

    free = Limits(requests_per_second=1e6, request_burst=1e6, rooms_per_second=1e6, room_burst=1e6)
    settings = Settings(
        data=folder / "data", archive=folder / "archive.db", runs=folder, port=0, limits=free
    )
    if trace:
        tracemalloc.start()
        threading.Thread(target=tell_traced, args=(folder / TRACED,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        run(settings, client_wanted=False, ready=lambda address, _: print(address, flush=True))


class Server:
    """The server in a process of its own."""

    def __init__(self, folder: Path, trace: bool) -> None:
        command = [sys.executable, __file__, "--serve", str(folder), *["--trace"] * trace]
        self.traced = folder / TRACED
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://([0-9.:]+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}")
        self.host = found[1]

    def megabytes(self) -> tuple[float, float, float]:
        """Return the memory of the server, of the processes it has started, and what is traced."""
        own = self.process.pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text("ascii").split()
        traced = self.traced.read_text("ascii") if self.traced.is_file() else ""
        workers = sum(resident(int(child)) for child in children)
        return resident(own), workers, float(traced or "nan")

    def processor_seconds(self) -> float:
        """Return the processor time of the server itself."""
        status = Path(f"/proc/{self.process.pid}/stat").read_text("ascii")
        fields = status.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


def resident(process: int) -> float:
    """Return the memory of a process in megabytes; none of one that has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+([0-9]+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


class Tables:
    """Games that follow each other at many tables."""

    def __init__(self, server: Server, options: argparse.Namespace) -> None:
        self.server, self.options = server, options
        self.begun = self.finished = self.actions = 0
        self.http = httpx.AsyncClient(
            base_url=f"http://{server.host}", timeout=600, limits=httpx.Limits(max_connections=20)
        )

    async def play_on(self, number: int) -> None:
        """Let one game follow the other at a table."""
        watched = number < self.options.watched
        until = time.monotonic() + self.options.seconds
        while self.begun < self.options.games and time.monotonic() < until:
            game, agents = GAMES[self.begun % len(GAMES)]
            self.begun += 1
            seats = [{"agent": agent} for agent in agents]
            answer = await self.http.post("/api/rooms", json={"game": game, "seats": seats})
            answer.raise_for_status()
            room = answer.json()["room"]
            actions = await (self.watch(room) if watched else self.wait_for(room))
            self.actions += actions
            self.finished += 1

    async def watch(self, room: str) -> int:
        """Read everything a game sends; return how many actions it had."""
        address = f"ws://{self.server.host}/api/rooms/{room}/socket"
        async with connect(address, max_size=None, compression=None) as socket:
            await socket.send(json.dumps({"type": "join"}))
            while True:
                now = json.loads(await socket.recv()).get("now")
                if now is not None and now["archive"]:
                    return int(now["ply"])

    async def wait_for(self, room: str) -> int:
        """Wait until a game is over."""
        while True:
            await asyncio.sleep(LOOK_SECONDS * random.uniform(0.5, 1.5))
            found = (await self.http.get(f"/api/rooms/{room}")).json()
            if found["over"]:
                return int(found["ply"])


async def measure(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    """Play all games and note the memory along the way."""
    tables = Tables(server, options)
    began = time.monotonic()
    players = [asyncio.create_task(tables.play_on(number)) for number in range(options.tables)]
    notes: list[tuple[int, float, float, float]] = []
    while not all(player.done() for player in players):
        if tables.finished >= len(notes) * options.games / options.notes:
            notes.append((tables.finished, *server.megabytes()))
            print(f"{notes[-1][0]} games: {notes[-1][1]:.1f} + {notes[-1][2]:.1f} MB", flush=True)
        await asyncio.sleep(0.2)
    for player in players:
        player.result()
    notes.append((tables.finished, *server.megabytes()))
    await tables.http.aclose()
    return {
        "games": tables.finished,
        "actions": tables.actions,
        "tables": options.tables,
        "watched_tables": options.watched,
        "seconds": round(time.monotonic() - began),
        "server_processor_seconds": round(server.processor_seconds()),
        "after_games": [note[0] for note in notes],
        "server_megabytes": [round(note[1], 1) for note in notes],
        "worker_megabytes": [round(note[2], 1) for note in notes],
        "server_growth": growth([(note[0], note[1]) for note in notes]),
        **traced_of(notes),
        "load_average": round(os.getloadavg()[0], 1),
    }


def traced_of(notes: list[tuple[int, float, float, float]]) -> dict[str, Any]:
    """Return what Python counted, if it did."""
    if np.isnan(notes[-1][3]):
        return {}
    kept = [(note[0], note[3]) for note in notes if not np.isnan(note[3])]
    return {"traced_megabytes": [round(each[1], 2) for each in kept], "traced_growth": growth(kept)}


def growth(notes: list[tuple[int, float]]) -> dict[str, float]:
    """Return megabytes for a thousand games in the second half, by least squares, with its 95%."""
    half = np.array(notes[len(notes) // 2 :])
    games, megabytes = half[:, 0] / 1000, half[:, 1]
    slope, start = np.polyfit(games, megabytes, 1)
    left = megabytes - (slope * games + start)
    spread = np.sqrt((left**2).sum() / max(len(half) - 2, 1))
    error = CONFIDENCE * spread / np.sqrt(((games - games.mean()) ** 2).sum())
    return {
        "megabytes_per_1000_games": round(float(slope), 2),
        "low": round(float(slope - error), 2),
        "high": round(float(slope + error), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1e9, help="no game begins after that")
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--watched", type=int, default=12, help="tables that somebody watches")
    parser.add_argument("--notes", type=int, default=30, help="how often memory is noted")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.trace)
        return
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), options.trace)
        try:
            result = asyncio.run(measure(server, options))
        finally:
            server.stop()
    print(json.dumps(result, indent=2))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
