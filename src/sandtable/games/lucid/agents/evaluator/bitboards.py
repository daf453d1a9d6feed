"""What the evaluator of Operation Lucid sees: eleven boards of 25 bits, and the turns left.

An after-move position is one in which the mover has made its movelets and the combats have not been
thrown yet. Nobody knows then who moves next, so it does not matter who moved last, and units in
the goal are counted apart. What is left fits into boards of one bit a node: the units of either
side (at least one, two, three), who attacks, where Blue fights without supply, which nodes of Blue
are in supply; a last board counts the units left of both sides. Boards are cheap to change and to
compare, so that a search updates the network only by the bits in which two positions differ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid import rules
from sandtable.games.lucid.rules import Integers

# The boards by number; those of units are three each: at least one, two and three units.
BLUE_BOARD = 0
RED_BOARD = BLUE_BOARD + rules.CAPACITY
BLUE_ATTACKING = RED_BOARD + rules.CAPACITY
RED_ATTACKING = BLUE_ATTACKING + 1
UNSUPPLIED = RED_ATTACKING + 1  # combats in which Blue has no supply
IN_SUPPLY = UNSUPPLIED + 1  # nodes of Blue alone that hang together with row 1
TOTALS = IN_SUPPLY + 1  # the n-th of 15 bits: Blue has at least n units left; then 10 for Red
BOARDS = TOTALS + 1

# Features of the network: the bits of all boards, then one for each number of turns left.
TURNS_LEFT = BOARDS * rules.NODES
FEATURES = TURNS_LEFT + rules.TURNS

ROW_BITS = (1 << rules.SIDE) - 1


def mirrored_rows() -> Integers:
    """Build the table of what a row of five bits looks like in a mirror."""
    rows = [f"{row:05b}" for row in range(1 << rules.SIDE)]
    return np.array([int(bits[::-1], 2) for bits in rows], dtype=np.int64)


MIRRORED = mirrored_rows()  # [32] int64


@kernel
def put_units(boards: Integers, board: int, node: int, units: int) -> None:
    """Write the number of units of one side in a node into its three boards."""
    here = np.int64(1) << node
    boards[board] = (boards[board] & ~here) | (here * (units > 0))
    boards[board + 1] = (boards[board + 1] & ~here) | (here * (units > 1))
    boards[board + 2] = (boards[board + 2] & ~here) | (here * (units > 2))


@kernel
def total_bits(blue: int, red: int) -> int:
    """Return the board of totals."""
    one = np.int64(1)
    return int(((one << blue) - one) | (((one << red) - one) << rules.BLUE_UNITS))


@kernel
def mark_combats(
    boards: Integers, at: int, seat: int, arrived: int, blue_before: int, red_before: int
) -> None:
    """Work out attackers and supply from the boards of units; the first board is number ``at``.

    ``arrived`` are the nodes that the mover entered; ``blue_before`` and ``red_before`` those
    where each side attacked before the move.
    """
    blue, red = boards[at + BLUE_BOARD], boards[at + RED_BOARD]
    combats = blue & red
    blue_attacks = combats & (arrived | blue_before)
    if seat == rules.RED_SEAT:
        blue_attacks = combats & ~(arrived | red_before)
    boards[at + BLUE_ATTACKING] = blue_attacks
    boards[at + RED_ATTACKING] = combats & ~blue_attacks
    supplied = rules.supplied_nodes(blue & ~red)
    boards[at + UNSUPPLIED] = combats & ~(rules.beside(supplied) | rules.HOME_ROW)
    boards[at + IN_SUPPLY] = supplied


@kernel
def read_boards(position: NDArray[np.int16], boards: Integers, at: int) -> int:
    """Fill the boards from number ``at`` on from a position; return Blue's units on the board.

    The movelets of a turn are made in it and the turn is not closed yet.
    """
    for board in range(at, at + BOARDS):
        boards[board] = 0
    arrived, blue_before, red_before, blue, red = 0, 0, 0, 0, 0
    for node in range(rules.NODES):
        here = 1 << node
        put_units(boards, at + BLUE_BOARD, node, position[rules.BLUE + node])
        put_units(boards, at + RED_BOARD, node, position[rules.RED + node])
        blue += position[rules.BLUE + node]
        red += position[rules.RED + node]
        if position[rules.ARRIVED + node] > 0:
            arrived |= here
        if position[rules.ATTACKER + node] == rules.BLUE_ATTACKS:
            blue_before |= here
        elif position[rules.ATTACKER + node] == rules.RED_ATTACKS:
            red_before |= here
    seat = rules.RED_SEAT if position[rules.MOVER] == rules.RED_SEAT else rules.BLUE_SEAT
    mark_combats(boards, at, seat, arrived, blue_before, red_before)
    boards[at + TOTALS] = total_bits(blue, red)
    return blue


@kernel
def turns_left(position: NDArray[np.int16]) -> int:
    """Return how many turns follow the one under way."""
    return max(0, rules.TURNS - 1 - int(position[rules.PLAYED]))


@kernel
def mirror_boards(boards: Integers) -> None:
    """Swap west and east on all boards but that of totals."""
    for board in range(BOARDS):
        if board == TOTALS:
            continue
        bits = np.int64(0)
        for shift in range(0, rules.NODES, rules.SIDE):
            bits |= MIRRORED[(boards[board] >> shift) & ROW_BITS] << shift
        boards[board] = bits
