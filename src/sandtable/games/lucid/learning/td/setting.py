"""How the games of Lucid's learner are played: the setting, the record, and who plays against it.

Its opponent is itself, AxesRed, a fixed network, or a Blue out of a pool. A Red that has only met
itself knows nothing of simpler Blues, which then beat it. So it can be made to meet others in some
of its games: the scripts, a fixed network, and networks it had before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, uniform
from sandtable.games.lucid.agents import axes_red, one_axis_blue, simple_blue
from sandtable.games.lucid.rules import move_units

__all__ = ["FACTS", "ITSELF", "Pool", "Record", "Setting", "draw_blue", "move_as_script"]

# Who plays a side in a game: one of these, or a number of 0 or more, that of a fixed network.
ITSELF, AXES_RED, SIMPLE_BLUE, ONE_AXIS_BLUE = -1, -2, -3, -4
RIVAL = 0  # the number of the rival; older selves follow

SCRATCH = axes_red.SCRATCH  # the longest memory of a script
MOST_ACTIONS = 64  # of a turn, with room to spare


class Pool(NamedTuple):
    """In what share of its games a learner of both sides plays Red alone, and against whom."""

    scripted: float  # SimpleBlue or OneAxisBlue
    rival: float  # the fixed network
    older: float  # an older self


# What is kept about a position besides its boards.
TURNS_AFTER, IN_GOAL, BLUE_LEFT, HOW = range(4)
FACTS = 4
AS_MEANT, DISTURBED, NOT_PLAYED = range(3)  # how a position came about


class Setting(NamedTuple):
    """How games are played and targets made."""

    blue: int  # who plays it, see above
    red: int
    pool: Pool  # who plays Blue instead of the learner of both sides
    tries: int  # climbs for a turn
    candidates: int  # plans looked at one turn further; 0: the evaluator alone chooses
    reply_tries: int  # climbs for each answer when looking further
    margin: float  # plans that seem worse than the best by more are left out
    exploration: float  # chance that a turn of the learner is disturbed
    scattered: float  # share of games that begin somewhere in the middle
    field_red: float  # chance of each Red unit to be off its top row in such a beginning
    trace: float  # lambda


class Record(NamedTuple):
    """The positions of a game after moves, as they are written."""

    boards: NDArray[np.int32]  # [position, board]
    facts: NDArray[np.int16]  # [position, fact]
    values: NDArray[np.float32]  # [position] what the evaluator expected of the turn
    ahead: NDArray[np.float32]  # [position] its worth by the next turn, see write_targets


@kernel
def draw_blue(pool: Pool, networks: int, dice: NDArray[np.uint64]) -> int:
    """Draw who plays Blue in a game of a learner of both sides."""
    drawn = uniform(dice)
    if drawn < pool.scripted:
        return SIMPLE_BLUE if below(dice, 2) == 0 else ONE_AXIS_BLUE
    drawn -= pool.scripted
    if drawn < pool.rival:
        return RIVAL
    drawn -= pool.rival
    if drawn < pool.older and networks > RIVAL + 1:
        return int(RIVAL + 1 + below(dice, networks - RIVAL - 1))
    return ITSELF


@kernel
def move_as_script(
    position: NDArray[np.int16], dice: NDArray[np.uint64], script: int, memory: NDArray[np.int64]
) -> None:
    """Make the movelets of a script without closing the turn; its memory is zero at the start."""
    view = position.copy()
    actions = np.empty(MOST_ACTIONS, dtype=np.int16)
    constants = np.empty(0)  # no script has any
    if script == AXES_RED:
        count = axes_red.act(view, dice, memory, constants, actions)
    elif script == SIMPLE_BLUE:
        count = simple_blue.act(view, dice, memory, constants, actions)
    else:
        count = one_axis_blue.act(view, dice, memory, constants, actions)
    for index in range(count - 1):  # the last one ends the turn
        move_units(position, int(actions[index]), 1)
