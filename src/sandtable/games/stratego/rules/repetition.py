"""The two rules of Stratego against playing on for ever: two squares, and endless chases.

Both look only at what everybody sees: who moved from where to where.

Two squares: the seat's last moves in a row between the same two squares are counted in SHUTTLE. As
nobody else of that seat has moved in between, what stands on the last square is the same piece.

More squares: a piece that moves beside an enemy piece without attacking threatens it. A chase is a
row of such moves by one piece, each answered by a threatened piece that moves away, and each but
the first beside a piece that has moved away in this chase. A move of the chaser that goes on with
the chase must not lead to a position that has been after one of its moves in this chase. The way
straight back is left to the two-squares rule while that rule is on, as in tournaments.
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
def watched(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether one of the two rules may forbid something to the seat now."""
    limit = position[layout.TWO_SQUARES]
    if 0 < limit <= position[layout.SHUTTLE + seat]:
        return True
    return bool(position[layout.CHASE + seat] >= SHORTEST_REPEATING_CHASE)


@kernel
def shuttles(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether the two-squares rule forbids a move."""
    return bool(
        0 < position[layout.TWO_SQUARES] <= position[layout.SHUTTLE + seat]
        and from_square == position[layout.LAST_TO + seat]
        and to_square == position[layout.LAST_FROM + seat]
    )


@kernel
def chases_again(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether the more-squares rule forbids a move."""
    if (
        position[layout.CHASE + seat] < SHORTEST_REPEATING_CHASE
        or from_square != position[layout.LAST_TO + seat]
        or position[layout.BOARD + to_square] != 0
    ):
        return False
    if position[layout.TWO_SQUARES] > 0 and to_square == position[layout.LAST_FROM + seat]:
        return False
    return threatens_again(position, seat, to_square) and repeats(
        position, seat, from_square, to_square
    )


@kernel
def repeats(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether a move leads to a position that was there in the seat's chase.

    The moves are taken back one after the other, from this one on; where all pieces are back on
    the squares they have after it, the position is the same.
    """
    now = np.empty(layout.MOST_TRAIL + 1, dtype=np.int64)  # squares of pieces after the move
    then = np.empty(layout.MOST_TRAIL + 1, dtype=np.int64)  # and where the same pieces were
    now[0], then[0] = to_square, from_square
    count, displaced = 1, 1
    last = position[layout.TRAIL_LENGTH] - 1
    for back in range(position[layout.CHASE + seat] - 1):
        move = int(position[layout.TRAIL + last - back])
        left, reached = move // layout.SQUARES, move % layout.SQUARES
        piece = 0
        while piece < count and then[piece] != reached:
            piece += 1
        if piece == count:
            now[piece], then[piece] = reached, reached
            count += 1
        displaced -= 1 if then[piece] != now[piece] else 0
        then[piece] = left
        displaced += 1 if then[piece] != now[piece] else 0
        answer_taken_back = back % 2 == 0
        if answer_taken_back and displaced == 0:
            return True
    return False


@kernel
def forbidden(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether one of the two rules forbids a move."""
    return shuttles(position, seat, from_square, to_square) or chases_again(
        position, seat, from_square, to_square
    )


@kernel
def note_move(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Count moves between two squares, and remember the last one."""
    back = (
        from_square == position[layout.LAST_TO + seat]
        and to_square == position[layout.LAST_FROM + seat]
    )
    position[layout.SHUTTLE + seat] = position[layout.SHUTTLE + seat] + 1 if back else 1
    position[layout.LAST_FROM + seat] = from_square
    position[layout.LAST_TO + seat] = to_square


@kernel
def note_chases(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Follow the chases of both seats through a move without attack.

    Called when the piece is on its new square, and before ``note_move``.
    """
    if position[layout.MORE_SQUARES] == 0:
        return
    other = 1 - seat
    fled = position[layout.CHASE + other] > 0 and is_beside(
        from_square, layout.as_int64(position[layout.LAST_TO + other])
    )
    length_of_other = position[layout.CHASE + other] + 1 if fled else 0
    length = 0
    if threatens(position, seat, to_square):
        length = 1
        same_piece = (
            position[layout.CHASE + seat] > 0 and from_square == position[layout.LAST_TO + seat]
        )
        if same_piece and threatens_again(position, seat, to_square):
            length = position[layout.CHASE + seat] + 1
    if length == 0 and length_of_other == 0 and position[layout.TRAIL_LENGTH] == 0:
        return
    append(position, from_square * layout.SQUARES + to_square)
    position[layout.CHASE + seat] = min(length, layout.MOST_TRAIL)
    position[layout.CHASE + other] = min(length_of_other, layout.MOST_TRAIL)
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
def forget_chases(position: NDArray[np.int16]) -> None:
    """An attack ends all chases."""
    for index in range(position[layout.TRAIL_LENGTH]):
        position[layout.TRAIL + index] = 0
    position[layout.CHASE] = position[layout.CHASE + 1] = position[layout.TRAIL_LENGTH] = 0
