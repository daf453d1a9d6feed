"""The rules of Operation Lucid for any scenario: one set of kernels for all boards.

A position begins with what the scenario says (size, turns, right to move, ...) and the three
numbers of the game; then come seven boards, one cell a node. What never changes is part of the
position, so the kernels need no recompiling for another scenario. Given the published scenario
they play the very games of the published kernels, throw by throw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.dice import below, coin
from sandtable.games.lucid.rules import (
    BLUE_ATTACKS,
    BLUE_SEAT,
    DIRECTIONS,
    EAST,
    LUCK_COMBAT,
    LUCK_GATES,
    LUCK_TURN,
    NOBODY,
    NORTH,
    NOWHERE,
    OVER,
    RED_SEAT,
    SOUTH,
    Cells,
    DiceState,
)

# Layout of a position: numbers, then boards.
COLUMNS = 0
ROWS = 1
TURNS = 2
CAPACITY = 3  # most units of a side on a node
BLUE_CHANCE = 4  # per cent that Blue gets the right to move, or ALTERNATE
FIRST = 5  # seat that moves first, or DRAWN
PENALTY = 6  # what Blue loses without supply; 0: there is no such rule
BLUE_UNITS = 7  # at the start
RED_UNITS = 8
GOAL = 9  # Blue units in the goal
PLAYED = 10  # turns completed
MOVER = 11  # seat that has the right to move, or OVER
BOARDS = 12  # where the boards begin

BLUE_BOARD = 0  # Blue units on each node
RED_BOARD = 1
ATTACKER_BOARD = 2  # NOBODY, BLUE_ATTACKS, RED_ATTACKS
ARRIVED_BOARD = 3  # units of the mover that entered the node in this turn
ROAD_BOARD = 4  # a bit for every direction in which a road leads on; north of the top row: the goal
ADVANTAGE_BOARD = 5  # what the defender has more; CLOSED: nothing can enter
SOURCE_BOARD = 6  # 1 where supply comes from
BOARD_COUNT = 7

ALTERNATE = -1
DRAWN = -1
CLOSED = -1
FAIR = 50  # per cent: a coin
LUCK_NAMES = ("combats", "right to move", "right to move, times Blue units on the last two rows")


@inlined
def board(position: Cells, number: int) -> int:
    """Return where a board begins."""
    return BOARDS + number * int(position[COLUMNS]) * int(position[ROWS])


@inlined
def node_count(position: Cells) -> int:
    """Return how many nodes there are."""
    return int(position[COLUMNS]) * int(position[ROWS])


@inlined
def neighbour(position: Cells, node: int, direction: int) -> int:
    """Return the node in a direction, the goal (number of nodes) or NOWHERE; roads only."""
    if not position[board(position, ROAD_BOARD) + node] & (1 << direction):
        return NOWHERE
    if direction == NORTH:
        return min(node + int(position[COLUMNS]), node_count(position))
    if direction == SOUTH:
        return node - int(position[COLUMNS])
    return node + 1 if direction == EAST else node - 1


@kernel
def draw_mover(position: Cells, before: int, dice: DiceState) -> int:
    """Say who gets the right to move after ``before``."""
    chance = position[BLUE_CHANCE]
    if chance == ALTERNATE:
        return 1 - before
    if chance == FAIR:
        return int(coin(dice))
    return BLUE_SEAT if below(dice, 100) < chance else RED_SEAT


@kernel
def start(position: Cells, dice: DiceState) -> None:
    """Say who moves first; everything else is there already."""
    if position[FIRST] != DRAWN:
        position[MOVER] = position[FIRST]
    elif position[BLUE_CHANCE] == ALTERNATE:
        position[MOVER] = coin(dice)
    else:
        position[MOVER] = draw_mover(position, BLUE_SEAT, dice)


@kernel
def turn(position: Cells) -> int:
    """Return the seat to act, or OVER."""
    return int(position[MOVER])


@inlined
def own_board(position: Cells) -> int:
    """Return where the mover's board begins."""
    return board(position, RED_BOARD if position[MOVER] == RED_SEAT else BLUE_BOARD)


@kernel
def movable(position: Cells, node: int) -> int:
    """Return how many units of the mover can still leave this node."""
    if position[board(position, ATTACKER_BOARD) + node] == position[MOVER] + 1:
        return 0  # attackers are locked
    arrived = position[board(position, ARRIVED_BOARD) + node]
    return int(position[own_board(position) + node] - arrived)


@kernel
def legal(position: Cells, mask: NDArray[np.bool_]) -> int:
    """Mark the legal movelets and END; return how many there are."""
    mask[:] = False
    if position[MOVER] == OVER:
        return 0
    nodes, own = node_count(position), own_board(position)
    mask[nodes * DIRECTIONS] = True
    count = 1
    for node in range(nodes):
        if position[own + node] == 0 or movable(position, node) <= 0:
            continue
        for direction in range(DIRECTIONS):
            there = neighbour(position, node, direction)
            if there == NOWHERE:
                continue
            if there == nodes:
                free = position[MOVER] == BLUE_SEAT
            else:
                free = position[own + there] < position[CAPACITY]
            if free:
                mask[node * DIRECTIONS + direction] = True
                count += 1
    return count


@kernel
def move_unit(position: Cells, action: int) -> None:
    """Move a unit of the mover over the road of a movelet."""
    own, source = own_board(position), action // DIRECTIONS
    there = neighbour(position, source, action % DIRECTIONS)
    position[own + source] -= 1
    if position[own + source] == 0:  # nobody is left to attack or to be attacked
        position[board(position, ATTACKER_BOARD) + source] = NOBODY
    if there == node_count(position):
        position[GOAL] += 1
    else:
        position[own + there] += 1
        position[board(position, ARRIVED_BOARD) + there] += 1


