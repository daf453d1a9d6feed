"""Whether a position, or the view of a seat, could have come about, as far as one look can tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.games.stratego import layout
from sandtable.games.stratego.names import SEAT_NAMES, rank_name, square_name
from sandtable.games.stratego.rules.moves import has_move
from sandtable.types import Position

__all__ = ["check"]


def check(position: Position) -> None:
    """Raise a ValueError with the reason if no game can reach a position."""
    for seat in (layout.RED, layout.BLUE):
        check_marks(position, seat)
    hidden = [
        bool((ranks_of(position, seat) == layout.UNKNOWN).any())
        for seat in (layout.RED, layout.BLUE)
    ]
    if all(hidden):
        raise ValueError("every seat knows its own pieces, but both sides have unknown ones")
    if layout.setting_up(position):
        check_setup(position)
        return
    for seat in (layout.RED, layout.BLUE):
        check_counts(position, seat, hidden[seat])
    check_clock(position)
    check_end(position)
    mover = int(position[layout.MOVER])
    if mover != layout.OVER and not hidden[mover] and not has_move(position, mover):
        raise ValueError(f"{SEAT_NAMES[mover]} is to move but has no move, so the game is over")


def cells_of(position: Position, seat: int) -> NDArray[np.int16]:
    """Return the cells of the seat's pieces."""
    board = position[layout.BOARD : layout.BOARD + layout.SQUARES]
    cells: NDArray[np.int16] = board[(board & (layout.OWNED << seat)) != 0]
    return cells


def ranks_of(position: Position, seat: int) -> NDArray[np.int16]:
    """Return the ranks of the seat's pieces."""
    return cells_of(position, seat) % layout.OWNED


def check_marks(position: Position, seat: int) -> None:
    """Check that what has moved can move."""
    side = int(layout.SIDES[int(position[layout.VARIANT])])
    for square, cell in enumerate(position[layout.BOARD : layout.BOARD + layout.SQUARES].tolist()):
        if not cell & (layout.OWNED << seat):
            continue
        rank = cell % layout.OWNED
        if rank in (layout.BOMB, layout.FLAG) and cell & layout.MOVED:
            name = square_name(square, side)
            raise ValueError(f"the {rank_name(rank)} on {name} cannot have moved")


def check_setup(position: Position) -> None:
    """Check the pieces of a set-up: the right ones so far, and all of them on own squares."""
    if (
        position[layout.PLIES]
        or (position[layout.ALIVE : layout.HIDDEN + 2 * layout.RANKS] != whole_army(position)).any()
    ):
        raise ValueError("nothing moves and nothing is lost before both sides are ready")
    squares = int(layout.setup_squares(position))
    for seat in (layout.RED, layout.BLUE):
        decided = int(position[layout.DECIDED + seat])
        ready = decided == layout.READY
        if not ready and decided > squares:
            raise ValueError(f"a side sets up on {squares} squares, got {decided}")
        cells, ranks = cells_of(position, seat), ranks_of(position, seat)
        if (cells >= 2 * (layout.OWNED << seat)).any() or (ranks == layout.UNKNOWN).any():
            raise ValueError("pieces of a set-up have not moved and are not known")
        shown = squares if ready else decided
        places = [int(layout.setup_square(position, seat, index)) for index in range(shown)]
        placed = int((position[places] != 0).sum()) if places else 0
        counts = np.bincount(ranks, minlength=layout.RANKS)
        most = layout.PIECE_COUNTS[int(position[layout.VARIANT])]
        empty = squares - int(most.sum())
        if placed != len(ranks) or (counts > most).any() or 0 < placed < shown - empty:
            raise ValueError(f"{SEAT_NAMES[seat]} cannot have set up these pieces so far")


def whole_army(position: Position) -> NDArray[np.int64]:
    """Return the counts of a position in which nothing is lost or known."""
    return np.tile(layout.PIECE_COUNTS[int(position[layout.VARIANT])], 4)


def check_counts(position: Position, seat: int, hidden: bool) -> None:
    """Check the number of pieces on the board against what is lost."""
    name = SEAT_NAMES[seat]
    alive = position[layout.ALIVE + seat * layout.RANKS : layout.ALIVE + (seat + 1) * layout.RANKS]
    left = position[layout.HIDDEN + seat * layout.RANKS : layout.HIDDEN + (seat + 1) * layout.RANKS]
    ranks = ranks_of(position, seat)
    if len(ranks) != alive.sum():
        raise ValueError(f"{name} has {len(ranks)} pieces, by its losses it is {alive.sum()}")
    cells = cells_of(position, seat)
    if not hidden:
        counts = np.bincount(ranks, minlength=layout.RANKS)
        if (counts != alive).any():
            rank = int(np.flatnonzero(counts != alive)[0])
            raise ValueError(
                f"{name} has {counts[rank]} of the rank {rank_name(rank)}, "
                f"by its losses it is {alive[rank]}"
            )
        return
    covered = cells[(cells & layout.KNOWN) == 0]
    if (covered % layout.OWNED != layout.UNKNOWN).any():
        raise ValueError(f"a view shows all unknown pieces as '?', but {name} has others")
    moved = int(((covered & layout.MOVED) != 0).sum())
    if moved > left.sum() - left[layout.BOMB] - left[layout.FLAG]:
        raise ValueError(f"{moved} unknown pieces of {name} have moved, more than can move")


def check_clock(position: Position) -> None:
    """Check the numbers of moves."""
    mover, plies, quiet = (
        int(position[cell]) for cell in (layout.MOVER, layout.PLIES, layout.QUIET)
    )
    if mover == layout.OVER:
        return
    if plies % 2 != mover:
        raise ValueError("Red moves after an even number of moves, Blue after an odd one")
    if plies >= position[layout.MOST_PLIES]:
        raise ValueError(f"the game is drawn after {position[layout.MOST_PLIES]} moves")
    if 0 < position[layout.NO_ATTACK] <= quiet:
        raise ValueError(
            f"the game is drawn after {position[layout.NO_ATTACK]} moves without an attack"
        )


def check_end(position: Position) -> None:
    """Check that a flag is lost if and only if the game ended with that."""
    for seat in (layout.RED, layout.BLUE):
        lost = position[layout.ALIVE + seat * layout.RANKS + layout.FLAG] == 0
        taken = position[layout.ENDED] == layout.FLAG_TAKEN and position[layout.WINNER] == 1 + (
            1 - seat
        )
        if lost != taken:
            name = SEAT_NAMES[seat]
            raise ValueError(f"the game is over when {name}'s flag is lost, and only then")
