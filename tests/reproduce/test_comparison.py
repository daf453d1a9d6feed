"""When two figures agree."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest

from sandtable.arena.statistics.intervals import estimate_share, holm
from sandtable.reproduce.comparison import Comparison, Difference, Figure, difference, verdict
from sandtable.reproduce.reproduction import by_chance

PUBLISHED = Figure(mean=5.0, low=4.9, high=5.1, games=1000)


@pytest.mark.parametrize(
    ("mean", "margin", "expected"),
    [
        (5.05, 0.01, "agrees"),  # inside the published interval
        (5.11, 0.01, "higher"),  # outside, and ours is known well
        (5.11, 0.10, "agrees"),  # outside, but the difference has a margin of 0.14
        (4.80, 0.10, "lower"),
    ],
)
def test_verdicts(mean, margin, expected):
    assert verdict(PUBLISHED, Figure(mean, mean - margin, mean + margin, 1000)) == expected


def test_an_interval_is_not_made_symmetric():
    # 9 of 10 games: the truth may well be 0.6, and not so well 1.2.
    few = Figure(mean=0.9, low=0.59, high=0.99, games=10)
    assert verdict(few, Figure(0.65, 0.63, 0.67, 2000)) == "agrees"
    assert verdict(few, Figure(0.65, 0.63, 0.67, 2000), tolerance=0.15) == "cannot be told"
    assert verdict(few, Figure(1.0, 0.995, 1.0, 2000)) == "higher"


@pytest.mark.parametrize(("games", "share"), [(10, 0.7), (16, 0.9), (20, 0.5), (100, 0.97)])
def test_equal_shares_are_called_unequal_in_five_per_cent(games, share):
    generator = np.random.default_rng(5)
    figures = {}

    def figure(won, of):
        if (won, of) not in figures:
            figures[won, of] = Figure.of(estimate_share(won / of, of))
        return figures[won, of]

    differ = 0
    for _ in range(1500):
        theirs = figure(int(generator.binomial(games, share)), games)
        ours = figure(int(generator.binomial(2000, share)), 2000)
        differ += verdict(theirs, ours) != "agrees"
    assert differ / 1500 < 0.07


def test_rounding_counts_as_variance_and_only_where_there_is_some():
    plain, rounded = (Figure(0.40, 0.39, 0.41, 2000, rounding=each) for each in (0.0, 0.005))
    ours = Figure(0.412, 0.405, 0.419, 10_000)
    margin = difference(plain, ours).mean - difference(plain, ours).low
    wider = difference(rounded, ours).mean - difference(rounded, ours).low
    assert wider == pytest.approx(math.hypot(margin, 1.96 * 0.005 / math.sqrt(3)), rel=1e-4)


def test_many_rows_differ_by_chance():
    line = by_chance([Difference(0.1, -0.1, 0.3), Difference(0.2, 0.01, 0.4, "the second")])
    assert "about 0.1 would differ by chance" in line[0]
    assert "1 differs; 0 allowing for their number (Holm): not the second." in line[0]
    surely = [Difference(0.5, 0.4, 0.6, "a"), Difference(0.5, 0.3, 0.7, "b")]
    assert by_chance(surely)[0].endswith("2 differ; 2 allowing for their number (Holm).")
    assert by_chance([Difference(0.1, -0.1, 0.3)]) == []
    generator = np.random.default_rng(1)
    reports = generator.uniform(size=(1000, 40))  # chances of 40 rows that are all equal
    assert np.mean([any(holm(report)) for report in reports.tolist()]) < 0.07


def test_few_games_prove_less_where_many_figures_are_compared():
    """98 of 100 games beside a true 90%: by the binomial distribution, 0.4% come so far."""
    binomial = pytest.importorskip("scipy.stats").binom
    known = Figure(0.9, 0.9, 0.9, 0)
    found = difference(Figure.of_share(0.98, 100), known)
    mid = binomial.sf(98, 100, 0.9) + binomial.pmf(98, 100, 0.9) / 2
    assert found.chance == pytest.approx(2 * mid, rel=0.15)
    assert Difference(found.mean, found.low, found.high).chance < found.chance / 3
    few = Figure.of_share(0.8, 10)
    edge = difference(few, Figure(few.tested[0], few.tested[0], few.tested[0], 0))
    assert edge.chance == pytest.approx(0.05)  # as the interval says, however few games


def test_a_row_without_games_has_no_verdict():
    assert Comparison("label", None, PUBLISHED).verdict == "not played"


def test_figures_agree_only_if_they_cannot_be_far_apart():
    few, many = Figure(6.0, 4.0, 8.0, 10), Figure(6.1, 5.9, 6.3, 1000)
    assert Comparison("few", None, Figure(6.0, 5.9, 6.1, 1000), few).verdict == "agrees"
    wide = Comparison("few", None, Figure(6.0, 5.9, 6.1, 1000), few, tolerance=0.5)
    assert wide.verdict == "cannot be told"
    assert wide.as_data()["tolerance"] == 0.5
    close = Comparison("many", None, Figure(6.0, 5.9, 6.1, 1000), many, tolerance=0.5)
    assert close.verdict == "agrees"


def test_published_intervals_belong_to_their_deviations():
    """The figures were copied from print: mean, deviation and interval must fit each other."""
    table = json.loads((files("sandtable.games.lucid") / "published.json").read_text("utf-8"))
    published = [row for row in table["rows"] if "mean" in row]
    assert len(published) == 9 + 3  # of the report, and of the paper of 2001
    assert all(row["agent"] for row in table["rows"] if row not in published)  # ours
    for row in published:
        games = row.get("games", table["games"])
        assert row["low"] < row["mean"] < row["high"]
        assert row["high"] - row["low"] == pytest.approx(
            2 * 1.96 * row["sd"] / games**0.5, abs=0.02
        )
