"""The evaluator of Operation Lucid: a small network that values positions after a move.

It estimates the final score (Blue's units in the goal at the end) of an after-move position; see
bitboards.py for what it sees. Two hidden layers with rectifiers; the output is the share of
the Blue units still on the board that will get through:

    score = units in the goal + units on the board * sigmoid(output)

The network is evaluated inside kernels. Almost all features are zero, and positions a search
compares differ in few of them, so the sums of the first hidden layer are kept and only changed by
what differs (``first_layer``, ``shift_first_layer``, ``finish``); ``evaluate`` does it all for a
single position.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import bundled_file, read_array_file, read_weights
from sandtable.compiled import kernel
from sandtable.games.lucid.agents.evaluator import bitboards
from sandtable.games.lucid.placements.demands import Codes, put_after
from sandtable.games.lucid.placements.search import defended_nodes
from sandtable.games.lucid.rules import BLUE_SEAT, GOAL, MOVER, NODES, Cells, Integers
from sandtable.types import Position

Floats: TypeAlias = NDArray[np.float32]  # weights, or the sums of layers

FOLDER = Path(__file__).parent / "weights"
ENDING = ".safetensors"
OWNER = "the evaluator"

HIDDEN = 64
SECOND_HIDDEN = 16

# Where the layers lie in one row of parameters.
FIRST_WEIGHTS = 0
FIRST_BIAS = FIRST_WEIGHTS + bitboards.FEATURES * HIDDEN
SECOND_WEIGHTS = FIRST_BIAS + HIDDEN
SECOND_BIAS = SECOND_WEIGHTS + HIDDEN * SECOND_HIDDEN
OUTPUT_WEIGHTS = SECOND_BIAS + SECOND_HIDDEN
OUTPUT_BIAS = OUTPUT_WEIGHTS + SECOND_HIDDEN
PARAMETERS = OUTPUT_BIAS + 1 + (OUTPUT_BIAS + 1) % 2  # even, to fill whole 64-bit cells

LOW_BIT_MODULUS = 37  # the powers of two below 2**32 leave different remainders


def low_bit_places() -> Integers:
    """Build the table that turns such a remainder into the number of the bit."""
    table = np.zeros(LOW_BIT_MODULUS, dtype=np.int64)
    for bit in range(NODES):
        table[(1 << bit) % LOW_BIT_MODULUS] = bit
    return table


LOW_BIT_PLACES = low_bit_places()  # [37] int64


# Where one row of sums has its parts: two first layers, to go from one position to the next, and
# the second layer of the last position that was finished.
KEPT_SUMS = 0
TRIAL_SUMS = HIDDEN
SECOND_SUMS = 2 * HIDDEN
SUMS = SECOND_SUMS + SECOND_HIDDEN


class Evaluator(NamedTuple):
    """A network with room for one evaluation."""

    weights: Floats  # [PARAMETERS]
    boards: Integers  # [BOARDS] of the last position
    sums: Floats  # [SUMS] of the last position


@kernel
def new_evaluator(weights: Floats) -> Evaluator:
    """Make room for evaluations with these weights."""
    return Evaluator(
        weights, np.zeros(bitboards.BOARDS, dtype=np.int64), np.zeros(SUMS, dtype=np.float32)
    )


@kernel
def evaluate(position: Cells, evaluator: Evaluator) -> float:
    """Estimate the final score of a position after a move, before the combats are thrown.

    The movelets are played and the turn is not closed yet. In the last turn nothing can change the
    score any more, so the answer is exact.
    """
    weights, boards, sums = evaluator
    blue = bitboards.read_boards(position, boards, 0)
    left = bitboards.turns_left(position)
    if left == 0 or blue == 0:
        return float(position[GOAL])
    first_layer(weights, boards, 0, left, sums)
    return float(position[GOAL] + blue * finish(weights, sums, KEPT_SUMS))


@kernel
def evaluate_mirrored(position: Cells, evaluator: Evaluator) -> float:
    """Estimate the same with west and east exchanged: another opinion of the same network."""
    weights, boards, sums = evaluator
    blue = bitboards.read_boards(position, boards, 0)
    left = bitboards.turns_left(position)
    if left == 0 or blue == 0:
        return float(position[GOAL])
    bitboards.mirror_boards(boards)
    first_layer(weights, boards, 0, left, sums)
    return float(position[GOAL] + blue * finish(weights, sums, KEPT_SUMS))


@kernel
def lowest_bit(bits: int) -> int:
    """Return the number of the lowest bit that is set on a board."""
    return int(LOW_BIT_PLACES[(bits & -bits) % LOW_BIT_MODULUS])


@kernel
def first_layer(weights: Floats, boards: Integers, at: int, left: int, sums: Floats) -> None:
    """Add up the kept first layer for the boards from number ``at`` on and the turns left."""
    turn_row = (bitboards.TURNS_LEFT + left) * HIDDEN
    for unit in range(HIDDEN):
        sums[KEPT_SUMS + unit] = weights[FIRST_BIAS + unit] + weights[turn_row + unit]
    for board in range(bitboards.BOARDS):
        bits = boards[at + board]
        while bits != 0:
            row = (board * NODES + lowest_bit(bits)) * HIDDEN
            bits &= bits - 1
            for unit in range(HIDDEN):
                sums[KEPT_SUMS + unit] += weights[row + unit]


@kernel
def shift_first_layer(weights: Floats, boards: Integers, old: int, new: int, sums: Floats) -> None:
    """Get the trial sums of the boards from number ``new`` on from the kept ones of ``old``."""
    for unit in range(HIDDEN):
        sums[TRIAL_SUMS + unit] = sums[KEPT_SUMS + unit]
    for board in range(bitboards.BOARDS):
        bits = boards[old + board] ^ boards[new + board]
        while bits != 0:
            place = lowest_bit(bits)
            bits &= bits - 1
            row = (board * NODES + place) * HIDDEN
            if (boards[new + board] >> place) & 1:
                for unit in range(HIDDEN):
                    sums[TRIAL_SUMS + unit] += weights[row + unit]
            else:
                for unit in range(HIDDEN):
                    sums[TRIAL_SUMS + unit] -= weights[row + unit]


@kernel
def rectified(value: np.float32) -> np.float32:
    """Return what passes a rectifier."""
    return value if value > 0 else np.float32(0.0)


@kernel
def second_layer(weights: Floats, sums: Floats, at: int) -> None:
    """Add up the second hidden layer from the first one's sums, which begin at ``at``.

    Eight rows at a time: with one, the machine does not notice that the sums can be kept in its
    registers, and takes five times as long.
    """
    for unit in range(SECOND_HIDDEN):
        sums[SECOND_SUMS + unit] = weights[SECOND_BIAS + unit]
    for row in range(0, HIDDEN, 8):
        value_0, value_1 = rectified(sums[at + row]), rectified(sums[at + row + 1])
        value_2, value_3 = rectified(sums[at + row + 2]), rectified(sums[at + row + 3])
        value_4, value_5 = rectified(sums[at + row + 4]), rectified(sums[at + row + 5])
        value_6, value_7 = rectified(sums[at + row + 6]), rectified(sums[at + row + 7])
        begin = SECOND_WEIGHTS + row * SECOND_HIDDEN
        for unit in range(SECOND_HIDDEN):
            cell = begin + unit
            sums[SECOND_SUMS + unit] += (
                (value_0 * weights[cell] + value_1 * weights[cell + SECOND_HIDDEN])
                + (
                    value_2 * weights[cell + 2 * SECOND_HIDDEN]
                    + value_3 * weights[cell + 3 * SECOND_HIDDEN]
                )
            ) + (
                (
                    value_4 * weights[cell + 4 * SECOND_HIDDEN]
                    + value_5 * weights[cell + 5 * SECOND_HIDDEN]
                )
                + (
                    value_6 * weights[cell + 6 * SECOND_HIDDEN]
                    + value_7 * weights[cell + 7 * SECOND_HIDDEN]
                )
            )


@kernel
def finish(weights: Floats, sums: Floats, at: int) -> float:
    """Return the share of Blue's units that will get through, from the first layer at ``at``."""
    second_layer(weights, sums, at)
    total = weights[OUTPUT_BIAS]
    for unit in range(SECOND_HIDDEN):
        total += rectified(sums[SECOND_SUMS + unit]) * weights[OUTPUT_WEIGHTS + unit]
    return float(np.float32(1.0) / (np.float32(1.0) + np.exp(-total)))


