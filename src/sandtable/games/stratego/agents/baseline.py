"""The baseline of the paper on Stratego: flat Monte Carlo over positions that fit what is known.

See docs/methods/montecarlo.md for what the paper says, what it leaves open, and what was measured.
"""

from __future__ import annotations

from sandtable.agents.montecarlo import MonteCarlo
from sandtable.errors import WrongSeats
from sandtable.types import Game

__all__ = ["Baseline"]

SHORTEST, LONGEST = 10, 50  # random moves of a playout, as published
USUAL_SAMPLES = 30


class Baseline(MonteCarlo):
    """Flat Monte Carlo with playouts of 10 to 50 moves that count the pieces left."""

    def __init__(
        self, samples: int = USUAL_SAMPLES, bonus: float = 0.5, common: bool = True
    ) -> None:
        super().__init__(
            samples=samples,
            shortest=SHORTEST,
            longest=LONGEST,
            evaluation="pieces",
            bonus=bonus,
            common=common,
        )

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        if game.name != "stratego":
            raise WrongSeats(f"'stratego/baseline' plays stratego, not {game.name}")
