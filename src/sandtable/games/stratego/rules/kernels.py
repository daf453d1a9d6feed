"""Stratego: the kernels.

The layout of a position is in ``layout``, where moves may go in ``moves``, what may not be repeated
in ``repetition``, the set-up in ``placement``, and views in ``views``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules import placement, views
from sandtable.games.stratego.rules.moves import (
    MOST_MOVES,
    can_step,
    has_move,
    list_moves,
    random_step,
)
from sandtable.games.stratego.rules.repetition import (
    count_crossings,
    has_crossings,
    note_fight,
    note_move,
    note_walk,
)

hide, guess = views.hide, views.guess


@kernel
def start(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Set up what is not left to the players; the blank position holds options and given ranks."""
    variant = layout.as_int64(position[layout.VARIANT])
    for square in range(layout.BEYOND + 1):
        if layout.BARE_BOARDS[variant, square] == layout.LAKE:
            position[layout.BOARD + square] = layout.LAKE
    for seat in range(2):
        for rank in range(layout.RANKS):
            position[layout.ALIVE + seat * layout.RANKS + rank] = layout.PIECE_COUNTS[variant, rank]
            position[layout.HIDDEN + seat * layout.RANKS + rank] = layout.PIECE_COUNTS[
                variant, rank
            ]
        origin = position[layout.ORIGIN + seat]
        if origin == layout.RANDOM:
            placement.put_at_random(position, seat, dice)
        elif origin == layout.GIVEN:
            placement.put_given(position, seat)
        elif origin == layout.ANY_NAMED:
            placement.put_any_named(position, seat, dice)
        position[layout.DECIDED + seat] = 0 if origin == layout.CHOSEN else layout.READY
        position[layout.ORIGIN + seat] = 0
    begin(position)


@kernel
def begin(position: NDArray[np.int16]) -> None:
    """Let the next seat set up, or the game begin."""
    if not layout.setting_up(position):
        pass_turn(position, layout.as_int64(layout.RED))
    else:
        position[layout.MOVER] = (
            layout.RED if position[layout.DECIDED + layout.RED] != layout.READY else layout.BLUE
        )


@kernel
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return layout.as_int64(position[layout.MOVER])


@kernel
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    mask[:] = False
    if position[layout.MOVER] == layout.OVER:
        return 0
    if layout.setting_up(position):
        return placement.mark_placements(position, mask)
    moves = np.empty(MOST_MOVES, dtype=np.int16)
    count = list_moves(position, moves)
    for index in range(count):
        mask[moves[index]] = True
    return count


@kernel
def legal_moves(position: NDArray[np.int16], moves: NDArray[np.int16]) -> int:
    """Write the legal moves into an array of MOST_MOVES; return how many. Not for set-ups.

    The same as ``legal`` for searches, to which a list is worth more than a mask. The order is
    always the same: by direction, then by square, single steps before the long ways of scouts.
    """
    return list_moves(position, moves) if position[layout.MOVER] != layout.OVER else 0


