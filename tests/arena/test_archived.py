"""Ratings from records of games, whoever played them."""

from __future__ import annotations

import pytest

from sandtable.arena.statistics.archived_ratings import collect, rate
from sandtable.records.record import Record
from sandtable.types import Outcome

pytestmark = pytest.mark.usefixtures("with_race")


def record(number, seats, scores, game="race:seats=2", **more):
    outcome = Outcome(scores, "the race is run", **more) if scores else None
    return Record(
        game=game, version=1, seats=seats, seed=0, number=number, actions=(), outcome=outcome,
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
