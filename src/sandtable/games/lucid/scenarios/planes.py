"""Positions of scenarios as the input of a network: planes as large as the board, row 1 first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid.rules import BLUE_ATTACKS, BLUE_SEAT, DIRECTIONS, OVER, RED_ATTACKS
from sandtable.games.lucid.scenarios import rules

__all__ = ["encode", "plane_names"]

MOST_ADVANTAGE = 3


def plane_names(capacity: int, turns: int, blue_units: int) -> tuple[str, ...]:
    """Return what the planes mean where so many units fit on a node.

    >>> plane_names(3, 36, 15)[0], len(plane_names(3, 36, 15))
    ('at least 1 Blue unit', 20)
    """
    return (
        *(
            f"at least {units} {side} unit{'s' * (units > 1)}"
            for side in ("Blue", "Red")
            for units in range(1, capacity + 1)
        ),
        "Blue attacks here",
        "Red attacks here",
        "combat here would be in supply",
        f"units that can still move, of {capacity}",
        f"units that arrived in this turn, of {capacity}",
        "Blue is to move",
        "the view is Blue's",
        f"turns left, of {turns}",
        f"units in the goal, of {blue_units}",
        "a road leads north",
        "a road leads east",
        "a road leads south",
        "a road leads west",
        f"what the defender has more, of {MOST_ADVANTAGE}",
    )


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write a view into planes, all values from 0 to 1."""
    nodes, capacity = rules.node_count(position), int(position[rules.CAPACITY])
    flat = planes.reshape((planes.shape[0], nodes))
    mover = position[rules.MOVER]
    supplied = np.empty(nodes, dtype=np.bool_)
    rules.supplied_nodes(position, supplied)
    blue = rules.board(position, rules.BLUE_BOARD)
    red = rules.board(position, rules.RED_BOARD)
    marks = rules.board(position, rules.ATTACKER_BOARD)
    arrived = rules.board(position, rules.ARRIVED_BOARD)
    roads = rules.board(position, rules.ROAD_BOARD)
    advantages = rules.board(position, rules.ADVANTAGE_BOARD)
    turns_left = (position[rules.TURNS] - position[rules.PLAYED]) / position[rules.TURNS]
    in_goal = position[rules.GOAL] / position[rules.BLUE_UNITS]
    for node in range(nodes):
        for units in range(capacity):
            flat[units, node] = position[blue + node] > units
            flat[capacity + units, node] = position[red + node] > units
        plane = 2 * capacity
        flat[plane, node] = position[marks + node] == BLUE_ATTACKS
        flat[plane + 1, node] = position[marks + node] == RED_ATTACKS
        closed = position[advantages + node] == rules.CLOSED
        served = not closed and rules.in_supply(position, node, supplied)
        flat[plane + 2, node] = served
        free = rules.movable(position, node) if mover != OVER else 0
        flat[plane + 3, node] = free / capacity
        flat[plane + 4, node] = position[arrived + node] / capacity
        flat[plane + 5, node] = mover == BLUE_SEAT
        flat[plane + 6, node] = seat == BLUE_SEAT
        flat[plane + 7, node] = turns_left
        flat[plane + 8, node] = in_goal
        for direction in range(DIRECTIONS):
            flat[plane + 9 + direction, node] = (position[roads + node] >> direction) & 1
        flat[plane + 13, node] = 0 if closed else position[advantages + node] / MOST_ADVANTAGE