# --- choosing among placements ------------------------------------------------------------------


@kernel
def value_all(
    position: Cells, codes: Integers, weights: Floats, values: NDArray[np.float64]
) -> None:
    """Estimate Blue's final score after each placement."""
    evaluator = new_evaluator(weights)
    marks = np.zeros(NODES, dtype=np.int64)
    defended_nodes(position, marks)
    after = np.empty_like(position)
    for index in range(len(codes)):
        put_after(position, codes[index], marks, after)
        values[index] = evaluate(after, evaluator)


def best_placement(position: Position, codes: Codes, weights: Floats) -> tuple[int, float]:
    """Return the placement the mover likes best, and the value: the first of equals."""
    own = np.array(position)
    values = np.empty(len(codes))
    value_all(own, codes, weights, values)
    best = int(np.argmax(values if own[MOVER] == BLUE_SEAT else -values))
    return int(codes[best]), float(values[best])


# --- weights by name ----------------------------------------------------------------------------


def path_of(weights: str) -> Path:
    """Return the file of bundled weights by their name, or the file named itself.

    SandtableError for a word that is neither.

    >>> path_of("td").name
    'td.safetensors'
    """
    return bundled_file(weights, FOLDER, ENDING)


def learnt_against(path: Path) -> str:
    """Return the one opponent that a network learnt against, or nothing: itself, or many.

    >>> learnt_against(path_of("expert-blue")), learnt_against(path_of("td"))
    ('axes-red', '')
    """
    try:
        opponent = read_array_file(path.read_bytes())[1].get("opponent", "")
    except (OSError, ValueError):
        return ""  # reading the weights tells what is wrong
    return "" if opponent == "itself" else opponent


def load_weights(weights: str) -> Floats:
    """Read the parameters [PARAMETERS] of a bundled name or a file, or say what is wrong there."""
    return read_weights(path_of(weights), PARAMETERS, OWNER)
