"""Networks of torch written as ONNX files, node by node.

Weights are stored as 16-bit floats, which halves the file; onnxruntime turns them back into 32-bit
ones once, when it loads the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sandtable.agents.onnx_files import NO_DIGEST, sealed
from sandtable.errors import MissingExtra, SandtableError

__all__ = ["LARGEST_HALF", "Graph", "checked_difference", "onnx_library"]

OPSET = 17
LARGEST_HALF = 60_000.0  # weights beyond that have no room in 16 bits and keep their 32
LARGEST_DIFFERENCE = 0.02  # between a file and its network, as a share of the largest output


def onnx_library(purpose: str) -> Any:
    """Return the module ``onnx``, or say that the purpose needs it."""
    try:
        import onnx
    except ImportError as problem:
        raise MissingExtra(purpose, "learn") from problem
    return onnx


def checked_difference(
    path: Path,
    written: NDArray[Any],
    expected: NDArray[Any],
    largest: float = LARGEST_DIFFERENCE,
) -> float:
    """Return how far the outputs of a file are from those of its network; refuse too much."""
    difference = float(abs(written - expected).max() / max(abs(expected).max(), 1e-6))
    if not difference <= largest:
        raise SandtableError(f"{path} differs from the network by {difference:.1%}")
    return difference


class Graph:
    """The nodes and weights of a network, in the order in which they are computed."""

    def __init__(self, half: bool = True, network: torch.nn.Module | None = None) -> None:
        """Begin a graph; weights of a ``network`` that is given keep their names in it."""
        self.onnx = onnx_library("exporting weights")
        named = () if network is None else network.named_parameters()
        self.names = {values.data_ptr(): name for name, values in named}
        self.half = half  # whether weights are stored as 16-bit floats
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def node(self, kind: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def integers(self, values: NDArray[np.int64]) -> str:
        """Add whole numbers, such as a shape, and return their name."""
        name = f"weights_{len(self.weights)}"
        self.weights.append(self.onnx.numpy_helper.from_array(values.astype(np.int64), name))
        return name

    def weight(self, values: Tensor) -> str:
        """Add weights and return the name under which they come as 32-bit floats."""
        name = self.names.get(values.data_ptr(), f"weights_{len(self.weights)}")
        stored = values.detach().cpu().numpy()
        if self.half and abs(stored).max(initial=0.0) < LARGEST_HALF:
            stored = stored.astype(np.float16)
        self.weights.append(self.onnx.numpy_helper.from_array(stored, name))
        return self.node("Cast", [name], to=self.onnx.TensorProto.FLOAT)

    def relu(self, given: str) -> str:
        """Cut off what is below zero."""
        return self.node("Relu", [given])

    def convolution(
        self, given: str, weight: Tensor, bias: Tensor, padding: int = 0, stride: int = 1
    ) -> str:
        """Add a convolution."""
        inputs = [given, self.weight(weight), self.weight(bias)]
        return self.node("Conv", inputs, pads=[padding] * 4, strides=[stride] * 2)

    def linear(self, given: str, weight: Tensor, bias: Tensor) -> str:
        """Add a fully connected layer."""
        return self.node("Gemm", [given, self.weight(weight), self.weight(bias)], transB=1)

    def flat(self, given: str, name: str) -> str:
        """Return one number for each position [n] under this name."""
        return self.node("Reshape", [given, self.integers(np.array([-1]))], name=name)

    def board_mean(self, given: str) -> str:
        """Return the mean of each channel over the board [n, channel]."""
        return self.node("ReduceMean", [given], axes=[2, 3], keepdims=0)

    def over_board(self, given: str) -> str:
        """Return numbers of channels [n, channel] in the shape of a board of one square."""
        return self.node("Unsqueeze", [given, self.integers(np.array([2, 3]))])

    def file(
        self, inputs: dict[str, list[int]], outputs: dict[str, list[int]], notes: dict[str, str]
    ) -> bytes:
        """Return the file, with notes and a digest; shapes are those of one position."""
        helper, float32 = self.onnx.helper, self.onnx.TensorProto.FLOAT
        given, made = (
            [
                helper.make_tensor_value_info(name, float32, ["position", *shape])
                for name, shape in shapes.items()
            ]
            for shapes in (inputs, outputs)
        )
        graph = helper.make_graph(self.nodes, "network", given, made, self.weights)
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=8)
        helper.set_model_props(model, notes | {"digest": NO_DIGEST})
        self.onnx.checker.check_model(model)
        return sealed(model.SerializeToString())
