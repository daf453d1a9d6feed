"""Statistics against known numbers, and intervals that cover what they promise to cover."""

from __future__ import annotations

import math

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
    # 1 to 21 have variance 38.5, so the margin is 2.086 * sqrt(38.5) / sqrt(21).
    estimate = estimate_mean(np.arange(1.0, 22.0))
    assert estimate.mean == 11
    assert estimate.deviation == pytest.approx(6.20484, abs=0.0001)
    assert (estimate.low, estimate.high) == pytest.approx((8.1756, 13.8244), abs=0.001)


def test_skewed_values_have_halls_interval():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(6).gamma(1.0, size=40)
    lean = stats.skew(values, bias=False) / math.sqrt(40)
    error, quantile = stats.sem(values), stats.t.ppf(0.975, 39)
    found = estimate_mean(values)
    for end, limit in ((found.low, quantile), (found.high, -quantile)):
        away = (values.mean() - end) / error
        cubic = away + lean * away**2 / 3 + lean**2 * away**3 / 27 + lean / 6
        assert cubic == pytest.approx(limit)
    assert found.high - found.mean > found.mean - found.low


def test_one_value_has_no_interval():
    estimate = estimate_mean(np.array([3.0]))
    assert estimate.mean == 3
    assert np.isnan([estimate.deviation, estimate.low, estimate.high]).all()


@pytest.mark.parametrize(("wins", "games"), [(81, 263), (15, 148), (0, 20), (1, 29), (50, 50)])
def test_shares_have_the_interval_of_the_exact_test_with_mid_p(wins, games):
    binomial = pytest.importorskip("scipy.stats").binom
    low, high = estimate_share(wins / games, games).limits
    for end, sign in ((low, -1), (high, 1)):
        if 0 < end < 1:
            tail = binomial.cdf(wins, games, end) - binomial.pmf(wins, games, end) / 2
            assert (tail if sign > 0 else 1 - tail) == pytest.approx(0.025, abs=1e-9)
    assert (low == 0) == (wins == 0) and (high == 1) == (wins == games)


@pytest.mark.parametrize(("wins", "games"), [(7, 50), (5, 20), (12, 1000), (60, 200), (130, 148)])
def test_shares_that_are_shown_have_the_test_given_that_they_are(wins, games):
    binomial = pytest.importorskip("scipy.stats").binom
    estimate = estimate_share(wins / games, games)
    rarer = min(wins, games - wins)
    low, high = estimate.low, estimate.high
    low, high = (low, high) if rarer == wins else (1 - high, 1 - low)

    def tail(share, came):
        told = binomial.sf(4, games, share)  # five or more of the rarer kind
        return (binomial.sf(came, games, share) + binomial.pmf(came, games, share) / 2) / told

    assert tail(high, rarer) == pytest.approx(0.975, abs=1e-9)
    if rarer == 5:  # told or not, five would hardly ever come
        assert binomial.sf(4, games, low) == pytest.approx(0.0005, abs=1e-9)
    elif 1 - tail(low, 5) > 0.025:  # not even five would be too few: all errors are on one side
        assert tail(low, rarer) == pytest.approx(0.05, abs=1e-9)
    else:
        assert 0.025 - 1e-9 <= tail(low, rarer) <= 0.05 + 1e-9


def test_limits_of_few_events_are_those_of_clopper_and_pearson():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for won, games in ((50, 50), (49, 50), (0, 20), (3, 200)):
        found = estimate_mean(np.repeat([1.0, 0.0], [won, games - won]), bounds=(0, 1))
        assert not found.shown
        expected = proportion.proportion_confint(won, games, method="beta")
        assert found.tested == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("freedom", [1, 2, 3.5, 7, 30, 1000, 1e6, 1e9])
def test_student_quantiles_are_those_of_scipy(freedom):
    student = pytest.importorskip("scipy.stats").t
    for chance in (0.9, 0.975, 0.999, 0.1):
        assert student_quantile(chance, freedom) == pytest.approx(student.ppf(chance, freedom))


def test_ties_share_the_win():
    scores = np.array([[1.0, 0, 0], [2, 2, 0], [5, 5, 5]])
    assert win_shares(scores) == pytest.approx(
        np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    )


def test_groups_of_one_game_have_the_interval_of_their_share():
    shares = np.array([1.0] * 81 + [0.0] * 182)
    estimate, exact = estimate_grouped_share(shares), estimate_share(81 / 263, 263)
    assert estimate.mean == 81 / 263
    assert (estimate.low, estimate.high) == pytest.approx((exact.low, exact.high))


def test_equal_groups_do_not_make_a_point():
    even = estimate_grouped_share(np.full(100, 0.5))
    assert even.deviation == 0
    assert not even.shown and even.tested[0] < 0.49 and even.tested[1] > 0.51
    always = estimate_grouped_share(np.ones(50))
    assert 0.92 < always.tested[0] < 0.94 and always.tested[1] == 1.0


def test_what_cannot_be_told_has_a_reason():
    assert estimate_mean(np.full(50, 3.0)).reason == "all results are alike"
    assert estimate_mean(np.arange(7.0)).reason == "fewer than 20 observations"
    for estimate in (estimate_mean(np.full(50, 3.0)), estimate_grouped_share(np.ones(7))):
        assert np.isnan(estimate.low) and np.isnan(estimate.high) and not estimate.shown
    assert estimate_mean(np.full(50, 3.0), bounds=(0, 3)).tested[1] == 3.0
    nearly = estimate_grouped_share(np.repeat([1.0, 0.0], [996, 4]))
    assert nearly.reason == "fewer than 5 results differ from the most common one"
    drawn = estimate_grouped_share(np.repeat([0.5, 1.0], [992, 8]))
    assert drawn.reason == "fewer than 9 results differ from the most common one"
    assert "150 deals" in estimate_grouped_share(np.linspace(0, 1, 149), games=3).reason
    assert estimate_grouped_share(np.linspace(0, 1, 149), games=2).shown


def test_intervals_follow_the_variance_that_was_seen():
    # Eighteen games a deal: with many deals it is Student's interval, not that of single games.
    deals = np.random.default_rng(7).binomial(18, 0.5, size=400) / 18
    plain, grouped = estimate_mean(deals), estimate_grouped_share(deals)
    assert grouped.high - grouped.low == pytest.approx(plain.high - plain.low, rel=0.03)
    drawn = estimate_grouped_share(np.array([0.5] * 380 + [0.0] * 10 + [1.0] * 10))
    assert drawn.high - drawn.low < 0.025  # Wilson's would have 0.098


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
