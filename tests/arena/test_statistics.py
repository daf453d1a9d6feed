"""Statistics against known numbers, and intervals that cover what they promise to cover."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.arena.statistics.intervals import (
    estimate_grouped_share,
    estimate_mean,
    estimate_share,
    free_of_luck,
    student_quantile,
    win_shares,
)


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (100, 1.984), (10**6, 1.960)],
)
def test_student_quantiles_of_the_printed_tables(freedom, expected):
    assert student_quantile(0.975, freedom) == pytest.approx(expected, abs=0.0011)


def test_mean_of_known_values():
    # Mean 5, variance 32/7, so the margin is 2.365 * sqrt(32/7) / sqrt(8).
    estimate = estimate_mean(np.array([2.0, 4, 4, 4, 5, 5, 7, 9]))
    assert estimate.mean == 5
    assert estimate.deviation == pytest.approx(2.13809)
    assert (estimate.low, estimate.high) == pytest.approx((3.2125, 6.7875), abs=0.001)


def test_one_value_has_no_interval():
    estimate = estimate_mean(np.array([3.0]))
    assert estimate.mean == 3
    assert np.isnan([estimate.deviation, estimate.low, estimate.high]).all()


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    # Newcombe 1998, table I, Wilson's interval without continuity correction.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_of_the_literature(wins, games, low, high):
    estimate = estimate_share(wins / games, games)
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=0.0001)


def test_ties_share_the_win():
    scores = np.array([[1.0, 0, 0], [2, 2, 0], [5, 5, 5]])
    assert win_shares(scores) == pytest.approx(
        np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    )


def test_groups_of_one_game_have_the_interval_of_agresti_and_coull():
    # 81 of 263: the centre is (81 + 1.921) / (263 + 3.841), the margin 1.96 sqrt(p q / 266.84).
    shares = np.array([1.0] * 81 + [0.0] * 182)
    estimate = estimate_grouped_share(shares)
    assert estimate.mean == 81 / 263
    assert (estimate.low, estimate.high) == pytest.approx((0.2552, 0.3663), abs=0.0001)


def test_equal_groups_do_not_make_a_point():
    even = estimate_grouped_share(np.full(100, 0.5))
    assert even.deviation == 0
    assert (even.low, even.high) == pytest.approx((0.5 - 0.0185, 0.5 + 0.0185), abs=0.0001)
    always = estimate_grouped_share(np.ones(50))
    assert 0.91 < always.low < 0.93 and always.high == 1.0
    assert np.isnan(estimate_grouped_share(np.ones(1)).low)


@pytest.mark.parametrize(("share", "together"), [(0.25, 0.0), (0.25, 0.6), (0.5, 0.9), (0.03, 0.2)])
def test_intervals_of_grouped_shares_hold(share, together):
    """Deals of four games of which some are decided alike by the dice."""
    generator = np.random.default_rng(4)
    covered = 0
    for _ in range(2000):
        alike = generator.random((120, 1)) < together
        own, common = generator.random((120, 4)) < share, generator.random((120, 1)) < share
        estimate = estimate_grouped_share(np.where(alike, common, own).mean(axis=1))
        covered += estimate.low <= share <= estimate.high
    assert 0.935 < covered / 2000 < 0.985


def games_with_luck(generator, games):
    """Scores with a true mean of 4: skill noise plus luck whose weights nobody knows."""
    luck = generator.uniform(-1, 1, size=(games, 2)) * generator.integers(0, 5, size=(games, 1))
    scores = 4 + 2.0 * luck[:, 0] - 0.7 * luck[:, 1] + generator.normal(0, 1, games)
    return scores, luck


def test_adjusted_scores_are_unbiased_and_their_intervals_hold():
    generator = np.random.default_rng(1)
    adjusted, covered, narrower = [], 0, 0
    for _ in range(2000):
        scores, luck = games_with_luck(generator, 60)
        raw, free = estimate_mean(scores), estimate_mean(free_of_luck(scores, luck))
        adjusted.append(free.mean)
        covered += free.low <= 4 <= free.high
        narrower += free.high - free.low < raw.high - raw.low
    standard_error = np.std(adjusted) / np.sqrt(len(adjusted))
    assert abs(np.mean(adjusted) - 4) < 4 * standard_error
    assert 0.94 < covered / 2000 < 0.96
    assert narrower > 1990


def test_a_games_own_luck_has_no_part_in_its_weights():
    # One game with absurd luck must not be explained away by weights fitted on itself.
    scores, luck = np.zeros(100), np.zeros((100, 1))
    scores[7], luck[7] = 10.0, 5.0
    free = free_of_luck(scores, luck)
    assert free[7] == 10.0


def test_too_few_games_are_left_as_they_are():
    scores = np.arange(5.0)
    assert free_of_luck(scores, np.ones((5, 1))) is scores
