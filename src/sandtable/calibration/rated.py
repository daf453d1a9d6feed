"""Ratings: Plackett and Luce from games of two to four seats, Bradley and Terry from tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from sandtable.arena.statistics.bradley_terry import bradley_terry
from sandtable.arena.statistics.intervals import Estimate
from sandtable.arena.statistics.known_opponents import rating_against_known
from sandtable.arena.statistics.ratings import ELO, Rating, plackett_luce
from sandtable.calibration.experiments import NEIGHBOURHOOD, Case, Drawn, Floats, Generator

__all__ = ["against_levels", "cases", "cross_table", "finishing_orders", "round_robin"]

LEADS = ((0, 0), (400, 0), (1000, 0), (240, 120, 0), (1000, 500, 0), (240, 180, 120, 60, 0, -700))
LEVELS = (600, 800, 1000, 1300, 1600)  # of the opponents a person can choose
SEATED = ((0, 0, 0), (200, 100, 0), (400, 0, 0, 0))


def as_estimates(ratings: Sequence[Rating]) -> list[Estimate]:
    """Return ratings as estimates; the first tells all of two, which mirror each other."""
    made = [Estimate(each.rating, 0.0, each.low, each.high, each.games) for each in ratings]
    return made[:1] if len(made) == 2 else made


def true_ratings(leads: Sequence[float], generator: Generator, move: bool) -> Floats:
    """Return ratings with mean zero, moved a little."""
    ratings = np.array(leads, dtype=np.float64)
    if move:
        ratings += ELO * generator.uniform(-NEIGHBOURHOOD, NEIGHBOURHOOD, len(leads)) / 2
    centred: Floats = ratings - ratings.mean()
    return centred


def told(ratings: Floats) -> list[float]:
    """Return the truths that belong to the estimates."""
    truths = [float(each) for each in ratings]
    return truths[:1] if len(truths) == 2 else truths


def label_of(leads: Sequence[float]) -> str:
    """Say who leads by how much."""
    return "leads of " + ", ".join(f"{lead}" for lead in leads)


def round_robin(leads: Sequence[float]) -> Case:
    """Return single games of all pairs, rated game by game."""
    pairs = np.array(list(itertools.combinations(range(len(leads)), 2)))

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        ratings = true_ratings(leads, generator, move)
        players = np.repeat(pairs, size, axis=0)
        away = ratings[players[:, 1]] - ratings[players[:, 0]]
        won = generator.random(len(players)) < 1 / (1 + np.exp(away / ELO))
        return np.column_stack([players, won, ~won]), told(ratings)

    def estimate(games: Floats) -> list[Estimate]:
        players = games[:, :2].astype(np.int64)
        return as_estimates(plackett_luce(players, games[:, 2:].astype(float), len(leads)))

    return Case("Ratings of two seats", label_of(leads), draw, estimate)


def cross_table(leads: Sequence[float]) -> Case:
    """Return the same from a cross table, as Bradley and Terry do."""
    number = len(leads)

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        ratings = true_ratings(leads, generator, move)
        points = np.zeros((number, number))
        for one, other in itertools.combinations(range(number), 2):
            chance = 1 / (1 + math.exp((ratings[other] - ratings[one]) / ELO))
            points[one, other] = generator.binomial(size, chance)
            points[other, one] = size - points[one, other]
        return points, told(ratings)

    return Case(
        "Ratings from a cross table",
        label_of(leads),
        draw,
        lambda points: as_estimates(bradley_terry(points)),
    )


def finishing_orders(leads: Sequence[float]) -> Case:
    """Return games in which all sit together, and come in one after the other."""
    number = len(leads)

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        ratings = true_ratings(leads, generator, move)
        # Who is drawn first with chances in proportion to strength has the largest Gumbel variable.
        keys = ratings / ELO + generator.gumbel(size=(size, number))
        return keys.argsort(axis=1).argsort(axis=1).astype(np.float64), told(ratings)

    def estimate(scores: Floats) -> list[Estimate]:
        players = np.tile(np.arange(number), (len(scores), 1))
        return as_estimates(plackett_luce(players, scores, number))

    return Case("Ratings of three and four seats", label_of(leads), draw, estimate)


def against_levels(lead: float, drawn: float = 0.0) -> Case:
    """Return games of one player against levels whose ratings are known, three times out of four
    against the one that is nearest; ``drawn`` is the share of draws between equal players.
    """

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        moved = ELO * generator.uniform(-NEIGHBOURHOOD, NEIGHBOURHOOD) / 2 if move else 0.0
        rating = lead + moved
        levels = np.array(LEVELS, dtype=np.float64)
        nearest = levels[np.abs(levels - rating).argmin()]
        opponents = np.where(generator.random(size) < 0.75, nearest, generator.choice(levels, size))
        chances = 1 / (1 + np.exp((opponents - rating) / ELO))
        draws = drawn * np.minimum(chances, 1 - chances)  # half of them, on either side
        luck = generator.random(size)
        points = ((luck < chances - draws).astype(np.float64) + (luck < chances + draws)) / 2
        return np.column_stack([opponents, points]), [rating]

    def estimate(games: Floats) -> list[Estimate]:
        return [rating_against_known([[(opponent, won)] for opponent, won in games.tolist()])]

    label = f"a rating of {lead:g}" + (f", {drawn:.0%} drawn" if drawn else "")
    return Case("Rating of a person against levels", label, draw, estimate)


def cases() -> Iterator[Case]:
    """Return all cases of ratings."""
    yield from map(round_robin, LEADS)
    yield from map(cross_table, LEADS[:4])
    yield from map(finishing_orders, SEATED)
    yield from map(against_levels, (600.0, 1000.0, 1500.0))
    yield from itertools.starmap(against_levels, ((1000.0, 0.5), (1000.0, 0.8)))
