"""Learning by looking ahead: the learner of Operation Lucid chooses as the champions do.

Every position then gets a value one turn further, the mean over all combats, both sides of the coin
and the best answers: a target without the luck of the dice. So do plans that were looked at and not
played, of which one a turn is kept: the evaluator likes them too well or not well enough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below
from sandtable.games.lucid.agents.champion.lookahead import (
    LOWEST,
    Lookahead,
    choose_ahead,
    value_ahead,
)
from sandtable.games.lucid.agents.champion.plan import (
    BLUE_LEFT as PLAN_BLUE_LEFT,
)
from sandtable.games.lucid.agents.champion.plan import (
    IN_GOAL as PLAN_IN_GOAL,
)
from sandtable.games.lucid.agents.champion.plan import (
    KEPT,
    LEFT,
    SEAT,
    value_in_mirror,
)
from sandtable.games.lucid.agents.champion.search import side_of
from sandtable.games.lucid.agents.evaluator.boards import BOARDS
from sandtable.games.lucid.learning.td.setting import (
    AXES_RED,
    BLUE_LEFT,
    HOW,
    IN_GOAL,
    NOT_PLAYED,
    TURNS_AFTER,
    Record,
    Setting,
)
from sandtable.games.lucid.rules import BLUE_SEAT

__all__ = ["choose_looking", "look_ahead", "write_other"]


@kernel
def choose_looking(
    look: Lookahead, position: NDArray[np.int16], dice: NDArray[np.uint64], setting: Setting
) -> float:
    """Choose a turn as the champions do; return what the evaluator thinks of the one it likes best.

    That is what a look ahead from the position before expects of this turn: the mean of the value
    and that in the mirror.
    """
    look.values[:] = LOWEST
    expect_axes_red = setting.red == AXES_RED
    choose_ahead(
        look, position, dice, setting.tries, setting.reply_tries, setting.margin, expect_axes_red
    )
    liked = 0
    for index in range(len(look.values)):
        if look.values[index] > look.values[liked]:
            liked = index
    value = side_of(position) * look.values[liked]
    mirrored = value_in_mirror(look.plans[liked], look.weights, look.mirror, look.mirror_sums)
    return float(0.5 * (value + mirrored))


@kernel
def look_ahead(
    look: Lookahead, position: NDArray[np.int16], dice: NDArray[np.uint64], setting: Setting
) -> float:
    """Return the value of a position after a move by all that can follow in one turn."""
    copy_cells(position, look.after)
    return float(value_ahead(look, dice, setting.reply_tries, setting.red == AXES_RED))


@kernel
def write_other(look: Lookahead, dice: NDArray[np.uint64], record: Record, place: int) -> int:
    """Write a plan that was looked at and not chosen, if there is any; return how many (0 or 1)."""
    chosen, others = 0, -1
    for index in range(len(look.ahead)):
        others += look.ahead[index] > LOWEST
        if look.ahead[index] > look.ahead[chosen]:
            chosen = index
    if others < 1:
        return 0
    drawn = int(below(dice, others))
    for index in range(len(look.ahead)):
        if index == chosen or look.ahead[index] == LOWEST:
            continue
        if drawn == 0:
            plan = look.plans[index]
            for board in range(BOARDS):
                record.boards[place, board] = plan[KEPT + board]
            record.facts[place, TURNS_AFTER] = plan[LEFT]
            record.facts[place, IN_GOAL] = plan[PLAN_IN_GOAL]
            record.facts[place, BLUE_LEFT] = plan[PLAN_BLUE_LEFT]
            record.facts[place, HOW] = NOT_PLAYED
            sign = 1.0 if plan[SEAT] == BLUE_SEAT else -1.0
            record.ahead[place] = sign * look.ahead[index]
        drawn -= 1
    return 1
