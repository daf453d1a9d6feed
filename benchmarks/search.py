"""Speed of the searches of Skirmish beside a plain-Python search measured in the same run.

Figures are states (positions produced) per second of processor time on one core, best of several
tries; the plain search plays by the same accounting, and its moves are compared with ours. Those
of single moves are the mean over all positions and the slowest one, each the best of its tries.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plain_search import Board, PlainSearch

from sandtable.agents.alphabeta.agent import AlphaBeta
from sandtable.dice import Dice
from sandtable.games.skirmish.layout import AGES, DESTINATION, LAND, PASS, SQUARES, STEPS, UNITS
from sandtable.registry import make_agent, make_game
from sandtable.types import State

LEVELS = ("1", "2", "3", "4", "5", "6", "7")
HALF_TURNS = (16, 32, 48, 64)  # when positions are taken out of games between greedy players
PLAIN_BUDGET = 1000
TRIES = 5
SEARCHES: dict[str, dict[str, Any]] = {
    "published accounting": {"ordering": "published"},
    "neither table nor killers": {"table": False, "killers": False},
    "killers alone": {"table": False},
    "table and killers": {},
}
MOVES = {  # the agents whose moves are timed one by one, and how often
    "alphabeta:budget=10000,evaluation=simple": TRIES,
    "skirmish/champion:budget=5000": TRIES,
    "skirmish/dsl:budget=5000": 2,
}


def midgame_states() -> list[State]:
    """Return the positions that are searched: the same on every machine."""
    greedy = make_agent("skirmish/greedy")
    states = []
    for level in LEVELS:
        game = make_game(f"skirmish:level={level},both_empty=second,passes=both")
        dice, state = Dice(0, "benchmark", int(level)), None
        state = game.start(dice)
        for half_turn in range(max(HALF_TURNS) + 1):
            if state.outcome:
                break
            if half_turn in HALF_TURNS and len(state.legal) > 2:
                states.append(state)
            state = state.play(greedy.choose(state, dice))
    return states


def measured(work: Callable[[], int]) -> tuple[float, float]:
    """Return the best states per second, and the seconds that try took."""
    best, seconds = 0.0, 0.0
    for _ in range(TRIES):
        began = time.process_time()
        states = work()
        passed = time.process_time() - began
        if states / passed > best:
            best, seconds = states / passed, passed
    return best, seconds


def search_rate(states: list[State], budget: int, options: dict[str, Any]) -> dict[str, float]:
    """Measure the compiled search over all positions."""
    agent = AlphaBeta(budget=budget, evaluation="simple", **options)

    def work() -> int:
        produced = 0
        for state in states:
            agent.choose(state, Dice(0))
            produced += agent.states
        return produced

    work()  # compiled
    rate, seconds = measured(work)
    return {"states_per_second": rate, "milliseconds_per_move": 1000 * seconds / len(states)}


def move_times(states: list[State], spec: str, tries: int) -> dict[str, float]:
    """Measure single moves of an agent in milliseconds."""
    agent = make_agent(spec)
    agent.choose(states[0], Dice(0))  # compiled, and the network loaded
    times = []
    for state in states:
        best = float("inf")
        for _ in range(tries):
            began = time.process_time()
            agent.choose(state, Dice(0))
            best = min(best, time.process_time() - began)
        times.append(1000 * best)
    return {"mean_milliseconds": sum(times) / len(times), "slowest_milliseconds": max(times)}


def plain_board(state: State) -> tuple[Board, list[int]]:
    """Return a position as the plain search wants it."""
    position = [int(cell) for cell in state.position]
    land = position[LAND : LAND + SQUARES]
    units = position[UNITS : UNITS + SQUARES]
    board = [unit if there else None for unit, there in zip(units, land, strict=True)]
    return board, position[AGES : AGES + SQUARES]


def plain_rate(states: list[State]) -> float:
    """Measure the plain search, and check that it chooses what ours does."""
    agent = AlphaBeta(budget=PLAIN_BUDGET, evaluation="simple", ordering="published")
    produced, seconds = 0, 0.0
    for state in states:
        search = PlainSearch(1 if state.turn == 0 else -1, PLAIN_BUDGET)
        began = time.process_time()
        move = search.choose(*plain_board(state))
        seconds += time.process_time() - began
        produced += search.states
        action = agent.choose(state, Dice(0))
        ours = None if action == PASS else (action // STEPS, int(DESTINATION[action]))
        if ours != move:
            raise SystemExit(f"the searches disagree in {state.line}: {ours}, plain {move}")
    return produced / seconds


def main() -> None:
    """Print the table and write it to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    states = midgame_states()
    plain = plain_rate(states)
    print(f"{len(states)} positions of {len(LEVELS)} levels, evaluation simple, one core")
    print(f"{'plain Python, published accounting':42} {plain:>12,.0f} states/s")
    figures: dict[str, object] = {"plain_states_per_second": plain}
    for budget in (1000, 10_000):
        for name, chosen in SEARCHES.items():
            figure = search_rate(states, budget, chosen)
            rate, milliseconds = figure["states_per_second"], figure["milliseconds_per_move"]
            print(
                f"{f'{name}, budget {budget:,}':42} {rate:>12,.0f} states/s"
                f" {milliseconds:8.2f} ms a move {rate / plain:8.0f} x plain"
            )
            figures[f"{name}, budget {budget}"] = figure
    for spec, tries in MOVES.items():
        moves = move_times(states, spec, tries)
        mean, slowest = moves["mean_milliseconds"], moves["slowest_milliseconds"]
        print(f"{spec:42} {mean:12.2f} ms a move, the slowest {slowest:.2f} ms")
        figures[spec] = moves
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {"machine": machine, "figures": figures}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
