"""What Monte Carlo knows about Stratego: what the pieces left are worth, and quick random play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta.hints import Evaluation, SearchHints
from sandtable.compiled import kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.kernels import apply, play_out, random_action, turn

__all__ = ["HINTS", "PIECES", "balance"]

# By rank: nothing, spy, 2 to 10, bomb, flag (whose loss is the end of the game).
PIECES = (0.0, 3.0, 2.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 3.0, 0.0)
PART = 0.1  # of a whole army, by which to be ahead is worth half of what can be had


@kernel
def balance(position: NDArray[np.int16], seat: int, weights: NDArray[np.float64]) -> float:
    """Return what the own pieces are worth more than the other's, 1 for PART of a whole army."""
    variant = position[layout.VARIANT]
    own, army = 0.0, 0.0
    for rank in range(layout.SPY, layout.RANKS):
        more = (
            position[layout.ALIVE + seat * layout.RANKS + rank]
            - position[layout.ALIVE + (1 - seat) * layout.RANKS + rank]
        )
        own += more * weights[rank]
        army += layout.PIECE_COUNTS[variant, rank] * weights[rank]
    return own / (PART * army)


@kernel
def play_on(position: NDArray[np.int16], plies: int, dice: NDArray[np.uint64]) -> None:
    """Play so many random actions, those of a set-up among them."""
    while plies > 0 and layout.setting_up(position) and turn(position) != layout.OVER:
        apply(position, random_action(position, dice), dice)
        plies -= 1
    play_out(position, plies, dice)


HINTS = SearchHints(evaluations={"pieces": Evaluation(balance, PIECES)}, play_on=play_on)
