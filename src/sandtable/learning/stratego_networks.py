"""The two networks of the 2015 paper on Stratego, and their way into ONNX files.

Both are chains of 3x3 convolutions with ReLU and two linear layers, on the six planes of the paper.
Without padding a convolution loses the edge of its board; what the edge squares hold has by then
gone into those beside them, and the network is several times cheaper. The paper does not say how
its own were padded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.agents.stratego.codes import CODE_PLANES, CODES, MOVES, PLANE_SHAPE, write_planes
from sandtable.errors import MissingExtra, SandtableError
from sandtable.games.stratego.layout import SIDE, SQUARES
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.graphs import Graph

__all__ = ["BoardNetwork", "export_network", "new_network", "planes_of"]

LARGEST_DIFFERENCE = 0.02  # between the file and the network, as a share of the largest output

# By what they are for: filters and padding of each convolution, width of the hidden linear layer,
# and outputs (none: a single number).
SHAPES: dict[str, tuple[tuple[tuple[int, int], ...], int, int]] = {
    "policy": (((32, 0), (32, 0), (32, 1)), 128, MOVES),
    "value": (((32, 0), (32, 0), (32, 0), (32, 0), (32, 1)), 64, 0),
}


class BoardNetwork(nn.Module):
    """Planes [board, 6, 10, 10] to one number, or one for each move, for each board."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        convolutions, hidden, self.outputs = SHAPES[kind]
        before, side = PLANE_SHAPE[0], SIDE
        layers: list[nn.Conv2d] = []
        for filters, padding in convolutions:
            layers.append(nn.Conv2d(before, filters, 3, padding=padding))
            before, side = filters, side - 2 + 2 * padding
        self.convolutions = nn.ModuleList(layers)
        self.hidden = nn.Linear(before * side * side, hidden)
        self.last = nn.Linear(hidden, max(self.outputs, 1))
        trained: list[nn.Conv2d | nn.Linear] = [*layers, self.hidden]
        for layer in trained:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]

    def forward(self, planes: Tensor) -> Tensor:
        """Return the outputs of each board."""
        inside = planes
        for layer in self.convolutions:
            inside = torch.relu(layer(inside))
        outputs: Tensor = self.last(torch.relu(self.hidden(inside.flatten(1))))
        return outputs if self.outputs else outputs.squeeze(1)


def new_network(kind: str, seed: int) -> BoardNetwork:
    """Return a network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BoardNetwork(kind)


def planes_of(codes: Tensor, table: Tensor) -> Tensor:
    """Turn codes [board, 100] into planes; the table is CODE_PLANES on the same device."""
    return table[codes.long()].transpose(1, 2).reshape(-1, *PLANE_SHAPE)


def output_of(network: BoardNetwork) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of what a network gives for one board."""
    return {"logits": (network.outputs,)} if network.outputs else {"values": ()}


def graph_of(network: BoardNetwork, onnx: Any) -> Graph:
    """Write a network as nodes of ONNX."""
    graph, inside = Graph(onnx), "planes"
    for layer in network.convolutions:
        assert isinstance(layer, nn.Conv2d)
        assert layer.bias is not None
        padding = int(layer.padding[0])
        inside = graph.relu(graph.convolution(inside, layer.weight, layer.bias, padding))
    inside = graph.node("Flatten", [inside])
    inside = graph.relu(graph.linear(inside, network.hidden.weight, network.hidden.bias))
    outputs = graph.linear(inside, network.last.weight, network.last.bias)
    if network.outputs:
        graph.node("Identity", [outputs], name="logits")
    else:
        graph.flat(outputs, "values")
    return graph


def export_network(network: BoardNetwork, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it on random boards."""
    try:
        import onnx
    except ImportError as problem:
        raise MissingExtra("exporting weights", "learn") from problem
    outputs = output_of(network)
    shapes = {name: list(shape) for name, shape in outputs.items()}
    make_folder(path.parent)
    data = graph_of(network, onnx).file({"planes": list(PLANE_SHAPE)}, shapes, notes)
    write_whole(path, data)
    codes = np.random.default_rng(0).integers(0, CODES, (256, SQUARES)).astype(np.uint8)
    planes = np.empty((len(codes), *PLANE_SHAPE), dtype=np.float32)
    write_planes(codes, len(codes), planes)
    with torch.no_grad():
        device = next(network.parameters()).device
        expected = network(torch.from_numpy(planes).to(device)).cpu().numpy()
    answers = OnnxNetwork(path, PLANE_SHAPE, outputs, "Stratego").run(planes)[0]
    difference = float(abs(answers - expected).max() / abs(expected).max())
    if not difference <= LARGEST_DIFFERENCE:
        raise SandtableError(f"{path} differs from the network by {difference:.1%}")
    return difference


def code_table(device: torch.device) -> Tensor:
    """Return what planes_of takes."""
    return torch.from_numpy(CODE_PLANES).to(device)
