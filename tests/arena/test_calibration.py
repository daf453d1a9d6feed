"""Intervals and tests against independent implementations, and a small part of the simulations."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.arena.statistics.bradley_terry import bradley_terry
from sandtable.arena.statistics.calibration import (
    COVERAGE,
    Band,
    Measured,
    cases,
    error_cases,
    measure,
    shares_of_deals,
    shares_of_games,
)
from sandtable.arena.statistics.intervals import estimate_mean, holm
from sandtable.arena.statistics.ratings import ELO
from sandtable.cli.calibrate import calibration_page, calibration_sheets
from sandtable.reports.pages import markdown
from sandtable.reproduce.comparison import Figure, difference

EXPERIMENTS = 300  # chance moves a coverage of 95% by 1.3 points


@pytest.mark.parametrize(
    ("case", "size"),
    [
        (shares_of_games("even", 0.5), 50),
        (shares_of_games("nearly all", 0.98), 50),
        (shares_of_games("draws", 0.5, 0.9), 200),
        (shares_of_deals("deals of four", 4, 0.8), 20),
        (shares_of_deals("deals of eighteen", 18, 0.98), 50),
        (shares_of_deals("deals decided by dice", 4, 0.5, 0.6), 8),
    ],
    ids=lambda each: getattr(each, "label", each),
)
def test_intervals_hold(case, size):
    assert measure(case, size, EXPERIMENTS).holds


@pytest.mark.parametrize("words", ["80% nothing", "lead of 0.8", "leads of 400, 0", "90% shared"])
def test_other_intervals_hold(words):
    case = next(each for each in cases() if words in each.label)
    found = measure(case, 50, EXPERIMENTS)
    assert found.holds and found.shown > 0.9


def test_the_band_leaves_room_for_chance_and_not_for_more():
    assert COVERAGE.holds(0.92, 300) and not COVERAGE.holds(0.92, 10_000)
    assert not COVERAGE.holds(0.85, 300) and not COVERAGE.holds(1.0, 2000)
    assert Band(0.0, 0.05).holds(0.0, 100) and not Band(0.0, 0.05).holds(0.10, 300)


def test_a_page_tells_what_does_not_hold():
    good = Measured("Shares", "even", 50, 0.95, 1.0, 1000, COVERAGE)
    bad = Measured("Shares", "even", 200, 0.80, 1.0, 1000, COVERAGE)
    known = Measured("Shares", "rare", 50, 0.80, 1.0, 1000, COVERAGE, "nobody can tell")
    (sheet,) = calibration_sheets([good, bad, known])
    assert sheet.lines[0].cells == ("even", "95.0", "80.0!")
    assert sheet.lines[1].cells == ("rare", "(80.0)", "-")
    page = markdown(calibration_page([good, bad, known], "sandtable calibrate"))
    assert "3 figures, 1 outside their bands" in page and "nobody can tell" in page


def test_sequential_tests_and_comparisons_err_as_rarely_as_they_promise():
    chosen = [each for each in error_cases() if "-49" in each.label or "16 pub" in each.label]
    assert len(chosen) == 3
    assert all(each.measure(200).holds for each in chosen)


def test_differences_are_those_of_newcombe():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for (won, games), (theirs, of) in (
        ((56, 70), (48, 80)),
        ((9, 10), (3, 10)),
        ((10, 10), (0, 20)),
    ):
        figures = []
        for count, total in ((theirs, of), (won, games)):
            low, high = proportion.proportion_confint(count, total, method="wilson")
            figures.append(Figure(count / total, low, high, total))
        expected = proportion.confint_proportions_2indep(won, games, theirs, of, method="newcomb")
        found = difference(*figures)
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)


def test_what_holds_among_many_is_what_holm_says():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    generator = np.random.default_rng(4)
    for _ in range(50):
        chances = generator.beta(0.3, 1.5, size=12)
        expected = multitest.multipletests(chances, alpha=0.05, method="holm")[0]
        assert holm(chances.tolist()) == expected.tolist()


def test_students_interval_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(5).normal(3, 2, size=23)
    expected = stats.t.interval(0.95, 22, values.mean(), stats.sem(values))
    found = estimate_mean(values)
    assert (found.low, found.high) == pytest.approx(expected)


def test_ratings_are_those_of_choix():
    choix = pytest.importorskip("choix")
    points = np.array([[0, 13, 22, 9], [7, 0, 15, 11], [8, 5, 0, 6], [11, 9, 14, 0]], dtype=float)
    games = [(i, j) for i in range(4) for j in range(4) for _ in range(int(points[i, j]))]
    theirs = choix.ilsr_pairwise(4, games, max_iter=1000, tol=1e-12)
    ours = np.array([each.rating for each in bradley_terry(points, prior=0.0)])
    assert ours / ELO == pytest.approx(theirs - theirs.mean(), abs=1e-6)
