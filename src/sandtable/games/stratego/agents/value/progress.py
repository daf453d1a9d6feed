"""Which quiet moves of Stratego lead somewhere: a guide for searches that see too few plies ahead.

Values learned from random games hardly tell one quiet move from another, so a search of a few plies
would walk about until the game is drawn. Distances tell: for each rank, how many steps it is from
every square to the nearest enemy that a piece of this rank could beat, as far as its owner knows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego.layout import (
    BESIDE,
    BOARD,
    FIGHT,
    KNOWN,
    LAKE,
    MARSHAL,
    NO_ATTACK,
    QUIET,
    RANKS,
    SPY,
    SQUARES,
    WINS,
    can_move,
    from_square_of,
    owned_by,
    rank_of,
    side_of,
    to_square_of,
    whole,
)

__all__ = ["NEVER", "measure_ways", "progress_of", "quiet_share"]

NEVER = 99  # steps to an enemy that cannot be reached
USUAL_NO_ATTACK = 200  # quiet moves by which haste is measured in a game without their limit


@kernel
def is_target(cell: int, seat: int, rank: int) -> bool:
    """Say whether a cell holds an enemy that a piece of the rank beats, or might beat."""
    if not owned_by(cell, 1 - seat):
        return False
    return (cell & KNOWN) == 0 or FIGHT[rank, rank_of(cell)] == WINS


@kernel
def passable(cell: int, seat: int) -> bool:
    """Say whether a way can lead over a square: own pieces that move may step aside."""
    if cell == 0:
        return True
    return cell != LAKE and owned_by(cell, seat) and can_move(rank_of(cell))


@kernel
def measure_ways(position: NDArray[np.int16], seat: int, ways: NDArray[np.int64]) -> None:
    """Write the steps [rank, square] to the nearest target, or NEVER; one search for each rank."""
    line = np.empty(SQUARES, dtype=np.int64)
    for rank in range(SPY, MARSHAL + 1):
        steps = ways[rank]
        end = 0
        for square in range(SQUARES):
            steps[square] = NEVER
            if is_target(whole(position[BOARD + square]), seat, rank):
                steps[square] = 0
                line[end] = square
                end += 1
        begin = 0
        while begin < end:
            square = line[begin]
            begin += 1
            for direction in range(4):
                beside = BESIDE[square, direction]
                if steps[beside] != NEVER or not passable(whole(position[BOARD + beside]), seat):
                    continue  # the cell beyond the edge is a lake
                steps[beside] = steps[square] + 1
                line[end] = beside
                end += 1


@kernel
def quiet_share(position: NDArray[np.int16]) -> float:
    """Return how near the game is to a draw for want of attacks, from 0 to 1."""
    limit = position[NO_ATTACK] if position[NO_ATTACK] > 0 else USUAL_NO_ATTACK
    return float(min(1.0, position[QUIET] / limit))


@kernel
def progress_of(position: NDArray[np.int16], action: int, ways: NDArray[np.int64]) -> int:
    """Return by how many steps a move brings its piece nearer to a target: 1, 0 or -1."""
    side = side_of(position)
    from_square, to_square = from_square_of(side, action), to_square_of(side, action)
    rank = rank_of(whole(position[BOARD + from_square]))
    nearer = ways[rank, from_square] - ways[rank, to_square]
    return int(min(1, max(-1, nearer)))


def no_ways() -> NDArray[np.int64]:
    """Return room for distances [rank, square], with the cell beyond the edge."""
    return np.full((RANKS, SQUARES + 1), NEVER, dtype=np.int64)
