"""Ratings against closed forms, a plain likelihood, and simulated games of known strengths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sandtable.arena.statistics.ratings import ELO, NOBODY, choices_of, fit, plackett_luce


def games_of(*kinds):
    """Return players and scores of games given as (times, {player: score, ...} or pairs)."""
    players, scores = [], []
    for times, seats in kinds:
        pairs = list(seats.items()) if isinstance(seats, dict) else seats
        players += [[player for player, _ in pairs]] * times
        scores += [[float(score) for _, score in pairs]] * times
    return np.array(players), np.array(scores)


def ratings_of(*kinds, count, **settings):
    return [each.rating for each in plackett_luce(*games_of(*kinds), count, **settings)]


@pytest.mark.parametrize(("won", "lost", "drawn"), [(64, 36, 0), (3, 1, 0), (1, 0, 7), (50, 50, 9)])
def test_two_players_have_the_rating_of_their_share(won, lost, drawn):
    kinds = (won, {0: 1, 1: 0}), (lost, {0: 0, 1: 1}), (drawn, {0: 0.5, 1: 0.5})
    share = (won + drawn / 2) / (won + lost + drawn)
    one, other = ratings_of(*kinds, count=2, prior=0)
    assert one - other == pytest.approx(400 * math.log10(share / (1 - share)))
    assert one + other == pytest.approx(0)


def test_two_players_have_the_interval_of_a_share():
    # The delta method on log odds: its variance is 1 / (n p (1 - p)).
    players, scores = games_of((6400, {0: 1, 1: 0}), (3600, {0: 0, 1: 1}))
    one, _ = plackett_luce(players, scores, 2, prior=0)
    margin = 1.96 * ELO / math.sqrt(10_000 * 0.64 * 0.36) / 2  # half: of the mean of both
    assert (one.high - one.low) / 2 == pytest.approx(margin, rel=0.002)
    assert one.rating - one.low == pytest.approx(margin, rel=0.002)
    assert one.games == 10_000


def test_where_the_winner_takes_all_strengths_are_shares_of_wins():
    wins = (40, 30, 20, 10)
    kinds = [
        (times, {player: float(player == winner) for player in range(4)})
        for winner, times in enumerate(wins)
    ]
    strengths = np.exp(np.array(ratings_of(*kinds, count=4, prior=0)) / ELO)
    assert strengths / strengths.sum() == pytest.approx(np.array(wins) / 100)


def test_a_shared_win_is_shared():
    kinds = (30, {0: 1, 1: 0, 2: 0}), (20, {0: 0, 1: 0.5, 2: 0.5}), (6, {0: 1, 1: 1, 2: 1})
    strengths = np.exp(np.array(ratings_of(*kinds, count=3, prior=0)) / ELO)
    assert strengths / strengths.sum() == pytest.approx(np.array([32, 12, 12]) / 56)


def test_the_same_player_in_several_seats():
    # One against three of another: the share p of the one means a strength of 3 p / (1 - p).
    one_wins = [(0, 1), (1, 0), (1, 0), (1, 0)]
    another_wins = [(0, 0), (1, 0), (1, 1), (1, 0)]
    one, other = ratings_of((52, one_wins), (48, another_wins), count=2, prior=0)
    assert one - other == pytest.approx(400 * math.log10(3 * 0.52 / 0.48))


def test_whole_orders_as_often_as_the_model_says():
    # Strengths 3, 2, 1: the six orders are expected 20, 10, 15, 5, 6 and 4 times in 60 games.
    times = (20, 10, 15, 5, 6, 4)
    kinds = [
        (often, {player: -place for place, player in enumerate(order)})
        for often, order in zip(times, itertools.permutations(range(3)), strict=True)
    ]
    strengths = np.exp(np.array(ratings_of(*kinds, count=3, prior=0)) / ELO)
    assert strengths / strengths.sum() == pytest.approx(np.array([3, 2, 1]) / 6)


def plain_log_likelihood(logs, players, scores, prior):
    """The definition in plain Python, game by game."""
    total = sum(prior * (log / 2 - math.log(1 + math.exp(log))) for log in logs)
    for row, marks in zip(players, scores, strict=True):
        left = [(mark, player) for mark, player in zip(marks, row, strict=True) if player >= 0]
        first = True
        while len(left) > 1:
            best = max(mark for mark, _ in left)
            tied = [player for mark, player in left if mark == best]
            if len(tied) == len(left) and not first:
                break
            total += sum(logs[player] for player in tied) / len(tied)
            total -= math.log(sum(math.exp(logs[player]) for _, player in left))
            left = [(mark, player) for mark, player in left if mark != best]
            first = False
    return total


def test_the_fit_is_the_top_of_the_plain_likelihood():
    generator = np.random.default_rng(3)
    players = generator.integers(0, 5, size=(80, 4))
    players[generator.random(players.shape) < 0.2] = NOBODY
    scores = generator.integers(0, 3, size=(80, 4)).astype(float)
    logs = fit(choices_of(players, scores, 5), prior=0.0)
    top = plain_log_likelihood(logs, players, scores, 0.0)
    for player, step in itertools.product(range(5), (-1e-3, 1e-3)):
        beside = logs.copy()
        beside[player] += step
        assert plain_log_likelihood(beside, players, scores, 0.0) < top


def test_who_always_wins_has_a_finite_rating_by_the_prior():
    players, scores = games_of((1000, {0: 1, 1: 0}))
    with pytest.raises(ValueError, match="prior"):
        plackett_luce(players, scores, 2, prior=0)
    one, other = plackett_luce(players, scores, 2)
    # About what half a win for the loser would give; how far they are apart nothing can tell.
    assert one.rating - other.rating == pytest.approx(400 * math.log10(2000), abs=10)
    assert math.isnan(one.low) and one.reason == other.reason == "all results are alike"


@pytest.mark.parametrize("times", [1, 100, 200_000])
def test_the_fit_converges_however_one_sided(times):
    players, scores = games_of((times, [(0, 1), (1, 0), (2, 0)]))
    one, two, three = plackett_luce(players, scores, 3)
    assert one.rating > 0 > two.rating == pytest.approx(three.rating)


def test_without_a_prior_two_worlds_have_no_ratings():
    # Everybody has won and lost, but the first two only against each other.
    kinds = (5, {0: 1, 2: 0}), (5, {0: 1, 1: 0}), (5, {1: 1, 0: 0}), (5, {2: 1, 3: 0})
    with pytest.raises(ValueError, match="prior"):
        ratings_of(*kinds, (5, {3: 1, 2: 0}), count=4, prior=0)


def test_one_game_has_no_interval():
    players, scores = games_of((1, {0: 1, 1: 0}))
    assert math.isnan(plackett_luce(players, scores, 2)[0].low)
    players, scores = games_of((4, {0: 1, 1: 0}))
    grouped = plackett_luce(players, scores, 2, groups=np.zeros(4, dtype=np.int64))
    assert math.isnan(grouped[0].high)
    with pytest.raises(ValueError, match="one game"):
        plackett_luce(players[:0], scores[:0], 2)


def coverage(simulate, truth, experiments, generator, **settings):
    """Return how often the intervals cover the truth, by player, and the mean of the ratings."""
    true_ratings = ELO * (np.log(truth) - np.log(truth).mean())
    covered, total = np.zeros(len(truth)), np.zeros(len(truth))
    for _ in range(experiments):
        ratings = plackett_luce(*simulate(generator), len(truth), **settings)
        covered += [
            each.low <= true <= each.high for each, true in zip(ratings, true_ratings, strict=True)
        ]
        total += [each.rating for each in ratings]
    return covered / experiments, total / experiments - true_ratings


STRENGTHS = np.array([0.4, 0.3, 0.2, 0.1])


def whole_orders(generator):
    """150 games of four whose finishing orders follow the model."""
    times = generator.exponential(size=(150, 4)) / STRENGTHS  # the first to be done is first
    return np.tile(np.arange(4), (150, 1)), -times


def winners_only(generator):
    """200 games of one player against three of another."""
    winners = generator.choice(4, 200, p=[0.5, 1 / 6, 1 / 6, 1 / 6])
    return np.tile([0, 1, 1, 1], (200, 1)), (winners[:, None] == np.arange(4)).astype(float)


@pytest.mark.parametrize(
    ("simulate", "truth"),
    [(whole_orders, STRENGTHS), (winners_only, np.array([3.0, 1.0]))],
)
def test_known_strengths_are_found_again(simulate, truth):
    covered, bias = coverage(simulate, truth, 600, np.random.default_rng(5))
    assert (covered > 0.92).all() and (covered < 0.975).all()  # 600 times: 0.95 +- 0.018
    assert (np.abs(bias) < 4).all()


def test_games_of_one_deal_count_as_one():
    """Deals of two games that the dice decide together: only grouped intervals are right."""
    groups = np.arange(200) // 2

    def simulate(generator):
        first_wins = np.repeat(generator.random(100) < 0.6, 2)
        return np.tile([0, 1], (200, 1)), np.stack([first_wins, ~first_wins], axis=1).astype(float)

    truth = np.array([0.6, 0.4])
    together, _ = coverage(simulate, truth, 600, np.random.default_rng(6), groups=groups)
    apart, _ = coverage(simulate, truth, 600, np.random.default_rng(6))
    assert (together > 0.92).all() and (together < 0.975).all()
    assert (apart < 0.9).all()


def test_intervals_are_those_of_the_bootstrap():
    generator = np.random.default_rng(7)
    players, scores = whole_orders(generator)
    ratings = plackett_luce(players, scores, 4, prior=0)
    drawn = []
    for _ in range(400):
        rows = generator.integers(0, len(players), len(players))
        drawn.append(fit(choices_of(players[rows], scores[rows], 4), prior=0.0))
    expected = 1.96 * ELO * np.std(drawn, axis=0)
    margins = np.array([each.high - each.rating for each in ratings])
    assert margins == pytest.approx(expected, rel=0.12)
