"""The command ``sandtable train``: options from the configuration, and errors in one line."""

from __future__ import annotations

import errno
import sys

import pytest
from typer.testing import CliRunner

from sandtable.cli.main import application
from sandtable.errors import MissingExtra, SandtableError, UnknownName
from sandtable.learning import checkpoints
from sandtable.learning.recipes import load_recipe, recipe_names

QUICK = ["--budget", "10", "--games", "1", "--simple-budget", "20", "--max-turns", "2"]


def sandtable(*arguments):
    result = CliRunner().invoke(application, ["train", *map(str, arguments)])
    if isinstance(result.exception, Exception) and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_run_and_its_weights(tmp_path):
    result = sandtable("skirmish/dsl", *QUICK, "--device", "cpu", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "game 1 of 1 against simple" in result.output
    assert (tmp_path / "run" / "weights.onnx").exists()
    assert (tmp_path / "run" / "metrics.jsonl").exists()
    again = sandtable("skirmish/dsl", "--export-only", "--out", tmp_path / "run")
    assert "weights.onnx" in again.output


def test_options_are_the_fields_of_the_configuration():
    result = sandtable("skirmish/dsl", "--help")
    for option in ("--budget", "--self-play-only", "--learning-rate", "--export-only"):
        assert option in result.output


def test_a_time_limit_saves_and_says_how_to_go_on(tmp_path):
    result = sandtable("skirmish/dsl", *QUICK, "--minutes", "0.00001", "--out", tmp_path)
    assert result.exit_code == 0
    assert "the same command goes on" in result.output
    assert (tmp_path / "checkpoint.safetensors").exists()


def test_a_full_disk_keeps_the_last_good_checkpoint(tmp_path, monkeypatch):
    """Two games with room for the checkpoint after the first alone; then room again."""
    two = [*QUICK, "--games", "2", "--device", "cpu", "--out", tmp_path]
    write, written = checkpoints.write_bytes, []

    def filling(path, data):
        written.append(path)
        if len(written) == 2:
            path.write_bytes(data[:1000])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data)

    monkeypatch.setattr(checkpoints, "write_bytes", filling)
    with pytest.raises(SandtableError, match=r"No space left on device; the last good checkpoint"):
        sandtable("skirmish/dsl", *two)
    found, warning = checkpoints.load_newest(tmp_path)
    assert (found.counters["games"], warning) == (1, None)
    resumed = sandtable("skirmish/dsl", *two)
    assert resumed.exit_code == 0
    assert "game 1 of 2" not in resumed.output
    assert "game 2 of 2" in resumed.output


def test_damaged_checkpoints(tmp_path):
    run = [*QUICK, "--device", "cpu", "--out", tmp_path]
    assert sandtable("skirmish/dsl", *run).exit_code == 0
    (tmp_path / checkpoints.NEWEST).write_bytes(b"nonsense")
    (tmp_path / checkpoints.PREVIOUS).unlink(missing_ok=True)
    for arguments in (run, ["--export-only", "--out", tmp_path]):
        with pytest.raises(SandtableError, match=r"is damaged .*; to start anew, choose another"):
            sandtable("skirmish/dsl", *arguments)
    assert (tmp_path / checkpoints.NEWEST).read_bytes() == b"nonsense"


def test_numbers_that_make_no_sense(tmp_path):
    with pytest.raises(SandtableError, match="--budget is at least 1, got 0"):
        sandtable("skirmish/dsl", "--budget", "0", "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_wrong_names(tmp_path):
    assert "skirmish/dsl" in recipe_names()
    with pytest.raises(UnknownName, match="Did you mean 'skirmish/dsl'"):
        sandtable("skirmish/dls", "--out", tmp_path)
    with pytest.raises(SandtableError, match=r"no preset 'improve'.*Did you mean 'improved'"):
        sandtable("skirmish/dsl", "--preset", "improve", "--out", tmp_path)


def test_without_torch(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("sandtable.learning.")]:
        if not name.endswith("recipes"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"training needs the extra 'learn'"):
        load_recipe("skirmish/dsl")
