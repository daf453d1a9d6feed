"""The bundled weights of Skirmish's champion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import read_weights, weights_bytes
from sandtable.games.skirmish.agents.champion.evaluation import PARAMETERS

__all__ = ["BUNDLED", "load_weights", "weights_bytes"]

BUNDLED = Path(__file__).parent / "weights" / "champion.safetensors"


def load_weights(path: Path = BUNDLED) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS], or say in one line what is wrong with the file."""
    return read_weights(path, PARAMETERS, "Skirmish's champion")
