"""Ratings of kept games from a few numbers of each: the same as from all games at once."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sandtable.arena.statistics.archived_ratings import ArchivedGames, rate
from sandtable.arena.statistics.intervals import (
    estimate_grouped_share,
    estimate_mean,
    win_shares,
)
from sandtable.arena.statistics.ratings import NOBODY, plackett_luce

pytestmark = pytest.mark.usefixtures("with_race")

NAMES = ("a", "b", "c", "d")


def played(seats: int, deals: int, spec: str):
    """Return games: agents, scores, deal, course; some deals are played twice, in two ways."""
    chance = random.Random(seats)
    for deal in range(deals):
        for _ in range(chance.choice([1, 2])):
            agents = tuple(chance.sample(NAMES, seats))
            scores = tuple(float(chance.choice([0, 0, 1, 2]) + (each == "a")) for each in agents)
            course = deal if "a" in agents else 0  # the others do the same every time
            yield agents, scores, (spec, 1, None, 5, deal), course


def all_subsets(courses) -> bool:
    known = list(courses)
    return all(each <= max(known, key=len) for each in known)


def plain(games, observations):
    """Rate by one row for each game."""
    players = np.full((len(games), 4), NOBODY, dtype=np.int64)
    scores = np.full((len(games), 4), -np.inf)
    for row, (agents, points, _, _) in enumerate(games):
        players[row, : len(agents)] = [NAMES.index(each) for each in agents]
        scores[row, : len(agents)] = points
    keys = {each: number for number, each in enumerate(dict.fromkeys(observations))}
    groups = np.array([keys[each] for each in observations])
    ratings = plackett_luce(players, scores, len(NAMES), groups=groups)
    shares = win_shares(scores)
    found = {}
    for agent, name in enumerate(NAMES):
        held = players == agent
        rows = np.broadcast_to(groups[:, None], held.shape)[held]
        counts = np.bincount(rows)
        there = counts > 0
        won, counts = np.bincount(rows, weights=shares[held])[there], counts[there]
        mean, games_of_one = won.sum() / counts.sum(), int(np.ceil(counts.mean()))
        values = mean + (won - mean * counts) / counts.mean()
        share = estimate_mean(values, games=games_of_one)
        if len(set(counts.tolist())) == 1:
            share = estimate_grouped_share(won / counts, games=games_of_one)
        found[name] = ratings[agent], share
    return found, len(keys)


def rounded(*figures) -> str:
    """Return figures as text, without the last digits: sums are taken in another order."""
    numbers = [value for each in figures for value in vars(each).values()]
    return repr([np.round(each, 11) if isinstance(each, (float, tuple)) else each
                 for each in numbers])  # fmt: skip


@pytest.mark.parametrize(
    ("seats", "spec", "levels"),
    [(2, "race:seats=2", 1), (4, "race", 1), (2, "skirmish", 1), (2, "skirmish", 30)],
)
def test_counted_games_are_rated_as_all_of_them(seats, spec, levels):
    games = [
        (agents, scores, (f"{spec}:level=random-{deal[4] % levels}" if levels > 1 else spec,
                          *deal[1:]), course)
        for agents, scores, deal, course in played(seats, 400, spec)
    ]  # fmt: skip
    found = ArchivedGames()
    for each in games:
        found.add(*each)
    observations = [deal for _, _, deal, _ in games]
    if spec == "skirmish":  # without dice
        players = [tuple(sorted(agents)) for agents, _, _, _ in games]
        went: dict = {}
        for names, (_, _, deal, course) in zip(players, games, strict=True):
            went.setdefault(names, {}).setdefault(deal, set()).add(course)
        alike = {names for names, deals in went.items() if all_subsets(deals.values())}
        assert alike and len(alike) < len(went)
        observations = [
            deal[:3] if levels > 1 else names if names in alike else deal
            for names, deal in zip(players, observations, strict=True)
        ]
    expected, count = plain(games, observations)
    result = rate(spec.partition(":")[0], found)
    assert (result.games, result.observations) == (len(games), count)
    for each in result.agents:
        rating, wins = expected[each.agent]
        assert rounded(each.rating, each.wins) == rounded(rating, wins)
