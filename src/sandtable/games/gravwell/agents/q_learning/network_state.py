"""A network in place of the Q-learner's table (section 6.3 of the report asks for one).

It sees all that the seat may know, as the champion's features list it: every ship and hulk, round
and turn, its hand, the cards it saw others take, and who can still stop. One hidden layer gives a
value to every card. All numbers stand in one row, so that it is kept like a table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.champion.features import (
    FEATURES,
    MOST_ACTIVE,
    describe,
    moment_of_turn,
)
from sandtable.games.gravwell.cards import CARDS

__all__ = ["HIDDEN", "MOST_ACTIVE", "PARAMETERS", "first_parameters", "see", "teach", "value_of"]

HIDDEN = 24
BIASES = FEATURES * HIDDEN  # [unit]
OUTPUTS = BIASES + HIDDEN  # [card, unit]
OUTPUT_BIASES = OUTPUTS + CARDS * HIDDEN  # [card]
PARAMETERS = OUTPUT_BIASES + CARDS
LARGEST_ERROR = 20.0  # in tiles; one bad turn must not undo many


def first_parameters(seed: int) -> NDArray[np.float64]:
    """Return small random weights to begin with.

    >>> len(first_parameters(0)) == PARAMETERS
    True
    """
    random = np.random.Generator(np.random.PCG64([seed, 6, 3]))
    parameters = np.zeros(PARAMETERS)
    parameters[:BIASES] = random.normal(0.0, 0.2, BIASES)
    parameters[OUTPUTS:OUTPUT_BIASES] = random.normal(0.0, 0.2, CARDS * HIDDEN)
    return parameters


@kernel
def see(
    view: NDArray[np.int16],
    seat: int,
    parameters: NDArray[np.floating],
    active: NDArray[np.uint16],
    hidden: NDArray[np.float64],
) -> int:
    """List what the seat sees and compute the hidden layer; return how much there is."""
    count = describe(view, seat, moment_of_turn(view[layout.TURN]), active)
    for unit in range(HIDDEN):
        total = float(parameters[BIASES + unit])
        for index in range(count):
            total += parameters[active[index] * HIDDEN + unit]
        hidden[unit] = max(total, 0.0)
    return count


@kernel
def value_of(parameters: NDArray[np.floating], hidden: NDArray[np.float64], card: int) -> float:
    """Return what a card is worth."""
    total = float(parameters[OUTPUT_BIASES + card])
    for unit in range(HIDDEN):
        total += parameters[OUTPUTS + card * HIDDEN + unit] * hidden[unit]
    return total


@kernel
def teach(
    parameters: NDArray[np.float64],
    active: NDArray[np.uint16],
    count: int,
    hidden: NDArray[np.float64],
    card: int,
    target: float,
    rate: float,
) -> None:
    """Move the worth of a card in what was seen towards what it should have been."""
    error = target - value_of(parameters, hidden, card)
    step = rate * min(max(error, -LARGEST_ERROR), LARGEST_ERROR)
    parameters[OUTPUT_BIASES + card] += step
    for unit in range(HIDDEN):
        weight = OUTPUTS + card * HIDDEN + unit
        before = parameters[weight]
        parameters[weight] += step * hidden[unit]
        if hidden[unit] > 0.0:
            change = step * before
            parameters[BIASES + unit] += change
            for index in range(count):
                parameters[active[index] * HIDDEN + unit] += change