@kernel
def random_action(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one of the legal actions, each as likely, without looking at all of them."""
    if layout.setting_up(position):
        return placement.random_placement(position, dice)
    step = random_step(position, dice)
    return layout.action_between(
        layout.side_of(position), step // layout.SQUARES, step % layout.SQUARES
    )


@kernel
def apply(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play one legal action in place."""
    base = layout.setup_base(position)
    if action >= base:
        placement.place(position, action - base)
        begin(position)
        return
    side = layout.side_of(position)
    move(position, layout.from_square_of(side, action), layout.to_square_of(side, action))


@kernel
def move(position: NDArray[np.int16], from_square: int, to_square: int) -> None:
    """Move a piece of the mover, fight if somebody is there, and pass the turn."""
    seat = layout.as_int64(position[layout.MOVER])
    position[layout.PLIES] += 1
    if position[layout.BOARD + to_square] == 0:
        walk(position, seat, from_square, to_square)
        position[layout.QUIET] += 1
        note_walk(position, seat, from_square, to_square)
    else:
        fight(position, seat, from_square, to_square)
        position[layout.QUIET] = 0
        note_fight(position, seat, from_square, to_square)
    if has_crossings(position, seat, from_square, to_square):
        count_crossings(position, seat, from_square, to_square)
    note_move(position, seat, from_square, to_square)
    if position[layout.ENDED] == layout.FLAG_TAKEN:
        position[layout.MOVER] = layout.OVER
    else:
        pass_turn(position, 1 - seat)


@kernel
def walk(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Move a piece to an empty square; whoever goes farther than one step must be a scout."""
    cell = layout.as_int64(position[layout.BOARD + from_square]) | layout.MOVED
    distance = abs(to_square - from_square)
    if distance not in (1, layout.SIDE) and (cell & layout.KNOWN) == 0:
        cell |= layout.KNOWN
        position[layout.HIDDEN + seat * layout.RANKS + layout.SCOUT] -= 1
    placement.take_off(position, seat, from_square)
    placement.put(position, seat, cell, to_square)


@kernel
def fight(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Attack the piece on a square; both become known, and at least one is lost."""
    other = 1 - seat
    attacker = layout.as_int64(position[layout.BOARD + from_square])
    defender = layout.as_int64(position[layout.BOARD + to_square])
    reveal(position, seat, attacker)
    reveal(position, other, defender)
    result = layout.FIGHT[layout.rank_of(attacker), layout.rank_of(defender)]
    placement.take_off(position, seat, from_square)
    if result == layout.LOSES:
        position[layout.BOARD + to_square] = defender | layout.KNOWN
    else:
        placement.take_off(position, other, to_square)
        position[layout.ALIVE + other * layout.RANKS + layout.rank_of(defender)] -= 1
    if result == layout.WINS:
        placement.put(position, seat, attacker | layout.MOVED | layout.KNOWN, to_square)
    else:
        position[layout.ALIVE + seat * layout.RANKS + layout.rank_of(attacker)] -= 1
    if layout.rank_of(defender) == layout.FLAG:
        position[layout.ENDED] = layout.FLAG_TAKEN
        position[layout.WINNER] = 1 + seat


@kernel
def reveal(position: NDArray[np.int16], seat: int, cell: int) -> None:
    """Count a piece of the seat as known to the other one."""
    if (cell & layout.KNOWN) == 0:
        position[layout.HIDDEN + seat * layout.RANKS + layout.rank_of(cell)] -= 1


@kernel
def pass_turn(position: NDArray[np.int16], seat: int) -> None:
    """Give the turn to a seat, unless the game is over."""
    position[layout.MOVER] = seat
    if not has_move(position, seat):
        lost = position[layout.PAPER_ENDS] == 1 or can_step(position, 1 - seat)
        position[layout.ENDED] = layout.STUCK if lost else layout.BOTH_STUCK
        position[layout.WINNER] = 1 + (1 - seat) if lost else 0
    elif 0 < position[layout.NO_ATTACK] <= position[layout.QUIET]:
        position[layout.ENDED] = layout.QUIET_END
    elif position[layout.PLIES] >= position[layout.MOST_PLIES]:
        position[layout.ENDED] = layout.LONG_END
    else:
        return
    position[layout.MOVER] = layout.OVER


@kernel
def score(position: NDArray[np.int16], scores: NDArray[np.float64]) -> None:
    """1 for the winner and -1 for the other, 0 for both in a draw."""
    winner = position[layout.WINNER]
    scores[layout.RED] = 0.0 if winner == 0 else (1.0 if winner == 1 + layout.RED else -1.0)
    scores[layout.BLUE] = -scores[layout.RED]


@kernel
def play_out(position: NDArray[np.int16], plies: int, dice: NDArray[np.uint64]) -> int:
    """Play so many random moves, or fewer if the game ends; return how many. Not for set-ups."""
    for played in range(plies):
        if position[layout.MOVER] == layout.OVER:
            return played
        step = random_step(position, dice)
        move(position, step // layout.SQUARES, step % layout.SQUARES)
    return plies
