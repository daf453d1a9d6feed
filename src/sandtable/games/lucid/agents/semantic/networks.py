"""The twelve networks of the semantic agent: what a force group sees -> the category of its move.

One network for each category (report, section 4.2.2): 20 inputs, 36 hidden units, 1 output, all
sigmoid. An output above 0.5 chooses the category.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import bundled_file, read_weights
from sandtable.compiled import kernel
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.force_groups import FEATURE_SCALES, FEATURES

__all__ = [
    "BUNDLED",
    "CHOSEN",
    "HIDDEN",
    "PARAMETERS",
    "forward",
    "load_networks",
    "outputs",
    "path_of",
]

HIDDEN = 36
CHOSEN = 0.5
OWNER = "lucid/semantic"
FOLDER = Path(__file__).parent / "weights"
BUNDLED = FOLDER / "semantic.safetensors"

# Where the layers of one network lie in its row of parameters.
FIRST_WEIGHTS = 0  # [feature, hidden]
FIRST_BIAS = FIRST_WEIGHTS + FEATURES * HIDDEN
OUTPUT_WEIGHTS = FIRST_BIAS + HIDDEN
OUTPUT_BIAS = OUTPUT_WEIGHTS + HIDDEN
PARAMETERS = OUTPUT_BIAS + 1  # of one network


@kernel
def forward(
    network: NDArray[np.float64], inputs: NDArray[np.float64], hidden: NDArray[np.float64]
) -> float:
    """Return the output of one network for scaled features; ``hidden`` keeps the units' values."""
    for unit in range(HIDDEN):
        hidden[unit] = network[FIRST_BIAS + unit]
    for feature in range(FEATURES):
        value = inputs[feature]
        row = FIRST_WEIGHTS + feature * HIDDEN
        for unit in range(HIDDEN):
            hidden[unit] += value * network[row + unit]
    total = network[OUTPUT_BIAS]
    for unit in range(HIDDEN):
        hidden[unit] = 1.0 / (1.0 + np.exp(-hidden[unit]))
        total += hidden[unit] * network[OUTPUT_WEIGHTS + unit]
    return float(1.0 / (1.0 + np.exp(-total)))


@kernel
def outputs(
    networks: NDArray[np.float64], features: NDArray[np.float64], answers: NDArray[np.float64]
) -> None:
    """Let all networks [category, parameter] answer what a group (unscaled features) should do."""
    inputs = np.empty(FEATURES)
    hidden = np.empty(HIDDEN)
    for feature in range(FEATURES):
        inputs[feature] = features[feature] / FEATURE_SCALES[feature]
    for category in range(len(networks)):
        answers[category] = forward(networks[category], inputs, hidden)


def path_of(weights: str) -> Path:
    """Return the file of bundled networks by their name, or the file named itself.

    >>> path_of("published").name
    'published.safetensors'
    """
    return bundled_file(weights, FOLDER, ".safetensors")


def load_networks(path: Path = BUNDLED) -> NDArray[np.float64]:
    """Read the networks [category, parameter]."""
    parameters = read_weights(path, len(CATEGORIES) * PARAMETERS, OWNER)
    return parameters.reshape(len(CATEGORIES), PARAMETERS).astype(np.float64)
