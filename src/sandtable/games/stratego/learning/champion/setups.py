"""How the games begin in which Stratego's champion trains.

Random set-ups (flag on the back row, all else anywhere) are what a game begins with by default, and
a player that has seen no others is helpless before a flag behind bombs.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego.agents.champion.setups import SETUP_SQUARES, draw_setup, give_setup
from sandtable.games.stratego.game import stratego
from sandtable.games.stratego.layout import ANY_NAMED, ORIGIN, RANDOM
from sandtable.games.stratego.rules.kernels import start
from sandtable.types import Game

__all__ = ["training_game"]

EIGHTHS = 8  # of all set-ups: one has a name, three look thought about, four are random
NAMED_EIGHTHS, BUILT_EIGHTHS = 1, 3


@kernel
def start_varied(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Begin a game with set-ups of all three kinds, each side for itself."""
    ranks = np.empty(SETUP_SQUARES, dtype=np.int64)
    for seat in range(2):
        kind = below(dice, EIGHTHS)
        position[ORIGIN + seat] = RANDOM
        if kind < NAMED_EIGHTHS:
            position[ORIGIN + seat] = ANY_NAMED
        elif kind < NAMED_EIGHTHS + BUILT_EIGHTHS:
            draw_setup(ranks, dice)
            give_setup(position, seat, ranks)
    start(position, dice)


def training_game(long_scouts: bool, varied: bool) -> Game:
    """Return classic Stratego, with random set-ups alone or with all kinds of them."""
    game = stratego(long_scouts=long_scouts)
    if not varied:
        return game
    return dataclasses.replace(game, rules=dataclasses.replace(game.rules, start=start_varied))
