"""What can be: positions and views that could have come about, and why an action is not legal.

Positions are judged as far as one look can tell. What is said of an action is said from what the
mover sees: its own pieces, and where others stand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.moves import has_move
from sandtable.games.stratego.rules.repetition import (
    MOST_FORBIDDEN,
    forbidden_moves,
    most_crossed,
    shuttles,
    times_crossed,
)
from sandtable.types import Position

__all__ = [
    "check_position",
    "reason_against",
    "reason_against_repetition",
    "reason_against_way",
    "repeating_moves",
]


def check_position(position: Position) -> None:
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
        raise ValueError(
            f"{layout.SEAT_NAMES[mover]} is to move but has no move, so the game is over"
        )


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
            name = layout.square_name(square, side)
            raise ValueError(f"the {layout.rank_name(rank)} on {name} cannot have moved")


def check_setup(position: Position) -> None:
    """Check the pieces of a set-up: the right ones so far, and all of them on own squares."""
    if (
        position[layout.PLIES]
        or (position[layout.ALIVE : layout.HIDDEN + 2 * layout.RANKS] != full_army(position)).any()
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
            raise ValueError(f"{layout.SEAT_NAMES[seat]} cannot have set up these pieces so far")


def full_army(position: Position) -> NDArray[np.int64]:
    """Return the counts of a position in which nothing is lost or known."""
    return np.tile(layout.PIECE_COUNTS[int(position[layout.VARIANT])], 4)


def check_counts(position: Position, seat: int, hidden: bool) -> None:
    """Check the number of pieces on the board against what is lost."""
    name = layout.SEAT_NAMES[seat]
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
                f"{name} has {counts[rank]} of the rank {layout.rank_name(rank)}, "
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
            name = layout.SEAT_NAMES[seat]
            raise ValueError(f"the game is over when {name}'s flag is lost, and only then")


# --- actions --------------------------------------------------------------------------------------


def reason_against(position: Position, action: int) -> str:
    """Name the rule that an action of the mover breaks; empty if it breaks none.

    >>> from sandtable.dice import Dice
    >>> from sandtable.games.stratego.game import stratego
    >>> game = stratego("mini", setup="corner")
    >>> reason_against(game.start(Dice(1)).position, game.notation.parse_action("a1-a2"))
    'the flag on a1 never moves'
    """
    position = np.array(position)  # kernels would be compiled anew for a read-only one
    base = int(layout.setup_base(position))
    if layout.setting_up(position):
        return reason_against_placement(position, action - base)
    if action >= base:
        return "the set-up is over"
    side = int(layout.side_of(position))
    from_square, to_square = layout.from_square_of(side, action), layout.to_square_of(side, action)
    return reason_against_piece(position, from_square) or reason_against_way(
        position, from_square, to_square
    )


def reason_against_placement(position: Position, choice: int) -> str:
    """Say what is wrong with a choice for the next square of a set-up."""
    seat, decided = (
        int(position[layout.MOVER]),
        int(position[layout.DECIDED + int(position[layout.MOVER])]),
    )
    squares = int(layout.setup_squares(position))
    if choice < 0:
        return "both sides set up before anybody moves"
    if choice == layout.DONE:
        left = squares - decided
        return f"{left} {'square is' if left == 1 else 'squares are'} not decided yet" * (left > 0)
    if decided == squares:
        return "every square is decided; 'done' ends the set-up"
    cells = [
        position[layout.BOARD + layout.setup_square(position, seat, index)]
        for index in range(decided)
    ]
    placed = sum(layout.rank_of(int(cell)) == choice for cell in cells)
    counts = layout.PIECE_COUNTS[int(position[layout.VARIANT])]
    allowed = squares - int(counts.sum()) if choice == layout.LEAVE_EMPTY else int(counts[choice])
    if placed < allowed:
        return ""
    if choice == layout.LEAVE_EMPTY:
        return "no square may be left empty" if allowed == 0 else "the other squares need pieces"
    name = layout.rank_name(choice)
    return f"there is no {name} in this variant" if allowed == 0 else f"every {name} is placed"


def reason_against_piece(position: Position, square: int) -> str:
    """Say what is wrong with moving what stands on a square."""
    seat, cell = int(position[layout.MOVER]), int(position[layout.BOARD + square])
    name = layout.square_name(square, int(layout.side_of(position)))
    if cell == layout.LAKE:
        return f"{name} is a lake"
    if cell == 0:
        return f"there is no piece on {name}"
    if not layout.owned_by(cell, seat):
        return f"the piece on {name} is {layout.SEAT_NAMES[1 - seat]}'s"
    if not layout.can_move(layout.rank_of(cell)):
        return f"the {layout.rank_name(layout.rank_of(cell))} on {name} never moves"
    return ""


def reason_against_way(position: Position, from_square: int, to_square: int) -> str:
    """Say what is wrong with the way of a piece that can move."""
    seat, side = int(position[layout.MOVER]), int(layout.side_of(position))
    rank = layout.rank_of(int(position[layout.BOARD + from_square]))
    step = layout.SIDE if (to_square - from_square) % layout.SIDE == 0 else 1
    step = step if to_square > from_square else -step
    way = range(from_square + step, to_square + step, step)
    target = layout.square_name(to_square, side)
    if len(way) > 1 and rank != layout.SCOUT:
        return f"a {layout.rank_name(rank)} moves one square, only scouts move farther"
    if len(way) > 1 and not position[layout.LONG_SCOUTS]:
        return "with long_scouts=false scouts also move one square"
    for square in way[:-1]:
        if position[layout.BOARD + square] != 0:
            return f"{layout.square_name(square, side)} is in the way to {target}"
    if position[layout.BOARD + to_square] == layout.LAKE:
        return f"{target} is a lake"
    if layout.owned_by(int(position[layout.BOARD + to_square]), seat):
        return f"an own piece is on {target}"
    return reason_against_repetition(position, from_square, to_square)


def reason_against_repetition(position: Position, from_square: int, to_square: int) -> str:
    """Say which of the two rules against repetition forbids a way, and why."""
    seat, side = int(position[layout.MOVER]), int(layout.side_of(position))
    if shuttles(position, seat, from_square, to_square):
        if to_square == position[layout.LAST_FROM + seat] and (
            0 < position[layout.TWO_SQUARES] <= position[layout.SHUTTLE + seat]
        ):
            crossed, ends = "gone", (from_square, to_square)
            times = int(position[layout.SHUTTLE + seat])
        else:  # a scout, which went over this border from and to several squares
            border = int(most_crossed(position, seat, from_square, to_square))
            crossed, ends = "crossed", squares_beside(border, from_square, to_square)
            times = int(times_crossed(position, seat, border))
        squares = " and ".join(layout.square_name(square, side) for square in ends)
        return f"two-squares rule: it has {crossed} between {squares} in {times} moves in a row"
    age = repeating_moves(position).get((from_square, to_square))
    if age is None:
        return ""
    which = f", that of {age} moves ago" if age else ""
    return f"more-squares rule: the chase would repeat a position{which}"


def squares_beside(border: int, from_square: int, to_square: int) -> tuple[int, int]:
    """Return the squares on both sides of a border on a way, in the order of the way."""
    row, column = divmod(from_square, layout.SIDE)
    if row == to_square // layout.SIDE:
        low = row * layout.SIDE + border
        high = low + 1
    else:
        low = border * layout.SIDE + column
        high = low + layout.SIDE
    return (low, high) if from_square < to_square else (high, low)


def repeating_moves(position: Position) -> dict[tuple[int, int], int]:
    """Return the moves that only the rules against repetition forbid the mover, by both squares.

    With each stands how many moves ago the position was there that a chase would repeat, or 0.
    """
    moves = np.zeros(MOST_FORBIDDEN, dtype=np.int64)
    ages = np.zeros(MOST_FORBIDDEN, dtype=np.int64)
    position = np.array(position)  # kernels would be compiled anew for a read-only one
    count = forbidden_moves(position, int(position[layout.MOVER]), moves, ages)
    ends = (divmod(move, layout.SQUARES) for move in moves[:count].tolist())
    return dict(zip(ends, ages[:count].tolist(), strict=True))
