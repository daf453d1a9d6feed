"""Intervals and tests against independent implementations, and a small part of the simulations."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest

from sandtable.arena.statistics.bradley_terry import bradley_terry
from sandtable.arena.statistics.intervals import estimate_mean, holm
from sandtable.arena.statistics.ratings import ELO
from sandtable.calibration import rated, shares, verdicts
from sandtable.calibration.every_case import all_cases, all_error_cases
from sandtable.calibration.experiments import (
    COVERAGE,
    ERRORS,
    Band,
    Case,
    ErrorCase,
    Measured,
    measure,
    measure_errors,
)
from sandtable.cli.calibrate import calibration_page, calibration_sheets, pooled
from sandtable.reports.pages import markdown
from sandtable.reproduce.comparison import Figure, difference

EXPERIMENTS = 200  # chance moves a coverage of 95% by 1.5 points
ALLOWED = 2.8  # standard errors of chance


@pytest.mark.parametrize(
    ("case", "size"),
    [
        (shares.single_games(0.5), 50),
        (shares.single_games(0.98), 200),
        (shares.single_games(0.5, 0.9), 200),
        (shares.known_shares(0.9), 50),
        (shares.deals_of_games(2, 0.8), 20),
        (shares.deals_of_games(18, 0.9, 0.3), 200),
        (rated.cross_table((240, 120, 0)), 50),
        (rated.finishing_orders((200, 100, 0)), 50),
    ],
    ids=lambda each: getattr(each, "label", each),
)
def test_intervals_hold(case, size):
    found = measure(case, size, EXPERIMENTS, again=1)
    assert found.holds(ALLOWED) and not found.rarely_shown


@pytest.mark.parametrize("words", ["80% nothing", "lead of 0.8", "leads of 400, 0", "as usual"])
def test_other_intervals_hold(words):
    for case in [each for each in all_cases() if each.label.endswith(words) or words in each.label]:
        found = measure(case, 50, EXPERIMENTS // 2, again=1)
        assert found.holds(ALLOWED) and not found.rarely_shown


@pytest.mark.parametrize(
    ("case", "size"),
    [
        (shares.single_games(0.5), 8),
        (shares.single_games(0.998), 200),
        (shares.single_games(0.51, 0.98), 50),
        (shares.deals_of_games(18, 0.9, 0.3), 50),
        (rated.round_robin((1000, 0)), 50),
    ],
    ids=lambda each: getattr(each, "label", each),
)
def test_intervals_that_cannot_hold_are_not_shown(case, size):
    assert measure(case, size, EXPERIMENTS, again=1).rarely_shown


def test_a_wrong_interval_is_found_out():
    right = shares.single_games(0.9)
    narrow = Case("", "", right.draw, lambda won: [wald(won)])
    assert not measure(narrow, 20, EXPERIMENTS, again=1).holds(ALLOWED)
    always = ErrorCase("", "", lambda generator, experiments: (experiments // 5, 1))
    assert not measure_errors(always, 100, again=1).holds()


def wald(won):
    """Return the interval of elementary textbooks, which is too narrow near the ends."""
    estimate = estimate_mean(won, bounds=(0, 1))
    margin = 1.96 * won.std() / np.sqrt(len(won))
    return replace(estimate, low=won.mean() - margin, high=won.mean() + margin)


def test_bands_excuse_nothing():
    assert COVERAGE.holds(0.93) and not COVERAGE.holds(0.929) and not COVERAGE.holds(0.976)
    assert COVERAGE.holds(0.92, 300, errors=2.6) and not COVERAGE.holds(0.92, 10_000, errors=2.6)
    assert ERRORS.holds(0.05) and not Band(0.0, 0.05).holds(0.051)


def test_a_figure_outside_is_measured_again_with_more_experiments():
    asked = []

    def run(generator, experiments):
        asked.append(experiments)
        return (experiments // 10 if experiments == 100 else 0), 1

    assert measure_errors(ErrorCase("", "", run), 100).holds()
    assert asked == [100, 1000]


def test_a_page_tells_what_does_not_hold_and_what_is_not_shown():
    good = Measured("Shares", "even", 50, 0.95, 0.93, 1.0, 1000, COVERAGE)
    bad = Measured("Shares", "even", 200, 0.80, 0.81, 0.4, 1000, COVERAGE)
    rare = Measured("Shares", "rare", 50, 0.50, 0.50, 0.01, 20, COVERAGE)
    (sheet,) = calibration_sheets([good, bad, rare])
    assert sheet.lines[0].cells == ("even", "95.0 (93.0)", "80.0! (81.0) [40%]")
    assert sheet.lines[1].cells == ("rare", "-", "?")  # the last was not measured
    page = markdown(calibration_page([good, bad, rare], "sandtable calibrate"))
    assert "3 figures, 1 of them not shown, 1 outside their bands" in page


def test_parts_of_several_seeds_are_one_figure():
    parts = [Measured("Tests", "equal", 10, share, share, 1.0, count, ERRORS)
             for share, count in ((0.0, 100), (0.04, 300))]  # fmt: skip
    (whole,) = pooled(parts)
    assert (whole.share, whole.experiments) == (pytest.approx(0.03), 400)


@pytest.mark.parametrize("words", ["-49", "16 published", "2 equal agents", "3 equal agents"])
def test_tests_and_verdicts_err_as_rarely_as_they_promise(words):
    chosen = [each for each in all_error_cases() if words in each.label]
    assert chosen
    for each in chosen:
        assert measure_errors(each, 60, again=1).holds(ALLOWED)


def test_unequal_agents_are_told_apart():
    games = verdicts.SimulatedGames(2, 40, np.random.default_rng(1))
    games.scores[:, 0], games.scores[:, 1] = games.players[:, 1], games.players[:, 0]
    last = games.standings()[-1]
    assert last.agent == "agent 1" and last.sure and not last.behind.shown
    assert last.behind.reason == "all results are alike"


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


def test_what_holds_among_many_is_what_holm_says(monkeypatch):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    # It collects garbage at every call: a second each where many kernels have been compiled.
    monkeypatch.setattr(gc, "collect", lambda: 0)
    generator = np.random.default_rng(4)
    for _ in range(50):
        chances = generator.beta(0.3, 1.5, size=12)
        expected = multitest.multipletests(chances, alpha=0.05, method="holm")[0]
        assert holm(chances.tolist()) == expected.tolist()


def test_students_interval_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    half = np.random.default_rng(5).normal(3, 2, size=23)
    values = np.concatenate([half, 6 - half])  # not skewed
    expected = stats.t.interval(0.95, 45, values.mean(), stats.sem(values))
    found = estimate_mean(values)
    assert (found.low, found.high) == pytest.approx(expected)


def test_ratings_are_those_of_choix():
    choix = pytest.importorskip("choix")
    points = np.array([[0, 13, 22, 9], [7, 0, 15, 11], [8, 5, 0, 6], [11, 9, 14, 0]], dtype=float)
    games = [(i, j) for i in range(4) for j in range(4) for _ in range(int(points[i, j]))]
    theirs = choix.ilsr_pairwise(4, games, max_iter=1000, tol=1e-12)
    ours = np.array([each.rating for each in bradley_terry(points, prior=0.0)])
    assert ours / ELO == pytest.approx(theirs - theirs.mean(), abs=1e-6)
