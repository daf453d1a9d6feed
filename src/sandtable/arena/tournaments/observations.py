"""What is told of whole deals of a tournament, deal by deal: the values that statistics count.

A *stretch* is some deals on one game of the suite that the same matches have played. Each figure of
a tournament is a mean over deals of a value of the deal; here these values are made of the scores,
added up in the order in which ``Ledger`` adds them, so that both give the same numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.plan import MatchPlan
from sandtable.arena.statistics.intervals import win_shares
from sandtable.arena.statistics.ratings import places

__all__ = ["Name", "Placings", "Sitting", "Stretch", "observed", "sittings_of"]

Name = tuple[str, int, int]  # of a figure: its kind, one agent, and the other one or 0

Floats = NDArray[np.float64]
Result = Callable[[Floats, list[int], list[int]], Floats]  # scores [deal, seat], own seats, theirs


@dataclass(frozen=True)
class Sitting:
    """One game of a deal: which agents, by number, sit where."""

    match: int
    rotation: int
    players: tuple[int, ...]

    def seats(self, agent: int) -> list[int]:
        """Return the seats of an agent."""
        return [seat for seat, player in enumerate(self.players) if player == agent]


def sittings_of(match: int, plan: MatchPlan, agents: Sequence[str]) -> list[Sitting]:
    """Return the games of a deal of a match.

    >>> from sandtable.arena.play.plan import make_plan
    >>> agents = ("random", "skirmish/greedy")
    >>> plan = make_plan("skirmish", list(agents), games=2, seed=0, rotate=True)
    >>> [each.players for each in sittings_of(0, plan, agents)]
    [(0, 1), (1, 0)]
    """
    orders = range(len(plan.orders))
    return [
        Sitting(match, order, tuple(agents.index(each) for each in plan.seated(order)))
        for order in orders
    ]


@dataclass(frozen=True)
class Stretch:
    """Consecutive deals, each played in the same games: scores [deal, game, seat]."""

    first: int  # number of the first deal
    games: tuple[Sitting, ...]  # match by match
    scores: Floats
    luck: Floats  # [deal, game, term]

    @property
    def agents(self) -> list[int]:
        """Who plays in it, by number."""
        return sorted({player for game in self.games for player in game.players})


def observed(stretch: Stretch, winners: bool, luck: bool) -> Iterator[tuple[Name, Floats]]:
    """Return the values [deal] of all figures of a stretch but ratings and scores without luck.

    >>> scores = np.array([[[1.0, 0.0]], [[0.5, 0.5]]])
    >>> stretch = Stretch(0, (Sitting(0, 0, (0, 1)),), scores, np.zeros((2, 1, 0)))
    >>> {name: values.tolist() for name, values in observed(stretch, True, False)}["lead", 0, 1]
    [1.0, 0.0]
    """
    scores = stretch.scores
    for agent in stretch.agents:
        yield ("score", agent, 0), held_mean(stretch, scores, agent)
    if not winners and luck:
        return  # all else is told from sums
    values = scores
    if winners:
        values = win_shares(scores.reshape(-1, scores.shape[2])).reshape(scores.shape)
    means = {agent: held_mean(stretch, values, agent) for agent in stretch.agents}
    if winners:
        for agent, each in means.items():
            yield ("share", agent, 0), each
    for one, other in itertools.combinations(stretch.agents, 2):
        yield ("lead", one, other), means[one] - means[other]
        if winners:
            found = meeting(stretch, one, other, ahead)
            if found is not None:
                yield ("meeting", one, other), found
            continue
        for first, second in ((one, other), (other, one)):
            found = meeting(stretch, first, second, own_score)
            if found is not None:
                yield ("meeting", first, second), found


def held_mean(stretch: Stretch, values: Floats, agent: int) -> Floats:
    """Return the mean of the values [deal, game, seat] of an agent in each deal."""
    total, count = np.zeros(len(values)), 0
    for number, game in enumerate(stretch.games):
        for seat in game.seats(agent):
            total = total + values[:, number, seat]
            count += 1
    means: Floats = total / count
    return means


def meeting(stretch: Stretch, one: int, other: int, result: Result) -> Floats | None:
    """Return the mean of a result in the games of each deal in which two agents met, if any."""
    total, count = np.zeros(len(stretch.scores)), 0
    for number, game in enumerate(stretch.games):
        own, theirs = game.seats(one), game.seats(other)
        if own and theirs:
            total = total + result(stretch.scores[:, number], own, theirs)
            count += 1
    means: Floats = total / max(count, 1)
    return means if count else None


def ahead(scores: Floats, own: list[int], theirs: list[int]) -> Floats:
    """Return the share of the pairs of seats in which an agent came in before another [deal]."""
    pairs = list(itertools.product(own, theirs))
    results = [(1 + np.sign(scores[:, one] - scores[:, other])) / 2 for one, other in pairs]
    shares: Floats = sum(results, np.zeros(len(scores))) / len(pairs)
    return shares


def own_score(scores: Floats, own: list[int], theirs: list[int]) -> Floats:
    """Return the mean score of an agent's own seats [deal], whoever has the others."""
    means: Floats = sum((scores[:, seat] for seat in own), np.zeros(len(scores))) / len(own)
    return means


