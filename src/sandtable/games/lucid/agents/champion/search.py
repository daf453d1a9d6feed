"""How the champions of Operation Lucid choose a turn: climbing from plan to better plan.

Node by node, some or all units of a node that go one way are sent another way, and the best of
these changes is kept if the evaluator likes the position afterwards better; this goes on until no
change of a single node helps. It is done from several beginnings, since a change may need another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.lucid.agents.champion import turn_plan
from sandtable.games.lucid.agents.evaluator.network import SUMS, Floats
from sandtable.games.lucid.rules import BLUE_SEAT, MOVER, NODES, NORTH, Cells, DiceState, Integers

__all__ = ["Climb", "choose_turn", "climb_from", "disturb", "new_climb", "side_of"]

SMALLEST_GAIN = 1e-5  # less is rounding


# Layout of a climb's numbers: the plan under way, the best one so far, the order of nodes.
BEST_PLAN = turn_plan.PLAN_SIZE
ORDER = 2 * turn_plan.PLAN_SIZE
CLIMB_SIZE = ORDER + NODES
# And of its sums: of the plan under way, then of the best one.
BEST_SUMS = SUMS
CLIMB_SUMS = 2 * SUMS


class Climb(NamedTuple):
    """Room for choosing a turn; its numbers begin with those of the plan."""

    plan: Integers  # [CLIMB_SIZE]
    sums: Floats  # [CLIMB_SUMS]


@kernel
def new_climb() -> Climb:
    """Make room."""
    return Climb(np.zeros(CLIMB_SIZE, dtype=np.int64), np.zeros(CLIMB_SUMS, dtype=np.float32))


@kernel
def keep_best(climb: Climb) -> None:
    """Keep the plan under way as the best one."""
    for cell in range(turn_plan.PLAN_SIZE):
        climb.plan[BEST_PLAN + cell] = climb.plan[cell]
    for cell in range(SUMS):
        climb.sums[BEST_SUMS + cell] = climb.sums[cell]


@kernel
def back_to_best(climb: Climb) -> None:
    """Make the best plan the one under way."""
    for cell in range(turn_plan.PLAN_SIZE):
        climb.plan[cell] = climb.plan[BEST_PLAN + cell]
    for cell in range(SUMS):
        climb.sums[cell] = climb.sums[BEST_SUMS + cell]


@kernel
def side_of(position: Cells) -> float:
    """Return 1 if Blue, which wants a high score, is to move, and -1 if Red."""
    return 1.0 if position[MOVER] == BLUE_SEAT else -1.0


@kernel
def draw_order(plan: Integers, dice: DiceState) -> None:
    """Draw an order of all nodes, whatever was there before."""
    for place in range(NODES):
        other = below(dice, place + 1)
        plan[ORDER + place] = plan[ORDER + other]
        plan[ORDER + other] = place


@kernel
def best_change(
    plan: Integers, weights: Floats, sums: Floats, node: int, sign: float, value: float
) -> float:
    """Make the best change at one node, if any is better than ``value``; return the new value."""
    best, old_way, new_way, moved = value + SMALLEST_GAIN, 0, 0, 0
    for old in range(turn_plan.WAYS):
        most = plan[turn_plan.FLOWS + node * turn_plan.WAYS + old]
        if most == 0:
            continue
        for new in range(turn_plan.WAYS):
            if new == old:
                continue
            for units in range(1, min(most, turn_plan.room_for(plan, node, new)) + 1):
                turn_plan.redirect(plan, node, old, new, units)
                trial_value = sign * turn_plan.value_of_trial(plan, weights, sums)
                turn_plan.redirect(plan, node, new, old, units)
                if trial_value > best:
                    best, old_way, new_way, moved = trial_value, old, new, units
    if moved == 0:
        return value
    turn_plan.redirect(plan, node, old_way, new_way, moved)
    turn_plan.value_of_trial(plan, weights, sums)
    turn_plan.keep_trial(plan, sums)
    return best


@kernel
def climb_up(climb: Climb, weights: Floats, dice: DiceState, value: float) -> float:
    """Change node by node until nothing helps; return the value, seen by the mover."""
    plan, sums = climb
    sign = 1.0 if plan[turn_plan.SEAT] == BLUE_SEAT else -1.0
    draw_order(plan, dice)
    unchanged, place = 0, 0
    while unchanged < NODES:
        better = best_change(plan, weights, sums, plan[ORDER + place], sign, value)
        unchanged = unchanged + 1 if better == value else 0
        place = (place + 1) % NODES
        value = better
    return value


@kernel
def all_north(plan: Integers) -> None:
    """Send everybody north who finds room, from the front to the back."""
    for step in range(NODES):
        node = NODES - 1 - step
        units = min(
            plan[turn_plan.FLOWS + node * turn_plan.WAYS + turn_plan.STAY],
            turn_plan.room_for(plan, node, NORTH),
        )
        if units > 0:
            turn_plan.redirect(plan, node, turn_plan.STAY, NORTH, units)


@kernel
def disturb(plan: Integers, dice: DiceState, changes: int) -> None:
    """Send some units another way, so many times if room is found."""
    for _ in range(changes):
        node = int(below(dice, NODES))
        for _ in range(NODES):  # on to the next node with units that can move
            units = 0
            for way in range(turn_plan.WAYS):
                units += plan[turn_plan.FLOWS + node * turn_plan.WAYS + way]
            if units > 0:
                break
            node = (node + 1) % NODES
        old = int(below(dice, turn_plan.WAYS))
        for _ in range(turn_plan.WAYS):
            if plan[turn_plan.FLOWS + node * turn_plan.WAYS + old] > 0:
                break
            old = (old + 1) % turn_plan.WAYS
        new = (old + 1 + int(below(dice, turn_plan.WAYS - 1))) % turn_plan.WAYS
        most = min(
            plan[turn_plan.FLOWS + node * turn_plan.WAYS + old], turn_plan.room_for(plan, node, new)
        )
        if most > 0:
            turn_plan.redirect(plan, node, old, new, 1 + int(below(dice, most)))


@kernel
def scatter(plan: Integers, dice: DiceState) -> None:
    """Send everybody anywhere, from the front to the back."""
    for step in range(NODES):
        node = NODES - 1 - step
        for _ in range(plan[turn_plan.FLOWS + node * turn_plan.WAYS + turn_plan.STAY]):
            way = int(below(dice, turn_plan.WAYS))
            if way != turn_plan.STAY and turn_plan.room_for(plan, node, way) > 0:
                turn_plan.redirect(plan, node, turn_plan.STAY, way, 1)


@kernel
def climb_from(
    climb: Climb, weights: Floats, position: Cells, dice: DiceState, attempt: int, best: float
) -> float:
    """Climb from the beginning with this number; return the value seen by the mover.

    The first begins with everybody staying, the second with all going north; then they alternate
    between everybody going anywhere and the best plan so far with some random changes. ``best`` is
    the value of the best plan so far, which is kept beside the one under way.
    """
    plan, sums = climb
    sign = side_of(position)
    if attempt < 2 or attempt % 2 == 0:
        value = turn_plan.begin_plan(plan, weights, sums, position)
        if attempt == 1:
            all_north(plan)
        elif attempt > 1:
            scatter(plan, dice)
    else:
        back_to_best(climb)
        disturb(plan, dice, int(2 + below(dice, 3)))
    if attempt > 0:
        value = turn_plan.value_of_trial(plan, weights, sums)
        turn_plan.keep_trial(plan, sums)
    value = climb_up(climb, weights, dice, sign * value)
    if attempt == 0 or value > best + SMALLEST_GAIN:
        keep_best(climb)
    return value


@kernel
def choose_turn(
    climb: Climb, weights: Floats, position: Cells, dice: DiceState, tries: int
) -> float:
    """Leave in ``climb.plan`` the best plan found in so many climbs; return its value."""
    sign = side_of(position)
    best = 0.0
    for attempt in range(tries):
        value = climb_from(climb, weights, position, dice, attempt, best)
        if attempt == 0 or value > best + SMALLEST_GAIN:
            best = value
    back_to_best(climb)
    return sign * best
