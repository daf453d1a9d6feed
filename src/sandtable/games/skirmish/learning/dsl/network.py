"""The value network of Deep-State Learning, and its way into an ONNX file.

A ResNet18 for a board of 8 by 8: a stem and four stages of two residual blocks, with at most 64
channels. The thesis tells no more than that and the six input planes; its 585,000 parameters are
reached with a head that keeps the four quarters of the board apart (see the table in
docs/games/skirmish/deep-state-learning.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sandtable.games.skirmish.agents.dsl.agent import OnnxValues
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.graphs import Graph, checked_difference

__all__ = [
    "FoldedNetwork",
    "ValueNetwork",
    "export_onnx",
    "folded",
    "folded_values",
    "new_network",
    "parameter_count",
]

PLANES = 6
STAGES = ((32, 1), (64, 2), (64, 2), (64, 1))  # channels, and the stride of the first block
BLOCKS_IN_STAGE = 2
HEAD = 448
LARGEST_DIFFERENCE = 0.01  # between the file and the network, as a share of the largest value


class Block(nn.Module):
    """Two convolutions and the way round them."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.convolution_1 = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.norm_1 = nn.BatchNorm2d(after)
        self.convolution_2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.norm_2 = nn.BatchNorm2d(after)
        self.shortcut: nn.Conv2d | None = None
        if stride != 1 or before != after:
            self.shortcut = nn.Conv2d(before, after, 1, stride, bias=False)
            self.shortcut_norm = nn.BatchNorm2d(after)

    def forward(self, given: Tensor) -> Tensor:
        """Return what the block makes of a batch."""
        inside = torch.relu(self.norm_1(self.convolution_1(given)))
        inside = self.norm_2(self.convolution_2(inside))
        past = given if self.shortcut is None else self.shortcut_norm(self.shortcut(given))
        return torch.relu(inside + past)


class ValueNetwork(nn.Module):
    """Planes [position, 6, 8, 8] to one value for each position."""

    def __init__(self) -> None:
        super().__init__()
        channels = STAGES[0][0]
        self.stem = nn.Conv2d(PLANES, channels, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels)
        blocks = []
        for after, stride in STAGES:
            for number in range(BLOCKS_IN_STAGE):
                blocks.append(Block(channels, after, stride if number == 0 else 1))
                channels = after
        self.blocks = nn.Sequential(*blocks)
        quarters = 2 * 2
        self.head = nn.Linear(channels * quarters, HEAD)
        self.value = nn.Linear(HEAD, 1)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        inside = torch.relu(self.stem_norm(self.stem(planes)))
        inside = self.blocks(inside).flatten(1)
        values: Tensor = self.value(torch.relu(self.head(inside))).squeeze(1)
        return values


def new_network(seed: int) -> ValueNetwork:
    """Return a network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ValueNetwork()


def parameter_count(network: nn.Module) -> int:
    """Return how many numbers are learned."""
    return sum(parameter.numel() for parameter in network.parameters())


class Layer(NamedTuple):
    """A convolution or fully connected layer with the batch norm after it folded in."""

    weight: Tensor
    bias: Tensor
    stride: int = 1
    padding: int = 0


class FoldedBlock(NamedTuple):
    """A residual block of such layers."""

    first: Layer
    second: Layer
    shortcut: Layer | None


class FoldedNetwork(NamedTuple):
    """A network in evaluation mode: fewer, larger steps, and the same values."""

    stem: Layer
    blocks: tuple[FoldedBlock, ...]
    head: Layer
    value: Layer


def folded_layer(layer: nn.Conv2d, norm: nn.BatchNorm2d) -> Layer:
    """Fold the running statistics of a batch norm into the convolution before it."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    weight = layer.weight * scale[:, None, None, None]
    bias = norm.bias - norm.running_mean * scale
    weight = weight.detach().contiguous(memory_format=torch.channels_last)  # twice as fast
    return Layer(weight, bias.detach(), int(layer.stride[0]), int(layer.padding[0]))


