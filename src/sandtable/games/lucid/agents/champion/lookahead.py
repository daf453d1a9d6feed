"""Looking one turn further: what a plan is worth after the dice, and after the next move of either.

The evaluator values a position after a move. Playing on gives a better value of it: the combats
fall one way or the other (all ways, with their chances, where they are few), then the coin gives
the turn to Blue or to Red, whose best turn is looked for, and the evaluator values what comes out.
The champions do this for the best plans of their climbs and take the best of them. Red is expected
to play its best too, or to move as AxesRed does, or either side as another network would.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import uniform
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents import scripted
from sandtable.games.lucid.agents.champion import turn_plan
from sandtable.games.lucid.agents.champion.search import (
    Climb,
    choose_turn,
    climb_from,
    new_climb,
    side_of,
)
from sandtable.games.lucid.agents.evaluator.bitboards import BOARDS
from sandtable.games.lucid.agents.evaluator.network import SUMS, Floats
from sandtable.games.lucid.rules import Cells, DiceState

__all__ = ["Lookahead", "borrow", "choose_ahead", "move_as_axes_red", "new_lookahead"]

# How the next turn is taken to be played: each side its best by the own network, or one of them
# otherwise.
BEST_ANSWERS, AXES_RED_ANSWERS, MODEL_OF_BLUE, MODEL_OF_RED = range(4)

MOST_EXACT = 3  # combats of which all outcomes are looked at
SAMPLES = 8  # outcomes drawn where there are more
MOST_ACTIONS = 64  # of a turn, with room to spare
LOWEST = -100.0  # below every value
NO_COMBAT = -1.0


class Lookahead(NamedTuple):
    """Room for choosing turns by looking ahead."""

    weights: Floats  # [PARAMETERS]
    model: Floats  # [PARAMETERS] by which one side is taken to answer, where that is asked for
    climb: Climb  # of the mover
    reply: Climb  # of whoever moves after it
    plans: NDArray[np.int64]  # [candidate, PLAN_SIZE]
    values: NDArray[np.float64]  # [candidate] as the evaluator sees them, for the mover
    ahead: NDArray[np.float64]  # [candidate] one turn further; LOWEST where nobody looked
    after: Cells  # the position after a plan
    outcome: Cells  # and after the dice
    answered: Cells  # and after the answer of the model
    chances: NDArray[np.float64]  # [node] that Red loses the unit there; NO_COMBAT elsewhere
    mirror: NDArray[np.int64]  # [BOARDS] of a position in the mirror
    mirror_sums: Floats  # [SUMS] of it


@kernel
def new_lookahead(weights: Floats, candidates: int, model: Floats) -> Lookahead:
    """Make room for so many plans at a time; without a model of somebody give the weights again."""
    return Lookahead(
        weights,
        model,
        new_climb(),
        new_climb(),
        np.zeros((candidates, turn_plan.PLAN_SIZE), dtype=np.int64),
        np.zeros(candidates),
        np.zeros(candidates),
        np.zeros(rules.POSITION_SIZE, dtype=np.int16),
        np.zeros(rules.POSITION_SIZE, dtype=np.int16),
        np.zeros(rules.POSITION_SIZE, dtype=np.int16),
        np.zeros(rules.NODES),
        np.zeros(BOARDS, dtype=np.int64),
        np.zeros(SUMS, dtype=np.float32),
    )


@kernel
def borrow(look: Lookahead, weights: Floats) -> Lookahead:
    """Return the same room for somebody with other weights who expects the best answers."""
    return Lookahead(
        weights,
        weights,
        look.climb,
        look.reply,
        look.plans,
        look.values,
        look.ahead,
        look.after,
        look.outcome,
        look.answered,
        look.chances,
        look.mirror,
        look.mirror_sums,
    )


@kernel
def move_as_axes_red(position: Cells, dice: DiceState) -> None:
    """Make the movelets of AxesRed, without closing the turn."""
    view = position.copy()
    memory = np.zeros(scripted.AXES_RED_MEMORY, dtype=np.int64)
    actions = np.empty(MOST_ACTIONS, dtype=np.int16)
    count = scripted.act_axes_red(view, dice, memory, np.empty(0), actions)
    for index in range(count - 1):  # the last one ends the turn
        rules.move_units(position, int(actions[index]), 1)


@kernel
def keep_plan(look: Lookahead, count: int, value: float) -> int:
    """Keep the plan of the climb if it is new and among the best; return how many are kept."""
    plans, values, plan = look.plans, look.values, look.climb.plan
    for other in range(count):
        differences = 0
        for cell in range(turn_plan.FLOWS, turn_plan.FLOWS + rules.NODES * turn_plan.WAYS):
            differences += plans[other, cell] != plan[cell]
        if differences == 0:
            return count
    place = count
    if count == len(values):
        place = 0
        for other in range(count):
            if values[other] < values[place]:
                place = other
        if values[place] >= value:
            return count
    for cell in range(turn_plan.PLAN_SIZE):
        plans[place, cell] = plan[cell]
    values[place] = value
    return max(count, place + 1)


@kernel
def mirror_mean(look: Lookahead, value: float) -> float:
    """Return the mean of a plan's value and that of its mirror image."""
    plan, weights = look.reply.plan, look.weights
    return 0.5 * (value + turn_plan.value_in_mirror(plan, weights, look.mirror, look.mirror_sums))


