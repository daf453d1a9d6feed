"""Operation Lucid as the input of a network: one plane a feature, row 1 first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid.rules import (
    ARRIVED,
    ATTACKER,
    BLUE,
    BLUE_ATTACKS,
    BLUE_SEAT,
    BLUE_UNITS,
    CAPACITY,
    GOAL,
    MOVER,
    NODES,
    PLAYED,
    RED,
    RED_ATTACKS,
    SIDE,
    TURNS,
    in_supply,
    movable,
    occupied,
    supplied_nodes,
)

__all__ = ["PLANE_NAMES", "encode"]

PLANE_NAMES = (
    "at least 1 Blue unit",
    "at least 2 Blue units",
    "at least 3 Blue units",
    "at least 1 Red unit",
    "at least 2 Red units",
    "at least 3 Red units",
    "Blue attacks here",
    "Red attacks here",
    "combat here would be in supply",
    "units that can still move, in thirds",
    "units that arrived in this turn, in thirds",
    "Blue is to move",
    "the view is Blue's",
    "turns left, of 36",
    "units in the goal, of 15",
)
(
    BLUE_PLANE,
    RED_PLANE,
    BLUE_ATTACKS_PLANE,
    RED_ATTACKS_PLANE,
    SUPPLY_PLANE,
    MOVABLE_PLANE,
    ARRIVED_PLANE,
    MOVER_PLANE,
    SEAT_PLANE,
    TURNS_PLANE,
    GOAL_PLANE,
) = (0, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14)


@kernel
def encode(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write a view into planes [15, 5, 5], all values from 0 to 1."""
    planes[:] = 0.0
    supplied = supplied_nodes(occupied(position, BLUE) & ~occupied(position, RED))
    playing = position[MOVER] >= 0
    for node in range(NODES):
        row, column = node // SIDE, node % SIDE
        for units in range(CAPACITY):
            planes[BLUE_PLANE + units, row, column] = position[BLUE + node] > units
            planes[RED_PLANE + units, row, column] = position[RED + node] > units
        planes[BLUE_ATTACKS_PLANE, row, column] = position[ATTACKER + node] == BLUE_ATTACKS
        planes[RED_ATTACKS_PLANE, row, column] = position[ATTACKER + node] == RED_ATTACKS
        planes[SUPPLY_PLANE, row, column] = in_supply(node, supplied)
        if playing:
            planes[MOVABLE_PLANE, row, column] = movable(position, node) / CAPACITY
            planes[ARRIVED_PLANE, row, column] = position[ARRIVED + node] / CAPACITY
    planes[MOVER_PLANE] = position[MOVER] == BLUE_SEAT
    planes[SEAT_PLANE] = seat == BLUE_SEAT
    planes[TURNS_PLANE] = (TURNS - position[PLAYED]) / TURNS
    planes[GOAL_PLANE] = position[GOAL] / BLUE_UNITS
