"""Networks for any game, built from its shapes: what a seat sees -> actions and results.

All kinds have the same outputs: a number for each action, as the seat sees the board, and one for
each seat from the mover on: how well it will do, before it is squeezed between 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import write_whole
from sandtable.learning.graphs import Graph, checked_difference
from sandtable.types import Game

__all__ = [
    "KINDS",
    "Answers",
    "GameNetwork",
    "answering",
    "check_width",
    "export_network",
    "new_network",
    "usual_kind",
]

Answers = Callable[[NDArray[np.float32]], Sequence[NDArray[np.float32]]]  # planes -> policy, value

KINDS = ("auto", "perceptron", "convolution", "attention")
USUAL_WIDTHS = {"perceptron": 128, "convolution": 32, "attention": 32}
SMALL_BOARD = 36  # squares; below, a convolution has little to look at
POLICY_CHANNELS = 8  # of every square, that policy and values look at
HIDDEN = 64  # between those and the values
HEADS = 4
TRIED = 8  # positions on which a file is compared with its network


def usual_kind(game: Game) -> str:
    """Return the kind of network that suits the board of a game.

    >>> from sandtable.registry import make_game
    >>> usual_kind(make_game("lucid")), usual_kind(make_game("skirmish"))
    ('perceptron', 'convolution')
    """
    _, height, width = game.plane_shape
    return (
        "convolution" if min(height, width) >= 5 and height * width >= SMALL_BOARD else "perceptron"
    )


def check_width(kind: str, width: int) -> None:
    """Refuse a width that a kind of network cannot have; 0 is the usual one.

    >>> check_width("attention", 30)
    Traceback (most recent call last):
    ...
    sandtable.errors.SandtableError: --width of --network attention is a multiple of 4, got 30
    """
    if kind == "attention" and width % HEADS:
        raise SandtableError(f"--width of --network {kind} is a multiple of {HEADS}, got {width}")


class LinearBlock(nn.Module):
    """Two layers beside which the input goes on."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        nn.init.zeros_(self.second.weight)

    def forward(self, given: Tensor) -> Tensor:
        """Return the input with what the layers add."""
        made: Tensor = self.second(torch.relu(self.first(torch.relu(given))))
        return given + made

    def write(self, graph: Graph, given: str) -> str:
        """Add the block to a graph."""
        made = graph.linear(graph.relu(given), self.first.weight, self.first.bias)
        made = graph.linear(graph.relu(made), self.second.weight, self.second.bias)
        return graph.node("Add", [given, made])


