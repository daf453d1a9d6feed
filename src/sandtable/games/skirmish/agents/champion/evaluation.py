"""The champion's evaluation: a small network on the features, run inside the search.

Two hidden layers and one output; the hyperbolic tangent of the output estimates the result for
the side to move, from -1 (lost) to 1 (won).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import read_weights
from sandtable.compiled import kernel
from sandtable.games.skirmish.agents.champion.features import FEATURES, describe

__all__ = ["BUNDLED", "Network", "evaluate", "load_weights", "network_of"]

BUNDLED = Path(__file__).parent / "weights" / "champion.safetensors"

HIDDEN = 48
SECOND_HIDDEN = 16

# Where the layers lie in one row of parameters.
FIRST_WEIGHTS = 0
FIRST_BIAS = FIRST_WEIGHTS + FEATURES * HIDDEN
SECOND_WEIGHTS = FIRST_BIAS + HIDDEN
SECOND_BIAS = SECOND_WEIGHTS + HIDDEN * SECOND_HIDDEN
OUTPUT_WEIGHTS = SECOND_BIAS + SECOND_HIDDEN
OUTPUT_BIAS = OUTPUT_WEIGHTS + SECOND_HIDDEN
PARAMETERS = OUTPUT_BIAS + 1 + (OUTPUT_BIAS + 1) % 2  # even, to fill whole 64-bit cells


def load_weights(path: Path = BUNDLED) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS], or say in one line what is wrong with the file."""
    return read_weights(path, PARAMETERS, "Skirmish's champion")


class Network(NamedTuple):
    """The parameters as matrices, and room for one evaluation."""

    first: NDArray[np.float32]  # [feature, hidden]
    first_bias: NDArray[np.float32]  # [hidden]
    second: NDArray[np.float32]  # [hidden, second hidden]
    second_bias: NDArray[np.float32]  # [second hidden]
    output: NDArray[np.float32]  # [second hidden + 1] weights, then the bias
    features: NDArray[np.float32]  # [feature] of the last position evaluated
    hidden: NDArray[np.float32]  # [hidden]
    second_hidden: NDArray[np.float32]  # [second hidden]
    sets: NDArray[np.uint64]  # [2, 5] see describe


@kernel
def network_of(parameters: NDArray[np.float32]) -> Network:
    """Lay out the parameters (views of one row), with new room."""
    return Network(
        parameters[FIRST_WEIGHTS:FIRST_BIAS].reshape((FEATURES, HIDDEN)),
        parameters[FIRST_BIAS:SECOND_WEIGHTS],
        parameters[SECOND_WEIGHTS:SECOND_BIAS].reshape((HIDDEN, SECOND_HIDDEN)),
        parameters[SECOND_BIAS:OUTPUT_WEIGHTS],
        parameters[OUTPUT_WEIGHTS : OUTPUT_BIAS + 1],
        np.empty(FEATURES, dtype=np.float32),
        np.empty(HIDDEN, dtype=np.float32),
        np.empty(SECOND_HIDDEN, dtype=np.float32),
        np.empty((2, 5), dtype=np.uint64),
    )


@kernel
def evaluate(position: NDArray[np.int16], seat: int, network: Network) -> float:
    """Estimate the result for the seat, which is to move, from -1 to 1."""
    describe(position, seat, network.features, network.sets)
    hidden, second_hidden = network.hidden, network.second_hidden
    for unit in range(HIDDEN):
        hidden[unit] = network.first_bias[unit]
    for feature in range(FEATURES):
        value = network.features[feature]
        if value != 0:  # most are
            for unit in range(HIDDEN):
                hidden[unit] += value * network.first[feature, unit]
    for unit in range(SECOND_HIDDEN):
        second_hidden[unit] = network.second_bias[unit]
    for feature in range(HIDDEN):
        value = hidden[feature]
        if value > 0:
            for unit in range(SECOND_HIDDEN):
                second_hidden[unit] += value * network.second[feature, unit]
    total = network.output[SECOND_HIDDEN]
    for unit in range(SECOND_HIDDEN):
        total += max(second_hidden[unit], np.float32(0.0)) * network.output[unit]
    return float(np.tanh(total))
