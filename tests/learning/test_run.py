"""Runs: what is saved and logged when, whatever ends them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sandtable import files
from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.config import RunConfig, Stage, check_same_config, config_field, in_round
from sandtable.learning.run import Control, Run
from sandtable.learning.shards import make_shards


@dataclass(frozen=True)
class Config(RunConfig):
    units: int = config_field(5, "units", least=1, extendable=True)
    step: int = config_field(1, "what a unit adds")


class Sum:
    """Something that learns by adding up."""

    def __init__(self):
        self.counters = {"units": 0}
        self.row = np.zeros(3)

    def arrays(self):
        return {"row": self.row}

    def restore(self, arrays):
        self.row[:] = arrays["row"]


def train(config, folder, control, seconds_between_saves=0.0):
    with Run(config, folder, control, seconds_between_saves) as run:
        state = run.attach(Sum())
        while state.counters["units"] < config.units:
            if control.must_stop():
                return False
            state.row += config.step * (1 + state.counters["units"])
            state.counters["units"] += 1
            run.report({"unit": state.counters["units"] - 1})
    return True


def state_in(folder):
    checkpoint, _ = load_newest(folder)
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return checkpoint.counters["units"], checkpoint.arrays["row"].tolist(), len(lines)


WHOLE = (5, [15.0] * 3, 5)


@pytest.mark.parametrize("seconds_between_saves", [0.0, 1000.0])
def test_a_run_that_is_stopped_is_saved_and_goes_on(tmp_path, seconds_between_saves):
    reported = []
    control = Control(report=reported.append, stopping=lambda: len(reported) == 2)
    assert not train(Config(), tmp_path, control, seconds_between_saves)
    assert state_in(tmp_path) == (2, [3.0] * 3, 2)
    assert train(Config(), tmp_path, Control(), seconds_between_saves)
    assert state_in(tmp_path) == WHOLE


@pytest.mark.parametrize("place", ["append", "save"])
@pytest.mark.parametrize("unit", [1, 3])
def test_a_death_between_the_line_of_the_log_and_its_checkpoint(tmp_path, monkeypatch, place, unit):
    calls, real = [], Run.save if place == "save" else Run.report

    def dying(run, *arguments):
        calls.append(1)
        if len(calls) == unit + 1:
            raise KeyboardInterrupt
        return real(run, *arguments)

    monkeypatch.setattr(Run, "save" if place == "save" else "report", dying)
    with pytest.raises(KeyboardInterrupt):
        train(Config(), tmp_path, Control())
    monkeypatch.undo()
    assert state_in(tmp_path)[0] < 5
    assert train(Config(), tmp_path, Control())
    assert state_in(tmp_path) == WHOLE


KILLED = """
import sys
from pathlib import Path
from learning.test_run import Config, Control, train
def report(metrics):
    print(metrics["unit"], flush=True)
    if metrics["unit"] == 2:
        sys.stdin.read()  # until the kill
