"""Random playouts from any position: a rough value of it, with its interval, for every game."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import estimate_mean, estimate_share, win_shares
from sandtable.compiled import copy_cells, placeholder, specialise
from sandtable.dice import Dice, below
from sandtable.types import OVER, Game, Position, Rules

__all__ = ["play_out", "values_of"]

# What the template below is specialised with.
turn = legal = apply = score = placeholder

NO_ACTION = -1


def play_out_template(
    start: Position,
    first_action: int,
    dice: NDArray[np.uint64],
    mask: NDArray[np.bool_],
    results: NDArray[np.float64],
) -> None:
    """Play the first action, if there is one, and then random ones, once for each row."""
    position = start.copy()
    for row in range(len(results)):
        copy_cells(start, position)
        if first_action != NO_ACTION:
            apply(position, first_action, dice)
        while turn(position) != OVER:
            left = below(dice, legal(position, mask))
            action = 0
            while not mask[action] or left > 0:
                left -= mask[action]
                action += 1
            apply(position, action, dice)
        score(position, results[row])


@functools.cache
def play_out_in(name: str, rules: Rules) -> Any:
    """Compile the template for one game."""
    names = ("turn", "legal", "apply", "score")
    return specialise(play_out_template, name, **{each: getattr(rules, each) for each in names})


def play_out(
    game: Game, position: Position, action: int | None, count: int, dice: Dice
) -> NDArray[np.float64]:
    """Return the scores [playout, seat] of random games from a position."""
    results = np.zeros((count, len(game.seats)))
    mask = np.zeros(game.action_count, dtype=np.bool_)
    first = NO_ACTION if action is None else action
    kernel = play_out_in(game.name, game.rules)
    kernel(np.array(position), first, dice.array, mask, results)
    return results


def values_of(game: Game, scores: NDArray[np.float64]) -> list[tuple[float, float, float]]:
    """Return mean and interval of every seat: of wins where there are winners, else of scores."""
    shares = win_shares(scores) if game.has_winner else None
    found = []
    for seat in range(scores.shape[1]):
        if shares is not None:
            each = estimate_share(float(shares[:, seat].mean()), len(shares))
        else:
            each = estimate_mean(scores[:, seat], bounds=game.score_bounds[seat])
        ends = (each.low, each.high) if each.shown else game.score_bounds[seat]
        found.append((round(each.mean, 4), round(ends[0], 4), round(ends[1], 4)))
    return found
