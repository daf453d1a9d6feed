"""Chases in Stratego, the more-squares rule: a hunt must not come back to where it has been.

A piece that moves beside an enemy piece, walking or as the winner of a fight, threatens it. A
player's chase is a row of such moves, by one piece or by several, each answered at once by a piece
that the move has threatened and that walks away. It begins with the first of these moves and ends
with a move that threatens nobody, with another answer, and with every attack; a fight that is won
beside a further enemy begins a new one.

The chaser must not walk beside a piece that has walked away in this chase if then every square
would hold what it held after some move since the chase began. Straight back, with the piece that
has moved last, is left to the two-squares rule while that rule is on. Whoever is chased is free.

Ranks are hidden, so none plays a part in who threatens whom, and pieces are told apart; only pieces
of the same side and of the same rank, known to both sides, can stand in for each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.trails import (
    SHORTEST_REPEATING_CHASE,
    follow,
    forget,
    is_beside,
    threatens,
    threatens_again,
)

NO_MOVE = -1
NO_PIECE = -1
FIRST_KNOWN_KIND = 1000  # more than there are pieces


@inlined
def note_walk(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Follow the chases of both seats through a move without attack."""
    other = 1 - seat
    length, length_of_other = layout.as_int64(0), layout.as_int64(position[layout.CHASE + other])
    if length_of_other > 0:
        hunter = layout.as_int64(position[layout.LAST_TO + other])
        length_of_other = length_of_other + 1 if is_beside(from_square, hunter) else 0
    if threatens(position, seat, to_square):
        length = layout.as_int64(position[layout.CHASE + seat]) + 1
    if length > 0 or length_of_other > 0 or position[layout.TRAIL_LENGTH] > 0:
        follow(position, seat, from_square, to_square, length, length_of_other)


@kernel
def note_fight(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """End all chases; a piece that has won beside a further enemy begins a new one."""
    forget(position)
    won = layout.owned_by(layout.as_int64(position[layout.BOARD + to_square]), seat)
    if won and threatens(position, seat, to_square):
        follow(position, seat, from_square, to_square, layout.as_int64(1), layout.as_int64(0))


@kernel
def list_repeating(
    position: NDArray[np.int16],
    seat: int,
    moves: NDArray[np.int64],
    ages: NDArray[np.int64],
    count: int,
) -> int:
    """Append the moves that the more-squares rule forbids and that are not yet in the list.

    Moves are from square * 100 + to square; ages says how many moves ago the position was there
    that would come again. Returns how many moves there are now.

    The moves of the chase are taken back one after the other. Where only one piece stood
    elsewhere, moving it there makes the position of then.
    """
    chase = layout.as_int64(position[layout.CHASE + seat])
    if chase < SHORTEST_REPEATING_CHASE:
        return count
    now = np.empty(layout.MOST_TRAIL, dtype=np.int64)  # squares of the pieces that have moved
    then = np.empty(layout.MOST_TRAIL, dtype=np.int64)  # where they stood before
    kinds = np.empty(layout.MOST_TRAIL, dtype=np.int64)  # who can stand in for whom
    pieces = layout.as_int64(0)
    last = layout.as_int64(position[layout.TRAIL_LENGTH]) - 1
    for back in range(chase - 1):
        move = layout.as_int64(position[layout.TRAIL + last - back])
        left, reached = move // layout.SQUARES, move % layout.SQUARES
        piece = layout.as_int64(0)
        while piece < pieces and then[piece] != reached:
            piece += 1
        if piece == pieces:
            now[piece] = reached
            kinds[piece] = kind_of(layout.as_int64(position[layout.BOARD + reached]), piece)
            pieces += 1
        then[piece] = left
        step = only_difference(now, then, kinds, pieces)
        if step != NO_MOVE and is_forbidden_step(position, seat, step):
            known = False
            for index in range(count):
                known = known or moves[index] == step
            if not known:
                moves[count] = step
                ages[count] = back + 1
                count += 1
    return count


@kernel
def kind_of(cell: int, piece: int) -> int:
    """Return a number that a piece shares with those that can stand in for it."""
    if (cell & layout.KNOWN) == 0:
        return piece
    return FIRST_KNOWN_KIND + (cell & (layout.RANK_BITS | layout.OWNED | layout.OWNED << 1))


@kernel
def only_difference(
    now: NDArray[np.int64], then: NDArray[np.int64], kinds: NDArray[np.int64], pieces: int
) -> int:
    """Return the one move that makes what was there then of what is there now, or NO_MOVE."""
    gone, missing = NO_PIECE, NO_PIECE  # stands where nobody stood, stood where nobody stands
    for piece in range(pieces):
        if then[piece] == now[piece]:
            continue
        holder = holder_of(now, pieces, then[piece])
        if holder != NO_PIECE:
            if kinds[holder] != kinds[piece]:
                return NO_MOVE
        elif missing != NO_PIECE:
            return NO_MOVE
        else:
            missing = piece
        if holder_of(then, pieces, now[piece]) == NO_PIECE:
            gone = piece
    if missing == NO_PIECE or kinds[gone] != kinds[missing]:
        return NO_MOVE
    return int(now[gone] * layout.SQUARES + then[missing])


@kernel
def holder_of(squares: NDArray[np.int64], pieces: int, square: int) -> int:
    """Return which of some pieces stands on a square, or NO_PIECE."""
    for piece in range(pieces):
        if squares[piece] == square:
            return layout.as_int64(piece)
    return layout.as_int64(NO_PIECE)


@kernel
def is_forbidden_step(position: NDArray[np.int16], seat: int, step: int) -> bool:
    """Say whether a move back into a position of the chase is forbidden, not just impossible."""
    from_square, to_square = step // layout.SQUARES, step % layout.SQUARES
    if not layout.owned_by(layout.as_int64(position[layout.BOARD + from_square]), seat):
        return False
    straight_back = (
        from_square == position[layout.LAST_TO + seat]
        and to_square == position[layout.LAST_FROM + seat]
    )
    if straight_back and position[layout.TWO_SQUARES] > 0:
        return False
    return is_walkable(position, from_square, to_square) and threatens_again(
        position, seat, to_square
    )


@kernel
def is_walkable(position: NDArray[np.int16], from_square: int, to_square: int) -> bool:
    """Say whether a piece that has moved can walk to an empty square."""
    if is_beside(from_square, to_square):
        return True
    cell = layout.as_int64(position[layout.BOARD + from_square])
    if layout.rank_of(cell) != layout.SCOUT or position[layout.LONG_SCOUTS] == 0:
        return False
    in_row = from_square // layout.SIDE == to_square // layout.SIDE
    if not in_row and from_square % layout.SIDE != to_square % layout.SIDE:
        return False
    step = 1 if in_row else layout.SIDE
    low, high = min(from_square, to_square), max(from_square, to_square)
    free = True
    for square in range(low + step, high, step):
        free = free and position[layout.BOARD + square] == 0
    return free
