"""A league of 30 bots, once undisturbed and once with workers and server killed at random.

    taskset -c 1 nice -n 19 python benchmarks/league.py

Both leagues have the same seed, bots and number of rounds. The first has one worker. In the second
three workers play; every few deals one of them (and now and then the server) gets a SIGKILL and
another is started. In the end the schedules, what was played in every deal, and the tables must be
equal, letter by letter. Kills are drawn from a seed, but strike whatever is happening then.

With ``--last 2`` a deal of the second league lasts two seconds longer, as with bots that think: so
kills strike over an hour that costs minutes of a processor.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess as Process
from pathlib import Path
from typing import Any

from sqlalchemy import select

from sandtable.league import tables
from sandtable.league.bots import add_author, add_bot, author_by_token
from sandtable.league.link import SECONDS_TO_ANSWER, ServerLink
from sandtable.league.players import DealPlayer
from sandtable.league.serve import serve_leagues
from sandtable.league.standings import standings_of
from sandtable.league.store import Store
from sandtable.league.worker import WorkerOptions, work

GAME = "skirmish"
HERE = Path(__file__).parent
FORK = multiprocessing.get_context("fork")  # kernels are loaded once, before
BOTS = (
    *(f"random-{number}" for number in range(1, 9)),
    *(f"greedy-{number}" for number in range(1, 9)),
    *(f"tree-{number}" for number in range(1, 15)),
)


def spec_of(name: str) -> str:
    """Return what a bot plays by."""
    kind, _, number = name.partition("-")
    if kind == "greedy":
        return "skirmish/greedy"
    if kind == "random":
        return "random"
    return f"mcts:simulations={1 + int(number) // 4}"


@dataclass
class Run:
    """A server of a league and its workers, as processes that can be killed."""

    folder: Path
    lease: float
    last: float = 0.0  # seconds that a deal lasts longer
    port: int = 0
    server: Process | None = None
    workers: list[Process] = field(default_factory=list)
    killed_workers: int = 0
    killed_servers: int = 0

    def begin(self, seed: int, rounds: int) -> None:
        """Make the league and its bots."""
        store = Store.open(self.folder / "leagues.db")
        league = store.add_league("open", GAME, seed=seed, most_rounds=rounds, move_time=60.0)
        author = author_by_token(store, add_author(store, league, "benchmark"))
        assert author is not None
        for name in BOTS:
            add_bot(store, league, author, name, "agent", spec_of(name))
        store.close()

    def serve(self) -> None:
        """Start the server, on the port it had."""
        here, there = FORK.Pipe(duplex=False)
        self.server = FORK.Process(target=serve, args=(self.folder, self.lease, self.port, there))
        self.server.start()
        self.port = int(here.recv())

    def work(self) -> None:
        """Start one more worker."""
        token = (self.folder / "worker-token").read_text().strip()
        address = f"http://127.0.0.1:{self.port}"
        arguments = address, token, self.folder / "files", self.last
        worker = FORK.Process(target=play, args=arguments)
        worker.start()
        self.workers.append(worker)

    def over(self) -> bool:
        """Say whether all workers have found nothing more to play."""
        return not any(each.is_alive() for each in self.workers)

    def close(self) -> None:
        """End everything."""
        for each in (*self.workers, self.server):
            if each is not None:
                each.kill()
                each.join()


def serve(folder: Path, lease: float, port: int, ready: Connection) -> None:
    """Be a server."""
    serve_leagues(
        folder, str(folder / "leagues.db"), host="127.0.0.1", port=port, programs=False,
        lease_seconds=lease, ready=lambda address, _: ready.send(address.rpartition(":")[2]),
    )  # fmt: skip


class SlowLink(ServerLink):
    """The way of a worker whose deals last longer: it brings each so many seconds later."""

    last = 0.0

    def post(
        self, path: str, data: Mapping[str, Any], seconds: float = SECONDS_TO_ANSWER
    ) -> dict[str, Any]:
        """Send data once, results later."""
        if path == "/api/work/result":
            time.sleep(self.last)
        return super().post(path, data, seconds)


def play(address: str, token: str, files: Path, last: float) -> None:
    """Be a worker."""
    options = WorkerOptions(files, until_idle=True, idle_seconds=0.2)
    link = SlowLink(address, token)
    link.last = last
    work(link, options, lambda line: None)


def warm_up() -> None:
    """Load what every worker needs: they are copies of this process, and start at once."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "leagues.db")
        player = DealPlayer(ServerLink("http://127.0.0.1:1"), Path(folder))
        kinds = [{"kind": "agent", "spec": spec_of(name), "file": None}
                 for name in ("random-1", "greedy-1", "tree-1")]  # fmt: skip
        for one, other in itertools.product(kinds, kinds):
            bots = [{**one, "id": 1, "name": "one"}, {**other, "id": 2, "name": "other"}]
            player.kept.clear()
            player.play("", {"deal": 1, "game": GAME, "seed": 1, "move_time": 60.0, "bots": bots})
        store.close()


