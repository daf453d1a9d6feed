"""The published matches of Gravwell beside ours: rows, verdicts, and what cannot be played."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from sandtable.arena.statistics.intervals import estimate_share
from sandtable.errors import SandtableError
from sandtable.games.gravwell import reproduction as gravwell
from sandtable.games.gravwell.published_shares import INERT, TRUE, SharesRow, WonShares
from sandtable.games.gravwell.reproduction import answered, published_figure
from sandtable.reproduce.comparison import Figure
from sandtable.reproduce.report import markdown
from sandtable.reproduce.run import Settings, reproducible_games, run_reproduction

FEW = Settings(games=200, rows=("random", "random-no-stop", "decision-tree"))


@contextmanager
def silence(label: str, games: int):
    yield lambda count: None


@pytest.fixture(scope="module")
def done():
    return run_reproduction("gravwell", FEW, silence)


def test_rows_under_both_rules(done):
    assert "gravwell" in reproducible_games()
    data = done.as_data()
    keys = [(row["match"], row["tractor"]) for row in data["rows"]]
    assert keys == [(name, tractor) for tractor in (INERT, TRUE) for name in FEW.rows]
    for row in data["rows"]:
        assert row["games"] == 200
        assert sum(each["share"] for each in row["ours"]) == pytest.approx(1, abs=1e-4)
        assert all(0 <= each["low"] <= each["share"] <= each["high"] <= 1 for each in row["ours"])
        assert all(0 < each["share"] < 54 for each in row["end_positions"])
    tree = data["rows"][2]
    assert tree["published"] == [0.52]
    assert tree["program"] == [0.518]
    assert tree["ours"][0]["low"] > 0.3  # well ahead of its opponents
    assert data["rows"][5]["verdict"] == "not published"


def test_the_same_seed_gives_the_same_rows(done):
    again = run_reproduction("gravwell", replace(FEW, jobs=2), silence)
    assert again.as_data() == done.as_data()


def test_the_page_names_every_match(done):
    page = markdown([done], "sandtable reproduce gravwell")
    for words in ("Decision tree as coded against 3 random", "true tractor rule", "rearmost ship"):
        assert words in page
    narrow = [
        len(" ".join(line.cells)) for sheet in done.sheets(wide=False) for line in sheet.lines
    ]
    assert max(narrow) < 75


def figure(share: float) -> Figure:
    return Figure(share, share - 0.01, share + 0.01, 10_000)


def test_verdicts():
    row = {"row": "x", "short": "x", "label": "X", "agents": ["random"] * 4}
    published = row | {"published": {"games": 10_000, "shares": [0.52]}}
    plain = answered(published, INERT, None, "no agent yet")
    assert plain.verdict == "not played"
    assert plain.note == "no agent yet"
    assert replace(plain, ours=(figure(0.53),)).verdict == "agrees"
    assert replace(plain, ours=(figure(0.60),)).verdict == "higher"
    assert replace(plain, ours=(figure(0.40),)).verdict == "lower"
    below = answered(row | {"below": 0.25}, INERT, None, "")
    assert replace(below, ours=(figure(0.23),)).verdict == "below, as published"
    assert replace(below, ours=(figure(0.27),)).verdict == "not below"
    assert replace(below, ours=(figure(0.255),)).verdict == "cannot be told"
    nothing = answered(row, TRUE, None, "")
    assert replace(nothing, ours=(figure(0.3),)).verdict == "not published"


def test_only_whole_per_cents_are_rounded():
    rounded, exact = published_figure(0.52, 10_000), published_figure(0.3985, 2000)
    assert rounded.high - rounded.low == pytest.approx(0.0196, abs=0.0001)
    assert rounded.rounding == 0.005 and exact.rounding == 0


def test_an_agent_that_cannot_be_made_leaves_the_others_alone(monkeypatch):
    def make_broken(spec):
        raise SandtableError("its table is gone")

    monkeypatch.setattr(gravwell, "make_agent", make_broken)
    broken = run_reproduction("gravwell", replace(FEW, rows=("decision-tree",)), silence)
    assert broken.complete
    assert [row.note for row in broken.rows] == ["cannot play"] * 2
    assert "Decision tree as coded against 3 random: its table is gone" in broken.notes


def test_equal_players_need_many_games():
    only = Settings(quick=True, rows=("equal-players",))
    found = run_reproduction("gravwell", only, silence).as_data()["equal_players"]
    tiles = [each for each in found if each["measure"] == "end positions"]
    assert [(each["players"], each["tractor"]) for each in tiles] == [
        (2, INERT), (4, INERT), (2, TRUE), (4, TRUE),
    ]  # fmt: skip
    two, four = tiles[0]["found"][0], tiles[1]["found"][0]
    assert 20 <= two <= 200 < four <= 660
    by_wins = found[3]
    assert (by_wins["players"], by_wins["measure"], by_wins["leeway"]) == (4, "games won", 0.1)
    assert by_wins["found"] == [None]  # not within 660 games
    assert by_wins["passed"] < 0.6  # 320 games: sure to fail in one of 30 trials


def test_wins_of_the_rearmost_are_counted_only_without_a_ship_in_the_gate():
    tiles = np.array([[54, 3, 2, 1], [20, 10, 30, 10], [5, 9, 8, 7]], dtype=float)
    assert gravwell.rearmost_shares(tiles).mean(axis=0).tolist() == pytest.approx(
        [2 / 3, 1 / 6, 0, 1 / 6]
    )


def test_unknown_rows_are_refused():
    with pytest.raises(SandtableError, match=r"there is no row 'champoin'.*champion"):
        run_reproduction("gravwell", Settings(rows=("champoin",)), silence)


def test_a_row_knows_when_its_agents_differ():
    shares = tuple(figure(each) for each in (0.4, 0.3, 0.2, 0.1))
    row = SharesRow("x", "X", "x", ("a", "b", "c", "d"), INERT, ours=shares)
    assert len(row.as_data()["ours"]) == 4


def test_a_missing_interval_has_its_reason_under_the_tables():
    few = Figure.of(estimate_share(0.5, 10))
    row = SharesRow("x", "X", "x", ("a", "a", "b"), INERT, published=(few,), ours=(few,) * 3)
    shares = WonShares("gravwell", "t", "s", 0, (row,))
    assert shares.remarks() == [
        "- No interval of a in X (tractors inert, published); a in X (tractors inert, ours): "
        "fewer than 20 observations."
    ]
