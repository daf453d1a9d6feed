"""The residual networks of Deep-State Learning, and their way into an ONNX file.

A ResNet18 for a board of 8 by 8: a stem and four stages of two residual blocks, with at most 64
channels. The thesis tells no more than that and the six input planes. There are two readings of it,
with nearly the same number of parameters (see docs/games/skirmish/deep-state-learning.md):

- ``author``, the layout of the thesis's program: the stem and the pooling of ResNet18 leave a board
  of 2 by 2, all stages have 64 channels, and the mean over the board decides;
- ``quarters``, ours: the board is 8 by 8 in the first stage, and the four quarters that are left at
  the end are kept apart, because where a unit stands matters here.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from sandtable.learning.graphs import Graph

__all__ = [
    "AUTHOR",
    "QUARTERS",
    "FoldedNetwork",
    "ResidualNetwork",
    "folded",
    "folded_graph",
    "folded_tensors",
    "folded_values",
]

PLANES = 6
BLOCKS_IN_STAGE = 2
POOL, POOL_STRIDE, POOL_PADDING = 3, 2, 1


class ResidualShape(NamedTuple):
    """What tells one ResNet from another."""

    stem: int  # channels after the first convolution
    stem_size: int  # squares across that convolution
    stem_stride: int
    pooled: bool  # whether the largest of each 3 by 3 squares goes on, every second one
    stages: tuple[tuple[int, int], ...]  # channels, and the stride of the first block
    head: int  # inner values between the board and the result; 0: the mean over the board decides


QUARTERS = ResidualShape(32, 3, 1, False, ((32, 1), (64, 2), (64, 2), (64, 1)), 448)
AUTHOR = ResidualShape(32, 7, 2, True, ((64, 1), (64, 1), (64, 1), (64, 1)), 0)


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


class ResidualNetwork(nn.Module):
    """Planes [position, 6, 8, 8] to one value for each position."""

    def __init__(self, shape: ResidualShape = QUARTERS) -> None:
        super().__init__()
        self.shape = shape
        size, channels = shape.stem_size, shape.stem
        self.stem = nn.Conv2d(PLANES, channels, size, shape.stem_stride, size // 2, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels)
        blocks = []
        for after, stride in shape.stages:
            for number in range(BLOCKS_IN_STAGE):
                blocks.append(Block(channels, after, stride if number == 0 else 1))
                channels = after
        self.blocks = nn.Sequential(*blocks)
        self.head: nn.Linear | None = None
        if shape.head:
            quarters = 2 * 2
            self.head = nn.Linear(channels * quarters, shape.head)
        else:  # as ResNet18 begins
            for layer in self.modules():
                if isinstance(layer, nn.Conv2d):
                    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
        self.value = nn.Linear(shape.head or channels, 1)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        inside = torch.relu(self.stem_norm(self.stem(planes)))
        if self.shape.pooled:
            inside = functional.max_pool2d(inside, POOL, POOL_STRIDE, POOL_PADDING)
        inside = self.blocks(inside)
        if self.head is None:
            inside = inside.mean((2, 3))
        else:
            inside = torch.relu(self.head(inside.flatten(1)))
        values: Tensor = self.value(inside).squeeze(1)
        return values


# --- as it plays: batch norms folded into the convolutions before them ---------------------------


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
    pooled: bool
    blocks: tuple[FoldedBlock, ...]
    head: Layer | None
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


def linear_layer(layer: nn.Linear) -> Layer:
    """Return a copy of a fully connected layer."""
    return Layer(layer.weight.detach().clone(), layer.bias.detach().clone())


def folded(network: ResidualNetwork) -> FoldedNetwork:
    """Return the network as it is when it plays."""
    return FoldedNetwork(
        folded_layer(network.stem, network.stem_norm),
        network.shape.pooled,
        tuple(folded_block(block) for block in network.blocks if isinstance(block, Block)),
        None if network.head is None else linear_layer(network.head),
        linear_layer(network.value),
    )


def folded_tensors(network: FoldedNetwork) -> list[Tensor]:
    """Return all weights in the order in which they are used, which is that of the file."""
    layers = [network.stem]
    for block in network.blocks:
        layers += [block.first, block.second, *([block.shortcut] if block.shortcut else [])]
    layers += [*([network.head] if network.head else []), network.value]
    return [tensor for layer in layers for tensor in (layer.weight, layer.bias)]


def folded_values(network: FoldedNetwork, planes: Tensor) -> Tensor:
    """Return the value of each position [position]."""

    def convolution(given: Tensor, layer: Layer) -> Tensor:
        return functional.conv2d(given, layer.weight, layer.bias, layer.stride, layer.padding)

    inside = planes.contiguous(memory_format=torch.channels_last)
    inside = torch.relu_(convolution(inside, network.stem))
    if network.pooled:
        inside = functional.max_pool2d(inside, POOL, POOL_STRIDE, POOL_PADDING)
    for block in network.blocks:
        past = inside if block.shortcut is None else convolution(inside, block.shortcut)
        inside = convolution(torch.relu_(convolution(inside, block.first)), block.second)
        inside = torch.relu_(inside.add_(past))
    if network.head is None:
        inside = inside.mean((2, 3))
    else:
        inside = functional.linear(inside.flatten(1), network.head.weight, network.head.bias)
        inside = torch.relu_(inside)
    return functional.linear(inside, network.value.weight, network.value.bias).squeeze(1)


# --- as a file -----------------------------------------------------------------------------------


def add_convolution(graph: Graph, given: str, layer: Layer) -> str:
    """Write a convolution as a node of ONNX."""
    return graph.convolution(given, layer.weight, layer.bias, layer.padding, layer.stride)


def add_block(graph: Graph, given: str, block: FoldedBlock) -> str:
    """Write a residual block as nodes of ONNX."""
    inside = graph.relu(add_convolution(graph, given, block.first))
    inside = add_convolution(graph, inside, block.second)
    past = given if block.shortcut is None else add_convolution(graph, given, block.shortcut)
    return graph.relu(graph.node("Add", [inside, past]))


def folded_graph(network: FoldedNetwork, half: bool = True) -> Graph:
    """Write the whole network as nodes of ONNX."""
    graph = Graph(half)
    inside = graph.relu(add_convolution(graph, "planes", network.stem))
    if network.pooled:
        inside = graph.node(
            "MaxPool",
            [inside],
            kernel_shape=[POOL] * 2,
            strides=[POOL_STRIDE] * 2,
            pads=[POOL_PADDING] * 4,
        )
    for block in network.blocks:
        inside = add_block(graph, inside, block)
    if network.head is None:
        inside = graph.board_mean(inside)
    else:
        flat = graph.node("Flatten", [inside])
        inside = graph.relu(graph.linear(flat, network.head.weight, network.head.bias))
    graph.flat(graph.linear(inside, network.value.weight, network.value.bias), "values")
    return graph
