"""The champion's two networks: what a position is worth, and what its owner would play there.

The first has two hidden layers and says how likely a seat wins. The second, its habits, has one
and says how much the seat wishes to play each card; what a card would gain on the spot is added
directly. A table tells how often a champion stops a card, by turn and gain. All numbers lie in one
row of parameters, since kernels are slower the more arrays they are given.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import read_weights
from sandtable.compiled import kernel
from sandtable.games.gravwell.agents.champion.features import FEATURES
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR
from sandtable.games.gravwell.layout import SHIPS, TURNS
from sandtable.games.gravwell.rules.movement import destination

__all__ = [
    "BUNDLED",
    "GAINS",
    "HIDDEN",
    "PARAMETERS",
    "SECOND_HIDDEN",
    "add_rows",
    "gain_of",
    "load_weights",
    "sum_up",
    "value_of",
    "wishes_of",
]

HIDDEN = 64  # of the first layer of either network
SECOND_HIDDEN = 32
MOST_GAIN = 15
TRACTOR_GAIN = 2 * MOST_GAIN + 1
GAINS = TRACTOR_GAIN + 1  # tiles a card would win or lose, and one number for tractors

# Where the layers lie in the row of parameters.
FIRST = 0  # [feature, hidden]
FIRST_BIAS = FIRST + FEATURES * HIDDEN
SECOND = FIRST_BIAS + HIDDEN  # [hidden, second hidden]
SECOND_BIAS = SECOND + HIDDEN * SECOND_HIDDEN
OUTPUT = SECOND_BIAS + SECOND_HIDDEN
OUTPUT_BIAS = OUTPUT + SECOND_HIDDEN
HABITS = OUTPUT_BIAS + 1  # [feature, hidden]
HABITS_BIAS = HABITS + FEATURES * HIDDEN
WISHES = HABITS_BIAS + HIDDEN  # [hidden, card]
WISHES_BIAS = WISHES + HIDDEN * CARDS  # [card]
WISHES_GAINS = WISHES_BIAS + CARDS  # [gain]
STOPPING = WISHES_GAINS + GAINS  # [turn, gain] chance that a champion stops its card
END = STOPPING + TURNS * GAINS
PARAMETERS = END + END % 2  # even, to fill whole 64-bit cells

NOUGHT = np.float32(0.0)
BUNDLED = Path(__file__).parent / "weights" / "champion.safetensors"


def load_weights(path: Path = BUNDLED) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS]; a SandtableError says what is wrong with the file.

    >>> load_weights().shape == (PARAMETERS,)
    True
    """
    return read_weights(path, PARAMETERS, "Gravwell's champion")


@kernel
def gain_of(position: NDArray[np.int16], ship: int, card: int) -> int:
    """Return the number of what a card would gain the ship, if it took effect now."""
    if KIND[card] == TRACTOR:
        return TRACTOR_GAIN
    gain = destination(position, ship, card) - int(position[SHIPS + ship])
    return MOST_GAIN + min(max(gain, -MOST_GAIN), MOST_GAIN)


@kernel
def add_rows(
    parameters: NDArray[np.float32],
    layer: int,
    active: NDArray[np.uint16],
    count: int,
    sums: NDArray[np.float32],
    total: int,
) -> None:
    """Add to a row of sums what a first layer has for the features present."""
    for index in range(count):
        row = layer + int(active[index]) * HIDDEN
        for unit in range(HIDDEN):
            sums[total, unit] += parameters[row + unit]


@kernel
def sum_up(
    parameters: NDArray[np.float32],
    layer: int,
    bias: int,
    active: NDArray[np.uint16],
    count: int,
    sums: NDArray[np.float32],
    total: int,
) -> None:
    """Write the sums of a first layer for the features present into a row."""
    for unit in range(HIDDEN):
        sums[total, unit] = parameters[bias + unit]
    add_rows(parameters, layer, active, count, sums, total)


@kernel
def value_of(
    parameters: NDArray[np.float32], sums: NDArray[np.float32], hidden: int, second: int
) -> float:
    """Return how likely a seat wins, from the sums of the first layer in a row.

    The sums of the second layer are written into another row.
    """
    for unit in range(SECOND_HIDDEN):
        sums[second, unit] = parameters[SECOND_BIAS + unit]
    for feature in range(0, HIDDEN, 4):  # four at once: the processor then works on whole vectors
        value_0 = max(sums[hidden, feature], NOUGHT)
        value_1 = max(sums[hidden, feature + 1], NOUGHT)
        value_2 = max(sums[hidden, feature + 2], NOUGHT)
        value_3 = max(sums[hidden, feature + 3], NOUGHT)
        row_0 = SECOND + feature * SECOND_HIDDEN
        row_1 = row_0 + SECOND_HIDDEN
        row_2 = row_1 + SECOND_HIDDEN
        row_3 = row_2 + SECOND_HIDDEN
        for unit in range(SECOND_HIDDEN):
            sums[second, unit] += (
                value_0 * parameters[row_0 + unit] + value_1 * parameters[row_1 + unit]
            ) + (value_2 * parameters[row_2 + unit] + value_3 * parameters[row_3 + unit])
    total = parameters[OUTPUT_BIAS]
    for unit in range(SECOND_HIDDEN):
        total += max(sums[second, unit], NOUGHT) * parameters[OUTPUT + unit]
    return float(1.0 / (1.0 + np.exp(-total)))


@kernel
def wishes_of(
    parameters: NDArray[np.float32],
    sums: NDArray[np.float32],
    hidden: int,
    gains: NDArray[np.int8],
    wishes: int,
) -> None:
    """Write into a row how much a seat wishes to play each card, had it all of them."""
    for card in range(CARDS):
        sums[wishes, card] = parameters[WISHES_BIAS + card] + parameters[WISHES_GAINS + gains[card]]
    for feature in range(0, HIDDEN, 4):
        value_0 = max(sums[hidden, feature], NOUGHT)
        value_1 = max(sums[hidden, feature + 1], NOUGHT)
        value_2 = max(sums[hidden, feature + 2], NOUGHT)
        value_3 = max(sums[hidden, feature + 3], NOUGHT)
        row_0 = WISHES + feature * CARDS
        row_1 = row_0 + CARDS
        row_2 = row_1 + CARDS
        row_3 = row_2 + CARDS
        for card in range(CARDS):
            sums[wishes, card] += (
                value_0 * parameters[row_0 + card] + value_1 * parameters[row_1 + card]
            ) + (value_2 * parameters[row_2 + card] + value_3 * parameters[row_3 + card])
