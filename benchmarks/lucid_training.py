"""Speed of learning by temporal differences in Operation Lucid: games a second, fitting included.

The first games of ``sandtable train lucid/td`` (most begin with scattered units, so they are
shorter than later ones): on one thread by processor time, so that a busy machine does not matter
much, and on two threads by the clock, which needs a quiet one. The yardstick is AxesRed against
SimpleBlue, scripts alone, by processor time.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.games.lucid.learning.td.recipe import TD_RECIPE, TdConfig, train
from sandtable.learning.run import Control
from sandtable.registry import make_agent, make_game

GAMES = 10_000
YARDSTICK_GAMES = 50_000


def scripted_games_a_second() -> float:
    """Return how many games the scripts play."""
    game = make_game("lucid")
    players = policies(game, [make_agent("lucid/simple-blue"), make_agent("lucid/axes-red")])
    assert players is not None
    play_games(game, players, 0, 0, 10, keep=False)  # compiled
    began = time.process_time()
    play_games(game, players, 0, 0, YARDSTICK_GAMES, keep=False)
    return YARDSTICK_GAMES / (time.process_time() - began)


def trained_games_a_second(
    config: TdConfig, threads: int = 1, clock: Callable[[], float] = time.process_time
) -> float:
    """Return how many games a run plays and learns from."""
    with tempfile.TemporaryDirectory() as folder:
        began = clock()
        train(config, Path(folder), Control(threads=threads))
        return config.games / (clock() - began)


def measure(games: int) -> dict[str, float]:
    """Measure everything; the first games of a run do not depend on how many follow."""
    figures = {"yardstick: scripts alone": scripted_games_a_second()}
    for name, preset in TD_RECIPE.presets.items():
        trained_games_a_second(dataclasses.replace(preset, games=100, generation=100))  # compiled
        config = dataclasses.replace(preset, games=games)
        figures[f"{name}, first {games:,} games"] = trained_games_a_second(config)
        by_the_clock = trained_games_a_second(config, 2, time.perf_counter)
        figures[f"{name}, first {games:,} games, two threads by the clock"] = by_the_clock
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
