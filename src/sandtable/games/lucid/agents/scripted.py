"""The scripted agents of the report: SimpleBlue, OneAxisBlue and AxesRed.

SimpleBlue (section 5.2, the first yardstick) sends every unit one step north in every turn if there
is room: three Blue units take on two Red ones in every node of the top row at once.

OneAxisBlue (the second yardstick) draws one column at the start, and everybody attacks along it.
From front to back, units on the axis go north while there is room; the others step sideways along
their row towards the axis.

AxesRed, the opponent of all published games (section 5.1), stays on the top row and mirrors the
threat on each column. It wants its units spread over the columns as Blue's are, and moves them
along the row as far as room and its entry test allow. The test looks at all units that would join a
defence together, from the west and from the east: with each side tested on its own, Red is weaker
than the published one (see docs/reproduction.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import below, coin
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.published_board import PublishedBoardAgent
from sandtable.games.lucid.rules import Cells, DiceState, Integers
from sandtable.types import Game

__all__ = ["AxesRed", "OneAxisBlue", "SimpleBlue"]


@kernel
def send(view: Cells, action: int, most: int, actions: Cells, count: int) -> int:
    """Move up to ``most`` units over the edge of a movelet, as far as the rules allow.

    The movelets are played on the view and appended to the ``count`` actions there are already;
    the new number of actions is returned.
    """
    units = min(most, rules.movable(view, action >> 2))
    destination = rules.DESTINATION[action]
    if destination != rules.TO_GOAL:
        own = rules.own_board(view[rules.MOVER])
        units = min(units, rules.CAPACITY - int(view[own + destination]))
    if units <= 0:
        return count
    rules.move_units(view, action, units)
    for index in range(count, count + units):
        actions[index] = action
    return count + units


# --- SimpleBlue ----------------------------------------------------------------------------------


@kernel
def act_simple_blue(
    view: Cells, dice: DiceState, memory: Integers, constants: NDArray[np.float64], actions: Cells
) -> int:
    """Go through the nodes from the front to the back, so that those behind find room."""
    count = 0
    for node in range(rules.NODES - 1, -1, -1):
        if view[rules.BLUE + node] > 0:
            count = send(
                view, node * rules.DIRECTIONS + rules.NORTH, rules.CAPACITY, actions, count
            )
    actions[count] = rules.END
    return count + 1


class SimpleBlue(PublishedBoardAgent, Scripted):
    """Blue; every unit one step north each turn (published 3.88)."""

    seats = ("blue",)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; it needs no memory."""
        return CompiledPolicy(act_simple_blue)


# --- OneAxisBlue ---------------------------------------------------------------------------------

COLUMN_NAMES = "abcde"
AXIS = 0  # memory: the column of the axis plus one; 0: not drawn yet


@kernel
def act_one_axis_blue(
    view: Cells, dice: DiceState, memory: Integers, constants: NDArray[np.float64], actions: Cells
) -> int:
    """Advance row by row from the front; in a row the axis first, then from near to far."""
    if memory[AXIS] == 0:
        memory[AXIS] = below(dice, rules.SIDE) + 1
    axis = memory[AXIS] - 1
    west_first = coin(dice) == 1  # both sides compete for the same room: neither is favoured
    count = 0
    for row in range(rules.SIDE - 1, -1, -1):
        north = (row * rules.SIDE + axis) * rules.DIRECTIONS + rules.NORTH
        count = send(view, north, rules.CAPACITY, actions, count)
        for distance in range(1, rules.SIDE):
            for side in range(2):
                west = (side == 0) == west_first
                column = axis - distance if west else axis + distance
                if 0 <= column < rules.SIDE:
                    sideways = (row * rules.SIDE + column) * rules.DIRECTIONS + (
                        rules.EAST if west else rules.WEST
                    )
                    count = send(view, sideways, rules.CAPACITY, actions, count)
    actions[count] = rules.END
    return count + 1


