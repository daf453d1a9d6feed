"""``sandtable mistakes`` and notes in ``sandtable replay``."""

from __future__ import annotations

import re
from contextlib import closing

import pytest

from sandtable.arena.mistakes import GivenAway, Judge, decisions_of
from sandtable.arena.play.game_loop import play_game
from sandtable.cli.given_away import Player, judge_seat
from sandtable.records.files import append_records
from sandtable.registry import make_agent, make_game

JUDGE = "skirmish/champion:budget=200"


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    game = make_game("skirmish:max_turns=8")
    agents = [make_agent("random"), make_agent("random")]
    append_records(
        path, [play_game(game, agents, specs=("human", "random"), seed=4, number=0).record]
    )
    return path


def test_mistakes_are_told_with_what_was_better_and_kept_on_demand(sandtable, games):
    words = ["mistakes", games, "--judge", JUDGE, "--count", "2"]
    code, out, _ = sandtable(*words)
    assert code == 0
    assert f"First: 8 turns judged by {JUDGE}" in out  # the person's
    assert "Second:" not in out
    assert re.search(r"Given away in all: \d+ percentage points of the chance to win, ", out)
    found = re.findall(
        r"(\d+) percentage points of the chance to win: (\d+)% instead of (\d+)%", out
    )
    assert 1 <= len(found) <= 2
    for loss, played, better in found:
        assert abs(int(better) - int(played) - int(loss)) <= 1
    assert out.count("better: ") == len(found)
    assert f"{len(found)} note" in sandtable(*words, "--keep")[1]
    shown = sandtable("replay", games)[1]
    assert shown.count(f"Note: {JUDGE}: gave away") == len(found)
    assert "1 of 1 games" in sandtable("replay", games, "--check")[1]
    assert "Note:" not in sandtable("replay", games, "--seat", "first")[1]


def test_totals_are_told_of_every_player_of_all_games(sandtable, tmp_path):
    path, game = tmp_path / "two.jsonl", make_game("lucid")
    specs = ("lucid/simple-blue", "lucid/axes-red")
    agents = [make_agent(spec) for spec in specs]
    append_records(
        path, [play_game(game, agents, specs=specs, seed=4, number=n).record for n in (0, 1)]
    )
    judge = "lucid/champion-blue:tries=2,candidates=1,reply_tries=1"
    code, out, _ = sandtable("mistakes", path, "--totals", "--seat", "blue", "--judge", judge)
    assert code == 0
    assert "given away in units of the final score, luck left out" in out
    found = re.search(r"Blue lucid/simple-blue: ([\d.]+) units a game \(2 games\), ([\d.]+)", out)
    assert found is not None
    assert float(found[1]) > 0.3
    assert sandtable("mistakes", path, "--totals", "--keep")[0] == 1


def test_totals_say_how_many_turns_the_judge_had_no_opinion_of(tmp_path):
    """What is not judged is not in the sum, so nobody may think that nothing was given away."""
    game, specs = make_game("lucid"), ("lucid/simple-blue", "lucid/axes-red")
    agents = [make_agent(spec) for spec in specs]
    record = play_game(game, agents, specs=specs, seed=4, number=0).record
    with closing(Judge(game, 0, "lucid/champion-blue:tries=1,candidates=1")) as judge:
        known = [each for each in decisions_of(record, 0) if judge.verdict(each) is not None]
        blind = {each.ply for each in known[:3]}
        usual = judge.verdict
        judge.verdict = lambda each: None if each.ply in blind else usual(each)
        players = {}
        judge_seat(players, record, game, judge)
    (player,) = players.values()
    assert player.unjudged == 3
    assert f"({len(known) - 3} of {len(known)} turns)" in player.line()


def test_a_game_without_a_verdict_does_not_count_as_one_without_mistakes():
    games = [GivenAway(10, 4.0), GivenAway(0, 0.0), GivenAway(10, 2.0)]
    player = Player(make_game("lucid"), 0, "random", "a judge", games, unjudged=5)
    assert "Blue random: 3.00 units a game (2 of 3 games), 0.300 a turn" in player.line()


def test_totals_of_nobody_who_was_judged_are_no_figures(tmp_path):
    """Without a single verdict nothing was measured: 0.00 would read as perfect play."""
    game, specs = make_game("lucid"), ("lucid/simple-blue", "lucid/axes-red")
    record = play_game(game, list(map(make_agent, specs)), specs=specs, seed=4, number=0).record
    with closing(Judge(game, 0, "lucid/champion-blue:tries=1,candidates=1")) as judge:
        judge.verdict = lambda each: None
        players = {}
        judge_seat(players, record, game, judge)
    (player,) = players.values()
    assert "nothing can be told (1 game): no opinion about any of" in player.line()
    assert "0.00" not in player.line()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--judge", "alphabeta"], "does not value turns by chance to win"),
        (["--judge", "lucid/champion-blue"], "lucid"),
        (["--seat", "third"], "has no seat 'third'"),
    ],
)
def test_what_cannot_be_judged_is_said_in_one_line(sandtable, games, words, said):
    code, _, error = sandtable("mistakes", games, *words)
    assert code == 1
    assert said in error
    assert error.count("\n") == 1