class Placings:
    """The places that each agent took in its games, and those whom it could have lost them to.

    Who could have taken a place besides is different from game to game where there are three seats
    or more; each such list of rivals has a number. With two seats a deal has always the same ones.
    """

    def __init__(self, agents: int) -> None:
        self.agents = agents
        self.rivals: list[list[Floats]] = []  # by number: for every place the seats [player] in it
        self.numbers: dict[tuple[tuple[float, ...], ...], int] = {}
        self.games: dict[tuple[tuple[int, ...], int], dict[int, tuple[float, int]]] = {}

    def rows(self, stretch: Stretch) -> Iterator[tuple[int, Floats]]:
        """Return for every agent its rows [deal]: places won, and the numbers of the rivals."""
        won: dict[int, Floats] = {}
        numbers: dict[int, list[Floats]] = {}
        for number, game in enumerate(stretch.games):
            for agent, (places_won, rivals) in self.placed(game, stretch.scores[:, number]).items():
                won[agent] = won.get(agent, 0.0) + places_won
                numbers.setdefault(agent, []).append(rivals)
        for agent, columns in numbers.items():
            yield agent, np.stack([won[agent], *columns], axis=1)

    def placed(self, game: Sitting, scores: Floats) -> dict[int, tuple[Floats, Floats]]:
        """Return by agent the places won [deal] and the rivals [deal] in one game of a deal."""
        seats = scores.shape[1]
        ranks = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)  # [deal, seat], 0: first
        codes = ranks @ seats ** np.arange(seats)
        known, kinds = np.unique(codes, return_inverse=True)
        found = [self.kind(game.players, int(code), seats) for code in known]
        return {
            agent: (
                np.array([each[agent][0] for each in found])[kinds],
                np.array([each[agent][1] for each in found], dtype=np.float64)[kinds],
            )
            for agent in set(game.players)
        }

    def kind(self, players: tuple[int, ...], code: int, seats: int) -> dict[int, tuple[float, int]]:
        """Return by agent the places won and the number of the rivals in one kind of game."""
        if (players, code) not in self.games:
            ranks = np.array([code // seats**seat % seats for seat in range(seats)])
            found = places(np.array(players), ranks, self.agents)
            told = {}
            for agent in set(players):
                own = [(won, among) for won, among in found if among[agent] > 0]
                key = tuple(tuple(among.tolist()) for _, among in own)
                if key not in self.numbers:
                    self.numbers[key] = len(self.rivals)
                    self.rivals.append([among for _, among in own])
                told[agent] = sum(float(won[agent]) for won, _ in own), self.numbers[key]
            self.games[players, code] = told
        return self.games[players, code]

    def expected(self, agent: int, logs: Floats) -> tuple[Floats, Floats]:
        """Return for every list of rivals the places an agent can expect, and their number."""
        strengths = np.exp(logs)
        expected, met = np.zeros(len(self.rivals)), np.zeros(len(self.rivals))
        for number, rivals in enumerate(self.rivals):
            for among in rivals:
                strength = among * strengths
                expected[number] += strength[agent] / strength.sum()
                met[number] += 1
        return expected, met
