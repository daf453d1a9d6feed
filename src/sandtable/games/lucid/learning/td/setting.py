"""How the games of Lucid's learner are played, and what is kept of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.games.lucid.learning.td.opponents import Pool

__all__ = ["FACTS", "Record", "Setting"]

# What is kept about a position besides its boards.
TURNS_AFTER, IN_GOAL, BLUE_LEFT, HOW = range(4)
FACTS = 4
AS_MEANT, DISTURBED, NOT_PLAYED = range(3)  # how a position came about


class Setting(NamedTuple):
    """How games are played and targets made."""

    blue: int  # who plays it, see lucid_opponents
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
