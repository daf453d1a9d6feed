"""What agents of Stratego have in common whose networks know the large board only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.onnx_files import bundled_file
from sandtable.dice import Dice
from sandtable.errors import WrongSeats
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules.kernels import random_action
from sandtable.games.stratego.rules.placement import put_any_named
from sandtable.types import Game

__all__ = ["check_large_board", "set_up", "weights_file"]

BUNDLED = {path.stem: path for path in Path(__file__).parent.glob("*/weights/*.onnx")}  # by name


def weights_file(name: str, agent: str) -> Path:
    """Return the file of bundled weights by their name, or any file by its path.

    A network of another agent is returned too: opening it says whose it is not. With ``-classic``
    it is the network of the classic game, whatever variant is played.

    >>> weights_file("loop", "value").name, weights_file("policy", "value").parts[-3:]
    ('loop.onnx', ('policy', 'weights', 'policy.onnx'))

    Raises SandtableError for a name that no bundled network of the game has.
    """
    return BUNDLED.get(name.removesuffix("-classic")) or bundled_file(
        name, Path(__file__).parent / agent / "weights"
    )


def check_large_board(agent: str, game: Game) -> None:
    """Refuse other games, and boards of another size."""
    if game.name != "stratego":
        raise WrongSeats(f"'{agent}' plays stratego, not {game.name}")
    if game.board_shape != (layout.SIDE, layout.SIDE):
        raise WrongSeats(
            f"'{agent}' plays on the large board (variant=classic, barrage or duel), its network "
            f"does not fit {game.spec}"
        )


def set_up(position: NDArray[np.int16], dice: Dice) -> list[int]:
    """Return the actions of a whole set-up: one of those with a name, or its mirror image.

    A set-up that somebody has begun is gone on with at random.
    """
    seat = int(position[layout.MOVER])
    if position[layout.DECIDED + seat] != 0:
        return [int(random_action(position, dice.array))]
    drawn = np.zeros_like(position)
    drawn[layout.VARIANT] = position[layout.VARIANT]
    put_any_named(drawn, seat, dice.array)
    base = layout.setup_base(position)
    squares = [
        layout.setup_square(position, seat, index)
        for index in range(layout.setup_squares(position))
    ]
    return [base + int(layout.rank_of(int(drawn[layout.BOARD + square]))) for square in squares] + [
        base + layout.DONE
    ]
