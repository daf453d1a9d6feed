"""Ratings from games that were kept, whoever played them when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import Estimate, estimate_grouped_share, win_shares
from sandtable.arena.statistics.ratings import NOBODY, Rating, plackett_luce
from sandtable.arena.statistics.results import number
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.specs import parse_spec

__all__ = ["ArchivedGames", "RatedAgent", "Ratings", "collect", "rate"]

MOST_SEATS = 4


@dataclass
class ArchivedGames:
    """The finished games of one game, whatever its options."""

    seats: list[tuple[str, ...]] = field(default_factory=list)  # agents, by game
    scores: list[tuple[float, ...]] = field(default_factory=list)
    deals: list[tuple[Any, ...]] = field(default_factory=list)  # what dice they had
    forfeits: int = 0


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
        games.seats.append(record.seats)
        games.scores.append(record.outcome.scores)
        games.deals.append((record.game, record.version, record.start, record.seed, record.number))
        games.forfeits += record.outcome.forfeited_by is not None
    return found


def rate(game: str, found: ArchivedGames) -> Ratings | None:
    """Rate all agents; None if the game has no winners or nobody else to be compared with."""
    names = sorted({agent for seats in found.seats for agent in seats})
    if not make_game(game).has_winner or len(names) < 2:
        return None
    numbers = {agent: index for index, agent in enumerate(names)}
    players = np.full((len(found.seats), MOST_SEATS), NOBODY, dtype=np.int64)
    scores = np.full(players.shape, -np.inf)
    for row, (seats, points) in enumerate(zip(found.seats, found.scores, strict=True)):
        players[row, : len(seats)] = [numbers[agent] for agent in seats]
        scores[row, : len(seats)] = points
    observations = observations_of(found)
    keys = {deal: index for index, deal in enumerate(dict.fromkeys(observations))}
    groups = np.array([keys[deal] for deal in observations], dtype=np.int64)
    ratings = plackett_luce(players, scores, len(names), groups=groups)
    shares = win_shares(scores)
    agents = [
        RatedAgent(name, ratings[index], share_of(players == index, shares, groups))
        for index, name in enumerate(names)
    ]
    return Ratings(
        game=game,
        games=len(players),
        observations=len(keys),
        forfeits=found.forfeits,
        agents=tuple(sorted(agents, key=lambda each: -each.rating.rating)),
        parts=tuple(tuple(names[each] for each in part) for part in parts_of(players, len(names))),
    )


def observations_of(found: ArchivedGames) -> list[tuple[Any, ...]]:
    """Return what counts as one observation: a deal, or without any dice one level of several.

    On a single level without dice games are one observation if those in the same seats all went
    the same: then they are one game, played again and again.
    """
    places = [deal[:3] for deal in found.deals]
    if any(make_game(spec).chance for spec in {place[0] for place in places}):
        return found.deals
    if len(set(places)) > 1:
        return places
    by_seats: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for seats, scores in zip(found.seats, found.scores, strict=True):
        by_seats.setdefault(seats, []).append(scores)
    repeated = [len(set(scores)) == 1 for scores in by_seats.values()]
    several = any(len(scores) > 1 for scores in by_seats.values())
    return places if several and all(repeated) else found.deals


def share_of(
    held: NDArray[np.bool_], shares: NDArray[np.float64], groups: NDArray[np.int64]
) -> Estimate:
    """Return the share won in some seats; games with the same dice are one observation."""
    rows = np.broadcast_to(groups[:, None], held.shape)[held]
    counts = np.bincount(rows)
    present = counts > 0
    return estimate_grouped_share(
        np.bincount(rows, weights=shares[held])[present] / counts[present]
    )


def parts_of(players: NDArray[np.int64], count: int) -> list[list[int]]:
    """Return the groups of players that are connected by games; ratings compare within them."""
    part = list(range(count))
    for row in np.unique(np.sort(players, axis=1), axis=0).tolist():
        together = sorted({part[player] for player in row if player != NOBODY})
        part = [together[0] if each in together else each for each in part]
    return [[each for each in range(count) if part[each] == name] for name in sorted(set(part))]
