"""Ratings of two or more players from finishing orders (Plackett and Luce): pure functions.

**The model.** Every player has a strength. The first place goes to one of those who play, with
chances in proportion to their strengths; the next place likewise to one of the others, and so on.
With two players this is the model of Bradley and Terry. A rating is 400 / ln 10 times the logarithm
of the strength, so that a lead of 400 means ten times the strength, as with Elo; the ratings of all
players have mean zero. A player may hold several seats of a game.

**Ties.** Who shares a place shares one choice: of k equal scores each counts as having taken the
place with weight 1 / k (two players: a draw is half a win for each). Who share the *last* place
behind somebody else are not told apart by it; they only were among those who could have been chosen
before. Where a winner gets all, and all others nothing, the strengths are therefore in proportion
to the shares of games won, if all play in every game.

**The fit** is the maximum of the likelihood, approached by Hunter's MM steps (Annals of Statistics
32, 2004) and finished by Newton's, which converge also where a player nearly always wins.

**The prior.** In addition every player shares one win with an imaginary player of strength one: so
those who have always won or lost get a finite rating. As a prior that is a hyperbolic secant
distribution with a standard deviation of 546 points; after some dozen games it hardly matters.

**Intervals** are those of the sandwich estimator: the curvature of the likelihood, and how much its
slope varies from one group of games to the next. Games of one group (the rotations of one deal)
need not be independent. The imaginary games count as observations too, so that a player who has
always won does not look certain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import LEVEL, student_quantile

__all__ = ["ELO", "NOBODY", "PRIOR", "Choices", "Rating", "choices_of", "fit", "plackett_luce"]

ELO = 400 / math.log(10)  # points for a factor of e in strength
PRIOR = 1.0  # imaginary games of every player
NOBODY = -1  # in an empty seat
MM_STEPS = 50
NEAR_THE_TOP = 0.01  # a step of MM in a logarithm, after which Newton's are better
NEWTON_STEPS = 60
SMALL_STEP = 1e-7  # of a logarithm of a strength; the last step of Newton is far more precise
LARGEST = 2**62  # number a pattern may have before patterns are numbered anew

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Rating:
    """The rating of one player with its 95% interval, and the games it took part in."""

    rating: float
    low: float
    high: float
    games: int


@dataclass(frozen=True)
class Choices:
    """Who took a place, and who could have taken it; equal games are counted together."""

    won: Floats  # [choice, player] share of the place, each row adds up to one
    among: Floats  # [choice, player] seats still to be placed
    pattern: Integers  # [choice] number of the kind of game it comes from
    times: Floats  # [pattern] games of this kind
    pattern_of_game: Integers  # [game]

    @property
    def weights(self) -> Floats:
        """How often each choice was made."""
        return self.times[self.pattern]


def choices_of(players: Integers, scores: Floats, count: int) -> Choices:
    """Read finishing orders out of the scores [game, seat] of ``players`` [game, seat].

    Players are numbers below ``count``, or NOBODY.
    """
    seats = players.shape[1]
    present = players != NOBODY
    comparable = np.where(present, scores, -np.inf)
    ranks = (comparable[:, None, :] > comparable[:, :, None]).sum(axis=2)  # [game, seat], 0: first
    codes, size = np.zeros(len(players), dtype=np.int64), 1
    for columns, radix in ((players + 1, count + 1), (ranks, seats)):
        for column in columns.T:
            if size > LARGEST // radix:
                known, codes = np.unique(codes, return_inverse=True)
                size = len(known)
            codes = codes * radix + column
            size *= radix
    _, first, pattern_of_game, times = np.unique(
        codes, return_index=True, return_inverse=True, return_counts=True
    )
    won, among, pattern = [], [], []
    for number, game in enumerate(first):
        for taken, left in places(players[game], ranks[game], count):
            won.append(taken)
            among.append(left)
            pattern.append(number)
    return Choices(
        won=np.array(won).reshape(-1, count),
        among=np.array(among).reshape(-1, count),
        pattern=np.array(pattern, dtype=np.int64),
        times=times.astype(np.float64),
        pattern_of_game=pattern_of_game.astype(np.int64),
    )


def places(players: Integers, ranks: Integers, count: int) -> list[tuple[Floats, Floats]]:
    """Return the choices of one game: shares of a place, and seats still to be placed."""
    found: list[tuple[Floats, Floats]] = []
    left = players != NOBODY
    while left.sum() > 1:
        tied = left & (ranks == ranks[left].min())
        if tied.sum() == left.sum() and found:
            break  # the last place behind others says nothing about who is better
        shares = np.bincount(players[tied], minlength=count) / tied.sum()
        among = np.bincount(players[left], minlength=count).astype(np.float64)
        found.append((shares, among))
        left = left & ~tied
    return found


def slopes(choices: Choices, logs: Floats) -> tuple[Floats, Floats]:
    """Return for each choice its slope [choice, player], and the chances it had."""
    strength = choices.among * np.exp(logs)
    chances = strength / strength.sum(axis=1, keepdims=True)
    return choices.won - chances, chances


def log_likelihood(choices: Choices, logs: Floats, prior: float) -> float:
    """Return the logarithm of the likelihood, with the imaginary games."""
    each = choices.won @ logs - np.log(choices.among @ np.exp(logs))
    imaginary = logs / 2 - np.logaddexp(0.0, logs)
    return float(choices.weights @ each + prior * imaginary.sum())


def slope_and_curvature(choices: Choices, logs: Floats, prior: float) -> tuple[Floats, Floats]:
    """Return the slope of the log-likelihood, and its curvature with the sign reversed."""
    each, chances = slopes(choices, logs)
    even = 1 / (1 + np.exp(-logs))  # chances against the imaginary player
    weighted = choices.weights[:, None] * chances
    slope = choices.weights @ each + prior * (0.5 - even)
    curvature = np.diag(weighted.sum(axis=0) + prior * even * (1 - even)) - weighted.T @ chances
    return slope, curvature


def mm_step(choices: Choices, logs: Floats, prior: float) -> Floats:
    """Return the logarithms of the strengths after one step of Hunter's algorithm."""
    strength = np.exp(logs)
    places_won = choices.weights @ choices.won + prior / 2
    share_of_all = choices.weights / (choices.among @ strength)
    chances_per_strength = share_of_all @ choices.among + prior / (1 + strength)
    stepped: Floats = np.log(places_won / chances_per_strength)
    return stepped


