"""The evaluator's weights as a file: safetensors with one row of numbers, read without a library.

A safetensors file is the length of a header (8 bytes), the header as JSON, and the raw numbers.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.lucid.evaluator import PARAMETERS
from sandtable.errors import SandtableError, suggestion

__all__ = ["bundled_names", "load_weights", "weights_bytes"]

FOLDER = Path(__file__).parent / "weights"
ENDING = ".safetensors"
NAME = "parameters"
LENGTH_BYTES = 8
LARGEST_HEADER = 1 << 20


def bundled_names() -> list[str]:
    """Return the names of the weights that come with the package."""
    return sorted(path.name.removesuffix(ENDING) for path in FOLDER.glob(f"*{ENDING}"))


def path_of(weights: str) -> Path:
    """Return the file of bundled weights by their name, or the file named itself."""
    if weights in bundled_names():
        return FOLDER / f"{weights}{ENDING}"
    path = Path(weights).expanduser()
    if not path.suffix and not path.exists():
        raise SandtableError(
            f"there are no weights '{weights}'.{suggestion(weights, bundled_names())} "
            f"Known are {', '.join(bundled_names())}, or name a file."
        )
    return path


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


def load_weights(weights: str) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS] of a bundled name or a file, or say what is wrong there."""
    path = path_of(weights)
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
        raise SandtableError(f"{path} is damaged or holds no weights of the evaluator") from problem
    if not whole:
        raise SandtableError(f"{path} is damaged: its numbers do not match their digest")
    if len(parameters) != PARAMETERS or not np.isfinite(parameters).all():
        raise SandtableError(
            f"{path} does not fit the evaluator: {len(parameters)} numbers, {PARAMETERS} wanted"
        )
    return parameters
