"""What searches of any game may know about an unfinished game of Gravwell: who is ahead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.alphabeta.hints import Evaluation, SearchHints
from sandtable.compiled import kernel
from sandtable.games.gravwell import layout

__all__ = ["HINTS", "lead"]

LEAD = 10.0  # tiles ahead of the best other ship that are worth half of what can be had


@kernel
def lead(position: NDArray[np.int16], seat: int, weights: NDArray[np.float64]) -> float:
    """Return by how much the own ship is ahead of the best other one, 1 for LEAD tiles."""
    own, best = position[layout.SHIPS + seat], layout.SINGULARITY
    for other in range(position[layout.PLAYERS]):
        if other != seat:
            best = max(best, position[layout.SHIPS + other])
    return float((own - best) / LEAD)


HINTS = SearchHints(evaluations={"lead": Evaluation(lead)})
