"""Simulations a second of ``mcts`` in Skirmish beside OpenSpiel's MCTS in C++ in breakthrough.

Both play random games to their end from every new decision and begin each search with an empty
tree. Positions are taken out of random games; a try searches all of one game, then all of the
other, by processor time of one core, so that a busy machine disturbs both alike. The ratio of a
try is of figures taken right after each other; told are the median try and its range. Random
actions a second say how much of the difference is the games' own.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

try:
    import pyspiel
except ImportError:
    raise SystemExit("this needs OpenSpiel: pip install 'sandtable-games[interop]'") from None

from sandtable.agents.treesearch.agent import TreeSearcher
from sandtable.dice import Dice
from sandtable.registry import make_game
from sandtable.types import State

LEVELS = ("1", "3", "5", "7")
PLIES = (0, 10, 20)  # of random games, after which positions are taken
SIMULATIONS = 1000
EXPLORATION = 0.7  # the same constant; results go from 0 to 1 here and from -1 to 1 there
MEGABYTES = 1000  # of memory for a tree of OpenSpiel, more than it needs
TRIES = 5


def skirmish_states() -> list[State]:
    """Return positions of Skirmish."""
    states = []
    for level in LEVELS:
        dice = Dice(0, "benchmark", int(level))
        state = make_game(f"skirmish:level={level}").start(dice)
        for ply in range(max(PLIES) + 1):
            if state.outcome:
                break
            if ply in PLIES:
                states.append(state)
            state = state.play(state.legal[dice.below(len(state.legal))], dice)
    return states


def breakthrough_states(count: int) -> list[Any]:
    """Return as many positions of breakthrough, after as many plies."""
    game, states = pyspiel.load_game("breakthrough"), []
    for number in range(count):
        drawing = np.random.Generator(np.random.PCG64(number))
        state = game.new_initial_state()
        for _ in range(PLIES[number % len(PLIES)]):
            if not state.is_terminal():
                state.apply_action(int(drawing.choice(state.legal_actions())))
        states.append(state)
    return states


def plies_of_playouts(play: Callable[[int], int], games: int = 200) -> float:
    """Return how many actions a random game has on average."""
    return statistics.fmean(play(number) for number in range(games))


def skirmish_plies(number: int) -> int:
    """Play one random game of Skirmish; return its actions."""
    dice = Dice(number, "benchmark playout", 0)
    state = make_game(f"skirmish:level={LEVELS[number % len(LEVELS)]}").start(dice)
    plies = 0
    while not state.outcome:
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
        plies += 1
    return plies


def breakthrough_plies(number: int) -> int:
    """Play one random game of breakthrough; return its actions."""
    drawing = np.random.Generator(np.random.PCG64(number))
    state, plies = pyspiel.load_game("breakthrough").new_initial_state(), 0
    while not state.is_terminal():
        state.apply_action(int(drawing.choice(state.legal_actions())))
        plies += 1
    return plies


def rate(search: Callable[[Any], object], states: list[Any], simulations: int) -> float:
    """Return simulations a second of processor time over all positions."""
    began = time.process_time()
    for state in states:
        search(state)
    return len(states) * simulations / (time.process_time() - began)


def main() -> None:
    """Print the figures and write them to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="of a search")
    parser.add_argument("--tries", type=int, default=TRIES, help="how often all is measured")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    ours, theirs = skirmish_states(), []
    theirs = breakthrough_states(len(ours))
    agent = TreeSearcher(simulations=options.simulations, exploration=EXPLORATION, keep=False)
    native = pyspiel.load_game("breakthrough")
    bot = pyspiel.MCTSBot(
        native, pyspiel.RandomRolloutEvaluator(1, 0), EXPLORATION, options.simulations,
        MEGABYTES, False, 0, False,
    )  # fmt: skip
    agent.choose(ours[0], Dice(0))  # compiled
    rates = [
        (
            rate(lambda state: agent.choose(state, Dice(0)), ours, options.simulations),
            rate(bot.step, theirs, options.simulations),
        )
        for _ in range(options.tries)
    ]
    ratios = sorted(mine / other for mine, other in rates)
    figures = {
        "mcts in skirmish, simulations a second": round(statistics.median(r[0] for r in rates)),
        "OpenSpiel's MCTS in breakthrough": round(statistics.median(r[1] for r in rates)),
        "ratio": [round(each, 3) for each in (statistics.median(ratios), ratios[0], ratios[-1])],
        "actions of a random game of skirmish": round(plies_of_playouts(skirmish_plies), 1),
        "of breakthrough": round(plies_of_playouts(breakthrough_plies), 1),
    }
    print(json.dumps(figures, indent=1))
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        settings = {
            "positions of each": len(ours),
            "simulations of a search": options.simulations,
            "tries": options.tries,
        }
        data = {"machine": machine, **settings, **figures}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
