"""The two networks of the 2015 paper on Stratego, and their way into ONNX files.

Both are chains of 3x3 convolutions with ReLU and two linear layers, on the six planes of the paper.
In the network of values the convolutions are not padded, so each loses the edge of its board; what
the edge squares hold has by then gone into those beside them, and the network is several times
cheaper. In the network of moves the linear layers are the same for every square: from what the
convolutions say of a square they make numbers for all ways that a piece could go from there. That
is learned from far fewer examples than a layer with weights of its own for every pair of squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.errors import SandtableError
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.classic_board import weights_file
from sandtable.games.stratego.agents.square_codes import (
    CODE_PLANES,
    CODES,
    MOVES,
    PLANE_SHAPE,
    write_planes,
)
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.graphs import Graph, checked_difference, onnx_library

__all__ = [
    "BoardNetwork",
    "MoveNetwork",
    "ValueNetwork",
    "export_network",
    "new_network",
    "planes_of",
    "read_network",
]

FILTERS = 32
VALUE_PADDING = (0, 0, 0, 0, 1)  # of the five convolutions: boards of 8, 6, 4, 2 and 2
VALUE_SIDE = 2
VALUE_HIDDEN = 64
MOVE_CONVOLUTIONS = 3
MOVE_HIDDEN = 64
SMALLEST_BATCH, LARGEST_BATCH = 64, 8192  # of boards that are valued together on a GPU
DIRECTIONS, FARTHEST = 4, layout.SIDE - 1
WAYS = DIRECTIONS * FARTHEST  # from a square, in the order of directions, then of distances


def ways_of_moves() -> NDArray[np.int64]:
    """Build the table of moves: the number of the way from the square that each one leaves."""
    table = np.zeros(MOVES, dtype=np.int64)
    for action, (start, end) in enumerate(layout.ENDS[0].tolist()):
        rows, columns = (
            end // layout.SIDE - start // layout.SIDE,
            end % layout.SIDE - start % layout.SIDE,
        )
        direction = (
            (layout.LEFT if columns < 0 else layout.RIGHT)
            if columns
            else (layout.UP if rows < 0 else layout.DOWN)
        )
        distance = abs(rows) + abs(columns)
        table[action] = start * WAYS + direction * FARTHEST + distance - 1
    return table


WAY_OF_MOVE = ways_of_moves()  # [move], square * WAYS + way


def convolutions(paddings: tuple[int, ...]) -> nn.ModuleList:
    """Return a chain of 3x3 convolutions."""
    before, layers = PLANE_SHAPE[0], []
    for padding in paddings:
        layers.append(nn.Conv2d(before, FILTERS, 3, padding=padding))
        before = FILTERS
    return nn.ModuleList(layers)


def begin_small(network: nn.Module) -> None:
    """Draw the first weights so that numbers keep their size through layers with ReLU."""
    for layer in network.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)


class ValueNetwork(nn.Module):
    """Planes [board, 6, 10, 10] to the value of each board."""

    output: dict[str, tuple[int, ...]] = {"values": ()}  # noqa: RUF012 - never changed

    def __init__(self) -> None:
        super().__init__()
        self.convolutions = convolutions(VALUE_PADDING)
        self.hidden = nn.Linear(FILTERS * VALUE_SIDE * VALUE_SIDE, VALUE_HIDDEN)
        self.last = nn.Linear(VALUE_HIDDEN, 1)
        begin_small(self)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the values [board]."""
        inside = planes
        for layer in self.convolutions:
            inside = torch.relu(layer(inside))
        values: Tensor = self.last(torch.relu(self.hidden(inside.flatten(1)))).squeeze(1)
        return values

    def write(self, graph: Graph) -> None:
        """Write the network as nodes of ONNX."""
        inside = graph.node("Flatten", [write_convolutions(graph, self.convolutions)])
        inside = graph.relu(graph.linear(inside, self.hidden.weight, self.hidden.bias))
        graph.flat(graph.linear(inside, self.last.weight, self.last.bias), "values")


