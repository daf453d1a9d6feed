"""How many games until equal players look equal: pure functions on results [game, seat].

The published experiment (Gravwell, section 4.2) lets equal players meet, raises a guess r for the
number of games until the results of all of them are alike, and repeats the experiment 30 times so
that r is no accident. This is how it is read here:

- A *trial* is r games. In it the players look equal if the total of each lies strictly between
  (1 - leeway) and (1 + leeway) times the average total of all. Counted in games won, that average
  is r / seats, so this is the published condition; for end positions, where the paper only asks
  for similar averages, it is the same condition on the means.
- r is enough if the players look equal in *all* of the trials.
- The trials are independent of each other; when r is raised, each goes on with further games
  instead of beginning anew.
- r is raised in steps (the published numbers are multiples of 20), and the smallest r that is
  enough counts, even if a larger one should fail again. ``settled`` is the smallest from which on
  no r failed any more.

What comes out is a matter of luck: other games give another r. ``typical_games`` therefore tells
from many games for which r the chance to pass all trials is one half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import Estimate, estimate_share

__all__ = [
    "LEEWAY",
    "STEP",
    "TRIALS",
    "GamesUntilEqual",
    "chance_of_equal",
    "games_until_equal",
    "largest_deviations",
    "typical_games",
]

LEEWAY = 0.05
TRIALS = 30
STEP = 20

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GamesUntilEqual:
    """What the experiment found."""

    games: int | None  # the smallest number that was enough; None: none of those tried
    settled: int | None  # from this number on every one tried was enough
    tried: NDArray[np.int64]  # [guess] numbers of games
    equal: NDArray[np.int64]  # [guess] trials in which the players looked equal
    trials: int
    leeway: float


def largest_deviations(sums: Floats) -> Floats:
    """Return by which part of the average the most unlike seat deviates.

    ``sums`` [..., seat] are the totals of the seats. Where all are zero nobody deviates.
    """
    average = sums.mean(axis=-1)
    away = np.abs(sums - average[..., None]).max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        part: Floats = np.where(away == 0, 0.0, away / np.abs(average))
    return part


def games_until_equal(
    values: Floats, leeway: float = LEEWAY, trials: int = TRIALS, step: int = STEP
) -> GamesUntilEqual:
    """Find the smallest number of games after which equal players look equal in all trials.

    ``values`` [game, seat] are what is compared: shares of the win, or end positions. The games
    are dealt out to the trials in equal parts, in their order; a number beyond that is not tried.
    """
    games, seats = values.shape
    longest = games // trials
    if longest < step:
        raise ValueError(f"{games} games are too few for {trials} trials of {step} games")
    dealt = values[: longest * trials].reshape(trials, longest, seats)
    tried = np.arange(step, longest + 1, step)
    sums = dealt.cumsum(axis=1)[:, tried - 1]  # [trial, guess, seat]
    equal = (largest_deviations(sums) < leeway).sum(axis=0)
    enough = equal == trials
    failed = np.flatnonzero(~enough)
    first_settled = failed[-1] + 1 if len(failed) else 0
    return GamesUntilEqual(
        games=int(tried[enough.argmax()]) if enough.any() else None,
        settled=int(tried[first_settled]) if first_settled < len(tried) else None,
        tried=tried,
        equal=equal,
        trials=trials,
        leeway=leeway,
    )


def chance_of_equal(values: Floats, games: int, leeway: float = LEEWAY) -> Estimate:
    """Return the share of trials of so many games in which the players look equal."""
    trials = len(values) // games
    if not trials:
        raise ValueError(f"{len(values)} games are too few for a trial of {games}")
    sums = values[: trials * games].reshape(trials, games, -1).sum(axis=1)
    equal = largest_deviations(sums) < leeway
    return estimate_share(float(equal.mean()), trials)


def typical_games(
    values: Floats,
    leeway: float = LEEWAY,
    trials: int = TRIALS,
    step: int = STEP,
    chance: float = 0.5,
) -> int | None:
    """Return the smallest number of games with which all trials are passed with this chance.

    None: more games would be needed than leave ``trials`` trials to judge by.
    """
    for games in range(step, len(values) // trials + 1, step):
        if chance_of_equal(values, games, leeway).mean ** trials >= chance:
            return games
    return None
