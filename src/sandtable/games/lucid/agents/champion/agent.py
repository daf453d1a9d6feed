"""The champions of Operation Lucid: learned values, climbing, and a look one turn ahead.

``champion_plan`` is a turn in the making, ``champion_search`` climbs to good ones,
``champion_lookahead`` chooses among them. See docs/games/lucid/td.md for the idea, the training
and what each part is worth.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.errors import WrongSeats, suggestion
from sandtable.games.lucid.agents.champion.lookahead import choose_ahead, new_lookahead
from sandtable.games.lucid.agents.champion.plan import write_movelets
from sandtable.games.lucid.agents.champion.search import choose_turn, new_climb
from sandtable.games.lucid.agents.evaluator.network import PARAMETERS
from sandtable.games.lucid.agents.evaluator.weights_file import load_weights, path_of
from sandtable.games.lucid.rules import END
from sandtable.types import Game

__all__ = ["ChampionBlue", "ChampionRed"]

# The memory of the compiled policy: some numbers, then the parameters, two in each cell.
(
    TRIES_CELL,
    CANDIDATES_CELL,  # 0: without looking ahead
    REPLY_TRIES_CELL,
    MARGIN_CELL,  # in thousandths of a unit
    AXES_RED_CELL,  # 1: Red is expected to move as AxesRed
    PARAMETERS_CELL,
) = range(6)
LAST_CELL = PARAMETERS_CELL + PARAMETERS // 2
THOUSAND = 1000

AXES_RED, BEST = "axes-red", "best"  # what can be expected of the opponent


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    actions: NDArray[np.int16],
) -> int:
    """Choose a turn and write its movelets."""
    weights = memory[PARAMETERS_CELL:LAST_CELL].view(np.float32)
    tries = memory[TRIES_CELL]
    if memory[CANDIDATES_CELL] > 0:
        look = new_lookahead(weights, memory[CANDIDATES_CELL])
        margin = memory[MARGIN_CELL] / THOUSAND
        reply_tries, axes_red = memory[REPLY_TRIES_CELL], memory[AXES_RED_CELL] == 1
        choose_ahead(look, view, dice, tries, reply_tries, margin, axes_red)
        plan = look.climb.plan
    else:
        climb = new_climb()
        choose_turn(climb, weights, view, dice, tries)
        plan = climb.plan
    count = write_movelets(plan, view, actions)
    actions[count] = END
    return count + 1


class Champion(Scripted):
    """What both champions have in common."""

    def __init__(
        self,
        weights: str,
        tries: int,
        candidates: int,
        reply_tries: int,
        margin: float,
        expects: str,
    ) -> None:
        if min(tries, reply_tries) < 1 or candidates < 0 or not 0 <= margin <= THOUSAND:
            raise ValueError(
                "tries and reply_tries are at least 1, candidates and margin at least 0; "
                f"got {tries}, {reply_tries}, {candidates} and {margin}"
            )
        if expects not in (AXES_RED, BEST):
            hint = suggestion(expects, (AXES_RED, BEST))
            raise ValueError(f"expects is {AXES_RED} or {BEST}, got '{expects}'.{hint}")
        numbers = (tries, candidates, reply_tries, round(margin * THOUSAND), expects == AXES_RED)
        self.path = path_of(weights)
        bits = load_weights(weights).view(np.int64).tolist()
        self.memory = (*(int(number) for number in numbers), *bits)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its memory holds the options and the weights."""
        if game.name != "lucid":
            raise WrongSeats(f"the champions of lucid play lucid, not {game.name}")
        return CompiledPolicy(act, self.memory)


class ChampionBlue(Champion):
    """Blue; learned values, hill climbing over whole turns, and a look one turn ahead."""

    seats = ("blue",)

    def __init__(
        self,
        weights: str = "champion-blue",
        tries: int = 16,
        candidates: int = 8,
        reply_tries: int = 2,
        margin: float = 1.0,
        expects: str = AXES_RED,
    ) -> None:
        super().__init__(weights, tries, candidates, reply_tries, margin, expects)


class ChampionRed(Champion):
    """Red; learned values, hill climbing over whole turns, and a look one turn ahead."""

    seats = ("red",)

    def __init__(
        self,
        weights: str = "champion-red",
        tries: int = 16,
        candidates: int = 8,
        reply_tries: int = 2,
        margin: float = 1.0,
    ) -> None:
        super().__init__(weights, tries, candidates, reply_tries, margin, BEST)
