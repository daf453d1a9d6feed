"""What a match shows: every seat, or with rotated seats every agent, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.behaviour import throws_dice
from sandtable.arena.play.plan import MatchPlan, Results
from sandtable.arena.statistics.intervals import (
    UNBOUNDED,
    Estimate,
    all_alike,
    estimate_from_moments,
    estimate_grouped_share,
    estimate_mean,
    free_of_luck,
    win_shares,
)
from sandtable.arena.statistics.luck_sums import LuckParts
from sandtable.arena.statistics.ratings import Rating, plackett_luce
from sandtable.arena.statistics.totals import MatchTotals
from sandtable.registry import make_game
from sandtable.types import Game

__all__ = ["AgentResult", "MatchResult", "SeatResult", "Standing", "summarise"]

REPEATED_REASON = "all deals went the same"
REPEATED = (
    "neither this game nor these agents throw dice: all deals went the same and count as one; "
    "a suite of several levels or set-ups says more (sandtable tournament)"
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How a seat or an agent did."""

    score: Estimate
    adjusted: Estimate | None  # freed of luck, for games that count it
    wins: Estimate | None  # share of games won, for games that have winners
    measures: tuple[Estimate, ...]  # one for each name in game.measures
    rating: Rating | None  # where different agents met in a game that has winners
    forfeits: int


@dataclass(frozen=True, kw_only=True)
class SeatResult(Standing):
    """How one seat did."""

    seat: str
    agent: str | None  # None: all agents took it in turn


@dataclass(frozen=True, kw_only=True)
class AgentResult(Standing):
    """How one agent did in all seats, on average if it holds several seats of a game."""

    agent: str
    seats: int  # how many seats of a game it holds


@dataclass(frozen=True)
class MatchResult:
    """How a match went. Everything but the timing is the same for any number of jobs.

    >>> from sandtable.arena.play.match import play_match
    >>> from sandtable.arena.play.plan import make_plan
    >>> result = play_match(make_plan("lucid", ["random", "lucid/axes-red"], games=20, seed=0))
    >>> result.complete, result.scores.shape
    (True, (20, 2))
    """

    plan: MatchPlan
    version: int
    games: int
    seats: tuple[SeatResult, ...]
    agents: tuple[AgentResult, ...]  # empty if the seats are not rotated
    measures: tuple[str, ...]  # names
    forfeits: tuple[tuple[int, int, str], ...]  # game number, seat, reason
    kept: int | None  # records that were new in the archive
    seconds: float
    jobs: int
    scores: Floats = field(repr=False)  # [game, seat]; none if they were only counted
    measured: Floats = field(repr=False)  # [game, seat, measure]; likewise
    resumed: int = 0  # games that an earlier run of the same match had finished
    notes: tuple[str, ...] = ()  # what has to be known to read the figures

    @property
    def complete(self) -> bool:
        """Whether all games that were asked for have been played."""
        return self.games == self.plan.games

    @property
    def games_per_second(self) -> float:
        """How fast the games of this run were played."""
        played = max(self.games - self.resumed, 0)
        return played / self.seconds if self.seconds else 0.0

    @property
    def rotations(self) -> int:
        """How many games belong to a deal."""
        return len(self.plan.orders)

    def as_data(self) -> dict[str, Any]:
        """Return the result as documented in docs/match-results.md."""
        data: dict[str, Any] = {
            "format": "sandtable-match",
            "format_version": 1,
            "game": self.plan.game,
            "rules_version": self.version,
            "games": self.games,
            "games_wanted": self.plan.games,
            "seed": self.plan.seed,
        }
        if self.plan.rotate:
            orders = range(self.rotations)
            data["deals"] = self.games // self.rotations
            data["rotations"] = [list(self.plan.seated(each)) for each in orders]
            data["agents"] = [
                {"agent": each.agent, "seats": each.seats, **standing_data(each, self.measures)}
                for each in self.agents
            ]
        data["seats"] = [
            {"seat": each.seat, "agent": each.agent, **standing_data(each, self.measures)}
            for each in self.seats
        ]
        data["forfeits"] = [self.forfeit_data(*each) for each in self.forfeits]
        data["notes"] = list(self.notes)
        data["timing"] = {
            "seconds": round(self.seconds, 3),
            "games_per_second": round(self.games_per_second, 1),
            "jobs": self.jobs,
        }
        return data

    def forfeit_data(self, game: int, seat: int, reason: str) -> dict[str, Any]:
        """Return one forfeit as plain data; the number is that of the game's dice."""
        deal, rotation = divmod(game, self.rotations)
        where = {"number": deal, "seat": self.seats[seat].seat, "reason": reason}
        if not self.plan.rotate:
            return where
        return where | {"rotation": rotation, "agent": self.plan.seated(rotation)[seat]}


