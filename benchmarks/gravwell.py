"""Speed of Gravwell on one core beside a yardstick measured in the same run.

Figures are games per second of processor time, best of several tries; the yardstick is the number
of random draws a second from the compiled streams, as in speed.py.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from speed import Figure

from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.benchmarking.timing import many_draws
from sandtable.dice import Dice
from sandtable.games.gravwell.learning.q_learning.recipe import PRESETS, learn_block, new_tables
from sandtable.registry import make_agent, make_game

TRIES = 5
DRAWS = 5_000_000
GAMES = 20_000
MATCHES = {
    "4 random players": ["random"] * 4,
    "described decision tree and 3 random": ["gravwell/decision-tree", *["random"] * 3],
    "Q-learner with its tables and 3 random": ["gravwell/q-learning", *["random"] * 3],
}


def best_rate(work: Callable[[], float]) -> float:
    """Return the best amount of work done per second of processor time."""
    rates = []
    for _ in range(TRIES):
        began = time.process_time()
        amount = work()
        rates.append(amount / (time.process_time() - began))
    return max(rates)


def dice_rate() -> float:
    """The yardstick: draws per second."""
    dice = Dice(0).array
    many_draws(dice, 1)

    def work() -> float:
        many_draws(dice, DRAWS)
        return DRAWS

    return best_rate(work)


def match_rate(tractor: str, specs: list[str]) -> float:
    """Return games per second on the compiled path that ``match`` takes."""
    game = make_game(f"gravwell:tractor={tractor}")
    acting = policies(game, [make_agent(spec) for spec in specs])
    assert acting is not None
    play_games(game, acting, 0, 0, 1, keep=False)

    def work() -> float:
        play_games(game, acting, 0, 0, GAMES, keep=False)
        return GAMES

    return best_rate(work)


def training_rate(preset: str) -> float:
    """Return the games per second that a Q-learner learns from."""
    config = PRESETS[preset]
    tables = new_tables(config)
    learn_block(config, tables, 0, 1)

    def work() -> float:
        learn_block(config, tables, 0, GAMES // 2)
        return GAMES // 2

    return best_rate(work)


def measure() -> list[Figure]:
    """Measure everything."""
    draws = dice_rate()
    figures = [Figure("dice", draws, "draws/s", "dice", 1.0)]
    for name, specs in MATCHES.items():
        for tractor in ("true", "inert"):
            rate = match_rate(tractor, specs)
            label = f"{name}, tractor {tractor}"
            figures.append(Figure(label, rate, "games/s", "dice", rate / draws))
    for preset in ("published", "extended"):
        rate = training_rate(preset)
        label = f"Q-learning, preset {preset}"
        figures.append(Figure(label, rate, "training games/s", "dice", rate / draws))
    return figures


def main() -> None:
    """Print the table and write it to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    figures = measure()
    for figure in figures:
        ratio = f"{figure.ratio:.3g} x {figure.yardstick}"
        print(f"{figure.name:54} {figure.value:>13,.0f} {figure.unit:17} {ratio}")
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {"machine": machine, "figures": [asdict(figure) for figure in figures]}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
