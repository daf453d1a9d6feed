"""Elo from game pairs and the sequential test, against published numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sandtable.arena.statistics.lead_likelihood import likeliest
from sandtable.arena.statistics.pairs import NORMALISED_ELO, PairCounts, elo_of_share, pair_counts
from sandtable.arena.statistics.sprt import (
    ACCEPTED,
    REJECTED,
    UNDECIDED,
    SequentialTest,
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
    assert counts.share().mean == pytest.approx(results.mean())
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
    assert always.elo().mean == math.inf and 300 < always.elo().tested[0] < 500
    assert always.elo().reason == "all results are alike" and not always.elo().shown
    assert math.isnan(always.normalised_elo().mean)
    assert elo_of_share(0.0) == -math.inf


def test_the_published_log_likelihood_ratio():
    ratio = SequentialTest(low=0, high=2).ratio(LONG_TEST)
    assert ratio == pytest.approx(2.9455, abs=5e-5)  # scipy's optimiser finds 2.945495 too
    assert SequentialTest(low=0, high=2).limits == pytest.approx((-2.944, 2.944), abs=0.001)
    assert SequentialTest(low=0, high=2).decision(ratio) == ACCEPTED


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
    # Such a lead needs decided pairs, at least a share of lead^2 / (1 + lead^2) of them.
    assert shared == pytest.approx(-1000 * math.log(1 + lead**2), rel=0.01)
    assert won > 50 and 0 < few < 1


def test_the_verdict_is_the_same_however_much_was_played_beyond_it():
    generator = np.random.default_rng(5)
    results = (generator.random((4000, 2)) < 0.6).astype(float)
    test = SequentialTest(0, 20)
    verdict = test.judge(results)
    assert verdict.decision == ACCEPTED and verdict.deals % test.batch == 0
    assert test.judge(results[: verdict.deals]) == verdict
    assert test.judge(results[: verdict.deals + 3]) == verdict
    assert test.judge(results, looked=verdict.deals // test.batch - 1) == verdict
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
    return likeliest(base, VALUES, wanted)


@pytest.mark.parametrize("normalised", [0.0, 60.0])
def test_intervals_of_elo_cover_the_truth(normalised):
    generator = np.random.default_rng(3)
    chances = pair_chances(normalised)
    truth = elo_of_share(float(chances @ VALUES))
    covered = np.zeros(2)
    experiments = 300
    for counts in generator.multinomial(300, chances, size=experiments):
        pairs = PairCounts(tuple(VALUES), tuple(counts), 2)
        plain, scaled = pairs.elo(), pairs.normalised_elo()
        covered += (plain.low <= truth <= plain.high, scaled.low <= normalised <= scaled.high)
    assert (covered / experiments > 0.91).all() and (covered / experiments < 0.985).all()
