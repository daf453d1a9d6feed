"""The champion's network out of a file: moves, the value of the game, and beliefs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.errors import SandtableError
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.history import HISTORY_PLANE_NAMES
from sandtable.games.stratego.agents.square_codes import MIRRORED_ACTIONS, MOVES
from sandtable.games.stratego.planes import PLANE_NAMES

__all__ = ["ChampionNetwork", "NetworkOutput"]

OUTPUTS = {"moves": (MOVES,), "values": (), "beliefs": (layout.RANKS - 1, layout.SQUARES)}


def open_network(path: Path, planes: int) -> OnnxNetwork:
    """Return the network of a file that takes so many planes."""
    return OnnxNetwork(path, (planes, layout.SIDE, layout.SIDE), OUTPUTS, "stratego/champion")


class NetworkOutput(NamedTuple):
    """What the network makes of positions, on the board as their movers see it."""

    moves: NDArray[np.float32]  # [n, move] logits, legal or not
    values: NDArray[np.float32]  # [n] from -1, lost, to 1, won
    beliefs: NDArray[np.float32]  # [n, rank from the spy on, square] logits


class ChampionNetwork:
    """A network that has learned by playing itself.

    ``history`` says whether it sees what has happened in a game too, ``people`` whether it has
    trained behind set-ups as people make them.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.network, self.history = open_network(path, len(PLANE_NAMES)), False
        except SandtableError:
            planes = len(PLANE_NAMES) + len(HISTORY_PLANE_NAMES)
            self.network, self.history = open_network(path, planes), True
        self.people = self.network.session.notes.get("people_setups") == str(True)

    def __call__(self, planes: NDArray[np.float32]) -> NetworkOutput:
        """Return what the network makes of planes [n, planes, 10, 10].

        Where planes of a history are wanted and not given there is none.
        """
        missing = len(HISTORY_PLANE_NAMES) if self.history else 0
        if missing and planes.shape[1] == len(PLANE_NAMES):
            shape = (len(planes), missing, layout.SIDE, layout.SIDE)
            planes = np.concatenate([planes, np.zeros(shape, dtype=np.float32)], axis=1)
        return NetworkOutput(*self.network.run(planes))

    def both_ways(self, planes: NDArray[np.float32]) -> NetworkOutput:
        """Return the mean of what it makes of planes [n, planes, 10, 10] and of their mirror image.

        The game is the same in a mirror. What the network says there differs a little, and the
        mean errs less.
        """
        count, half = len(planes), np.float32(0.5)
        moves, values, beliefs = self(np.concatenate([planes, planes[..., ::-1]]))
        mirrored = beliefs[count:].reshape(count, -1, layout.SIDE, layout.SIDE)[..., ::-1]
        return NetworkOutput(
            half * (moves[:count] + moves[count:, MIRRORED_ACTIONS]),
            half * (values[:count] + values[count:]),
            half * (beliefs[:count] + mirrored.reshape(beliefs[:count].shape)),
        )
