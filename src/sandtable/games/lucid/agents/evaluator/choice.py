"""Choosing among the placements that meet demands: by the evaluator, or by lot.

The lot is there to measure what the evaluator is worth: everything else about an agent stays.
"""

from __future__ import annotations

from pathlib import Path

from sandtable.dice import Dice
from sandtable.games.lucid.agents.evaluator.network import best_placement, load_weights, path_of
from sandtable.games.lucid.placements.demands import Codes
from sandtable.types import Position

__all__ = ["NO_EVALUATOR", "USUAL_WEIGHTS", "PlacementChoice"]

USUAL_WEIGHTS = "td"
NO_EVALUATOR = "none"


class PlacementChoice:
    """Chooses what the evaluator likes best, or with ``none`` any placement, each as likely."""

    def __init__(self, weights: str) -> None:
        """Read the weights: a bundled name, a file, or ``none``.

        >>> PlacementChoice("td").files[0].name, PlacementChoice("none").files
        ('td.safetensors', [])
        """
        self.by_lot = weights == NO_EVALUATOR
        self.files: list[Path] = [] if self.by_lot else [path_of(weights)]
        self.weights = None if self.by_lot else load_weights(weights)

    def choose(self, position: Position, codes: Codes, dice: Dice) -> tuple[int, float | None]:
        """Return a placement, and what the evaluator expects of it (None: it was not asked)."""
        if self.weights is None:
            return int(codes[dice.below(len(codes))]), None
        return best_placement(position, codes, self.weights)
