"""The champion of Gravwell: what a position is worth, learned, and a look at the turn to come.

See docs/games/gravwell/champion.md for the idea and what each part of it is worth.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.errors import suggestion
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, refuse_other_games
from sandtable.games.gravwell.agents.champion.network import PARAMETERS
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.games.gravwell.agents.champion.turns import new_search
from sandtable.games.gravwell.agents.champion.weights_file import BUNDLED, load_weights
from sandtable.games.gravwell.layout import DRAFTING, GO, MOVER, PHASE, STOPPING, TAKE, whole
from sandtable.types import Game

__all__ = ["Champion"]

WITHOUT_DRAFT, WITHOUT_STOP = 1, 2
PARTS = {"draft": WITHOUT_DRAFT, "stop": WITHOUT_STOP}  # that can be left out
MILLION = 1_000_000

# The memory of the compiled policy: three numbers, then the parameters, two in each cell.
SAMPLES_CELL, RANDOMNESS_CELL, WITHOUT_CELL, PARAMETERS_CELL = range(4)
LAST_CELL = PARAMETERS_CELL + PARAMETERS // 2


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    actions: NDArray[np.int16],
) -> int:
    """Write the action that seems most likely to win."""
    without, phase = memory[WITHOUT_CELL], view[PHASE]
    if phase == STOPPING and without & WITHOUT_STOP:
        actions[0] = GO
    elif phase == DRAFTING and without & WITHOUT_DRAFT:
        actions[0] = TAKE + drawn(field_of(view), dice)
    else:
        actions[0] = think(
            new_search(),
            memory[PARAMETERS_CELL:LAST_CELL].view(np.float32),
            view,
            whole(view[MOVER]),
            memory[SAMPLES_CELL],
            memory[RANDOMNESS_CELL] / MILLION,
            dice,
        )
    return 1


def parts_of(names: str) -> int:
    """Return the bits of the parts that are named (``a+b``)."""
    parts = 0
    for name in filter(None, names.split("+")):
        if name not in PARTS:
            raise ValueError(
                f"without is one or more (a+b) of {', '.join(PARTS)}, got '{name}'."
                + suggestion(name, PARTS)
            )
        parts |= PARTS[name]
    return parts


class Champion(Scripted):
    """Learned values and habits, and a look over many deals at the turn to come."""

    def __init__(
        self,
        samples: int = 200,
        randomness: float = 0.3,
        weights: str = "",
        without: str = "",
    ) -> None:
        """Look at so many ``samples`` of what others may hold and play in a turn.

        ``randomness`` is how often one of the others is taken to play at random in a sample, not
        by habit; ``weights`` another file; ``without`` leaves parts out, for comparisons: with
        draft it takes any stack, with stop it never stops.
        """
        if not 1 <= samples <= MILLION:
            raise ValueError(f"samples is 1 to {MILLION}, got {samples}")
        if not 0 <= randomness <= 1:
            raise ValueError(f"randomness lies between 0 and 1, got {randomness}")
        self.samples, self.randomness, self.without = samples, randomness, parts_of(without)
        self.path = Path(weights).expanduser() if weights else BUNDLED
        self.parameters = load_weights(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/champion", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the search as a kernel."""
        self.suits(game)
        randomness = round(self.randomness * MILLION)
        bits = self.parameters.view(np.int64).tolist()
        return CompiledPolicy(act, (self.samples, randomness, self.without, *bits))
