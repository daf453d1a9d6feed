"""The thesis's greedy player: it captures or builds whenever it can (section 3.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.skirmish.layout import ACTIONS, BUILD, PASS, STEPS
from sandtable.games.skirmish.rules import is_capture, legal_moves
from sandtable.types import Game

__all__ = ["Greedy"]


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: NDArray[np.float64],
    actions: NDArray[np.int16],
) -> int:
    """Draw among the captures and builds, or among all moves where there is neither."""
    moves = np.empty(ACTIONS, dtype=np.int16)
    count = legal_moves(view, moves)
    if count > 1 and moves[count - 1] == PASS:  # free to pass, but greedy
        count -= 1
    tempting = 0
    for index in range(count):
        action = moves[index]
        if action != PASS and (action % STEPS == BUILD or is_capture(view, action)):
            moves[tempting] = action
            tempting += 1
    actions[0] = moves[below(dice, tempting if tempting > 0 else count)]
    return 1


class Greedy(Scripted):
    """Captures or builds whenever possible, drawn among these; otherwise any move."""

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; it needs no memory."""
        return CompiledPolicy(act)
