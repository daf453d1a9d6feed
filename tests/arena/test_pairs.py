"""Elo from game pairs and the sequential test, against published numbers and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sandtable.arena.statistics.pairs import NORMALISED_ELO, PairCounts, elo_of_share, pair_counts
from sandtable.arena.statistics.sprt import (
    ACCEPTED,
    REJECTED,
    UNDECIDED,
    SequentialTest,
    likeliest,
    log_ratio,
)
from sandtable.errors import SandtableError

VALUES = np.arange(5) / 4
LONG_TEST = PairCounts((0.0, 0.25, 0.5, 0.75, 1.0), (379, 10170, 21828, 10640, 343), 2)


def test_pairs_are_counted():
    results = np.array([[1, 1], [1, 0.5], [0, 1], [0.5, 0.5], [0, 0], [0.5, 0]])
    counts = pair_counts(results)
    assert counts.values == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert counts.counts == (1, 1, 2, 1, 1)
    assert counts.shares.mean() == results.mean()
    third = pair_counts(np.array([[1 / 3, 1.0], [0, 1 / 3]]))
    assert sum(third.counts) == 2 and len(third.values) == 7


def test_the_elo_of_a_long_test():
    # 43,360 pairs with a mean of 0.502295 and a deviation of 0.184802 a pair.
    elo, normalised = LONG_TEST.elo(), LONG_TEST.normalised_elo()
    margin = 1.959964 * 0.184802 / math.sqrt(43360)
    assert elo.mean == pytest.approx(elo_of_share(0.502295), abs=0.001)
    assert elo.low == pytest.approx(elo_of_share(0.502295 - margin), abs=0.01)
    assert elo.high == pytest.approx(elo_of_share(0.502295 + margin), abs=0.01)
    assert normalised.mean == pytest.approx(
        NORMALISED_ELO * 0.002295 / 0.184802 / math.sqrt(2), abs=0.01
    )
    assert normalised.low < normalised.mean < normalised.high


def test_all_won_is_infinite_elo_with_a_finite_end():
    always = PairCounts((0.0, 0.25, 0.5, 0.75, 1.0), (0, 0, 0, 0, 50), 2)
    assert always.elo().mean == math.inf and 300 < always.elo().low < 500
    assert math.isnan(always.normalised_elo().mean)
    assert elo_of_share(0.0) == -math.inf


def test_the_published_log_likelihood_ratio():
    ratio = SequentialTest(low=0, high=2).ratio(LONG_TEST)
    assert ratio == pytest.approx(2.946, abs=0.001)
    assert SequentialTest(low=0, high=2).limits == pytest.approx((-2.944, 2.944), abs=0.001)
    assert SequentialTest(low=0, high=2).decision(ratio) == ACCEPTED


@pytest.mark.parametrize(
    "counts",
    [[3, 10, 20, 11, 6], [0, 0, 0, 0, 8], [8, 0, 0, 0, 0], [0, 2, 7, 1, 0], [5, 0, 0, 0, 7]],
)
def test_the_hypotheses_are_the_likeliest_distributions_of_their_lead(counts):
    filled = np.maximum(np.array(counts, dtype=float), 1e-3)
    chances = filled / filled.sum()
    for lead in (0.0, 0.08, -0.3):
        found, settled = likeliest(chances, VALUES, lead)
        assert settled
        mean = found @ VALUES
        deviation = math.sqrt(found @ (VALUES - mean) ** 2)
        assert found.sum() == pytest.approx(1)
        assert (mean - 0.5) / deviation == pytest.approx(lead, abs=1e-5)
    # With no lead the mean is fixed, and the best weights are chances / (1 + x (value - 1/2)).
    best, _ = likeliest(chances, VALUES, 0.0)
    grid = np.linspace(-1.999999, 1.999999, 400_001)
    tilted = chances / (1 + grid[:, None] * (VALUES - 0.5))
    even = np.argmin(np.abs(tilted @ (VALUES - 0.5)))
    assert filled @ np.log(best) == pytest.approx(filled @ np.log(tilted[even]), abs=0.01)


def test_results_in_mirror_image_have_the_opposite_ratio():
    counts = np.array([[3.0, 10, 20, 11, 6], [40, 10, 5, 0, 1]])
    ratios = log_ratio(counts, VALUES, 2, -5.0, 5.0)
    mirrored = log_ratio(counts[:, ::-1], VALUES, 2, -5.0, 5.0)
    assert ratios == pytest.approx(-mirrored)
    assert ratios[0] > 0 > ratios[1]


def test_results_that_are_all_alike_still_have_a_ratio():
    # A thousand pairs of which each was shared: no lead of 20 points would look like that.
    counts = np.array([[0.0, 0, 1000, 0, 0], [0, 0, 0, 0, 1000], [0, 0, 9, 1, 0]])
    shared, won, few = log_ratio(counts, VALUES, 2, 0.0, 20.0)
    lead = 20 * math.sqrt(2) / NORMALISED_ELO
    assert shared == pytest.approx(-1000 / 2 * math.log(1 + lead**2), rel=0.01)
    assert won > 50 and 0 < few < 1


def test_the_verdict_is_the_same_however_much_was_played_beyond_it():
    generator = np.random.default_rng(5)
    results = (generator.random((4000, 2)) < 0.6).astype(float)
    test = SequentialTest(0, 20)
    verdict = test.judge(results)
    assert verdict.decision == ACCEPTED and verdict.deals % test.batch == 0
    assert test.judge(results[: verdict.deals]) == verdict
    assert test.judge(results[: verdict.deals + 3]) == verdict
    assert test.judge(results[: verdict.deals - 1]).decision == UNDECIDED
    assert test.judge(1 - results).decision == REJECTED
    assert test.judge(results[:0]).deals == 0


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("bounds", {"low": 5, "high": 5}),
        ("bounds", {"low": 5, "high": 0}),
        ("bounds", {"low": math.nan, "high": 0}),
        ("alpha and beta", {"alpha": 0.0}),
        ("alpha and beta", {"beta": 0.6}),
    ],
)
def test_impossible_bounds_are_refused(words, settings):
    with pytest.raises(SandtableError, match=words):
        SequentialTest(**settings)


def pair_chances(normalised):
    """Return chances of pairs whose games go together, with this lead in normalised Elo."""
    base = np.array([0.10, 0.22, 0.36, 0.22, 0.10])
    wanted = normalised * math.sqrt(2) / NORMALISED_ELO
    return likeliest(base, VALUES, wanted)[0]


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, ACCEPTED), (60.0, REJECTED)])
def test_error_rates_stay_within_their_promise(truth, wrong):
    """2,000 tests of 0 against 60 points; all of them go on side by side until they are decided."""
    generator = np.random.default_rng(11)
    test = SequentialTest(0, 60)
    experiments, chances = 2000, pair_chances(truth)
    counts = np.zeros((experiments, 5))
    going = np.arange(experiments)
    wrongs = decided = 0
    while len(going):
        counts[going] += generator.multinomial(test.batch, chances, size=len(going))
        ratios = log_ratio(counts[going], VALUES, 2, test.low, test.high)
        decisions = np.array([test.decision(ratio) for ratio in ratios])
        wrongs += int((decisions == wrong).sum())
        decided += int((decisions != UNDECIDED).sum())
        going = going[decisions == UNDECIDED]
    assert decided == experiments
    assert 0.02 < wrongs / experiments < 0.055  # 0.05 and what chance may add


@pytest.mark.parametrize("normalised", [0.0, 60.0])
def test_intervals_of_elo_cover_the_truth(normalised):
    generator = np.random.default_rng(3)
    chances = pair_chances(normalised)
    truth = elo_of_share(float(chances @ VALUES))
    covered = np.zeros(2)
    experiments = 4000
    for counts in generator.multinomial(300, chances, size=experiments):
        pairs = PairCounts(tuple(VALUES), tuple(counts), 2)
        plain, scaled = pairs.elo(), pairs.normalised_elo()
        covered += (plain.low <= truth <= plain.high, scaled.low <= normalised <= scaled.high)
    assert (covered / experiments > 0.94).all() and (covered / experiments < 0.96).all()
