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

**Intervals** begin with the share of its places that a player took. Games of one group (the
rotations of one deal) need not be independent, so a group is one observation, and the share has the
interval of a mean between 0 and 1 (``estimate_mean``), which holds for large leads too. Each end is
then turned into the rating with which the player would be expected to take that share, the others
as they were rated; and its distance from the rating is multiplied by how much less sure a rating is
when the others are only estimated too, which the curvature of the likelihood tells. A player that
has always won can be as strong as you like: its upper end is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import LEVEL, Estimate, estimate_mean

__all__ = [
    "ELO",
    "NOBODY",
    "PRIOR",
    "Choices",
    "PlacesOfGroups",
    "Rating",
    "choices_of",
    "fit",
    "places",
    "plackett_luce",
    "rate_groups",
    "rated",
    "slopes",
]

ELO = 400 / math.log(10)  # points for a factor of e in strength
PRIOR = 1.0  # imaginary games of every player
NOBODY = -1  # in an empty seat
MM_STEPS = 50
NEAR_THE_TOP = 0.01  # a step of MM in a logarithm, after which Newton's are better
NEWTON_STEPS = 60
SMALL_STEP = 1e-7  # of a logarithm of a strength; the last step of Newton is far more precise
LARGEST_LOG = 60.0  # of a strength
FEW_PLAYERS = 4  # with so many the rating of each weighs much in the mean of all
NO_GAMES = "no games"
RELATIVE = "ratings are relative to the mean of a few players, and that of another cannot be told"
NOT_CONNECTED = "some of the players never lost to others: how far they are apart cannot be told"
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
    reason: str = ""  # why there is no interval, where there is none


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


def choices_of(
    players: Integers, scores: Floats, count: int, times_of_game: Integers | None = None
) -> Choices:
    """Read finishing orders out of the scores [game, seat] of ``players`` [game, seat].

    Players are numbers below ``count``, or NOBODY. ``times_of_game`` says how often each game came
    (None: once).
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
    if times_of_game is not None:
        times = np.bincount(pattern_of_game, weights=times_of_game)
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


def chains(links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return between whom [player, player] there is a chain of links."""
    found = links | np.eye(len(links), dtype=np.bool_)
    for middle in range(len(links)):
        found |= np.outer(found[:, middle], found[middle])
    return found


def places_ahead(choices: Choices) -> NDArray[np.bool_]:
    """Return who [player, player] was once placed before, or level with, whom."""
    ahead: NDArray[np.bool_] = (choices.won.T @ (choices.among > 0)) > 0
    return ahead


def all_connected(choices: Choices) -> bool:
    """Say whether from every player a chain of places won leads to every other (Ford 1957)."""
    return bool(chains(places_ahead(choices)).all())


def player_connected(choices: Choices, player: int) -> bool:
    """Say the same of a player and all it is compared with, directly or through others."""
    ahead = places_ahead(choices)
    compared, beaten = chains(ahead | ahead.T)[player], chains(ahead)
    return bool((beaten[player] & beaten[:, player])[compared].all())


def uphill(choices: Choices, logs: Floats, step: Floats, prior: float) -> Floats:
    """Shorten a step until the likelihood does not fall."""
    here = log_likelihood(choices, logs, prior)
    slack = 1e-12 * abs(here)  # what rounding may take away close to the top
    while log_likelihood(choices, logs + step, prior) < here - slack:
        step = step / 2
    return step


@dataclass(frozen=True)
class PlacesOfGroups:
    """What a player won in groups of games, and what it could win; equal groups may be counted."""

    won: Floats  # [group] places
    expected: Floats  # [group] places, by the strengths of all
    met: Floats  # [group] places that it could have taken
    counts: Integers  # [group] how often each came


def places_of_groups(
    choices: Choices,
    logs: Floats,
    player: int,
    groups: Integers,
    repeats: Integers,
    times: Integers | None = None,
) -> PlacesOfGroups:
    """Return what a player took in groups [game] of games, numbers from 0.

    Each group came so many times, and within it each game (None: once).
    """
    _, chances = slopes(choices, logs)
    present = (choices.among[:, player] > 0).astype(np.float64)

    def by_group(values: Floats) -> Floats:
        of_pattern = np.bincount(choices.pattern, weights=values, minlength=len(choices.times))
        of_game = of_pattern[choices.pattern_of_game]
        weights = of_game if times is None else of_game * times
        return np.bincount(groups, weights=weights).astype(np.float64)

    taken, hoped = choices.won[:, player], chances[:, player]
    return PlacesOfGroups(by_group(taken), by_group(hoped), by_group(present), repeats)


def shares_of_places(
    choices: Choices, logs: Floats, player: int, found: PlacesOfGroups
) -> tuple[Floats, Floats, Integers]:
    """Return for each group of games the share of its places that a player took, and a fairer one.

    And how often each of these groups came. Those without the player are left out. In the fairer
    share what was to be expected of a group, because of whom the player met in it, is replaced by
    the mean over all groups: it is known, and no part of the scatter.
    """
    _, chances = slopes(choices, logs)
    present = (choices.among[:, player] > 0).astype(np.float64)
    all_won, all_expected, all_met = (
        float(choices.weights @ each)
        for each in (choices.won[:, player], chances[:, player], present)
    )
    there = found.met > 0
    won, expected, met = (each[there] for each in (found.won, found.expected, found.met))
    counts = found.counts[there]
    mean_met = all_met / int(counts.sum())
    shares: Floats = all_won / all_met + (won - expected * all_won / all_expected) / mean_met
    return np.round(won / met, 12), np.round(shares, 12), counts


