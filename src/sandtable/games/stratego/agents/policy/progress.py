"""Which quiet moves of Stratego lead somewhere: a guide for searches that see too few plies ahead.

Values learned from random games hardly tell one quiet move from another, so a search of a few plies
would walk about until the game is drawn. Distances tell: for each rank, how many steps it is from
every square to the nearest enemy that a piece of this rank could beat, as far as its owner knows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout

__all__ = ["NEVER", "measure_target_distances", "progress_of", "quiet_share", "spread_steps"]

NEVER = 99  # steps to an enemy that cannot be reached
USUAL_NO_ATTACK = 200  # quiet moves by which haste is measured in a game without their limit


@kernel
def is_target(cell: int, seat: int, rank: int) -> bool:
    """Say whether a cell holds an enemy that a piece of the rank beats, or might beat."""
    if not layout.owned_by(cell, 1 - seat):
        return False
    return (cell & layout.KNOWN) == 0 or layout.FIGHT[rank, layout.rank_of(cell)] == layout.WINS


@kernel
def passable(cell: int, seat: int) -> bool:
    """Say whether a way can lead over a square: own pieces that move may step aside."""
    if cell == 0:
        return True
    return (
        cell != layout.LAKE
        and layout.owned_by(cell, seat)
        and layout.can_move(layout.rank_of(cell))
    )


@kernel
def spread_steps(
    position: NDArray[np.int16],
    seat: int,
    line: NDArray[np.int64],
    end: int,
    steps: NDArray[np.int64],
) -> None:
    """Write how many steps squares are from the first ``end`` in ``line``, where 0 stands already.

    The line has room for all squares; NEVER stays where no way leads.
    """
    begin = 0
    while begin < end:
        square = line[begin]
        begin += 1
        for direction in range(4):
            beside = layout.BESIDE[square, direction]
            if steps[beside] != NEVER or not passable(
                layout.as_int64(position[layout.BOARD + beside]), seat
            ):
                continue  # the cell beyond the edge is a lake
            steps[beside] = steps[square] + 1
            line[end] = beside
            end += 1


@kernel
def measure_target_distances(
    position: NDArray[np.int16], seat: int, target_distances: NDArray[np.int64]
) -> None:
    """Write the steps [rank, square] to the nearest target, or NEVER; one search for each rank."""
    line = np.empty(layout.SQUARES, dtype=np.int64)
    for rank in range(layout.SPY, layout.MARSHAL + 1):
        steps = target_distances[rank]
        end = 0
        for square in range(layout.SQUARES):
            steps[square] = NEVER
            if is_target(layout.as_int64(position[layout.BOARD + square]), seat, rank):
                steps[square] = 0
                line[end] = square
                end += 1
        spread_steps(position, seat, line, end, steps)


@kernel
def quiet_share(position: NDArray[np.int16]) -> float:
    """Return how near the game is to a draw for want of attacks, from 0 to 1."""
    limit = position[layout.NO_ATTACK] if position[layout.NO_ATTACK] > 0 else USUAL_NO_ATTACK
    return float(min(1.0, position[layout.QUIET] / limit))


@kernel
def progress_of(
    position: NDArray[np.int16], action: int, target_distances: NDArray[np.int64]
) -> int:
    """Return by how many steps a move brings its piece nearer to a target: 1, 0 or -1."""
    side = layout.side_of(position)
    from_square, to_square = layout.from_square_of(side, action), layout.to_square_of(side, action)
    rank = layout.rank_of(layout.as_int64(position[layout.BOARD + from_square]))
    nearer = target_distances[rank, from_square] - target_distances[rank, to_square]
    return int(min(1, max(-1, nearer)))


def no_target_distances() -> NDArray[np.int64]:
    """Return room for distances [rank, square], with the cell beyond the edge."""
    return np.full((layout.RANKS, layout.SQUARES + 1), NEVER, dtype=np.int64)