def deals_of(folder: Path) -> dict[str, int]:
    """Count the deals by state."""
    store = Store.open(folder / "leagues.db", create=False)
    with store.reading() as connection:
        states = list(connection.scalars(select(tables.deals.c.state)))
        rounds = len(list(connection.scalars(select(tables.rounds.c.id))))
    store.close()
    return {state: states.count(state) for state in sorted(set(states))} | {"rounds": rounds}


def outcome_of(folder: Path) -> dict[str, Any]:
    """Return what must not depend on who died: schedule, what was played, the table."""
    store = Store.open(folder / "leagues.db", create=False)
    league = store.league("open")
    deals = tables.deals.c
    columns = (deals.round, deals.number, deals.seed, deals.bots, deals.state, deals.places,
               deals.played, deals.forfeits)  # fmt: skip
    with store.reading() as connection:
        rows = [list(row) for row in connection.execute(select(*columns).order_by(deals.number))]
        attempts = sum(connection.scalars(select(deals.attempts)))
    table = standings_of(store, league).as_data()
    store.close()
    return {"deals": rows, "table": table, "attempts": attempts}


def disturb(run: Run, dice: random.Random, pause: int) -> None:
    """Kill and replace, after so many more deals each time, until everything is played."""
    brought = 0
    while True:
        until = brought + dice.uniform(0.5, 1.5) * pause
        while brought < until:
            time.sleep(0.05 + run.last / 8)
            if run.over():
                return
            brought = deals_of(run.folder).get("done", 0)
        living = [each for each in run.workers if each.is_alive()]
        if dice.random() < 0.15 and run.server is not None:
            run.server.kill()
            run.server.join()
            run.killed_servers += 1
            run.serve()
        elif living:
            victim = dice.choice(living)
            victim.kill()
            victim.join()
            run.workers.remove(victim)
            run.killed_workers += 1
            run.work()


def main() -> None:
    """Run both leagues and compare them."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--rounds", type=int, default=10)
    reader.add_argument("--seed", type=int, default=28)
    reader.add_argument("--pause", type=int, default=10, help="mean deals between kills")
    reader.add_argument("--last", type=float, default=0.0, help="seconds by deal, for more kills")
    reader.add_argument("--json", type=Path, default=HERE / "league.json")
    chosen = reader.parse_args()
    outcomes, seconds = [], []
    warm_up()
    kills = {"workers": 0, "servers": 0}
    with tempfile.TemporaryDirectory() as place:
        for name, workers in (("undisturbed", 1), ("disturbed", 3)):
            folder = Path(place) / name
            folder.mkdir()
            run = Run(folder, lease=5.0, last=chosen.last if workers > 1 else 0.0)
            run.begin(chosen.seed, chosen.rounds)
            began = time.monotonic()
            try:
                run.serve()
                for _ in range(workers):
                    run.work()
                if workers > 1:
                    disturb(run, random.Random(chosen.seed), chosen.pause)
                    kills = {"workers": run.killed_workers, "servers": run.killed_servers}
                while not run.over():
                    time.sleep(0.5)
            finally:
                run.close()
            seconds.append(round(time.monotonic() - began, 1))
            outcomes.append(outcome_of(folder))
            print(name, seconds[-1], "s", deals_of(folder), kills, flush=True)
    calm, wild = outcomes
    result = {
        "command": f"benchmarks/league.py --rounds {chosen.rounds} --seed {chosen.seed} "
        f"--pause {chosen.pause}" + (f" --last {chosen.last:g}" if chosen.last else ""),
        "bots": len(BOTS),
        "rounds": chosen.rounds,
        "deals": len(calm["deals"]),
        "games": 2 * len(calm["deals"]),
        "seconds": dict(zip(("undisturbed", "disturbed"), seconds, strict=True)),
        "killed": kills,
        "leases": {"undisturbed": calm["attempts"], "disturbed": wild["attempts"]},
        "same_schedule": [row[:4] for row in calm["deals"]] == [row[:4] for row in wild["deals"]],
        "same_games": calm["deals"] == wild["deals"],
        "same_table": calm["table"] == wild["table"],
        "processors": len(os.sched_getaffinity(0)),
        "table": calm["table"],
    }
    chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: value for key, value in result.items() if key != "table"}))


if __name__ == "__main__":
    main()
