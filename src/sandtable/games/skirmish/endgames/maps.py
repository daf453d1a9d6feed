"""The endgames that are solved: small maps, and from which positions everything is followed.

A table holds every position that can come from one unit against one, on all squares and at all
ages. Units become more units: a barracks raises soldiers, a worker becomes a barracks, a town
raises workers. ``strength`` says how many units one unit can be at most at any time from now on;
a map takes all pairs of units whose strengths together stay within its ``most_units``. A town
counts from its last worker on; before, it raises more than a small table can follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError, suggestion
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.endgames.table import MOST_UNITS
from sandtable.games.skirmish.levels import parse_board

__all__ = [
    "MAPS",
    "EndgameMap",
    "blank_position",
    "map_named",
    "pairs_of",
    "strength",
    "unit_codes",
]

LAST_WORKER = 48  # age of a town that raises one more worker, its last, as it goes
LAST_SOLDIER = 8  # age of a barracks that raises one more soldier, its last, as it goes


@dataclass(frozen=True)
class EndgameMap:
    """A board of which all endgames up to so many units are solved."""

    name: str
    board: str  # rows as in a level, without units
    most_units: int


MAPS = {
    endgame_map.name: endgame_map
    for endgame_map in (
        EndgameMap("pillars", "xxxxxxxx/xxxxxxxx/xx5x/xx1x1x1x/xx5x/xxxxxxxx/xxxxxxxx/xxxxxxxx", 3),
        EndgameMap(
            "ring", "xxxxxxxx/xxxxxxxx/xx3xxx/xx1x1xxx/xx3xxx/xxxxxxxx/xxxxxxxx/xxxxxxxx", 3
        ),
    )
}


def map_named(name: str) -> EndgameMap:
    """Return a map by its name, or say which there are.

    >>> map_named("ring").most_units
    3
    """
    if name not in MAPS:
        raise SandtableError(
            f"there is no endgame map '{name}'; there are {', '.join(MAPS)}."
            + suggestion(name, MAPS)
        )
    return MAPS[name]


def strength(kind: int, age: int) -> int:
    """Return how many units this one can be at most, now or later.

    >>> strength(layout.SOLDIER, 5), strength(layout.WORKER, 5), strength(layout.BARRACKS, 9)
    (1, 2, 1)
    """
    if kind == layout.SOLDIER or (kind == layout.BARRACKS and age >= LAST_SOLDIER):
        return 1
    if kind == layout.TOWN and age < LAST_WORKER:
        return MOST_UNITS + 1
    return 2


def pairs_of(endgame_map: EndgameMap, units: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which units can stand against which at first [own, enemy].

    >>> ring = map_named("ring")
    >>> int(pairs_of(ring, unit_codes(ring, least_age=79)).sum())  # no worker against a worker
    168
    """
    squares, strengths = units[:, 0], units[:, 3]
    pairs = (squares[:, None] != squares) & (
        strengths[:, None] + strengths <= endgame_map.most_units
    )
    return np.asarray(pairs)


def blank_position(endgame_map: EndgameMap) -> NDArray[np.int16]:
    """Return the position of an empty board [POSITION_SIZE], First to move, usual options.

    >>> int(blank_position(map_named("ring"))[layout.LAND : layout.LAND + layout.SQUARES].sum())
    8
    """
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    position[layout.LAND : layout.LAND + layout.SQUARES] = parse_board(endgame_map.board)[0]
    return position


def unit_codes(endgame_map: EndgameMap, least_age: int = 1) -> NDArray[np.int64]:
    """List every unit a side can begin with [unit, (square, kind, age, strength)].

    ``least_age`` leaves out younger units, for tables that are done in a moment.

    >>> len(unit_codes(map_named("ring"))) // 8  # 12 ages of towns, 15 of barracks, 79 and 79
    185
    """
    land = np.flatnonzero(blank_position(endgame_map)[layout.LAND : layout.LAND + layout.SQUARES])
    rows = []
    for square in land.tolist():
        for kind in (layout.TOWN, layout.BARRACKS, layout.WORKER, layout.SOLDIER):
            lifespan = int(layout.LIFESPAN[kind])
            for age in range(least_age, lifespan):
                if strength(kind, age) < endgame_map.most_units:
                    rows.append((square, kind, age, strength(kind, age)))
    return np.array(rows, dtype=np.int64).reshape(-1, 4)
