"""What moves of Stratego are worth, by a network (and sandtable.compiled kernels around it).

The judge draws the ranks that a seat does not know, plays each move in the same draws, lets the
network play some moves on for both sides, and asks it then what the game is worth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import Dice
from sandtable.games.stratego.agents.champion.agent import ChampionNetwork
from sandtable.games.stratego.agents.champion.search import play_likeliest, try_moves
from sandtable.games.stratego.agents.classic_board import weights_file
from sandtable.games.stratego.agents.square_codes import TURNED_ACTIONS
from sandtable.games.stratego.rules.views import guess
from sandtable.puzzles.judge import Judge
from sandtable.types import State

__all__ = ["NetworkJudge"]

PLIES = 1  # played on after a move; odd, so that whoever is valued is to move again
ROWS = 256  # positions that the network looks at in one go


@kernel
def begin_samples(
    view: NDArray[np.int16],
    seat: int,
    moves: NDArray[np.int64],
    dice: NDArray[np.uint64],
    positions: NDArray[np.int16],
    planes: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Draw hidden ranks and play every move in each draw; rows go through the moves first."""
    world = np.empty_like(view)
    for first in range(0, len(positions), len(moves)):
        copy_cells(view, world)
        guess(world, seat, dice)
        try_moves(world, seat, moves, first, dice, positions, planes, values)


class NetworkJudge(Judge):
    """Values moves by what a network says after it has played on some moves for both sides.

    >>> NetworkJudge("champion").name
    'the network champion, after the answer'
    """

    def __init__(self, weights: str) -> None:
        self.network = ChampionNetwork(weights_file(weights, "champion"))
        self.name = f"the network {weights}, after the answer"

    def results(
        self, view: State, moves: Sequence[tuple[int, ...]], samples: int, dice: Dice
    ) -> NDArray[np.float64]:
        """Return the chances [sample, move] of the seat that is to move."""
        portion = max(1, ROWS // len(moves))
        parts = [
            self.portion(view, moves, min(portion, samples - first), dice)
            for first in range(0, samples, portion)
        ]
        return np.concatenate(parts)

    def portion(
        self, view: State, moves: Sequence[tuple[int, ...]], samples: int, dice: Dice
    ) -> NDArray[np.float64]:
        """Return the chances of as many samples as the network looks at in one go."""
        seat, position = view.turn, np.array(view.position)
        rows = samples * len(moves)
        positions = np.empty((rows, len(position)), dtype=np.int16)
        planes = np.empty((rows, *view.game.plane_shape), dtype=np.float32)
        values = np.empty(rows)
        actions = np.array([move[0] for move in moves], dtype=np.int64)
        begin_samples(position, seat, actions, dice.array, positions, planes, values)
        mover = 1 - seat
        for _ in range(PLIES):
            going = np.isnan(values)
            if not going.any():
                break
            logits = np.zeros((rows, len(TURNED_ACTIONS)), dtype=np.float32)
            logits[going] = self.network(planes[going]).moves
            play_likeliest(positions, seat, mover, logits, dice.array, planes, values)
            mover = 1 - mover
        going = np.isnan(values)
        if going.any():
            values[going] = self.network(planes[going]).values
        chances: NDArray[np.float64] = 0.5 + 0.5 * values.reshape(samples, len(moves))
        return chances
