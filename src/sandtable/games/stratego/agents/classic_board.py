"""What agents of Stratego have in common whose networks know the large board only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.errors import WrongSeats
from sandtable.games.stratego.layout import (
    BOARD,
    DECIDED,
    DONE,
    MOVER,
    SIDE,
    VARIANT,
    rank_of,
    setup_base,
    setup_square,
    setup_squares,
)
from sandtable.games.stratego.rules.kernels import random_action
from sandtable.games.stratego.rules.placing import put_any_named
from sandtable.types import Game

__all__ = ["check_large_board", "set_up"]


def check_large_board(agent: str, game: Game) -> None:
    """Refuse other games, and boards of another size."""
    if game.name != "stratego":
        raise WrongSeats(f"'{agent}' plays stratego, not {game.name}")
    if game.board_shape != (SIDE, SIDE):
        raise WrongSeats(
            f"'{agent}' plays on the large board (variant=classic, barrage or duel), its network "
            f"does not fit {game.spec}"
        )


def set_up(position: NDArray[np.int16], dice: Dice) -> list[int]:
    """Return the actions of a whole set-up: one of those with a name, or its mirror image.

    A set-up that somebody has begun is gone on with at random.
    """
    seat = int(position[MOVER])
    if position[DECIDED + seat] != 0:
        return [int(random_action(position, dice.array))]
    drawn = np.zeros_like(position)
    drawn[VARIANT] = position[VARIANT]
    put_any_named(drawn, seat, dice.array)
    base = setup_base(position)
    squares = [setup_square(position, seat, index) for index in range(setup_squares(position))]
    return [base + int(rank_of(int(drawn[BOARD + square]))) for square in squares] + [base + DONE]
