"""A whole turn of Operation Lucid as a plan that a search changes step by step.

A plan says for every node how many of its units take each way: north, east, south, west, or none.
It keeps the resulting placement, the evaluator's boards and the sums of its first layer, so that
the value of a changed plan costs no more than what the change touches.
"""

from __future__ import annotations

import numpy as np

from sandtable.compiled import kernel
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.evaluator import bitboards, network
from sandtable.games.lucid.agents.evaluator.network import Floats
from sandtable.games.lucid.rules import Cells, Integers

STAY = rules.DIRECTIONS
WAYS = rules.DIRECTIONS + 1

# Layout of a plan: one row of numbers.
FLOWS = 0  # [node * 5 + way] units that take each way
OWN = FLOWS + rules.NODES * WAYS  # [node] the mover's units afterwards
CAME = OWN + rules.NODES  # [node] those of them that entered
SEAT = CAME + rules.NODES
LEFT = SEAT + 1  # turns after this one
IN_GOAL = LEFT + 1
BLUE_LEFT = IN_GOAL + 1  # units on the board
RED_LEFT = BLUE_LEFT + 1
BLUE_BEFORE = RED_LEFT + 1  # nodes where a side attacked before the move, as bits
RED_BEFORE = BLUE_BEFORE + 1
ENTERED = RED_BEFORE + 1  # nodes the mover enters, as bits
KEPT = ENTERED + 1  # [board] of the plan as last kept
TRIAL = KEPT + bitboards.BOARDS  # [board] of the plan as it stands
PLAN_SIZE = TRIAL + bitboards.BOARDS


@kernel
def begin_plan(plan: Integers, weights: Floats, sums: Floats, position: Cells) -> float:
    """Start from a position at the beginning of a turn with everybody staying; return its value."""
    seat = position[rules.MOVER]
    own = rules.own_board(seat)
    plan[SEAT], plan[LEFT], plan[IN_GOAL] = (
        seat,
        bitboards.turns_left(position),
        position[rules.GOAL],
    )
    plan[BLUE_LEFT] = bitboards.read_boards(position, plan, KEPT)
    plan[BLUE_BEFORE] = plan[KEPT + bitboards.BLUE_ATTACKING]
    plan[RED_BEFORE] = plan[KEPT + bitboards.RED_ATTACKING]
    plan[RED_LEFT] = 0
    plan[ENTERED] = 0
    for cell in range(rules.NODES * WAYS):
        plan[FLOWS + cell] = 0
    for node in range(rules.NODES):
        plan[OWN + node] = position[own + node]
        plan[CAME + node] = 0
        plan[RED_LEFT] += position[rules.RED + node]
        plan[FLOWS + node * WAYS + STAY] = rules.movable(position, node)
    for board in range(bitboards.BOARDS):
        plan[TRIAL + board] = plan[KEPT + board]
    network.first_layer(weights, plan, KEPT, plan[LEFT], sums)
    return value_of_sums(plan, weights, sums, network.KEPT_SUMS)


@kernel
def value_of_sums(plan: Integers, weights: Floats, sums: Floats, at: int) -> float:
    """Return the score to be expected."""
    if plan[LEFT] == 0:
        return float(plan[IN_GOAL])
    return float(plan[IN_GOAL] + plan[BLUE_LEFT] * network.finish(weights, sums, at))


@kernel
def value_in_mirror(plan: Integers, weights: Floats, boards: Integers, sums: Floats) -> float:
    """Return the value of the plan as last kept, with west and east exchanged.

    It would be the same if the network were perfect; so the mean of both errs less than either.
    ``boards`` and ``sums`` are scratch.
    """
    for board in range(bitboards.BOARDS):
        boards[board] = plan[KEPT + board]
    bitboards.mirror_boards(boards)
    network.first_layer(weights, boards, 0, plan[LEFT], sums)
    return value_of_sums(plan, weights, sums, network.KEPT_SUMS)


@kernel
def room_for(plan: Integers, node: int, way: int) -> int:
    """Return how many more units of a node can take a way."""
    if way == STAY:
        return int(rules.CAPACITY - plan[OWN + node])
    destination = rules.DESTINATION[node * rules.DIRECTIONS + way]
    if destination == rules.NOWHERE:
        return 0
    if destination == rules.TO_GOAL:
        return rules.BLUE_UNITS if plan[SEAT] == rules.BLUE_SEAT else 0
    if plan[FLOWS + destination * WAYS + (way + 2) % rules.DIRECTIONS] > 0:
        return 0  # no exchanges: units look alike
    return int(rules.CAPACITY - plan[OWN + destination])


