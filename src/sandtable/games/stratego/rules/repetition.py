"""The two rules of Stratego against playing on for ever: two squares, and endless chases.

Both look only at what everybody sees: who moved from where to where.

Two squares: a piece must not cross a border between two squares once more that it has crossed with
each of the last moves of its side, as many as the limit. A step crosses one border, a scout each
one on its way, and whether a move attacks makes no difference. CROSSINGS counts that for the line
of the seat's last move; as nobody else of that seat has moved since, what stands on the last square
is the same piece. SHUTTLE counts the moves between the same two ends, which planes and lines show.

More squares: see ``chases``. With the option ``repetition=version-1`` both rules are those of
``single_chaser``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules import chases, single_chaser
from sandtable.games.stratego.rules.trails import SHORTEST_REPEATING_CHASE, forget

FARTHEST = layout.SIDE - 1
MOST_FORBIDDEN = 256  # as many as a seat can have moves
NO_BORDER = -1


@kernel
def watched(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether one of the two rules may forbid something to the seat now."""
    if position[layout.CHASE + seat] >= SHORTEST_REPEATING_CHASE:
        return True
    counts = layout.CROSSED if position[layout.REPETITION] == layout.TOURNAMENT else layout.SHUTTLE
    return bool(0 < position[layout.TWO_SQUARES] <= position[counts + seat])


@kernel
def shuttles(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether the two-squares rule forbids a move."""
    if position[layout.REPETITION] != layout.TOURNAMENT:
        return single_chaser.shuttles(position, seat, from_square, to_square)
    return most_crossed(position, seat, from_square, to_square) != NO_BORDER


@kernel
def most_crossed(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> int:
    """Return the border on a way that the seat's last piece may not cross again, or NO_BORDER."""
    limit = position[layout.TWO_SQUARES]
    if (
        not 0 < limit <= position[layout.CROSSED + seat]
        or from_square != position[layout.LAST_TO + seat]
        or in_row(from_square, to_square)
        != in_row(from_square, layout.as_int64(position[layout.LAST_FROM + seat]))
    ):
        return layout.as_int64(NO_BORDER)
    first, end = borders(from_square, to_square)
    found = layout.as_int64(NO_BORDER)
    for border in range(first, end):
        if position[layout.CROSSINGS + seat * layout.BORDERS + border] >= limit:
            found = layout.as_int64(border)
    return found


@kernel
def in_row(square: int, other: int) -> bool:
    """Say whether two squares are in the same row; those of a move are else in the same column."""
    return square // layout.SIDE == other // layout.SIDE


@kernel
def borders(from_square: int, to_square: int) -> tuple[int, int]:
    """Return the first border that a move crosses, and the first one behind; 0 is at a or at 10."""
    if in_row(from_square, to_square):
        start, goal = from_square % layout.SIDE, to_square % layout.SIDE
    else:
        start, goal = from_square // layout.SIDE, to_square // layout.SIDE
    return layout.as_int64(min(start, goal)), layout.as_int64(max(start, goal))


@kernel
def forbidden_moves(
    position: NDArray[np.int16], seat: int, moves: NDArray[np.int64], ages: NDArray[np.int64]
) -> int:
    """List the moves that only these rules forbid, in two arrays of MOST_FORBIDDEN.

    Moves are from square * 100 + to square. Of those that would repeat a position of a chase ages
    says how many moves ago it was there, of others it says 0. Returns how many there are.
    """
    count = layout.as_int64(0)
    square = layout.as_int64(position[layout.LAST_TO + seat])
    alone = position[layout.REPETITION] != layout.TOURNAMENT
    if layout.owned_by(layout.as_int64(position[layout.BOARD + square]), seat):  # else it is lost
        for direction in range(4):
            for index in range(room(position, seat, square, direction)):
                to_square = square + (index + 1) * layout.STEP[direction]
                if shuttles(position, seat, square, to_square) or (
                    alone and single_chaser.chases_again(position, seat, square, to_square)
                ):
                    moves[count], ages[count] = square * layout.SQUARES + to_square, 0
                    count += 1
    return count if alone else chases.list_repeating(position, seat, moves, ages, count)


@kernel
def room(position: NDArray[np.int16], seat: int, square: int, direction: int) -> int:
    """Count the squares that the piece on a square can go to in one direction."""
    blocked = (layout.OWNED << seat) | layout.LAKE
    scout = layout.rank_of(layout.as_int64(position[layout.BOARD + square])) == layout.SCOUT
    farthest = FARTHEST if scout and position[layout.LONG_SCOUTS] != 0 else 1
    count = 0
    square = int(layout.BESIDE[square, direction])
    while count < farthest and (position[layout.BOARD + square] & blocked) == 0:
        count += 1
        if position[layout.BOARD + square] != 0:  # an enemy can be attacked, but not jumped over
            break
        square = int(layout.BESIDE[square, direction])
    return count


@kernel
def note_move(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Count moves between two squares, and remember the last one."""
    if position[layout.TWO_SQUARES] > 0 and position[layout.REPETITION] == layout.TOURNAMENT:
        count_crossings(position, seat, from_square, to_square)
    back = (
        from_square == position[layout.LAST_TO + seat]
        and to_square == position[layout.LAST_FROM + seat]
    )
    position[layout.SHUTTLE + seat] = position[layout.SHUTTLE + seat] + 1 if back else 1
    position[layout.LAST_FROM + seat] = from_square
    position[layout.LAST_TO + seat] = to_square


@kernel
def count_crossings(
    position: NDArray[np.int16], seat: int, from_square: int, to_square: int
) -> None:
    """Count the borders that a move crosses; those that it does not cross begin anew."""
    last_from = layout.as_int64(position[layout.LAST_FROM + seat])
    last_to = layout.as_int64(position[layout.LAST_TO + seat])
    goes_on = from_square == last_to and in_row(from_square, to_square) == in_row(
        last_from, last_to
    )
    counts = layout.CROSSINGS + seat * layout.BORDERS
    first, end = borders(from_square, to_square)
    last_first, last_end = borders(last_from, last_to)
    for border in range(last_first, last_end):
        if not (goes_on and first <= border < end):
            position[counts + border] = 0
    most = layout.as_int64(0)
    for border in range(first, end):
        position[counts + border] += 1
        most = max(most, layout.as_int64(position[counts + border]))
    position[layout.CROSSED + seat] = most


@kernel
def note_walk(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Follow the chases of both seats through a move without attack.

    Called when the piece is on its new square, and before ``note_move``.
    """
    if position[layout.MORE_SQUARES] == 0:
        return
    if position[layout.REPETITION] == layout.TOURNAMENT:
        chases.note_walk(position, seat, from_square, to_square)
    else:
        single_chaser.note_walk(position, seat, from_square, to_square)


@kernel
def note_fight(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Follow the chases of both seats through an attack, when it is decided."""
    if position[layout.MORE_SQUARES] != 0 and position[layout.REPETITION] == layout.TOURNAMENT:
        chases.note_fight(position, seat, from_square, to_square)
    else:
        forget(position)
