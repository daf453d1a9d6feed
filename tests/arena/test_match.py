"""Matches: the same results however they are played, and nothing an agent does breaks them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sandtable.agent import Agent
from sandtable.arena.play import plan as chunks
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.match import open_run, play_match, play_run
from sandtable.arena.play.plan import PlanPlayer, Results, make_plan
from sandtable.arena.play.run import RunOptions
from sandtable.arena.statistics.results import summarise
from sandtable.arena.statistics.totals import MatchTotals
from sandtable.errors import UnknownName, UnreadableSpec, WrongSeats
from sandtable.records.replay import replay
from sandtable.records.store import open_store
from sandtable.registry import make_agent, make_game

PAIRINGS = [
    ("lucid/simple-blue", "lucid/axes-red"),
    ("lucid/one-axis-blue", "lucid/axes-red"),
    ("lucid/one-axis-blue:axis=a", "random"),
    ("random", "random"),
]


def without_timing(result):
    data = result.as_data()
    del data["timing"]
    return json.dumps(data)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_compiled_games_are_the_games_of_the_python_loop(pairing):
    game = make_game("lucid")
    agents = [make_agent(spec) for spec in pairing]
    compiled = play_games(game, policies(game, agents), 5, 10, 40, keep=True)
    for index in range(40):
        played = play_game(game, agents, specs=pairing, seed=5, number=10 + index)
        length = compiled.lengths[index]
        assert played.record.actions == tuple(compiled.actions[index, :length])
        assert played.record.outcome.scores == tuple(compiled.scores[index])
        assert played.luck == pytest.approx(compiled.luck[index], abs=1e-12)


def test_any_number_of_jobs_gives_the_same_results():
    plan = make_plan("lucid", PAIRINGS[0], 5000, seed=3)
    assert without_timing(play_match(plan, jobs=1)) == without_timing(play_match(plan, jobs=3))


def test_a_long_match_keeps_no_games_and_tells_the_same(monkeypatch):
    plan = make_plan("lucid", PAIRINGS[0], 5000, seed=3)
    with open_run([plan], RunOptions(jobs=1, cluster=None, archive=None)) as run:
        every_one = Results(make_game(plan.game), len(plan.orders))
        expected = without_timing(play_run(plan, run, None, every_one))
    assert len(every_one.scores) == 5000
    collected = []

    def noted(plan, results, **more):
        collected.append(results)
        return summarise(plan, results, **more)

    monkeypatch.setattr("sandtable.arena.play.match.summarise", noted)
    monkeypatch.setattr(MatchTotals.__init__, "__defaults__", (1, 1000))  # games that are kept
    assert without_timing(play_match(plan)) == expected
    assert not len(collected[0].scores)
    assert not collected[0].chunks


class Slow(Agent):
    """SimpleBlue without its kernel, so that the match has to go through Python."""

    def __init__(self):
        self.inner = make_agent("lucid/simple-blue")

    def begin(self, game, seat, dice):
        self.inner.begin(game, seat, dice)

    def choose(self, view, dice):
        return self.inner.choose(view, dice)


def test_the_python_path_gives_the_same_results(monkeypatch):
    plan = make_plan("lucid", PAIRINGS[0], 150, seed=3)
    expected = without_timing(play_match(plan))
    monkeypatch.setattr(
        chunks,
        "make_agent",
        lambda spec: Slow() if spec == "lucid/simple-blue" else make_agent(spec),
    )
    assert PlanPlayer(plan).policies is None
    assert without_timing(play_match(plan)) == expected


def test_results_have_the_documented_keys():
    data = play_match(make_plan("lucid", PAIRINGS[0], 50, seed=1)).as_data()
    assert data["games"] == 50
    assert data["seed"] == 1
    assert [seat["agent"] for seat in data["seats"]] == list(PAIRINGS[0])
    for seat in data["seats"]:
        for key in ("mean", "sd", "low", "high", "adjusted_mean", "adjusted_low", "adjusted_high"):
            assert isinstance(seat[key], float)
        assert "win_share" not in seat  # this game has scores, not winners
    assert data["seats"][0]["mean"] == -data["seats"][1]["mean"]


def test_scores_without_luck_are_steadier():
    result = play_match(make_plan("lucid", PAIRINGS[0], 20_000, seed=0))
    blue = result.seats[0]
    assert blue.score.deviation > 2.5
    assert blue.adjusted.deviation < 1.2
    assert blue.adjusted.mean == pytest.approx(3.87, abs=0.04)  # five standard errors
    assert blue.score.low < blue.adjusted.mean < blue.score.high


def test_luck_has_mean_zero():
    game = make_game("lucid")
    for pairing in PAIRINGS[:2]:
        acting = policies(game, [make_agent(spec) for spec in pairing])
        luck = play_games(game, acting, 8, 0, 40_000, keep=False).luck
        error = luck.std(axis=0) / np.sqrt(len(luck))
        assert (np.abs(luck.mean(axis=0)) < 4 * error).all()


@pytest.mark.parametrize("ending", ["jsonl", "db"])
def test_kept_games_replay_to_their_results(tmp_path, ending):
    path = str(tmp_path / f"games.{ending}")
    plan = make_plan("lucid", PAIRINGS[1], 25, seed=4)
    result = play_match(plan, archive=path)
    assert result.kept == 25
    assert play_match(plan, archive=path, jobs=2).kept == 0  # the same games are known already
    store = open_store(path)
    records = sorted(store.records(), key=lambda record: record.number)
    store.close()
    assert [record.number for record in records] == list(range(25))
    for record in records:
        for _ in replay(record):
            pass
        assert record.outcome.scores == tuple(result.scores[record.number])


@pytest.mark.parametrize(
    ("game", "agents", "error", "words"),
    [
        ("lucif", PAIRINGS[0], UnknownName, "Did you mean 'lucid'?"),
        ("lucid", ("lucid/simple-blu", "random"), UnknownName, "Did you mean 'lucid/simple-blue'?"),
        ("lucid", ("random",), WrongSeats, "needs 2 agents, in the order blue, red; got 1"),
        ("lucid", ("lucid/axes-red", "random"), WrongSeats, "plays red, not blue"),
        ("lucid", ("random:depth=3", "random"), UnreadableSpec, "no option 'depth'"),
        ("lucid", ("lucid/one-axis-blue:axis=z", "random"), UnreadableSpec, "one of a, b, c, d, e"),
    ],
)
def test_wrong_names_and_seats_are_told(game, agents, error, words):
    with pytest.raises(error, match=words):
        PlanPlayer(make_plan(game, agents, 10, 0))


def test_a_game_that_repeats_itself_counts_once():
    # Neither the game nor these agents throw dice: two hundred games are one.
    agents = ["alphabeta:budget=30", "alphabeta:budget=20"]
    plan = make_plan("skirmish", agents, 12, seed=0)
    results = Results(make_game("skirmish"))
    results.scores = np.tile([1.0, -1.0], (12, 1))
    results.measures = np.zeros((12, 2, len(results.game.measures)))
    result = summarise(plan, results, kept=None, seconds=1.0, jobs=1)
    first = result.seats[0]
    assert first.wins.mean == 1.0 and not first.wins.shown and not first.score.shown
    assert first.wins.reason == "all deals went the same" and np.isnan(first.rating.low)
    assert result.as_data()["seats"][0]["no_interval"] == "all deals went the same"
    assert "count as one" in result.as_data()["notes"][0]
    results.scores[3] = (-1.0, 1.0)
    played = summarise(plan, results, kept=None, seconds=1.0, jobs=1)
    assert played.seats[0].wins.count == 12 and not played.notes
