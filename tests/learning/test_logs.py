"""The log of a run: what it keeps, and what it says about a full disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandtable.errors import SandtableError
from sandtable.learning import logs
from sandtable.learning.logs import Log


@pytest.fixture(autouse=True)
def without_tensorboard(monkeypatch):
    """Only the files of our own."""
    monkeypatch.setattr(logs, "tensorboard_writer", lambda folder, first_step: None)


def logged(folder):
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["game"] for line in lines]


def test_what_came_after_the_checkpoint_is_dropped(tmp_path):
    log = Log(tmp_path, {"seed": 1}, 0)
    for game in range(4):
        log.write({"game": game, "turns": 3})
    log.close()
    log = Log(tmp_path, {"seed": 1}, 2)
    assert logged(tmp_path) == [0, 1]
    log.write({"game": 7})
    log.close()
    assert logged(tmp_path) == [0, 1, 7]
    assert json.loads((tmp_path / "config.json").read_text()) == {"seed": 1}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_in_one_line(tmp_path):
    log = Log(tmp_path, {}, 0)
    log.write({"game": 0})
    log.file.close()
    with Path("/dev/full").open("a", encoding="utf-8") as log.file:
        with pytest.raises(SandtableError, match=r"cannot write the log in .*: No space left on"):
            log.write({"game": 1})
        with pytest.raises(SandtableError, match=r"cannot write the log in"):
            log.close()
    assert logged(tmp_path) == [0]


def test_the_error_of_a_run_is_not_hidden_by_that_of_its_log(tmp_path):
    class Board:
        def close(self):
            raise OSError(28, "No space left on device")

    with pytest.raises(ValueError, match="the error"), Log(tmp_path, {}, 0) as log:
        log.board = Board()
        raise ValueError("the error")
    with pytest.raises(SandtableError, match="cannot write the log"), Log(tmp_path, {}, 0) as log:
        log.board = Board()


def test_a_folder_that_cannot_be_written(tmp_path):
    with pytest.raises(SandtableError, match=r"cannot write .*missing.*: there is no folder"):
        Log(tmp_path / "missing", {}, 0)
