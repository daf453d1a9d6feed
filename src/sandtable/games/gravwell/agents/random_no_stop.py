"""The published random player that never uses its Emergency Stop (section 3.6).

The other published one, which uses it half of the time, is the agent ``random`` of all games.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, hand_of, refuse_other_games
from sandtable.games.gravwell.layout import DRAFTING, GO, MOVER, PHASE, PLAYING, TAKE, whole
from sandtable.types import Game

__all__ = ["RandomNoStop"]


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draw a stack or a card, each as likely; let every card take effect."""
    if view[PHASE] == DRAFTING:
        actions[0] = TAKE + drawn(field_of(view), dice)
    elif view[PHASE] == PLAYING:
        actions[0] = drawn(hand_of(view, whole(view[MOVER])), dice)
    else:
        actions[0] = GO
    return 1


class RandomNoStop(Scripted):
    """Draws stacks and cards at random and never uses its Emergency Stop (published 27%)."""

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/random-no-stop", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; it needs no memory."""
        self.suits(game)
        return CompiledPolicy(act)