def standing_data(standing: Standing, measures: tuple[str, ...]) -> dict[str, Any]:
    """Return the standing of a seat or an agent as plain data."""
    data: dict[str, Any] = {
        "mean": number(standing.score.mean),
        "sd": number(standing.score.deviation),
        "low": number(standing.score.low),
        "high": number(standing.score.high),
        "forfeits": standing.forfeits,
    }
    if standing.adjusted:
        data |= {
            "adjusted_mean": number(standing.adjusted.mean),
            "adjusted_sd": number(standing.adjusted.deviation),
            "adjusted_low": number(standing.adjusted.low),
            "adjusted_high": number(standing.adjusted.high),
        }
        data |= reason_data("adjusted_no_interval", standing.adjusted.reason)
    if standing.wins:
        data |= {
            "win_share": number(standing.wins.mean),
            "win_share_low": number(standing.wins.low),
            "win_share_high": number(standing.wins.high),
        }
        data |= reason_data("win_share_no_interval", standing.wins.reason)
    if standing.rating:
        data |= {
            "rating": number(standing.rating.rating),
            "rating_low": number(standing.rating.low),
            "rating_high": number(standing.rating.high),
        }
        data |= reason_data("rating_no_interval", standing.rating.reason)
    data |= reason_data("no_interval", standing.score.reason)
    if measures:
        data["measures"] = {
            name: {
                "mean": number(each.mean),
                "sd": number(each.deviation),
                "low": number(each.low),
                "high": number(each.high),
                **reason_data("no_interval", each.reason),
            }
            for name, each in zip(measures, standing.measures, strict=True)
        }
    return data


def reason_data(name: str, reason: str) -> dict[str, str]:
    """Return why there is no interval, if there is none."""
    return {name: reason} if reason else {}


def number(value: float) -> float | None:
    """Return a number as it goes into JSON, which knows neither 'not a number' nor infinity."""
    return round(value, 10) if math.isfinite(value) else None


@dataclass(frozen=True)
class Deals:
    """Some number of every game and seat, by deals; equal ones may be counted together."""

    rows: Floats  # [deal, game, seat]
    counts: Integers | None = None  # how often each came; None: once

    @property
    def alike(self) -> bool:
        """Whether all deals went the same."""
        flat = np.nan_to_num(self.rows).reshape(len(self.rows), -1)
        if self.counts is None:
            return all_alike(flat)
        return bool((flat == flat[0]).all()) and int(self.counts.sum()) > 1

    def estimate(
        self, held: NDArray[np.bool_], repeated: bool, bounds: tuple[float, float] = UNBOUNDED
    ) -> Estimate:
        """Return the mean over the seats ``held`` [game, seat]; that of a deal is one value."""
        means: Floats = self.rows[:, held].mean(axis=1)
        if repeated:
            return replace(estimate_mean(means[:1], bounds=bounds), reason=REPEATED_REASON)
        known = ~np.isnan(means)
        counts = None if self.counts is None else self.counts[known]
        return estimate_mean(means[known], bounds=bounds, games=self.rows.shape[1], counts=counts)


