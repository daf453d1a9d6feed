"""The two networks of the 2015 paper on Stratego, and their way into ONNX files.

Both are chains of convolutions with ReLU and two linear layers, on the six planes of the paper. A
``NetworkShape`` says of what size; the paper's has padded boards, linear layers over all squares.

Ours differ in two ways. In the network of values the convolutions are not padded, so each loses the
edge of its board; what the edge squares hold has by then gone into those beside them, and the
network is several times cheaper. In the network of moves the linear layers are the same for every
square: from what the convolutions say of a square they make numbers for all ways that a piece could
go from there. That is learned from far fewer examples than a layer with weights of its own for
every pair of squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
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
    PLANES,
    moves_of_board,
    write_planes,
)
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.graphs import Graph, checked_difference, onnx_library

__all__ = [
    "ALL_CHANNELS",
    "BoardNetwork",
    "MoveNetwork",
    "NetworkShape",
    "ValueNetwork",
    "export_network",
    "new_network",
    "planes_of",
    "read_network",
]

ALL_CHANNELS = "123456"
SHARED, FULL = "shared", "full"  # linear layers of the network of moves
SMALLEST_SIDE = 2  # of a board that convolutions without padding leave
SMALLEST_BATCH, LARGEST_BATCH = 64, 8192  # of boards that are valued together on a GPU
DIRECTIONS = 4


@dataclass(frozen=True)
class NetworkShape:
    """What a network is made of.

    >>> NetworkShape(layers=5).paddings(), NetworkShape(layers=2, padded=True).paddings()
    ((0, 0, 0, 0, 1), (1, 1))
    """

    side: int = layout.SIDE
    layers: int = 5
    filters: int = 32
    filter_size: int = 3
    hidden: int = 64
    padded: bool = False  # boards keep their size
    head: str = SHARED
    channels: str = ALL_CHANNELS  # the planes it sees, numbered as in the paper

    def paddings(self) -> tuple[int, ...]:
        """Return the padding of every convolution; a board that is small already is kept."""
        lost, side, found = self.filter_size - 1, self.side, []
        for _ in range(self.layers):
            kept = self.padded or side - lost < SMALLEST_SIDE
            found.append(lost // 2 if kept else 0)
            side -= 0 if kept else lost
        return tuple(found)

    @property
    def last_side(self) -> int:
        """The side of the board after all convolutions."""
        lost = self.filter_size - 1
        return self.side - sum(lost - 2 * padding for padding in self.paddings())


USUAL_SHAPES = {"policy": NetworkShape(layers=3, padded=True), "value": NetworkShape()}


def ways_of_moves(side: int) -> NDArray[np.int64]:
    """Build the table of moves: the number of the way from the square that each one leaves."""
    farthest, board = side - 1, 0 if side == layout.SIDE else 1
    ways = DIRECTIONS * farthest  # from a square, in the order of directions, then of distances
    table = np.zeros(moves_of_board(side), dtype=np.int64)
    for action, (start, end) in enumerate(layout.ENDS[board, : len(table)].tolist()):
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
        place = start // layout.SIDE * side + start % layout.SIDE
        table[action] = place * ways + direction * farthest + distance - 1
    return table


WAYS = DIRECTIONS * (layout.SIDE - 1)
WAY_OF_MOVE = ways_of_moves(layout.SIDE)  # [move], square * WAYS + way, on the large board


def convolutions(shape: NetworkShape) -> nn.ModuleList:
    """Return a chain of convolutions."""
    before, layers = PLANES, []
    for padding in shape.paddings():
        layers.append(nn.Conv2d(before, shape.filters, shape.filter_size, padding=padding))
        before = shape.filters
    return nn.ModuleList(layers)


def seen_planes(shape: NetworkShape) -> Tensor:
    """Return 1 for every plane that a network of this shape sees, 0 for the others."""
    return torch.tensor([float(str(1 + plane) in shape.channels) for plane in range(PLANES)])


def begin_small(network: nn.Module) -> None:
    """Draw the first weights so that numbers keep their size through layers with ReLU."""
    for layer in network.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            assert layer.bias is not None
            nn.init.zeros_(layer.bias)


class ConvolutionChain(nn.Module):
    """What both networks begin with: the planes they see, and convolutions over them."""

    seen: Tensor

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        self.convolutions = convolutions(shape)
        self.register_buffer("seen", seen_planes(shape), persistent=False)

    def after_convolutions(self, planes: Tensor) -> Tensor:
        """Return the filters' answers [board, filter, row, column]."""
        inside = planes * self.seen[:, None, None]
        for layer in self.convolutions:
            inside = torch.relu(layer(inside))
        return inside

    def write_convolutions(self, graph: Graph) -> str:
        """Write the convolutions as nodes of ONNX; planes not seen have weights of 0."""
        inside = "planes"
        for number, layer in enumerate(self.convolutions):
            assert isinstance(layer, nn.Conv2d)
            assert layer.bias is not None
            weight = layer.weight * self.seen[:, None, None] if number == 0 else layer.weight
            padding = int(layer.padding[0])
            inside = graph.relu(graph.convolution(inside, weight, layer.bias, padding))
        return inside