class OneAxisBlue(PublishedBoardAgent, Scripted):
    """Blue; all units attack along one column, drawn at the start (published 5.34)."""

    meanings: ClassVar[Mapping[str, str]] = {
        "axis": "the column to attack, a to e; empty: drawn at the start",
    }

    seats = ("blue",)

    def __init__(self, axis: str = "") -> None:
        """Take a column from a to e instead of drawing one; ValueError for another word.

        >>> OneAxisBlue(axis="C").axis
        'c'
        """
        if axis.lower() not in ("", *COLUMN_NAMES):
            raise ValueError(f"axis is one of a, b, c, d, e, got '{axis}'")
        self.axis = axis.lower()

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its memory holds the axis."""
        return CompiledPolicy(
            act_one_axis_blue, (COLUMN_NAMES.index(self.axis) + 1 if self.axis else 0,)
        )


# --- AxesRed -------------------------------------------------------------------------------------

# Memory is only scratch here; nothing is remembered from turn to turn.
WANTED = 0  # [5] how many Red units each column should have
REMAINDER = rules.SIDE  # [5] what was cut off when the shares were rounded down
BARRED = 2 * rules.SIDE  # [5] 1: the entry test forbids to reinforce this column
AXES_RED_MEMORY = 3 * rules.SIDE


@kernel
def share_out(view: Cells, dice: DiceState, memory: Integers) -> None:
    """Split Red's units over the columns in proportion to Blue's: largest remainder, ties drawn."""
    blue, red = 0, 0
    for column in range(rules.SIDE):
        threat = 0
        for node in range(column, rules.NODES, rules.SIDE):
            threat += view[rules.BLUE + node]
        memory[REMAINDER + column] = threat
        blue += threat
        red += view[rules.RED + rules.FIRST_OF_TOP_ROW + column]
    left = red
    for column in range(rules.SIDE):
        ideal = red * memory[REMAINDER + column]
        memory[WANTED + column] = ideal // blue
        memory[REMAINDER + column] = ideal % blue
        left -= ideal // blue
    for _ in range(left):
        best, ties = 0, 1
        for column in range(1, rules.SIDE):
            difference = memory[REMAINDER + column] - memory[REMAINDER + best]
            ties = 1 if difference > 0 else ties + (difference == 0)
            if difference > 0 or (difference == 0 and below(dice, ties) == 0):
                best = column
        memory[WANTED + best] += 1
        memory[REMAINDER + best] = -1


@kernel
def spill(dice: DiceState, memory: Integers) -> None:
    """Hand what a column cannot hold to the nearest column with room, the emptier side first."""
    wanted = memory[WANTED : WANTED + rules.SIDE]
    for column in range(rules.SIDE):
        while wanted[column] > rules.CAPACITY:
            for distance in range(1, rules.SIDE):
                west, east = column - distance, column + distance
                west_room = west >= 0 and wanted[west] < rules.CAPACITY
                east_room = east < rules.SIDE and wanted[east] < rules.CAPACITY
                if not west_room and not east_room:
                    continue
                if west_room and east_room and wanted[west] == wanted[east]:
                    take_west = coin(dice) == 0
                else:
                    take_west = west_room and (not east_room or wanted[west] < wanted[east])
                wanted[west if take_west else east] += 1
                wanted[column] -= 1
                break


@kernel
def free_to_move(view: Cells, source: int, barred: int) -> bool:
    """Units in combat stay where they are, and nobody goes where the entry test has failed."""
    return barred == 0 and view[rules.BLUE + source] == 0


@kernel
def redeploy(view: Cells, memory: Integers, actions: Cells) -> int:
    """Send over each border what the columns west of it have too many or too few of."""
    count = 0
    while True:
        before = count
        surplus = 0  # of all columns west of the border together
        for column in range(rules.SIDE - 1):
            node = rules.FIRST_OF_TOP_ROW + column
            surplus += view[rules.RED + node] - memory[WANTED + column]
            so_far = count
            if surplus > 0 and free_to_move(view, node, memory[BARRED + column + 1]):
                count = send(view, node * rules.DIRECTIONS + rules.EAST, surplus, actions, count)
                surplus -= count - so_far
            elif surplus < 0 and free_to_move(view, node + 1, memory[BARRED + column]):
                count = send(
                    view, (node + 1) * rules.DIRECTIONS + rules.WEST, -surplus, actions, count
                )
                surplus += count - so_far
        if count == before:
            return count


@kernel
def bar_bad_reinforcements(view: Cells, memory: Integers) -> bool:
    """Bar the columns where joining a defence does not make up for the defender's point."""
    any_barred = False
    for column in range(rules.SIDE):
        node = rules.FIRST_OF_TOP_ROW + column
        entering = np.int64(view[rules.ARRIVED + node])
        blue = np.int64(view[rules.BLUE + node])
        red = np.int64(view[rules.RED + node]) - entering
        defends = blue > 0 and red > 0 and view[rules.ATTACKER + node] != rules.RED_ATTACKS
        if entering > 0 and defends and (red + entering) * blue <= (red + 1) * (blue + 1):
            memory[BARRED + column] = 1
            any_barred = True
    return any_barred


@kernel
def act_axes_red(
    view: Cells, dice: DiceState, memory: Integers, constants: NDArray[np.float64], actions: Cells
) -> int:
    """Plan the redeployment, and plan it again without the entries that do not pay."""
    share_out(view, dice, memory)
    spill(dice, memory)
    for column in range(rules.SIDE):
        memory[BARRED + column] = 0
    while True:
        count = redeploy(view, memory, actions)
        if count == 0 or not bar_bad_reinforcements(view, memory):
            break
        for column in range(rules.SIDE):  # take the plan back
            view[rules.ARRIVED + rules.FIRST_OF_TOP_ROW + column] = 0
        for index in range(count):
            source = actions[index] // rules.DIRECTIONS
            destination = (
                source + 1 if actions[index] % rules.DIRECTIONS == rules.EAST else source - 1
            )
            view[rules.RED + source] += 1
            view[rules.RED + destination] -= 1
    actions[count] = rules.END
    return count + 1


class AxesRed(PublishedBoardAgent, Scripted):
    """Red; mirrors the threat on each column from the top row (the published opponent)."""

    seats = ("red",)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel with its scratch memory."""
        return CompiledPolicy(act_axes_red, (0,) * AXES_RED_MEMORY)
