"""The champion of Stratego: a network that has learned by playing itself.

See docs/methods/stratego-champion.md for how it was trained and what its parts are worth.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.onnx_files import bundled_file
from sandtable.agents.stratego.champion_network import MOVES, ChampionNetwork
from sandtable.agents.stratego.champion_search import believed, look_ahead
from sandtable.agents.stratego.large_boards import check_large_board, set_up
from sandtable.dice import Dice, below
from sandtable.games.stratego.layout import BLUE, SIDE, setting_up, turned_action
from sandtable.types import Game, State

__all__ = ["Champion"]

WEIGHTS_FOLDER = Path(__file__).parent / "weights"
TURNED = np.array([turned_action(SIDE, action) for action in range(MOVES)])


class Champion:
    """Plays the move its network likes best, after a look one move ahead if it has samples."""

    def __init__(
        self,
        weights: str = "champion",
        temperature: float = 0.0,
        samples: int = 0,
        width: int = 6,
        trust: float = 4.0,
    ) -> None:
        if not 0.0 <= temperature <= 100.0:
            raise ValueError(f"the temperature is from 0 (the best move) to 100, got {temperature}")
        if not 0 <= samples <= 1000:
            raise ValueError(f"samples is from 0 (no look ahead) to 1000, got {samples}")
        if not 1 <= width <= MOVES:
            raise ValueError(f"the width is at least one move, got {width}")
        if not 0.0 <= trust <= 1000.0:
            raise ValueError(f"trust is from 0 (in the network alone) to 1000, got {trust}")
        self.temperature, self.samples, self.width, self.trust = temperature, samples, width, trust
        self.network = ChampionNetwork(bundled_file(weights, WEIGHTS_FOLDER))
        self.value = 0.0  # what it thought of its game at its last move, from -1 to 1

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games, and boards of another size."""
        check_large_board("stratego/champion", game)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse what it cannot play."""
        self.suits(game)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Set up as one of the named set-ups, or move."""
        position = np.array(view.position)
        if setting_up(position):
            return set_up(position, dice)
        moves, logits, beliefs = self.candidates(view)
        if self.samples:
            moves, logits = self.looked_ahead(view, moves, logits, beliefs, dice)
        if self.temperature == 0.0:
            return int(moves[logits.argmax()])
        return int(moves[drawn(logits / self.temperature, dice)])

    def candidates(
        self, view: State
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Return the legal moves, how much the network likes each (logits), and its beliefs."""
        thoughts = self.network(view.planes()[None])
        self.value = float(thoughts.values[0])
        moves = np.flatnonzero(view.mask)
        seen = TURNED[moves] if view.turn == BLUE else moves
        return moves, thoughts.moves[0, seen], thoughts.beliefs[0]

    def looked_ahead(
        self,
        view: State,
        moves: NDArray[np.int64],
        logits: NDArray[np.float32],
        beliefs: NDArray[np.float32],
        dice: Dice,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the moves that were looked at, and how much they are liked after that."""
        best = np.argsort(-logits, kind="stable")[: self.width]
        moves, logits, seat = moves[best], logits[best], view.turn
        planes = np.empty((self.samples, len(moves), *view.game.plane_shape), dtype=np.float32)
        values = np.empty((self.samples, len(moves)))
        chances = believed(beliefs, seat)
        look_ahead(np.array(view.position), seat, chances, moves, dice.array, planes, values)
        open_ones = np.isnan(values)
        if open_ones.any():
            values[open_ones] = -self.network(planes[open_ones]).values
        gains = values.mean(axis=0).astype(np.float32)
        return moves, logits + np.float32(self.trust) * gains


def drawn(logits: NDArray[np.float32], dice: Dice) -> int:
    """Draw one of these, the likelier the higher its logit."""
    chances = np.exp((logits - logits.max()).astype(np.float64))
    place = below(dice.array, 1 << 30) / float(1 << 30) * chances.sum()
    return int(min(np.searchsorted(np.cumsum(chances), place, side="right"), len(logits) - 1))
