"""Why an action is not legal: the rule it breaks, in words.

Everything is said from what the mover sees: its own pieces, and where others stand.
"""

from __future__ import annotations

import numpy as np

from sandtable.games.stratego import layout
from sandtable.games.stratego.names import SEAT_NAMES, rank_name, square_name
from sandtable.games.stratego.rules.repetition import chases_again, shuttles
from sandtable.types import Position

__all__ = ["reason_against"]


def reason_against(position: Position, action: int) -> str:
    """Name the rule that an action of the mover breaks; empty if it breaks none."""
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
    name = rank_name(choice)
    return f"there is no {name} in this variant" if allowed == 0 else f"every {name} is placed"


def reason_against_piece(position: Position, square: int) -> str:
    """Say what is wrong with moving what stands on a square."""
    seat, cell = int(position[layout.MOVER]), int(position[layout.BOARD + square])
    name = square_name(square, int(layout.side_of(position)))
    if cell == layout.LAKE:
        return f"{name} is a lake"
    if cell == 0:
        return f"there is no piece on {name}"
    if not layout.owned_by(cell, seat):
        return f"the piece on {name} is {SEAT_NAMES[1 - seat]}'s"
    if not layout.can_move(layout.rank_of(cell)):
        return f"the {rank_name(layout.rank_of(cell))} on {name} never moves"
    return ""


def reason_against_way(position: Position, from_square: int, to_square: int) -> str:
    """Say what is wrong with the way of a piece that can move."""
    seat, side = int(position[layout.MOVER]), int(layout.side_of(position))
    rank = layout.rank_of(int(position[layout.BOARD + from_square]))
    step = layout.SIDE if (to_square - from_square) % layout.SIDE == 0 else 1
    step = step if to_square > from_square else -step
    way = range(from_square + step, to_square + step, step)
    target = square_name(to_square, side)
    if len(way) > 1 and rank != layout.SCOUT:
        return f"a {rank_name(rank)} moves one square, only scouts move farther"
    if len(way) > 1 and not position[layout.LONG_SCOUTS]:
        return "with long_scouts=false scouts also move one square"
    for square in way[:-1]:
        if position[layout.BOARD + square] != 0:
            return f"{square_name(square, side)} is in the way to {target}"
    if position[layout.BOARD + to_square] == layout.LAKE:
        return f"{target} is a lake"
    if layout.owned_by(int(position[layout.BOARD + to_square]), seat):
        return f"an own piece is on {target}"
    if shuttles(position, seat, from_square, to_square):
        squares = f"{square_name(from_square, side)} and {target}"
        times = f"{position[layout.SHUTTLE + seat]} moves in a row"
        return f"two-squares rule: it has gone between {squares} in {times}"
    if chases_again(position, seat, from_square, to_square):
        return "more-squares rule: the chase would repeat a position"
    return ""
