"""When two figures agree."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from sandtable.reproduce.comparison import Comparison, Figure, verdict

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


def test_a_row_without_games_has_no_verdict():
    assert Comparison("label", None, PUBLISHED).verdict == "not played"


def test_published_intervals_belong_to_their_deviations():
    """The figures were copied from print: mean, deviation and interval must fit each other."""
    table = json.loads((files("sandtable.reproduce") / "published/lucid.json").read_text("utf-8"))
    assert len(table["rows"]) == 9
    for row in table["rows"]:
        games = row.get("games", table["games"])
        assert row["low"] < row["mean"] < row["high"]
        assert row["high"] - row["low"] == pytest.approx(
            2 * 1.96 * row["sd"] / games**0.5, abs=0.02
        )
