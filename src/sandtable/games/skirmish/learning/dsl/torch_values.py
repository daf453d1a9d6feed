"""Values of a network that is being trained, for the search: on the CPU or on a GPU.

On a GPU the many small steps of the network are recorded once for a few sizes of batches and then
replayed as one (a CUDA graph); without that most of the time would go into starting the steps.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sandtable.games.skirmish.learning.dsl.network import (
    FoldedNetwork,
    ValueNetwork,
    folded,
    folded_values,
)

__all__ = ["TorchValues"]

SMALLEST_RECORDED, LARGEST_RECORDED = 64, 4096  # positions in a recorded batch
WARM_UP_RUNS = 3  # the GPU library tries its ways of computing first, which cannot be recorded


def tensors(network: FoldedNetwork) -> list[Tensor]:
    """Return all weights in a fixed order."""
    layers = [network.stem, network.head, network.value]
    for block in network.blocks:
        layers += [block.first, block.second, *([block.shortcut] if block.shortcut else [])]
    return [tensor for layer in layers for tensor in (layer.weight, layer.bias)]


class Recording:
    """The steps of a network for one size of batches, recorded on a GPU."""

    def __init__(self, network: FoldedNetwork, size: int, device: torch.device) -> None:
        self.size = size
        self.planes = torch.zeros((size, 6, 8, 8), device=device)
        self.planes = self.planes.contiguous(memory_format=torch.channels_last)
        side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(side):
            for _ in range(WARM_UP_RUNS):
                folded_values(network, self.planes)
        torch.cuda.current_stream(device).wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.values = folded_values(network, self.planes)

    def __call__(self, planes: Tensor) -> Tensor:
        """Return the values of at most ``size`` positions."""
        self.planes[: len(planes)].copy_(planes, non_blocking=True)
        self.graph.replay()
        return self.values[: len(planes)]


class TorchValues:
    """Values of a network in evaluation mode; ``refresh`` after its weights have changed."""

    def __init__(self, network: ValueNetwork, device: torch.device) -> None:
        self.network = network
        self.device = device
        with torch.no_grad():
            self.folded = folded(network)
        self.recordings: dict[int, Recording] = {}

    def refresh(self) -> None:
        """Take over the present weights, in place, since recordings know the old places."""
        with torch.no_grad():
            for old, new in zip(tensors(self.folded), tensors(folded(self.network)), strict=True):
                old.copy_(new)

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of each position."""
        given = torch.from_numpy(planes)
        values: NDArray[np.float32]
        with torch.no_grad():
            if self.device.type == "cpu":
                values = folded_values(self.folded, given).numpy()
                return values
            parts = [self.on_gpu(part).cpu() for part in torch.split(given, LARGEST_RECORDED)]
        values = torch.cat(parts).numpy()
        return values

    def on_gpu(self, planes: Tensor) -> Tensor:
        """Return the values by the smallest recording that has room for the positions."""
        size = SMALLEST_RECORDED
        while size < len(planes):
            size *= 2
        if size not in self.recordings:
            self.recordings[size] = Recording(self.folded, size, self.device)
        return self.recordings[size](planes)
