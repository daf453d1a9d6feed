"""The command ``sandtable train``: options from the configuration, and errors in one line."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from sandtable.cli.main import application
from sandtable.errors import MissingExtra, SandtableError, UnknownName
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
