"""The Q-learner's tables, and their files: safetensors that are read without a library.

A safetensors file is the length of a header (8 bytes), the header as JSON, and the raw numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError, suggestion
from sandtable.games.gravwell.agents.q_learning.states import (
    ENEMY_CARDS,
    HULKS,
    STOP_ENTRIES,
    TURN_IN_STATE,
    table_size,
)

__all__ = [
    "DRAFTS",
    "SWITCHES",
    "QTables",
    "bundled_tables",
    "load_tables",
    "path_of",
    "tables_bytes",
]

WEIGHTS = Path(__file__).parent / "weights"
PREFIX = "q-learning-"
LENGTH_BYTES = 8
LARGEST_HEADER = 1 << 20
SWITCHES = {"turn_in_state": TURN_IN_STATE, "hulks": HULKS, "enemy_cards": ENEMY_CARDS}
DRAFTS = ("random", "tree", "as-coded")  # ways to draft, by their numbers


@dataclass(frozen=True)
class QTables:
    """What was learned, and how a player uses it."""

    cards: NDArray[np.float32]  # [table_size(switches)] by state, danger and card
    stops: NDArray[np.float32]  # [STOP_ENTRIES] by turn, direction, distance and action
    switches: int  # of the state
    stop: bool  # whether the Emergency Stop is used at all
    draft: str  # one of DRAFTS
    temperature: float  # of the choice of cards


def bundled_tables() -> list[str]:
    """Return the names of the tables that come with the package."""
    return sorted(path.stem.removeprefix(PREFIX) for path in WEIGHTS.glob(f"{PREFIX}*.safetensors"))


def path_of(table: str) -> Path:
    """Return the file of a bundled table by its name, or the path itself."""
    if table in bundled_tables():
        return WEIGHTS / f"{PREFIX}{table}.safetensors"
    path = Path(table).expanduser()
    if path.suffix or path.exists():
        return path
    known = bundled_tables()
    raise SandtableError(
        f"there is no table '{table}' (known are {', '.join(known)}, or give the path of a file)."
        + suggestion(table, known)
    )


def digest(numbers: bytes) -> str:
    """Return the hash by which damage is noticed."""
    return hashlib.blake2b(numbers, digest_size=16).hexdigest()


def tables_bytes(tables: QTables, about: Mapping[str, str]) -> bytes:
    """Return the file of some tables, with words about them in the header."""
    cards = np.ascontiguousarray(tables.cards, dtype="<f4").tobytes()
    numbers = cards + np.ascontiguousarray(tables.stops, dtype="<f4").tobytes()
    metadata = {
        **about,
        **{name: str(bool(tables.switches & bit)).lower() for name, bit in SWITCHES.items()},
        "stop": str(tables.stop).lower(),
        "draft": tables.draft,
        "temperature": repr(tables.temperature),
        "digest": digest(numbers),
    }
    header: dict[str, Any] = {"__metadata__": metadata}
    begin = 0
    for name in ("cards", "stops"):
        length = len(getattr(tables, name))
        offsets = [begin, begin + 4 * length]
        header[name] = {"dtype": "F32", "shape": [length], "data_offsets": offsets}
        begin = offsets[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % LENGTH_BYTES)
    return len(text).to_bytes(LENGTH_BYTES, "little") + text + numbers


def load_tables(table: str) -> QTables:
    """Read bundled tables by name or a file by its path, or say in one line what is wrong."""
    path = path_of(table)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise SandtableError(f"cannot read the tables {path}: {problem.strerror}") from None
    try:
        return tables_from(data)
    except (ValueError, KeyError, TypeError) as problem:
        words = str(problem) if type(problem) is ValueError else ""
        words = words or "it holds no tables of gravwell/q-learning"
        raise SandtableError(f"{path} is damaged or something else: {words}") from problem


def tables_from(data: bytes) -> QTables:
    """Read the bytes of a file; an error of some kind comes from everything that is no table."""
    length = int.from_bytes(data[:LENGTH_BYTES], "little")
    if length > LARGEST_HEADER:
        raise ValueError
    header = json.loads(data[LENGTH_BYTES : LENGTH_BYTES + length])
    metadata, numbers = header["__metadata__"], data[LENGTH_BYTES + length :]
    if digest(numbers) != metadata["digest"]:
        raise ValueError("its numbers do not match their digest")
    switches = sum(bit for name, bit in SWITCHES.items() if metadata[name] == "true")
    rows = {}
    for name, size in (("cards", table_size(switches)), ("stops", STOP_ENTRIES)):
        begin, end = header[name]["data_offsets"]
        rows[name] = np.frombuffer(numbers[begin:end], dtype="<f4").astype(np.float32)
        if len(rows[name]) != size or not np.isfinite(rows[name]).all():
            raise ValueError(f"its {name} are {len(rows[name])} numbers, {size} finite ones wanted")
    temperature = float(metadata["temperature"])
    if metadata["draft"] not in DRAFTS or not temperature >= 0.0:
        raise ValueError(f"its draft is '{metadata['draft']}', its temperature {temperature}")
    return QTables(
        cards=rows["cards"],
        stops=rows["stops"],
        switches=switches,
        stop=metadata["stop"] == "true",
        draft=metadata["draft"],
        temperature=temperature,
    )
