"""Speed of ``sandtable train selfplay``: decisions played and learned a second, and the parts.

Every game plays one round with its usual network on two threads and learns from it on one, by the
clock, so the machine should be quiet. The parts of playing are those of one group of games on one
thread: tree (going down and adding), network (its answers), rest. The yardstick of the same run is
the product of two matrices of 512 by 512 on one thread: how many of them a network's work is worth
does not depend on the machine much.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path
from typing import Any

import torch

from sandtable.learning.selfplay.games import GroupOfGames, SelfPlay
from sandtable.learning.selfplay.learner import NetworkInTraining
from sandtable.learning.selfplay.network import answering
from sandtable.learning.selfplay.opponents import Opponents
from sandtable.learning.selfplay.recipe import SelfPlayConfig, settings_of
from sandtable.registry import make_game

GAMES = ("lucid", "skirmish", "gravwell:players=2", "openspiel.leduc_poker")
PROCESSORS = 2
YARDSTICK_SIDE, YARDSTICK_SECONDS = 512, 1.0


def products_a_second() -> float:
    """Return how many products of two matrices one thread makes."""
    torch.set_num_threads(1)
    one = torch.rand(YARDSTICK_SIDE, YARDSTICK_SIDE)
    done, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < YARDSTICK_SECONDS:
        one @ one
        done += 1
    return done / spent


class Stopwatch:
    """Adds up the time that calls of some functions take."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, function: Any) -> Any:
        """Return a function that counts the time it takes."""

        def call(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

        return call


def shares_of_playing(group: GroupOfGames, network: Any, games: int) -> dict[str, float]:
    """Return which shares of the time trees and network take in one group of games."""
    watch = Stopwatch()
    timed = {name: watch.timed("tree", each) for name, each in group.search._asdict().items()}
    group.search = group.search._replace(**timed)
    group.ask = watch.timed("network", group.ask)  # type: ignore[method-assign]
    torch.set_num_threads(1)
    began = time.perf_counter()
    group.play(network, 2, 0, games, lambda: False, Opponents(group.game))
    whole = time.perf_counter() - began
    shares = {name: seconds / whole for name, seconds in watch.seconds.items()}
    return shares | {"rest": 1.0 - sum(shares.values())}


def measure(name: str, rows: int, yardstick: float) -> dict[str, Any]:
    """Play and learn a round of one game."""
    game = make_game(name)
    config = SelfPlayConfig(game=name, rows=rows, generation=rows)
    cpu = torch.device("cpu")
    state = NetworkInTraining(config, game, cpu)
    network = state.average.eval()
    playing = SelfPlay(game, settings_of(config, game, PROCESSORS), cpu)
    small = SelfPlay(game, settings_of(SelfPlayConfig(game=name, rows=8), game, 1), cpu)
    small.play(network, 1, 0, 8, lambda: False)  # compiled
    torch.set_num_threads(1)
    began = time.perf_counter()
    played = playing.play(network, 0, 0, rows, lambda: False)
    played_in = time.perf_counter() - began
    assert played is not None
    decisions, scores = played
    began = time.perf_counter()
    state.learn(decisions, scores)
    learned_in = time.perf_counter() - began
    learned = state.counters["steps"] * config.batch
    return {
        "network": f"{state.network.kind}, {sum(each.numel() for each in network.parameters()):,}",
        "decisions played a second": round(len(decisions) / played_in, 1),
        "decisions learned a second": round(learned / learned_in, 1),
        "played a product of matrices": round(len(decisions) / played_in / yardstick, 4),
        "learned a product of matrices": round(learned / learned_in / yardstick, 4),
        "share of learning": round(learned_in / (played_in + learned_in), 3),
        "shares of playing": {
            part: round(share, 3)
            for part, share in sorted(
                shares_of_playing(small.groups[0], answering(network, cpu), 8).items()
            )
        },
    }


def main() -> None:
    """Print the figures and write them to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=GAMES, help="which games")
    parser.add_argument("--rows", type=int, default=128, help="games side by side")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    yardstick = products_a_second()
    figures = {}
    for name in options.games:
        figures[name] = measure(name, options.rows, yardstick)
        print(name, json.dumps(figures[name], indent=1))
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {
            "machine": machine,
            "yardstick: products of matrices a second": round(yardstick, 1),
            "games": figures,
        }
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