class ValueNetwork(ConvolutionChain):
    """Planes [board, 6, 10, 10] to the value of each board."""

    def __init__(self, shape: NetworkShape = USUAL_SHAPES["value"]) -> None:
        super().__init__(shape)
        self.output: dict[str, tuple[int, ...]] = {"values": ()}
        self.hidden = nn.Linear(shape.filters * shape.last_side**2, shape.hidden)
        self.last = nn.Linear(shape.hidden, 1)
        begin_small(self)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the values [board]."""
        inside = self.after_convolutions(planes)
        values: Tensor = self.last(torch.relu(self.hidden(inside.flatten(1)))).squeeze(1)
        return values

    def write(self, graph: Graph) -> None:
        """Write the network as nodes of ONNX."""
        inside = graph.node("Flatten", [self.write_convolutions(graph)])
        inside = graph.relu(graph.linear(inside, self.hidden.weight, self.hidden.bias))
        graph.flat(graph.linear(inside, self.last.weight, self.last.bias), "values")


class MoveNetwork(ConvolutionChain):
    """Planes [board, 6, 10, 10] to one number for each move: the logits of a softmax.

    The linear layers are the same for every square (``shared``) or over all of them (``full``).
    """

    ways: Tensor
    hidden: nn.Conv2d | nn.Linear
    last: nn.Conv2d | nn.Linear

    def __init__(self, shape: NetworkShape = USUAL_SHAPES["policy"]) -> None:
        super().__init__(shape)
        moves = moves_of_board(shape.side)
        self.output: dict[str, tuple[int, ...]] = {"logits": (moves,)}
        if shape.head == FULL:
            self.hidden = nn.Linear(shape.filters * shape.last_side**2, shape.hidden)
            self.last = nn.Linear(shape.hidden, moves)
        else:
            self.hidden = nn.Conv2d(shape.filters, shape.hidden, 1)
            self.last = nn.Conv2d(shape.hidden, DIRECTIONS * (shape.side - 1), 1)
        ways = torch.from_numpy(ways_of_moves(shape.side))
        self.register_buffer("ways", ways, persistent=False)
        begin_small(self)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the logits [board, move]."""
        inside = self.after_convolutions(planes)
        if self.shape.head == FULL:
            over_all: Tensor = self.last(torch.relu(self.hidden(inside.flatten(1))))
            return over_all
        numbers = self.last(torch.relu(self.hidden(inside)))  # [board, way, row, column]
        logits: Tensor = numbers.permute(0, 2, 3, 1).flatten(1).index_select(1, self.ways)
        return logits

    def write(self, graph: Graph) -> None:
        """Write the network as nodes of ONNX."""
        inside = self.write_convolutions(graph)
        if self.shape.head == FULL:
            assert self.hidden.bias is not None
            assert self.last.bias is not None
            inside = graph.node("Flatten", [inside])
            inside = graph.relu(graph.linear(inside, self.hidden.weight, self.hidden.bias))
            inside = graph.linear(inside, self.last.weight, self.last.bias)
            graph.node("Identity", [inside], name="logits")
            return
        for layer in (self.hidden, self.last):
            assert layer.bias is not None
            inside = graph.relu(inside) if layer is self.last else inside
            inside = graph.convolution(inside, layer.weight, layer.bias)
        inside = graph.node("Transpose", [inside], perm=[0, 2, 3, 1])
        inside = graph.node("Flatten", [inside])
        ways = graph.integers(ways_of_moves(self.shape.side))
        graph.node("Gather", [inside, ways], name="logits", axis=1)


BoardNetwork: TypeAlias = ValueNetwork | MoveNetwork
NETWORKS: dict[str, type[ValueNetwork] | type[MoveNetwork]] = {
    "policy": MoveNetwork,
    "value": ValueNetwork,
}


def new_network(kind: str, seed: int, shape: NetworkShape | None = None) -> BoardNetwork:
    """Return a network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return NETWORKS[kind](shape or USUAL_SHAPES[kind])


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
    side = math.isqrt(codes.shape[1])
    return table[codes.long()].transpose(1, 2).reshape(-1, PLANES, side, side)


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
            [codes, np.zeros((padded_size(count) - count, codes.shape[1]), np.uint8)]
        )
    with torch.no_grad():
        outputs: Tensor = network(planes_of(torch.from_numpy(codes).to(table.device), table))
    return outputs[:count]


def export_network(network: BoardNetwork, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it on random boards."""
    graph = Graph()
    network.write(graph)
    shapes = {name: list(shape) for name, shape in network.output.items()}
    make_folder(path.parent)
    board = (PLANES, network.shape.side, network.shape.side)
    write_whole(path, graph.file({"planes": list(board)}, shapes, notes))
    drawn = np.random.default_rng(0).integers(0, CODES, (256, board[1] * board[2]))
    codes = drawn.astype(np.uint8)
    planes = np.empty((len(codes), *board), dtype=np.float32)
    write_planes(codes, len(codes), planes)
    with torch.no_grad():
        device = next(network.parameters()).device
        expected = network(torch.from_numpy(planes).to(device)).cpu().numpy()
    answers = OnnxNetwork(path, board, network.output, "Stratego").run(planes)[0]
    return checked_difference(path, answers, expected)


def code_table(device: torch.device) -> Tensor:
    """Return what planes_of takes."""
    return torch.from_numpy(CODE_PLANES).to(device)
