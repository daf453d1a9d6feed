"""Tables in files, so that what was solved once can be checked and asked again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import array_file, read_array_file
from sandtable.compiled import kernel
from sandtable.errors import SandtableError
from sandtable.files import write_whole
from sandtable.games.skirmish.endgames import table as tables
from sandtable.games.skirmish.endgames.table import SolvedTable

__all__ = ["read_table", "sorted_keys", "table_path", "write_table"]


def table_path(folder: Path, name: str) -> Path:
    """Return where the table of a map is kept in a folder.

    >>> table_path(Path("tables"), "ring").as_posix()
    'tables/ring.safetensors'
    """
    return folder / f"{name}.safetensors"


def sorted_keys(table: SolvedTable) -> NDArray[np.uint64]:
    """Return the keys of all positions in ascending order, whatever slots they stand in."""
    return np.sort(table.keys[table.keys != tables.FREE])


def write_table(table: SolvedTable, path: Path) -> None:
    """Write a table as two arrays, keys and values, without the free slots."""
    taken = table.keys != tables.FREE
    arrays = {"keys": table.keys[taken], "values": table.values[taken]}
    write_whole(path, array_file(arrays, {"slots": str(len(table.keys))}))


@kernel
def fill(table: SolvedTable, keys: NDArray[np.uint64], values: NDArray[np.int16]) -> bool:
    """Insert many positions; False when there are too many."""
    done = 0
    while done < len(keys) and tables.insert(table, keys[done], values[done]):
        done += 1
    return done == len(keys)


def read_table(path: Path) -> SolvedTable:
    """Read a table, or raise a SandtableError that says what is wrong with the file."""
    try:
        arrays, notes = read_array_file(path.read_bytes())
    except OSError as problem:
        raise SandtableError(
            f"cannot read {path}: {problem.strerror}; `sandtable endgames build` writes tables"
        ) from problem
    except ValueError as problem:
        raise SandtableError(f"{path} is damaged: {problem}") from problem
    keys, values = arrays.get("keys"), arrays.get("values")
    slots = notes.get("slots", "")
    if keys is None or values is None or len(keys) != len(values) or not slots.isdigit():
        raise SandtableError(f"{path} holds no solved endgames")
    table = tables.new_table(int(slots))
    if not fill(table, keys.astype(np.uint64), values.astype(np.int16)):
        raise SandtableError(f"{path} is damaged: more positions than it has room for")
    return table
