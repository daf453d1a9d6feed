"""What recipes with torch share: where it computes, and networks out of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.errors import SandtableError

__all__ = ["chosen_device", "load_network", "network_arrays"]


def chosen_device(name: str) -> torch.device:
    """Return the device of this name; ``auto`` takes a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cpu", "cuda"):
        raise SandtableError(f"device is auto, cpu or cuda, got '{name}'")
    if name == "cuda" and not torch.cuda.is_available():
        raise SandtableError("there is no GPU that torch can use; take --device cpu")
    return torch.device(name)


def network_arrays(network: torch.nn.Module, part: str) -> dict[str, NDArray[Any]]:
    """Return the weights of a network under names that begin with ``part/``."""
    weights = network.state_dict().items()
    return {f"{part}/{name}": weight.detach().cpu().numpy() for name, weight in weights}


def load_network(
    network: torch.nn.Module, arrays: Mapping[str, NDArray[Any]], part: str = "network"
) -> None:
    """Give a network the weights that have such names."""
    prefix = f"{part}/"
    network.load_state_dict(
        {
            name.removeprefix(prefix): torch.from_numpy(np.array(array))
            for name, array in arrays.items()
            if name.startswith(prefix)
        }
    )
