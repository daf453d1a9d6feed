"""Choosing among placements of Operation Lucid by the evaluator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid.agents.evaluator.network import evaluate, new_evaluator
from sandtable.games.lucid.placements.demands import Codes, put_after
from sandtable.games.lucid.placements.search import defended_nodes
from sandtable.games.lucid.rules import BLUE_SEAT, MOVER, NODES
from sandtable.types import Position

__all__ = ["best_placement", "value_all"]


@kernel
def value_all(
    position: NDArray[np.int16],
    codes: NDArray[np.int64],
    weights: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Estimate Blue's final score after each placement."""
    evaluator = new_evaluator(weights)
    marks = np.zeros(NODES, dtype=np.int64)
    defended_nodes(position, marks)
    after = np.empty_like(position)
    for index in range(len(codes)):
        put_after(position, codes[index], marks, after)
        values[index] = evaluate(after, evaluator)


def best_placement(
    position: Position, codes: Codes, weights: NDArray[np.float32]
) -> tuple[int, float]:
    """Return the placement the mover likes best, and the value: the first of equals."""
    own = np.array(position)
    values = np.empty(len(codes))
    value_all(own, codes, weights, values)
    best = int(np.argmax(values if own[MOVER] == BLUE_SEAT else -values))
    return int(codes[best]), float(values[best])
