"""The networks that can be chosen, how they play, and their files.

Beside the two residual networks stand two of other kinds, for the question whether the kind matters
(the thesis leaves other architectures to later work): a small transformer, to which every square is
a word, and a plain perceptron, which knows nothing of neighbours.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sandtable.errors import SandtableError
from sandtable.games.skirmish.agents.dsl.agent import OnnxValues
from sandtable.games.skirmish.learning.dsl import residual
from sandtable.games.skirmish.learning.dsl.residual import PLANES, ResidualNetwork
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.graphs import Graph, checked_difference, onnx_library

__all__ = [
    "NETWORKS",
    "Perceptron",
    "PlayingForm",
    "Transformer",
    "export_onnx",
    "fill_from_file",
    "new_network",
    "parameter_count",
    "playing_form",
    "random_planes",
]

SIDE = 8
SQUARES = SIDE * SIDE
LARGEST_DIFFERENCE = 0.01  # between the file and the network, as a share of the largest value

HIDDEN = 512  # inner values of a layer of the perceptron
WIDTH, HEADS, LAYERS, INNER = 64, 4, 2, 256  # of the transformer: as dear as the residual one
SHARPNESS = math.sqrt(WIDTH // HEADS)


class Perceptron(nn.Module):
    """Three fully connected layers and the value; no square is nearer to one than to another."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (PLANES * SQUARES, HIDDEN, HIDDEN, HIDDEN // 2)
        self.layers = nn.ModuleList(
            nn.Linear(before, after) for before, after in itertools.pairwise(sizes)
        )
        self.value = nn.Linear(sizes[-1], 1)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        inside = planes.flatten(1)
        for layer in self.layers:
            inside = torch.relu(layer(inside))
        values: Tensor = self.value(inside).squeeze(1)
        return values

    def graph(self, half: bool = True) -> Graph:
        """Write the network as nodes of ONNX."""
        graph = Graph(half)
        inside = graph.node("Flatten", ["planes"])
        for layer in self.layers:
            assert isinstance(layer, nn.Linear)
            inside = graph.relu(graph.linear(inside, layer.weight, layer.bias))
        graph.flat(graph.linear(inside, self.value.weight, self.value.bias), "values")
        return graph


