"""The evaluator's weights by name: the bundled ones, and files that training wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import read_weights
from sandtable.errors import SandtableError, suggestion
from sandtable.games.lucid.agents.evaluator.network import PARAMETERS

__all__ = ["bundled_names", "load_weights", "path_of"]

FOLDER = Path(__file__).parent / "weights"
ENDING = ".safetensors"
OWNER = "the evaluator"


def bundled_names() -> list[str]:
    """Return the names of the weights that come with the package."""
    return sorted(path.name.removesuffix(ENDING) for path in FOLDER.glob(f"*{ENDING}"))


def path_of(weights: str) -> Path:
    """Return the file of bundled weights by their name, or the file named itself."""
    if weights in bundled_names():
        return FOLDER / f"{weights}{ENDING}"
    path = Path(weights).expanduser()
    if not path.suffix and not path.exists():
        raise SandtableError(
            f"there are no weights '{weights}'.{suggestion(weights, bundled_names())} "
            f"Known are {', '.join(bundled_names())}, or name a file."
        )
    return path


def load_weights(weights: str) -> NDArray[np.float32]:
    """Read the parameters [PARAMETERS] of a bundled name or a file, or say what is wrong there."""
    return read_weights(path_of(weights), PARAMETERS, OWNER)
