"""Views of Stratego: what a seat may not know is taken out of a position, and drawn into a view.

Everybody sees where pieces stand (once both have set up), which of them have moved, every rank that
a fight or a long move has shown, and what is lost. That leaves the ranks of pieces not known: which
ones those are is clear from the losses, who is which is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.moves import can_step, has_move
from sandtable.games.stratego.rules.placement import left_to_place, put
from sandtable.games.stratego.rules.square_sets import (
    FIRST_ROW,
    HALF_BOARD,
    NOTHING,
    ONE,
    flip_square,
    lowest,
    set_at,
)

MOST_ATTEMPTS = 10_000  # to find a guess that could have come about; more than ever needed


@kernel
def hide(position: NDArray[np.int16], seat: int) -> None:
    """Turn a position into the view of a seat."""
    if layout.setting_up(position):
        screen(position, 1 - seat)
        return
    unseen = layout.OWNED << (1 - seat)
    for square in range(layout.SQUARES):
        cell = position[layout.BOARD + square]
        hidden = (cell & (unseen | layout.KNOWN)) == unseen
        position[layout.BOARD + square] = cell & ~(layout.RANK_BITS * hidden)
    keep_known(position, 1 - seat)


@kernel
def keep_known(position: NDArray[np.int16], seat: int) -> None:
    """Take the pieces that are not known out of the seat's sets of movable pieces and scouts."""
    upper, lower = set_at(position, layout.MOVERS + seat * layout.SIDE)
    for half in range(2):
        left, known = lower if half else upper, NOTHING
        while left != NOTHING:
            bit = lowest(left)
            left &= left - ONE
            cell = layout.as_int64(position[layout.BOARD + half * HALF_BOARD + bit])
            known |= np.uint64((cell // layout.KNOWN) & 1) << np.uint64(bit)
        for row in range(layout.SIDE // 2):
            columns = np.int64((known >> np.uint64(row * layout.SIDE)) & FIRST_ROW)
            first = seat * layout.SIDE + half * (layout.SIDE // 2) + row
            position[layout.MOVERS + first] &= columns
            position[layout.SCOUTS + first] &= columns


@kernel
def screen(position: NDArray[np.int16], seat: int) -> None:
    """Take all of a seat off: until both have set up nobody sees even where the pieces are."""
    for index in range(layout.setup_squares(position)):
        position[layout.BOARD + layout.setup_square(position, seat, index)] = 0
    for row in range(layout.SIDE):
        position[layout.PIECES + seat * layout.SIDE + row] = 0
        position[layout.MOVERS + seat * layout.SIDE + row] = 0
        position[layout.SCOUTS + seat * layout.SIDE + row] = 0


@kernel
def guess(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Fill the view of a seat with a position it allows, each as likely as any other.

    If it is the other's turn, or the game is over because the other could not move, positions
    that disagree with that are drawn again.
    """
    other = 1 - seat
    if layout.setting_up(position):
        guess_setup(position, other, dice)
        return
    squares = np.empty(
        layout.SQUARES, dtype=np.int64
    )  # of hidden pieces, those that have not moved first
    for _ in range(MOST_ATTEMPTS):
        unmoved, hidden = find_hidden(position, other, squares)
        draw_ranks(position, other, squares, unmoved, hidden, dice)
        rebuild_movers(position, other)
        if could_be(position, other):
            return


@kernel
def find_hidden(
    position: NDArray[np.int16], seat: int, squares: NDArray[np.int64]
) -> tuple[int, int]:
    """List the squares of the seat's hidden pieces; return how many have not moved, and all."""
    unmoved, hidden = 0, 0
    for wanted in (0, layout.MOVED):
        for square in range(layout.SQUARES):
            cell = layout.as_int64(position[layout.BOARD + square])
            if (
                layout.owned_by(cell, seat)
                and (cell & layout.KNOWN) == 0
                and (cell & layout.MOVED) == wanted
            ):
                squares[hidden] = square
                hidden += 1
        if wanted == 0:
            unmoved = hidden
    return unmoved, hidden


@kernel
def draw_ranks(
    position: NDArray[np.int16],
    seat: int,
    squares: NDArray[np.int64],
    unmoved: int,
    hidden: int,
    dice: NDArray[np.uint64],
) -> None:
    """Give the hidden ranks to the hidden pieces.

    Bombs and flag go to pieces that have not moved, each choice as likely; whatever the choice,
    the others can then be given to the rest in equally many ways.
    """
    used = 0
    for rank in range(layout.FLAG, layout.SPY - 1, -1):
        end = hidden if layout.can_move(rank) else unmoved
        for _ in range(position[layout.HIDDEN + seat * layout.RANKS + rank]):
            chosen = used + below(dice, end - used)
            squares[used], squares[chosen] = squares[chosen], squares[used]
            cell = layout.BOARD + squares[used]
            position[cell] = (position[cell] & ~layout.RANK_BITS) | rank
            used += 1


@kernel
def rebuild_movers(position: NDArray[np.int16], seat: int) -> None:
    """Make the sets of the seat's movable pieces and scouts anew from the board."""
    for row in range(layout.SIDE):
        position[layout.MOVERS + seat * layout.SIDE + row] = 0
        position[layout.SCOUTS + seat * layout.SIDE + row] = 0
    for square in range(layout.SQUARES):
        cell = layout.as_int64(position[layout.BOARD + square])
        if layout.owned_by(cell, seat) and layout.can_move(layout.rank_of(cell)):
            flip_square(position, layout.MOVERS + seat * layout.SIDE, square)
            if layout.rank_of(cell) == layout.SCOUT:
                flip_square(position, layout.SCOUTS + seat * layout.SIDE, square)


@kernel
def could_be(position: NDArray[np.int16], seat: int) -> bool:
    """Say whether the moves of a seat agree with its turn, or with why the game is over."""
    if position[layout.MOVER] == seat:
        return has_move(position, seat)
    if position[layout.ENDED] == layout.BOTH_STUCK:
        return not can_step(position, seat)
    if position[layout.ENDED] == layout.STUCK:
        if position[layout.PAPER_ENDS] == 1 and position[layout.WINNER] == 1 + seat:
            return True  # by the paper the winner need not have a move either
        return bool(has_move(position, seat) == (position[layout.WINNER] == 1 + seat))
    return True


@kernel
def guess_setup(position: NDArray[np.int16], seat: int, dice: NDArray[np.uint64]) -> None:
    """Draw a whole set-up for the seat, each as likely, and put down as much as it has decided."""
    decided = layout.as_int64(position[layout.DECIDED + seat])
    squares = layout.setup_squares(position)
    ranks = np.empty(squares, dtype=np.int64)
    count = 0
    position[layout.DECIDED + seat] = 0
    for rank in range(layout.LEAVE_EMPTY, layout.RANKS):
        for _ in range(left_to_place(position, seat, rank)):
            ranks[count] = rank
            count += 1
    position[layout.DECIDED + seat] = decided
    shown = squares if decided == layout.READY else decided
    for index in range(shown):
        chosen = index + below(dice, squares - index)
        ranks[index], ranks[chosen] = ranks[chosen], ranks[index]
        if ranks[index] != layout.LEAVE_EMPTY:
            put(position, seat, ranks[index], layout.setup_square(position, seat, index))
