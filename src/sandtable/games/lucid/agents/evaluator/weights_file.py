"""The evaluator's weights by name: the bundled ones, and files that training wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import bundled_file, read_weights
from sandtable.games.lucid.agents.evaluator.network import PARAMETERS

__all__ = ["load_weights", "path_of"]

FOLDER = Path(__file__).parent / "weights"
ENDING = ".safetensors"
OWNER = "the evaluator"


def path_of(weights: str) -> Path:
    """Return the file of bundled weights by their name, or the file named itself."""
    return bundled_file(weights, FOLDER, ENDING)


def load_weights(weights: str) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS] of a bundled name or a file, or say what is wrong there."""
    return read_weights(path_of(weights), PARAMETERS, OWNER)
