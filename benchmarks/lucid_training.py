"""Speed of learning by temporal differences in Operation Lucid: games a second, fitting included.

The first games of ``sandtable train lucid/td`` (most begin with scattered units, so they are
shorter than later ones), with one thread and with two, by the clock. The yardstick is AxesRed
against SimpleBlue, scripts alone, on one core of the same machine.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import tempfile
import time
from pathlib import Path

from sandtable.arena.compiled_games import play_games, policies
from sandtable.learning.lucid_td import TD_RECIPE, TdConfig, train
from sandtable.learning.recipes import Control
from sandtable.registry import make_agent, make_game

GAMES = 10_000
YARDSTICK_GAMES = 50_000


def scripted_games_a_second() -> float:
    """Return how many games the scripts play."""
    game = make_game("lucid")
    players = policies(game, [make_agent("lucid/simple-blue"), make_agent("lucid/axes-red")])
    play_games(game, players, 0, 0, 10, keep=False)  # compiled
    began = time.perf_counter()
    play_games(game, players, 0, 0, YARDSTICK_GAMES, keep=False)
    return YARDSTICK_GAMES / (time.perf_counter() - began)


def trained_games_a_second(config: TdConfig, threads: int) -> float:
    """Return how many games a run plays and learns from."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        train(config, Path(folder), Control(threads=threads))
        return config.games / (time.perf_counter() - began)


def measure(games: int) -> dict[str, float]:
    """Measure everything; the first games of a run do not depend on how many follow."""
    figures = {"yardstick: scripts alone, one core": scripted_games_a_second()}
    for name, preset in TD_RECIPE.presets.items():
        trained_games_a_second(dataclasses.replace(preset, games=100, generation=100), 1)
        for threads in (1, 2):
            config = dataclasses.replace(preset, games=games)
            found = trained_games_a_second(config, threads)
            figures[f"{name}, first {games:,} games, threads: {threads}"] = found
    return figures


def main() -> None:
    """Print the table and write it to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help="games of each run")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.games)
    yardstick = next(iter(figures.values()))
    for name, value in figures.items():
        print(f"{name:58} {value:10.0f} games/s {value / yardstick:10.4f} x yardstick")
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {"machine": machine, "games_per_second": figures}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
