"""Ratings from games that were kept, whoever played them when."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import (
    Estimate,
    estimate_grouped_share,
    estimate_mean,
    win_shares,
)
from sandtable.arena.statistics.ratings import NOBODY, Rating, plackett_luce
from sandtable.arena.statistics.results import number
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.specs import parse_spec

__all__ = ["ArchivedGames", "RatedAgent", "Ratings", "collect", "rate"]

Seats = tuple[str, ...]
Scores = tuple[float, ...]
Integers = NDArray[np.int64]


@dataclass
class ArchivedGames:
    """The finished games of one game, whatever its options: a few numbers of each.

    >>> found = ArchivedGames()
    >>> found.add(("me", "you"), (1.0, 0.0), ("skirmish", 1, None, 0, 7), course=3)
    >>> len(found), list(found.kinds)
    (1, [(('me', 'you'), (1.0, 0.0))])
    """

    kinds: dict[tuple[Seats, Scores], int] = field(default_factory=dict)  # numbered as they come
    places: dict[tuple[Any, ...], int] = field(default_factory=dict)  # rules and starts, likewise
    kind: array[int] = field(default_factory=lambda: array("q"))  # of each game: who, and how
    place: array[int] = field(default_factory=lambda: array("q"))
    deal: array[int] = field(default_factory=lambda: array("q"))  # what dice it had, as a digest
    course: array[int] = field(default_factory=lambda: array("q"))  # who did what, as a digest
    forfeits: int = 0

    def __len__(self) -> int:
        return len(self.kind)

    def add(self, seats: Seats, scores: Scores, deal: tuple[Any, ...], course: int) -> None:
        """Take in a game; a deal is its rules, their version, the start, seed and number."""
        self.kind.append(self.kinds.setdefault((seats, scores), len(self.kinds)))
        self.place.append(self.places.setdefault(deal[:3], len(self.places)))
        self.deal.append(hash(deal))
        self.course.append(course)


@dataclass(frozen=True)
class RatedAgent:
    """One agent in the games of an archive."""

    agent: str
    rating: Rating
    wins: Estimate  # share of games won, of each of its seats


@dataclass(frozen=True)
class Ratings:
    """The ratings of all agents that played one game, the best first."""

    game: str
    games: int
    observations: int  # deals, or levels in a game without dice
    forfeits: int
    agents: tuple[RatedAgent, ...]
    parts: tuple[tuple[str, ...], ...]  # agents that have met, directly or through others

    def as_data(self) -> dict[str, Any]:
        """Return the ratings as plain data."""
        return {
            "format": "sandtable-ratings",
            "format_version": 1,
            "game": self.game,
            "games": self.games,
            "observations": self.observations,
            "forfeits": self.forfeits,
            "agents": [
                {
                    "agent": each.agent,
                    "games": each.rating.games,
                    "rating": number(each.rating.rating),
                    "low": number(each.rating.low),
                    "high": number(each.rating.high),
                    "win_share": number(each.wins.mean),
                    "win_share_low": number(each.wins.low),
                    "win_share_high": number(each.wins.high),
                }
                for each in self.agents
            ],
            "parts": [list(part) for part in self.parts],
        }


def collect(records: Iterable[Record]) -> dict[str, ArchivedGames]:
    """Sort finished games by the name of their game; those that were broken off are left out."""
    found: dict[str, ArchivedGames] = {}
    for record in records:
        if record.outcome is None:
            continue
        games = found.setdefault(parse_spec(record.game).name, ArchivedGames())
        games.add(
            record.seats,
            record.outcome.scores,
            (record.game, record.version, record.start, record.seed, record.number),
            hash((record.seats, record.actions, record.outcome.scores)),
        )
        games.forfeits += record.outcome.forfeited_by is not None
    return found


def rate(game: str, found: ArchivedGames) -> Ratings | None:
    """Rate all agents; None if the game has no winners or nobody else to be compared with."""
    names = sorted({agent for seats, _ in found.kinds for agent in seats})
    if not make_game(game).has_winner or len(names) < 2:
        return None
    numbers = {agent: index for index, agent in enumerate(names)}
    observations = observations_of(found)
    kinds, groups, repeats = counted_groups(found, observations)
    shape = len(found.kinds), max(len(seats) for seats, _ in found.kinds)
    sitting = np.full(shape, NOBODY, dtype=np.int64)
    points = np.full(shape, -np.inf)
    for row, (seats, scores) in enumerate(found.kinds):
        sitting[row, : len(seats)] = [numbers[agent] for agent in seats]
        points[row, : len(seats)] = scores
    players, scored = sitting[kinds], points[kinds]
    ratings = plackett_luce(players, scored, len(names), groups=groups, repeats=repeats)
    shares = win_shares(scored)
    agents = [
        RatedAgent(name, ratings[index], share_of(players == index, shares, groups, repeats))
        for index, name in enumerate(names)
    ]
    return Ratings(
        game=game,
        games=len(found),
        observations=int(repeats.sum()),
        forfeits=found.forfeits,
        agents=tuple(sorted(agents, key=lambda each: -each.rating.rating)),
        parts=tuple(tuple(names[each] for each in part) for part in parts_of(players, len(names))),
    )


def counted_groups(
    found: ArchivedGames, observations: Integers
) -> tuple[Integers, Integers, Integers]:
    """Return the different observations: kinds and group of each game, how often each group came.

    Those with the same kinds of games in the same order are the same.
    """
    order = np.argsort(observations, kind="stable")
    kinds = np.array(found.kind, dtype=np.int64)[order]
    ends = np.flatnonzero(np.diff(observations[order])) + 1
    times: dict[bytes, int] = {}
    for first, end in zip([0, *ends.tolist()], [*ends.tolist(), len(kinds)], strict=True):
        key = kinds[first:end].tobytes()
        times[key] = times.get(key, 0) + 1
    games = [np.frombuffer(key, dtype=np.int64) for key in times]
    groups = np.repeat(np.arange(len(games)), [len(each) for each in games])
    return np.concatenate(games), groups, np.array(list(times.values()), dtype=np.int64)


def observations_of(found: ArchivedGames) -> Integers:
    """Return the number of the observation of each game.

    An observation is a deal, or without any dice one level of several. On a single level without
    dice those deals of some agents are one observation that all went the same, action by action:
    then they are one game, played again and again. If any went otherwise, the agents throw dice,
    and each deal is one that might have.
    """
    known, places = np.unique(np.array(found.deal, dtype=np.int64), return_inverse=True)
    deals = places.astype(np.int64)
    if any(make_game(spec).chance for spec in {place[0] for place in found.places}):
        return deals
    if len(found.places) > 1:
        return np.array(found.place, dtype=np.int64)
    numbers: dict[tuple[str, ...], int] = {}
    of_kind = [numbers.setdefault(tuple(sorted(set(seats))), len(numbers))
               for seats, _ in found.kinds]  # fmt: skip
    players = np.array(of_kind, dtype=np.int64)[np.array(found.kind, dtype=np.int64)]
    courses = np.array(found.course, dtype=np.int64)
    observations = deals
    for names in range(len(numbers)):
        chosen = players == names
        if all_went_alike(deals[chosen], courses[chosen]):
            observations = np.where(chosen, len(known) + names, observations)
    return observations


def all_went_alike(deals: Integers, courses: Integers) -> bool:
    """Say whether all deals went as the longest one did, as far as they were played.

    >>> deals = np.array([0, 0, 1, 2, 2])
    >>> all_went_alike(deals, np.array([1, 2, 1, 1, 2]))
    True
    >>> all_went_alike(deals, np.array([1, 2, 3, 1, 2]))
    False
    """
    pairs = np.unique(np.stack([deals, courses], axis=1), axis=0)
    _, lengths = np.unique(pairs[:, 0], return_counts=True)
    return len(np.unique(pairs[:, 1])) == int(lengths.max())


def share_of(
    held: NDArray[np.bool_], shares: NDArray[np.float64], groups: Integers, repeats: Integers
) -> Estimate:
    """Return the share won in some seats; games with the same dice are one observation.

    Observations of more games count for more, so that the mean is that of all games.
    """
    rows = np.broadcast_to(groups[:, None], held.shape)[held]
    counts = np.bincount(rows, minlength=len(repeats))
    there = counts > 0
    won = np.bincount(rows, weights=shares[held], minlength=len(repeats))[there]
    counts, came = counts[there], repeats[there]
    usual = int(counts @ came) / max(int(came.sum()), 1)  # games of an observation
    games = max(math.ceil(usual), 1)
    if (counts == counts[:1]).all():
        return estimate_grouped_share(won / counts, games=games, counts=came)
    mean = float(won @ came) / int(counts @ came)
    return estimate_mean(mean + (won - mean * counts) / usual, games=games, counts=came)


def parts_of(players: NDArray[np.int64], count: int) -> list[list[int]]:
    """Return the groups of players that are connected by games; ratings compare within them."""
    part = list(range(count))
    for row in np.unique(np.sort(players, axis=1), axis=0).tolist():
        together = sorted({part[player] for player in row if player != NOBODY})
        part = [together[0] if each in together else each for each in part]
    return [[each for each in range(count) if part[each] == name] for name in sorted(set(part))]
