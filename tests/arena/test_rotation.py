"""Rotated seats: every agent plays every seat with the same dice, and a deal counts once."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from arena.race import race
from sandtable.arena.play import plan as chunks
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import PlanPlayer, make_plan, rotations
from sandtable.arena.play.tasks import Cutter
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.errors import WrongSeats
from sandtable.records.replay import check
from sandtable.records.store import open_store
from sandtable.registry import make_agent

AGENTS = ("race/bold", "random", "random", "random")  # the same all over: compiled once
FOUR = ("race/bold:steps=2", "race/bold:steps=1", "race/careful", "random")

pytestmark = pytest.mark.usefixtures("with_race")


def without_timing(result):
    data = result.as_data()
    del data["timing"]
    return json.dumps(data)


class InPython:
    """An agent without its kernel, so that the match has to go through Python."""

    def __init__(self, spec):
        self.inner = make_agent(spec)
        self.begin, self.choose = self.inner.begin, self.inner.choose


@pytest.fixture
def in_python(monkeypatch):
    monkeypatch.setattr(chunks, "make_agent", InPython)


def test_agents_move_on_by_one_seat():
    assert rotations("abc") == ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    plan = make_plan("race:seats=3", FOUR[:3], 3, 0, rotate=True)
    assert [plan.seated(rotation)[rotation] for rotation in range(3)] == [FOUR[0]] * 3


def test_rotations_that_are_alike_are_played_once():
    assert rotations("abab") == ((0, 1, 2, 3), (3, 0, 1, 2))
    assert rotations("aaaa") == ((0, 1, 2, 3),)
    assert len(rotations("abbb")) == len(rotations("aabb")) == 4


def test_games_are_whole_deals():
    assert make_plan("race", AGENTS, 9, 0, rotate=True).games == 12
    assert make_plan("race", AGENTS, 9, 0).games == 9
    cutter = Cutter([make_plan("race", AGENTS, 60, 0, rotate=True)], games_per_deal=[4], workers=3)
    cuts = []
    while task := cutter.cut():
        cuts.append((task.first, task.count))
        cutter.sizes[0] = 7
    assert cuts[:3] == [(0, 4), (4, 4), (8, 4)]
    assert all(first % 4 == count % 4 == 0 for first, count in cuts)
    assert sum(count for _, count in cuts) == 60


def test_every_rotation_is_the_match_in_those_seats():
    rotated = play_match(make_plan("race", AGENTS, 100, seed=2, rotate=True))
    assert rotated.rotations == 4
    for rotation in range(4):
        seated = rotated.plan.seated(rotation)
        for deal in range(25):
            agents = [make_agent(spec) for spec in seated]
            played = play_game(race(), agents, specs=seated, seed=2, number=deal)
            assert tuple(rotated.scores[4 * deal + rotation]) == played.record.outcome.scores
            assert np.array_equal(rotated.measured[4 * deal + rotation], played.measures)


def test_any_number_of_jobs_and_the_python_loop_give_the_same_results(monkeypatch):
    plan = make_plan("race", AGENTS, 4000, seed=3, rotate=True)
    expected = without_timing(play_match(plan, jobs=1))
    assert without_timing(play_match(plan, jobs=3)) == expected
    short = make_plan("race", AGENTS, 100, seed=3, rotate=True)
    expected = without_timing(play_match(short))
    monkeypatch.setattr(chunks, "make_agent", InPython)
    assert PlanPlayer(short).policies is None
    assert without_timing(play_match(short)) == expected


def test_agents_are_judged_over_all_seats(in_python):
    plan = make_plan("race", FOUR, 200, seed=1, rotate=True)
    result = play_match(plan)
    assert [each.agent for each in result.agents] == list(FOUR)
    for number, agent in enumerate(result.agents):
        scores, tiles = [], []
        for deal in range(50):
            rows = [
                (4 * deal + rotation, plan.orders[rotation].index(number)) for rotation in range(4)
            ]
            assert sorted(seat for _, seat in rows) == [0, 1, 2, 3]
            scores.append(np.mean([result.scores[row] for row in rows]))
            tiles.append(np.mean([result.measured[row][0] for row in rows]))
        assert (agent.score.mean, agent.score.deviation) == pytest.approx(
            (np.mean(scores), np.std(scores, ddof=1))
        )
        assert agent.measures[0] == estimate_mean(np.array(tiles), games=4)
        assert agent.wins.mean == pytest.approx(agent.score.mean)  # the score is the share
        assert agent.wins.count == 50
    assert sum(each.wins.mean for each in result.agents) == pytest.approx(1)
    assert sum(each.rating.rating for each in result.agents) == pytest.approx(0)
    assert result.agents[2].measures[0].deviation == 0  # the careful one always makes three steps
    by_seat = [each.wins.mean for each in result.seats]
    assert sum(by_seat) == pytest.approx(1)
    assert all(each.agent is None and each.rating is None for each in result.seats)


def test_an_agent_in_several_seats_is_one_player():
    result = play_match(make_plan("race", AGENTS, 2000, seed=1, rotate=True))
    bold, others = result.agents
    assert (bold.seats, others.seats) == (1, 3)
    assert bold.wins.mean + 3 * others.wins.mean == pytest.approx(1)
    lead = bold.rating.rating - others.rating.rating
    share = bold.wins.mean
    assert lead == pytest.approx(400 * math.log10(3 * share / (1 - share)), abs=0.5)
    fixed = play_match(make_plan("race", AGENTS, 500, seed=1))
    assert not fixed.agents
    assert fixed.seats[1].rating == fixed.seats[2].rating != fixed.seats[0].rating
    assert fixed.seats[0].agent == "race/bold"


def test_data_have_the_documented_keys():
    data = play_match(make_plan("race", AGENTS, 640, seed=1, rotate=True)).as_data()
    assert (data["games"], data["deals"], data["format_version"]) == (640, 160, 1)
    assert data["rotations"][1] == ["random", "race/bold", "random", "random"]
    assert [agent["agent"] for agent in data["agents"]] == ["race/bold", "random"]
    for each in (*data["agents"], *data["seats"]):
        assert set(each["measures"]) == {"end tile", "bold steps"}
        assert set(each["measures"]["end tile"]) == {"mean", "sd", "low", "high"}
        assert isinstance(each["win_share_low"], float)
    assert isinstance(data["agents"][0]["rating_low"], float)
    assert "rating" not in data["seats"][0]
    few = play_match(make_plan("race", AGENTS, 400, seed=1, rotate=True)).as_data()["agents"][0]
    assert few["win_share_low"] is None and "fewer than 150 deals" in few["win_share_no_interval"]
    assert few["rating_low"] is None and "fewer than 150 deals" in few["rating_no_interval"]
    same = play_match(make_plan("race", ["random"] * 4, 40, seed=1, rotate=True)).as_data()
    assert "rating" not in same["agents"][0]  # nobody to compare with
    assert same["deals"] == 40


def test_kept_games_are_those_of_the_fixed_seats(tmp_path):
    path = str(tmp_path / "games.db")
    plan = make_plan("race", AGENTS, 40, seed=4, rotate=True)
    result = play_match(plan, archive=path)
    assert result.kept == 40
    assert play_match(plan, archive=path, jobs=2).kept == 0
    store = open_store(path)
    records = list(store.records())
    store.close()
    assert len({(record.number, record.seats) for record in records}) == 40
    for record in records:
        check(record)
        rotation = record.seats.index("race/bold")
        assert record.outcome.scores == tuple(result.scores[4 * record.number + rotation])
    second = make_plan("race", ["random", "race/bold", "random", "random"], 10, seed=4)
    assert play_match(second, archive=path).kept == 0


def test_forfeits_are_told_of_the_agent(monkeypatch):
    class Stubborn:
        def choose(self, view, dice):
            return 7

    monkeypatch.setattr(
        chunks,
        "make_agent",
        lambda spec: Stubborn() if spec == "race/bold" else make_agent(spec),
    )
    result = play_match(make_plan("race", AGENTS, 8, seed=1, rotate=True))
    bold, others = result.agents
    assert (bold.forfeits, others.forfeits) == (8, 0)
    assert [seat.forfeits for seat in result.seats] == [2, 2, 2, 2]
    assert bold.score.mean == 0 and others.score.mean == 1
    assert math.isnan(bold.measures[0].mean)  # no game was finished
    told = result.as_data()["forfeits"]
    assert [(each["number"], each["rotation"]) for each in told[3:5]] == [(0, 3), (1, 0)]
    assert {each["agent"] for each in told} == {"race/bold"}
    assert [each["seat"] for each in told[:4]] == ["red", "green", "blue", "white"]


def test_agents_that_cannot_take_every_seat_are_told():
    with pytest.raises(WrongSeats, match=r"every seat.*'lucid/axes-red' plays red, not blue"):
        make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], 10, 0, rotate=True)