@kernel
def add_units(plan: Integers, node: int, way: int, units: int) -> None:
    """Let so many more (or fewer) units of a node take a way, and bring the trial boards along."""
    plan[FLOWS + node * WAYS + way] += units
    destination = node if way == STAY else int(rules.DESTINATION[node * rules.DIRECTIONS + way])
    if destination == rules.TO_GOAL:
        plan[IN_GOAL] += units
        plan[BLUE_LEFT] -= units
        plan[TRIAL + bitboards.TOTALS] = bitboards.total_bits(plan[BLUE_LEFT], plan[RED_LEFT])
        return
    plan[OWN + destination] += units
    board = bitboards.BLUE_BOARD if plan[SEAT] == rules.BLUE_SEAT else bitboards.RED_BOARD
    bitboards.put_units(plan, TRIAL + board, destination, plan[OWN + destination])
    if way != STAY:
        plan[CAME + destination] += units
        here = np.int64(1) << destination
        if plan[CAME + destination] > 0:
            plan[ENTERED] |= here
        else:
            plan[ENTERED] &= ~here


@kernel
def redirect(plan: Integers, node: int, old: int, new: int, units: int) -> None:
    """Let units of a node take another way."""
    add_units(plan, node, old, -units)
    add_units(plan, node, new, units)


@kernel
def value_of_trial(plan: Integers, weights: Floats, sums: Floats) -> float:
    """Return the value of the plan as it stands, and leave its sums as the trial's."""
    bitboards.mark_combats(
        plan, TRIAL, plan[SEAT], plan[ENTERED], plan[BLUE_BEFORE], plan[RED_BEFORE]
    )
    network.shift_first_layer(weights, plan, KEPT, TRIAL, sums)
    return value_of_sums(plan, weights, sums, network.TRIAL_SUMS)


@kernel
def keep_trial(plan: Integers, sums: Floats) -> None:
    """Take the plan as it stands as the one to compare with; its value must have been asked for."""
    for board in range(bitboards.BOARDS):
        plan[KEPT + board] = plan[TRIAL + board]
    for unit in range(network.HIDDEN):
        sums[network.KEPT_SUMS + unit] = sums[network.TRIAL_SUMS + unit]


@kernel
def write_position(plan: Integers, position: Cells) -> None:
    """Play all movelets of the plan at once; the turn is still to be closed."""
    own = rules.own_board(position[rules.MOVER])
    position[rules.GOAL] = plan[IN_GOAL]
    for node in range(rules.NODES):
        position[own + node] = plan[OWN + node]
        position[rules.ARRIVED + node] = plan[CAME + node]
        if plan[OWN + node] == 0:
            position[rules.ATTACKER + node] = rules.NOBODY


@kernel
def write_movelets(plan: Integers, view: Cells, actions: Cells) -> int:
    """Write the movelets of the plan in an order in which each finds room; return how many.

    Both the plan and the view are used up. Where units go round in a circle of full nodes nobody
    can begin; they stay instead, which leads to the same placement.
    """
    count = 0
    while True:
        before, stuck = count, rules.NOWHERE
        for node in range(rules.NODES):
            for way in range(rules.DIRECTIONS):
                action = node * rules.DIRECTIONS + way
                while plan[FLOWS + node * WAYS + way] > 0 and rules.has_room(
                    view, rules.DESTINATION[action]
                ):
                    rules.move_units(view, action, 1)
                    plan[FLOWS + node * WAYS + way] -= 1
                    actions[count] = action
                    count += 1
                if plan[FLOWS + node * WAYS + way] > 0:
                    stuck = node
        if stuck == rules.NOWHERE:
            return count
        if count == before:
            cancel_circle(plan, stuck)


@kernel
def first_way_out(plan: Integers, node: int) -> int:
    """Return a way that units of a node are still to take."""
    way = 0
    while plan[FLOWS + node * WAYS + way] == 0:
        way += 1
    return way


@kernel
def cancel_circle(plan: Integers, node: int) -> None:
    """Let one unit in each node of a circle of full nodes stay where it is.

    From a node that is stuck every way leads into a full one which is to be left as well, since
    nowhere will be more than three: so following the ways ends in a circle.
    """
    for _ in range(rules.NODES):  # after so many steps it has been reached
        node = rules.DESTINATION[node * rules.DIRECTIONS + first_way_out(plan, node)]
    first = node
    while True:
        way = first_way_out(plan, node)
        plan[FLOWS + node * WAYS + way] -= 1
        node = rules.DESTINATION[node * rules.DIRECTIONS + way]
        if node == first:
            return
