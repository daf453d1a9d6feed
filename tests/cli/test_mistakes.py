"""``sandtable mistakes`` and notes in ``sandtable replay``."""

from __future__ import annotations

import re

import pytest

from sandtable.arena.play.game_loop import play_game
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
