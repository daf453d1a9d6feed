"""Published figures and ours side by side in plots."""

from __future__ import annotations

import math

import numpy as np

from sandtable.games.gravwell.published_shares import INERT, TRUE, SharesRow, WonShares
from sandtable.games.stratego.published_matches import MatchRow, MatchTable
from sandtable.reproduce.comparison import Figure
from sandtable.reproduce.games_won import Wins, WinsRow

ABOUT = {"game": "skirmish", "title": "A table", "source": "A book", "seed": 0}


def marks(plot):
    """Return the points of a plot, in whole numbers, by label."""
    return {row.label: [(mark.series, round(mark.mean)) for mark in row.marks] for row in plot.rows}


def test_duels_have_a_mark_for_each_set_of_rules():
    scores = (1.0, 1.0, 1.0, -1.0, 0.0, 0.0)
    rows = tuple(MatchRow("a", "b", "A - B", rules, 60, 100, scores) for rules in ("paper", "full"))
    ours = MatchRow("c", "b", "C - B", "paper", None, 100, scores)
    (plot,) = MatchTable(rows=(*rows, ours), **ABOUT).plots()
    assert marks(plot) == {
        "A - B": [("published", 60), ("ours, paper", 67), ("ours, full", 67)],
    }


def test_shares_are_those_of_the_published_rule():
    figures = tuple(Figure(share, share - 0.02, share + 0.02, 100) for share in (0.5, 0.2))
    rows = tuple(
        SharesRow(
            row="row", label="A long label", short="short", agents=("a", "b"), tractor=tractor,
            published=figures, ours=figures,
        )
        for tractor in (INERT, TRUE)
    )  # fmt: skip
    (plot,) = WonShares(rows=rows, **ABOUT).plots()
    assert marks(plot) == {
        "short: a": [("published", 50), ("ours", 50)],
        "short: b": [("published", 20), ("ours", 20)],
    }


def test_games_won_without_dice_have_no_interval():
    wins = {"seen": (6, 4, 5, 5), "unseen": (2, 2, 3, 2)}
    levels = np.ones((4, 10, 2))
    row = WinsRow("simple", "Simple", "random", wins, wins, by_level=levels)
    published, generated = Wins(rows=(row,), budgets=(1, 2, 3, 4), **ABOUT).plots()
    assert marks(published) == {
        "Simple, seen": [("published", 50), ("ours", 50)],
        "Simple, unseen": [("published", 56), ("ours", 56)],
    }
    assert math.isnan(published.rows[0].marks[1].low)
    assert marks(generated) == {"Simple": [("ours", 100)]}