class Attention(nn.Module):
    """A layer of the transformer: squares look at squares, then each thinks by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.asked, self.offered = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.told, self.joined = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, given: Tensor) -> Tensor:
        """Return what the layer makes of squares [position, square, width]."""
        calm = self.norm_1(given)
        asked, offered, told = (
            layer(calm).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for layer in (self.asked, self.offered, self.told)
        )
        weights = functional.softmax(asked @ offered.transpose(2, 3) / SHARPNESS, dim=3)
        given = given + self.joined((weights @ told).transpose(1, 2).flatten(2))
        added: Tensor = self.outer(torch.relu(self.inner(self.norm_2(given))))
        return given + added


class Transformer(nn.Module):
    """Squares as words: what stands there and where it is, two layers of attention, the mean."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = nn.Linear(PLANES, WIDTH)
        self.places = nn.Parameter(0.02 * torch.randn(SQUARES, WIDTH))
        self.layers = nn.ModuleList(Attention() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.value = nn.Linear(WIDTH, 1)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        inside = self.seen(planes.flatten(2).transpose(1, 2)) + self.places
        for layer in self.layers:
            inside = layer(inside)
        values: Tensor = self.value(self.norm(inside).mean(1)).squeeze(1)
        return values

    def graph(self, half: bool = True) -> Graph:
        """Write the network as nodes of ONNX."""
        graph = Graph(half)
        shaped = graph.node("Reshape", ["planes", graph.integers(np.array([0, PLANES, SQUARES]))])
        words = graph.node("Transpose", [shaped], perm=[0, 2, 1])
        inside = graph.node("Add", [add_linear(graph, words, self.seen), graph.weight(self.places)])
        for layer in self.layers:
            assert isinstance(layer, Attention)
            inside = add_attention(graph, inside, layer)
        inside = graph.node(
            "ReduceMean", [add_norm(graph, inside, self.norm)], axes=[1], keepdims=0
        )
        graph.flat(graph.linear(inside, self.value.weight, self.value.bias), "values")
        return graph


def add_linear(graph: Graph, given: str, layer: nn.Linear) -> str:
    """Write a fully connected layer for each square as nodes of ONNX."""
    product = graph.node("MatMul", [given, graph.weight(layer.weight.T.contiguous())])
    return graph.node("Add", [product, graph.weight(layer.bias)])


def add_norm(graph: Graph, given: str, norm: nn.LayerNorm) -> str:
    """Write a layer norm as a node of ONNX."""
    inputs = [given, graph.weight(norm.weight), graph.weight(norm.bias)]
    return graph.node("LayerNormalization", inputs, axis=-1, epsilon=norm.eps)


def add_attention(graph: Graph, given: str, layer: Attention) -> str:
    """Write a layer of the transformer as nodes of ONNX."""
    calm = add_norm(graph, given, layer.norm_1)
    split = graph.integers(np.array([0, SQUARES, HEADS, WIDTH // HEADS]))

    def by_head(part: nn.Linear, order: list[int]) -> str:
        shaped = graph.node("Reshape", [add_linear(graph, calm, part), split])
        return graph.node("Transpose", [shaped], perm=order)

    asked, told = by_head(layer.asked, [0, 2, 1, 3]), by_head(layer.told, [0, 2, 1, 3])
    product = graph.node("MatMul", [asked, by_head(layer.offered, [0, 2, 3, 1])])
    scaled = graph.node("Mul", [product, graph.weight(torch.tensor(1 / SHARPNESS))])
    heard = graph.node("MatMul", [graph.node("Softmax", [scaled], axis=-1), told])
    heard = graph.node("Transpose", [heard], perm=[0, 2, 1, 3])
    heard = graph.node("Reshape", [heard, graph.integers(np.array([0, SQUARES, WIDTH]))])
    given = graph.node("Add", [given, add_linear(graph, heard, layer.joined)])
    inner = add_linear(graph, add_norm(graph, given, layer.norm_2), layer.inner)
    return graph.node("Add", [given, add_linear(graph, graph.relu(inner), layer.outer)])


# --- any of them ---------------------------------------------------------------------------------

NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "quarters": ResidualNetwork,
    "author": lambda: ResidualNetwork(residual.AUTHOR),
    "transformer": Transformer,
    "perceptron": Perceptron,
}


def new_network(seed: int, kind: str = "quarters") -> nn.Module:
    """Return a network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return NETWORKS[kind]()


def parameter_count(network: nn.Module) -> int:
    """Return how many numbers are learned.

    >>> parameter_count(new_network(0, "author"))
    585153
    """
    return sum(parameter.numel() for parameter in network.parameters())


class PlayingForm(Protocol):
    """A network as it plays, in tensors that stay where they are."""

    def refresh(self, network: nn.Module) -> None:
        """Take over the present weights of the network."""
        ...

    def values(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        ...

    def tensors(self) -> list[Tensor]:
        """Return all weights."""
        ...


class FoldedForm:
    """A residual network with its batch norms folded in."""

    def __init__(self, network: ResidualNetwork) -> None:
        with torch.no_grad():
            self.network = residual.folded(network)

    def refresh(self, network: nn.Module) -> None:
        """Take over the present weights, in place, since recordings know the old places."""
        assert isinstance(network, ResidualNetwork)
        with torch.no_grad():
            fresh = residual.folded_tensors(residual.folded(network))
            for old, new in zip(self.tensors(), fresh, strict=True):
                old.copy_(new)

    def values(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        return residual.folded_values(self.network, planes)

    def tensors(self) -> list[Tensor]:
        """Return all weights."""
        return residual.folded_tensors(self.network)


class CopiedForm:
    """A network that has nothing to fold: a copy in evaluation mode."""

    def __init__(self, network: nn.Module) -> None:
        self.network = copy.deepcopy(network).eval()

    def refresh(self, network: nn.Module) -> None:
        """Take over the present weights, in place."""
        self.network.load_state_dict(network.state_dict())

    def values(self, planes: Tensor) -> Tensor:
        """Return the value of each position [position]."""
        values: Tensor = self.network(planes)
        return values

    def tensors(self) -> list[Tensor]:
        """Return all weights."""
        return [parameter.data for parameter in self.network.parameters()]


def playing_form(network: nn.Module) -> PlayingForm:
    """Return a network as it plays."""
    return FoldedForm(network) if isinstance(network, ResidualNetwork) else CopiedForm(network)


def export_onnx(network: nn.Module, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it on random boards.

    Weights have 16 bits, unless that is too far: values that have grown without bound need 32.
    """
    make_folder(path.parent)
    planes = random_planes(256)
    network.eval()
    with torch.no_grad():
        device = next(network.parameters()).device
        expected = network(torch.from_numpy(planes).to(device)).cpu().numpy()
    for half in (True, False):
        graph = graph_of(network, half)
        write_whole(path, graph.file({"planes": [PLANES, SIDE, SIDE]}, {"values": []}, notes))
        try:
            found = OnnxValues(path)(planes)
            return checked_difference(path, found, expected, LARGEST_DIFFERENCE)
        except SandtableError:
            if not half:
                raise
    raise AssertionError  # one of the two has returned or raised


def graph_of(network: nn.Module, half: bool) -> Graph:
    """Write any of the networks as nodes of ONNX."""
    if isinstance(network, ResidualNetwork):
        return residual.folded_graph(residual.folded(network), half)
    assert isinstance(network, (Transformer, Perceptron))
    return network.graph(half)


def fill_from_file(form: PlayingForm, path: Path) -> None:
    """Give a residual network as it plays the weights of a file written from such a one."""
    onnx = onnx_library("reading weights")
    stored = [onnx.numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer]
    weights = [each for each in stored if each.dtype != np.int64]  # those are shapes
    with torch.no_grad():
        for tensor, weight in zip(form.tensors(), weights, strict=True):
            tensor.copy_(torch.from_numpy(weight.astype(np.float32)))


def random_planes(count: int) -> NDArray[np.float32]:
    """Return boards with random land, units and ages."""
    random = np.random.default_rng(0)
    planes = np.zeros((count, PLANES, SIDE, SIDE), dtype=np.float32)
    planes[:, 0] = random.random((count, SIDE, SIDE)) < 0.8
    unit = random.integers(0, 16, (count, SIDE, SIDE))  # 1 to 4: a unit of that kind; above: none
    sign = np.where(random.random((count, SIDE, SIDE)) < 0.5, 1.0, -1.0)
    for kind in range(1, 5):
        planes[:, kind] = (unit == kind) * sign
    here = (unit >= 1) & (unit <= 4)
    planes[:, 5] = here * sign * random.integers(1, 80, (count, SIDE, SIDE)) / 80.0
    return planes
