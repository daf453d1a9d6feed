"""Speed figures of Sandtable beside yardsticks measured in the same run."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.arena.play.game_loop import play_game
from sandtable.batch import Batch
from sandtable.benchmarking.timing import many_draws
from sandtable.dice import Dice
from sandtable.games.lucid.rules import END
from sandtable.registry import make_agent, make_game

BATCH = 4096  # games side by side
BATCH_STEPS = 240  # in a try: a whole game of Skirmish, so that no try meets only its easy part
WARM_STEPS = 960  # before the first try, after which the games of a batch are at all stages
COMMAND = Path(sys.executable).with_name("sandtable")
OPPONENT = "lucid/axes-red"


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str
    value: float
    unit: str
    yardstick: str
    ratio: float  # of the value to the yardstick's rate


def best_rate(
    work: Callable[[], float],
    tries: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the best amount of work done per second; ``work`` returns the amount."""
    rates = []
    for _ in range(tries):
        began = clock()
        amount = work()
        rates.append(amount / (clock() - began))
    return max(rates)


def dice_rate() -> float:
    """The yardstick of kernels: draws per second."""
    dice = Dice(0).array
    many_draws(dice, 1)

    def work() -> float:
        many_draws(dice, 5_000_000)
        return 5_000_000

    return best_rate(work)


def command_rate(arguments: list[str], environment: dict[str, str] | None = None) -> float:
    """Return how often a second a command can be started, run and ended."""

    def work() -> float:
        settings = os.environ | (environment or {})
        subprocess.run(arguments, check=True, capture_output=True, env=settings)
        return 1

    return best_rate(work, clock=time.perf_counter)  # processor time of others is not counted


def compiled_rates(blue: str) -> tuple[float, float]:
    """Return games and turns per second on the compiled path that ``match`` takes."""
    game = make_game("lucid")
    acting = policies(game, [make_agent(blue), make_agent(OPPONENT)])
    assert acting is not None
    count = 20_000
    kept = play_games(game, acting, 0, 0, count, keep=True)
    assert kept.actions is not None
    turns_per_game = float((kept.actions == END).sum()) / count

    def work() -> float:
        play_games(game, acting, 0, 0, count, keep=False)
        return count

    games = best_rate(work)
    return games, games * turns_per_game


def python_rate(blue: str) -> float:
    """Return games per second when every decision goes through Python."""
    game = make_game("lucid")
    agents = [make_agent(blue), make_agent(OPPONENT)]

    def work() -> float:
        for number in range(200):
            play_game(game, agents, specs=[blue, OPPONENT], seed=0, number=number)
        return 200

    return best_rate(work)


def batch_rate(game: str, observe: bool) -> float:
    """Return steps per second of a batch of random games."""
    batch = Batch(make_game(game), BATCH, auto_reset=True, observe=observe)

    def steps(count: int) -> float:
        for _ in range(count):
            batch.step(batch.random_actions())
        return count * BATCH

    steps(WARM_STEPS)
    return best_rate(lambda: steps(BATCH_STEPS))


def measure() -> list[Figure]:
    """Measure everything."""
    draws = dice_rate()
    starts = command_rate([sys.executable, "-c", "pass"])
    figures = [
        Figure("dice", draws, "draws/s", "dice", 1.0),
        Figure("python", starts, "starts/s", "python", 1.0),
    ]

    def add(name: str, value: float, unit: str, yardstick: str) -> None:
        rate = draws if yardstick == "dice" else starts
        figures.append(Figure(name, value, unit, yardstick, value / rate))

    for blue in ("lucid/simple-blue", "lucid/one-axis-blue"):
        games, turns = compiled_rates(blue)
        add(f"{blue} against {OPPONENT}, compiled", games, "games/s", "dice")
        add(f"{blue} against {OPPONENT}, compiled", turns, "turns/s", "dice")
    add("lucid/simple-blue, Python path", python_rate("lucid/simple-blue"), "games/s", "dice")
    for game in ("lucid", "skirmish"):
        for observe, planes in ((False, "without planes"), (True, "with planes")):
            name = f"{game} batch of {BATCH} {planes}, random play"
            add(
                name,
                batch_rate(game, observe),
                "half-turns/s" if game == "skirmish" else "steps/s",
                "dice",
            )
    add("sandtable --help", command_rate([str(COMMAND), "--help"]), "starts/s", "python")
    match = [str(COMMAND), "match", "lucid", "lucid/simple-blue", OPPONENT, "--games", "100"]
    add("match of 100 games, warm cache", command_rate(match), "starts/s", "python")
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run(
            match, check=True, capture_output=True, env=os.environ | {"SANDTABLE_CACHE": folder}
        )
        cold = 1 / (time.perf_counter() - began)
    add("match of 100 games, first on an installation", cold, "starts/s", "python")
    return figures


def main() -> None:
    """Print the table and write it to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    figures = measure()
    for figure in figures:
        value = f"{figure.value:,.0f}" if figure.value >= 100 else f"{figure.value:.3g}"
        seconds = f" ({1 / figure.value:.2f} s)" if figure.unit == "starts/s" else ""
        ratio = f"{figure.ratio:.3g} x {figure.yardstick}"
        print(f"{figure.name:50} {value:>13} {figure.unit}{seconds:10} {ratio}")
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {"machine": machine, "figures": [asdict(figure) for figure in figures]}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