@kernel
def supplied_nodes(position: Cells, supplied: NDArray[np.bool_]) -> None:
    """Mark the nodes that Blue alone holds and that such nodes join to a source."""
    nodes = node_count(position)
    blue, red = board(position, BLUE_BOARD), board(position, RED_BOARD)
    source = board(position, SOURCE_BOARD)
    waiting = np.empty(nodes, dtype=np.int64)
    reached = 0
    for node in range(nodes):
        alone = position[blue + node] > 0 and position[red + node] == 0
        supplied[node] = alone and position[source + node] != 0
        if supplied[node]:
            waiting[reached] = node
            reached += 1
    done = 0
    while done < reached:
        for direction in range(DIRECTIONS):
            there = neighbour(position, waiting[done], direction)
            if there in (NOWHERE, nodes) or supplied[there]:
                continue
            if position[blue + there] > 0 and position[red + there] == 0:
                supplied[there] = True
                waiting[reached] = there
                reached += 1
        done += 1


@kernel
def in_supply(position: Cells, node: int, supplied: NDArray[np.bool_]) -> bool:
    """Say whether combat in this node is supplied: from itself, or through a neighbour."""
    if position[PENALTY] == 0 or position[board(position, SOURCE_BOARD) + node] != 0:
        return True
    for direction in range(DIRECTIONS):
        there = neighbour(position, node, direction)
        if there != NOWHERE and there != node_count(position) and supplied[there]:
            return True
    return False


@kernel
def strengths(position: Cells, node: int, supplied: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the strengths of Blue and Red in a node with combat."""
    blue = int(position[board(position, BLUE_BOARD) + node])
    red = int(position[board(position, RED_BOARD) + node])
    advantage = int(position[board(position, ADVANTAGE_BOARD) + node])
    if position[board(position, ATTACKER_BOARD) + node] == BLUE_ATTACKS:
        red += advantage
    else:
        blue += advantage
    if not in_supply(position, node, supplied):
        blue = max(0, blue - int(position[PENALTY]))
    return blue, red


@kernel
def mark_attackers(position: Cells) -> None:
    """Make the mover the attacker where it entered; the units that moved can move again."""
    mark = position[MOVER] + 1
    blue, red = board(position, BLUE_BOARD), board(position, RED_BOARD)
    marks, arrived = board(position, ATTACKER_BOARD), board(position, ARRIVED_BOARD)
    for node in range(node_count(position)):
        combat = position[blue + node] > 0 and position[red + node] > 0
        attacker = mark if position[arrived + node] > 0 else position[marks + node]
        position[marks + node] = attacker if combat else NOBODY
        position[arrived + node] = 0


@kernel
def fight(position: Cells, dice: DiceState, luck: NDArray[np.float64]) -> int:
    """Take one unit out of every node with combat; return how many Blue units are left."""
    nodes = node_count(position)
    blue_board, red_board = board(position, BLUE_BOARD), board(position, RED_BOARD)
    supplied = np.empty(nodes, dtype=np.bool_)
    known, left = False, 0
    fought = np.zeros(nodes, dtype=np.int8)
    for node in range(nodes):  # who is where is settled before any loss
        left += position[blue_board + node]
        if position[blue_board + node] > 0 and position[red_board + node] > 0:
            fought[node] = 1
            known = True
    if not known:
        return left
    supplied_nodes(position, supplied)
    for node in range(nodes):
        if fought[node] == 0:
            continue
        blue, red = strengths(position, node, supplied)
        red_loses = below(dice, blue + red) < blue
        position[(red_board if red_loses else blue_board) + node] -= 1
        left -= 0 if red_loses else 1
        luck[LUCK_COMBAT] += (1.0 if red_loses else 0.0) - blue / (blue + red)
        if position[blue_board + node] == 0 or position[red_board + node] == 0:
            position[board(position, ATTACKER_BOARD) + node] = NOBODY
    return left


@kernel
def end_turn(position: Cells, dice: DiceState, luck: NDArray[np.float64]) -> None:
    """Fight all combats, then end the game or say who moves next."""
    before = int(position[MOVER])
    mark_attackers(position)
    left = fight(position, dice, luck)
    position[PLAYED] += 1
    if position[PLAYED] == position[TURNS] or left == 0:
        position[MOVER] = OVER
        return
    position[MOVER] = draw_mover(position, before, dice)
    if position[BLUE_CHANCE] == ALTERNATE:
        return  # nothing was thrown
    expected = position[BLUE_CHANCE] / 100.0
    surprise = (1.0 if position[MOVER] == BLUE_SEAT else 0.0) - expected
    luck[LUCK_TURN] += surprise
    at_the_gates = 0
    nodes = node_count(position)
    for node in range(max(0, nodes - 2 * int(position[COLUMNS])), nodes):
        at_the_gates += position[board(position, BLUE_BOARD) + node]
    luck[LUCK_GATES] += surprise * at_the_gates


@kernel
def apply_with_luck(
    position: Cells, action: int, dice: DiceState, luck: NDArray[np.float64]
) -> None:
    """Play one legal action in place and add up how lucky Blue was, term by term."""
    if action == node_count(position) * DIRECTIONS:
        end_turn(position, dice, luck)
    else:
        move_unit(position, action)


@kernel
def apply(position: Cells, action: int, dice: DiceState) -> None:
    """Play one legal action in place."""
    if action == node_count(position) * DIRECTIONS:
        end_turn(position, dice, np.zeros(len(LUCK_NAMES)))
    else:
        move_unit(position, action)


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
