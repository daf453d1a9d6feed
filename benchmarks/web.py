"""The web server under load: many games against scripted programs, many who only watch, memory.

    python benchmarks/web.py --games 200 --spectators 1000 --seconds 60 --json benchmarks/web.json

The server runs as people start it; the players are in this process and share the machine with it.
A player thinks for a while (--think, on average) and plays a legal action. What is measured is the
time from sending it until the program's answer, or the next turn, has arrived whole: for the player
that is how long a move takes. Spectators watch the games that are played. Whoever does not get in,
and whatever goes wrong for one who did, is an error; with any of them the command fails.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from web_load import Load, Server, figures, write_result

GOAL_SHARE = 0.99


async def everybody_in(load: Load, games: int, spectators: int, patience: float) -> None:
    """Wait until all are in, or time is up."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if len(load.players) >= games and len(load.watchers) >= spectators:
            return
        await asyncio.sleep(0.5)


async def measure(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    """Let everybody in, wait until all play, then measure."""
    load = Load(server.host, options.think)
    tasks = [asyncio.create_task(load.play_on(number)) for number in range(options.games)]
    tasks += [
        asyncio.create_task(load.watch_on(number, number % options.games))
        for number in range(options.spectators)
    ]
    await everybody_in(load, options.games, options.spectators, options.settle)
    await asyncio.sleep(min(options.settle / 10, 5.0))
    memory = [server.megabytes()]
    began, used = time.monotonic(), server.processor_seconds()
    load.counting = True
    for _ in range(options.parts):
        await asyncio.sleep(options.seconds / options.parts)
        memory.append(server.megabytes())
    load.counting = False
    seconds = time.monotonic() - began
    used = server.processor_seconds() - used
    descriptors = server.descriptors()
    load.until = time.monotonic()
    _, late = await asyncio.wait(tasks, timeout=20)
    for task in late:
        task.cancel()
    waits = figures(load.waits)
    return {
        "games_at_a_time": options.games,
        "players_in": len(load.players),
        "spectators": options.spectators,
        "spectators_in": len(load.watchers),
        "think_seconds": options.think,
        "seconds": round(seconds, 1),
        "moves": waits.pop("count"),
        "moves_per_second": round(len(load.waits) / seconds, 1),
        **waits,
        "messages_to_spectators": load.messages,
        "games_finished": load.finished,
        "errors": load.errors.total(),
        "reasons": dict(load.errors.most_common(10)),
        "server_megabytes": [round(each, 1) for each in memory],
        "server_descriptors": descriptors,
        "server_processor_share": round(used / seconds, 3),
        "load_average": round(os.getloadavg()[0], 1),
    }


def problems_of(result: dict[str, Any]) -> list[str]:
    """Say what is not as it should be."""
    found = []
    for who, wanted in (("players", "games_at_a_time"), ("spectators", "spectators")):
        if result[f"{who}_in"] < result[wanted]:
            found.append(f"only {result[f'{who}_in']} of {result[wanted]} {who} got in")
    if result["errors"]:
        found.append(f"{result['errors']} errors: {result['reasons']}")
    if result.get("share_within_250_ms", 0.0) < GOAL_SHARE:
        found.append("fewer than 99% of the moves were answered within 250 ms")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=2.0)
    parser.add_argument("--settle", type=float, default=120.0, help="most seconds to get all in")
    parser.add_argument("--parts", type=int, default=6)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            result = asyncio.run(measure(server, options))
        finally:
            server.stop()
    write_result(options.json, result, keep=True)  # web_page.py writes there too
    problems = problems_of(result)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
