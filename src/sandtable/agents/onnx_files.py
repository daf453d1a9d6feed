"""Networks in ONNX files: checked when they are opened, and run by onnxruntime on one thread.

A file may hold a digest of itself among its notes: that of the file with zeros in place of the
digest, so it can be checked without a library that understands the format.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import bundled_file
from sandtable.errors import SandtableError

__all__ = ["NO_DIGEST", "OnnxNetwork", "bundled_file", "sealed"]

NO_DIGEST = "0" * 32  # what a note "digest" holds until the file is sealed
BEFORE_DIGEST = b"\x0a\x06digest\x12\x20"  # how ONNX files store a note of that name and length
TRIED = 2  # positions a network is tried on when its file is opened


def digest_place(data: bytes) -> slice | None:
    """Return where in a file its digest is, or None if it has none."""
    at = data.rfind(BEFORE_DIGEST)
    if at < 0:
        return None
    return slice(at + len(BEFORE_DIGEST), at + len(BEFORE_DIGEST) + len(NO_DIGEST))


def sealed(data: bytes) -> bytes:
    """Return a file with its digest filled in."""
    place = digest_place(data)
    if place is None:
        return data
    blank = data[: place.start] + NO_DIGEST.encode() + data[place.stop :]
    digest = hashlib.blake2b(blank, digest_size=16).hexdigest().encode()
    return data[: place.start] + digest + data[place.stop :]


def is_whole(data: bytes) -> bool:
    """Say whether a file is as it was written, as far as it tells."""
    return data == sealed(data)


class OnnxNetwork:
    """A network with one input ``planes`` and outputs of known shapes, all for one position."""

    def __init__(
        self, path: Path, planes: tuple[int, ...], outputs: dict[str, tuple[int, ...]], owner: str
    ) -> None:
        import onnxruntime

        if not path.is_file():
            raise SandtableError(f"there is no file of weights {path}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # the errors below say it all
        self.names = list(outputs)
        try:
            data = path.read_bytes()
        except OSError as problem:
            raise SandtableError(f"cannot read the weights {path}: {problem.strerror}") from None
        try:
            self.session: Any = onnxruntime.InferenceSession(
                data, options, ["CPUExecutionProvider"]
            )
            found = self.run(np.ones((TRIED, *planes), dtype=np.float32))
        except Exception as problem:  # onnxruntime has a class for every kind of damage
            raise SandtableError(f"{path} is damaged or holds no network for {owner}") from problem
        for name, values in zip(self.names, found, strict=True):
            if values.shape != (TRIED, *outputs[name]):
                wanted = " x ".join(map(str, outputs[name])) or "one value"
                raise SandtableError(f"{path} holds a network whose '{name}' is not {wanted}")
        if not is_whole(data) or not all(np.isfinite(values).all() for values in found):
            raise SandtableError(f"{path} is damaged: its numbers are not those that were written")

    def run(self, planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return the outputs for each position, in the order in which they were named."""
        made: list[NDArray[np.float32]] = self.session.run(self.names, {"planes": planes})
        return made
