"""The published tables of Skirmish: the row without dice exactly, and how all rows are shown."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sandtable.arena.play.kept_games import KeptGames
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish import reproduction as skirmish
from sandtable.games.skirmish.learning.dsl.config import IMPROVED, SMALL, THESIS, TINY
from sandtable.games.skirmish.learning.dsl.games import Replay, Round
from sandtable.games.skirmish.level_matches import LevelMatch, Tally, play_level_matches
from sandtable.games.skirmish.reproduction import (
    answered,
    level_matches_of,
    plan_of,
    play_row,
    published_row,
    published_table,
)
from sandtable.reproduce.games_won import GamesWon, Wins, WinsRow
from sandtable.reproduce.report import markdown
from sandtable.reproduce.run import Settings, reproducible_games, run_reproduction

SETTINGS = Settings(quick=True, games=8)


@contextmanager
def silence(label: str, games: int):
    yield lambda count: None


def row_named(agent: str) -> dict:
    """Return one published row."""
    return next(row for row in published_table()["rows"] if row["agent"] == agent)


def test_simple_opponent_comes_out_exactly():
    table, row = published_table(), row_named("simple-5000")
    matches = level_matches_of(row, table, SETTINGS)
    tally = Tally([match for match in matches if match.part != "generated"])
    assert len(tally.matches) == 4 * (10 + 4)
    play_row(tally, row, table, SETTINGS, KeptGames(None), lambda games: silence("", games))
    assert tally.complete
    budgets = table["opponent_budgets"]
    won = {
        part: [int(tally.games_won(part, budget).sum()) for budget in budgets]
        for part in ("seen", "unseen")
    }
    assert won == {"seen": [6, 4, 5, 5], "unseen": [2, 2, 3, 2]}


def test_published_figures_add_up_as_printed():
    sums = {
        row["agent"]: (sum(row["seen"]), sum(row["unseen"]))
        for row in published_table()["rows"]
        if "seen" in row
    }
    assert sums == {
        "thesis-1000": (6, 13),
        "thesis-2500": (15, 10),
        "thesis-5000": (23, 10),
        "thesis-self-play-5000": (20, 9),
        "simple-5000": (20, 9),
        "random": (2, 4),
        "greedy": (7, 6),
    }


@pytest.mark.parametrize(
    ("agent", "seat", "expected"),
    [("simple-5000", 0, "both"), ("random", 0, "second"), ("random", 1, "first")],
)
def test_only_published_searches_may_pass(agent: str, seat: int, expected: str):
    table, row = published_table(), row_named(agent)
    match = next(each for each in level_matches_of(row, table, SETTINGS) if each.seat == seat)
    plan = plan_of(match, row, table, SETTINGS)
    assert f"passes={expected}" in plan.game
    assert "both_empty=second" in plan.game
    assert plan.agents[1 - seat].startswith("alphabeta:budget=1000,evaluation=constant")


def test_levels_of_another_seed_are_others():
    table, row = published_table(), row_named("random")
    chosen = [
        {
            each.level
            for each in level_matches_of(row, table, Settings(seed=seed))
            if each.part == "generated"
        }
        for seed in (0, 1)
    ]
    assert [len(levels) for levels in chosen] == [100, 100]
    assert not chosen[0] & chosen[1]


@pytest.fixture
def little_table(monkeypatch) -> None:
    """Play against weak opponents, on few levels."""
    table = published_table() | {"opponent_budgets": [20, 40, 60, 80]}
    table |= {"seen_levels": ["1"], "unseen_levels": ["6"]}
    champion = next(row for row in table["rows"] if row["agent"] == "champion")
    champion |= {"spec": "skirmish/greedy", "rival_budget": 10}  # nothing to compile for long
    monkeypatch.setattr(skirmish, "published_table", lambda: table)


def test_every_installed_agent_has_a_row(little_table):
    assert "skirmish" in reproducible_games()
    done = run_reproduction("skirmish", SETTINGS, silence)
    assert done.complete
    rows = {row["agent"]: row for row in json.loads(json.dumps(done.as_data()))["rows"]}
    assert len(rows) == 13
    for agent in ("simple-5000", "random", "greedy"):
        assert len(rows[agent]["seen"]) == len(rows[agent]["unseen"]) == 4
        assert len(rows[agent]["generated"]) == 5
        assert rows[agent]["generated_levels"] == 2
    assert rows["greedy"]["repeated"]["seen"][0]["games"] == 2
    assert set(rows["random"]["lead_over_simple"]) >= {"mean", "low", "high"}
    assert rows["thesis-5000"]["published"] == {"seen": [6, 6, 6, 5], "unseen": [3, 2, 3, 2]}


def test_broken_off_rows_are_left_out(little_table, monkeypatch):
    played = []

    def play_some(tally, row, *rest):
        if played:
            return  # as after Ctrl-C: not everything has come in
        played.append(row["agent"])
        for match in tally.matches:
            tally.won[match] = np.array([True])

    monkeypatch.setattr(skirmish, "play_row", play_some)
    done = run_reproduction("skirmish", SETTINGS, silence)
    assert not done.complete
    by_agent = {row.agent: row for row in done.rows}
    assert by_agent[played[0]].ours is not None
    assert played == ["simple-5000"]
    assert by_agent["greedy"].ours is None
    assert by_agent["greedy"].note == "broken off"


CHAMPION = Settings(games=16, rows=("champion", "simple-5000"))


def test_champion_has_a_row_and_a_duel(little_table):
    done = run_reproduction("skirmish", CHAMPION, silence)
    simple, champion = done.as_data()["rows"]
    assert (simple["agent"], champion["agent"]) == ("simple-5000", "champion")
    assert champion["published"] is None
    assert champion["verdict"] == "not published"
    assert len(champion["seen"]) == len(champion["unseen"]) == 4
    assert champion["generated_levels"] == 2
    assert champion["against_simple"]["games"] == 4
    assert champion["against_simple"]["low"] is None  # four games are too few for an interval
    assert "against_simple" not in simple
    sheets = done.sheets(wide=False)
    assert [line.cells[-1] for line in sheets[0].lines] == ["differs", "not published"]
    assert sheets[-1].lines[0].cells[-2:] == ("-", "-")
    assert "%" in sheets[-1].lines[1].cells[-1]


def test_any_workers_play_the_same_games(little_table, tmp_path):
    """An agent in Python, in this process and in two others, stopped by a kill on the way."""
    row = next(row for row in skirmish.published_table()["rows"] if row["agent"] == "dsl-1000")
    row["spec"] = "skirmish/dsl:budget=20,weights=dsl-1000"
    settings = Settings(games=8, rows=("dsl-1000",))
    expected = run_reproduction("skirmish", settings, silence).as_data()
    journals: list[Path] = []
    apart = replace(settings, jobs=2, journals=journals)
    assert run_reproduction("skirmish", apart, silence).as_data() == expected
    (journal,) = journals
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 20  # each game is a line, after the head
    journal.write_bytes(b"".join(lines[:11]) + lines[11][:20])
    again = replace(apart, jobs=1, kept=tmp_path / "rows.games.jsonl")
    assert run_reproduction("skirmish", again, silence).as_data() == expected
    assert len(again.kept.read_text().splitlines()) == 20
    assert journals == [journal, journal]


def test_kept_games_are_not_played_again(little_table, tmp_path, monkeypatch):
    kept = tmp_path / "rows.games.jsonl"
    settings = replace(CHAMPION, rows=("simple-5000",), kept=kept)
    whole = run_reproduction("skirmish", settings, silence).as_data()
    lines = kept.read_text().splitlines(keepends=True)
    assert len(lines) == 4 * (2 + 2 + 4)
    kept.write_text("not a line of ours\n" + "".join(lines[:-2]) + lines[-2][:30])
    games = []

    @contextmanager
    def counting(label, count):
        games.append(count)
        yield lambda finished: None

    assert run_reproduction("skirmish", settings, counting).as_data() == whole
    assert games == [2]  # the one cut off, and the one after it
    assert run_reproduction("skirmish", settings, counting).as_data() == whole
    assert games == [2]
    of_another = partial(KeptGames, program=lambda plan: "of another program")
    monkeypatch.setattr(skirmish, "KeptGames", of_another)
    assert run_reproduction("skirmish", settings, counting).as_data() == whole
    assert games == [2, 32]


def test_what_is_finished_before_ctrl_c_is_kept(little_table):
    table, row = skirmish.published_table(), row_named("random")
    tally = Tally(level_matches_of(row, table, SETTINGS))
    plans = {match: plan_of(match, row, table, SETTINGS) for match in tally.matches}
    kept = []

    def keep(match, won):
        kept.append(match)
        if len(kept) == 3:
            raise KeyboardInterrupt

    play_level_matches(tally, plans, SETTINGS, keep)
    assert list(tally.won) == kept
    assert len(kept) == 3
    assert len(tally.waiting) == len(tally.matches) - 3


def test_unknown_rows_are_named(little_table):
    with pytest.raises(SandtableError, match=r"no row 'champoin'.*mean 'champion'"):
        run_reproduction("skirmish", replace(CHAMPION, rows=("champoin",)), silence)


def test_kept_games_that_cannot_be_written(little_table, tmp_path):
    settings = replace(CHAMPION, rows=("simple-5000",), kept=tmp_path / "missing" / "games.jsonl")
    with pytest.raises(SandtableError, match=r"cannot write .*games.jsonl: No such file"):
        run_reproduction("skirmish", settings, silence)


def test_an_agent_that_cannot_be_made_leaves_the_others_alone(little_table, monkeypatch):
    def make_broken(spec):
        raise SandtableError("the weights are gone")

    monkeypatch.setattr(skirmish, "make_agent", make_broken)
    done = run_reproduction("skirmish", SETTINGS, silence)
    assert done.complete
    by_agent = {row.agent: row for row in done.rows}
    assert by_agent["greedy"].note == "cannot play"
    assert "Greedy: the weights are gone" in done.notes


def row_of_dice(won: float) -> WinsRow:
    """Return the greedy row with this share of 400 games won everywhere."""
    shares = (GamesWon(won, won - 0.05, won + 0.05, 100),) * 4
    row = published_row(row_named("greedy"), "")
    return WinsRow(
        row.agent,
        row.label,
        row.spec,
        row.published,
        ours={"seen": (2, 3, 0, 2), "unseen": (1, 1, 2, 1)},
        repeated={"seen": shares, "unseen": shares},
        by_level=np.array([[[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]] * 4),
    )


def test_verdicts_where_dice_are_thrown():
    # Published are 7 of 40 and 6 of 16: the latter could be many things.
    assert row_of_dice(0.20).verdict == "seen agrees, unseen cannot be told"
    assert row_of_dice(0.40).verdict == "seen higher, unseen cannot be told"
    assert row_of_dice(0.02).verdict_of("unseen") == "lower"


def test_verdict_of_a_trained_agent():
    row = published_row(row_named("thesis-5000"), "")  # published 23 of 40 and 10 of 16
    better = replace(row, ours={"seen": (10, 10, 10, 9), "unseen": (3, 2, 3, 2)})
    assert better.verdict == "seen higher, unseen cannot be told"
    assert better.design_effect() == 2.5  # as usual
    alike = replace(better, by_level=np.array([[[0.0, 0.0]] * 10 + [[1.0, 1.0]] * 10] * 4))
    assert alike.design_effect() == pytest.approx(8 * 20 / 19)  # all eight games count for one
    once = np.where(np.arange(4)[:, None, None] == 0, alike.by_level, np.nan)
    assert replace(alike, by_level=once).design_effect() == 2.5  # a slow agent's tell nothing
    assert alike.verdict == "cannot be told"
    assert replace(better, trained=False).verdict == "seen differs, unseen exact"


def test_slow_agents_meet_every_budget_in_turn():
    table = skirmish.published_table()
    row, quick = row_named("thesis-2500"), row_named("greedy")
    generated = [
        each for each in level_matches_of(row, table, Settings()) if each.part == "generated"
    ]
    assert len({(each.level, each.seat) for each in generated}) == len(generated) == 200
    assert Counter((each.budget, each.seat) for each in generated) == dict.fromkeys(
        itertools.product(table["opponent_budgets"], (0, 1)), 25
    )
    whole = {
        each for each in level_matches_of(quick, table, Settings()) if each.part == "generated"
    }
    assert set(generated) < whole
    assert len(whole) == 800


def test_agents_not_trained_to_the_end_play_the_published_levels_alone():
    table, row = skirmish.published_table(), row_named("thesis-5000")
    matches = level_matches_of(row, table, Settings())
    assert Counter(each.part for each in matches) == {"seen": 40, "unseen": 16}
    tally = skirmish.Tally(matches, dict.fromkeys(matches, np.array([True])))
    answer = skirmish.answered(
        skirmish.published_row(row, ""), row, tally, table["opponent_budgets"]
    )
    assert answer.ours == {"seen": (10, 10, 10, 10), "unseen": (4, 4, 4, 4)}
    assert answer.by_level is None
    assert answer.generated() == []


def test_the_lead_is_in_the_same_games():
    nan = np.nan
    slow = replace(
        row_of_dice(0.2), by_level=np.array([[[1, nan], [nan, 1]], [[nan, 0], [1, nan]]])
    )
    other = replace(slow, by_level=np.array([[[1.0, 0], [0, 0]], [[0, 0], [1, 1]]]))
    assert slow.lead_over(other).mean == 0.25  # 0 on the first level, a half on the second
    assert [each.games for each in slow.generated()] == [2, 2, 4]
    assert [each.share for each in slow.generated()] == [1.0, 0.5, 0.75]


def test_the_lead_over_all_games_on_the_same_levels():
    nan = np.nan
    slow = replace(
        row_of_dice(0.2), by_level=np.array([[[1, nan], [nan, 1]], [[nan, 0], [1, nan]]])
    )
    other = replace(slow, by_level=np.array([[[1.0, 0], [0, 0]], [[0, 0], [1, 1]]]))
    assert slow.lead_on_levels(other).mean == 0.375  # a quarter on the first level, and a half
    assert slow.lead_on_levels(slow) is slow.lead_on_levels(None) is None


def test_levels_are_in_one_order_however_games_come_in():
    budgets = [1000, 2500]
    matches = [
        LevelMatch("generated", f"random-{level}", 0, budget, 1)
        for budget, level in ((1000, 10), (2500, 9), (1000, 2))
    ]
    tally = Tally(matches, {each: np.array([each.budget == 1000]) for each in matches})
    games = skirmish.games_by_level(tally, budgets)
    assert games[0, :, 0].tolist()[::2] == [1.0, 1.0]  # levels 2 and 10
    assert games[1, 1, 0] == 0.0  # level 9
    assert np.isnan(games[0, 1, 0])


def test_intervals_of_levels():
    spread = GamesWon.of_levels(np.array([0.5, 1.0, 0.0, 0.5] * 10), 80)
    assert 0 <= spread.low < spread.share == 0.5 < spread.high <= 1
    alike = GamesWon.of_levels(np.zeros(20), 40)
    assert np.isnan(alike.low) and alike.reason  # nothing was ever different


def test_page_shows_every_sheet():
    row = row_of_dice(0.2)
    done = Wins(
        game="skirmish",
        title="Wins",
        source="somewhere",
        seed=0,
        rows=(row,),
        notes=skirmish.NOTES,
        budgets=(1000, 2500, 5000, 10000),
    )
    page = markdown([done], "sandtable reproduce skirmish")
    assert "| Greedy | 2 (2) | 3 (3) | 0 (0) | 2 (2) | 7 (7) | agrees |" in page
    assert "| Greedy, seen | 20.0% (15.0% to 25.0%) |" in page
    assert "3 generated levels" in page
    assert "10 and 4 games prove little" in page


def test_answer_without_dice_is_exact_or_differs():
    table, row = published_table(), row_named("simple-5000")
    tally = Tally(level_matches_of(row, table, SETTINGS))
    for match in tally.matches:
        tally.won[match] = np.array([False])
    answer = answered(published_row(row, ""), row, tally, table["opponent_budgets"])
    assert answer.ours == {"seen": (0, 0, 0, 0), "unseen": (0, 0, 0, 0)}
    assert answer.verdict == "differs"


def test_published_figures_stand_beside_agents_trained_as_published():
    """Whoever has other hyper-parameters, or has watched the yardstick, is called ours."""
    deep = [row for row in published_table()["rows"] if row["spec"].startswith("skirmish/dsl")]
    assert len(deep) == 8
    for row in deep:
        published = "seen" in row
        assert published == row["weights"].startswith("thesis-")
        assert published == (not row["label"].endswith(", ours"))


def test_training_and_judging_have_one_rule_for_an_empty_board():
    for preset in (THESIS, IMPROVED, SMALL, TINY):
        assert published_table()["options"] == f"both_empty={preset.both_empty}"
        games = Round(replace(preset, games=1), 0, Replay(10))
        games.set_up()
        assert games.positions[0, layout.BOTH_EMPTY] == layout.SECOND_WINS