def fit(choices: Choices, prior: float = PRIOR) -> Floats:
    """Return the logarithms of the strengths of highest likelihood, with mean zero.

    Without a prior that exists only if no part of the players has always come before the others.
    """
    if not prior and not all_connected(choices):
        raise ValueError("ratings without a prior need players who all have won and lost")
    logs = np.zeros(choices.won.shape[1])
    for _ in range(MM_STEPS):
        before, logs = logs, mm_step(choices, logs, prior)
        if np.abs(logs - before).max() < NEAR_THE_TOP:
            break
    for _ in range(NEWTON_STEPS):
        slope, curvature = slope_and_curvature(choices, logs, prior)
        step = np.linalg.pinv(curvature, hermitian=True) @ slope
        if np.abs(step).max() < SMALL_STEP:
            centred: Floats = logs - logs.mean()
            return centred
        logs = logs + uphill(choices, logs, step, prior)
    raise ArithmeticError(f"the ratings have not converged after {NEWTON_STEPS} steps of Newton's")


def all_connected(choices: Choices) -> bool:
    """Say whether from every player a chain of places won leads to every other (Ford 1957)."""
    ahead = (choices.won.T @ (choices.among > 0)) > 0  # [player, player] was once placed before
    for _ in range(len(ahead)):
        ahead |= (ahead.astype(np.float64) @ ahead) > 0
    return bool(ahead.all())


def uphill(choices: Choices, logs: Floats, step: Floats, prior: float) -> Floats:
    """Shorten a step until the likelihood does not fall."""
    here = log_likelihood(choices, logs, prior)
    slack = 1e-12 * abs(here)  # what rounding may take away close to the top
    while log_likelihood(choices, logs + step, prior) < here - slack:
        step = step / 2
    return step


def covariance(choices: Choices, logs: Floats, groups: Integers, prior: float) -> Floats:
    """Return the covariance of the logarithms of the strengths, freed of their mean.

    ``groups`` [game] are numbers from 0; games of one group may depend on each other.
    """
    count = len(logs)
    each, _ = slopes(choices, logs)
    by_pattern = np.zeros((len(choices.times), count))
    np.add.at(by_pattern, choices.pattern, each)
    by_game = by_pattern[choices.pattern_of_game]
    number = int(groups.max()) + 1
    by_group = np.stack(
        [np.bincount(groups, weights=by_game[:, player]) for player in range(count)], axis=1
    )
    even = 1 / (1 + np.exp(-logs))
    scatter = by_group.T @ by_group * number / (number - 1)
    scatter += np.diag(prior / 2 * ((1 - even) ** 2 + even**2))
    _, curvature = slope_and_curvature(choices, logs, prior)
    inverse = np.linalg.pinv(curvature, hermitian=True)
    centring = np.eye(count) - 1 / count
    result: Floats = centring @ inverse @ scatter @ inverse @ centring
    return result


def plackett_luce(
    players: Integers,
    scores: Floats,
    count: int,
    *,
    groups: Integers | None = None,
    prior: float = PRIOR,
    level: float = LEVEL,
) -> list[Rating]:
    """Rate the players 0 to count - 1 from the games they played.

    ``players`` [game, seat] says who sat where (NOBODY: an empty seat), ``scores`` [game, seat] how
    it ended; ``groups`` [game] are numbers from 0 of games that may depend on each other (None:
    all are independent). A single group gives ratings without intervals.
    """
    if not len(players):
        raise ValueError("ratings need at least one game")
    choices = choices_of(players, scores, count)
    logs = fit(choices, prior)
    numbers = np.arange(len(players)) if groups is None else groups
    independent = int(numbers.max()) + 1
    margins = np.full(count, np.nan)
    if independent > 1:
        deviations = np.sqrt(np.diag(covariance(choices, logs, numbers, prior)))
        margins = student_quantile(0.5 + level / 2, independent - 1) * deviations
    played = [int((players == player).any(axis=1).sum()) for player in range(count)]
    return [
        Rating(ELO * log, ELO * (log - margin), ELO * (log + margin), games)
        for log, margin, games in zip(logs.tolist(), margins.tolist(), played, strict=True)
    ]
