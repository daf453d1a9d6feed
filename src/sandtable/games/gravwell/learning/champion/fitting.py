"""How the networks of Gravwell's champion are fitted to games: the gradients.

All of it is compiled and runs on one core, step by step in one order, so that the same games always
give the same parameters to the last bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell.agents.champion import network
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.learning.champion.games import Samples
from sandtable.learning.adam import Learner, adam_step, follow

__all__ = ["fit", "new_learner", "slope_of", "write_stopping"]

USUALLY_PRESENT = 40  # features of a view; the first layer's sums then begin near 1
FEW_STOPS = 0.5  # counted for either answer before any was seen
ROW_HIDDEN, ROW_SECOND, ROW_WISHES, ROW_BACK = range(4)  # of the sums below
SMALLEST = 1e-6  # chance that is told apart from none
SLOWEST = 0.001  # share by which the average follows the parameters in a step


def new_learner(seed: int, start: str = "") -> Learner:
    """Begin with small random weights, no bias, and stops that are as likely as not.

    Or begin with bundled weights or those of a file; hidden units to which nothing leads get
    small random weights, and as yet lead to nothing themselves.
    """
    numbers = np.random.Generator(np.random.PCG64(seed))
    if start:
        parameters = network.load_weights(network.weights_named(start))
        rows = parameters[network.FIRST : network.FIRST_BIAS].reshape(-1, network.HIDDEN)
        new = ~rows.any(axis=0)
        drawn = numbers.standard_normal((len(rows), int(new.sum())))
        rows[:, new] = drawn * math.sqrt(1.0 / USUALLY_PRESENT)
        return Learner.begin(parameters)
    parameters = np.zeros(network.PARAMETERS, dtype=np.float32)
    for begin, end, inputs in (
        (network.FIRST, network.FIRST_BIAS, USUALLY_PRESENT),
        (network.SECOND, network.SECOND_BIAS, network.HIDDEN),
        (network.OUTPUT, network.OUTPUT_BIAS, network.SECOND_HIDDEN),
        (network.HABITS, network.HABITS_BIAS, USUALLY_PRESENT),
        (network.WISHES, network.WISHES_BIAS, 4 * network.HABITS_HIDDEN),
    ):
        parameters[begin:end] = numbers.standard_normal(end - begin) * math.sqrt(1.0 / inputs)
    parameters[network.STOPPING : network.END] = 0.5
    return Learner.begin(parameters)


@kernel
def pass_back(
    slope: NDArray[np.float32],
    layer: int,
    bias: int,
    width: int,
    active: NDArray[np.uint16],
    count: int,
    sums: NDArray[np.float32],
) -> None:
    """Add the gradient of a first layer so wide, from that of its sums."""
    for unit in range(width):
        slope[bias + unit] += sums[ROW_BACK, unit]
    for index in range(count):
        row = layer + int(active[index]) * width
        for unit in range(width):
            slope[row + unit] += sums[ROW_BACK, unit]


@kernel
def value_slope(
    parameters: NDArray[np.float32],
    slope: NDArray[np.float32],
    samples: Samples,
    view: int,
    scale: np.float32,
    sums: NDArray[np.float32],
) -> float:
    """Add the gradient of one view's value; return the cross entropy with its target."""
    active, count = samples.active[view], samples.counts[view]
    network.sum_up(parameters, active, count, sums, ROW_HIDDEN)
    value = network.value_of(parameters, sums, ROW_HIDDEN, ROW_SECOND)
    target = samples.targets[view]
    error = np.float32(value - target) * scale
    slope[network.OUTPUT_BIAS] += error
    for unit in range(network.SECOND_HIDDEN):
        passed = max(sums[ROW_SECOND, unit], np.float32(0.0))
        slope[network.OUTPUT + unit] += error * passed
        back = error * parameters[network.OUTPUT + unit] if passed > 0 else np.float32(0.0)
        sums[ROW_SECOND, unit] = back
        slope[network.SECOND_BIAS + unit] += back
    for feature in range(network.HIDDEN):
        passed, total = sums[ROW_HIDDEN, feature], np.float32(0.0)
        if passed > 0:
            row = network.SECOND + feature * network.SECOND_HIDDEN
            for unit in range(network.SECOND_HIDDEN):
                total += sums[ROW_SECOND, unit] * parameters[row + unit]
            for unit in range(network.SECOND_HIDDEN):
                slope[row + unit] += passed * sums[ROW_SECOND, unit]
        sums[ROW_BACK, feature] = total
    pass_back(slope, network.FIRST, network.FIRST_BIAS, network.HIDDEN, active, count, sums)
    sure = min(max(value, SMALLEST), 1.0 - SMALLEST)
    return -float(target * np.log(sure) + (1.0 - target) * np.log(1.0 - sure))