class ConvolutionBlock(nn.Module):
    """Two convolutions beside which the input goes on."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)
        nn.init.zeros_(self.second.weight)

    def forward(self, given: Tensor) -> Tensor:
        """Return the input with what the convolutions add."""
        made: Tensor = self.second(torch.relu(self.first(torch.relu(given))))
        return given + made

    def write(self, graph: Graph, given: str) -> str:
        """Add the block to a graph."""
        made = graph.convolution(graph.relu(given), self.first.weight, bias_of(self.first), 1)
        made = graph.convolution(graph.relu(made), self.second.weight, bias_of(self.second), 1)
        return graph.node("Add", [given, made])


class AttentionBlock(nn.Module):
    """Squares that look at each other, then two layers for each; the input goes on beside both."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.asked, self.mixed = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.first, self.second = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        nn.init.zeros_(self.mixed.weight)
        nn.init.zeros_(self.second.weight)

    def forward(self, given: Tensor) -> Tensor:
        """Return the squares [n, square, width] with what they saw."""
        rows, squares, width = given.shape
        parts = self.asked(torch.relu(given)).view(rows, squares, 3, HEADS, width // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        weights = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(width // HEADS), dim=3)
        seen = (weights @ value).permute(0, 2, 1, 3).reshape(rows, squares, width)
        given = given + self.mixed(seen)
        made: Tensor = self.second(torch.relu(self.first(torch.relu(given))))
        return given + made

    def write(self, graph: Graph, given: str) -> str:
        """Add the block to a graph."""
        part = self.width // HEADS
        asked = dense(graph, graph.relu(given), self.asked)
        shape = graph.integers(np.array([0, -1, 3, HEADS, part]))
        split = graph.node("Reshape", [asked, shape])
        turned = graph.node("Transpose", [split], perm=[2, 0, 3, 1, 4])
        query, key, value = (
            graph.node("Gather", [turned, graph.integers(np.array(index))], axis=0)
            for index in range(3)
        )
        across = graph.node("Transpose", [key], perm=[0, 1, 3, 2])
        scale = graph.weight(torch.tensor(1 / math.sqrt(part)))
        product = graph.node("Mul", [graph.node("MatMul", [query, across]), scale])
        weights = graph.node("Softmax", [product], axis=3)
        seen = graph.node("MatMul", [weights, value])
        back = graph.node("Transpose", [seen], perm=[0, 2, 1, 3])
        flat = graph.node("Reshape", [back, graph.integers(np.array([0, -1, self.width]))])
        given = graph.node("Add", [given, dense(graph, flat, self.mixed)])
        made = dense(graph, graph.relu(given), self.first)
        return graph.node("Add", [given, dense(graph, graph.relu(made), self.second)])


def bias_of(layer: nn.Conv2d | nn.Linear) -> Tensor:
    """Return the bias of a layer that has one."""
    assert layer.bias is not None
    return layer.bias


def dense(graph: Graph, given: str, layer: nn.Linear) -> str:
    """Add a layer that is the same for every square [n, square, width]."""
    made = graph.node("MatMul", [given, graph.weight(layer.weight.T)])
    return graph.node("Add", [made, graph.weight(layer.bias)])


class GameNetwork(nn.Module):
    """A network of one of the kinds for the shapes of one game."""

    def __init__(self, game: Game, kind: str, width: int, blocks: int) -> None:
        super().__init__()
        planes, height, across = game.plane_shape
        self.kind, self.shape = kind, game.plane_shape
        self.seats, self.actions = len(game.seats), game.action_count
        squares = height * across
        self.first: nn.Module
        self.narrow: nn.Linear | nn.Conv2d
        if kind == "perceptron":
            self.first = nn.Linear(planes * squares, width)
            self.blocks = nn.ModuleList(LinearBlock(width) for _ in range(blocks))
            policy_inputs = width
        elif kind == "convolution":
            self.first = nn.Conv2d(planes, width, 3, padding=1)
            self.blocks = nn.ModuleList(ConvolutionBlock(width) for _ in range(blocks))
            self.narrow = nn.Conv2d(width, POLICY_CHANNELS, 1)
            policy_inputs = POLICY_CHANNELS * squares
        else:
            self.first = nn.Linear(planes, width)
            self.places = nn.Parameter(torch.randn(squares, width) * 0.1)
            self.blocks = nn.ModuleList(AttentionBlock(width) for _ in range(blocks))
            self.narrow = nn.Linear(width, POLICY_CHANNELS)
            policy_inputs = POLICY_CHANNELS * squares
        self.policy = nn.Linear(policy_inputs, self.actions)
        self.hidden = nn.Linear(policy_inputs, HIDDEN)
        self.value = nn.Linear(HIDDEN, self.seats)
        for last in (self.policy, self.value):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    @property
    def outputs(self) -> dict[str, list[int]]:
        """The shapes of the outputs for one position, by name."""
        return {"policy": [self.actions], "value": [self.seats]}

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the numbers of the actions [n, action] and of the seats [n, seat]."""
        if self.kind == "perceptron":
            made = self.first(planes.flatten(1))
        elif self.kind == "convolution":
            made = self.first(planes)
        else:
            made = self.first(planes.flatten(2).transpose(1, 2)) + self.places
        for block in self.blocks:
            made = block(made)
        made = torch.relu(made)
        board = made if self.kind == "perceptron" else torch.relu(self.narrow(made)).flatten(1)
        return self.policy(board), self.value(torch.relu(self.hidden(board)))

    def graph(self, half: bool = True) -> Graph:
        """Return the network as a graph of ONNX, with weights of 16 or 32 bits."""
        graph = Graph(half, network=self)
        flat = graph.integers(np.array([0, -1]))
        first = self.first
        if self.kind == "perceptron":
            assert isinstance(first, nn.Linear)
            given = graph.node("Reshape", ["planes", flat])
            made = graph.linear(given, first.weight, first.bias)
        elif self.kind == "convolution":
            assert isinstance(first, nn.Conv2d)
            made = graph.convolution("planes", first.weight, bias_of(first), 1)
        else:
            assert isinstance(first, nn.Linear)
            squares = graph.integers(np.array([0, self.shape[0], -1]))
            rows = graph.node("Reshape", ["planes", squares])
            turned = graph.node("Transpose", [rows], perm=[0, 2, 1])
            made = graph.node("Add", [dense(graph, turned, first), graph.weight(self.places)])
        for block in self.blocks:
            assert isinstance(block, LinearBlock | ConvolutionBlock | AttentionBlock)
            made = block.write(graph, made)
        made = graph.relu(made)
        if self.kind == "perceptron":
            board = made
        elif self.kind == "convolution":
            narrow = graph.convolution(made, self.narrow.weight, bias_of(self.narrow))
            board = graph.node("Reshape", [graph.relu(narrow), flat])
        else:
            assert isinstance(self.narrow, nn.Linear)
            board = graph.node("Reshape", [graph.relu(dense(graph, made, self.narrow)), flat])
        policy = graph.linear(board, self.policy.weight, self.policy.bias)
        hidden = graph.relu(graph.linear(board, self.hidden.weight, self.hidden.bias))
        value = graph.linear(hidden, self.value.weight, self.value.bias)
        graph.node("Identity", [policy], name="policy")
        graph.node("Identity", [value], name="value")
        return graph


def new_network(game: Game, kind: str, width: int, blocks: int) -> GameNetwork:
    """Return a network with random weights; ``auto`` is the kind that suits the board.

    A width of 0 is one with which two processors learn a small game in minutes.

    >>> from sandtable.registry import make_game
    >>> network = new_network(make_game("lucid"), "auto", width=16, blocks=1)
    >>> [tuple(made.shape) for made in network(torch.zeros(2, 15, 5, 5))]
    [(2, 101), (2, 2)]
    """
    kind = usual_kind(game) if kind == "auto" else kind
    return GameNetwork(game, kind, width or USUAL_WIDTHS[kind], blocks)


def answering(network: GameNetwork, device: torch.device) -> Answers:
    """Return a network as a function of planes, as quick as it can be on a device.

    On the CPU that is onnxruntime, which takes half of the time that torch does.

    >>> from sandtable.registry import make_game
    >>> network = new_network(make_game("lucid"), "perceptron", width=16, blocks=1)
    >>> answers = answering(network, torch.device("cpu"))
    >>> [made.shape for made in answers(np.zeros((2, 15, 5, 5), dtype=np.float32))]
    [(2, 101), (2, 2)]
    """
    if device.type == "cpu":
        import onnxruntime

        data = network.graph(half=False).file({"planes": list(network.shape)}, network.outputs, {})
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return lambda planes: session.run(list(network.outputs), {"planes": planes})

    def answers(planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        with torch.inference_mode():
            made = network(torch.from_numpy(planes).to(device))
            return [each.float().cpu().numpy() for each in made]

    return answers


def export_network(network: GameNetwork, path: Path, notes: dict[str, str]) -> float:
    """Write a network as ONNX, compare the file with it, and return how far they are apart."""
    outputs = network.outputs
    data = network.graph().file({"planes": list(network.shape)}, outputs, notes)
    write_whole(path, data)
    numbers = np.random.Generator(np.random.PCG64(0))
    planes: NDArray[np.float32] = numbers.random((TRIED, *network.shape), dtype=np.float32)
    shapes = {name: tuple(shape) for name, shape in outputs.items()}
    written = OnnxNetwork(path, network.shape, shapes, "the game").run(planes)
    with torch.no_grad():
        expected = network.cpu()(torch.from_numpy(planes))
    pairs = zip(written, expected, strict=True)
    return max(checked_difference(path, found, wanted.numpy()) for found, wanted in pairs)
