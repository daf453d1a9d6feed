"""Checkpoints that survive a kill at any moment and a full disk.

A checkpoint is one safetensors file: the arrays, and in its header the recipe's configuration and
counters as JSON with a digest of the arrays. It is written beside the old one, forced to the disk
and only then given its name, so the file of that name is always whole. The one before it is kept
under another name, in case the disk itself damages the newest.

The format is simple (the length of a header in 8 bytes, the header as JSON, the raw numbers), so it
is written and read without a library, and a recipe that needs no torch needs nothing else either.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError

__all__ = [
    "NEWEST",
    "PREVIOUS",
    "Arrays",
    "Checkpoint",
    "CheckpointError",
    "array_file",
    "load_newest",
    "make_folder",
    "read_array_file",
    "save",
    "write_whole",
]

NEWEST = "checkpoint.safetensors"
PREVIOUS = "checkpoint.previous.safetensors"

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

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
NAMES = {np.dtype(kind): name for name, kind in KINDS.items()}


class CheckpointError(SandtableError):
    """A checkpoint cannot be written, or none can be read."""


@dataclass(frozen=True)
class Checkpoint:
    """What a run needs to go on."""

    config: dict[str, Any]  # of the recipe
    counters: dict[str, Any]
    arrays: Arrays


# --- files of arrays -----------------------------------------------------------------------------


def digest(arrays: Arrays) -> str:
    """Return a hash of names and contents."""
    total = hashlib.blake2b(digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def array_file(arrays: Arrays, notes: Mapping[str, str]) -> bytes:
    """Return the file of some arrays, with notes and a digest in its header.

    >>> arrays, notes = read_array_file(array_file({"row": np.arange(3)}, {"seed": "1"}))
    >>> arrays["row"].tolist(), notes["seed"]
    ([0, 1, 2], '1')
    """
    whole = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    header: dict[str, Any] = {"__metadata__": {**notes, "digest": digest(whole)}}
    end = 0
    for name, array in whole.items():
        begin, end = end, end + array.nbytes
        kind = {"dtype": NAMES[array.dtype], "shape": list(array.shape)}
        header[name] = {**kind, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % LENGTH_BYTES)
    length = len(text).to_bytes(LENGTH_BYTES, "little")
    return b"".join([length, text, *(array.tobytes() for array in whole.values())])


def read_array_file(data: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the arrays and the notes of a file; a ValueError says what is wrong with it."""
    try:
        begins = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
        header = json.loads(data[LENGTH_BYTES:begins])
        notes = header.pop("__metadata__")
        arrays = {name: array_of(kind, data, begins) for name, kind in header.items()}
        expected = notes.pop("digest")
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise ValueError("it is cut off or not a checkpoint") from problem
    if digest(arrays) != expected:
        raise ValueError("its contents do not match their digest")
    return arrays, notes


def array_of(kind: Mapping[str, Any], data: bytes, begins: int) -> NDArray[Any]:
    """Return one array, by its entry in the header, out of a file whose numbers begin there."""
    begin, end = kind["data_offsets"]
    numbers = np.frombuffer(data[begins + begin : begins + end], dtype=KINDS[kind["dtype"]])
    return numbers.reshape(kind["shape"])


# --- writing -------------------------------------------------------------------------------------


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; on a full disk the one before stays.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "weights", b"1234")
    ...     (Path(folder) / "weights").read_bytes()
    b'1234'
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write_bytes(temporary, data)
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise SandtableError(f"cannot write {path}: {problem.strerror or problem}") from problem


def make_folder(folder: Path) -> None:
    """Make the folder of a run, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SandtableError(f"cannot make the folder {folder}: {problem.strerror}") from problem


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of the files in a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; whatever happens meanwhile, a whole one stays in the folder."""
    notes = {
        "config": json.dumps(checkpoint.config),
        "counters": json.dumps(checkpoint.counters),
    }
    newest, temporary = folder / NEWEST, folder / f".{NEWEST}.{os.getpid()}"
    try:
        write_bytes(temporary, array_file(checkpoint.arrays, notes))
        if newest.exists():
            link = folder / f".{PREVIOUS}.{os.getpid()}"
            link.unlink(missing_ok=True)
            os.link(newest, link)  # not a rename: the newest must never be missing
            link.replace(folder / PREVIOUS)
        temporary.replace(newest)
        sync_folder(folder)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        last = "the last good checkpoint is intact" if newest.exists() else "there is none yet"
        raise CheckpointError(
            f"cannot write the checkpoint {newest}: {problem.strerror or problem}; {last}"
        ) from problem


# --- reading -------------------------------------------------------------------------------------


def read(path: Path) -> Checkpoint:
    """Read one file; a ValueError says what is wrong with it."""
    try:
        arrays, notes = read_array_file(path.read_bytes())
        config, counters = json.loads(notes["config"]), json.loads(notes["counters"])
    except (OSError, KeyError) as problem:
        raise ValueError("it is cut off or not a checkpoint") from problem
    return Checkpoint(config, counters, arrays)


def load_newest(folder: Path) -> tuple[Checkpoint | None, str | None]:
    """Return the newest checkpoint that can be read, or None in a new folder, and a warning.

    The warning names a damaged file in place of which the one before was taken.
    """
    problems = []
    for path in (folder / NEWEST, folder / PREVIOUS):
        if not path.exists():
            continue
        try:
            checkpoint = read(path)
        except ValueError as problem:
            problems.append(f"{path} is damaged ({problem})")
            continue
        warning = f"{problems[0]}; going on from the one before it" if problems else None
        return checkpoint, warning
    if problems:
        raise CheckpointError(
            f"{' and '.join(problems)}; to start anew, choose another folder or remove this one"
        )
    return None, None
