"""The Q-learner's tables and their files, bundled or written by training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import array_file, bundled_file, read_array_file
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.q_learning.states import (
    ENEMY_CARDS,
    HULKS,
    JOINT,
    NETWORK,
    STOP_ENTRIES,
    TURN_IN_STATE,
    table_size,
)

__all__ = [
    "DRAFTS",
    "SWITCHES",
    "QTables",
    "load_tables",
    "path_of",
    "tables_bytes",
]

WEIGHTS = Path(__file__).parent / "weights"
ENDING = ".safetensors"
SWITCHES = {
    "turn_in_state": TURN_IN_STATE,
    "hulks": HULKS,
    "enemy_cards": ENEMY_CARDS,
    "network": NETWORK,
    "joint": JOINT,
}
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


def path_of(table: str) -> Path:
    """Return the file of bundled tables by their name, or any file by its path.

    >>> path_of("extended").name
    'extended.safetensors'
    """
    return bundled_file(table, WEIGHTS, ENDING)


def tables_bytes(tables: QTables, about: Mapping[str, str]) -> bytes:
    """Return the file of some tables, with words about them in the header."""
    notes = {
        **about,
        **{name: str(bool(tables.switches & bit)).lower() for name, bit in SWITCHES.items()},
        "stop": str(tables.stop).lower(),
        "draft": tables.draft,
        "temperature": repr(tables.temperature),
    }
    rows = {"cards": tables.cards, "stops": tables.stops}
    return array_file({name: row.astype(np.float32) for name, row in rows.items()}, notes)


def load_tables(table: str) -> QTables:
    """Read bundled tables by name or a file by its path, or say in one line what is wrong."""
    path = path_of(table)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise SandtableError(f"cannot read the tables {path}: {problem.strerror}") from None
    try:
        return tables_from(data)
    except (ValueError, KeyError) as problem:
        missing = isinstance(problem, KeyError)
        reason = "it holds no tables of gravwell/q-learning" if missing else problem
        raise SandtableError(f"{path} is damaged or something else: {reason}") from problem


def tables_from(data: bytes) -> QTables:
    """Read the bytes of a file; a ValueError or KeyError comes from all that holds no tables."""
    arrays, notes = read_array_file(data)
    found = {
        name: notes.get(name, "false") for name in ("network", "joint")
    }  # older files lack them
    switches = sum(bit for name, bit in SWITCHES.items() if (found | notes)[name] == "true")
    rows = {}
    for name, size in (("cards", table_size(switches)), ("stops", STOP_ENTRIES)):
        row = rows[name] = arrays[name].astype(np.float32)
        if row.shape != (size,) or not np.isfinite(row).all():
            raise ValueError(f"its {name} are {row.size} numbers, {size} finite ones wanted")
    temperature = float(notes["temperature"])
    if notes["draft"] not in DRAFTS or not temperature >= 0.0:
        raise ValueError(f"its draft is '{notes['draft']}', its temperature {temperature}")
    return QTables(
        cards=rows["cards"],
        stops=rows["stops"],
        switches=switches,
        stop=notes["stop"] == "true",
        draft=notes["draft"],
        temperature=temperature,
    )
