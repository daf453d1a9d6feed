"""The rules of Stratego against repetition as version 1 read them, for its records and figures.

A chase is a row of threats by one piece, each answered by a threatened piece that moves away, and
each but the first beside a piece that has moved away in this chase; and a way between two squares
is one between two ends, however far a scout goes. ``repetition`` has what is played today.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.trails import (
    SHORTEST_REPEATING_CHASE,
    follow,
    is_beside,
    threatens,
    threatens_again,
)


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
def note_walk(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Follow the chases of both seats through a move without attack."""
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
    follow(
        position,
        seat,
        from_square,
        to_square,
        layout.as_int64(length),
        layout.as_int64(length_of_other),
    )
