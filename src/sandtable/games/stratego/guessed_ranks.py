"""How likely each rank is for pieces that a seat does not know, by drawing what its view allows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sandtable.dice import Dice
from sandtable.games.stratego.drawing.text import pieces_on
from sandtable.games.stratego.layout import UNKNOWN
from sandtable.games.stratego.named_setups import RANK_LETTERS
from sandtable.games.stratego.names import square_name
from sandtable.types import State

__all__ = ["guessed_ranks"]

GUESSES = 400


def guessed_ranks(view: State, dice: Dice) -> list[dict[str, Any]]:
    """Return the places of hidden pieces with the shares of their ranks, the likeliest first."""
    hidden = [piece.square for piece in pieces_on(view.position).values() if piece.rank == UNKNOWN]
    counts: dict[int, Counter[str]] = {square: Counter() for square in hidden}
    for _ in range(GUESSES):
        guessed = pieces_on(view.guess(dice).position)
        for square in hidden:
            counts[square][RANK_LETTERS[guessed[square].rank]] += 1
    side = view.game.board_shape[0]
    return [
        {
            "place": square_name(square, side),
            "ranks": {rank: round(count / GUESSES, 4) for rank, count in ranks.most_common()},
        }
        for square, ranks in counts.items()
    ]
