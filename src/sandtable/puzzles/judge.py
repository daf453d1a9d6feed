"""Judging a position: is one move clearly better than all others, and by how much?

First a race: all moves are tried, and those that are clearly worse than the best drop out. A
position in which two moves may be as good as each other is given up as early as that shows. What
the race liked best may have been lucky, so the figures come from fresh samples afterwards.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.dice import Dice
from sandtable.puzzles.puzzle import Judgement
from sandtable.types import Game, State

__all__ = ["Found", "Judge", "compared", "find_best"]

LEVEL = 0.99  # of the intervals of margins
FIRST_SAMPLES = 32
DROPPED = 3.5  # standard errors behind the best: a move is out of the race
HOPELESS = 1.0  # standard errors by which the margin wanted is out of reach: others come soon
RIVALS = 3  # moves that the best one is compared with in the end

Results = NDArray[np.float64]  # [sample, move]


class Judge(ABC):
    """Tells what moves are worth to whoever is to move.

    >>> class Coin(Judge):
    ...     name = "a coin"
    ...
    ...     def results(self, view, moves, samples, dice):
    ...         return np.zeros((samples, len(moves)))
    >>> Coin().results(None, [(1,), (2,)], 3, Dice(1)).shape
    (3, 2)
    """

    name: str  # who judges, for people

    @abstractmethod
    def results(
        self, view: State, moves: Sequence[tuple[int, ...]], samples: int, dice: Dice
    ) -> Results:
        """Return what moves are worth [sample, move]: shares of a win, or scores.

        All moves of a sample are tried under the same conditions; samples are independent.
        """


@dataclass(frozen=True)
class Found:
    """A move that is clearly the best.

    >>> Found(1, 0, (0.2, 0.9), Judgement("random", 64, 0.7, 0.5, 0.8)).rivals
    (0,)
    """

    best: int  # index of a move
    second: int
    values: tuple[float, ...]  # of every move
    judgement: Judgement

    @property
    def rivals(self) -> tuple[int, ...]:
        """The moves that come nearest to the best, at most RIVALS of them."""
        others = sorted(range(len(self.values)), key=lambda move: -self.values[move])
        return tuple(move for move in others if move != self.best)[:RIVALS]


def standard_errors(results: Results, best: int) -> tuple[Results, Results]:
    """Return how far every move is behind the best, and the standard errors of that.

    >>> behind, errors = standard_errors(np.array([[1.0, 0.0], [1.0, 1.0]]), 0)
    >>> behind.tolist(), errors.round(2).tolist()
    ([0.0, 0.5], [0.5, 0.71])
    """
    differences = results[:, [best]] - results
    count = len(results)
    # With few samples all differences may be alike by chance: one more, far away, stands for that.
    spread = np.ptp(results) if results.size else 0.0
    squares = differences.var(axis=0, ddof=1) * (count - 1) + spread**2 / 2
    errors: Results = np.sqrt(squares / (count - 1) / count)
    return differences.mean(axis=0), errors


def find_best(
    judge: Judge,
    view: State,
    moves: Sequence[tuple[int, ...]],
    margin: float,
    samples: int,
    dice: Dice,
    first_samples: int = FIRST_SAMPLES,
) -> Found | None:
    """Return the move that is better than all others by ``margin`` at least; None: there is none.

    ``first_samples`` games are played on after every move, at most ``samples`` after those that
    stay in the race, and as many again after the best and its rivals.
    """
    count = len(moves)
    if count < 2:
        return None
    totals, tried = np.zeros(count), np.zeros(count)
    running = list(range(count))
    gathered = np.zeros((0, count))
    portion = min(first_samples, samples)
    while True:
        fresh = judge.results(view, [moves[move] for move in running], portion, dice)
        gathered = np.concatenate([gathered, fresh])
        totals[running] += fresh.sum(axis=0)
        tried[running] += portion
        best = int(gathered.mean(axis=0).argmax())
        behind, errors = standard_errors(gathered, best)
        others = [place for place in range(len(running)) if place != best]
        if any(behind[place] + HOPELESS * errors[place] < margin for place in others):
            return None
        kept = [best, *(p for p in others if behind[p] < DROPPED * errors[p])]
        clear = len(kept) == 1 or len(gathered) >= samples
        leader = running[best]
        if clear:
            break
        nearest = sorted(others, key=lambda place: float(behind[place]))
        kept = sorted({*kept, nearest[0]})
        running, gathered = [running[place] for place in kept], gathered[:, kept]
        portion = min(len(gathered), samples - len(gathered))
    means = totals / tried
    return compared(judge, view, moves, leader, means, margin, samples, dice)


def compared(
    judge: Judge,
    view: State,
    moves: Sequence[tuple[int, ...]],
    best: int,
    means: NDArray[np.float64],
    margin: float,
    samples: int,
    dice: Dice,
) -> Found | None:
    """Compare a move with the best of the others (by ``means``) in fresh samples.

    The values of the compared moves are the fresh ones. None: some rival is not clearly worse.
    """
    rivals = sorted((move for move in range(len(moves)) if move != best), key=lambda m: -means[m])
    rivals = rivals[:RIVALS]
    tried = [best, *rivals]
    results = judge.results(view, [moves[move] for move in tried], samples, dice)
    values = means.copy()
    values[tried] = results.mean(axis=0)
    second = max(rivals, key=lambda move: float(values[move]))
    others = [move for move in range(len(moves)) if move not in (best, second)]
    if any(values[move] > values[second] for move in others):  # not compared, and yet nearer
        return None
    spread = bounds(view.game, view.turn)
    judgement: Judgement | None = None
    for place, move in enumerate(rivals, start=1):
        ahead = results[:, 0] - results[:, place]
        estimate = estimate_mean(ahead, LEVEL, (-spread, spread))
        low, high = estimate.tested
        if not low > 0 or estimate.mean < margin or math.isnan(high):
            return None
        if move == second:
            judgement = Judgement(judge.name, samples, float(estimate.mean), low, high)
    assert judgement is not None
    return Found(best, second, tuple(float(value) for value in values), judgement)


def bounds(game: Game, seat: int) -> float:
    """Return how far two results can be apart."""
    low, high = game.score_bounds[seat]
    return 1.0 if game.has_winner else float(high - low)
