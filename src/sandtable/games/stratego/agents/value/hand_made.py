"""A value of a board that nobody trained: what the pieces are worth that a seat sees.

The 2015 paper expects that an evaluation designed by hand could beat the network of its strategy 2.
This one is simple: own pieces, known enemies and bombs count by rank, an enemy that is not known as
much as such a piece is worth on average, and a piece that has come forward a little more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.evaluations import PART, PIECES
from sandtable.games.stratego.agents.square_codes import PLANES

__all__ = ["hand_made_values"]

WORTH = np.array(PIECES, dtype=np.float32)  # [rank]
FORWARD = 0.02  # of a piece's worth, for every row it is in front of its own back row
OWN_FIXED, OWN, OTHER, OTHER_BOMB, OTHER_MOVED, OTHER_UNMOVED = range(PLANES)


def average_worth(variant: int, *, movable: bool) -> float:
    """Return what a piece of an army is worth on average, or one that can move.

    >>> round(average_worth(layout.CLASSIC, movable=True), 2)
    4.7
    """
    counts = layout.PIECE_COUNTS[variant].copy()
    if movable:
        counts[layout.BOMB :] = 0
    return float((counts * WORTH).sum() / counts.sum())


def hand_made_values(planes: NDArray[np.float32], variant: int) -> NDArray[np.float32]:
    """Return the value of each board [board, 6, side, side] to the side at the bottom.

    >>> planes = np.zeros((2, 6, 10, 10), dtype=np.float32)
    >>> planes[0, 1, 9, 0] = 1.0  # an own marshal
    >>> planes[1, 2, 0, 0] = 0.2  # a scout of the other side
    >>> [round(float(value), 2) for value in hand_made_values(planes, layout.CLASSIC)]
    [0.52, -0.12]
    """
    ranks = np.rint(planes[:, (OWN, OTHER)] * layout.MARSHAL).astype(np.int64)
    worth = WORTH[ranks]  # [board, own or other's, row, column]
    rows = np.arange(planes.shape[2] - 1, -1, -1, dtype=np.float32)[:, None]  # in front of the last
    own = (worth[:, 0] * (1.0 + FORWARD * rows)).sum((1, 2))
    own += WORTH[layout.BOMB] * planes[:, OWN_FIXED].sum((1, 2))
    other = (worth[:, 1] * (1.0 + FORWARD * rows[::-1])).sum((1, 2))
    other += WORTH[layout.BOMB] * planes[:, OTHER_BOMB].sum((1, 2))
    other += average_worth(variant, movable=True) * planes[:, OTHER_MOVED].sum((1, 2))
    other += average_worth(variant, movable=False) * planes[:, OTHER_UNMOVED].sum((1, 2))
    army = float((layout.PIECE_COUNTS[variant] * WORTH).sum())
    values: NDArray[np.float32] = np.tanh((own - other) / (PART * army)).astype(np.float32)
    return values
