"""sandtable tournament, sprt and ratings: tables, files, errors, and going on after a stop."""

from __future__ import annotations

import json

import pytest

from sandtable.arena.play.run import Run

PAIR = ("random", "skirmish/greedy")
LEVELS = ("--vary", "level=1..3", "--vary", "max_turns=40")


def stopping(monkeypatch, after):
    """Let Ctrl-C come after so many chunks."""
    sound = Run.chunks

    def chunks(self):
        for number, each in enumerate(sound(self)):
            if number == after:
                raise KeyboardInterrupt
            yield each

    monkeypatch.setattr(Run, "chunks", chunks)
    return lambda: monkeypatch.setattr(Run, "chunks", sound)


def test_a_tournament_with_everything(sandtable, tmp_path):
    files = [tmp_path / name for name in ("t.json", "t.html", "t.md", "games.jsonl")]
    code, out, err = sandtable(
        "tournament", "skirmish", *PAIR, *LEVELS, "-n", 2,
        "--json", files[0], "--report", files[1], "--report", files[2], "--archive", files[3],
    )  # fmt: skip
    assert code == 0 and "error" not in err
    assert "round-robin of 2 agents, 3 games of the suite: 12 games" in " ".join(out.split())
    assert "Cross table" in out
    data = json.loads(files[0].read_text())
    assert data["format"] == "sandtable-tournament" and data["complete"]
    assert data["standings"][0]["agent"] == "skirmish/greedy"
    assert data["standings"][0]["wins"]["observations"] == 3  # levels
    assert "<svg" in files[1].read_text()
    assert "](t-plots/" in files[2].read_text()
    assert len(list((tmp_path / "t-plots").iterdir())) == 1
    code, out, err = sandtable("ratings", files[3], "--json", tmp_path / "r.json")
    assert code == 0 and "12 games, 3 observations" in out
    rated = json.loads((tmp_path / "r.json").read_text())
    assert [each["agent"] for each in rated["agents"]] == ["skirmish/greedy", "random"]
    assert rated["agents"][0]["rating"] == pytest.approx(data["standings"][0]["rating"]["rating"])
    assert rated["agents"][0]["low"] == pytest.approx(data["standings"][0]["rating"]["low"])


def test_a_stopped_tournament_goes_on(sandtable, tmp_path, monkeypatch):
    words = ("tournament", "skirmish", *PAIR, *LEVELS, "-n", 2, "--json", tmp_path / "t.json")
    go_on = stopping(monkeypatch, after=2)
    code, out, err = sandtable(*words)
    assert code == 130 and "in progress" in out
    assert "the same command goes on from there" in err
    assert not (tmp_path / "t.json").exists()
    go_on()
    code, _, err = sandtable(*words)
    assert code == 0 and "going on from" in err
    first = (tmp_path / "t.json").read_bytes()
    assert sandtable(*words)[0] == 0
    assert (tmp_path / "t.json").read_bytes() == first


def test_a_test_that_is_decided(sandtable, tmp_path):
    code, out, _ = sandtable(
        "sprt", "lucid", "lucid/one-axis-blue", "lucid/simple-blue",
        "--against", "lucid/axes-red", "--low", 0, "--high", 40, "--json", tmp_path / "s.json",
    )  # fmt: skip
    assert code == 0 and "yes: lucid/one-axis-blue leads" in out
    data = json.loads((tmp_path / "s.json").read_text())
    assert data["decision"] == "accepted" and data["log_likelihood_ratio"] >= data["limits"][1]
    assert sum(data["counts"]) == data["deals"] and data["deals"] % data["batch"] == 0
    code, out, _ = sandtable(
        "sprt", "lucid", "lucid/simple-blue", "lucid/one-axis-blue", "--against", "lucid/axes-red",
        "--high", 40,
    )  # fmt: skip
    assert code == 0 and "no: not by 40 points" in out


def test_a_test_that_runs_out_of_games_and_one_that_is_stopped(sandtable, monkeypatch):
    words = ("sprt", "skirmish", *PAIR[::-1], "--vary", "max_turns=40")
    code, out, _ = sandtable(*words, "--vary", "level=random-1..9")
    assert code == 2 and "undecided" in out and "8 deals of 2 games" in out
    stopping(monkeypatch, after=1)
    code, out, err = sandtable(*words, "--vary", "level=random-11..19")
    assert code == 130 and "so far undecided" in out and "goes on from there" in err


def test_forfeits_are_told(sandtable):
    broken = "external:false"
    code, out, err = sandtable("tournament", "skirmish", broken, "random", "-n", 1)
    assert code == 3 and "forfeits" in out
    assert "2 of 2 games were forfeited" in err and f"forfeit of {broken}" in err
    words = ("sprt", "skirmish", "random", broken, "--vary", "level=1..7,random-0")
    code, _, err = sandtable(*words)
    assert code == 2 and "16 games were forfeited, and count as lost" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tournament skirmish random", "at least two agents"),
        ("tournament skirmish random random", "named twice"),
        ("tournament skirmish random human", "people play with sandtable play"),
        ("sprt gravwell:players=2 random human", "people play with sandtable play"),
        ("tournament skirmish random skirmish/greddy", "skirmish/greedy"),
        ("tournament skirmish random lucid/axes-red", "plays lucid, not skirmish"),
        ("tournament lucid lucid/simple-blue lucid/one-axis-blue", "meets nobody"),
        ("tournament skirmish random skirmish/greedy --gauntlet 2", "nobody to meet"),
        ("tournament skirmish random skirmish/greedy --vary level", "option=value"),
        ("tournament skirmish random skirmish/greedy --suite none.txt", "cannot read the suite"),
        ("tournament skirmish random skirmish/greedy --report r.pdf", ".html, .md, .csv or .tex"),
        ("tournament skirmish random skirmish/greedy --report /proc/r.html", "cannot write"),
        ("sprt gravwell random gravwell/decision-tree --low 5 --high 5", "impossible bounds"),
        ("sprt gravwell random gravwell/decision-tree --alpha 0.7", "alpha and beta"),
        ("sprt skirmish alphabeta:budget=20 alphabeta:budget=40", "throw dice"),
        ("sprt lucid lucid/simple-blue lucid/one-axis-blue", "--against"),
        ("ratings none.jsonl", "no file"),
    ],
)
def test_mistakes_end_in_one_line(sandtable, words, message):
    code, _, err = sandtable(*words.split())
    assert code == 1 and message in err
    assert err.startswith("error: ") and err.count("\n") == 1


def test_ratings_need_something_to_rate(sandtable, tmp_path):
    kept = tmp_path / "games.jsonl"
    sandtable("match", "lucid", "lucid/simple-blue", "lucid/axes-red", "-n", 3, "--archive", kept)
    code, _, err = sandtable("ratings", kept)
    assert code == 1 and "nothing to rate" in err
    code, _, err = sandtable("ratings", kept, "--game", "lucdi")
    assert code == 1 and "lucid" in err