class Summary:
    """Draws the conclusions from the games of a match; a deal is one observation."""

    def __init__(self, plan: MatchPlan, results: Results) -> None:
        self.plan = plan
        self.game: Game = make_game(plan.game)
        self.results = results
        self.several = len(plan.orders)
        self.agent_names = list(dict.fromkeys(plan.agents))
        numbers = [self.agent_names.index(spec) for spec in plan.agents]
        in_order = [[numbers[agent] for agent in order] for order in plan.orders]
        self.players = np.array(in_order, dtype=np.int64)  # [game of a deal, seat]
        self.luck_parts: LuckParts | None = None
        self.scores, self.measures = self.deals_of(results)
        deals = results.games // self.several
        facts = (self.scores, *self.measures)
        self.repeated = (
            not self.game.chance
            and deals > 1
            and all(each.alike for each in facts if each.rows.size)
            and not any(throws_dice(plan.game, agent) for agent in plan.agents)
        )
        self.shares: Deals | None = None
        if self.game.has_winner and deals:
            flat = self.scores.rows.reshape(-1, len(self.game.seats))
            shares = win_shares(flat).reshape(self.scores.rows.shape)
            self.shares = replace(self.scores, rows=shares)
        self.adjusted = self.without_luck() if self.game.luck and not self.luck_parts else None
        self.ratings = self.rate()

    def deals_of(self, results: Results) -> tuple[Deals, list[Deals]]:
        """Return scores and measures by deals, of all games or counted together."""
        if isinstance(results, MatchTotals) and results.reduced:
            self.luck_parts = results.without_luck
            return (
                Deals(*results.score_counts.rows()),
                [Deals(*each.rows()) for each in results.measure_counts],
            )
        shape = (len(results.scores) // self.several, self.several, len(self.game.seats))
        measures = np.moveaxis(results.measures, 2, 0)
        return Deals(results.scores.reshape(shape)), [Deals(m.reshape(shape)) for m in measures]

    def without_luck(self) -> Deals:
        """Return the scores freed of luck, fitted for every game of a deal on its own."""
        adjusted = self.scores.rows.copy()
        for game in range(self.several):
            luck = self.results.luck[game :: self.several]
            for seat in range(adjusted.shape[2]):
                adjusted[:, game, seat] = free_of_luck(self.scores.rows[:, game, seat], luck)
        return Deals(adjusted)

    def rate(self) -> list[Rating]:
        """Return the ratings of the different agents, if there is anything to rate."""
        if self.shares is None or len(self.agent_names) < 2:
            return []
        deals, repeats = len(self.scores.rows), self.scores.counts
        groups = np.arange(deals * self.several) // self.several
        players = np.tile(self.players, (deals, 1))
        scores = self.scores.rows.reshape(players.shape)
        found = plackett_luce(
            players, scores, len(self.agent_names), groups=groups, repeats=repeats
        )
        if self.repeated:
            found = [replace(each, low=math.nan, high=math.nan, reason=REPEATED_REASON)
                     for each in found]  # fmt: skip
        return found

    def standing(self, held: NDArray[np.bool_], rating: Rating | None) -> dict[str, Any]:
        """Return what is told of seats and agents: how it went in the seats ``held`` [game, seat].

        They are those of one deal; their mean over a deal is one observation.
        """
        wins = None
        if self.shares is not None:
            wins = self.share(self.shares, held)
        taken = [self.game.score_bounds[seat] for seat in np.flatnonzero(held.any(axis=0))]
        bounds = (min(low for low, _ in taken), max(high for _, high in taken))
        adjusted = None
        if self.adjusted is not None:
            adjusted = self.adjusted.estimate(held, self.repeated)
        elif self.luck_parts is not None:
            moments = self.luck_parts.moments([held / held.sum()])
            adjusted = estimate_from_moments(*moments, games=self.several)
        forfeits = (
            (game, seat) for game, seat, _ in self.results.forfeits if game < self.results.games
        )
        return {
            "score": self.scores.estimate(held, self.repeated, bounds),
            "adjusted": adjusted,
            "wins": wins,
            "measures": tuple(each.estimate(held, self.repeated) for each in self.measures),
            "rating": rating,
            "forfeits": sum(int(held[game % self.several, seat]) for game, seat in forfeits),
        }

    def share(self, shares: Deals, held: NDArray[np.bool_]) -> Estimate:
        """Return the share of games won in the seats held."""
        means: Floats = shares.rows[:, held].mean(axis=1)
        if self.repeated:
            return replace(estimate_grouped_share(means[:1]), reason=REPEATED_REASON)
        return estimate_grouped_share(means, games=self.several, counts=shares.counts)

    def seats(self) -> tuple[SeatResult, ...]:
        """Return the results of all seats."""
        found = []
        for seat, name in enumerate(self.game.seats):
            agent = None if self.plan.rotate else self.plan.agents[seat]
            rating = self.ratings[self.players[0, seat]] if agent and self.ratings else None
            held = np.zeros(self.players.shape, dtype=np.bool_)
            held[:, seat] = True
            found.append(SeatResult(seat=name, agent=agent, **self.standing(held, rating)))
        return tuple(found)

    def agents(self) -> tuple[AgentResult, ...]:
        """Return the results of the different agents."""
        found = []
        for player, name in enumerate(self.agent_names):
            seats = self.plan.agents.count(name)
            rating = self.ratings[player] if self.ratings else None
            own = self.standing(self.players == player, rating)
            found.append(AgentResult(agent=name, seats=seats, **own))
        return tuple(found)


def summarise(
    plan: MatchPlan,
    results: Results,
    kept: int | None,
    seconds: float,
    jobs: int,
    resumed: int = 0,
) -> MatchResult:
    """Draw the conclusions from the games played."""
    summary = Summary(plan, results)
    return MatchResult(
        plan=plan,
        version=summary.game.version,
        games=results.games,
        seats=summary.seats(),
        agents=summary.agents() if plan.rotate else (),
        measures=summary.game.measures,
        forfeits=tuple(each for each in results.forfeits if each[0] < results.games),
        kept=kept,
        seconds=seconds,
        jobs=jobs,
        scores=results.scores,
        measured=results.measures,
        resumed=resumed,
        notes=(REPEATED,) if summary.repeated else (),
    )
