"""Stratego: the kernels.

The layout of a position is in ``layout``, where moves may go in ``moves``, what may not be repeated
in ``repetition``, the set-up in ``placing``, and views in ``hiding``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego.layout import (
    ALIVE,
    ANY_NAMED,
    BARE_BOARDS,
    BEYOND,
    BLUE,
    BOARD,
    BOTH_STUCK,
    CHOSEN,
    DECIDED,
    ENDED,
    FIGHT,
    FLAG,
    FLAG_TAKEN,
    GIVEN,
    HIDDEN,
    KNOWN,
    LAKE,
    LONG_END,
    LOSES,
    MOST_PLIES,
    MOVED,
    MOVER,
    NO_ATTACK,
    ORIGIN,
    OVER,
    PIECE_COUNTS,
    PLIES,
    QUIET,
    QUIET_END,
    RANDOM,
    RANKS,
    READY,
    RED,
    SCOUT,
    SIDE,
    SQUARES,
    STUCK,
    VARIANT,
    WINNER,
    WINS,
    action_between,
    from_square_of,
    rank_of,
    setting_up,
    setup_base,
    side_of,
    to_square_of,
    whole,
)
from sandtable.games.stratego.rules import hiding
from sandtable.games.stratego.rules.moves import (
    MOST_MOVES,
    can_step,
    has_move,
    list_moves,
    random_step,
)
from sandtable.games.stratego.rules.placing import (
    mark_placements,
    place,
    put,
    put_any_named,
    put_at_random,
    put_given,
    random_placement,
    take_off,
)
from sandtable.games.stratego.rules.repetition import forget_chases, note_chases, note_move

hide, guess = hiding.hide, hiding.guess


@kernel
def start(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Set up what is not left to the players; the blank position holds options and given ranks."""
    variant = whole(position[VARIANT])
    for square in range(BEYOND + 1):
        if BARE_BOARDS[variant, square] == LAKE:
            position[BOARD + square] = LAKE
    for seat in range(2):
        for rank in range(RANKS):
            position[ALIVE + seat * RANKS + rank] = PIECE_COUNTS[variant, rank]
            position[HIDDEN + seat * RANKS + rank] = PIECE_COUNTS[variant, rank]
        origin = position[ORIGIN + seat]
        if origin == RANDOM:
            put_at_random(position, seat, dice)
        elif origin == GIVEN:
            put_given(position, seat)
        elif origin == ANY_NAMED:
            put_any_named(position, seat, dice)
        position[DECIDED + seat] = 0 if origin == CHOSEN else READY
        position[ORIGIN + seat] = 0
    begin(position)


@kernel
def begin(position: NDArray[np.int16]) -> None:
    """Let the next seat set up, or the game begin."""
    if not setting_up(position):
        pass_turn(position, whole(RED))
    else:
        position[MOVER] = RED if position[DECIDED + RED] != READY else BLUE


@kernel
def turn(position: NDArray[np.int16]) -> int:
    """Return the seat to act, or OVER."""
    return whole(position[MOVER])


@kernel
def legal(position: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions; return how many there are."""
    mask[:] = False
    if position[MOVER] == OVER:
        return 0
    if setting_up(position):
        return mark_placements(position, mask)
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
    return list_moves(position, moves) if position[MOVER] != OVER else 0


@kernel
def random_action(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw one of the legal actions, each as likely, without looking at all of them."""
    if setting_up(position):
        return random_placement(position, dice)
    step = random_step(position, dice)
    return action_between(side_of(position), step // SQUARES, step % SQUARES)


@kernel
def apply(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play one legal action in place."""
    base = setup_base(position)
    if action >= base:
        place(position, action - base)
        begin(position)
        return
    side = side_of(position)
    move(position, from_square_of(side, action), to_square_of(side, action))


@kernel
def move(position: NDArray[np.int16], from_square: int, to_square: int) -> None:
    """Move a piece of the mover, fight if somebody is there, and pass the turn."""
    seat = whole(position[MOVER])
    position[PLIES] += 1
    if position[BOARD + to_square] == 0:
        walk(position, seat, from_square, to_square)
        position[QUIET] += 1
        note_chases(position, seat, from_square, to_square)
    else:
        fight(position, seat, from_square, to_square)
        position[QUIET] = 0
        forget_chases(position)
    note_move(position, seat, from_square, to_square)
    if position[ENDED] == FLAG_TAKEN:
        position[MOVER] = OVER
    else:
        pass_turn(position, 1 - seat)


@kernel
def walk(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Move a piece to an empty square; whoever goes farther than one step must be a scout."""
    cell = whole(position[BOARD + from_square]) | MOVED
    distance = abs(to_square - from_square)
    if distance not in (1, SIDE) and (cell & KNOWN) == 0:
        cell |= KNOWN
        position[HIDDEN + seat * RANKS + SCOUT] -= 1
    take_off(position, seat, from_square)
    put(position, seat, cell, to_square)


@kernel
def fight(position: NDArray[np.int16], seat: int, from_square: int, to_square: int) -> None:
    """Attack the piece on a square; both become known, and at least one is lost."""
    other = 1 - seat
    attacker = whole(position[BOARD + from_square])
    defender = whole(position[BOARD + to_square])
    reveal(position, seat, attacker)
    reveal(position, other, defender)
    result = FIGHT[rank_of(attacker), rank_of(defender)]
    take_off(position, seat, from_square)
    if result == LOSES:
        position[BOARD + to_square] = defender | KNOWN
    else:
        take_off(position, other, to_square)
        position[ALIVE + other * RANKS + rank_of(defender)] -= 1
    if result == WINS:
        put(position, seat, attacker | MOVED | KNOWN, to_square)
    else:
        position[ALIVE + seat * RANKS + rank_of(attacker)] -= 1
    if rank_of(defender) == FLAG:
        position[ENDED] = FLAG_TAKEN
        position[WINNER] = 1 + seat


@kernel
def reveal(position: NDArray[np.int16], seat: int, cell: int) -> None:
    """Count a piece of the seat as known to the other one."""
    if (cell & KNOWN) == 0:
        position[HIDDEN + seat * RANKS + rank_of(cell)] -= 1


@kernel
def pass_turn(position: NDArray[np.int16], seat: int) -> None:
    """Give the turn to a seat, unless the game is over."""
    position[MOVER] = seat
    if not has_move(position, seat):
        lost = can_step(position, 1 - seat)
        position[ENDED] = STUCK if lost else BOTH_STUCK
        position[WINNER] = 1 + (1 - seat) if lost else 0
    elif 0 < position[NO_ATTACK] <= position[QUIET]:
        position[ENDED] = QUIET_END
    elif position[PLIES] >= position[MOST_PLIES]:
        position[ENDED] = LONG_END
    else:
        return
    position[MOVER] = OVER


@kernel
def score(position: NDArray[np.int16], scores: NDArray[np.float64]) -> None:
    """1 for the winner and -1 for the other, 0 for both in a draw."""
    winner = position[WINNER]
    scores[RED] = 0.0 if winner == 0 else (1.0 if winner == 1 + RED else -1.0)
    scores[BLUE] = -scores[RED]


@kernel
def play_out(position: NDArray[np.int16], plies: int, dice: NDArray[np.uint64]) -> int:
    """Play so many random moves, or fewer if the game ends; return how many. Not for set-ups."""
    for played in range(plies):
        if position[MOVER] == OVER:
            return played
        step = random_step(position, dice)
        move(position, step // SQUARES, step % SQUARES)
    return plies
