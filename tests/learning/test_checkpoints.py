"""Checkpoints: nothing a disk or a kill can do loses the last good one."""

from __future__ import annotations

import errno
import json
import os

import numpy as np
import pytest

from sandtable import files
from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import (
    NEWEST,
    PREVIOUS,
    Checkpoint,
    CheckpointError,
    load_newest,
    make_folder,
    save,
    write_whole,
)


def checkpoint(number):
    arrays = {"weights": np.arange(6, dtype=np.float32) * number, "empty": np.zeros((0, 3))}
    return Checkpoint({"seed": 1}, {"games": number, "losses": [0.5]}, arrays)


def test_what_is_saved_comes_back(tmp_path):
    save(tmp_path, checkpoint(1))
    found, warning = load_newest(tmp_path)
    assert warning is None
    assert found.config == {"seed": 1}
    assert found.counters == {"games": 1, "losses": [0.5]}
    np.testing.assert_array_equal(found.arrays["weights"], np.arange(6))
    assert sorted(path.name for path in tmp_path.iterdir()) == [NEWEST]


def test_a_new_folder_has_none(tmp_path):
    assert load_newest(tmp_path) == (None, None)


@pytest.mark.parametrize("damage", ["cut", "bit", "text"])
def test_a_damaged_file_gives_way_to_the_one_before(tmp_path, damage):
    save(tmp_path, checkpoint(1))
    save(tmp_path, checkpoint(2))
    newest = tmp_path / NEWEST
    data = bytearray(newest.read_bytes())
    if damage == "bit":
        data[-1] ^= 1
    newest.write_bytes({"cut": data[:-9], "bit": data, "text": b"hello"}[damage])
    found, warning = load_newest(tmp_path)
    assert found.counters["games"] == 1
    assert NEWEST in warning
    assert "damaged" in warning
    assert "the one before" in warning


def test_two_damaged_files_say_how_to_start_anew(tmp_path):
    (tmp_path / NEWEST).write_bytes(b"")
    (tmp_path / PREVIOUS).write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"damaged.*to start anew, choose another folder"):
        load_newest(tmp_path)


def test_a_full_disk_leaves_the_last_good_one(tmp_path, monkeypatch):
    save(tmp_path, checkpoint(1))

    def full(descriptor, data):
        os.write(descriptor, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(CheckpointError, match="No space left on device; the last good checkpoint"):
        save(tmp_path, checkpoint(2))
    found, warning = load_newest(tmp_path)
    assert warning is None
    assert found.counters["games"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [NEWEST]


def test_a_full_disk_at_the_first_one(tmp_path, monkeypatch):
    def full(descriptor, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(CheckpointError, match="there is none yet"):
        save(tmp_path, checkpoint(1))


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "weights"
    write_whole(path, b"old")

    def full(descriptor, data):
        os.write(descriptor, data[:1])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(SandtableError, match=r"cannot write .*weights: No space left on device"):
        write_whole(path, b"new")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"old"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SandtableError, match=r"cannot make the folder .*run: Not a directory"):
        make_folder(tmp_path / "file" / "run")


@pytest.mark.parametrize("name", ["digest", "config", "counters"])
@pytest.mark.parametrize("value", [None, 5, "3", "{"])
def test_a_checkpoint_without_its_notes_makes_way_for_the_one_before(tmp_path, name, value):
    save(tmp_path, checkpoint(1))
    save(tmp_path, checkpoint(2))
    data = (tmp_path / NEWEST).read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header["__metadata__"].pop(name)
    if value is not None:
        header["__metadata__"][name] = value
    text = json.dumps(header).encode()
    (tmp_path / NEWEST).write_bytes(len(text).to_bytes(8, "little") + text + data[end:])
    found, warning = load_newest(tmp_path)
    assert found.counters["games"] == 1
    assert "going on from the one before" in warning
