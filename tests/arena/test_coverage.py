"""95% intervals cover the truth in 94 to 96% of simulated experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sandtable.arena.statistics.intervals import (
    estimate_grouped_share,
    estimate_mean,
    estimate_share,
    paired_difference,
    paired_share_difference,
)
from sandtable.arena.statistics.ratings import ELO, plackett_luce

EXPERIMENTS = 3000  # chance moves a coverage by 0.4 points


def covered(estimates, truth):
    """Return in which share of the experiments the interval holds the truth."""
    inside = [each.low <= truth <= each.high for each in estimates]
    return sum(inside) / len(inside)


def test_student_covers_means_of_skewed_scores():
    scores = np.random.default_rng(1).gamma(4.0, 0.5, size=(EXPERIMENTS, 100))
    assert 0.94 < covered(map(estimate_mean, scores), 2.0) < 0.96


def test_exact_intervals_cover_shares():
    generator = np.random.default_rng(2)
    for games, share in ((400, 0.5), (1000, 0.13)):
        won = generator.binomial(games, share, size=EXPERIMENTS)
        estimates = (estimate_share(wins / games, games) for wins in won)
        assert 0.94 < covered(estimates, share) < 0.96


def test_the_grouped_interval_covers_shares_of_pairs():
    chances = [0.10, 0.25, 0.30, 0.20, 0.15]
    truth = float(np.arange(5) @ chances) / 4
    pairs = np.random.default_rng(3).choice(5, p=chances, size=(EXPERIMENTS, 200)) / 4
    assert 0.94 < covered(map(estimate_grouped_share, pairs), truth) < 0.96


def test_paired_differences_cover_the_truth_and_are_narrower():
    generator = np.random.default_rng(4)
    dice = generator.normal(0, 2, size=(EXPERIMENTS, 60))
    first = dice + generator.normal(0.3, 1, dice.shape)
    second = dice + generator.normal(0.0, 1, dice.shape)
    found = [paired_difference(*each) for each in zip(first, second, strict=True)]
    assert 0.94 < covered(found, 0.3) < 0.96
    alone = estimate_mean(first[0])
    assert found[0].high - found[0].low < alone.high - alone.low
    with pytest.raises(ValueError, match="pairs"):
        paired_difference(first[0], second[0, 1:])


def test_differences_of_shares_cover_the_truth():
    chances = [0.10, 0.25, 0.30, 0.20, 0.15]
    shares = np.random.default_rng(9).choice(5, p=chances, size=(EXPERIMENTS, 200)) / 4
    found = [paired_share_difference(each, 1 - each) for each in shares]
    truth = float(np.arange(5) @ chances) / 2 - 1
    assert 0.94 < covered(found, truth) < 0.96
    always = paired_share_difference(np.ones(8), np.zeros(8))
    assert always.mean == always.tested[1] == 1 and 0 < always.tested[0] < 0.5 and not always.shown
    assert math.isnan(paired_share_difference(np.ones(3), np.zeros(3)).low)
    with pytest.raises(ValueError, match="pairs"):
        paired_share_difference(np.ones(3), np.zeros(2))


def test_ratings_cover_the_truth():
    """Three players in a round robin of 200 games each."""
    generator = np.random.default_rng(8)
    truth = np.array([120.0, 0.0, -120.0])
    pairs = np.repeat([[0, 1], [0, 2], [1, 2]], 200, axis=0)
    chances = 1 / (1 + np.exp((truth[pairs[:, 1]] - truth[pairs[:, 0]]) / ELO))
    inside = np.zeros(3)
    for _ in range(200):
        won = generator.random(len(pairs)) < chances
        ratings = plackett_luce(pairs, np.stack([won, ~won], axis=1).astype(float), 3)
        inside += [
            each.low <= value <= each.high for each, value in zip(ratings, truth, strict=True)
        ]
    assert (inside / 200 > 0.9).all() and (inside / 200 < 0.99).all()
