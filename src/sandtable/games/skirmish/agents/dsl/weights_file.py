"""The networks of Deep-State Learning: bundled ones by name, any one by its path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.onnx_files import OnnxNetwork, bundled_file

__all__ = ["PLANE_SHAPE", "WEIGHTS_FOLDER", "OnnxValues", "weights_file"]

PLANE_SHAPE = (6, 8, 8)
WEIGHTS_FOLDER = Path(__file__).parent / "weights"


class OnnxValues:
    """A network that values positions."""

    def __init__(self, path: Path) -> None:
        self.network = OnnxNetwork(path, PLANE_SHAPE, {"values": ()}, "Skirmish")

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of each position."""
        return self.network.run(planes)[0]


def weights_file(name: str) -> Path:
    """Return the file of bundled weights by their name, or any file by its path."""
    return bundled_file(name, WEIGHTS_FOLDER)
