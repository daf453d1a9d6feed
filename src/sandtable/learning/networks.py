"""The value network of Deep-State Learning, and its way into an ONNX file.

A ResNet18 for a board of 8 by 8: a stem and four stages of two residual blocks, with at most 64
channels. The thesis tells no more than that and the six input planes; its 585,000 parameters are
reached with a head that keeps the four quarters of the board apart (see the table in
docs/methods/deep-state-learning.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sandtable.agents.skirmish.dsl_weights import NO_DIGEST, OnnxValues, sealed
from sandtable.errors import MissingExtra, SandtableError
from sandtable.learning.checkpoints import make_folder, write_whole

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
OPSET = 17
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


class GraphWriter:
    """Writes a folded network as ONNX nodes.

    Weights are stored as 16-bit floats, which halves the file; onnxruntime turns them back into
    32-bit ones once, when it loads the file.
    """

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def node(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weight(self, values: Tensor) -> str:
        """Add weights and return the name under which they come as 32-bit floats."""
        name = f"weights_{len(self.weights)}"
        stored = values.cpu().numpy().astype(np.float16)
        self.weights.append(self.onnx.numpy_helper.from_array(stored, name))
        return self.node("Cast", [name], to=self.onnx.TensorProto.FLOAT)

    def convolution(self, given: str, layer: Layer) -> str:
        """Add a convolution."""
        inputs = [given, self.weight(layer.weight), self.weight(layer.bias)]
        pads, strides = [layer.padding] * 4, [layer.stride] * 2
        return self.node("Conv", inputs, pads=pads, strides=strides)

    def linear(self, given: str, layer: Layer) -> str:
        """Add a fully connected layer."""
        inputs = [given, self.weight(layer.weight), self.weight(layer.bias)]
        return self.node("Gemm", inputs, transB=1)

    def block(self, given: str, block: FoldedBlock) -> str:
        """Add a residual block."""
        inside = self.node("Relu", [self.convolution(given, block.first)])
        inside = self.convolution(inside, block.second)
        past = given if block.shortcut is None else self.convolution(given, block.shortcut)
        return self.node("Relu", [self.node("Add", [inside, past])])

    def model(self, network: FoldedNetwork, notes: dict[str, str]) -> Any:
        """Return the whole network as a model, with notes on where it comes from."""
        helper, float32 = self.onnx.helper, self.onnx.TensorProto.FLOAT
        inside = self.node("Relu", [self.convolution("planes", network.stem)])
        for block in network.blocks:
            inside = self.block(inside, block)
        inside = self.node("Relu", [self.linear(self.node("Flatten", [inside]), network.head)])
        column = self.linear(inside, network.value)
        self.weights.append(self.onnx.numpy_helper.from_array(np.array([-1]), "flat"))
        self.nodes.append(helper.make_node("Reshape", [column, "flat"], ["values"]))
        planes = helper.make_tensor_value_info("planes", float32, ["position", PLANES, 8, 8])
        values = helper.make_tensor_value_info("values", float32, ["position"])
        graph = helper.make_graph(self.nodes, "value", [planes], [values], self.weights)
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=8)
        helper.set_model_props(model, notes)
        self.onnx.checker.check_model(model)
        return model


def export_onnx(network: ValueNetwork, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it on random boards."""
    try:
        import onnx
    except ImportError as problem:
        raise MissingExtra("exporting weights", "learn") from problem
    model = GraphWriter(onnx).model(folded(network), notes | {"digest": NO_DIGEST})
    make_folder(path.parent)
    write_whole(path, sealed(model.SerializeToString()))
    planes = random_planes(256)
    network.eval()
    with torch.no_grad():
        device = next(network.parameters()).device
        expected = network(torch.from_numpy(planes).to(device)).cpu().numpy()
    difference = float(abs(OnnxValues(path)(planes) - expected).max() / abs(expected).max())
    if not difference <= LARGEST_DIFFERENCE:
        raise SandtableError(f"{path} differs from the network by {difference:.1%}")
    return difference


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
