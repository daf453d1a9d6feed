"""Ratings from records of games, whoever played them."""

from __future__ import annotations

import pytest

from sandtable.arena.statistics.archived_ratings import collect, rate
from sandtable.records.record import Record
from sandtable.types import Outcome

pytestmark = pytest.mark.usefixtures("with_race")


def record(number, seats, scores, game="race:seats=2", actions=(), **more):
    outcome = Outcome(scores, "the race is run", **more) if scores else None
    return Record(
        game=game, version=1, seats=seats, seed=0, number=number, actions=actions, outcome=outcome,
        final="",
    )  # fmt: skip


def test_games_of_two_are_rated_by_their_shares():
    games = [record(number, ("a", "b"), (1.0, 0.0)) for number in range(30)]
    games += [record(number, ("b", "a"), (1.0, 0.0)) for number in range(10)]
    games.append(record(99, ("a", "b"), None))  # broken off
    rated = rate("race", collect(games)["race"])
    assert (rated.games, rated.observations) == (40, 30)  # ten deals were played both ways
    assert [each.agent for each in rated.agents] == ["a", "b"]
    assert rated.agents[0].rating.rating > 60
    assert rated.parts == (("a", "b"),)


def test_parts_without_games_between_them_are_told():
    games = [
        record(0, ("a", "b"), (1.0, 0.0)),
        record(1, ("c", "d"), (0.0, 1.0), forfeited_by=0),
        record(2, ("b", "e"), (0.5, 0.5)),
        record(3, ("a", "e", "b", "a"), (0.0, 1.0, 0.0, 0.0), game="race"),
    ]
    rated = rate("race", collect(games)["race"])
    assert rated.parts == (("a", "b", "e"), ("c", "d"))
    assert rated.forfeits == 1


def test_games_of_scores_are_not_rated():
    games = [record(0, ("lucid/simple-blue", "random"), (3.0, -3.0), game="lucid")]
    assert rate("lucid", collect(games)["lucid"]) is None
    alone = [record(0, ("a", "a"), (1.0, 0.0))]
    assert rate("race", collect(alone)["race"]) is None


def test_games_without_dice_that_went_the_same_are_one_whatever_else_was_played():
    level = "skirmish:level=1"
    games = [record(n, ("a", "b"), (1.0, 0.0), level, actions=(1, 2)) for n in range(100)]
    games += [record(n, ("b", "a"), (1.0, 0.0), level, actions=(3, 4)) for n in range(100)]
    copies = rate("skirmish", collect(games)["skirmish"])
    assert (copies.games, copies.observations) == (200, 1)
    games += [record(200 + n, ("a", "c"), (1.0, 0.0), level, actions=(n,)) for n in range(6)]
    more = rate("skirmish", collect(games)["skirmish"])
    assert (more.games, more.observations) == (206, 7)  # always won, but never the same way
    assert not next(each for each in more.agents if each.agent == "b").wins.shown
    shares = {each.agent: each.wins.mean for each in more.agents}
    assert shares["a"] == pytest.approx(106 / 206)  # of games, not of observations


def test_games_of_agents_with_dice_of_their_own_are_independent_though_most_go_the_same():
    level = "skirmish:level=1"
    games = [record(n, ("a", "b"), (1.0, 0.0), level, actions=(1, 2)) for n in range(70)]
    games += [record(n, ("a", "b"), (0.0, 1.0), level, actions=(n,)) for n in range(70, 100)]
    rated = rate("skirmish", collect(games)["skirmish"])
    assert rated.observations == 100
    best = rated.agents[0]
    assert (best.agent, best.wins.mean) == ("a", pytest.approx(0.7))
    assert best.wins.low < 0.7 < best.wins.high
