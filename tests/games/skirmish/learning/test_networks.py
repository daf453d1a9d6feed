"""The network: its size, the folded form and the file to play with."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from sandtable.errors import SandtableError
from sandtable.games.skirmish.agents.dsl.agent import OnnxValues
from sandtable.games.skirmish.learning.dsl.config import NETWORK_KINDS
from sandtable.games.skirmish.learning.dsl.learner import TorchValues
from sandtable.games.skirmish.learning.dsl.networks import (
    NETWORKS,
    export_onnx,
    fill_from_file,
    new_network,
    parameter_count,
    playing_form,
    random_planes,
)
from sandtable.learning.torch_networks import chosen_device


@pytest.fixture(scope="module", params=NETWORK_KINDS)
def network(request):
    """Return a network of each kind whose batch norms have seen something."""
    made = new_network(1, request.param)
    made.train()
    with torch.no_grad():
        for _ in range(3):
            made(torch.from_numpy(random_planes(64)))
    return made.eval()


def values_of(network, planes):
    with torch.no_grad():
        return network(torch.from_numpy(planes)).numpy()


def test_the_sizes():
    assert set(NETWORK_KINDS) == set(NETWORKS)
    sizes = {kind: parameter_count(new_network(0, kind)) for kind in NETWORK_KINDS}
    assert sizes["author"] == 585_153  # as many as the author's program has
    assert sizes["quarters"] == 586_369
    assert sizes["perceptron"] == 591_361
    assert sizes["transformer"] == 104_705  # and about as many steps for a board as ours


def test_the_seed_alone_decides():
    torch.manual_seed(5)
    first, second, other = new_network(3), new_network(3), new_network(4)
    assert torch.equal(first.head.weight, second.head.weight)
    assert not torch.equal(first.head.weight, other.head.weight)


def test_folding_keeps_the_values(network):
    planes = random_planes(50)
    with torch.no_grad():
        values = playing_form(network).values(torch.from_numpy(planes)).numpy()
    np.testing.assert_allclose(values, values_of(network, planes), atol=1e-5)


def test_the_file_gives_the_values_of_the_network(network, tmp_path):
    path = tmp_path / "weights.onnx"
    difference = export_onnx(network, path, {"games": "3"})
    assert difference < 0.005
    planes = random_planes(33)
    expected = values_of(network, planes)
    found = OnnxValues(path)(planes)
    assert found.shape == (33,)
    assert abs(found - expected).max() <= 0.005 * abs(expected).max()
    assert path.stat().st_size < 1_300_000


@pytest.mark.parametrize("kind", ["author", "quarters"])
def test_a_file_fills_a_network_as_it_plays(kind, tmp_path):
    path = tmp_path / "weights.onnx"
    export_onnx(new_network(4, kind), path, {})
    form = playing_form(new_network(5, kind))
    fill_from_file(form, path)
    planes = random_planes(20)
    with torch.no_grad():
        values = form.values(torch.from_numpy(planes)).numpy()
    np.testing.assert_allclose(values, OnnxValues(path)(planes), atol=1e-5)


@pytest.mark.parametrize("size", [1e8, 1e-9])
def test_weights_that_do_not_fit_16_bits_keep_their_32(size, tmp_path):
    network = new_network(4, "author")
    with torch.no_grad():
        network.value.bias.fill_(0.0)
        network.value.weight.mul_(size)
    assert export_onnx(network, tmp_path / "weights.onnx", {}) < 0.005


def test_a_file_that_is_not_as_it_was_written_is_refused(network, tmp_path):
    path = tmp_path / "weights.onnx"
    export_onnx(network, path, {})
    whole = path.read_bytes()
    middle = len(whole) // 2  # among the weights
    one_bit = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    path.write_bytes(one_bit)
    with pytest.raises(SandtableError, match=r"weights.onnx is damaged: its numbers are not those"):
        OnnxValues(path)
    unsealed = one_bit.replace(b"digest", b"digits")
    path.write_bytes(unsealed)
    OnnxValues(path)  # a file without a digest cannot tell
    path.write_bytes(unsealed[:middle] + b"\xff" * 64 + unsealed[middle + 64 :])  # not numbers
    with pytest.raises(SandtableError, match=r"weights.onnx is damaged: its numbers are not those"):
        OnnxValues(path)
    path.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(SandtableError, match=r"weights.onnx is damaged or holds no network"):
        OnnxValues(path)


def test_values_follow_the_weights_only_when_refreshed(network):
    mine = copy.deepcopy(network)
    with torch.no_grad():
        mine.value.bias.add_(1.0)
    values = TorchValues(mine, torch.device("cpu"))
    planes = random_planes(10)
    before = values(planes)
    mine.load_state_dict(network.state_dict())
    np.testing.assert_array_equal(values(planes), before)
    values.refresh()
    np.testing.assert_allclose(values(planes), values_of(network, planes), atol=1e-5)


def test_devices():
    assert chosen_device("cpu").type == "cpu"
    with pytest.raises(SandtableError, match="auto, cpu or cuda, got 'gpu'"):
        chosen_device("gpu")
