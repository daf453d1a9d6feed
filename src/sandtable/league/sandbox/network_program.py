"""Runs one ONNX graph of a stranger: lines come in, lines go out, and nothing else is done.

This file is run by its path inside the sandbox (see ``networks.py``) with numpy and onnxruntime
alone. Its arguments are the folders in which those are. The first line is the graph in base64;
each other is a question: the names of the outputs, and the inputs. What cannot be answered is a
line with the error.
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

Packed = tuple[list[int], str]  # shape, and the numbers in base64


def packed(array: Any) -> Packed:
    """Write an array of 32-bit numbers."""
    return list(array.shape), base64.b64encode(array.tobytes()).decode()


def answers(graph: bytes) -> Any:
    """Open the graph; yield what is to be said, and be sent questions."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(graph, options, ["CPUExecutionProvider"])
    question = yield {"notes": session.get_modelmeta().custom_metadata_map}
    while True:
        inputs = {
            name: numpy.frombuffer(base64.b64decode(text), "<f4").reshape(shape)
            for name, (shape, text) in question["inputs"].items()
        }
        found = session.run(question["names"], inputs)
        outputs = [packed(numpy.ascontiguousarray(each, dtype="<f4")) for each in found]
        question = yield {"outputs": outputs}


def said(problem: Exception) -> dict[str, str]:
    """Return an error as a line has it."""
    return {"error": f"{type(problem).__name__}: {problem}"[:400]}


def main() -> None:
    """Answer until there are no more questions."""
    sys.path[:0] = sys.argv[1:]
    running = answers(base64.b64decode(sys.stdin.readline()))
    question = None
    while True:
        try:
            answer = running.send(question)
        except Exception as problem:  # the graph is a stranger's: anything may be wrong with it
            print(json.dumps(said(problem)), flush=True)
            return
        print(json.dumps(answer), flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        question = json.loads(line)


if __name__ == "__main__":
    main()
