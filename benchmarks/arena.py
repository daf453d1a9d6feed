"""What the arena adds to the bare game loop, what a second worker brings, and archive writes.

The yardstick of each figure is measured in the same run, in turn with it: the bare loop of the
games for the overhead, one worker for two.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sandtable.arena.play import plan as chunks
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.plan import MatchPlan, PlanPlayer, make_plan
from sandtable.arena.play.run import RunOptions, play_plans
from sandtable.records.archive import Archive
from sandtable.registry import make_agent, make_game

PAIRING = ("lucid/simple-blue", "lucid/axes-red")
IN_PYTHON = ("lucid/imitation-1", "lucid/axes-red")  # decides in Python, in milliseconds
KEPT = RunOptions(resume=True, fresh=True)
COMPILED_GAMES = 400_000
PYTHON_GAMES = 400
PROCESS_GAMES = 5000  # enough for the start of the second process not to count
PROCESS_TRIES = 2
GAMES_AT_ONCE = 20_000  # in a call of the bare loop, as many as the arena gives to a worker
RECORDS = 20_000
RECORDS_AT_ONCE = 2000


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str
    value: float
    unit: str
    yardstick: str
    ratio: float  # of the value to the yardstick's


def rate(work: Callable[[], int], clock: Callable[[], float]) -> float:
    """Return how many games a second some work plays."""
    began = clock()
    games = work()
    return games / (clock() - began)


def best_in_turn(
    works: list[Callable[[], int]], tries: int, clock: Callable[[], float] = time.process_time
) -> list[float]:
    """Return the best rate of each; they take turns, so that a busy moment hits all of them."""
    rates = [[rate(work, clock) for work in works] for _ in range(tries)]
    return [max(column) for column in zip(*rates, strict=True)]


def bare_kernel_loop() -> int:
    """Play the games with nothing around the kernel."""
    game = make_game("lucid")
    acting = policies(game, [make_agent(spec) for spec in PAIRING])
    assert acting is not None
    for first in range(0, COMPILED_GAMES, GAMES_AT_ONCE):
        play_games(game, acting, 0, first, GAMES_AT_ONCE, keep=False)
    return COMPILED_GAMES


def bare_python_loop() -> int:
    """Play the games one by one, with agents in Python and nothing around them."""
    game = make_game("lucid")
    agents = [make_agent(spec) for spec in IN_PYTHON]
    for number in range(PYTHON_GAMES):
        play_game(game, agents, specs=IN_PYTHON, seed=0, number=number, move_time=60.0)
    return PYTHON_GAMES


def arena(plan: MatchPlan) -> int:
    """Play a plan in this process as the commands do, with a journal."""
    return sum(len(chunk.scores) for _, chunk in play_plans([plan], KEPT))


def share_of_the_loop(plan: MatchPlan, loop: str) -> float:
    """Return which part of the arena's processor time the game loop takes, within one run.

    Two runs differ by more than what is measured here if the machine has other things to do; the
    parts of one run do not. The clock starts with the second chunk, when the agents are there.
    """
    plain = getattr(chunks, loop)
    spent = 0.0

    def metered(*arguments: Any, **options: Any) -> Any:
        nonlocal spent
        began = time.process_time()
        try:
            return plain(*arguments, **options)
        finally:
            spent += time.process_time() - began

    setattr(chunks, loop, metered)
    try:
        parts = play_plans([plan], KEPT)
        next(parts)
        spent, began = 0.0, time.process_time()
        for _ in parts:
            pass
        return spent / (time.process_time() - began)
    finally:
        setattr(chunks, loop, plain)


def overhead(tries: int) -> list[Figure]:
    """Compare the arena with the bare loop, by processor time."""
    figures = []
    compiled = make_plan("lucid", PAIRING, COMPILED_GAMES, 0)
    in_python = make_plan("lucid", IN_PYTHON, PYTHON_GAMES, 0, 60)
    for name, plan, bare_loop, loop in (
        ("compiled agents", compiled, bare_kernel_loop, "play_games"),
        ("agents in Python", in_python, bare_python_loop, "play_game"),
    ):
        play: Callable[[], int] = functools.partial(arena, plan)
        play()  # compiled once
        bare, ours = best_in_turn([bare_loop, play], tries)
        figures.append(Figure(f"{name}, bare loop", bare, "games/s", "", 1.0))
        figures.append(Figure(f"{name}, arena", ours, "games/s", "bare loop", ours / bare))
        share = min(share_of_the_loop(plan, loop) for _ in range(tries))
        words = f"{name}, the loop within the arena"
        figures.append(Figure(words, 100 * share, "per cent", "the whole", share))
    return figures


def steady_rate(plan: MatchPlan, jobs: int) -> float:
    """Return games a second by the clock, from the moment all workers are there."""
    games, began = 0, 0.0
    for number, (_, chunk) in enumerate(play_plans([plan], replace(KEPT, jobs=jobs))):
        if number < 2 * jobs:
            began = time.perf_counter()  # the first chunks are small, and wait for the start
        else:
            games += len(chunk.scores)
    return games / (time.perf_counter() - began)


def two_workers(tries: int) -> list[Figure]:
    """Compare two workers with one."""
    figures = []
    few = min(tries, PROCESS_TRIES)
    for name, plan, times in (
        ("threads", make_plan("lucid", PAIRING, 2 * COMPILED_GAMES, 0), tries),
        ("processes", make_plan("lucid", IN_PYTHON, PROCESS_GAMES, 0, 60), few),
    ):
        rates = [(steady_rate(plan, 1), steady_rate(plan, 2)) for _ in range(times)]
        one, two = (max(column) for column in zip(*rates, strict=True))
        figures.append(Figure(f"{name}, one worker", one, "games/s", "", 1.0))
        figures.append(Figure(f"{name}, two workers", two, "games/s", "one worker", two / one))
    return figures


def archive_writes(tries: int) -> list[Figure]:
    """Write the records of whole games to an SQLite file, so many in each transaction."""
    player = PlanPlayer(make_plan("lucid", PAIRING, RECORDS, 0))
    records = player.play(0, RECORDS, keep_records=True).records

    def write() -> int:
        with tempfile.TemporaryDirectory() as folder:
            archive = Archive.open(Path(folder) / "games.db")
            new = sum(
                archive.add(records[first : first + RECORDS_AT_ONCE])
                for first in range(0, RECORDS, RECORDS_AT_ONCE)
            )
            archive.close()
        return new

    (by_processor,) = best_in_turn([write], tries)
    (by_clock,) = best_in_turn([write], tries, time.perf_counter)
    return [
        Figure("archive writes, by processor time", by_processor, "games/s", "", 1.0),
        Figure("archive writes, by the clock", by_clock, "games/s", "", 1.0),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="save the figures here")
    parser.add_argument("--tries", type=int, default=5, help="the best of so many counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SANDTABLE_STATE"] = folder
        figures = [*overhead(options.tries), *two_workers(options.tries)]
        figures += archive_writes(options.tries)
    for each in figures:
        beside = f"{each.ratio:6.2f} times {each.yardstick}" if each.yardstick else ""
        print(f"{each.name:36} {each.value:12,.0f} {each.unit:8} {beside}")
    if options.json:
        data = {
            "machine": {
                "processor": platform.processor() or platform.machine(),
                "cores": os.cpu_count(),
                "load": os.getloadavg()[0],
                "python": platform.python_version(),
            },
            "tries": options.tries,
            "figures": [asdict(each) for each in figures],
        }
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
