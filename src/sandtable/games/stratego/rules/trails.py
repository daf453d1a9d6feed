"""The last moves of both sides in Stratego as far as they belong to a chase; who is beside whom.

TRAIL holds them, oldest first; of each seat CHASE says how many of the last are of its chase.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout

SHORTEST_REPEATING_CHASE = 4  # threat, answer, threat, answer: the next move can repeat the first


@kernel
def is_beside(square: int, other: int) -> bool:
    """Say whether two squares have a side in common."""
    horizontal = (
        layout.BESIDE[square, layout.LEFT] == other or layout.BESIDE[square, layout.RIGHT] == other
    )
    return bool(
        horizontal
        or layout.BESIDE[square, layout.UP] == other
        or layout.BESIDE[square, layout.DOWN] == other
    )


@kernel
def threatens(position: NDArray[np.int16], seat: int, square: int) -> bool:
    """Say whether an enemy of the seat stands beside a square."""
    for direction in range(4):
        if layout.owned_by(
            layout.as_int64(position[layout.BOARD + layout.BESIDE[square, direction]]), 1 - seat
        ):
            return True
    return False


@kernel
def has_moved_away(position: NDArray[np.int16], seat: int, square: int) -> bool:
    """Say whether the enemy on a square came there by moving away in the chase of the seat."""
    last = position[layout.TRAIL_LENGTH] - 1
    for back in range(position[layout.CHASE + seat]):
        if position[layout.TRAIL + last - back] % layout.SQUARES == square:
            return True
    return False


@kernel
def threatens_again(position: NDArray[np.int16], seat: int, square: int) -> bool:
    """Say whether an enemy stands beside a square that has moved away in the seat's chase."""
    for direction in range(4):
        beside = int(layout.BESIDE[square, direction])
        enemy = layout.owned_by(layout.as_int64(position[layout.BOARD + beside]), 1 - seat)
        if enemy and has_moved_away(position, seat, beside):
            return True
    return False


@kernel
def follow(
    position: NDArray[np.int16],
    seat: int,
    from_square: int,
    to_square: int,
    length: int,
    length_of_other: int,
) -> None:
    """Add a move, after which the chases of the seat and of the other one have these lengths."""
    if length == 0 and length_of_other == 0 and position[layout.TRAIL_LENGTH] == 0:
        return
    append(position, from_square * layout.SQUARES + to_square)
    position[layout.CHASE + seat] = min(length, layout.MOST_TRAIL)
    position[layout.CHASE + 1 - seat] = min(length_of_other, layout.MOST_TRAIL)
    keep_last(
        position,
        max(layout.as_int64(position[layout.CHASE]), layout.as_int64(position[layout.CHASE + 1])),
    )


@kernel
def append(position: NDArray[np.int16], move: int) -> None:
    """Add a move to the trail; the oldest makes room if it is full."""
    if position[layout.TRAIL_LENGTH] == layout.MOST_TRAIL:
        keep_last(position, layout.as_int64(position[layout.TRAIL_LENGTH]) - 1)
    position[layout.TRAIL + position[layout.TRAIL_LENGTH]] = move
    position[layout.TRAIL_LENGTH] += 1


@kernel
def keep_last(position: NDArray[np.int16], count: int) -> None:
    """Shorten the trail to its last moves."""
    length = position[layout.TRAIL_LENGTH]
    dropped = length - count
    if dropped <= 0:
        return
    for index in range(length):
        later = index + dropped
        position[layout.TRAIL + index] = position[layout.TRAIL + later] if later < length else 0
    position[layout.TRAIL_LENGTH] = count


@kernel
def forget(position: NDArray[np.int16]) -> None:
    """End all chases."""
    for index in range(position[layout.TRAIL_LENGTH]):
        position[layout.TRAIL + index] = 0
    position[layout.CHASE] = position[layout.CHASE + 1] = position[layout.TRAIL_LENGTH] = 0
