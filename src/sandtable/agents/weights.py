"""Files of arrays, such as weights, tables and checkpoints, and the bundled ones by their names.

The format is safetensors: the length of a header (8 bytes), the header as JSON, and the raw
numbers. It is simple enough to be written and read without a library, so that an agent or a recipe
that needs no torch needs nothing else either. A note in the header holds a digest of the numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError, suggestion
from sandtable.specs import files_allowed

__all__ = [
    "Arrays",
    "array_file",
    "bundled_file",
    "bundled_names",
    "read_array_file",
    "read_weights",
    "weights_bytes",
]

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

PARAMETERS = "parameters"  # the one array of a file of weights
LENGTH_BYTES = 8
KINDS = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
KIND_NAMES = {np.dtype(kind): name for name, kind in KINDS.items()}


# --- any arrays ----------------------------------------------------------------------------------


def digest(numbers: bytes) -> str:
    """Return the hash by which damage is noticed."""
    return hashlib.blake2b(numbers, digest_size=16).hexdigest()


def digest_with_names(arrays: Arrays) -> str:
    """Return the hash in checkpoints of former versions: of names, shapes and numbers."""
    total = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def array_file(arrays: Arrays, notes: Mapping[str, str]) -> bytes:
    """Return the file of some arrays, with notes and a digest in its header.

    >>> arrays, notes = read_array_file(array_file({"row": np.arange(3)}, {"seed": "1"}))
    >>> arrays["row"].tolist(), notes
    ([0, 1, 2], {'seed': '1'})
    """
    parts, end = [], 0
    entries: dict[str, Any] = {}
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        begin, end = end, end + array.nbytes
        kind = {"dtype": KIND_NAMES[array.dtype], "shape": list(arrays[name].shape)}
        entries[name] = {**kind, "data_offsets": [begin, end]}
        parts.append(array.tobytes())
    numbers = b"".join(parts)
    header = {"__metadata__": {**notes, "digest": digest(numbers)}, **entries}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % LENGTH_BYTES)
    return len(text).to_bytes(LENGTH_BYTES, "little") + text + numbers


def read_array_file(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the arrays and the notes of a file; a ValueError says what is wrong with it.

    >>> read_array_file(b"something else")
    Traceback (most recent call last):
    ValueError: it is cut off or no file of arrays
    """
    try:
        begins = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
        header, numbers = json.loads(data[LENGTH_BYTES:begins]), data[begins:]
        notes = header.pop("__metadata__")
        arrays = {name: array_of(entry, numbers) for name, entry in header.items()}
        expected = notes.pop("digest")
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as problem:
        raise ValueError("it is cut off or no file of arrays") from problem
    if expected not in (digest(numbers), digest_with_names(arrays)):
        raise ValueError("its numbers do not match their digest")
    return arrays, notes


def array_of(entry: Mapping[str, Any], numbers: bytes) -> NDArray[Any]:
    """Return one array out of the numbers of a file, by its entry in the header."""
    begin, end = entry["data_offsets"]
    return np.frombuffer(numbers[begin:end], KINDS[entry["dtype"]]).reshape(entry["shape"])


# --- weights -------------------------------------------------------------------------------------


def weights_bytes(parameters: NDArray[np.float32], about: Mapping[str, str]) -> bytes:
    """Return the file of one row of parameters, with words about them in the header.

    >>> len(weights_bytes(np.zeros(4, dtype=np.float32), {"game": "nim"}))
    176
    """
    return array_file({PARAMETERS: np.asarray(parameters, dtype="<f4").ravel()}, about)


def read_weights(path: Path, count: int, owner: str) -> NDArray[np.float32]:
    """Read so many parameters; ``owner`` plays with them.

    A SandtableError says in one line what is wrong with the file.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise SandtableError(f"cannot read the weights {path}: {problem.strerror}") from None
    try:
        arrays, _ = read_array_file(data)
        parameters = arrays[PARAMETERS].astype(np.float32)
    except (ValueError, KeyError) as problem:
        reason = problem if isinstance(problem, ValueError) else f"it has no {problem}"
        raise SandtableError(
            f"{path} is damaged or holds no weights of {owner}: {reason}"
        ) from problem
    if parameters.shape != (count,) or not np.isfinite(parameters).all():
        raise SandtableError(
            f"{path} does not fit {owner}: {parameters.size} numbers, {count} wanted"
        )
    return parameters


def bundled_names(folder: Path, ending: str) -> list[str]:
    """Return the names of the files in a folder of weights, without their ending."""
    return sorted(path.name.removesuffix(ending) for path in folder.glob(f"*{ending}"))


def bundled_file(name: str, folder: Path, ending: str = ".onnx") -> Path:
    """Return the file of bundled weights by their name, or any file by its path.

    A SandtableError tells a name that is not bundled and can be no path.

    >>> bundled_file("runs/mine.onnx", Path("weights")).name
    'mine.onnx'
    """
    known = bundled_names(folder, ending)
    if name in known:
        return folder / f"{name}{ending}"
    path = Path(name).expanduser()
    if files_allowed() and (path.suffix or "/" in name or path.is_file()):
        return path
    raise SandtableError(
        f"there are no weights '{name}'; bundled are {', '.join(known) or 'none'}, or give the "
        f"path of a file.{suggestion(name, known)}"
    )
