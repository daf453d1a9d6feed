"""The web server over a long time: games, spectators, and processes of programs that are killed.

    python benchmarks/web_soak.py --minutes 60 --json benchmarks/web_soak.json
    python benchmarks/web_soak.py --minutes 1 --games 20 --spectators 50 --kill-every 10

Players and spectators are those of web.py. Every so often the process of some programs is killed as
a crash would; the program that was thinking there forfeits, all others go on. The report has a row
for every part of the time: how long moves and pings took, memory of the server and of the programs,
open files. Ctrl-C ends it early; what is measured by then is reported. It fails on errors, where
fewer than 99% of the moves are answered within 250 ms, and where files are left open.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from web import everybody_in
from web_load import GAMES, Load, Server, figures, ping, write_result

SPARE_FILES = 100  # that may be open in the end beyond those at the first look


class Soak:
    """The rows of a report, and how they come about."""

    def __init__(self, server: Server, options: argparse.Namespace) -> None:
        self.server, self.options = server, options
        self.load = Load(server.host, options.think)
        self.pings: list[float] = []
        self.rows: list[dict[str, Any]] = []
        self.kills = 0
        self.all_waits: list[float] = []

    async def run(self) -> None:
        """Let everybody in, and look at them until time is up."""
        options, load = self.options, self.load
        tasks = [asyncio.create_task(load.play_on(number)) for number in range(options.games)]
        tasks += [
            asyncio.create_task(load.watch_on(number, number % options.games))
            for number in range(options.spectators)
        ]
        room = await load.room(*GAMES[1])
        tasks.append(asyncio.create_task(ping(load, room["room"], self.pings, pause=0.2)))
        tasks.append(asyncio.create_task(self.kill_on()))
        await everybody_in(load, options.games, options.spectators, options.settle)
        load.counting = True
        began = time.monotonic()
        try:
            while (left := began + 60 * options.minutes - time.monotonic()) > 0:
                await asyncio.sleep(min(options.row_seconds, left))
                self.look(time.monotonic() - began)
        finally:
            load.until = 0.0
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def kill_on(self) -> None:
        """Kill one process of programs after the other."""
        dice = random.Random(0)
        while True:
            await asyncio.sleep(self.options.kill_every)
            workers = self.server.workers()
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(dice.choice(workers), signal.SIGKILL)
                    self.kills += 1

    def look(self, seconds: float) -> None:
        """Add a row to the report."""
        load, server = self.load, self.server
        waits, load.waits = load.waits, []
        pings, self.pings[:] = list(self.pings), []
        self.all_waits += waits
        workers = server.workers()
        row: dict[str, Any] = {
            "seconds": round(seconds),
            "moves": figures(waits),
            "pings": figures(pings),
            "server_megabytes": round(server.megabytes(), 1),
            "program_processes": len(workers),
            "program_megabytes": round(sum(map(server.megabytes, workers)), 1),
            "descriptors": server.descriptors(),
            "games_finished": load.finished,
            "forfeits": load.forfeits,
            "kills": self.kills,
            "errors": load.errors.total(),
        }
        self.rows.append(row)
        late = row["moves"].get("p99_ms", "-")
        print(
            f"{row['seconds']:6} s  moves {row['moves']['count']:6}  p99 {late} ms  "
            f"{row['server_megabytes']} MB  {row['descriptors']} files  {load.finished} games  "
            f"{self.kills} kills  {row['errors']} errors",
            file=sys.stderr,
        )

    def report(self) -> dict[str, Any]:
        """Return everything."""
        load = self.load
        return {
            "minutes": self.options.minutes,
            "games_at_a_time": self.options.games,
            "players_in": len(load.players),
            "spectators": self.options.spectators,
            "spectators_in": len(load.watchers),
            "moves": figures(self.all_waits),
            "games_finished": load.finished,
            "forfeits": load.forfeits,
            "kills": self.kills,
            "errors": load.errors.total(),
            "reasons": dict(load.errors.most_common(10)),
            "log_bytes": self.server.log.stat().st_size,
            "load_average": round(os.getloadavg()[0], 1),
            "rows": self.rows,
        }


def problems_of(result: dict[str, Any]) -> list[str]:
    """Say what is not as it should be."""
    found = []
    if result["errors"]:
        found.append(f"{result['errors']} errors: {result['reasons']}")
    for who, wanted in (("players", "games_at_a_time"), ("spectators", "spectators")):
        if result[f"{who}_in"] < result[wanted]:
            found.append(f"only {result[f'{who}_in']} of {result[wanted]} {who} got in")
    if result["moves"].get("share_within_250_ms", 0.0) < 0.99:
        found.append("fewer than 99% of the moves were answered within 250 ms")
    rows = result["rows"]
    if rows and rows[-1]["descriptors"] > rows[0]["descriptors"] + SPARE_FILES:
        found.append("files are left open")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--think", type=float, default=2.0)
    parser.add_argument("--settle", type=float, default=120.0, help="most seconds to get all in")
    parser.add_argument("--kill-every", type=float, default=30.0, help="seconds")
    parser.add_argument("--row-seconds", type=float, default=60.0, help="of one row of the report")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        soak = Soak(server, options)
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(soak.run())
            result = soak.report()
        finally:
            server.stop()
    write_result(options.json, result)
    problems = problems_of(result)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
