"""New scenarios of Operation Lucid: boards that stand in no text, drawn from a number.

A scenario of the generator is a small game of its own: another board, other forces, perhaps closed
nodes and roads, strong points, another way of giving the right to move. Blue has more units than
Red, as in the published game, and every node can be reached. It need not be fair: who measures with
such boards lets both players take both sides of each. Everything is drawn from the stream (number,
"lucid scenario", attempt), so a number means one scenario for ever.
"""

from __future__ import annotations

import re
from typing import Any

from sandtable.dice import Dice
from sandtable.errors import SandtableError

__all__ = ["GENERATED", "generated_values"]

GENERATED = re.compile("random-([0-9]{1,18})")  # the name of a scenario that is drawn
ATTEMPTS = 1000
CAPACITY = 3
SIDES = (4, 5)  # columns and rows
TURNS = (20, 24, 28, 32)
MOST_CLOSED_NODES, MOST_CLOSED_ROADS, MOST_STRONG_POINTS = 2, 2, 2
RED_SHARE = (0.45, 0.65)  # of Blue's units
RIGHTS_TO_MOVE = ("drawn", "alternate", "45", "55", "60")
SUPPLIES = ("row1", "row1", "off")

Node = tuple[int, int]  # row from the south and column from the west, from 0


def generated_values(number: int) -> dict[str, Any]:
    """Return the values of the scenario of this number, as they stand in a file.

    >>> generated_values(17)["board"]
    'r1,r1,1,r1/r1,r1,r2,1/4/b3,b3,b3,b3'
    """
    for attempt in range(ATTEMPTS):
        values = drawn_values(Dice(number, "lucid scenario", attempt))
        if values is not None:
            return values
    raise SandtableError(f"no scenario in {ATTEMPTS} attempts with the number {number}")


def drawn_values(dice: Dice) -> dict[str, Any] | None:
    """Draw one scenario; None if parts of its board cannot be reached."""
    columns, rows = SIDES[dice.below(len(SIDES))], SIDES[dice.below(len(SIDES))]
    inner = [(row, column) for row in range(1, rows - 1) for column in range(columns)]
    closed = set(drawn(dice, inner, dice.below(MOST_CLOSED_NODES + 1)))
    between_open = [road for road in roads_within(columns, rows) if not closed & set(road)]
    roads = set(drawn(dice, between_open, dice.below(MOST_CLOSED_ROADS + 1)))
    if not connected(columns, rows, closed, roads):
        return None
    home = [(0, column) for column in range(columns)]
    blue = units_on(dice, home, CAPACITY * columns - dice.below(columns))
    low, high = RED_SHARE
    wanted = round(sum(blue.values()) * (low + (high - low) * dice.uniform()))
    held = [(row, column) for row in (rows - 2, rows - 1) for column in range(columns)]
    red = units_on(dice, [node for node in held if node not in closed], wanted)
    points = drawn(dice, [node for node in inner if node not in closed],
                   dice.below(MOST_STRONG_POINTS + 1))  # fmt: skip
    return {
        "board": board_text(columns, rows, blue, red, closed),
        "turns": TURNS[dice.below(len(TURNS))],
        "closed_roads": " ".join(f"{name(one)}-{name(other)}" for one, other in sorted(roads)),
        "defender": " ".join(["1", *(f"{name(node)}:2" for node in sorted(points))]),
        "right_to_move": RIGHTS_TO_MOVE[dice.below(len(RIGHTS_TO_MOVE))],
        "supply": SUPPLIES[dice.below(len(SUPPLIES))],
    }


def drawn(dice: Dice, choices: list[Any], count: int) -> list[Any]:
    """Draw some different ones of a list."""
    left = list(choices)
    return [left.pop(dice.below(len(left))) for _ in range(min(count, len(left)))]


def units_on(dice: Dice, nodes: list[Node], count: int) -> dict[Node, int]:
    """Put units on nodes one by one, each where there is still room."""
    found = dict.fromkeys(nodes, 0)
    for _ in range(min(count, CAPACITY * len(nodes))):
        room = [node for node in nodes if found[node] < CAPACITY]
        found[room[dice.below(len(room))]] += 1
    return found


def roads_within(columns: int, rows: int) -> list[tuple[Node, Node]]:
    """Return all roads between two nodes, the southern or western one first."""
    nodes = [(row, column) for row in range(rows) for column in range(columns)]
    steps = ((1, 0), (0, 1))
    return [
        ((row, column), (row + up, column + right))
        for row, column in nodes
        for up, right in steps
        if row + up < rows and column + right < columns
    ]


def connected(
    columns: int, rows: int, closed: set[Node], closed_roads: set[tuple[Node, Node]]
) -> bool:
    """Say whether every open node can be reached from every other.

    >>> connected(1, 3, {(1, 0)}, set()), connected(2, 3, {(1, 0)}, set())
    (False, True)
    """
    roads = [
        road
        for road in roads_within(columns, rows)
        if road not in closed_roads and not closed & set(road)
    ]
    nodes = {(row, column) for row in range(rows) for column in range(columns)} - closed
    reached, grown = {min(nodes)}, True
    while grown:
        further = {node for road in roads if reached & set(road) for node in road}
        grown = not further <= reached
        reached |= further
    return reached == nodes


def board_text(
    columns: int, rows: int, blue: dict[Node, int], red: dict[Node, int], closed: set[Node]
) -> str:
    """Write the board as it stands in specs, from the north down.

    >>> board_text(2, 2, {(0, 0): 3}, {(1, 1): 2}, set())
    '1,r2/b3,1'
    """
    lines = []
    for row in range(rows - 1, -1, -1):
        words: list[str] = []
        for column in range(columns):
            node = (row, column)
            if node in closed:
                words.append("x")
            elif blue.get(node):
                words.append(f"b{blue[node]}")
            elif red.get(node):
                words.append(f"r{red[node]}")
            elif words and words[-1].isdecimal():
                words[-1] = str(int(words[-1]) + 1)
            else:
                words.append("1")
        lines.append(",".join(words))
    return "/".join(lines)


def name(node: Node) -> str:
    """Return the name of a node.

    >>> name((0, 1))
    'b1'
    """
    row, column = node
    return f"{'abcdefghijklmnopqrstuvwxyz'[column]}{row + 1}"
