"""Inference: how fast the bundled networks answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sandtable import registry
from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.ours import some_states
from sandtable.benchmarking.pairs import NETWORK_AGENTS
from sandtable.benchmarking.timing import Effort, Timing, measured
from sandtable.dice import Dice
from sandtable.registry import agent_names, make_agent
from sandtable.types import Game

__all__ = ["network_figures", "network_files"]

AT_ONCE = (1, 64)  # positions that a network is given together


def network_figures(game: Game, effort: Effort) -> list[Figure]:
    """Time ONNX networks by themselves, and agents whose network is a kernel by their moves."""
    found = []
    for path in network_files(game.name):
        for count in AT_ONCE:
            timing = measured(inference(path, count), effort)
            name = f"network {path.stem}, {count} at once"
            found.append(Figure(game.spec, name, "positions/s", timing))
    spec = NETWORK_AGENTS.get(game.name)
    if spec in agent_names(game.name):
        timing = move_timing(game, str(spec), effort)
        found.append(Figure(game.spec, f"a move of {spec}", "moves/s", timing))
    return found


def network_files(game: str) -> list[Path]:
    """Return one file for each kind of network that is bundled for a game, the last of its kind."""
    folder = Path(registry.module_folder(registry.GAMES, game)) / "agents"
    bundled = sorted(folder.rglob("*.onnx"), key=lambda path: path.name)
    kinds = {path.stem.partition("-")[0]: path for path in bundled}
    return list(kinds.values())


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
