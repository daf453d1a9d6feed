"""What the search knows about Skirmish: the thesis's evaluations, and which moves to try first.

The thesis gives every kind of unit one value for its owner and one for the enemy, and divides the
sum by the number of enemy units; its program divides by one more than that, and so do we.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta.hints import Evaluation, SearchHints
from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.rules import is_capture, legal_moves, move, sides_alive, tick

__all__ = ["CONSTANT", "HINTS", "SIMPLE", "evaluate"]

KINDS = 5  # no unit, town, barracks, worker, soldier

# Weights of each kind: own units, then enemy units.
CONSTANT = (0.0, 3.0, 1.0, 0.5, 0.8, 0.0, -2.5, -2.0, -1.0, -1.5)
SIMPLE = (0.0, 9.0, 6.0, 4.0, 3.0, 0.0, -9.0, -6.0, -4.0, -3.0)

CAPTURE_PROMISE = np.array([0, 5, 4, 2, 3], dtype=np.int64)  # by the kind that is captured
BUILD_PROMISE = 1


@kernel
def evaluate(position: NDArray[np.int16], seat: int, weights: NDArray[np.float64]) -> float:
    """Add up the units in row-major order (the order decides which sums come out equal)."""
    sign = layout.side_sign(seat)
    total = 0.0
    enemies = 0
    for square in range(layout.SQUARES):
        unit = np.int64(position[layout.UNITS + square]) * sign
        if unit > 0:
            total += weights[unit]
        elif unit < 0:
            total += weights[KINDS - unit]
            enemies += 1
    return total / (1 + enemies)


@kernel
def promise(position: NDArray[np.int16], action: int) -> int:
    """Rank captures by what they take, then builds, then the rest."""
    if action == layout.PASS:
        return 0
    if action % layout.STEPS == layout.BUILD:
        return BUILD_PROMISE
    return int(CAPTURE_PROMISE[abs(position[layout.UNITS + layout.DESTINATION[action]])])


@kernel
def interesting(position: NDArray[np.int16], action: int) -> bool:
    """Say what the published program took for a build or a capture.

    To recognise a build it compared the row a unit leaves with the row it enters, and that with
    the column it enters: a plain step along a row onto the diagonal passes that test too.
    """
    if action == layout.PASS:
        return False
    if action % layout.STEPS == layout.BUILD or is_capture(position, action):
        return True
    origin, destination = action // layout.STEPS, layout.DESTINATION[action]
    row = destination // layout.SIDE
    return bool(row == origin // layout.SIDE and row == destination % layout.SIDE)


@kernel
def advance(position: NDArray[np.int16], action: int, dice: NDArray[np.uint64]) -> None:
    """Play a half-turn and tick, as the published search does: it asks afterwards who is left."""
    move(position, action)
    position[layout.MOVER] = layout.SECOND - position[layout.MOVER]
    tick(position)


@kernel
def decided(position: NDArray[np.int16]) -> tuple[bool, float]:
    """Say whether a side has no units, and what that means for First; an empty board is lost."""
    first, second = sides_alive(position)
    return not (first and second), 1.0 if first else -1.0


HINTS = SearchHints(
    evaluations={
        "simple": Evaluation(evaluate, SIMPLE),
        "constant": Evaluation(evaluate, CONSTANT),
    },
    legal_moves=legal_moves,
    promise=promise,
    dice_only_at_start=True,
    interesting=interesting,
    advance=advance,
    decided=decided,
    pass_action=layout.PASS,
)
