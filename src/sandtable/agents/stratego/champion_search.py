"""Looking one move ahead over positions drawn from the champion's beliefs.

For every sample the hidden ranks are drawn by what the network believes; each candidate move is
played in it, and the network values what the opponent then sees. A sample is a whole position, so
the opponent sees in it exactly what it would see: not our hidden pieces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below
from sandtable.games.stratego.hiding import find_hidden, rebuild_movers
from sandtable.games.stratego.layout import (
    BOARD,
    FLAG,
    HIDDEN,
    MOVER,
    OVER,
    RANK_BITS,
    RANKS,
    RED,
    SPY,
    SQUARES,
    can_move,
)
from sandtable.games.stratego.planes import encode
from sandtable.games.stratego.rules import apply, score

__all__ = ["draw_believed", "look_ahead"]

FINE = 1 << 30  # steps of a random share


@kernel
def draw_believed(
    position: NDArray[np.int16],
    seat: int,
    beliefs: NDArray[np.float32],
    dice: NDArray[np.uint64],
) -> None:
    """Fill the view of a seat; ``beliefs`` [rank - 1, square] are chances on the board as it is.

    The flag and the bombs are given out first, to pieces that have not moved, then the others from
    the highest rank down, each with the chances that are left.
    """
    squares = np.empty(SQUARES, dtype=np.int64)
    unmoved, hidden = find_hidden(position, 1 - seat, squares)
    used = 0
    for rank in range(FLAG, SPY - 1, -1):
        end = hidden if can_move(rank) else unmoved
        for _ in range(position[HIDDEN + (1 - seat) * RANKS + rank]):
            total = 0.0
            for index in range(used, end):
                total += beliefs[rank - SPY, squares[index]]
            left = total * below(dice, FINE) / FINE
            chosen = used
            while chosen < end - 1:
                left -= beliefs[rank - SPY, squares[chosen]]
                if left < 0.0:
                    break
                chosen += 1
            squares[used], squares[chosen] = squares[chosen], squares[used]
            cell = BOARD + squares[used]
            position[cell] = (position[cell] & ~RANK_BITS) | rank
            used += 1
    rebuild_movers(position, 1 - seat)


@kernel
def look_ahead(
    view: NDArray[np.int16],
    seat: int,
    beliefs: NDArray[np.float32],
    moves: NDArray[np.int64],
    dice: NDArray[np.uint64],
    planes: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Write what the opponent sees after each move in each sample [sample, move, plane, 10, 10].

    Where the game ends at once, ``values`` [sample, move] get our score, and otherwise NaN.
    """
    sample, after = np.empty_like(view), np.empty_like(view)
    scores = np.empty(2)
    for number in range(planes.shape[0]):
        copy_cells(view, sample)
        draw_believed(sample, seat, beliefs, dice)
        for index in range(len(moves)):
            copy_cells(sample, after)
            apply(after, moves[index], dice)
            if after[MOVER] == OVER:
                score(after, scores)
                values[number, index] = scores[seat]
                planes[number, index] = 0.0
            else:
                values[number, index] = np.nan
                encode(after, 1 - seat, planes[number, index])


def believed(logits: NDArray[np.float32], seat: int) -> NDArray[np.float32]:
    """Return chances [rank - 1, square] on the board as it is from the network's logits."""
    raised = np.exp(logits - logits.max(axis=0))
    chances = raised / raised.sum(axis=0)
    turned = chances if seat == RED else chances[:, ::-1]
    return np.ascontiguousarray(turned, dtype=np.float32)
