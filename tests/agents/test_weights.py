"""Files of arrays and of weights: read as they were written, damage told in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sandtable.agents.weights import (
    array_file,
    bundled_file,
    digest_with_names,
    read_array_file,
    read_weights,
    weights_bytes,
)
from sandtable.errors import SandtableError


def test_the_library_of_the_format_reads_and_writes_such_files():
    library = pytest.importorskip("safetensors.numpy")
    kinds = ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")
    arrays = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in kinds}
    arrays["empty"] = np.zeros((0, 3), dtype=np.float32)
    for read in (
        library.load(array_file(arrays, {"a": "b"})),
        read_array_file(library.save(arrays, {"digest": digest_with_names(arrays)}))[0],
    ):
        assert read.keys() == arrays.keys()
        for name, array in arrays.items():
            assert read[name].dtype == array.dtype
            np.testing.assert_array_equal(read[name], array)


def test_every_cut_and_every_flipped_number_is_noticed():
    data = array_file({"cards": np.arange(3.0), "stops": np.arange(2)}, {"a": "b"})
    for length in range(len(data)):
        with pytest.raises(ValueError, match=r"cut off|do not match"):
            read_array_file(data[:length])
    for place in range(len(data) - 40, len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1
        with pytest.raises(ValueError, match="do not match"):
            read_array_file(bytes(damaged))


def test_weights_of_another_agent_are_refused(tmp_path):
    path = tmp_path / "weights.safetensors"
    path.write_bytes(weights_bytes(np.ones(3, dtype=np.float32), {}))
    assert read_weights(path, 3, "the learner").tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(SandtableError, match="does not fit the learner: 3 numbers, 4 wanted"):
        read_weights(path, 4, "the learner")
    path.write_bytes(array_file({"cards": np.ones(3)}, {}))
    with pytest.raises(SandtableError, match="no weights of the learner: it has no 'parameters'"):
        read_weights(path, 3, "the learner")


def test_a_name_is_a_bundled_file_and_all_else_a_path(tmp_path):
    (tmp_path / "published.bin").touch()
    assert bundled_file("published", tmp_path, ".bin") == tmp_path / "published.bin"
    assert bundled_file("other.bin", tmp_path, ".bin") == Path("other.bin")
    assert bundled_file("runs/other", tmp_path, ".bin") == Path("runs/other")
    with pytest.raises(SandtableError, match=r"no weights 'publised'.*Did you mean 'published'"):
        bundled_file("publised", tmp_path, ".bin")
