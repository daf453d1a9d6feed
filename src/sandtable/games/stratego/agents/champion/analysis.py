"""What the champion of Stratego makes of a view: its network's moves and beliefs, a look ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Analysis, Candidate
from sandtable.dice import Dice
from sandtable.games.stratego.agents.champion.search import believed
from sandtable.games.stratego.drawing.text import pieces_on
from sandtable.games.stratego.layout import RANKS, SPY, UNKNOWN, setting_up
from sandtable.games.stratego.named_setups import RANK_LETTERS
from sandtable.games.stratego.names import square_name
from sandtable.types import State

if TYPE_CHECKING:
    from sandtable.games.stratego.agents.champion.agent import Champion

__all__ = ["analysis_of", "chance_of"]

MOST_CANDIDATES = 8
SAMPLES = 8  # positions drawn from beliefs to look ahead in


def analysis_of(agent: Champion, view: State, dice: Dice) -> Analysis:
    """Return the moves it likes best, what follows them, and what it believes of pieces."""
    if setting_up(np.array(view.position)):
        return Analysis(agent.scale, None)
    moves, logits, beliefs = agent.candidates(view)
    value = 0.5 + 0.5 * agent.value
    shares = np.exp((logits - logits.max()).astype(np.float64))
    shares /= shares.sum()
    best = np.argsort(-shares, kind="stable")[:MOST_CANDIDATES]
    gains = agent.values_after(view, moves[best], beliefs, SAMPLES, dice)
    # What counts is how far moves differ from the favourite, which is worth what the view is.
    chances = np.clip(value + 0.5 * (gains - gains[0]), 0.0, 1.0)
    candidates = tuple(
        Candidate((int(moves[index]),), float(chance), float(shares[index]))
        for index, chance in zip(best, chances, strict=True)
    )
    ranks = rank_chances(view, believed(beliefs, view.turn))
    return Analysis(agent.scale, value, candidates, ranks)


def chance_of(agent: Champion, view: State) -> float | None:
    """Return the chance of the mover by the network alone; None while sides are set up."""
    if setting_up(np.array(view.position)):
        return None
    agent.candidates(view)
    return 0.5 + 0.5 * agent.value


def rank_chances(view: State, chances: NDArray[np.float32]) -> dict[str, dict[str, float]]:
    """Return how likely each rank is for every piece that the mover does not know."""
    side = view.game.board_shape[0]
    found = {}
    for piece in pieces_on(view.position).values():
        if piece.rank == UNKNOWN:
            likely = chances[:, piece.square]
            ranks = {RANK_LETTERS[SPY + index]: float(likely[index]) for index in range(RANKS - 1)}
            found[square_name(piece.square, side)] = ranks
    return found
