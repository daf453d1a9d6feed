"""Shares of games won: single games with draws, and deals of two to eighteen games."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sandtable.arena.statistics.intervals import estimate_grouped_share, estimate_share
from sandtable.calibration.experiments import Case, Drawn, Floats, Generator, moved

__all__ = ["cases", "deals_of_games", "known_shares", "single_games"]

SINGLE = (0.02, 0.1, 0.5, 0.7, 0.8, 0.9, 0.98, 0.998)
DRAWN = (
    *((0.5, 0.5), (0.7, 0.5), (0.6, 0.7), (0.5, 0.9)),
    *((0.52, 0.9), (0.51, 0.98), (0.5, 0.98), (0.98, 0.04)),
)
INDEPENDENT = tuple((games, share) for games in (2, 4, 18) for share in (0.5, 0.8, 0.98))
DEPENDENT = ((2, 0.9, 0.3), (4, 0.5, 0.6), (4, 0.9, 0.3), (18, 0.9, 1.0), (18, 0.9, 0.3))


def single_games(share: float, drawn: float = 0.0) -> Case:
    """Return a case of single games, with a share of the points and a share of draws."""
    decided = (share - drawn / 2) / (1 - drawn)

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        part, won = (moved(generator, each) if move else each for each in (drawn, decided))
        chances = np.array([(1 - part) * (1 - won), part, (1 - part) * won])
        results: Floats = generator.choice([0.0, 0.5, 1.0], size=size, p=chances / chances.sum())
        return results, [part / 2 + (1 - part) * won]

    label = f"{share:.1%} of the points, {drawn:.0%} drawn" if drawn else f"{share:.1%} won"
    return Case("Shares of single games", label, draw, lambda won: [estimate_grouped_share(won)])


def known_shares(share: float) -> Case:
    """Return a case of games of which nothing but the share is known."""

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        chance = moved(generator, share) if move else share
        return np.array([generator.binomial(size, chance), size], dtype=np.float64), [chance]

    return Case(
        "Shares of which no more is known",
        f"{share:.1%} won",
        draw,
        lambda found: [estimate_share(float(found[0] / found[1]), int(found[1]))],
    )


def deals_of_games(games: int, share: float, alike: float = 0.0) -> Case:
    """Return a case of deals of several games, some of them decided by the dice for all alike."""

    def draw(generator: Generator, size: int, move: bool) -> Drawn:
        chance = moved(generator, share) if move else share
        own = generator.binomial(games, chance, size=size) / games
        common = (generator.random(size) < chance).astype(np.float64)
        results: Floats = np.where(generator.random(size) < alike, common, own)
        return results, [chance]

    words = f", {alike:.0%} of deals decided by dice" if alike else ""
    label = f"{games} games a deal, {share:.0%} won{words}"
    return Case(
        "Shares of deals", label, draw, lambda won: [estimate_grouped_share(won, games=games)]
    )


def cases() -> Iterator[Case]:
    """Return all cases of shares."""
    yield from map(single_games, SINGLE)
    yield from (single_games(*each) for each in DRAWN)
    yield from map(known_shares, (0.5, 0.9, 0.98))
    yield from (deals_of_games(games, share) for games, share in INDEPENDENT)
    yield from (deals_of_games(games, share, alike) for games, share, alike in DEPENDENT)
