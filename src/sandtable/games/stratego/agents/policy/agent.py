"""Strategy 1 of the 2015 paper: a network that names the move the Monte Carlo player would make.

See docs/games/stratego/policy.md. Playing needs onnxruntime alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent
from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.classic_board import check_large_board, set_up, weights_file
from sandtable.games.stratego.agents.policy.progress import (
    measure_target_distances,
    no_target_distances,
    progress_of,
    quiet_share,
)
from sandtable.games.stratego.agents.square_codes import (
    MOVES,
    PLANE_SHAPE,
    TURNED_ACTIONS,
    write_codes,
    write_planes,
)
from sandtable.games.stratego.rules.kernels import legal_moves
from sandtable.games.stratego.rules.moves import MOST_MOVES
from sandtable.types import Game, State

__all__ = ["Policy"]

MOST_HASTE = 100.0


@kernel
def write_board(position: NDArray[np.int16], seat: int, planes: NDArray[np.float32]) -> None:
    """Write the board of a seat as planes [1, 6, 10, 10]."""
    codes = np.empty((1, layout.SQUARES), dtype=np.uint8)
    write_codes(position, seat, False, codes[0])
    write_planes(codes, layout.as_int64(1), planes)


@kernel
def likeliest(
    position: NDArray[np.int16],
    seat: int,
    logits: NDArray[np.float32],
    haste: float,
    target_distances: NDArray[np.int64],
) -> int:
    """Return the legal move with the highest of the logits [1, MOVES], seen by the seat.

    The nearer a draw for want of attacks is, the more a step towards an enemy adds to its logit.
    """
    moves = np.empty(MOST_MOVES, dtype=np.int16)
    count = legal_moves(position, moves)
    urge = haste * quiet_share(position)
    measure_target_distances(position, seat, target_distances)
    best = layout.as_int64(moves[0])
    highest = -np.inf
    for index in range(count):
        action = layout.as_int64(moves[index])
        logit = float(logits[0, action if seat == layout.RED else TURNED_ACTIONS[action]])
        logit += urge * progress_of(position, action, target_distances)
        if logit > highest:
            best, highest = action, logit
    return best


class Policy(Agent):
    """Stratego on the large board; the likeliest move of a trained network (2015 paper).

    ``weights`` is a bundled network or a file; ``haste`` is what a step towards an enemy adds to a
    logit just before a draw for want of attacks.

    >>> Policy(haste=0).path.name
    'policy.onnx'

    Raises ValueError for options out of range, SandtableError for weights that cannot be read.
    """

    def __init__(self, weights: str = "policy", haste: float = 8.0) -> None:
        if not 0 <= haste <= MOST_HASTE:
            raise ValueError(f"haste is from 0 to {MOST_HASTE:g}, got {haste}")
        self.path = weights_file(weights, "policy")
        self.network = OnnxNetwork(self.path, PLANE_SHAPE, {"logits": (MOVES,)}, "stratego/policy")
        self.haste, self.target_distances = haste, no_target_distances()
        self.planes = np.empty((1, *PLANE_SHAPE), dtype=np.float32)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse a game whose board the network does not know."""
        check_large_board("stratego/policy", game)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse such a game here too."""
        self.suits(game)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Return the legal move that the network finds the likeliest."""
        position = np.array(view.position)
        if layout.setting_up(position):
            return set_up(position, dice)
        write_board(position, view.turn, self.planes)
        logits = self.logits(self.planes)
        return int(likeliest(position, view.turn, logits, self.haste, self.target_distances))

    def logits(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how likely the network finds every move [board, MOVES], legal or not."""
        return self.network.run(planes)[0]
