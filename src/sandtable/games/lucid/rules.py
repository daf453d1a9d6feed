"""Operation Lucid: the layout of a position and the kernels.

A node's number is row * 5 + column, row 0 (written 1) in the south, column 0 (written A) in the
west. A turn is a list of movelets (one unit, one step) closed by END. Whose unit may leave a node
is judged by the situation at the start of the turn, so the attacker marks change only at END;
until then ARRIVED counts the units that have used up their step.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.dice import below, coin

Cells: TypeAlias = NDArray[np.int16]  # a position, a view of one, or actions in a row
Integers: TypeAlias = NDArray[np.int64]
DiceState: TypeAlias = NDArray[np.uint64]  # what dice are inside kernels

SIDE = 5
NODES = SIDE * SIDE
FIRST_OF_TOP_ROW = NODES - SIDE
TURNS = 36
CAPACITY = 3
BLUE_UNITS = 15
RED_UNITS = 10

# Layout of a position: four boards, then three numbers.
BLUE = 0  # [25] Blue units on each node
RED = BLUE + NODES  # [25] Red units on each node
ATTACKER = RED + NODES  # [25] who attacks in a node with combat: NOBODY, BLUE_ATTACKS, RED_ATTACKS
ARRIVED = ATTACKER + NODES  # [25] units of the mover that entered the node in this turn
GOAL = ARRIVED + NODES  # Blue units in the goal
PLAYED = GOAL + 1  # turns completed
MOVER = PLAYED + 1  # seat that has the right to move, or OVER
POSITION_SIZE = MOVER + 1

NOBODY, BLUE_ATTACKS, RED_ATTACKS = 0, 1, 2
BLUE_SEAT, RED_SEAT = 0, 1
OVER = -1

# Actions: node * 4 + direction, then END. North from the top row is the goal.
NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
DIRECTIONS = 4
END = NODES * DIRECTIONS
ACTIONS = END + 1
TO_GOAL = NODES
NOWHERE = -1


def destinations() -> Cells:
    """Build the table of where each movelet leads: a node, TO_GOAL or NOWHERE."""
    table = np.full(END, NOWHERE, dtype=np.int16)
    for node in range(NODES):
        row, column = divmod(node, SIDE)
        table[node * DIRECTIONS + NORTH] = node + SIDE if row < SIDE - 1 else TO_GOAL
        table[node * DIRECTIONS + EAST] = node + 1 if column < SIDE - 1 else NOWHERE
        table[node * DIRECTIONS + SOUTH] = node - SIDE if row > 0 else NOWHERE
        table[node * DIRECTIONS + WEST] = node - 1 if column > 0 else NOWHERE
    return table


def bits(nodes: list[int]) -> int:
    """Return a set of nodes as the bits of a number."""
    return sum(1 << node for node in nodes)


DESTINATION = destinations()  # [100] int16, by action
ALL_NODES = bits(list(range(NODES)))
HOME_ROW = bits(list(range(SIDE)))  # Blue's starting nodes, where supply comes from
NOT_WEST_EDGE = ALL_NODES & ~bits(list(range(0, NODES, SIDE)))
NOT_EAST_EDGE = ALL_NODES & ~bits(list(range(SIDE - 1, NODES, SIDE)))

# Luck, counted so that its mean is zero whatever the players do (see apply_with_luck).
LUCK_COMBAT, LUCK_TURN, LUCK_GATES = 0, 1, 2
LUCK_NAMES = ("combats", "right to move", "right to move, times Blue units on rows 4 and 5")


@kernel
def start(position: Cells, dice: DiceState) -> None:
    """Write the starting position and draw who moves first."""
    for cell in range(POSITION_SIZE):
        position[cell] = 0
    for column in range(SIDE):
        position[BLUE + column] = 3
        position[RED + FIRST_OF_TOP_ROW + column] = 2
    position[MOVER] = coin(dice)


@kernel
def turn(position: Cells) -> int:
    """Return the seat to act, or OVER."""
    return int(position[MOVER])


@kernel
def own_board(seat: int) -> int:
    """Return where a side's board begins in a position."""
    return RED if seat == RED_SEAT else BLUE


@kernel
def movable(position: Cells, node: int) -> int:
    """Return how many units of the mover can still leave this node."""
    seat = position[MOVER]
    if position[ATTACKER + node] == seat + 1:  # attackers are locked
        return 0
    return int(position[own_board(seat) + node] - position[ARRIVED + node])


@kernel
def has_room(position: Cells, destination: int) -> bool:
    """Say whether one more unit of the mover may enter; only Blue's goal has no limit."""
    if destination == TO_GOAL:
        return bool(position[MOVER] == BLUE_SEAT)
    return bool(position[own_board(position[MOVER]) + destination] < CAPACITY)


@kernel
def legal(position: Cells, mask: NDArray[np.bool_]) -> int:
    """Mark the legal movelets and END; return how many there are."""
    for action in range(ACTIONS):
        mask[action] = False
    if position[MOVER] == OVER:
        return 0
    mask[END] = True
    count = 1
    for node in range(NODES):
        if movable(position, node) <= 0:
            continue
        for direction in range(DIRECTIONS):
            action = node * DIRECTIONS + direction
            destination = DESTINATION[action]
            if destination != NOWHERE and has_room(position, destination):
                mask[action] = True
                count += 1
    return count


