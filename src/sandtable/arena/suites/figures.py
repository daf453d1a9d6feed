"""The figures of a suite, each with its interval where one can be trusted.

A *round* is one observation: the deals of one number, against every opponent and in every game that
a figure is about. Rounds share neither boards nor dice, so they are independent, and each has the
same opponents, so that who was met is no part of the scatter. A rating has a deal as its
observation, since what is to be expected against each opponent is allowed for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sandtable.arena.statistics.intervals import (
    LEVEL,
    UNBOUNDED,
    Estimate,
    SupportsReason,
    estimate_mean,
    free_of_luck,
    paired_share_difference,
    simultaneous_level,
    without_interval,
)
from sandtable.arena.statistics.known_opponents import rating_against_known
from sandtable.arena.suites.facts import DealFacts, GameFacts
from sandtable.arena.suites.measuring import Row
from sandtable.arena.suites.suite import Entry, Suite

__all__ = ["AskedFigures", "Figures", "PlayerFigures", "Prices", "figures_of", "named_figures"]

FAIR_SHARE = (0.0, 1.0)
GAMES_OF_A_DEAL = 2  # of a round the deals are independent: what intervals ask for is their size
LEAST_DEALS_FOR_LUCK = 20  # with fewer the weights of its terms cannot be fitted
PER_PRICE = 1_000_000  # tokens that a price is for
NOT_MEASURED = "its opponents are not measured yet"
Round = Sequence[DealFacts]


@dataclass(frozen=True)
class Prices:
    """What a million tokens cost, of prompts and of answers.

    >>> Prices(1.0, 4.0).cost(1_000_000, 500_000)
    3.0
    """

    prompt: float
    answer: float

    def cost(self, prompt_tokens: int, answer_tokens: int) -> float:
        """Return what so many tokens cost."""
        return (self.prompt * prompt_tokens + self.answer * answer_tokens) / PER_PRICE


@dataclass(frozen=True)
class AskedFigures:
    """What a language model was asked; shares are of its answers, all else is for one game."""

    requests: Estimate
    unreadable: Estimate
    illegal: Estimate
    failed: Estimate  # share of questions to which no answer came
    rethinks: Estimate  # for one decision
    prompt_tokens: Estimate
    answer_tokens: Estimate
    cost: Estimate | None  # None: no price was given
    total_requests: int
    total_tokens: int
    guessed: int  # questions whose tokens the endpoint did not count


@dataclass(frozen=True)
class Figures:
    """How a player did in one game of a suite, or in all of them together."""

    deals: int
    games: int
    points: Estimate  # share of the deals that it won
    forfeits: Estimate  # share of the games
    decisions: Estimate  # turns in a game
    asked: AskedFigures | None  # None: it is no model
    reasons: Mapping[str, int]  # of forfeits
    rating: Estimate | None = None  # of one game; in several it would mean nothing
    against: Mapping[str, Estimate] | None = None  # points by opponent
    score: Estimate | None = None
    adjusted: Estimate | None = None  # freed of luck, where the game counts it


@dataclass(frozen=True)
class PlayerFigures:
    """All figures of one player."""

    row: Row
    overall: Figures
    games: Mapping[str, Figures]
    behind: Estimate | None = None  # points behind the first, on the same deals
    sure: bool = False  # the order of the two holds, together with that of all pairs


def figures_of(
    suite: Suite, rows: Sequence[Row], prices: Mapping[str, Prices]
) -> list[PlayerFigures]:
    """Return the figures of all players, the best first; ``prices`` by player."""
    found = []
    for row in rows:
        price = prices.get(row.player)
        games = {entry.name: entry_figures(entry, row, price) for entry in suite.entries}
        overall = common_figures(rounds_of(suite.entries, row), price)
        found.append(PlayerFigures(row, overall, games))
    found.sort(key=lambda each: (-each.overall.points.mean if each.overall.deals else 0.0,
                                 each.row.player))  # fmt: skip
    return [compared(suite, each, found[0], len(found)) for each in found]


def compared(
    suite: Suite, player: PlayerFigures, first: PlayerFigures, players: int
) -> PlayerFigures:
    """Say how far a player is behind the first: on the rounds that both have played."""
    if player is first:
        return player
    pairs = players * (players - 1) // 2
    both = [
        np.array([points(each) for each in rounds_of(suite.entries, one.row)])
        for one in (first, player)
    ]
    count = min(map(len, both))
    level = simultaneous_level(pairs, LEVEL)
    behind = paired_share_difference(both[0][:count], both[1][:count], level, GAMES_OF_A_DEAL)
    sure = behind.tested[0] > 0
    return PlayerFigures(player.row, player.overall, player.games, behind, sure)


def rounds_of(entries: Sequence[Entry], row: Row) -> list[list[DealFacts]]:
    """Return the rounds of a player that are whole: of each opponent in each game one deal."""
    known = {
        (entry.name, deal.opponent, deal.deal): deal
        for entry in entries
        for deal in row.deals.get(entry.name, ())
    }
    found = []
    for number in range(max((entry.deals for entry in entries), default=0)):
        wanted = [(entry.name, opponent, number) for entry in entries
                  for opponent in entry.opponents]  # fmt: skip
        if all(place in known for place in wanted):
            found.append([known[place] for place in wanted])
    return found


def points(deals: Round) -> float:
    """Return the share of a round that was won."""
    return math.fsum(deal.points for deal in deals) / len(deals)


def entry_figures(entry: Entry, row: Row, price: Prices | None) -> Figures:
    """Return the figures of one game."""
    rounds = rounds_of([entry], row)
    deals = sorted(row.deals.get(entry.name, ()), key=lambda each: (each.deal, each.opponent))
    common = common_figures(rounds, price)
    against = {
        opponent: share([deal.points for deal in deals if deal.opponent == opponent])
        for opponent in entry.opponents
    }
    scores = [math.fsum(deal.score for deal in each) / len(each) for each in rounds]
    return Figures(
        deals=common.deals,
        games=common.games,
        points=common.points,
        forfeits=common.forfeits,
        decisions=common.decisions,
        asked=common.asked,
        reasons=common.reasons,
        rating=rating(entry, deals),
        against=against,
        score=estimate(scores),
        adjusted=adjusted(entry, rounds),
    )


def rating(entry: Entry, deals: Round) -> Estimate:
    """Return the rating of a player by its deals against opponents whose ratings are known."""
    known = entry.measured_ratings()
    if not deals or any(deal.opponent not in known for deal in deals):
        return without_interval(math.nan, math.nan, len(deals), NOT_MEASURED)
    return rating_against_known([[(known[deal.opponent], deal.points)] for deal in deals])


def adjusted(entry: Entry, rounds: Sequence[Round]) -> Estimate | None:
    """Return the mean score freed of luck, fitted for each seat of the player on its own.

    None where the game counts no luck; deals against a twin of the player need no correction.
    """
    deals = [deal for each in rounds for deal in each]
    if not deals or not any(deal.games[0].luck for deal in deals):
        return None
    whole = [place for place, deal in enumerate(deals) if len(deal.games) == entry.several]
    values = np.array([deal.score for deal in deals])
    if len(whole) >= LEAST_DEALS_FOR_LUCK:
        freed = np.zeros(len(whole))
        for game in range(entry.several):
            scores = np.array([deals[place].games[game].score for place in whole])
            luck = np.array([deals[place].games[game].luck for place in whole])
            freed += free_of_luck(scores, luck) / entry.several
        values[whole] = freed
    by_round = values.reshape(len(rounds), -1).mean(axis=1)
    return estimate(by_round.tolist())


def common_figures(rounds: Sequence[Round], price: Prices | None) -> Figures:
    """Return what can be told of any number of games together."""
    deals = [deal for each in rounds for deal in each]
    games = [game for deal in deals for game in deal.games]
    reasons: dict[str, int] = {}
    for game in games:
        if game.forfeit:
            reasons[game.forfeit] = reasons.get(game.forfeit, 0) + 1
    return Figures(
        deals=len(deals),
        games=len(games),
        points=share([points(each) for each in rounds]),
        forfeits=ratio(rounds, lambda game: bool(game.forfeit), lambda game: 1, FAIR_SHARE),
        decisions=ratio(rounds, lambda game: game.decisions, lambda game: 1),
        asked=asked_figures(rounds, games, price),
        reasons=dict(sorted(reasons.items())),
    )


def asked_figures(
    rounds: Sequence[Round], games: Sequence[GameFacts], price: Prices | None
) -> AskedFigures | None:
    """Return what a model was asked; None if nobody was."""
    if not any(game.asked.requests for game in games):
        return None

    def of_answers(count: Callable[[GameFacts], int]) -> Estimate:
        return ratio(rounds, count, lambda game: game.asked.requests, FAIR_SHARE)

    def of_a_game(count: Callable[[GameFacts], float]) -> Estimate:
        return ratio(rounds, count, lambda game: 1)

    def cost(game: GameFacts) -> float:
        assert price is not None
        return price.cost(game.asked.prompt_tokens, game.asked.answer_tokens)

    return AskedFigures(
        requests=of_a_game(lambda game: game.asked.requests),
        unreadable=of_answers(lambda game: game.asked.unreadable),
        illegal=of_answers(lambda game: game.asked.illegal),
        failed=of_answers(lambda game: game.asked.failed),
        rethinks=ratio(rounds, lambda game: game.asked.rethinks, lambda game: game.asked.decisions),
        prompt_tokens=of_a_game(lambda game: game.asked.prompt_tokens),
        answer_tokens=of_a_game(lambda game: game.asked.answer_tokens),
        cost=of_a_game(cost) if price else None,
        total_requests=sum(game.asked.requests for game in games),
        total_tokens=sum(game.asked.prompt_tokens + game.asked.answer_tokens for game in games),
        guessed=sum(game.asked.guessed for game in games),
    )


def ratio(
    rounds: Sequence[Round],
    above: Callable[[GameFacts], float],
    below: Callable[[GameFacts], float],
    bounds: tuple[float, float] = UNBOUNDED,
) -> Estimate:
    """Return the mean over rounds of a sum over games, as a share of another sum over games.

    Rounds in which there is nothing to take a share of are left out.
    """
    values = []
    for each in rounds:
        games = [game for deal in each for game in deal.games]
        whole = math.fsum(below(game) for game in games)
        if whole:
            values.append(math.fsum(above(game) for game in games) / whole)
    return estimate(values, bounds)


def share(values: Sequence[float]) -> Estimate:
    """Return the mean of shares of deals or rounds."""
    return estimate(np.round(values, 12).tolist(), FAIR_SHARE)


def estimate(values: Sequence[float], bounds: tuple[float, float] = UNBOUNDED) -> Estimate:
    """Return the mean of what came of rounds, with an interval where it can be trusted."""
    return estimate_mean(np.array(values, dtype=np.float64), LEVEL, bounds, GAMES_OF_A_DEAL)


def named_figures(found: Figures) -> list[tuple[str, SupportsReason | None]]:
    """Return all estimates by name, for whoever writes them or tells why some have no interval."""
    named: list[tuple[str, SupportsReason | None]] = [
        ("points", found.points),
        ("rating", found.rating),
        ("score", found.score),
        ("score without luck", found.adjusted),
        ("forfeits", found.forfeits),
        ("decisions", found.decisions),
    ]
    if found.asked:
        asked = ("requests", "unreadable", "illegal", "failed", "rethinks", "prompt_tokens",
                 "answer_tokens", "cost")  # fmt: skip
        named += [(name.replace("_", " "), getattr(found.asked, name)) for name in asked]
    return named
