"""Fitting the evaluator of Operation Lucid: its gradient, as kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid.agents.evaluator import network
from sandtable.games.lucid.agents.evaluator.bitboards import BOARDS, TURNS_LEFT, mirror_boards
from sandtable.games.lucid.agents.evaluator.network import Floats
from sandtable.games.lucid.rules import BLUE_UNITS, NODES, Integers
from sandtable.learning.adam import adam_step


@kernel
def add_gradient(
    weights: Floats,
    boards: Integers,
    left: int,
    target: float,
    importance: float,
    slope: Floats,
    sums: Floats,
    back: Floats,
) -> float:
    """Add the gradient of one position's loss to ``slope``; return the share expected.

    The target is a share of the Blue units on the board; the loss is the cross entropy between it
    and the share the network expects, so that its slope by the output is their difference.
    ``sums`` and ``back`` are scratch.
    """
    network.first_layer(weights, boards, 0, left, sums)
    share = network.finish(weights, sums, network.KEPT_SUMS)
    error = np.float32(importance * (share - target))
    slope[network.OUTPUT_BIAS] += error
    for unit in range(network.SECOND_HIDDEN):
        value = sums[network.SECOND_SUMS + unit]
        back[network.SECOND_SUMS + unit] = np.float32(0.0)
        if value > 0:
            slope[network.OUTPUT_WEIGHTS + unit] += error * value
            back[network.SECOND_SUMS + unit] = error * weights[network.OUTPUT_WEIGHTS + unit]
            slope[network.SECOND_BIAS + unit] += back[network.SECOND_SUMS + unit]
    for feature in range(network.HIDDEN):
        value = sums[network.KEPT_SUMS + feature]
        total = np.float32(0.0)
        if value > 0:
            row = network.SECOND_WEIGHTS + feature * network.SECOND_HIDDEN
            for unit in range(network.SECOND_HIDDEN):
                slope[row + unit] += value * back[network.SECOND_SUMS + unit]
            for unit in range(network.SECOND_HIDDEN):
                total += weights[row + unit] * back[network.SECOND_SUMS + unit]
        back[network.KEPT_SUMS + feature] = total
        slope[network.FIRST_BIAS + feature] += total
    add_first_gradient(boards, left, back, slope)
    return share


@kernel
def add_first_gradient(boards: Integers, left: int, back: Floats, slope: Floats) -> None:
    """Add the gradient of the first layer's weights, which only features that are on have."""
    turn_row = (TURNS_LEFT + left) * network.HIDDEN
    for unit in range(network.HIDDEN):
        slope[turn_row + unit] += back[network.KEPT_SUMS + unit]
    for board in range(BOARDS):
        bits = boards[board]
        while bits != 0:
            row = (board * NODES + network.lowest_bit(bits)) * network.HIDDEN
            bits &= bits - 1
            for unit in range(network.HIDDEN):
                slope[row + unit] += back[network.KEPT_SUMS + unit]


@kernel
def fit_positions(
    parameters: Floats,
    momentum: Floats,
    squares: Floats,
    steps: int,
    order: Integers,
    batch: int,
    rate: float,
    boards: NDArray[np.int32],
    facts: NDArray[np.int16],
    targets: Floats,
) -> float:
    """Fit the positions in this order, some of them mirrored; return the mean square error.

    An index below zero means the mirror image of position -1 - index. Positions whose value is
    known without the network, in the last turn or without Blue units, are left out.
    """
    slope = np.zeros_like(parameters)
    sums, back = np.zeros(network.SUMS, dtype=np.float32), np.zeros(network.SUMS, dtype=np.float32)
    position_boards = np.empty(BOARDS, dtype=np.int64)
    error, count = 0.0, 0
    for begin in range(0, len(order) - batch + 1, batch):
        for place in range(begin, begin + batch):
            index = order[place] if order[place] >= 0 else -1 - order[place]
            left, goal, blue = facts[index, 0], facts[index, 1], facts[index, 2]
            if left == 0 or blue == 0:
                continue
            for board in range(BOARDS):
                position_boards[board] = boards[index, board]
            if order[place] < 0:
                mirror_boards(position_boards)
            target = (targets[index] - goal) / blue
            weight = blue / (BLUE_UNITS * batch)
            share = add_gradient(
                parameters, position_boards, left, target, weight, slope, sums, back
            )
            error += (blue * (share - target)) ** 2
            count += 1
        steps += 1
        adam_step(parameters, slope, momentum, squares, rate, steps)
    return error / max(count, 1)
