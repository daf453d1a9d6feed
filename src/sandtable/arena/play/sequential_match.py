"""One agent against another, deal by deal in order: what a sequential test looks at.

Either they meet, in both seats of every deal (in a game of four each holds every other seat); or,
where that cannot be because both play the same seat, each meets the same opponent on the same
deals, and who scores more there has won.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.behaviour import throws_dice
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.arena.statistics.intervals import win_shares
from sandtable.arena.tournaments.schedules import (
    GAUNTLET,
    ROUND_ROBIN,
    Tournament,
    check_somewhere,
    groups,
    match_of,
    no_people,
)
from sandtable.arena.tournaments.waiting import WaitingGames
from sandtable.dice import suite_seed
from sandtable.errors import SandtableError, WrongSeats
from sandtable.registry import make_game
from sandtable.specs import parse_spec
from sandtable.types import Game

__all__ = ["SequentialMatch", "Tally", "make_sequential_match"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SequentialMatch:
    """Who is compared with whom, over which games; deals go round over the suite."""

    first: str
    second: str
    against: str | None  # the opponent of both, if they do not meet
    suite: tuple[str, ...]
    plans: tuple[MatchPlan, ...]  # one for each game of the suite, or two: of the first, the second

    @property
    def games(self) -> int:
        """How many games there are at most."""
        return sum(plan.games for plan in self.plans)

    @property
    def games_of_a_deal(self) -> int:
        """How many games must be played for one more observation."""
        several = 2 if self.against else 1
        return sum(len(plan.orders) for plan in self.plans[:several])


class Tally:
    """The results of a match as they come in; they are told once, in their order, and let go."""

    def __init__(self, match: SequentialMatch) -> None:
        self.match = match
        self.each = 2 if match.against else 1  # plans for each game of the suite
        self.parts = [WaitingGames(len(plan.orders)) for plan in match.plans]
        self.seats = [
            seats_of(plan, (match.first, match.second)[number % self.each])
            for number, plan in enumerate(match.plans)
        ]
        self.told = 0  # results
        self.forfeits = 0  # games
        self.first_reason = ""  # why the first of them was forfeited

    def add(self, plan: int, chunk: Chunk) -> None:
        """Take in some games."""
        if chunk.forfeits:
            self.first_reason = self.first_reason or chunk.forfeits[0][2]
            self.forfeits += len(chunk.forfeits)
        self.parts[plan].add(replace(chunk, records=[], forfeits=[]))

    @property
    def games_of_a_result(self) -> int:
        """How many games make one result; both agents' games on a deal are one."""
        return len(self.match.plans[0].orders)

    def results(self) -> Floats:
        """Return the results [deal, game] of the first agent that have not been told yet.

        Deals go round over the suite, up to the first one that lacks.
        """
        count = len(self.parts) // self.each
        there = [
            min(part.deals for part in self.parts[place * self.each : (place + 1) * self.each])
            for place in range(count)
        ]
        end = min(deals * count + place for place, deals in enumerate(there))
        told = np.zeros((end - self.told, self.games_of_a_result))
        for place in range(count):
            parts = range(place * self.each, (place + 1) * self.each)
            first, last = self.parts[parts[0]].taken, -(-(end - place) // count)
            if last <= first:
                continue
            rows = np.arange(first, last) * count + place - self.told
            told[rows] = self.compared(parts, first, last)
            for part in parts:
                self.parts[part].let_go(last)
        self.told = end
        return told

    def compared(self, parts: Sequence[int], first: int, end: int) -> Floats:
        """Return how the first agent did on some deals of one game of the suite.

        Either against the second, or which of the two scored more against the same opponent.
        """
        played = [self.parts[part].waiting(first, end)[0] for part in parts]
        if self.match.against is None:
            scores, own = played[0], self.seats[parts[0]]
            shares = win_shares(scores.reshape(-1, scores.shape[2])).reshape(scores.shape)
            totals = [(shares * own).sum(axis=2), (shares * ~own).sum(axis=2)]
        else:
            totals = [
                (scores * self.seats[part]).sum(axis=2)
                for part, scores in zip(parts, played, strict=True)
            ]
        results: Floats = (1 + np.sign(totals[0] - totals[1])) / 2
        return results


def seats_of(plan: MatchPlan, agent: str) -> NDArray[np.bool_]:
    """Return which seats an agent holds [rotation, seat]."""
    orders = range(len(plan.orders))
    return np.array([[each == agent for each in plan.seated(order)] for order in orders])


def make_sequential_match(
    suite: Sequence[str],
    agents: tuple[str, str],
    against: str | None,
    most: int,
    seed: int,
    move_time: float | None = None,
) -> SequentialMatch:
    """Check names and seats, and return a match of at most so many games."""
    first, second = (str(parse_spec(agent)) for agent in agents)
    opponent = str(parse_spec(against)) if against else None
    if len({first, second, opponent}) < 3:
        raise SandtableError("a match is between two different agents, and not with one of them")
    no_people([first, second, *([opponent] if opponent else [])])
    games = [make_game(spec) for spec in dict.fromkeys(suite)]
    named = [agent for agent in (first, second, opponent) if agent]
    for agent in named:
        check_somewhere(agent, [game.spec for game in games])
    seeds = [suite_seed(seed, game.spec) if len(games) > 1 else seed for game in games]
    plans = [
        plan
        for game, own in zip(games, seeds, strict=True)
        for plan in plans_of(game, first, second, opponent, own, move_time)
    ]
    several = 2 if opponent else 1
    games_per_deal = sum(len(plan.orders) for plan in plans[:several])
    deals = max(1, math.ceil(most / games_per_deal / len(games)))
    alone = len(games) == 1 and any(throws_dice(games[0].spec, agent) for agent in named)
    if not games[0].chance and not alone:
        deals = 1  # the same level again tells nothing new
    made = tuple(with_deals(plan, deals) for plan in plans)
    return SequentialMatch(first, second, opponent, tuple(game.spec for game in games), made)


def plans_of(
    game: Game, first: str, second: str, opponent: str | None, seed: int, move_time: float | None
) -> list[MatchPlan]:
    """Return one match of both agents, or a match of each with the same opponent."""
    template = Tournament(ROUND_ROBIN, (game.spec,), (first, second), 1, seed, move_time=move_time)
    seats = len(game.seats)
    if opponent:
        tables = [groups(GAUNTLET, (agent, opponent), seats)[0] for agent in (first, second)]
    elif not game.has_winner:
        raise SandtableError(
            f"{game.name} has scores and no winners: name an opponent of both with --against"
        )
    else:
        tables = groups(ROUND_ROBIN, (first, second), seats)
        if len(tables) > 1:
            raise WrongSeats(
                f"two agents cannot share the {seats} seats of {game.name} evenly; name an "
                "opponent of both with --against"
            )
    plans = [match_of(game, table, template) for table in tables]
    found = [plan for plan in plans if plan]
    if len(found) < len(tables) or (not opponent and not found[0].rotate):
        raise WrongSeats(
            f"{first} and {second} cannot meet in both seats of {game.name}: name an opponent "
            "of both with --against"
        )
    held = [seats_of(plan, agent) for plan, agent in zip(found, (first, second), strict=False)]
    if opponent and not np.array_equal(held[0], held[1]):
        raise WrongSeats(f"{first} and {second} do not take the same seats of {game.name}")
    return found


def with_deals(plan: MatchPlan, deals: int) -> MatchPlan:
    """Return a plan of so many deals."""
    return replace(plan, games=deals * len(plan.orders))
