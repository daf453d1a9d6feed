"""Adam (Kingma and Ba 2015) for networks whose parameters are one row of numbers, in kernels.

Compiled and step by step in one order, so that the same slopes always give the same parameters to
the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

__all__ = ["Learner", "Parameters", "adam_step", "follow"]

Parameters: TypeAlias = NDArray[np.float32]  # [parameter]


@kernel
def adam_step(
    parameters: NDArray[np.float32],
    slope: NDArray[np.float32],
    momentum: NDArray[np.float32],
    squares: NDArray[np.float32],
    rate: float,
    step: int,
) -> None:
    """Go one step down the slope and clear it; the first step is number 1."""
    size = np.float32(rate * np.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step))
    for cell in range(len(parameters)):
        steep = slope[cell]
        momentum[cell] += np.float32(0.1) * (steep - momentum[cell])
        squares[cell] += np.float32(0.001) * (steep * steep - squares[cell])
        parameters[cell] -= size * momentum[cell] / (np.sqrt(squares[cell]) + np.float32(1e-8))
        slope[cell] = np.float32(0.0)


@kernel
def follow(average: NDArray[np.float32], parameters: NDArray[np.float32], share: float) -> None:
    """Move an average of parameters a share of the way to the newest ones."""
    part = np.float32(share)
    for cell in range(len(parameters)):
        average[cell] += part * (parameters[cell] - average[cell])


@dataclass
class Learner:
    """Parameters and Adam's memory of them, and the average that plays."""

    parameters: Parameters
    momentum: Parameters
    squares: Parameters
    average: Parameters
    steps: int = 0

    @classmethod
    def begin(cls, parameters: Parameters) -> Learner:
        """Return a learner that has these parameters and has taken no step."""
        empty = np.zeros_like(parameters)
        return cls(parameters, empty.copy(), empty.copy(), parameters.copy())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the rows by name, for a checkpoint."""
        rows = ("parameters", "momentum", "squares", "average")
        return {name: getattr(self, name) for name in rows}

    def restore(self, arrays: Mapping[str, NDArray[Any]], steps: int) -> None:
        """Go back to such rows after so many steps."""
        for name, row in self.arrays().items():
            row[:] = arrays[name]
        self.steps = steps