def folded_block(block: Block) -> FoldedBlock:
    """Fold all batch norms of a block."""
    shortcut = None
    if block.shortcut is not None:
        shortcut = folded_layer(block.shortcut, block.shortcut_norm)
    return FoldedBlock(
        folded_layer(block.convolution_1, block.norm_1),
        folded_layer(block.convolution_2, block.norm_2),
        shortcut,
    )


def folded(network: ValueNetwork) -> FoldedNetwork:
    """Return the network as it is when it plays."""
    return FoldedNetwork(
        folded_layer(network.stem, network.stem_norm),
        tuple(folded_block(block) for block in network.blocks if isinstance(block, Block)),
        Layer(network.head.weight.detach().clone(), network.head.bias.detach().clone()),
        Layer(network.value.weight.detach().clone(), network.value.bias.detach().clone()),
    )


def folded_values(network: FoldedNetwork, planes: Tensor) -> Tensor:
    """Return the value of each position [position]."""

    def convolution(given: Tensor, layer: Layer) -> Tensor:
        return functional.conv2d(given, layer.weight, layer.bias, layer.stride, layer.padding)

    inside = planes.contiguous(memory_format=torch.channels_last)
    inside = torch.relu_(convolution(inside, network.stem))
    for block in network.blocks:
        past = inside if block.shortcut is None else convolution(inside, block.shortcut)
        inside = convolution(torch.relu_(convolution(inside, block.first)), block.second)
        inside = torch.relu_(inside.add_(past))
    inside = functional.linear(inside.flatten(1), network.head.weight, network.head.bias)
    inside = torch.relu_(inside)
    return functional.linear(inside, network.value.weight, network.value.bias).squeeze(1)


def add_convolution(graph: Graph, given: str, layer: Layer) -> str:
    """Write a convolution as a node of ONNX."""
    return graph.convolution(given, layer.weight, layer.bias, layer.padding, layer.stride)


def add_block(graph: Graph, given: str, block: FoldedBlock) -> str:
    """Write a residual block as nodes of ONNX."""
    inside = graph.relu(add_convolution(graph, given, block.first))
    inside = add_convolution(graph, inside, block.second)
    past = given if block.shortcut is None else add_convolution(graph, given, block.shortcut)
    return graph.relu(graph.node("Add", [inside, past]))


def graph_of(network: FoldedNetwork) -> Graph:
    """Write the whole network as nodes of ONNX."""
    graph = Graph()
    inside = graph.relu(add_convolution(graph, "planes", network.stem))
    for block in network.blocks:
        inside = add_block(graph, inside, block)
    flat = graph.node("Flatten", [inside])
    inside = graph.relu(graph.linear(flat, network.head.weight, network.head.bias))
    graph.flat(graph.linear(inside, network.value.weight, network.value.bias), "values")
    return graph


def export_onnx(network: ValueNetwork, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it on random boards."""
    graph = graph_of(folded(network))
    make_folder(path.parent)
    write_whole(path, graph.file({"planes": [PLANES, 8, 8]}, {"values": []}, notes))
    planes = random_planes(256)
    network.eval()
    with torch.no_grad():
        device = next(network.parameters()).device
        expected = network(torch.from_numpy(planes).to(device)).cpu().numpy()
    return checked_difference(path, OnnxValues(path)(planes), expected, LARGEST_DIFFERENCE)


def random_planes(count: int) -> NDArray[np.float32]:
    """Return boards with random land, units and ages."""
    random = np.random.default_rng(0)
    planes = np.zeros((count, PLANES, 8, 8), dtype=np.float32)
    planes[:, 0] = random.random((count, 8, 8)) < 0.8
    unit = random.integers(0, 16, (count, 8, 8))  # 1 to 4: a unit of that kind; above: none
    sign = np.where(random.random((count, 8, 8)) < 0.5, 1.0, -1.0)
    for kind in range(1, 5):
        planes[:, kind] = (unit == kind) * sign
    here = (unit >= 1) & (unit <= 4)
    planes[:, 5] = here * sign * random.integers(1, 80, (count, 8, 8)) / 80.0
    return planes
