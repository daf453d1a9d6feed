"""Speed of the rules of Stratego beside a yardstick measured in the same run.

Figures are those of one core, in processor time, best of several tries. The batch on two threads is
timed by the clock on the wall: neighbours that use a core are felt there. The yardstick is random
draws a second from the compiled streams, as in speed.py.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
from speed import Figure

from sandtable.batch import Batch
from sandtable.benchmarking.timing import many_draws
from sandtable.compiled import copy_cells, kernel
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.stratego.planes import PAPER_PLANE_NAMES, encode, encode_paper
from sandtable.games.stratego.rules.kernels import guess, hide, legal, play_out, start
from sandtable.registry import agent_names, make_agent, make_game
from sandtable.types import State

TRIES = 7
DRAWS = 3_000_000
GAMES = 300  # random games in a try
POSITIONS = 512  # out of random games, for what is measured position by position
PLAYOUT = 50  # moves of a playout from a guess, as in the paper
BATCH = 256  # games side by side
STEPS = 60  # of all games in a try
WARM_STEPS = 1_000  # before the first try, so that the games are at all stages
MOVES = 40  # of an agent in a try, each in another position
AGENTS = ("stratego/baseline", "stratego/policy")  # whose moves are timed, where installed
SPECS = {
    "classic": "stratego",
    "classic, paper's rules": "stratego:long_scouts=false",
    "mini": "stratego:variant=mini",
    "barrage": "stratego:variant=barrage",
    "duel": "stratego:variant=duel",
}


@kernel
def whole_games(blank: np.ndarray, games: int, dice: np.ndarray) -> int:
    """Play random games from set-up to end; return how many moves they had."""
    position = np.empty_like(blank)
    moves = 0
    for _ in range(games):
        copy_cells(blank, position)
        start(position, dice)
        moves += play_out(position, 30_000, dice)
    return moves


@kernel
def guessed_playouts(positions: np.ndarray, plies: int, dice: np.ndarray) -> int:
    """Guess what Red cannot see in every position and play on from there; return the moves."""
    position = np.empty_like(positions[0])
    moves = 0
    for row in range(len(positions)):
        copy_cells(positions[row], position)
        guess(position, 0, dice)
        moves += play_out(position, plies, dice)
    return moves


@kernel
def many_masks(positions: np.ndarray, mask: np.ndarray) -> int:
    """Mark the legal actions of every position; return how many there are."""
    count = 0
    for row in range(len(positions)):
        count += legal(positions[row], mask)
    return count


@kernel
def many_views(positions: np.ndarray, view: np.ndarray, planes: np.ndarray, paper: bool) -> None:
    """Take the view of every position and encode it."""
    for row in range(len(positions)):
        copy_cells(positions[row], view)
        hide(view, row % 2)
        if paper:
            encode_paper(view, row % 2, planes)
        else:
            encode(view, row % 2, planes)


def best_rate(work: Callable[[], float], clock: Callable[[], float] = time.process_time) -> float:
    """Return the best amount of work done per second, after a first try that compiles."""
    rates = []
    work()
    for _ in range(TRIES):
        began = clock()
        amount = work()
        rates.append(amount / (clock() - began))
    return max(rates)


def some_positions(spec: str = "stratego") -> np.ndarray:
    """Return positions at all stages of random games of the classic variant."""
    batch = Batch(make_game(spec), POSITIONS, auto_reset=True, observe=False)
    for _ in range(WARM_STEPS):
        batch.step(batch.random_actions())
    return np.array(batch.positions)


def draw_rate() -> float:
    """The yardstick: draws per second."""
    dice = Dice(0).array

    def work() -> float:
        many_draws(dice, DRAWS)
        return DRAWS

    return best_rate(work)


def batch_rate(observe: bool, threads: int) -> float:
    """Return steps per second of a batch of random games, drawing the actions included.

    One thread is timed by processor time and several by the clock on the wall.
    """
    batch = Batch(make_game("stratego"), BATCH, auto_reset=True, observe=observe, threads=threads)
    for _ in range(WARM_STEPS):
        batch.step(batch.random_actions())

    def work() -> float:
        for _ in range(STEPS):
            batch.step(batch.random_actions())
        return STEPS * BATCH

    return best_rate(work, time.process_time if threads == 1 else time.perf_counter)


def move_rate(spec: str, positions: np.ndarray) -> float:
    """Return moves per second of an agent in positions of the paper's rules."""
    game = make_game(SPECS["classic, paper's rules"])
    states = [State(game, position) for position in positions]
    views = [state.view(state.turn) for state in states if state.turn >= 0][:MOVES]
    agent, dice = make_agent(spec), Dice(0, "benchmark")

    def work() -> float:
        for view in views:
            agent.choose(view, dice)
        return len(views)

    return best_rate(work)


def playing_agents() -> list[str]:
    """Return the agents whose moves can be timed: installed, and with their weights."""
    found = []
    for spec in AGENTS:
        try:
            if spec in agent_names("stratego"):
                make_agent(spec)
                found.append(spec)
        except SandtableError as problem:
            print(f"{spec} is left out: {problem}")
    return found


def measure() -> list[Figure]:
    """Measure everything."""
    draws = draw_rate()
    figures = [Figure("dice", draws, "draws/s", "dice", 1.0)]

    def add(name: str, value: float, unit: str) -> None:
        figures.append(Figure(name, value, unit, "dice", value / draws))

    dice = Dice(0, "benchmark").array
    for name, spec in SPECS.items():
        blank = make_game(spec).empty_position()

        def games(blank: np.ndarray = blank) -> float:
            return whole_games(blank, GAMES, dice)

        add(f"random games, {name}", best_rate(games), "moves/s")
    positions = some_positions()
    game = make_game("stratego")
    mask, view = np.zeros(game.action_count, dtype=np.bool_), np.empty_like(positions[0])
    planes = np.zeros(game.plane_shape, dtype=np.float32)
    paper = np.zeros((len(PAPER_PLANE_NAMES), *game.board_shape), dtype=np.float32)

    def counted(work: Callable[[], object]) -> Callable[[], float]:
        def repeated() -> float:
            for _ in range(20):
                work()
            return 20 * POSITIONS

        return repeated

    add("guess and 50 random moves", best_rate(
        lambda: guessed_playouts(positions, PLAYOUT, dice)), "moves/s")  # fmt: skip
    add("masks", best_rate(counted(lambda: many_masks(positions, mask))), "positions/s")
    add("views and planes", best_rate(
        counted(lambda: many_views(positions, view, planes, False))), "positions/s")  # fmt: skip
    add("views and planes of the paper", best_rate(
        counted(lambda: many_views(positions, view, paper, True))), "positions/s")  # fmt: skip
    add(f"batch of {BATCH} without planes", batch_rate(False, 1), "steps/s")
    add(f"batch of {BATCH} with planes", batch_rate(True, 1), "steps/s")
    add(f"batch of {BATCH} with planes, two threads", batch_rate(True, 2), "steps/s")
    paper_positions = some_positions(SPECS["classic, paper's rules"])
    for spec in playing_agents():
        add(f"a move of {spec}", move_rate(spec, paper_positions), "moves/s")
    return figures


def main() -> None:
    """Print the table and write it to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    figures = measure()
    for figure in figures:
        ratio = f"{figure.ratio:.3g} x {figure.yardstick}"
        print(f"{figure.name:44} {figure.value:>13,.0f} {figure.unit:12} {ratio}")
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {"machine": machine, "figures": [asdict(figure) for figure in figures]}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
