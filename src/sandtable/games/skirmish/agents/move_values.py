"""What every move of a position is worth, by values of the positions after them."""

from __future__ import annotations

from collections.abc import Callable

from sandtable.agent import Candidate, Scale
from sandtable.dice import Dice
from sandtable.types import OVER, State

__all__ = ["valued_moves"]


def valued_moves(
    view: State, dice: Dice, value_after: Callable[[State], float], scale: Scale
) -> tuple[Candidate, ...]:
    """Return all moves with what comes after them, valued for the seat that moves."""
    seat, candidates = view.turn, []
    for action in view.legal:
        after = view.play(action, dice)
        if after.turn == OVER:
            assert after.outcome is not None
            score = after.outcome.scores[seat]
            value = 0.5 + 0.5 * score if scale == "chance" else score
        else:
            value = value_after(after)
        candidates.append(Candidate((int(action),), value))
    return tuple(sorted(candidates, key=lambda candidate: -(candidate.value or 0.0)))
