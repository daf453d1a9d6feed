"""Strategy 1 of the 2015 paper: a network that names the move the Monte Carlo player would make.

See docs/games/stratego/policy.md. Playing needs onnxruntime alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.board_networks import (
    LOGITS,
    SeenBoards,
    check_variant,
    open_for,
)
from sandtable.games.stratego.agents.classic_board import set_up, weights_file
from sandtable.games.stratego.agents.policy.progress import (
    measure_target_distances,
    no_target_distances,
    progress_of,
    quiet_share,
)
from sandtable.games.stratego.agents.square_codes import (
    TURNED_MOVES,
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
    """Write the board of a seat as planes [1, 6, 10, 10] or [1, 6, 6, 6]."""
    codes = np.empty((1, planes.shape[2] * planes.shape[3]), dtype=np.uint8)
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
    """Return the legal move with the highest of the logits [1, move], seen by the seat.

    The nearer a draw for want of attacks is, the more a step towards an enemy adds to its logit.
    """
    moves = np.empty(MOST_MOVES, dtype=np.int16)
    count, board = legal_moves(position, moves), layout.board_of(position)
    urge = haste * quiet_share(position)
    measure_target_distances(position, seat, target_distances)
    best = layout.as_int64(moves[0])
    highest = -np.inf
    for index in range(count):
        action = layout.as_int64(moves[index])
        seen = action if seat == layout.RED else TURNED_MOVES[board, action]
        logit = float(logits[0, seen])
        logit += urge * progress_of(position, action, target_distances)
        if logit > highest:
            best, highest = action, logit
    return best


class Policy(Agent):
    """Stratego; the likeliest move of a trained network (2015 paper).

    ``weights`` is a bundled network or a file (``policy``: the one for the variant that is
    played); ``haste`` is what a step towards an enemy adds to a logit just before a draw for want
    of attacks.

    >>> Policy(haste=0).path.name
    'policy.onnx'

    Raises ValueError for options out of range, SandtableError for weights that cannot be read.
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "a bundled network by its name, or a file",
        "haste": "what a step towards an enemy gains just before a draw for want of attacks",
    }

    def __init__(self, weights: str = "policy", haste: float = 8.0) -> None:
        if not 0 <= haste <= MOST_HASTE:
            raise ValueError(f"haste is from 0 to {MOST_HASTE:g}, got {haste}")
        self.weights = weights
        self.network = SeenBoards(weights_file(weights, "policy"), LOGITS, "stratego/policy")
        self.haste, self.target_distances = haste, no_target_distances()
        self.planes = np.empty((1, *self.network.shape), dtype=np.float32)

    @property
    def path(self) -> Path:
        """The file of the network."""
        return self.network.path

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse a game for whose board there is no network."""
        check_variant("policy", game)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Take the network of the variant, if none was named; refuse a board it does not fit."""
        self.network = open_for("policy", self.weights, game, self.network, LOGITS)
        self.planes = np.empty((1, *self.network.shape), dtype=np.float32)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Return the legal move that the network finds the likeliest."""
        position = np.array(view.position)
        if layout.setting_up(position):
            return set_up(position, dice)
        write_board(position, view.turn, self.planes)
        logits = self.network.run(self.planes, view.turn)
        return int(likeliest(position, view.turn, logits, self.haste, self.target_distances))

    def logits(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how likely the network finds every move [board, move], legal or not.

        Boards of both seats may be mixed, so only a network that sees Blue's turned can answer.
        """
        assert self.network.turned
        return self.network.run(planes, layout.RED)
