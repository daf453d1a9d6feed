"""The richer planes of Stratego made on the device that learns, from positions.

A position is a twentieth of its planes, so it is positions that are kept and moved about; the
numbers are those of the kernel ``games.stratego.planes.encode``, which a test compares.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sandtable.games.stratego import layout, planes

__all__ = ["KEPT_CELLS", "PLANES", "StrategoPlanes"]

PLANES = len(planes.PLANE_NAMES)
KEPT_CELLS = layout.TRAIL  # of a position, from its beginning: all that planes are made of
SIDE, SQUARES, RANKS = layout.SIDE, layout.SQUARES, layout.RANKS


class StrategoPlanes:
    """Makes planes on the large board; the options of the game count, so they are given here."""

    def __init__(self, blank: NDArray[np.int16], device: torch.device) -> None:
        self.device = device
        self.two_squares = int(blank[layout.TWO_SQUARES])
        self.no_attack = int(blank[layout.NO_ATTACK])
        self.lakes = torch.zeros(SQUARES, device=device)
        self.lakes[list(layout.LAKES)] = 1.0
        ranks = torch.arange(RANKS, device=device)
        self.movable = ((ranks >= layout.SPY) & (ranks <= layout.MARSHAL)).float()
        self.fixed = ((ranks == layout.BOMB) | (ranks == layout.FLAG)).float()

    def __call__(self, positions: Tensor, seats: Tensor) -> Tensor:
        """Return [n, planes, 10, 10] for positions [n, KEPT_CELLS] seen by seats [n]."""
        cells = positions[:, :SQUARES].int()
        seats = seats.int()
        own = self.owned(cells, seats)
        other = self.owned(cells, 1 - seats)
        secret = (cells & layout.KNOWN) == 0
        moved = ((cells & layout.MOVED) != 0).float()
        whole = torch.zeros((len(cells), PLANES, SQUARES), device=self.device)
        ranks = torch.nn.functional.one_hot((cells & layout.RANK_BITS).long(), 16)[..., :RANKS]
        shown = ranks.float() * (own.float() - (other & ~secret).float())[..., None]
        guessed = self.chances(positions, seats, other & secret, moved)
        marked = (other & secret).float()[..., None]
        whole[:, : RANKS - 1] = (shown - guessed * marked)[..., 1:].transpose(1, 2)
        sign = own.float() - other.float()
        whole[:, planes.MOVED_PLANE] = moved * sign
        whole[:, planes.SECRET] = secret.float() * sign
        whole[:, planes.BARRED] = self.lakes
        self.last_moves(positions, seats, whole)
        if self.no_attack > 0:
            whole[:, planes.QUIET_SHARE] = positions[:, layout.QUIET, None] / self.no_attack
        turned = torch.where((seats == layout.RED)[:, None, None], whole, whole.flip(2))
        return turned.reshape(len(cells), PLANES, SIDE, SIDE)

    def owned(self, cells: Tensor, seats: Tensor) -> Tensor:
        """Say which squares hold a piece of the seat."""
        return (cells & (layout.OWNED << seats)[:, None]) != 0

    def chances(self, positions: Tensor, seats: Tensor, hidden: Tensor, moved: Tensor) -> Tensor:
        """Return the chance of each rank [n, square, rank] on the squares of hidden pieces."""
        first = layout.HIDDEN + (1 - seats.long()) * RANKS
        places = first[:, None] + torch.arange(RANKS, device=self.device)
        counts = positions.gather(1, places).float()
        fixed = (counts * self.fixed).sum(1)
        pieces = hidden.float().sum(1)
        unmoved = (hidden.float() * (1.0 - moved)).sum(1)
        movable = counts * self.movable / torch.clamp(pieces - fixed, min=1)[:, None]
        share = 1.0 / torch.clamp(unmoved, min=1)
        still = movable * (1.0 - fixed * share)[:, None] + counts * self.fixed * share[:, None]
        return torch.where((moved > 0)[..., None], movable[:, None], still[:, None])

    def last_moves(self, positions: Tensor, seats: Tensor, whole: Tensor) -> None:
        """Write both last moves, as a share of the two-squares limit; without one there is none."""
        if self.two_squares == 0:
            return
        rows = torch.arange(len(positions), device=self.device)
        for who, plane in ((seats, planes.OWN_LAST), (1 - seats, planes.OTHER_LAST)):
            shuttle = positions[rows, layout.SHUTTLE + who.long()].float()
            share = torch.clamp(shuttle / self.two_squares, max=1.0)
            left = positions[rows, layout.LAST_FROM + who.long()].long()
            reached = positions[rows, layout.LAST_TO + who.long()].long()
            moved = shuttle > 0
            whole[rows[moved], plane, left[moved]] = -share[moved]
            whole[rows[moved], plane, reached[moved]] = share[moved]


def hidden_ranks(positions: Tensor, seats: Tensor) -> Tensor:
    """Return what a learner of beliefs shall tell [n, square]: a rank from 0 on, or -1.

    The squares are turned as the planes are; only pieces that the seat does not know count.
    """
    cells = positions[:, :SQUARES].int()
    other = (cells & (layout.OWNED << (1 - seats.int()))[:, None]) != 0
    wanted = other & ((cells & layout.KNOWN) == 0)
    ranks = torch.where(wanted, (cells & layout.RANK_BITS).long() - layout.SPY, -1)
    return torch.where((seats == layout.RED)[:, None], ranks, ranks.flip(1))
