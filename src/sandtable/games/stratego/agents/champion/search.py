"""Looking a move and its answer ahead over positions drawn from the champion's beliefs.

For every sample the hidden ranks are drawn by what the network believes; each candidate move is
played in it, and answered as the network would answer on the other side. A sample is a whole
position, so the opponent sees in it exactly what it would see: not our hidden pieces. What is then
valued is our own view again: only there our hidden pieces count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.square_codes import TURNED_ACTIONS
from sandtable.games.stratego.planes import encode
from sandtable.games.stratego.rules.kernels import apply, legal_moves, score
from sandtable.games.stratego.rules.moves import MOST_MOVES
from sandtable.games.stratego.rules.views import find_hidden, rebuild_movers

__all__ = ["believed", "draw_believed", "look_ahead", "play_likeliest", "try_moves"]

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
    squares = np.empty(layout.SQUARES, dtype=np.int64)
    unmoved, hidden = find_hidden(position, 1 - seat, squares)
    used = 0
    for rank in range(layout.FLAG, layout.SPY - 1, -1):
        end = hidden if layout.can_move(rank) else unmoved
        for _ in range(position[layout.HIDDEN + (1 - seat) * layout.RANKS + rank]):
            total = 0.0
            for index in range(used, end):
                total += beliefs[rank - layout.SPY, squares[index]]
            left = total * below(dice, FINE) / FINE
            chosen = used
            while chosen < end - 1:
                left -= beliefs[rank - layout.SPY, squares[chosen]]
                if left < 0.0:
                    break
                chosen += 1
            squares[used], squares[chosen] = squares[chosen], squares[used]
            cell = layout.BOARD + squares[used]
            position[cell] = (position[cell] & ~layout.RANK_BITS) | rank
            used += 1
    rebuild_movers(position, 1 - seat)


@kernel
def look_ahead(
    view: NDArray[np.int16],
    seat: int,
    beliefs: NDArray[np.float32],
    moves: NDArray[np.int64],
    dice: NDArray[np.uint64],
    after: NDArray[np.int16],
    planes: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Play each move in each sample: write the positions, and what the opponent then sees.

    Rows go through all moves of the first sample, then of the second, and so on. Where the game
    ends at once, ``values`` get our score, and otherwise NaN.
    """
    sample = np.empty_like(view)
    for first in range(0, len(after), len(moves)):
        copy_cells(view, sample)
        draw_believed(sample, seat, beliefs, dice)
        try_moves(sample, seat, moves, first, dice, after, planes, values)


@kernel
def try_moves(
    sample: NDArray[np.int16],
    seat: int,
    moves: NDArray[np.int64],
    first: int,
    dice: NDArray[np.uint64],
    after: NDArray[np.int16],
    planes: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Play each move in one sample, in the rows from ``first`` on (see ``look_ahead``)."""
    for index in range(len(moves)):
        row = first + index
        copy_cells(sample, after[row])
        apply(after[row], moves[index], dice)
        values[row] = write_view(after[row], seat, 1 - seat, planes[row])


@kernel
def play_likeliest(
    after: NDArray[np.int16],
    seat: int,
    mover: int,
    logits: NDArray[np.float32],
    dice: NDArray[np.uint64],
    planes: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Play the mover's likeliest move in every game that goes on; write what the other then sees.

    ``logits`` [row, move] are on the board as the mover sees it; ``values`` are those of ``seat``.
    """
    moves = np.empty(MOST_MOVES, dtype=np.int16)
    for row in range(len(after)):
        if not np.isnan(values[row]):
            continue
        best, highest = layout.as_int64(0), -np.inf
        for index in range(legal_moves(after[row], moves)):
            action = layout.as_int64(moves[index])
            logit = logits[row, action if mover == layout.RED else TURNED_ACTIONS[action]]
            if logit > highest:
                best, highest = action, logit
        apply(after[row], best, dice)
        values[row] = write_view(after[row], seat, 1 - mover, planes[row])


@kernel
def write_view(
    position: NDArray[np.int16], seat: int, viewer: int, planes: NDArray[np.float32]
) -> float:
    """Write what a viewer sees and return NaN, or the score of our seat if the game is over."""
    if position[layout.MOVER] == layout.OVER:
        scores = np.empty(2)
        score(position, scores)
        planes[:] = 0.0
        return float(scores[seat])
    encode(position, viewer, planes)
    return np.nan


def believed(logits: NDArray[np.float32], seat: int) -> NDArray[np.float32]:
    """Return chances [rank - 1, square] on the board as it is from the network's logits."""
    raised = np.exp(logits - logits.max(axis=0))
    chances = raised / raised.sum(axis=0)
    turned = chances if seat == layout.RED else chances[:, ::-1]
    return np.ascontiguousarray(turned, dtype=np.float32)