@kernel
def value_of_model(look: Lookahead, dice: DiceState, tries: int) -> float:
    """Value what the model makes of the outcome of a turn, whose mover is set."""
    position, room = look.outcome, look.answered
    choose_turn(look.reply, look.model, position, dice, tries)
    copy_cells(position, room)
    turn_plan.write_position(look.reply.plan, room)
    plan, sums = look.reply
    return turn_plan.begin_plan(plan, look.weights, sums, room)


@kernel
def value_between(look: Lookahead, dice: DiceState, tries: int, expects: int) -> float:
    """Value the outcome of a turn: the mean of what Blue and what Red make of the next."""
    position = look.outcome
    if position[rules.PLAYED] == rules.TURNS or rules.occupied(position, rules.BLUE) == 0:
        return float(position[rules.GOAL])
    position[rules.MOVER] = rules.BLUE_SEAT
    if expects == MODEL_OF_BLUE:
        blue = value_of_model(look, dice, tries)
    else:
        blue = choose_turn(look.reply, look.weights, position, dice, tries)
    blue = mirror_mean(look, blue)
    position[rules.MOVER] = rules.RED_SEAT
    if expects == AXES_RED_ANSWERS:
        move_as_axes_red(position, dice)
        plan, sums = look.reply
        red = turn_plan.begin_plan(plan, look.weights, sums, position)
    elif expects == MODEL_OF_RED:
        red = value_of_model(look, dice, tries)
    else:
        red = choose_turn(look.reply, look.weights, position, dice, tries)
    return 0.5 * (blue + mirror_mean(look, red))


@kernel
def find_combats(look: Lookahead) -> int:
    """Write the chances in the combats of the position after a plan; return how many there are."""
    position = look.after
    rules.mark_attackers(position)
    blue, red = rules.occupied(position, rules.BLUE), rules.occupied(position, rules.RED)
    supplied = rules.supplied_nodes(blue & ~red)
    count = 0
    for node in range(rules.NODES):
        look.chances[node] = NO_COMBAT
        if (blue & red) >> node & 1:
            blue_strength, red_strength = rules.strengths(position, node, supplied)
            look.chances[node] = blue_strength / (blue_strength + red_strength)
            count += 1
    return count


@kernel
def throw_combats(look: Lookahead, exact: bool, number: int, dice: DiceState) -> float:
    """Write the outcome with this number, or a drawn one if they are many; return its chance.

    The bits of the number say who loses the unit in one combat after the other.
    """
    copy_cells(look.after, look.outcome)
    chance = 1.0 if exact else 1.0 / SAMPLES
    for node in range(rules.NODES):
        red_losing = look.chances[node]
        if red_losing == NO_COMBAT:
            continue
        if exact:
            red_loses = number & 1 == 1
            chance *= red_losing if red_loses else 1.0 - red_losing
            number >>= 1
        else:
            red_loses = uniform(dice) < red_losing
        look.outcome[(rules.RED if red_loses else rules.BLUE) + node] -= 1
        if look.outcome[rules.BLUE + node] == 0 or look.outcome[rules.RED + node] == 0:
            look.outcome[rules.ATTACKER + node] = rules.NOBODY
    look.outcome[rules.PLAYED] += 1
    return chance


@kernel
def value_ahead(look: Lookahead, dice: DiceState, tries: int, expects: int) -> float:
    """Value the position after a plan by all that can follow until the end of the next move."""
    combats = find_combats(look)
    exact = combats <= MOST_EXACT
    outcomes = 1 << combats if exact else SAMPLES
    total = 0.0
    for number in range(outcomes):
        chance = throw_combats(look, exact, number, dice)
        if chance > 0:
            total += chance * value_between(look, dice, tries, expects)
    return total


@kernel
def choose_ahead(
    look: Lookahead,
    position: Cells,
    dice: DiceState,
    tries: int,
    reply_tries: int,
    margin: float,
    expects: int,
) -> float:
    """Leave in ``look.climb.plan`` the plan that looks best one turn further; return its value.

    Plans that the evaluator likes less than its best by more than the margin are not looked at.
    """
    sign, climb = side_of(position), look.climb
    look.ahead[:] = LOWEST
    count, best = 0, LOWEST
    for attempt in range(tries):
        value = climb_from(climb, look.weights, position, dice, attempt, best)
        best = max(best, value)
        count = keep_plan(look, count, value)
    chosen, highest = 0, LOWEST
    for index in range(count):
        if look.values[index] < best - margin:
            continue
        copy_cells(position, look.after)
        turn_plan.write_position(look.plans[index], look.after)
        value = sign * value_ahead(look, dice, reply_tries, expects)
        look.ahead[index] = value
        if value > highest:
            chosen, highest = index, value
    for cell in range(turn_plan.PLAN_SIZE):
        climb.plan[cell] = look.plans[chosen, cell]
    return sign * highest
