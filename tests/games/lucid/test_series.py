"""``sandtable series``: a person's games against AxesRed, broken off and gone on with."""

from __future__ import annotations

import io
import sys

import numpy as np

from sandtable.arena.play.game_loop import play_game
from sandtable.games.lucid.commands.series import luckless_score, series_lines
from sandtable.games.lucid.screen import LUCK_WEIGHTS
from sandtable.records.files import RecordFile
from sandtable.registry import make_agent, make_game


def records(path):
    return [finding.record for finding in RecordFile(path, create=False).scan()]


def answers(monkeypatch, *lines):
    """Let a person type these lines."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_series_goes_on_until_it_is_complete(sandtable, tmp_path):
    path = tmp_path / "mine.jsonl"
    words = ["series", "play", path, "--agent", "lucid/simple-blue"]
    code, out, _ = sandtable(*words, "--games", 3, "--seed", 5)
    assert code == 0 and "3 of 3 games" in out and "9.47 (8.68 to 10.26)" in out
    first = path.read_text()
    assert "is complete" in sandtable(*words, "--games", 3)[1]
    sandtable(*words, "--games", 20)
    assert path.read_text().startswith(first)  # nothing is played twice
    kept = records(path)
    assert [record.number for record in kept] == list(range(20))
    assert {record.seed for record in kept} == {5}
    out = sandtable("series", "show", path, "--agent", "lucid/simple-blue")[1]
    assert out.count("freed") == 21 and "20 of 20 games" in out and "below the expert" in out


def test_a_game_that_was_broken_off_is_the_same_game_afterwards(sandtable, tmp_path, monkeypatch):
    path = tmp_path / "mine.jsonl"
    answers(monkeypatch, "a1-a2 b1-b2", "end", "quit")
    out = sandtable("series", "play", path, "--seed", 4)[1]
    assert "to go on: sandtable series play" in out
    begun = records(path)[0]
    assert begun.outcome is None and begun.actions
    answers(monkeypatch, "c1-c2", "end", "quit")
    assert "where it was broken off" in sandtable("series", "play", path)[1]
    further = records(path)
    assert len(further) == 1  # one game, not two
    assert further[0].actions[: len(begun.actions)] == begun.actions
    assert len(further[0].actions) > len(begun.actions)


def test_other_files_are_refused(sandtable, tmp_path):
    path = tmp_path / "mine.jsonl"
    sandtable("series", "play", path, "--agent", "lucid/simple-blue", "--games", 1)
    code, _, err = sandtable("series", "play", path)
    assert code != 0 and "not one of this series of human" in err
    code, _, err = sandtable("series", "play", path, "--agent", "lucid/simple-blue", "--seed", 1)
    assert code != 0 and "is a series of the seed" in err
    assert "ends in .jsonl" in sandtable("series", "play", tmp_path / "mine.db")[2]
    assert "no finished game of human" in sandtable("series", "show", path)[2]


def test_scores_freed_of_luck_scatter_less_around_the_same_mean():
    game, specs = make_game("lucid"), ["lucid/simple-blue", "lucid/axes-red"]
    agents = [make_agent(spec) for spec in specs]
    played = [play_game(game, agents, specs=specs, seed=8, number=n) for n in range(300)]
    raw = np.array([each.record.outcome.scores[0] for each in played])
    freed = np.array([luckless_score(each.record) for each in played])
    assert np.allclose(raw - freed, [each.luck @ np.array(LUCK_WEIGHTS) for each in played])
    assert freed.std() < 0.65 * raw.std()
    assert abs((raw - freed).mean()) < 3.5 * (raw - freed).std() / np.sqrt(len(raw))
    assert "300 of 20 games" in series_lines([each.record for each in played])[0]