train(Config(), Path(sys.argv[1]), Control(report=report))
"""


def test_a_kill_loses_nothing_that_was_reported(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    tests = str(Path(__file__).parent.parent)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=tests) as process:
        for unit in range(3):
            assert process.stdout.readline().strip() == str(unit).encode()
        process.kill()
    assert state_in(tmp_path)[0] == 3
    assert train(Config(), tmp_path, Control())
    assert state_in(tmp_path) == WHOLE


def test_time_is_up(tmp_path):
    assert not train(Config(), tmp_path, Control(seconds=0.0))
    assert state_in(tmp_path) == (0, [0.0] * 3, 0)


def test_only_what_is_extendable_may_grow(tmp_path):
    assert train(Config(units=2), tmp_path, Control())
    assert train(Config(), tmp_path, Control())
    assert state_in(tmp_path) == WHOLE
    with pytest.raises(SandtableError, match="units 5 there, 4 here; step 1 there, 2 here"):
        train(Config(units=4, step=2), tmp_path, Control())


def test_a_field_that_is_newer_than_the_run_has_its_default(tmp_path):
    check_same_config(tmp_path, Config(), {"units": 5})
    with pytest.raises(SandtableError, match="step 1 there, 2 here"):
        check_same_config(tmp_path, Config(step=2), {"units": 5})


def test_a_disk_that_fills_up_leaves_the_last_good_checkpoint(tmp_path, monkeypatch):
    write, written = files.write_all, []

    def filling(descriptor, data):
        written.append(len(data))
        if len(written) > 5:  # the configuration, the state, and three checkpoints
            os.write(descriptor, data[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(descriptor, data)

    monkeypatch.setattr(files, "write_all", filling)
    with pytest.raises(SandtableError, match="No space left on device; the last good checkpoint"):
        train(Config(), tmp_path, Control())
    assert state_in(tmp_path)[0] == 2
    assert not list(tmp_path.glob(".*"))
    monkeypatch.undo()
    assert train(Config(), tmp_path, Control())
    assert state_in(tmp_path) == WHOLE


def test_nothing_is_written_for_a_configuration_that_makes_no_sense(tmp_path):
    with pytest.raises(SandtableError, match=r"^--units is at least 1, got 0$"):
        train(Config(units=0), tmp_path / "run", Control())
    assert not (tmp_path / "run").exists()


def test_stages_add_up():
    stages = [Stage(2, "more", {"step": 3}), Stage(4, "longer", {"units": 9})]
    rounds = [in_round(Config(), stages, number) for number in range(5)]
    assert [each.step for each in rounds] == [1, 1, 3, 3, 3]
    assert [each.units for each in rounds] == [5, 5, 5, 5, 9]


def train_unlucky(config, folder):
    """Find out only when the run has begun that a step of nothing teaches nothing."""
    with Run(config, folder, Control()) as run:
        state = run.attach(Sum())
        while state.counters["units"] < config.units:
            if config.step == 0:
                raise SandtableError("a step of nothing")
            state.row += config.step
            state.counters["units"] += 1
            run.report({"unit": state.counters["units"] - 1})


def test_a_run_that_failed_before_anything_was_done_does_not_keep_its_folder(tmp_path):
    with pytest.raises(SandtableError, match="a step of nothing"):
        train_unlucky(Config(step=0), tmp_path)
    train_unlucky(Config(step=1), tmp_path)
    assert state_in(tmp_path) == (5, [5.0] * 3, 5)
    assert load_newest(tmp_path)[0].config["step"] == 1
    assert '"step": 1' in (tmp_path / "config.json").read_text()
    with pytest.raises(SandtableError, match="another configuration"):
        train_unlucky(Config(step=2), tmp_path)


def test_a_run_that_made_data_before_it_failed_keeps_its_folder(tmp_path):
    """Shards of one configuration must never be learned from by a run of another."""
    with (
        pytest.raises(SandtableError, match="the disk is full"),
        Run(Config(step=1), tmp_path, Control()) as run,
    ):
        run.attach(Sum())
        shards = make_shards(tmp_path, "part", 2, lambda number: {"row": np.ones(3)}, run.control)
        next(shards)
        raise SandtableError("the disk is full")
    with pytest.raises(SandtableError, match="another configuration"):
        train(Config(step=2), tmp_path, Control())
    assert train(Config(step=1), tmp_path, Control())
    assert state_in(tmp_path) == WHOLE


def test_a_run_that_failed_later_or_was_only_stopped_keeps_it(tmp_path):
    later, stopped = tmp_path / "later", tmp_path / "stopped"
    assert not train(Config(), stopped, Control(stopping=lambda: True))
    with (
        pytest.raises(SandtableError, match="a step of nothing"),
        Run(Config(step=0), later, Control(), 0.0) as run,
    ):
        state = run.attach(Sum())
        state.counters["units"] += 1
        run.report({"unit": 0})
        raise SandtableError("a step of nothing")
    for folder in (stopped, later):
        with pytest.raises(SandtableError, match="another configuration"):
            train(Config(step=3), folder, Control())
