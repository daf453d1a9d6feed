"""Solving: from every pair of units, all that can follow, valued from the end backwards.

Units only grow older, so no position comes again and every line ends: a position is valued when
all positions after its moves are. The rules' own kernels play the moves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.endgames import table as tables
from sandtable.games.skirmish.endgames.maps import EndgameMap, blank_position, pairs_of, unit_codes
from sandtable.games.skirmish.endgames.table import SolvedTable
from sandtable.games.skirmish.rules import apply, first_result, legal_moves

__all__ = ["place_pair", "solve", "value_after"]

DONE, FULL, TOO_MANY_UNITS = 0, 1, 2
LEAST = -tables.WON - 1
MOST_DEPTH = 2 * layout.LONGEST  # a lone worker of the last hour can outlive a usual game


@kernel
def value_after(
    table: SolvedTable,
    position: NDArray[np.int16],
    action: int,
    after: NDArray[np.int16],
    dice: NDArray[np.uint64],
) -> int:
    """Play a move into ``after``; return what it is worth to the mover, or MISSING if unknown."""
    copy_cells(position, after)
    apply(after, action, dice)
    if after[layout.MOVER] == layout.OVER:
        result = int(first_result(after)) * layout.side_sign(position[layout.MOVER])
        return result * (tables.WON - 1)
    key = tables.key_of(after)
    value = tables.find(table, key) if key != tables.TOO_MANY else tables.MISSING
    return tables.value_before(value) if value != tables.MISSING else value


@kernel
def solve_position(
    table: SolvedTable,
    positions: NDArray[np.int16],
    moves: NDArray[np.int16],
    progress: NDArray[np.int64],
    dice: NDArray[np.uint64],
) -> int:
    """Value ``positions[0]`` and all that can follow; return whether that went well.

    ``progress`` [depth, 3] holds the moves there are, those tried, and the best value.
    """
    depth = 0
    progress[0, 0], progress[0, 1] = legal_moves(positions[0], moves[0]), 0
    progress[0, 2] = LEAST
    while depth >= 0:
        at = progress[depth]
        if at[1] == at[0]:
            key = tables.key_of(positions[depth])
            if not tables.insert(table, key, at[2]):
                return FULL
            depth -= 1
            continue
        after = positions[depth + 1]
        value = value_after(table, positions[depth], moves[depth, at[1]], after, dice)
        if value != tables.MISSING:
            at[1] += 1
            at[2] = max(at[2], value)
            continue
        if tables.key_of(after) == tables.TOO_MANY or depth + 2 >= len(positions):
            return TOO_MANY_UNITS
        depth += 1  # and come back to this move when the position after it is known
        progress[depth, 0], progress[depth, 1] = legal_moves(after, moves[depth]), 0
        progress[depth, 2] = LEAST
    return DONE


@kernel
def place_pair(
    blank: NDArray[np.int16],
    own: NDArray[np.int64],
    enemy: NDArray[np.int64],
    position: NDArray[np.int16],
) -> None:
    """Put a unit of the mover and one of its enemy on an empty board."""
    copy_cells(blank, position)
    position[layout.UNITS + own[0]], position[layout.AGES + own[0]] = own[1], own[2]
    position[layout.UNITS + enemy[0]], position[layout.AGES + enemy[0]] = -enemy[1], enemy[2]


@kernel
def solve_against_all(
    table: SolvedTable,
    blank: NDArray[np.int16],
    units: NDArray[np.int64],
    own: int,
    enemies: NDArray[np.bool_],
) -> int:
    """Solve the positions in which the mover has a certain unit, against each of some enemies."""
    positions = np.empty((MOST_DEPTH, layout.POSITION_SIZE), dtype=np.int16)
    moves = np.empty((MOST_DEPTH, layout.ACTIONS), dtype=np.int16)
    progress = np.empty((MOST_DEPTH, 3), dtype=np.int64)
    dice = np.zeros(4, dtype=np.uint64)
    for enemy in np.flatnonzero(enemies):
        place_pair(blank, units[own], units[enemy], positions[0])
        if tables.find(table, tables.key_of(positions[0])) != tables.MISSING:
            continue
        status = solve_position(table, positions, moves, progress, dice)
        if status != DONE:
            return status
    return DONE


def solve(
    endgame_map: EndgameMap,
    slots: int,
    least_age: int = 1,
    progress: Callable[[int], None] = lambda units: None,
) -> SolvedTable:
    """Solve all endgames of a map in a table with so many slots.

    ``progress`` is called with how many units of the mover more are done.

    >>> small = EndgameMap("small", "3xxxxx" + "/xxxxxxxx" * 7, 3)
    >>> int(solve(small, 1 << 12, least_age=75).size[0])
    550
    """
    blank, units = blank_position(endgame_map), unit_codes(endgame_map, least_age)
    table, pairs = tables.new_table(slots), pairs_of(endgame_map, units)
    for own in range(len(units)):
        status = solve_against_all(table, blank, units, own, pairs[own])
        if status == FULL:
            raise SandtableError(
                f"the endgames of {endgame_map.name} do not fit into {len(table.keys):,} slots"
            )
        if status == TOO_MANY_UNITS:
            raise SandtableError(
                f"the endgames of {endgame_map.name} come to more than {tables.MOST_UNITS} units"
            )
        progress(1)
    return table
