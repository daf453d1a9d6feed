"""Expression networks: small feed-forward graphs of arithmetic, as data and inside kernels.

The values of a network are numbered: first its inputs, then its nodes. A node combines two values
with smaller numbers, each times the weight of its connection, so a network can have no cycles.
Inside kernels several networks are a Program: a list of instructions for each, and the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

__all__ = [
    "LARGEST",
    "OPERATIONS",
    "Network",
    "Node",
    "Program",
    "evaluate",
    "instructions",
    "layers",
    "output",
    "outputs_of",
    "program_of",
    "reached",
    "room_for",
]

ADD, SUBTRACT, MULTIPLY, MINIMUM, MAXIMUM, DIVIDE, MODULO = range(7)
OPERATIONS = ("add", "subtract", "multiply", "minimum", "maximum", "divide", "modulo")
SMALLEST_DIVISOR = 1e-9  # by less than this nothing can be divided: the result is 0
LARGEST = 1e12  # values are kept between this and its negative, so that long products stay finite

# A network in a row of integers: how many inputs, nodes and outputs, where its weights begin, the
# nodes, the outputs. The weights are two for each node.
INPUTS_CELL, NODES_CELL, OUTPUTS_CELL, WEIGHTS_CELL, HEADER = range(5)
OPERATION_CELL, LEFT_CELL, RIGHT_CELL, NODE_CELLS = range(4)


class Program(NamedTuple):
    """Several networks as kernels read them; with one more axis in front, many of these."""

    cells: NDArray[np.int64]  # where each network begins (0: there is none), then instructions
    weights: NDArray[np.float64]  # of all connections


@dataclass(frozen=True)
class Node:
    """An operation on two values."""

    operation: int  # in OPERATIONS
    sources: tuple[int, int]  # numbers of the values it combines
    weights: tuple[float, float] = (1.0, 1.0)  # of the two connections
    # Nodes of two networks with the same number come from the same mutation; 0: not numbered.
    innovation: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Network:
    """A feed-forward graph; two networks are equal when they compute the same in the same way."""

    inputs: int  # how many
    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]  # numbers of the values that come out

    def __post_init__(self) -> None:
        for number, node in enumerate(self.nodes, start=self.inputs):
            if not all(0 <= source < number for source in node.sources):
                raise ValueError(
                    f"node {number - self.inputs + 1} does not use earlier values only"
                )
            if not 0 <= node.operation < len(OPERATIONS) or not np.isfinite(node.weights).all():
                raise ValueError(f"node {number - self.inputs + 1} is no operation with weights")
        if not all(0 <= value < self.inputs + len(self.nodes) for value in self.outputs):
            raise ValueError("an output is not a value of the network")

    def is_input(self, value: int) -> bool:
        """Say whether a value is an input; otherwise it is that of a node."""
        return value < self.inputs

    def node(self, value: int) -> Node:
        """Return the node that computes a value."""
        return self.nodes[value - self.inputs]


def layers(network: Network) -> list[int]:
    """Return the layer of every value: 0 for inputs, else one more than the latest source's."""
    levels = [0] * network.inputs
    for node in network.nodes:
        levels.append(1 + max(levels[source] for source in node.sources))
    return levels


def reached(network: Network, outputs: Sequence[int]) -> list[int]:
    """Return the values that these ones depend on, with themselves, in ascending order."""
    values: set[int] = set()
    waiting = list(outputs)
    while waiting:
        value = waiting.pop()
        if value not in values:
            values.add(value)
            if not network.is_input(value):
                waiting += network.node(value).sources
    return sorted(values)


def instructions(network: Network, first_weight: int) -> list[int]:
    """Return a network as a row of integers, whose weights begin at a place of their own."""
    cells = [network.inputs, len(network.nodes), len(network.outputs), first_weight]
    for node in network.nodes:
        cells += [node.operation, *node.sources]
    return [*cells, *network.outputs]


def program_of(networks: Sequence[Network | None]) -> Program:
    """Return several networks as kernels read them."""
    begins = [0] * len(networks)
    cells: list[int] = []
    weights: list[float] = []
    for number, network in enumerate(networks):
        if network is not None:
            begins[number] = len(networks) + len(cells)
            cells += instructions(network, len(weights))
            weights += [weight for node in network.nodes for weight in node.weights]
    return Program(np.array(begins + cells, np.int64), np.array(weights, np.float64))


@kernel
def evaluate(program: Program, begin: int, values: NDArray[np.float64]) -> None:
    """Compute the values of all nodes of the network that begins at a cell; inputs are given."""
    row, weights = program.cells, program.weights
    inputs, weight = row[begin + INPUTS_CELL], row[begin + WEIGHTS_CELL]
    for node in range(row[begin + NODES_CELL]):
        cell = begin + HEADER + node * NODE_CELLS
        operation = row[cell + OPERATION_CELL]
        left = weights[weight] * values[row[cell + LEFT_CELL]]
        right = weights[weight + 1] * values[row[cell + RIGHT_CELL]]
        if operation == ADD:
            value = left + right
        elif operation == SUBTRACT:
            value = left - right
        elif operation == MULTIPLY:
            value = left * right
        elif operation == MINIMUM:
            value = min(left, right)
        elif operation == MAXIMUM:
            value = max(left, right)
        elif abs(right) < SMALLEST_DIVISOR:
            value = 0.0
        elif operation == DIVIDE:
            value = left / right
        else:
            value = left - right * np.floor(left / right)
        values[inputs + node] = min(max(value, -LARGEST), LARGEST)
        weight += 2


@kernel
def output(program: Program, begin: int, values: NDArray[np.float64], number: int = 0) -> float:
    """Return an output of an evaluated network."""
    row = program.cells
    outputs = begin + HEADER + row[begin + NODES_CELL] * NODE_CELLS
    return float(values[row[outputs + number]])


@kernel
def outputs_of(program: Program, begin: int) -> int:
    """Return how many outputs a network has."""
    return int(program.cells[begin + OUTPUTS_CELL])


@kernel
def room_for(program: Program, begin: int) -> int:
    """Return how many values a network has."""
    row = program.cells
    return int(row[begin + INPUTS_CELL] + row[begin + NODES_CELL])
