"""What a game can tell generic agents about itself (sandtable.agents.alphabeta.agent, .montecarlo).

Nothing here is needed to search a game: its rules are enough. A package offers hints for a game
through an entry point in the group ``sandtable.search_hints``, named like the game, that leads to
a ``SearchHints`` object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.errors import SandtableError, suggestion
from sandtable.registry import load, registered
from sandtable.types import Game

__all__ = ["NO_PASS", "OUTCOME", "Evaluation", "SearchHints", "evaluation_named", "hints_for"]

GROUP = "sandtable.search_hints"
NO_PASS = -2  # no action of any game
OUTCOME = "outcome"  # the evaluation every game has: an unfinished game is worth nothing


@kernel
def no_opinion(position: NDArray[np.int16], seat: int, weights: NDArray[np.float64]) -> float:
    """Know only finished games."""
    return 0.0


@kernel
def no_promise(position: NDArray[np.int16], action: int) -> int:
    """Rank all actions alike."""
    return 0


@dataclass(frozen=True)
class Evaluation:
    """An estimate of an unfinished game.

    ``kernel(position, seat, weights) -> float`` is what the position is worth to the seat, far
    inside plus and minus a million; evaluations that differ in weights alone share their code.
    """

    kernel: Callable[..., Any]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class SearchHints:
    """Kernels that make a search of one game better, quicker, or equal to a published one."""

    evaluations: Mapping[str, Evaluation] = field(default_factory=dict)  # the first is the default
    legal_moves: Callable[..., Any] | None = None  # (position, moves) -> how many, ascending
    promise: Callable[..., Any] = no_promise  # (position, action) -> int, tried first if higher
    dice_only_at_start: bool = False  # the rules throw dice in start() and nowhere else
    play_on: Callable[..., Any] | None = None  # (position, plies, dice): random actions, quickly

    # For ordering=published alone.
    interesting: Callable[..., Any] = no_promise  # (position, action) -> truth value
    advance: Callable[..., Any] | None = None  # (position, action, dice): apply, never ending
    decided: Callable[..., Any] | None = None  # (position) -> (over, value for seat 0)
    pass_action: int = NO_PASS  # an action that means: no move


def hints_for(game: Game) -> SearchHints:
    """Return the hints installed for a game, or none at all."""
    if game.name not in registered(GROUP):
        return SearchHints()
    hints = load(GROUP, "search hint", game.name)
    if not isinstance(hints, SearchHints):
        where = registered(GROUP)[game.name].value
        raise SandtableError(f"the search hints of {game.name} ({where}) are not SearchHints")
    return hints


def evaluation_named(game: Game, name: str | None) -> Evaluation:
    """Return an evaluation of a game by its name, by default the first that the game has."""
    known = {**hints_for(game).evaluations, OUTCOME: Evaluation(no_opinion)}
    if name is None:
        return next(iter(known.values()))
    if name not in known:
        raise SandtableError(
            f"{game.name} has no evaluation '{name}' (it has: {', '.join(known)})."
            + suggestion(name, known)
        )
    return known[name]
