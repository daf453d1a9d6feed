"""Operation Lucid as the input of a network: one plane a feature, row 1 first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.lucid import rules

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
    flat = planes.reshape((planes.shape[0], planes.shape[1] * planes.shape[2]))
    for units in range(rules.CAPACITY):
        for node in range(rules.NODES):
            flat[BLUE_PLANE + units, node] = position[rules.BLUE + node] > units
        for node in range(rules.NODES):
            flat[RED_PLANE + units, node] = position[rules.RED + node] > units
    for node in range(rules.NODES):
        flat[BLUE_ATTACKS_PLANE, node] = position[rules.ATTACKER + node] == rules.BLUE_ATTACKS
    for node in range(rules.NODES):
        flat[RED_ATTACKS_PLANE, node] = position[rules.ATTACKER + node] == rules.RED_ATTACKS
    supplied = rules.supplied_nodes(
        rules.occupied(position, rules.BLUE) & ~rules.occupied(position, rules.RED)
    )
    served = rules.HOME_ROW | rules.beside(supplied)  # all at once what in_supply says of one node
    for node in range(rules.NODES):
        flat[SUPPLY_PLANE, node] = (served >> node) & 1
    if position[rules.MOVER] >= 0:
        encode_moves(position, flat)
    else:
        fill(flat, MOVABLE_PLANE, 0.0)
        fill(flat, ARRIVED_PLANE, 0.0)
    fill(flat, MOVER_PLANE, 1.0 if position[rules.MOVER] == rules.BLUE_SEAT else 0.0)
    fill(flat, SEAT_PLANE, 1.0 if seat == rules.BLUE_SEAT else 0.0)
    fill(flat, TURNS_PLANE, (rules.TURNS - position[rules.PLAYED]) / rules.TURNS)
    fill(flat, GOAL_PLANE, position[rules.GOAL] / rules.BLUE_UNITS)


@inlined
def fill(flat: NDArray[np.float32], plane: int, value: float) -> None:
    """Write one number all over a plane; a slice would do it too, but slowly."""
    number = np.float32(value)
    for node in range(rules.NODES):
        flat[plane, node] = number


@inlined
def encode_moves(position: NDArray[np.int16], flat: NDArray[np.float32]) -> None:
    """Write how many units can still leave each node, as ``movable`` says, and how many came."""
    board = rules.own_board(position[rules.MOVER])
    locked = position[rules.MOVER] + 1  # attackers are
    for node in range(rules.NODES):
        units = position[board + node] - position[rules.ARRIVED + node]
        free = units if position[rules.ATTACKER + node] != locked else 0
        flat[MOVABLE_PLANE, node] = free / rules.CAPACITY
    for node in range(rules.NODES):
        flat[ARRIVED_PLANE, node] = position[rules.ARRIVED + node] / rules.CAPACITY
