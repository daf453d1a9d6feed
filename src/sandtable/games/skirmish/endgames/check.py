"""The proof of a table: every value follows from those after its moves, by the rules' own kernel.

Three things are checked, whatever way the table was solved. Every position from which
the table is to be followed is in it. After every legal move of every position in it the game is
over or the position that comes is in it as well. And the value of every position is the best that
the values after its moves give. Since units only grow older, every line of play ends, so there
is just one table of values for which this holds: the one of perfect play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.endgames import table as tables
from sandtable.games.skirmish.endgames.maps import EndgameMap, blank_position, pairs_of, unit_codes
from sandtable.games.skirmish.endgames.solve import place_pair, value_after
from sandtable.games.skirmish.endgames.table import SolvedTable
from sandtable.games.skirmish.rules import legal_moves

__all__ = ["Counts", "check_table", "move_values"]

POSITIONS_AT_ONCE = 200_000

# What is counted.
WINS, DRAWS, LOSSES, CHOICES, DEEPEST, LEGAL = 0, 1, 2, 3, 4, 5
COUNTED = 6


@dataclass(frozen=True)
class Counts:
    """What is in a table."""

    positions: int
    wins: int  # of the side to move
    draws: int
    losses: int
    choices: int  # positions in which a wrong move is possible
    deepest: int  # half-turns of the longest win
    moves: int  # legal moves of all positions


@kernel
def result_of(value: int) -> int:
    """Return 1 for a win, 0 for a draw, -1 for a loss."""
    return (value > 0) - (value < 0)


@kernel
def move_values(
    table: SolvedTable,
    position: NDArray[np.int16],
    moves: NDArray[np.int16],
    values: NDArray[np.int64],
    after: NDArray[np.int16],
    dice: NDArray[np.uint64],
) -> int:
    """Write the legal moves and what each is worth to the mover; return how many there are."""
    count = legal_moves(position, moves)
    for index in range(count):
        values[index] = value_after(table, position, moves[index], after, dice)
    return count


@kernel
def check_some(
    table: SolvedTable, blank: NDArray[np.int16], first: int, last: int, counts: NDArray[np.int64]
) -> int:
    """Check the slots from first to last - 1; return the first that is wrong, or -1.

    Every other position is checked with Second to move, which has to come to the same.
    """
    position, after = blank.copy(), np.empty_like(blank)
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    values = np.empty(layout.ACTIONS, dtype=np.int64)
    dice = np.zeros(4, dtype=np.uint64)
    for slot in range(first, last):
        if table.keys[slot] == tables.FREE:
            continue
        mover = layout.FIRST if slot % 2 == 0 else layout.SECOND
        tables.position_of(table.keys[slot], mover, position)
        count = move_values(table, position, moves, values, after, dice)
        best, worst = values[0], values[0]
        for index in range(count):
            if values[index] == tables.MISSING:
                return slot
            best, worst = max(best, values[index]), min(worst, values[index])
        if best != table.values[slot] or tables.key_of(position) != table.keys[slot]:
            return slot
        counts[WINS] += best > 0
        counts[DRAWS] += best == 0
        counts[LOSSES] += best < 0
        counts[CHOICES] += result_of(worst) < result_of(best)
        counts[LEGAL] += count
        if best > 0:
            counts[DEEPEST] = max(counts[DEEPEST], tables.WON - best)
    return -1


@kernel
def missing_start(
    table: SolvedTable, blank: NDArray[np.int16], units: NDArray[np.int64], pairs: NDArray[np.bool_]
) -> int:
    """Return the place of a pair of units that the table does not hold, or -1."""
    position = blank.copy()
    for own in range(len(units)):
        for enemy in range(len(units)):
            if not pairs[own, enemy]:
                continue
            place_pair(blank, units[own], units[enemy], position)
            if tables.find(table, tables.key_of(position)) == tables.MISSING:
                return own * len(units) + enemy
    return -1


def check_table(
    table: SolvedTable,
    endgame_map: EndgameMap,
    least_age: int = 1,
    progress: Callable[[int], None] = lambda positions: None,
) -> Counts:
    """Prove a table and count what is in it, or raise a SandtableError about what is wrong.

    >>> from sandtable.games.skirmish.endgames.solve import solve
    >>> small = EndgameMap("small", "3xxxxx" + "/xxxxxxxx" * 7, 3)
    >>> check_table(solve(small, 1 << 12, least_age=75), small, least_age=75).deepest
    4
    """
    blank = blank_position(endgame_map)
    units = unit_codes(endgame_map, least_age)
    if missing_start(table, blank, units, pairs_of(endgame_map, units)) >= 0:
        raise SandtableError(
            f"the table of {endgame_map.name} lacks a pair of units it begins with"
        )
    counts = np.zeros(COUNTED, dtype=np.int64)
    slots = len(table.keys)
    for first in range(0, slots, POSITIONS_AT_ONCE):
        last = min(first + POSITIONS_AT_ONCE, slots)
        wrong = check_some(table, blank, first, last, counts)
        if wrong >= 0:
            raise SandtableError(complaint(table, endgame_map, wrong))
        progress(last - first)
    wins, draws, losses, choices, deepest, moves = counts.tolist()
    return Counts(wins + draws + losses, wins, draws, losses, choices, deepest, moves)


def complaint(table: SolvedTable, endgame_map: EndgameMap, slot: int) -> str:
    """Say which position of a table is wrong."""
    from sandtable.games.skirmish.notation import SkirmishNotation

    position = blank_position(endgame_map)
    tables.position_of(table.keys[slot], layout.FIRST, position)
    line = SkirmishNotation().position_line(position)
    return (
        f"the table of {endgame_map.name} is wrong: its value {table.values[slot]} of '{line}' "
        "does not follow from those after its moves"
    )
