"""What holds for every recipe: runs go on exactly, mistakes and full disks get one line."""

from __future__ import annotations

import dataclasses
import errno
import json
import os

import pytest

from learning.tiny_runs import TINY, tiny_run
from sandtable import files
from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import NEWEST, load_newest
from sandtable.learning.config import check_config
from sandtable.learning.recipes import load_recipe, recipe_names
from sandtable.learning.run import Control

# Their lines of the log are about blocks of games, which begin where a shorter run has ended.
IN_BLOCKS = ("gravwell/fictitious-play", "gravwell/q-learning")
CLOCK = ("seconds",)  # what may differ between equal runs


def exported(folder):
    """Return the files that an export has written, by name."""
    ours = ("checkpoint", "config", "metrics", "round-", ".")
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(ours)
    }


def everything(folder):
    """Return what a run has learned and logged, but for the clock."""
    checkpoint, _ = load_newest(folder)
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    timeless = [
        {key: value for key, value in each.items() if key not in CLOCK}
        for each in (checkpoint.counters, *lines)
    ]
    return timeless, {name: array.tobytes() for name, array in checkpoint.arrays.items()}


@pytest.fixture(scope="module", params=sorted(TINY))
def undisturbed(request, tmp_path_factory):
    """A whole run of a recipe: its name, the folder, and what was reported."""
    recipe, config = tiny_run(request.param)
    folder, reported = tmp_path_factory.mktemp("undisturbed") / "run", []
    assert recipe.train(config, folder, Control(device="cpu", report=reported.append))
    recipe.export(folder)
    return request.param, folder, reported


def shorter(config):
    """Return a configuration with as little as possible of what can be extended."""
    fields = dataclasses.fields(config)
    return dataclasses.replace(config, **{f.name: 1 for f in fields if f.metadata["extendable"]})


def test_a_run_that_is_broken_off_in_every_way_goes_on_exactly(undisturbed, tmp_path):
    name, folder, _ = undisturbed
    recipe, config = tiny_run(name)
    if shorter(config) != config and name not in IN_BLOCKS:
        assert recipe.train(shorter(config), tmp_path, Control(device="cpu"))

    def interrupt(metrics):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recipe.train(config, tmp_path, Control(device="cpu", report=interrupt))
    assert load_newest(tmp_path)[1] is None
    reported = []
    control = Control(device="cpu", report=reported.append, stopping=lambda: bool(reported))
    recipe.train(config, tmp_path, control)
    assert recipe.train(config, tmp_path, Control(device="cpu"))
    assert everything(tmp_path) == everything(folder)
    recipe.export(tmp_path)
    names = exported(folder).keys()
    assert names == exported(tmp_path).keys()
    for file in names:
        if not file.endswith(".onnx"):  # their notes tell the seconds
            assert exported(folder)[file] == exported(tmp_path)[file], file


def test_reports_end_with_the_last_unit_and_are_told_in_a_line(undisturbed):
    name, _, reported = undisturbed
    recipe, config = tiny_run(name)
    assert reported[-1][recipe.unit] == recipe.length(config) - 1
    for metrics in reported:
        line = recipe.progress_line(metrics)
        assert line and "\n" not in line
        assert json.loads(json.dumps(metrics)) == metrics


def test_export_says_what_it_has_written(undisturbed, tmp_path):
    name, folder, _ = undisturbed
    line = tiny_run(name)[0].export(folder)
    assert any(str(folder / file) in line for file in exported(folder))
    with pytest.raises(SandtableError, match="there is no checkpoint in"):
        tiny_run(name)[0].export(tmp_path / "nowhere")


def test_another_configuration_or_a_damaged_checkpoint_is_refused(undisturbed, tmp_path):
    name, folder, _ = undisturbed
    recipe, config = tiny_run(name)
    before = everything(folder)
    with pytest.raises(SandtableError, match=r"another configuration \(seed \d there, 7 here\)"):
        recipe.train(dataclasses.replace(config, seed=7), folder, Control(device="cpu"))
    for field in dataclasses.fields(config):
        if field.name in ("games", "examples") and not field.metadata["extendable"]:
            more = dataclasses.replace(config, **{field.name: getattr(config, field.name) + 1})
            with pytest.raises(SandtableError, match=rf"{field.name} \d+ there, \d+ here"):
                recipe.train(more, folder, Control(device="cpu"))
    assert everything(folder) == before
    (tmp_path / NEWEST).write_bytes(b"no checkpoint")
    with pytest.raises(SandtableError, match="damaged"):
        recipe.train(config, tmp_path, Control(device="cpu"))
    with pytest.raises(SandtableError, match="damaged"):
        recipe.export(tmp_path)


def test_a_full_disk_gets_one_line_and_leaves_nothing_half_written(
    undisturbed, tmp_path, monkeypatch
):
    name, folder, _ = undisturbed
    recipe, config = tiny_run(name)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def full(descriptor, data):
        os.write(descriptor, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(SandtableError, match=r"^cannot write .*: No space left on device"):
        recipe.export(folder)
    assert before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with pytest.raises(SandtableError, match=r"^cannot write .*: No space left on device"):
        recipe.train(config, tmp_path / "new", Control(device="cpu"))
    assert not [path for path in (tmp_path / "new").iterdir() if path.stat().st_size]


@pytest.mark.parametrize("name", sorted(TINY))
def test_every_number_has_limits_and_presets_keep_them(name):
    recipe, config = tiny_run(name)
    for preset in recipe.presets.values():
        if "game" in vars(preset):  # a run for any game has to name it
            named = {
                each: getattr(preset, each) or getattr(config, each)
                for each in ("game", "against")
                if each in vars(preset)
            }
            check_config(dataclasses.replace(preset, **named))
        else:
            check_config(preset)
    for field in dataclasses.fields(config):
        option = f"--{field.name.replace('_', '-')}"
        value = getattr(config, field.name)
        wrong = []
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            wrong = [float("nan"), float("inf")]
            least, above = field.metadata["least"], field.metadata["above"]
            if least is not None or above is not None:
                wrong.append(least - 1 if least is not None else above)
        if field.metadata["choices"]:
            wrong = ["nonsense"]
        for each in wrong:
            with pytest.raises(SandtableError, match=rf"^{option} is .*, got '?{each}"):
                check_config(dataclasses.replace(config, **{field.name: each}))


def test_all_recipes_are_here():
    assert set(TINY) == set(recipe_names())
    assert all(load_recipe(name).summary for name in TINY)
