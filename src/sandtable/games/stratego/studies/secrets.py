"""What is hidden of an army, in bits, and who gives it away.

All assignments of the hidden ranks that fit what the other side knows are as likely, so the secret
of a seat is the logarithm of their number. It shrinks when a piece moves for the first time (it is
no bomb and no flag), when a scout goes far, and in every fight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.games.stratego import layout
from sandtable.types import Position

__all__ = ["HiddenPiece", "hidden_pieces", "secret_bits", "uniform_chances"]


@dataclass(frozen=True)
class HiddenPiece:
    """A piece that the other side does not know."""

    square: int
    rank: int
    moved: bool


def hidden_pieces(position: Position, seat: int) -> list[HiddenPiece]:
    """Return the pieces of a seat that the other one does not know, in a whole position.

    >>> from sandtable import Dice, make_game
    >>> len(hidden_pieces(make_game("stratego").start(Dice(0)).position, 0))
    40
    """
    found = []
    for square in range(layout.SQUARES):
        cell = int(position[layout.BOARD + square])
        if layout.owned_by(cell, seat) and not cell & layout.KNOWN:
            rank = int(layout.rank_of(cell))
            found.append(HiddenPiece(square, rank, bool(cell & layout.MOVED)))
    return found


def secret_bits(position: Position, seat: int) -> float:
    """Return how much the other side does not know of a seat's pieces, in bits.

    >>> from sandtable import Dice, make_game
    >>> round(secret_bits(make_game("stratego").start(Dice(0)).position, 1), 1)
    110.1
    """
    pieces = hidden_pieces(position, seat)
    counts = np.bincount([piece.rank for piece in pieces], minlength=layout.RANKS)
    fixed = int(counts[layout.BOMB] + counts[layout.FLAG])
    unmoved = sum(not piece.moved for piece in pieces)
    ways = math.lgamma(unmoved + 1) - math.lgamma(unmoved - fixed + 1)  # places of what is fixed
    ways += math.lgamma(len(pieces) - fixed + 1)
    ways -= sum(math.lgamma(int(count) + 1) for count in counts)
    return ways / math.log(2)


def uniform_chances(position: Position, seat: int) -> dict[int, NDArray[np.float64]]:
    """Return the chance of every rank [rank] for each hidden piece, by square, as ``guess`` has it.

    >>> from sandtable import Dice, make_game
    >>> chances = uniform_chances(make_game("stratego").start(Dice(0)).position, 0)
    >>> float(chances[90][layout.FLAG].round(3))
    0.025
    """
    pieces = hidden_pieces(position, seat)
    counts = np.bincount([piece.rank for piece in pieces], minlength=layout.RANKS).astype(float)
    movable = counts.copy()
    movable[layout.BOMB :] = 0.0
    fixed = counts - movable
    unmoved = max(sum(not piece.moved for piece in pieces), 1)
    when_moved = movable / max(movable.sum(), 1.0)
    when_unmoved = fixed / unmoved + when_moved * (1.0 - fixed.sum() / unmoved)
    return {piece.square: when_moved if piece.moved else when_unmoved for piece in pieces}
