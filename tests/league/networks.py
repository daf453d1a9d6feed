"""Graphs that strangers could upload: one that is right, one without end, one that eats memory."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.types import Game


def network(game: Game, loop: str = "") -> bytes:
    """Return a file for the agent ``network``; ``loop`` may be endless or hungry."""
    onnx = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    numbers = np.random.Generator(np.random.PCG64(0)).normal
    size, count = int(np.prod(game.plane_shape)), game.action_count
    arrays = {
        "to_policy": numbers(size=(size, count)).astype(np.float32),
        "to_value": numbers(size=(size, len(game.seats))).astype(np.float32),
        "flat": np.array([-1, size], dtype=np.int64),
        "yes": np.array(True),
        "nought": np.zeros(1, dtype=np.float32),
        "start": np.zeros(64, dtype=np.float32),
    }
    nodes = [
        helper.make_node("Reshape", ["planes", "flat"], ["rows"]),
        helper.make_node("MatMul", ["rows", "to_policy"], ["plain"]),
        helper.make_node("MatMul", ["rows", "to_value"], ["value"]),
    ]
    if loop:
        grow = helper.make_node("Concat", ["before", "before"], ["after"], axis=0)
        stay = helper.make_node("Add", ["before", "before"], ["after"])
        body = helper.make_graph(
            [helper.make_node("Identity", ["on"], ["going"]), grow if loop == "hungry" else stay],
            "body",
            [helper.make_tensor_value_info("turn", kinds.INT64, []),
             helper.make_tensor_value_info("on", kinds.BOOL, []),
             helper.make_tensor_value_info("before", kinds.FLOAT, [None])],
            [helper.make_tensor_value_info("going", kinds.BOOL, []),
             helper.make_tensor_value_info("after", kinds.FLOAT, [None])],
        )  # fmt: skip
        nodes += [
            helper.make_node("Loop", ["", "yes", "start"], ["end"], body=body),
            helper.make_node("ReduceSum", ["end"], ["sum"], keepdims=0),
            helper.make_node("Mul", ["sum", "nought"], ["nothing"]),
            helper.make_node("Add", ["plain", "nothing"], ["policy"]),
        ]
    else:
        nodes.append(helper.make_node("Identity", ["plain"], ["policy"]))
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("planes", kinds.FLOAT, [None, *game.plane_shape])],
        [helper.make_tensor_value_info("policy", kinds.FLOAT, [None, count]),
         helper.make_tensor_value_info("value", kinds.FLOAT, [None, len(game.seats)])],
        [onnx.numpy_helper.from_array(values, name) for name, values in arrays.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    found: bytes = model.SerializeToString()
    return found
