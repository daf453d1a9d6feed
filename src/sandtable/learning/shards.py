"""Training data in pieces on the disk, made by several threads, so that a run can be broken off.

A shard is one safetensors file with a digest of its arrays. What is in it depends on its number
alone, so it does not matter who makes it and when; one that is missing or damaged is made anew.
Kernels and onnxruntime let go of Python's lock, so threads are enough to use all cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import array_file, read_array_file
from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.run import DATA_FOLDER, Control

__all__ = ["Arrays", "in_a_row", "joined", "make_shards", "read_shard", "shard_path", "write_shard"]

Arrays = dict[str, NDArray[Any]]
SECONDS_BETWEEN_LOOKS = 0.2  # at whether to stop


def shard_path(folder: Path, part: str, number: int) -> Path:
    """Return the file of a shard."""
    return folder / DATA_FOLDER / f"{part}-{number:05d}.safetensors"


def write_shard(path: Path, arrays: Arrays) -> None:
    """Write a shard whole or not at all."""
    write_whole(path, array_file(arrays, {}))


def read_shard(path: Path) -> Arrays | None:
    """Read a shard; None if it is missing or damaged."""
    try:
        arrays, _ = read_array_file(path.read_bytes())
    except (OSError, ValueError):
        return None
    return arrays


def make_shards(
    folder: Path,
    part: str,
    count: int,
    make: Callable[[int], Arrays],
    control: Control,
) -> Iterator[tuple[int, Arrays] | None]:
    """Make the shards of a part that are not there; yield each with its number as it is ready.

    None comes out when the run has to stop; shards that were begun are finished before that.
    """
    make_folder(folder / DATA_FOLDER)

    def ready(number: int) -> Arrays:
        path = shard_path(folder, part, number)
        found = read_shard(path)
        if found is None:
            found = make(number)
            write_shard(path, found)
        return found

    first = ready(0) if count else {}  # in this thread: whatever is compiled is compiled once
    if count:
        yield 0, first
    with ThreadPoolExecutor(control.jobs) as pool:
        numbers = iter(range(1, count))
        waiting: dict[Future[Arrays], int] = {}
        while True:
            while len(waiting) < control.jobs and (number := next(numbers, None)) is not None:
                waiting[pool.submit(ready, number)] = number
            if not waiting:
                return
            for future in wait(waiting, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
            if control.must_stop():
                yield None
                return


def joined(folder: Path, part: str, count: int, first: int = 0) -> Arrays:
    """Read the shards of a part and put them one behind the other."""
    read = []
    for number in range(first, first + count):
        found = read_shard(shard_path(folder, part, number))
        if found is None:
            path = shard_path(folder, part, number)
            raise SandtableError(f"{path} is missing or damaged; the same command makes it anew")
        read.append(found)
    return in_a_row(read)


def in_a_row(parts: Sequence[Arrays]) -> Arrays:
    """Put arrays of the same names one behind the other.

    >>> in_a_row([{"moves": np.arange(2)}, {"moves": np.arange(3)}])["moves"].tolist()
    [0, 1, 0, 1, 2]
    """
    return {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}
