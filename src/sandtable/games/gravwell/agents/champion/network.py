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

from sandtable.agents.weights import bundled_file, read_array_file, read_weights
from sandtable.compiled import kernel
from sandtable.games.gravwell.agents.champion.features import FACTS, FEATURES
from sandtable.games.gravwell.cards import CARDS, KIND, TRACTOR
from sandtable.games.gravwell.layout import SHIPS, TURNS
from sandtable.games.gravwell.rules.movement import destination

__all__ = [
    "BUNDLED",
    "GAINS",
    "HABITS_HIDDEN",
    "HIDDEN",
    "PARAMETERS",
    "SECOND_HIDDEN",
    "add_rows",
    "gain_of",
    "load_weights",
    "sum_up",
    "sum_up_habits",
    "value_of",
    "weights_named",
    "wishes_of",
]

HIDDEN = 128  # of the first layer of the values
HABITS_HIDDEN = 64  # of the habits
SECOND_HIDDEN = 32
MOST_GAIN = 15
TRACTOR_GAIN = 2 * MOST_GAIN + 1
GAINS = TRACTOR_GAIN + 1  # tiles a card would win or lose, and one number for tractors

# Where the layers lie in the row of parameters.
FIRST = 0  # [fact, hidden]
FIRST_BIAS = FIRST + FACTS * HIDDEN
SECOND = FIRST_BIAS + HIDDEN  # [hidden, second hidden]
SECOND_BIAS = SECOND + HIDDEN * SECOND_HIDDEN
OUTPUT = SECOND_BIAS + SECOND_HIDDEN
OUTPUT_BIAS = OUTPUT + SECOND_HIDDEN
HABITS = OUTPUT_BIAS + 1  # [feature, hidden]
HABITS_BIAS = HABITS + FEATURES * HABITS_HIDDEN
WISHES = HABITS_BIAS + HABITS_HIDDEN  # [hidden, card]
WISHES_BIAS = WISHES + HABITS_HIDDEN * CARDS  # [card]
WISHES_GAINS = WISHES_BIAS + CARDS  # [gain]
STOPPING = WISHES_GAINS + GAINS  # [turn, gain] chance that a champion stops its card
END = STOPPING + TURNS * GAINS
PARAMETERS = END + END % 2  # even, to fill whole 64-bit cells

# The first champion's values looked at FEATURES alone, with half as many units.
FORMER_HIDDEN = HABITS_HIDDEN
FORMER_END = END - FIRST_BIAS + (FEATURES + 1) * FORMER_HIDDEN - HIDDEN
FORMER_END -= (HIDDEN - FORMER_HIDDEN) * SECOND_HIDDEN
FORMER = FORMER_END + FORMER_END % 2

NOUGHT = np.float32(0.0)
WEIGHTS = Path(__file__).parent / "weights"
ENDING = ".safetensors"
BUNDLED = WEIGHTS / f"champion{ENDING}"


def load_weights(path: Path = BUNDLED) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS]; a SandtableError says what is wrong with the file.

    >>> load_weights().shape == (PARAMETERS,)
    True
    """
    owner = "Gravwell's champion"
    if weights_counted(path) == FORMER:
        return widened(read_weights(path, FORMER, owner))
    return read_weights(path, PARAMETERS, owner)


def weights_counted(path: Path) -> int:
    """Return how many numbers a file of weights holds; 0 if it cannot be read."""
    try:
        arrays, _ = read_array_file(path.read_bytes())
    except (OSError, ValueError):
        return 0
    return sum(array.size for array in arrays.values())


def widened(former: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the parameters of the first champion's networks in today's layout.

    What its values did not have, half of the hidden layer and the last facts, is zero, so they are
    the same to the last bit.
    """
    cuts = (
        FEATURES * FORMER_HIDDEN,
        FORMER_HIDDEN,
        FORMER_HIDDEN * SECOND_HIDDEN,
    )
    first, bias, second, rest = np.split(former, np.cumsum(cuts))
    parameters = np.zeros(PARAMETERS, dtype=np.float32)
    rows = parameters[FIRST:FIRST_BIAS].reshape(FACTS, HIDDEN)
    rows[:FEATURES, :FORMER_HIDDEN] = first.reshape(FEATURES, FORMER_HIDDEN)
    parameters[FIRST_BIAS : FIRST_BIAS + FORMER_HIDDEN] = bias
    parameters[SECOND : SECOND + len(second)] = second
    kept = END - SECOND_BIAS
    parameters[SECOND_BIAS:END] = rest[:kept]
    return parameters


def weights_named(name: str) -> Path:
    """Return the file of bundled weights by their name, or any file by its path.

    >>> weights_named("first").name
    'first.safetensors'
    """
    return bundled_file(name, WEIGHTS, ENDING)


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
    width: int,
    active: NDArray[np.uint16],
    count: int,
    sums: NDArray[np.float32],
    total: int,
) -> None:
    """Add to a row of sums what a first layer so wide has for the features present."""
    for index in range(count):
        row = layer + int(active[index]) * width
        for unit in range(width):
            sums[total, unit] += parameters[row + unit]


@kernel
def sum_up(
    parameters: NDArray[np.float32],
    active: NDArray[np.uint16],
    count: int,
    sums: NDArray[np.float32],
    total: int,
) -> None:
    """Write the sums of the values' first layer for the features present into a row."""
    for unit in range(HIDDEN):
        sums[total, unit] = parameters[FIRST_BIAS + unit]
    add_rows(parameters, FIRST, HIDDEN, active, count, sums, total)


@kernel
def sum_up_habits(
    parameters: NDArray[np.float32],
    active: NDArray[np.uint16],
    count: int,
    sums: NDArray[np.float32],
    total: int,
) -> None:
    """Write the sums of the habits' first layer for the features present into a row."""
    for unit in range(HABITS_HIDDEN):
        sums[total, unit] = parameters[HABITS_BIAS + unit]
    add_rows(parameters, HABITS, HABITS_HIDDEN, active, count, sums, total)


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
    for feature in range(0, HABITS_HIDDEN, 4):
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
