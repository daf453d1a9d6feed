"""The champion of Stratego: a network that has learned by playing itself.

See docs/methods/stratego-champion.md for how it was trained and what its parts are worth.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.onnx_files import bundled_file
from sandtable.agents.stratego.champion_network import MOVES, ChampionNetwork
from sandtable.dice import Dice, below
from sandtable.errors import WrongSeats
from sandtable.games.stratego.layout import BLUE, SIDE, VARIANT, setting_up, turned_action
from sandtable.games.stratego.setups import named_setups, setup_actions
from sandtable.types import Game, State

__all__ = ["Champion"]

WEIGHTS_FOLDER = Path(__file__).parent / "weights"
TURNED = np.array([turned_action(SIDE, action) for action in range(MOVES)])


class Champion:
    """Plays the move its network likes best, or draws among good ones."""

    def __init__(self, weights: str = "champion", temperature: float = 0.0) -> None:
        if not 0.0 <= temperature <= 100.0:
            raise ValueError(f"the temperature is from 0 (the best move) to 100, got {temperature}")
        self.temperature = temperature
        self.network = ChampionNetwork(bundled_file(weights, WEIGHTS_FOLDER))
        self.value = 0.0  # what it thought of its game at its last move, from -1 to 1

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games, and boards of another size."""
        if game.name != "stratego":
            raise WrongSeats(f"'stratego/champion' plays stratego, not {game.name}")
        if game.board_shape != (SIDE, SIDE):
            raise WrongSeats(
                "'stratego/champion' has learned on the 10 by 10 board; "
                "play stratego, stratego:variant=barrage or stratego:variant=duel"
            )

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse what it cannot play."""
        self.suits(game)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Set up as one of the named set-ups, or move."""
        if setting_up(np.array(view.position)):
            return chosen_setup(view, dice)
        moves, logits = self.candidates(view)
        if self.temperature == 0.0:
            return int(moves[logits.argmax()])
        return int(moves[drawn(logits / self.temperature, dice)])

    def candidates(self, view: State) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the legal moves and how much the network likes each (logits)."""
        thoughts = self.network(view.planes()[None])
        self.value = float(thoughts.values[0])
        moves = np.flatnonzero(view.mask)
        seen = TURNED[moves] if view.turn == BLUE else moves
        return moves, thoughts.moves[0, seen]


def chosen_setup(view: State, dice: Dice) -> list[int]:
    """Return the actions of a named set-up, or of its mirror image."""
    setups = list(named_setups(int(view.position[VARIANT])).values())
    setup = setups[below(dice.array, len(setups))]
    return setup_actions(setup.mirrored() if below(dice.array, 2) else setup)


def drawn(logits: NDArray[np.float32], dice: Dice) -> int:
    """Draw one of these, the likelier the higher its logit."""
    chances = np.exp((logits - logits.max()).astype(np.float64))
    place = below(dice.array, 1 << 30) / float(1 << 30) * chances.sum()
    return int(min(np.searchsorted(np.cumsum(chances), place, side="right"), len(logits) - 1))
