"""Expression networks: small feed-forward graphs of arithmetic, as data and inside kernels.

The values of a network are numbered: first its inputs, then its nodes. A node combines two values
with smaller numbers, each times the weight of its connection, so a network can have no cycles.
Inside kernels several networks are one row of integers: a list of instructions for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

__all__ = [
    "LARGEST",
    "OPERATIONS",
    "Network",
    "Node",
    "evaluate",
    "instructions",
    "layers",
    "output",
    "reached",
    "room_for",
    "rows_of",
]

ADD, SUBTRACT, MULTIPLY, MINIMUM, MAXIMUM = range(5)
OPERATIONS = ("add", "subtract", "multiply", "minimum", "maximum")
LARGEST = 1e12  # values are kept between this and its negative, so that long products stay finite

# A network in a row of integers: how many inputs and nodes, the nodes, the outputs.
INPUTS_CELL, NODES_CELL, HEADER = range(3)
OPERATION_CELL, LEFT_CELL, RIGHT_CELL, LEFT_WEIGHT, RIGHT_WEIGHT, NODE_CELLS = range(6)


@dataclass(frozen=True)
class Node:
    """An operation on two values."""

    operation: int  # in OPERATIONS
    sources: tuple[int, int]  # numbers of the values it combines
    weights: tuple[float, float] = (1.0, 1.0)  # of the two connections


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
    found = [0] * network.inputs
    for node in network.nodes:
        found.append(1 + max(found[source] for source in node.sources))
    return found


def reached(network: Network, outputs: Sequence[int]) -> list[int]:
    """Return the values that these ones depend on, with themselves, in ascending order."""
    found: set[int] = set()
    waiting = list(outputs)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            if not network.is_input(value):
                waiting += network.node(value).sources
    return sorted(found)


def instructions(network: Network) -> NDArray[np.int64]:
    """Return a network as a row of integers; weights are written bit by bit."""
    cells = [network.inputs, len(network.nodes)]
    for node in network.nodes:
        weights = np.array(node.weights, dtype=np.float64).view(np.int64).tolist()
        cells += [node.operation, *node.sources, *weights]
    return np.array([*cells, *network.outputs], dtype=np.int64)


def rows_of(networks: Sequence[Network | None]) -> NDArray[np.int64]:
    """Return several networks as one row, before them the cell at which each begins (0: none)."""
    parts = [np.zeros(0, np.int64) if each is None else instructions(each) for each in networks]
    begins = np.cumsum([len(parts), *(len(part) for part in parts[:-1])])
    places = [0 if each is None else begin for each, begin in zip(networks, begins, strict=True)]
    return np.concatenate([np.array(places, dtype=np.int64), *parts])


@kernel
def evaluate(row: NDArray[np.int64], begin: int, values: NDArray[np.float64]) -> None:
    """Compute the values of all nodes of the network that begins at a cell; inputs are given."""
    weights = row.view(np.float64)
    inputs = row[begin + INPUTS_CELL]
    for node in range(row[begin + NODES_CELL]):
        cell = begin + HEADER + node * NODE_CELLS
        operation = row[cell + OPERATION_CELL]
        left = weights[cell + LEFT_WEIGHT] * values[row[cell + LEFT_CELL]]
        right = weights[cell + RIGHT_WEIGHT] * values[row[cell + RIGHT_CELL]]
        if operation == ADD:
            value = left + right
        elif operation == SUBTRACT:
            value = left - right
        elif operation == MULTIPLY:
            value = left * right
        elif operation == MINIMUM:
            value = min(left, right)
        else:
            value = max(left, right)
        values[inputs + node] = min(max(value, -LARGEST), LARGEST)


@kernel
def output(
    row: NDArray[np.int64], begin: int, values: NDArray[np.float64], number: int = 0
) -> float:
    """Return an output of an evaluated network."""
    outputs = begin + HEADER + row[begin + NODES_CELL] * NODE_CELLS
    return float(values[row[outputs + number]])


@kernel
def room_for(row: NDArray[np.int64], begin: int) -> int:
    """Return how many values a network has."""
    return int(row[begin + INPUTS_CELL] + row[begin + NODES_CELL])
