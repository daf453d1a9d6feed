"""Alpha-rank and ratings from cross tables, against what can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sandtable.arena.statistics.alpha_rank import alpha_rank, cycles
from sandtable.arena.statistics.bradley_terry import bradley_terry
from sandtable.arena.statistics.ratings import plackett_luce


def table(*wins, agents):
    """Return shares in which each (winner, loser) wins 60%, and all others are even."""
    shares = np.full((agents, agents), 0.5)
    for winner, loser in wins:
        shares[winner, loser], shares[loser, winner] = 0.6, 0.4
    return shares


def test_a_cycle_shares_the_mass():
    mass = alpha_rank(table((0, 1), (1, 2), (2, 0), agents=3))
    assert mass == pytest.approx([1 / 3] * 3)


def test_who_beats_all_has_it_all():
    shares = table((0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 1), agents=4)
    assert alpha_rank(shares)[0] > 0.99


def test_a_cycle_takes_all_from_those_it_beats():
    shares = table((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3), agents=4)
    mass = alpha_rank(shares)
    assert mass[:3] == pytest.approx([1 / 3] * 3, abs=0.01)
    assert mass[3] < 0.01


def test_two_agents_have_the_chances_of_their_walk():
    # From the worse to the better in a step with chance 1 - slip, back with chance slip.
    mass = alpha_rank(table((0, 1), agents=2), slip=0.1)
    assert mass == pytest.approx([0.9, 0.1])
    assert alpha_rank(table(agents=2)) == pytest.approx([0.5, 0.5])
    unknown = np.full((2, 2), math.nan)
    assert alpha_rank(unknown) == pytest.approx([0.5, 0.5])
    assert alpha_rank(np.ones((1, 1))) == pytest.approx([1.0])


def test_cycles_are_found():
    beats = np.zeros((6, 6), dtype=bool)
    for winner, loser in [(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 5)]:
        beats[winner, loser] = True
    assert cycles(beats) == [[0, 1, 2]]
    beats[5, 3] = True
    assert cycles(beats) == [[0, 1, 2], [3, 4, 5]]
    assert cycles(np.zeros((3, 3), dtype=bool)) == []


def test_two_players_of_a_cross_table():
    # Without a prior: 30 of 40 is a lead of 400 log10(3), give or take 1.96 * 400 / ln 10 /
    # sqrt(40 * 3/4 * 1/4).
    one, other = bradley_terry(np.array([[0.0, 30.0], [10.0, 0.0]]), prior=0.0)
    lead = 400 * math.log10(3)
    assert one.rating - other.rating == pytest.approx(lead)
    margin = 1.96 * 400 / math.log(10) / math.sqrt(7.5)
    assert one.high - one.low == pytest.approx(margin, rel=0.03)  # half of both ends of the lead
    assert one.games == other.games == 40


def test_a_cross_table_gives_the_ratings_of_its_games():
    points = np.array([[0, 7, 12.5], [3, 0, 6], [1.5, 4, 0]])
    players, scores = [], []
    for winner in range(3):
        for loser in range(3):
            half = points[winner, loser] % 1
            players += [[winner, loser]] * int(points[winner, loser])
            scores += [[1.0, 0.0]] * int(points[winner, loser])
            if half and winner < loser:
                players.append([winner, loser])
                scores.append([0.5, 0.5])
    games = plackett_luce(np.array(players), np.array(scores), 3)
    for ours, theirs in zip(bradley_terry(points), games, strict=True):
        assert ours.rating == pytest.approx(theirs.rating, abs=1e-4)
        assert ours.games == theirs.games


@pytest.mark.parametrize(
    "points", [np.zeros((2, 2)), np.ones((2, 3)), -np.ones((2, 2)), np.ones((2, 2))]
)
def test_nonsense_is_refused(points):
    with pytest.raises(ValueError, match=r"table|game"):
        bradley_terry(points)
