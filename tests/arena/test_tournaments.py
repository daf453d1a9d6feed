"""Tournaments: standings from games whose results are known, and observations that are honest."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import Chunk
from sandtable.arena.play.run import Run, RunOptions
from sandtable.arena.play.sequential_match import Tally, make_sequential_match
from sandtable.arena.statistics.intervals import Estimate
from sandtable.arena.statistics.pairs import elo_of_share
from sandtable.arena.tournaments.page import (
    cross_sheet,
    mean_text,
    share_text,
    standings_sheet,
    tournament_page,
)
from sandtable.arena.tournaments.schedules import make_suite, make_tournament, read_suite
from sandtable.arena.tournaments.standings import Games
from sandtable.errors import SandtableError
from sandtable.reports.pages import html, markdown

pytestmark = pytest.mark.usefixtures("with_race")

THREE = ("race/bold", "race/careful", "random")
BOLD = ("race/bold", "race/bold:steps=1", "race/bold:steps=2")  # one kernel: compiled once


def filled(tournament, results):
    """Return a tournament in which match i ends with the scores results[i] [game, seat]."""
    games = Games(tournament)
    for match, scores in enumerate(results):
        if not scores:
            continue
        values = np.array(scores, dtype=float)
        game = games.results[match].game
        empty = np.zeros((len(values), len(game.luck)))
        measures = np.zeros((*values.shape, len(game.measures)))
        games.add(match, Chunk(0, values, empty, measures))
    return games.conclude()


def pairs(wins, losses):
    """Return deals of two games, in each of which the first agent wins both or loses both."""
    return [[1, 0], [0, 1]] * wins + [[0, 1], [1, 0]] * losses


def played(tournament, jobs=1):
    games = Games(tournament)
    with Run(tournament.matches, RunOptions(jobs=jobs)) as run:
        for match, chunk in run.chunks():
            games.add(match, chunk)
    return games.conclude()


def test_standings_of_known_results():
    tournament = make_tournament("round-robin", ["race:seats=2"], THREE, deals=40, seed=0)
    result = filled(tournament, [pairs(30, 10), pairs(32, 8), pairs(30, 10)])
    assert result.complete and result.games == 240
    first, second, third = result.standings
    assert [each.agent for each in result.standings] == list(THREE)
    assert first.wins.mean == pytest.approx(62 / 80)
    assert first.wins.count == 40  # deals, not games
    assert first.behind is None
    assert second.behind.mean == pytest.approx(62 / 80 - 40 / 80)
    assert result.cross["race/bold", "random"].mean == 0.8
    assert result.cross["random", "race/bold"].mean == pytest.approx(0.2)
    assert first.rating.rating > 80 > second.rating.rating > third.rating.rating
    assert not result.cycles and first.mass is None
    leads = elo_of_share(0.75), elo_of_share(0.8)
    assert first.rating.rating - third.rating.rating == pytest.approx(sum(leads) * 2 / 3, rel=0.3)


def test_a_cycle_is_found_and_ranked():
    tournament = make_tournament("round-robin", ["race:seats=2"], THREE, deals=40, seed=0)
    sure = filled(tournament, [pairs(35, 5), pairs(5, 35), pairs(35, 5)])
    assert [set(each.agents) for each in sure.cycles] == [set(THREE)]
    assert [each.mass for each in sure.standings] == pytest.approx([1 / 3] * 3)
    weak = filled(tournament, [pairs(21, 19), pairs(19, 21), pairs(35, 5)])
    assert weak.cycles == ()  # such leads are chance
    assert "in a circle" not in markdown(tournament_page(weak, "sandtable tournament"))
    page = markdown(tournament_page(sure, "sandtable tournament"))
    assert "in a circle" in page and "alpha-rank" in page and "by chance" in page


def test_the_same_for_any_number_of_jobs_and_the_same_as_matches():
    tournament = make_tournament("round-robin", ["race:seats=2"], BOLD, deals=30, seed=3)
    one, two = played(tournament), played(tournament, jobs=2)
    assert one.as_data() == two.as_data()
    match = play_match(tournament.matches[0])
    assert one.cross[BOLD[:2]].mean == pytest.approx(match.agents[0].wins.mean)
    json.dumps(one.as_data(), allow_nan=False)


def test_tables_of_four_and_suites():
    agents = [*BOLD, "race/bold:steps=0"]
    suite = ["race", "race:seats=2"]
    result = played(make_tournament("round-robin", suite, agents, deals=20, seed=0))
    assert result.games == 20 * (4 + 6 * 2)
    # On a deal at a table of four the means of all add up to 1, on one of pairs to 4 / 2.
    assert sum(each.wins.mean for each in result.standings) == pytest.approx((1 + 2) / 2)
    assert result.standings[0].wins.count == 40  # deals of both games of the suite


def test_a_game_of_scores_has_means_by_seat():
    agents = ["lucid/simple-blue", "lucid/one-axis-blue", "lucid/axes-red"]
    result = played(make_tournament("round-robin", ["lucid"], agents, deals=200, seed=0))
    assert [each.agent for each in result.standings] == [
        "lucid/one-axis-blue",
        "lucid/simple-blue",
        "lucid/axes-red",
    ]
    one, simple, red = result.standings
    assert one.seats == ("blue",) and red.seats == ("red",) and red.behind is None
    assert one.rating is None and one.wins is None
    assert 1 < simple.behind.mean < 2 and simple.behind.low > 0
    assert result.cross["lucid/one-axis-blue", "lucid/axes-red"].mean == one.adjusted.mean
    assert standings_sheet(result, wide=False).headings[:5] == (
        "#", "agent", "seats", "mean score", "without luck",
    )  # fmt: skip


def test_without_dice_equal_deals_are_one_observation():
    agents = ["alphabeta:budget=30", "alphabeta:budget=20"]
    alone = filled(make_tournament("round-robin", ["skirmish"], agents, 50, 0), [pairs(50, 0)])
    assert math.isnan(alone.standings[0].wins.low) and math.isnan(alone.standings[0].rating.low)
    assert math.isnan(alone.cross[tuple(agents)].low)
    assert "throw dice" in alone.notes[0]
    suite = make_suite("skirmish", ["level=1..4"])
    results = [pairs(50, 0), pairs(0, 50), pairs(50, 0), pairs(50, 0)]
    levels = filled(make_tournament("round-robin", suite, agents, 50, 0), results)
    assert levels.standings[0].wins.count == 4
    assert levels.standings[0].wins.reason == "fewer than 20 observations"  # 4 levels, 400 games


def test_progress_is_marked_as_such():
    tournament = make_tournament("round-robin", ["race:seats=2"], THREE, deals=40, seed=0)
    result = filled(tournament, [pairs(3, 1), pairs(2, 2), []])
    assert not result.complete and result.games == 16
    assert "in progress" in standings_sheet(result, wide=False).caption
    assert cross_sheet(result, wide=False).lines[1].cells.count("-") == 1
    nothing = filled(tournament, [])
    assert nothing.games == 0 and not nothing.complete


def test_reports_stand_alone():
    tournament = make_tournament("gauntlet", ["race:seats=2"], THREE, deals=40, seed=0)
    result = filled(tournament, [pairs(30, 10), pairs(20, 20)])
    page = html(tournament_page(result, "sandtable tournament <&>"))
    assert "&lt;&amp;&gt;" in page and "<svg" in page and "prefers-color-scheme:dark" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page and "<script" not in page


def test_suites():
    assert make_suite("skirmish", ["level=1,3..4,random-7"]) == [
        "skirmish",
        "skirmish:level=3",
        "skirmish:level=4",
        "skirmish:level=random-7",
    ]
    both = make_suite("gravwell", ["players=2..4", "tractor=true,inert"])
    assert len(both) == 6 and both[0] == "gravwell:players=2"
    assert make_suite("lucid", []) == ["lucid"]


@pytest.mark.parametrize(
    ("variation", "words"),
    [
        ("level", "option=value"),
        ("level=", "option=value"),
        ("=3", "option=value"),
        ("level=4..2", "no range"),
        ("level=random-0..99999", "no range"),
        ("lvl=1", "level"),
        ("level=99", "99"),
    ],
)
def test_suites_that_make_no_sense(variation, words):
    with pytest.raises(SandtableError, match=words):
        make_suite("skirmish", [variation])


def test_a_suite_from_a_file(tmp_path):
    path = tmp_path / "suite.txt"
    path.write_text("# levels\nskirmish:level=2\n\nskirmish  # the first\n")
    assert read_suite(path, "skirmish") == ["skirmish:level=2", "skirmish"]
    for text, words in (
        ("lucid\n", "not a game"),
        ("skirmish:level=99\n", "line 1"),
        ("", "no games"),
    ):
        path.write_text(text)
        with pytest.raises(SandtableError, match=words):
            read_suite(path, "skirmish")
    with pytest.raises(SandtableError, match="cannot read"):
        read_suite(tmp_path / "none.txt", "skirmish")


def match_results(match):
    tally = Tally(match)
    with Run(match.plans, RunOptions()) as run:
        for plan, chunk in run.chunks():
            tally.add(plan, chunk)
    return tally.results()


def test_a_contest_in_both_seats():
    suite = ["race:seats=2", "race"]
    match = make_sequential_match(suite, BOLD[:2], None, 120, seed=1)
    assert [plan.agents for plan in match.plans] == [BOLD[:2], BOLD[:2] * 2]
    results = match_results(match)
    assert results.shape == (60, 2) and set(results.ravel()) <= {0.0, 0.5, 1.0}
    alone = play_match(match.plans[0])
    shares = alone.scores[:, 0].reshape(-1, 2)
    shares[:, 1] = 1 - shares[:, 1]
    assert (results[::2] == shares).all()


def test_a_contest_against_the_same_opponent():
    agents = ("lucid/one-axis-blue", "lucid/simple-blue")
    match = make_sequential_match(["lucid"], agents, "lucid/axes-red", 400, seed=0)
    assert match.games == 400 and match.games_of_a_deal == 2
    results = match_results(match)
    one, simple = (play_match(plan).scores[:, 0] for plan in match.plans)
    assert (results[:, 0] == (1 + np.sign(one - simple)) / 2).all()
    assert results.mean() > 0.6


def test_results_come_up_to_the_first_gap():
    match = make_sequential_match(
        ["race:seats=2", "race"], ("race/bold", "random"), None, 40, seed=0
    )
    tally = Tally(match)
    assert tally.results().shape == (0, 2)
    for plan, deals in ((0, 5), (1, 3)):
        seats = (2, 4)[plan]
        count = 2 * deals
        tally.add(plan, Chunk(0, np.ones((count, seats)), np.zeros((count, 0)),
                              np.zeros((count, seats, 2))))  # fmt: skip
    assert len(tally.results()) == 7  # 0, 1, 0, 1, 0, 1, 0; the next of the second game lacks


@pytest.mark.parametrize(
    ("game", "agents", "against", "words"),
    [
        ("race:seats=2", ("random", "random"), None, "two different agents"),
        ("race:seats=2", ("random", "race/bold"), "random", "not with one of them"),
        ("race:seats=3", ("random", "race/bold"), None, "evenly"),
        ("lucid", ("lucid/simple-blue", "lucid/axes-red"), None, "--against"),
        ("lucid", ("lucid/simple-blue", "lucid/axes-red"), "random", "the same seats"),
        ("race:seats=2", ("random", "race/bald"), None, "race/bold"),
    ],
)
def test_contests_that_cannot_be(game, agents, against, words):
    with pytest.raises(SandtableError, match=words):
        make_sequential_match([game], agents, against, 100, seed=0)


@pytest.mark.parametrize("wide", [True, False])
def test_who_has_not_played_yet_has_no_figure(wide):
    nothing = Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    assert share_text(wide)(nothing) == mean_text(wide)(nothing) == "-"