class MoveNetwork(nn.Module):
    """Planes [board, 6, 10, 10] to one number for each move: the logits of a softmax."""

    output: dict[str, tuple[int, ...]] = {"logits": (MOVES,)}  # noqa: RUF012 - never changed
    ways: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.convolutions = convolutions((1,) * MOVE_CONVOLUTIONS)
        self.hidden = nn.Conv2d(FILTERS, MOVE_HIDDEN, 1)  # a linear layer, the same for all squares
        self.last = nn.Conv2d(MOVE_HIDDEN, WAYS, 1)
        self.register_buffer("ways", torch.from_numpy(WAY_OF_MOVE), persistent=False)
        begin_small(self)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the logits [board, move]."""
        inside = planes
        for layer in self.convolutions:
            inside = torch.relu(layer(inside))
        numbers = self.last(torch.relu(self.hidden(inside)))  # [board, way, row, column]
        logits: Tensor = numbers.permute(0, 2, 3, 1).flatten(1).index_select(1, self.ways)
        return logits

    def write(self, graph: Graph) -> None:
        """Write the network as nodes of ONNX."""
        inside = write_convolutions(graph, self.convolutions)
        for layer in (self.hidden, self.last):
            assert layer.bias is not None
            inside = graph.relu(inside) if layer is self.last else inside
            inside = graph.convolution(inside, layer.weight, layer.bias)
        inside = graph.node("Transpose", [inside], perm=[0, 2, 3, 1])
        inside = graph.node("Flatten", [inside])
        graph.node("Gather", [inside, graph.integers(WAY_OF_MOVE)], name="logits", axis=1)


BoardNetwork: TypeAlias = ValueNetwork | MoveNetwork
NETWORKS: dict[str, type[ValueNetwork] | type[MoveNetwork]] = {
    "policy": MoveNetwork,
    "value": ValueNetwork,
}


def new_network(kind: str, seed: int) -> BoardNetwork:
    """Return a network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return NETWORKS[kind]()


def weights_in(path: Path) -> Iterator[NDArray[Any]]:
    """Read the weights of an ONNX file in their order."""
    onnx = onnx_library("training against bundled networks")
    for stored in onnx.load(str(path)).graph.initializer:
        yield onnx.numpy_helper.to_array(stored)


def read_network(kind: str, weights: str) -> BoardNetwork:
    """Return the network of this kind out of an ONNX file, or out of a bundled one by its name."""
    path = weights_file(weights, kind)
    network = new_network(kind, 0)
    for parameter, stored in zip(network.parameters(), weights_in(path), strict=False):
        if tuple(parameter.shape) != stored.shape:
            raise SandtableError(f"{path} holds no network of stratego/{kind}")
        parameter.data.copy_(torch.from_numpy(stored.astype(np.float32)))
    return network


def planes_of(codes: Tensor, table: Tensor) -> Tensor:
    """Turn codes [board, 100] into planes; the table is CODE_PLANES on the same device."""
    return table[codes.long()].transpose(1, 2).reshape(-1, *PLANE_SHAPE)


def padded_size(boards: int) -> int:
    """Return how many boards go into a batch with so many: a power of two, or many of LARGEST."""
    if boards > LARGEST_BATCH:
        return -(-boards // LARGEST_BATCH) * LARGEST_BATCH
    return 1 << max(boards - 1, SMALLEST_BATCH - 1).bit_length()


def answers(network: BoardNetwork, codes: NDArray[np.uint8], table: Tensor) -> Tensor:
    """Return what a network says of boards [n, 100]; the table is CODE_PLANES on its device.

    A GPU prepares convolutions for every size of a batch that it has not seen, which takes longer
    than the boards of a small one, so there it sees few sizes.
    """
    count = len(codes)
    if table.is_cuda:
        codes = np.concatenate(
            [codes, np.zeros((padded_size(count) - count, layout.SQUARES), np.uint8)]
        )
    with torch.no_grad():
        outputs: Tensor = network(planes_of(torch.from_numpy(codes).to(table.device), table))
    return outputs[:count]


def write_convolutions(graph: Graph, layers: nn.ModuleList) -> str:
    """Write a chain of convolutions with ReLU as nodes of ONNX."""
    inside = "planes"
    for layer in layers:
        assert isinstance(layer, nn.Conv2d)
        assert layer.bias is not None
        padding = int(layer.padding[0])
        inside = graph.relu(graph.convolution(inside, layer.weight, layer.bias, padding))
    return inside


def export_network(network: BoardNetwork, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it on random boards."""
    graph = Graph()
    network.write(graph)
    shapes = {name: list(shape) for name, shape in network.output.items()}
    make_folder(path.parent)
    write_whole(path, graph.file({"planes": list(PLANE_SHAPE)}, shapes, notes))
    codes = np.random.default_rng(0).integers(0, CODES, (256, layout.SQUARES)).astype(np.uint8)
    planes = np.empty((len(codes), *PLANE_SHAPE), dtype=np.float32)
    write_planes(codes, len(codes), planes)
    with torch.no_grad():
        device = next(network.parameters()).device
        expected = network(torch.from_numpy(planes).to(device)).cpu().numpy()
    answers = OnnxNetwork(path, PLANE_SHAPE, network.output, "Stratego").run(planes)[0]
    return checked_difference(path, answers, expected)


def code_table(device: torch.device) -> Tensor:
    """Return what planes_of takes."""
    return torch.from_numpy(CODE_PLANES).to(device)