@kernel
def share_wishes(sums: NDArray[np.float32], held: int) -> None:
    """Turn the wishes for the cards in a hand into chances; cards not held have none."""
    highest, total = np.float32(-np.inf), np.float32(0.0)
    for card in range(CARDS):
        if held >> card & 1:
            highest = max(highest, sums[ROW_WISHES, card])
    for card in range(CARDS):
        wish = sums[ROW_WISHES, card]
        sums[ROW_WISHES, card] = np.exp(wish - highest) if held >> card & 1 else np.float32(0.0)
        total += sums[ROW_WISHES, card]
    for card in range(CARDS):
        sums[ROW_WISHES, card] /= total


@kernel
def habit_slope(
    parameters: NDArray[np.float32],
    slope: NDArray[np.float32],
    samples: Samples,
    view: int,
    scale: np.float32,
    sums: NDArray[np.float32],
) -> float:
    """Add the gradient of one view's habits; return the cross entropy with the card played."""
    active, count, chosen = samples.active[view], samples.plain[view], samples.chosen[view]
    network.sum_up_habits(parameters, active, count, sums, ROW_HIDDEN)
    network.wishes_of(parameters, sums, ROW_HIDDEN, samples.gains[view], ROW_WISHES)
    share_wishes(sums, samples.held[view])
    loss = -np.log(max(sums[ROW_WISHES, chosen], SMALLEST))
    sums[ROW_WISHES, chosen] -= np.float32(1.0)
    for card in range(CARDS):
        sums[ROW_WISHES, card] *= scale
        slope[network.WISHES_BIAS + card] += sums[ROW_WISHES, card]
        slope[network.WISHES_GAINS + samples.gains[view, card]] += sums[ROW_WISHES, card]
    for feature in range(network.HABITS_HIDDEN):
        passed, total = sums[ROW_HIDDEN, feature], np.float32(0.0)
        if passed > 0:
            row = network.WISHES + feature * CARDS
            for card in range(CARDS):
                total += sums[ROW_WISHES, card] * parameters[row + card]
            for card in range(CARDS):
                slope[row + card] += passed * sums[ROW_WISHES, card]
        sums[ROW_BACK, feature] = total
    pass_back(
        slope, network.HABITS, network.HABITS_BIAS, network.HABITS_HIDDEN, active, count, sums
    )
    return float(loss)


@kernel
def slope_of(
    parameters: NDArray[np.float32],
    slope: NDArray[np.float32],
    samples: Samples,
    views: NDArray[np.int64],
    losses: NDArray[np.float64],
) -> None:
    """Write the gradient of a batch of views; add to the losses (values, habits, choices)."""
    slope[:] = 0.0
    sums = np.zeros((4, network.HIDDEN), dtype=np.float32)
    scale = np.float32(1.0 / len(views))
    for index in range(len(views)):
        view = views[index]
        losses[0] += value_slope(parameters, slope, samples, view, scale, sums)
        if samples.chosen[view] >= 0:
            losses[1] += habit_slope(parameters, slope, samples, view, scale, sums)
            losses[2] += 1.0


@kernel
def fit_in_order(
    parameters: NDArray[np.float32],
    momentum: NDArray[np.float32],
    squares: NDArray[np.float32],
    average: NDArray[np.float32],
    samples: Samples,
    order: NDArray[np.int64],
    batch: int,
    rate: float,
    step: int,
    losses: NDArray[np.float64],
) -> int:
    """Fit to all whole batches of the views in this order; return how many steps were taken."""
    slope = np.empty_like(parameters)
    for begin in range(0, len(order) - batch + 1, batch):
        slope_of(parameters, slope, samples, order[begin : begin + batch], losses)
        step += 1
        adam_step(parameters, slope, momentum, squares, rate, step)
        follow(average, parameters, max(SLOWEST, 1.0 / step))
    return step


def fit(
    learner: Learner, samples: Samples, order: NDArray[np.int64], batch: int, rate: float
) -> tuple[float, float]:
    """Fit to the views in this order; return the mean losses of values and of habits."""
    losses = np.zeros(3)
    before = learner.steps
    rows = (learner.parameters, learner.momentum, learner.squares, learner.average)
    learner.steps = int(fit_in_order(*rows, samples, order, batch, rate, before, losses))
    views = max(batch * (learner.steps - before), 1)
    return float(losses[0] / views), float(losses[1] / max(losses[2], 1.0))


def write_stopping(learner: Learner, stops: NDArray[np.float64]) -> None:
    """Take over how often Emergency Stops were used [turn, gain, 2: asked, stopped]."""
    chances = (stops[:, :, 1] + FEW_STOPS) / (stops[:, :, 0] + 2 * FEW_STOPS)
    for row in (learner.parameters, learner.average):
        row[network.STOPPING : network.END] = chances.ravel()
