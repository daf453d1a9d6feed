"""The published table of Stratego beside ours: rows, verdicts, times, and going on after a stop."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest

from sandtable.errors import SandtableError
from sandtable.games.stratego import reproduction as stratego
from sandtable.games.stratego.layout import ORIGIN, RANDOM
from sandtable.games.stratego.published_matches import MatchRow, MatchTable
from sandtable.registry import make_game
from sandtable.reproduce.report import markdown
from sandtable.reproduce.run import Settings, run_reproduction

FEW = Settings(games=2, quick=True, rows=("baseline",))


@contextmanager
def silence(label: str, games: int):
    yield lambda count: None


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Play a few games with one of them kept from an earlier run that was killed."""
    kept = tmp_path_factory.mktemp("kept") / "rows.games.jsonl"
    return run_reproduction("stratego", replace(FEW, kept=kept), silence), kept


def test_rows_under_all_sets_of_rules(done):
    data = done[0].as_data()
    rows = [(row["agent"], row["opponent"], row["rules"]) for row in data["rows"]]
    sets = ("paper", "draws", "full")
    assert rows == [("baseline", "random", rules) for rules in sets]
    paper, _, full = data["rows"]
    assert paper["published"] == {"won": 94, "games": 100}
    assert full["published"] is None and full["verdict"] == "not published"
    for row in data["rows"]:
        ours = row["ours"]
        assert ours["won"] + ours["drawn"] + ours["lost"] == ours["games"] == 2
        assert ours["share"] == (ours["won"] + ours["drawn"] / 2) / 2
    (time,) = data["times"]
    assert (time["agent"], time["published"], time["positions"]) == ("baseline", 500, 12)
    assert 0 < time["ours"] <= time["slowest"]


def test_the_page_and_the_terminal(done):
    page = markdown([done[0]], "sandtable reproduce stratego")
    for words in ("scouts move one step", "Full tournament rules", "Milliseconds for a move"):
        assert words in page
    lines = [line for sheet in done[0].sheets(wide=False) for line in sheet.lines]
    assert max(len(" ".join(line.cells)) for line in lines) < 75


def test_games_are_played_once(done, monkeypatch):
    """What is in the file is taken from there; a cut line and an unknown one are passed over."""
    first, kept = done
    before = kept.read_text()
    kept.write_text(before + '{"won": [1]}\n{"game": "stratego", "agents": ["a"')
    monkeypatch.setattr(stratego, "play_rest", lambda *arguments: pytest.fail("played again"))
    again = run_reproduction("stratego", replace(FEW, kept=kept), silence)
    assert again.as_data()["rows"] == first.as_data()["rows"]


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ((1.0,) * 94 + (-1.0,) * 6, "agrees"),
        ((1.0,) * 1000, "higher"),
        ((1.0,) * 60 + (0.0,) * 20 + (-1.0,) * 20, "lower"),
        ((), "not played"),
    ],
)
def test_verdicts(scores, verdict):
    row = MatchRow("baseline", "random", "baseline - random", "paper", 94, 100, scores)
    assert row.verdict == verdict
    assert replace(row, published=None).verdict == ("not published" if scores else "not played")


def test_a_deal_is_one_observation():
    """Games of a deal that always end alike say half as much as they seem to."""
    alike = MatchRow("a", "b", "a - b", "paper", None, 100, (1.0, 1.0, -1.0, -1.0) * 50)
    apart = replace(alike, scores=(1.0, -1.0, 1.0, -1.0) * 45 + (1.0, 1.0, -1.0, -1.0) * 5)
    assert alike.ours.mean == apart.ours.mean == 0.5
    widths = [each.ours.tested[1] - each.ours.tested[0] for each in (alike, apart)]
    assert widths[0] > 2 * widths[1]


def test_agents_that_cannot_play_are_named(monkeypatch):
    table = stratego.published_table()
    names = {row["agent"] for row in table["agents"]}
    assert {match[side] for match in table["matches"] for side in ("agent", "opponent")} <= names
    nobody = {"agent": "nobody", "spec": "stratego/nobody"}
    assert stratego.obstacle_of(nobody) == ("no agent yet", "")
    baseline = {"agent": "baseline", "spec": "stratego/baseline"}
    assert stratego.obstacle_of(baseline) == ("", "")
    assert stratego.obstacle_of(baseline | {"weights": "no.onnx"}) == ("no weights yet", "")

    def broken(spec):
        raise SandtableError("the weights are cut off")

    monkeypatch.setattr(stratego, "make_agent", broken)
    obstacles = {"baseline": stratego.obstacle_of(baseline)}
    assert obstacles["baseline"] == ("cannot play", "the weights are cut off")
    assert stratego.problems_of(obstacles) == ["baseline: the weights are cut off"]
    row = {"agent": "baseline"}
    assert stratego.why_not([row], obstacles, Settings()) == "cannot play"
    slow = [row | {"slow": True}]
    assert stratego.why_not(slow, {"baseline": ("", "")}, Settings(quick=True)) == "not in --quick"
    with pytest.raises(SandtableError, match="there is no row 'random'"):
        run_reproduction("stratego", Settings(rows=("random",)), silence)
    assert json.dumps(table)


def test_how_agents_set_up_does_not_matter_here():
    for rules in stratego.published_table()["rules"]:
        blank = make_game(rules["game"]).initial_cells
        assert blank[ORIGIN : ORIGIN + 2] == (RANDOM, RANDOM)


def test_a_missing_interval_has_its_reason_under_the_tables():
    rows = tuple(
        MatchRow("a", "b", "a - b", rules, 100, 100, (1.0,) * 100) for rules in ("paper", "ours")
    )
    table = MatchTable("stratego", "t", "s", 0, rows)
    assert table.remarks() == [
        "- No interval of a - b (published); a - b (paper, ours); a - b (ours, ours): all results "
        "are alike."
    ]