def rating_limits(
    choices: Choices, logs: Floats, prior: float, player: int, share: Estimate
) -> tuple[float, float, str]:
    """Return the ends of a player's interval, as logarithms, from those of its share of places.

    And why there are none, where the share has no interval.

    Of three or more players some of whom never lost to others, the prior decides how far they are
    apart: then nothing can be said, and the ends are not numbers.
    """
    if not share.shown:
        return math.nan, math.nan, share.reason
    if len(logs) > 2 and not player_connected(choices, player):
        return math.nan, math.nan, NOT_CONNECTED
    centring = np.eye(len(logs)) - 1 / len(logs)
    _, curvature = slope_and_curvature(choices, logs, prior)
    together = centring @ np.linalg.pinv(curvature, hermitian=True) @ centring
    own = float(np.sqrt(max(together[player, player] * curvature[player, player], 0.0)))
    ends = [
        float(logs[player]) + own * (log_with_share(choices, logs, player, end) - logs[player])
        for end in (share.low, share.high)
    ]
    return ends[0], ends[1], ""


def log_with_share(choices: Choices, logs: Floats, player: int, share: float) -> float:
    """Return the logarithm of the strength with which a player takes a share of its places.

    The others are as strong as ``logs`` say. Infinite for all or nothing.
    """
    present = choices.among[:, player] > 0
    weights, seats = choices.weights[present], choices.among[present, player]
    others = np.delete(choices.among[present], player, axis=1) @ np.exp(np.delete(logs, player))
    alone = others == 0
    total = weights.sum()
    fixed = float(weights[alone].sum() / total)
    if share >= 1:
        return math.inf
    if share <= fixed:
        return -math.inf
    low, high, found = -LARGEST_LOG, LARGEST_LOG, float(logs[player])
    for _ in range(NEWTON_STEPS):
        own = seats * math.exp(found)
        chances = own / (own + others)
        mean = float(weights @ chances) / total
        low, high = (low, found) if mean > share else (found, high)
        slope = float(weights @ (chances * (1 - chances))) / total
        step = 0.0
        if 0 < mean < 1 and slope:  # the log odds of the mean are nearly a straight line
            step = math.log(share / mean * (1 - mean) / (1 - share)) * mean * (1 - mean) / slope
        if abs(step) < SMALL_STEP:
            break
        found = found + step if low < found + step < high else (low + high) / 2
    return found


def plackett_luce(
    players: Integers,
    scores: Floats,
    count: int,
    *,
    groups: Integers | None = None,
    repeats: Integers | None = None,
    times: Integers | None = None,
    prior: float = PRIOR,
    level: float = LEVEL,
) -> list[Rating]:
    """Rate the players 0 to count - 1 from the games they played.

    ``players`` [game, seat] says who sat where (NOBODY: an empty seat), ``scores`` [game, seat] how
    it ended; ``groups`` [game] are numbers from 0 of games that may depend on each other (None:
    all are independent), ``repeats`` [group] says how often each came and ``times`` [game] how
    often each game came within it (None: once). Too few groups give ratings without intervals.

    >>> players, scores = np.tile([0, 1], (40, 1)), np.tile([[1.0, 0.0], [0.0, 1.0]], (20, 1))
    >>> [round(each.rating) for each in plackett_luce(players, scores, 2)]
    [0, 0]
    """
    if not len(players):
        raise ValueError("ratings need at least one game")
    numbers = np.arange(len(players)) if groups is None else groups
    often = np.ones(int(numbers.max()) + 1, dtype=np.int64) if repeats is None else repeats
    of_game = often[numbers] if times is None else often[numbers] * times
    choices = choices_of(players, scores, count, of_game)
    games = [int(of_game[(players == player).any(axis=1)].sum()) for player in range(count)]

    def places_of(player: int, logs: Floats) -> PlacesOfGroups:
        return places_of_groups(choices, logs, player, numbers, often, times)

    return rate_groups(choices, games, places_of, prior, level)


def rate_groups(
    choices: Choices,
    games: Sequence[int],
    places_of: Callable[[int, Floats], PlacesOfGroups],
    prior: float = PRIOR,
    level: float = LEVEL,
) -> list[Rating]:
    """Rate players by what each took in groups of games, given the strengths of all.

    ``games`` [player] says in how many games each took part.
    """
    logs = fit(choices, prior)
    shares = []
    for player, played in enumerate(games):
        taken, fair, came = np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
        if played:
            taken, fair, came = shares_of_places(choices, logs, player, places_of(player, logs))
        each = math.ceil(played / max(int(came.sum()), 1))
        plain = estimate_mean(taken, level, (0.0, 1.0), each, came)  # whether enough of it differ
        shares.append(estimate_mean(fair, level, (0.0, 1.0), each, came) if plain.shown else plain)
    return rated(choices, logs, prior, games, shares)


def rated(
    choices: Choices, logs: Floats, prior: float, games: Sequence[int], shares: Sequence[Estimate]
) -> list[Rating]:
    """Return the ratings of all players with intervals, from their shares of the places.

    Ratings are relative to the mean of all: of three or four players one whose share has no
    interval leaves the others without one too.
    """
    few = 2 < sum(each > 0 for each in games) <= FEW_PLAYERS
    unknown = few and any(each > 0 and not share.shown
                          for each, share in zip(games, shares, strict=True))  # fmt: skip
    found = []
    for player, (played, share) in enumerate(zip(games, shares, strict=True)):
        low, high, reason = math.nan, math.nan, NO_GAMES
        if played:
            low, high, reason = rating_limits(choices, logs, prior, player, share)
            if unknown and not reason:
                low, high, reason = math.nan, math.nan, RELATIVE
        found.append(Rating(ELO * float(logs[player]), ELO * low, ELO * high, played, reason))
    return found
