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

from sandtable.compiled import inlined, kernel
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
    limit = position[layout.TWO_SQUARES]
    most = max(position[layout.SHUTTLE + seat], position[layout.CROSSED + seat])
    return bool(0 < limit <= most)


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
    most = max(position[layout.SHUTTLE + seat], position[layout.CROSSED + seat])
    found = layout.as_int64(NO_BORDER)
    if not 0 < limit <= most or not turns_back(position, seat, from_square, to_square):
        return found
    first, end = borders(from_square, to_square)
    for border in range(first, end):
        if times_crossed(position, seat, layout.as_int64(border)) >= limit:
            found = layout.as_int64(border)
    return found


@kernel
def turns_back(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether a move takes the seat's last piece back on the line that it has come."""
    if from_square != position[layout.LAST_TO + seat] or position[layout.SHUTTLE + seat] == 0:
        return False
    last_from = layout.as_int64(position[layout.LAST_FROM + seat])
    return in_row(from_square, to_square) == in_row(from_square, last_from) and (
        to_square > from_square
    ) == (last_from > from_square)


@kernel
def times_crossed(position: NDArray[np.int16], seat: int, border: int) -> int:
    """Return how many of the seat's last moves in a row have crossed a border of its last line."""
    if position[layout.CROSSED + seat] > 0:
        return layout.as_int64(position[layout.CROSSINGS + seat * layout.BORDERS + border])
    first, end = borders(
        layout.as_int64(position[layout.LAST_FROM + seat]),
        layout.as_int64(position[layout.LAST_TO + seat]),
    )
    return layout.as_int64(position[layout.SHUTTLE + seat] if first <= border < end else 0)


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
    back = (
        from_square == position[layout.LAST_TO + seat]
        and to_square == position[layout.LAST_FROM + seat]
    )
    position[layout.SHUTTLE + seat] = position[layout.SHUTTLE + seat] + 1 if back else 1
    position[layout.LAST_FROM + seat] = from_square
    position[layout.LAST_TO + seat] = to_square


@inlined
def has_crossings(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> bool:
    """Say whether ``count_crossings`` has to be called before ``note_move``, which is seldom."""
    return bool(
        position[layout.CROSSED + seat] > 0
        or (
            from_square == position[layout.LAST_TO + seat]
            and to_square != position[layout.LAST_FROM + seat]
            and turns_back(position, seat, from_square, to_square)
        )
    )


@kernel
def count_crossings(
    position: NDArray[np.int16], seat: int, from_square: int, to_square: int
) -> None:
    """Count the borders that a move crosses, where the new SHUTTLE does not say it."""
    back = (
        from_square == position[layout.LAST_TO + seat]
        and to_square == position[layout.LAST_FROM + seat]
    )
    times = position[layout.SHUTTLE + seat] + 1 if back else 1
    first, end = borders(from_square, to_square)
    counts = layout.CROSSINGS + seat * layout.BORDERS
    most, alike = layout.as_int64(0), True
    tournament = position[layout.REPETITION] == layout.TOURNAMENT
    if (
        tournament
        and position[layout.TWO_SQUARES] > 0
        and turns_back(position, seat, from_square, to_square)
    ):
        for border in range(first, end):
            count = times_crossed(position, seat, layout.as_int64(border)) + 1
            most = max(most, count)
            alike = alike and count == times
    for border in range(layout.BORDERS):
        kept = not alike and first <= border < end
        position[counts + border] = (
            times_crossed(position, seat, layout.as_int64(border)) + 1 if kept else 0
        )
    position[layout.CROSSED + seat] = 0 if alike else most


@inlined
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


@inlined
def note_fight(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Follow the chases of both seats through an attack, when it is decided."""
    if position[layout.MORE_SQUARES] != 0 and position[layout.REPETITION] == layout.TOURNAMENT:
        chases.note_fight(position, seat, from_square, to_square)
    else:
        forget(position)