@kernel
def move_units(position: Cells, action: int, units: int) -> None:
    """Move units of the mover over the edge of a movelet, all at once."""
    own = own_board(position[MOVER])
    destination = DESTINATION[action]
    source = action >> 2
    position[own + source] -= units
    if position[own + source] == 0:  # nobody is left to attack or to be attacked
        position[ATTACKER + source] = NOBODY
    if destination == TO_GOAL:
        position[GOAL] += units
    else:
        position[own + destination] += units
        position[ARRIVED + destination] += units


@kernel
def occupied(position: Cells, board: int) -> int:
    """Return as bits the nodes where a side has units."""
    nodes = 0
    for node in range(NODES):
        nodes |= (1 if position[board + node] > 0 else 0) << node
    return nodes


@inlined
def beside(nodes: int) -> int:
    """Return as bits the neighbours of some nodes."""
    spread = (nodes << SIDE) | (nodes >> SIDE)
    return spread | ((nodes & NOT_EAST_EDGE) << 1) | ((nodes & NOT_WEST_EDGE) >> 1)


@kernel
def supplied_nodes(blue_alone: int) -> int:
    """Return as bits those of the nodes held by Blue alone that hang together with row 1."""
    reached = blue_alone & HOME_ROW
    while True:
        grown = reached | (beside(reached) & blue_alone)
        if grown == reached:
            return reached
        reached = grown


@kernel
def in_supply(node: int, supplied: int) -> bool:
    """Say whether combat in this node is supplied: through a neighbour, or from the home row."""
    here = 1 << node
    return (here & HOME_ROW) != 0 or (beside(here) & supplied) != 0


@kernel
def strengths(position: Cells, node: int, supplied: int) -> tuple[int, int]:
    """Return the strengths of Blue and Red in a node with combat."""
    blue = int(position[BLUE + node])
    red = int(position[RED + node])
    if position[ATTACKER + node] == BLUE_ATTACKS:
        red += 1
    else:
        blue += 1
    if not in_supply(node, supplied):
        blue -= 1
    return blue, red


@kernel
def mark_attackers(position: Cells) -> None:
    """Make the mover the attacker where it entered; the units that moved can move again."""
    mark = position[MOVER] + 1
    for node in range(NODES):
        combat = position[BLUE + node] > 0 and position[RED + node] > 0
        attacker = mark if position[ARRIVED + node] > 0 else position[ATTACKER + node]
        position[ATTACKER + node] = attacker if combat else NOBODY
        position[ARRIVED + node] = 0


@kernel
def fight(
    position: Cells, combats: int, supplied: int, dice: DiceState, luck: NDArray[np.float64]
) -> None:
    """Take one unit out of every node with combat."""
    for node in range(NODES):
        if not combats & (1 << node):
            continue
        blue, red = strengths(position, node, supplied)
        red_loses = below(dice, blue + red) < blue
        position[(RED if red_loses else BLUE) + node] -= 1
        luck[LUCK_COMBAT] += (1.0 if red_loses else 0.0) - blue / (blue + red)
        if position[BLUE + node] == 0 or position[RED + node] == 0:
            position[ATTACKER + node] = NOBODY


@kernel
def end_turn(position: Cells, dice: DiceState, luck: NDArray[np.float64]) -> None:
    """Fight all combats, then end the game or draw who moves next."""
    mark_attackers(position)
    blue, red = occupied(position, BLUE), occupied(position, RED)
    if blue & red:
        supplied = supplied_nodes(blue & ~red)  # judged for all combats before any loss
        fight(position, blue & red, supplied, dice, luck)
        blue = occupied(position, BLUE)
    position[PLAYED] += 1
    if position[PLAYED] == TURNS or blue == 0:
        position[MOVER] = OVER
        return
    position[MOVER] = coin(dice)
    surprise = 0.5 if position[MOVER] == BLUE_SEAT else -0.5
    luck[LUCK_TURN] += surprise
    at_the_gates = 0
    for node in range(FIRST_OF_TOP_ROW - SIDE, NODES):
        at_the_gates += position[BLUE + node]
    luck[LUCK_GATES] += surprise * at_the_gates


@kernel
def apply_with_luck(
    position: Cells, action: int, dice: DiceState, luck: NDArray[np.float64]
) -> None:
    """Play one legal action in place and add up how lucky Blue was, term by term.

    Every term adds (what happened - what was to be expected), times a weight that was known
    before the throw; so each has mean zero, and scores can be freed of it without bias.
    """
    if action == END:
        end_turn(position, dice, luck)
    else:
        move_units(position, action, 1)


@kernel
def apply(position: Cells, action: int, dice: DiceState) -> None:
    """Play one legal action in place."""
    if action == END:
        end_turn(position, dice, np.zeros(len(LUCK_NAMES)))
    else:
        move_units(position, action, 1)


@kernel
def score(position: Cells, scores: NDArray[np.float64]) -> None:
    """Blue scores its units in the goal, Red the negative of that."""
    scores[BLUE_SEAT] = position[GOAL]
    scores[RED_SEAT] = -position[GOAL]


@kernel
def hide(position: Cells, seat: int) -> None:
    """Nothing is hidden in this game."""


@kernel
def guess(position: Cells, seat: int, dice: DiceState) -> None:
    """Nothing is hidden in this game, so there is nothing to guess."""
