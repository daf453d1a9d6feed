"""The command ``sandtable train``: options from the configuration, and errors in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sandtable.cli.main import application
from sandtable.errors import SandtableError, UnknownName
from sandtable.learning.recipes import recipe_names

QUICK = ["--budget", "10", "--games", "1", "--simple-budget", "20", "--max-turns", "2"]


def sandtable(*arguments):
    result = CliRunner().invoke(application, ["train", *map(str, arguments)])
    if isinstance(result.exception, Exception) and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_run_and_its_weights(tmp_path):
    result = sandtable("skirmish/dsl", *QUICK, "--device", "cpu", "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "game 1 of 1: against simple" in result.output
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


WITHOUT_TORCH = """
import sys
for name in ("torch", "onnx", "safetensors", "tensorboard"):
    sys.modules[name] = None
from pathlib import Path
from learning.tiny_runs import TINY, tiny_run
from sandtable.errors import MissingExtra
from sandtable.learning.run import Control
for name in TINY:
    try:
        recipe, config = tiny_run(name)
    except MissingExtra as problem:
        print(name, problem)
        continue
    assert not recipe.train(config, Path(sys.argv[1]) / name, Control(seconds=0.0)), name
"""


def test_only_recipes_with_torch_need_the_extra(tmp_path):
    """The others begin, save and stop without it."""
    tests = Path(__file__).parent.parent
    command = [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path)]
    result = subprocess.run(command, cwd=tests, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    lines = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    networks = ("stratego/champion", "stratego/policy", "stratego/value")
    assert sorted(lines) == sorted(("response", "selfplay", "skirmish/dsl", *networks))
    assert all("needs the extra 'learn'" in line for line in lines.values())
