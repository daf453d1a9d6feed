"""What is measured of every game of ours."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sandtable import registry
from sandtable.agents.montecarlo import MonteCarlo
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.batch import Batch
from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.timing import Effort, Timing, measured
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import agent_names, make_agent
from sandtable.types import Game, State

__all__ = [
    "STEPS",
    "batch_figures",
    "network_figures",
    "network_files",
    "play_figures",
    "search_figure",
    "some_states",
]

STEPS = "steps/s"  # the unit that yardsticks share
GAMES = 50  # random games in one piece of work
WARM_STEPS = 300  # before a batch is measured, so that its games are at all stages
STEPS_AT_ONCE = 10  # of a batch, in one piece of work
SOME_STATES = 8  # that searches and networks are timed on
SEARCH_BUDGET = 5_000  # states of alpha-beta
SAMPLES = 20  # of Monte Carlo

AT_ONCE = (1, 64)  # positions that a network is given together


def play_figures(game: Game, effort: Effort) -> list[Figure]:
    """Random games in kernels, the way 'sandtable match' plays them."""
    acting = policies(game, [make_agent("random") for _ in game.seats])
    assert acting is not None, "the random agent is a kernel in every game"
    played = {"games": 0, "plies": 0}

    def work() -> float:
        results = play_games(game, acting, 0, 0, GAMES, keep=False)
        played["games"] += GAMES
        played["plies"] += int(results.lengths.sum())
        return float(results.lengths.sum())

    plies = measured(work, effort)
    share = played["games"] / played["plies"]
    games = dataclasses.replace(
        plies,
        rate=plies.rate * share,
        relative=plies.relative * share,
        wall=plies.wall * share,
    )
    return [
        Figure(game.spec, "random play in kernels", "plies/s", plies),
        Figure(game.spec, "whole random games in kernels", "games/s", games),
    ]


def some_states(game: Game, seats: tuple[str, ...] = ()) -> list[State]:
    """Return positions of random games in which one of these seats (none: any) has a choice."""
    batch = Batch(game, 64, seed=1, auto_reset=True, observe=False)
    found: list[State] = []
    for step in range(WARM_STEPS * 4):
        batch.step(batch.random_actions())
        row = step % 64
        seat = int(batch.turns[row])
        wanted = not seats or game.seats[seat] in seats
        if step >= WARM_STEPS // 3 and wanted and batch.masks[row].sum() > 1:
            found.append(State(game, batch.positions[row]))
        if len(found) == SOME_STATES:
            break
    return found


def search_figure(game: Game, effort: Effort) -> Figure:
    """Alpha-beta where it can play, otherwise Monte Carlo; neither keeps anything in between."""
    from sandtable.agents.alphabeta.agent import AlphaBeta, check_searchable

    states = some_states(game)
    try:
        check_searchable(game)
    except SandtableError:
        return monte_carlo_figure(game, states, effort)
    agent = AlphaBeta(budget=SEARCH_BUDGET)

    def work() -> float:
        total = 0
        for state in states:
            agent.choose(state, Dice(0))
            total += agent.states
        return float(total)

    return Figure(game.spec, "alpha-beta", "states/s", measured(work, effort))


def monte_carlo_figure(game: Game, states: list[State], effort: Effort) -> Figure:
    """Playouts to the end of the game from guessed positions."""
    agent = MonteCarlo(samples=SAMPLES)
    views = [state.view(state.turn) for state in states]

    def work() -> float:
        total = 0
        for view in views:
            agent.choose(view, Dice(0))
            total += agent.tried * len(agent.values)
        return float(total)

    return Figure(game.spec, "Monte Carlo", "playouts/s", measured(work, effort))


def batch_figure(game: Game, size: int, effort: Effort, observe: bool, threads: int = 1) -> Figure:
    """Steps of a batch of random games: draw an action for each, play it, fill all arrays."""
    batch = Batch(game, size, auto_reset=True, observe=observe, threads=threads)

    def work() -> float:
        for _ in range(STEPS_AT_ONCE):
            batch.step(batch.random_actions())
        return float(STEPS_AT_ONCE * size)

    for _ in range(WARM_STEPS // STEPS_AT_ONCE):
        work()
    name = f"batch of {size} {'with' if observe else 'without'} planes"
    if threads > 1:
        name += f", {threads} threads"
    timing = measured(work, effort)
    return Figure(game.spec, name, STEPS, timing, per_core=threads == 1, planes=observe)


def batch_figures(game: Game, size: int, effort: Effort) -> list[Figure]:
    """Batches without planes and with them, and on all cores by the clock on the wall."""
    found = [batch_figure(game, size, effort, observe) for observe in (False, True)]
    cores = os.cpu_count() or 1
    if cores > 1:
        found.append(batch_figure(game, size, effort, True, cores))
    return found


def network_figures(game: Game, effort: Effort) -> list[Figure]:
    """Time ONNX networks by themselves, and without any a network in a kernel by its moves."""
    figures = []
    for path in network_files(game.name):
        for count in AT_ONCE:
            timing = measured(inference(path, count), effort)
            name = f"network {path.stem}, {count} at once"
            figures.append(Figure(game.spec, name, "positions/s", timing))
    if not figures and (spec := kernel_network_agent(game.name)):
        timing = move_timing(game, spec, effort)
        figures.append(Figure(game.spec, f"a move of {spec}", "moves/s", timing))
    return figures


def bundled_files(game: str, pattern: str) -> list[Path]:
    """Return files that come with the agents of a game, in the order of their names."""
    folder = Path(registry.module_folder(registry.GAMES, game)) / "agents"
    return sorted(folder.rglob(pattern), key=lambda path: path.name)


def network_files(game: str) -> list[Path]:
    """Return one file for each kind of network that is bundled for a game, the last of its kind."""
    kinds = {path.stem.partition("-")[0]: path for path in bundled_files(game, "*.onnx")}
    return list(kinds.values())


def kernel_network_agent(game: str) -> str | None:
    """Return the first agent of a game that plays with weights for kernels alone, if any does.

    >>> kernel_network_agent("lucid")
    'lucid/champion-blue'
    """
    for name in agent_names(game):
        if name.startswith(f"{game}/"):
            files = make_agent(name).weight_files()
            if files and all(file.suffix == ".safetensors" for file in files):
                return name
    return None


def inference(path: Path, count: int) -> Callable[[], float]:
    """Return the work of giving a network so many positions, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session: Any = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    (wanted,) = session.get_inputs()
    planes = np.random.default_rng(0).random((count, *wanted.shape[1:]), dtype=np.float32)

    def work() -> float:
        session.run(None, {wanted.name: planes})
        return float(count)

    return work


def move_timing(game: Game, spec: str, effort: Effort) -> Timing:
    """Time the moves of an agent in positions out of random games."""
    agent = make_agent(spec)
    states = some_states(game, agent.seats)

    def work() -> float:
        for state in states:
            agent.begin(game, state.turn, Dice(0))
            agent.choose(state.view(state.turn), Dice(0))
        return float(len(states))

    return measured(work, effort)
