"""The champion's weights as a file: safetensors with one row of numbers, read without a library.

A safetensors file is the length of a header (8 bytes), the header as JSON, and the raw numbers.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.games.skirmish.agents.champion.evaluation import PARAMETERS

__all__ = ["BUNDLED", "load_weights", "weights_bytes"]

BUNDLED = Path(__file__).parent / "weights" / "champion.safetensors"
NAME = "parameters"
LENGTH_BYTES = 8
LARGEST_HEADER = 1 << 20


def digest(numbers: bytes) -> str:
    """Return the hash by which damage is noticed."""
    return hashlib.blake2b(numbers, digest_size=16).hexdigest()


def weights_bytes(parameters: NDArray[np.float32], about: dict[str, str]) -> bytes:
    """Return the file of some parameters, with words about them in the header."""
    numbers = np.ascontiguousarray(parameters, dtype="<f4").tobytes()
    header: dict[str, Any] = {
        "__metadata__": {**about, "digest": digest(numbers)},
        NAME: {"dtype": "F32", "shape": [len(parameters)], "data_offsets": [0, len(numbers)]},
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % LENGTH_BYTES)
    return len(text).to_bytes(LENGTH_BYTES, "little") + text + numbers


def load_weights(path: Path = BUNDLED) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS], or say in one line what is wrong with the file."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise SandtableError(f"cannot read the weights {path}: {problem.strerror}") from None
    try:
        length = int.from_bytes(data[:LENGTH_BYTES], "little")
        if length > LARGEST_HEADER:
            raise ValueError
        header = json.loads(data[LENGTH_BYTES : LENGTH_BYTES + length])
        begin, end = header[NAME]["data_offsets"]
        numbers = data[LENGTH_BYTES + length :][begin:end]
        whole = digest(numbers) == header["__metadata__"]["digest"]
        parameters = np.frombuffer(numbers, dtype="<f4").astype(np.float32)
    except (ValueError, KeyError, TypeError) as problem:
        raise SandtableError(f"{path} is damaged or holds no weights of the champion") from problem
    if not whole:
        raise SandtableError(f"{path} is damaged: its numbers do not match their digest")
    if len(parameters) != PARAMETERS or not np.isfinite(parameters).all():
        raise SandtableError(
            f"{path} does not fit this champion: {len(parameters)} numbers, {PARAMETERS} wanted"
        )
    return parameters
