"""What scripted players of Stratego know of a position: chances of ranks, dangers, ways to prey.

Everything is read from the view of a seat. An unknown piece has each hidden rank with the chance
that the counts of lost and shown pieces leave; one that has moved is no bomb and no flag.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.policy.progress import NEVER, spread_steps

__all__ = [
    "KNOWN_PREY",
    "MOVED_PREY",
    "UNKNOWN_PREY",
    "WORTH",
    "danger_at",
    "expected_gain",
    "measure_ways",
    "write_chances",
]

# What a piece is worth, by rank; the flag is the game.
WORTH = np.array([0, 3.0, 1.0, 2.5, 1.5, 2.0, 3.0, 4.5, 6.5, 9.0, 12.0, 2.0, 1000.0])
HOPE_OF_FLAG = 30.0  # an unmoved piece is worth this times the chance that it is the flag
ATTACKS_UNMOVED = 0.4  # how readily an unknown piece that has not moved is thought to attack
KNOWN_PREY, MOVED_PREY, UNKNOWN_PREY = 1, 2, 4  # what a way may lead to, as a sum


@kernel
def write_chances(position: NDArray[np.int16], seat: int, chances: NDArray[np.float64]) -> None:
    """Write how likely each rank is for unknown pieces of a seat [unmoved or moved, rank]."""
    first = layout.HIDDEN + seat * layout.RANKS
    unmoved, moved = 0, 0
    for square in range(layout.SQUARES):
        cell = layout.as_int64(position[layout.BOARD + square])
        if layout.owned_by(cell, seat) and (cell & layout.KNOWN) == 0:
            if (cell & layout.MOVED) != 0:
                moved += 1
            else:
                unmoved += 1
    fixed = position[first + layout.BOMB] + position[first + layout.FLAG]
    movable = max(unmoved + moved - fixed, 1)
    chances[:] = 0.0
    for rank in range(layout.SPY, layout.RANKS):
        count = position[first + rank]
        if layout.can_move(rank):
            chances[1, rank] = count / movable
            chances[0, rank] = chances[1, rank] * (1.0 - fixed / max(unmoved, 1))
        else:
            chances[0, rank] = count / max(unmoved, 1)


@kernel
def outcome_gain(attacker: int, defender: int) -> float:
    """Return what a fight gains: what is taken less what is lost."""
    result = layout.FIGHT[attacker, defender]
    if result == layout.WINS:
        return float(WORTH[defender])
    if result == layout.LOSES:
        return float(-WORTH[attacker])
    return float(WORTH[defender] - WORTH[attacker])


@kernel
def expected_gain(rank: int, cell: int, chances: NDArray[np.float64]) -> float:
    """Return what an attack of a rank on the piece in a cell gains on average."""
    if (cell & layout.KNOWN) != 0:
        return outcome_gain(rank, layout.rank_of(cell))
    moved = 1 if (cell & layout.MOVED) != 0 else 0
    gain = 0.0
    for defender in range(layout.SPY, layout.RANKS):
        share = chances[moved, defender]
        if defender == layout.FLAG:
            gain += share * HOPE_OF_FLAG
        elif share > 0.0:
            gain += share * outcome_gain(rank, defender)
    return gain


@kernel
def danger_at(
    position: NDArray[np.int16],
    seat: int,
    square: int,
    rank: int,
    hidden: bool,
    chances: NDArray[np.float64],
) -> float:
    """Return the chance that a piece of the seat would be taken on a square by who is beside it.

    Nobody likes to attack what is hidden: that halves what unknown pieces are feared for.
    """
    most = 0.0
    for direction in range(4):
        cell = layout.as_int64(position[layout.BOARD + layout.BESIDE[square, direction]])
        if not layout.owned_by(cell, 1 - seat):
            continue
        threat = 0.0
        if (cell & layout.KNOWN) != 0:
            enemy = layout.rank_of(cell)
            if layout.can_move(enemy) and layout.FIGHT[enemy, rank] == layout.WINS:
                threat = 0.6 if hidden else 1.0
        else:
            moved = 1 if (cell & layout.MOVED) != 0 else 0
            for enemy in range(layout.SPY, layout.MARSHAL + 1):
                if layout.FIGHT[enemy, rank] == layout.WINS:
                    threat += chances[moved, enemy]
            threat *= (1.0 if moved == 1 else ATTACKS_UNMOVED) * (0.5 if hidden else 1.0)
        most = max(most, threat)
    return most


@kernel
def is_prey(cell: int, seat: int, rank: int, wanted: int) -> bool:
    """Say whether a cell holds what a piece of the rank is after."""
    if not layout.owned_by(cell, 1 - seat):
        return False
    if (cell & layout.KNOWN) != 0:
        return (wanted & KNOWN_PREY) != 0 and layout.FIGHT[
            rank, layout.rank_of(cell)
        ] == layout.WINS
    if (wanted & UNKNOWN_PREY) != 0:
        return True
    return (wanted & MOVED_PREY) != 0 and (cell & layout.MOVED) != 0


@kernel
def measure_ways(
    position: NDArray[np.int16], seat: int, rank: int, wanted: int, steps: NDArray[np.int64]
) -> None:
    """Write for a piece of the rank how many steps it is from each square [101] to its prey."""
    line = np.empty(layout.SQUARES + 1, dtype=np.int64)
    end = 0
    for square in range(layout.SQUARES + 1):
        steps[square] = NEVER
        if square < layout.SQUARES and is_prey(
            layout.as_int64(position[layout.BOARD + square]), seat, rank, wanted
        ):
            steps[square] = 0
            line[end] = square
            end += 1
    spread_steps(position, seat, line, end, steps)
