"""Games that are kept for good: found by match and program, also after a kill and a full disk."""

from __future__ import annotations

import json
import resource
import signal
from dataclasses import replace

import pytest

from sandtable.arena.play.kept_games import KeptGames
from sandtable.arena.play.plan import make_plan
from sandtable.errors import SandtableError


def kept_in(path, program="program"):
    return KeptGames(path, lambda plan: program)


@pytest.fixture
def plan():
    return make_plan("stratego", ["stratego/baseline", "random"], 100, 3, rotate=True)


def test_a_stopped_run_goes_on_after_the_last_whole_stretch(plan, tmp_path):
    path = tmp_path / "kept.jsonl"
    kept = kept_in(path)
    kept.add(plan, 0, [1.0, 0.0])
    kept.add(plan, 4, [-1.0, -1.0])
    assert kept.find(plan) == [1.0, 0.0]  # 2 and 3 are missing
    kept.add(plan, 2, [0.0, 1.0, -1.0])
    assert kept_in(path).find(plan) == [1.0, 0.0, 0.0, 1.0, -1.0, -1.0]
    assert kept.find(replace(plan, games=4)) == [1.0, 0.0, 0.0, 1.0]
    assert kept.has(plan, 4) and not kept.has(plan, 6)


def test_games_of_others_do_not_count(plan, tmp_path):
    path = tmp_path / "kept.jsonl"
    kept_in(path).add(plan, 0, [1.0])
    assert kept_in(path, "another").find(plan) == []
    for other in (replace(plan, seed=4), replace(plan, rotate=False), replace(plan, move_time=1.0)):
        assert kept_in(path).find(other) == []


def test_of_two_stretches_the_longer_counts(plan, tmp_path):
    path = tmp_path / "kept.jsonl"
    kept = kept_in(path)
    kept.add(plan, 0, [1.0, 0.5])
    kept.add(plan, 0, [1.0])
    assert kept.find(plan) == kept_in(path).find(plan) == [1.0, 0.5]


def test_half_a_line_counts_as_none(plan, tmp_path):
    path = tmp_path / "kept.jsonl"
    kept_in(path).add(plan, 0, [1.0, -1.0])
    whole = path.read_text()
    path.write_text('not ours\n{"won": [1]}\n' + whole + whole[:-9])
    kept = kept_in(path)
    assert kept.find(plan) == [1.0, -1.0]
    kept.add(plan, 2, [0.0])
    assert kept_in(path).find(plan) == [1.0, -1.0, 0.0]
    assert json.loads(path.read_text().splitlines()[-1])["results"] == [0]


def test_a_full_disk_is_one_line(plan, tmp_path):
    path = tmp_path / "kept.jsonl"
    kept = kept_in(path)
    kept.add(plan, 0, [1.0])
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(SandtableError, match=r"cannot write .*all games before are kept"):
            kept.add(plan, 1, [1.0])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_bytes() == before


def test_without_a_file_games_are_known_for_a_while(plan):
    kept = kept_in(None)
    kept.add(plan, 0, [1.0])
    assert kept.find(plan) == [1.0]
