"""Back-propagation for the networks of lucid/semantic, and how often they are right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, uniform
from sandtable.games.lucid.agents.force_groups import FEATURES
from sandtable.games.lucid.agents.semantic import networks
from sandtable.games.lucid.rules import DiceState

__all__ = ["accuracy", "ceiling", "draw_weights", "learn_example", "learn_examples"]

Numbers = NDArray[np.float64]


@kernel
def draw_weights(network: Numbers, reach: float, dice: DiceState) -> None:
    """Fill a network with weights drawn evenly from minus reach to reach."""
    for index in range(networks.PARAMETERS):
        network[index] = reach * (2.0 * uniform(dice) - 1.0)


@kernel
def learn_example(
    network: Numbers, inputs: Numbers, target: float, rate: float, hidden: Numbers
) -> float:
    """Show one example and change the weights; return its loss.

    The loss is the cross entropy, whose slope by the output's sum is the plain difference.
    """
    answer = networks.forward(network, inputs, hidden)
    error = answer - target
    for unit in range(networks.HIDDEN):
        value = hidden[unit]
        back = error * network[networks.OUTPUT_WEIGHTS + unit] * value * (1.0 - value)
        network[networks.OUTPUT_WEIGHTS + unit] -= rate * error * value
        network[networks.FIRST_BIAS + unit] -= rate * back
        hidden[unit] = back
    network[networks.OUTPUT_BIAS] -= rate * error
    for feature in range(FEATURES):
        step = rate * inputs[feature]
        row = networks.FIRST_WEIGHTS + feature * networks.HIDDEN
        for unit in range(networks.HIDDEN):
            network[row + unit] -= step * hidden[unit]
    return float(-np.log(max(1e-12, 1.0 - abs(error))))


@kernel
def learn_examples(
    network: Numbers,
    features: Numbers,
    targets: Numbers,
    first: int,
    count: int,
    total: int,
    rates: Numbers,
    dice: DiceState,
) -> float:
    """Show examples drawn at random, from number ``first`` of ``total`` on; return the mean loss.

    The rate falls evenly on a logarithmic scale from the first of ``rates`` to the second.
    """
    hidden = np.empty(networks.HIDDEN)
    loss = 0.0
    for number in range(first, first + count):
        rate = rates[0] * (rates[1] / rates[0]) ** (number / total)
        example = below(dice, len(features))
        loss += learn_example(network, features[example], targets[example], rate, hidden)
    return loss / count


def accuracy(network: Numbers, features: Numbers, targets: Numbers) -> float:
    """Return the share of examples that a network classifies as the expert did."""
    hidden = np.empty(networks.HIDDEN)
    answers = np.array([networks.forward(network, inputs, hidden) for inputs in features])
    return float(np.mean((answers > networks.CHOSEN) == (targets > networks.CHOSEN)))


def ceiling(features: Numbers, targets: Numbers) -> float:
    """Return the best share that any classifier can reach on these examples.

    Groups that see the same twenty numbers must get the same answer, though the expert may have
    moved them differently.
    """
    _, same = np.unique(features, axis=0, return_inverse=True)
    counts = np.bincount(same.ravel())
    chosen = np.bincount(same.ravel(), weights=targets)
    return float(np.maximum(chosen, counts - chosen).sum() / len(targets))
