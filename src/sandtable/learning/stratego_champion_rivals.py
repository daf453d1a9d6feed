"""A rival for Stratego's champion in training: stratego/policy, in many games at once.

A player that only meets itself learns to beat players like itself. The move network of the 2015
paper comes from another school: it imitates Monte Carlo, and attacks far more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.agents.onnx_files import bundled_file
from sandtable.agents.stratego.codes import MOVES, TURNED_ACTIONS, write_codes
from sandtable.agents.stratego.policy import WEIGHTS_FOLDER, likeliest
from sandtable.agents.stratego.value_progress import no_ways
from sandtable.batch_crew import Crew
from sandtable.compiled import kernel
from sandtable.errors import MissingExtra, SandtableError
from sandtable.games.stratego.layout import RED, SQUARES
from sandtable.learning.stratego_networks import MoveNetwork, code_table, new_network, planes_of

__all__ = ["Rival", "read_moves"]

HASTE = 8.0  # of stratego/policy
HEAT = 0.3  # how far chance changes the logits, so that the same board is played in several ways


@kernel
def see_all(
    positions: NDArray[np.int16], seats: NDArray[np.int64], codes: NDArray[np.uint8]
) -> None:
    """Write what the movers [n] see into codes [n, 100]."""
    for row in range(len(positions)):
        write_codes(positions[row], seats[row], False, codes[row])


@kernel
def choose_all(
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    logits: NDArray[np.float32],
    haste: float,
    ways: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> None:
    """Write the likeliest legal moves [n], as the movers see their boards."""
    for row in range(len(positions)):
        action = likeliest(positions[row], seats[row], logits[row : row + 1], haste, ways)
        actions[row] = action if seats[row] == RED else TURNED_ACTIONS[action]


def weights_in(path: Path) -> Iterator[NDArray[Any]]:
    """Read the weights of an ONNX file in their order."""
    try:
        import onnx
    except ImportError as problem:
        raise MissingExtra("training against stratego/policy", "learn") from problem
    for stored in onnx.load(str(path)).graph.initializer:
        yield onnx.numpy_helper.to_array(stored)


def read_moves(weights: str) -> MoveNetwork:
    """Return the move network of this name or file."""
    path = bundled_file(weights, WEIGHTS_FOLDER)
    network = new_network("policy", 0)
    assert isinstance(network, MoveNetwork)
    for parameter, stored in zip(network.parameters(), weights_in(path), strict=False):
        if tuple(parameter.shape) != stored.shape:
            raise SandtableError(f"{path} holds no network of stratego/policy")
        parameter.data.copy_(torch.from_numpy(stored.astype(np.float32)))
    return network


class Rival:
    """The move network, on the device; what is left to the processor is shared by threads."""

    def __init__(self, weights: str, device: torch.device, threads: int = 1) -> None:
        self.device = device
        self.network = read_moves(weights).to(device).eval()
        self.table = code_table(device)
        self.ways = [no_ways() for _ in range(threads)]
        self.crew = Crew(threads - 1)

    def choose(
        self, positions: NDArray[np.int16], seats: NDArray[np.int64], dice: torch.Generator
    ) -> NDArray[np.int64]:
        """Return a move for every position [n, POSITION_SIZE], as its mover sees the board."""
        codes = np.empty((len(positions), SQUARES), dtype=np.uint8)
        see_all(positions, seats, codes)
        with torch.no_grad():
            planes = planes_of(torch.from_numpy(codes).to(self.device), self.table)
            logits = self.network(planes)
            chance = torch.rand(len(codes), MOVES, generator=dice, device=self.device)
            logits -= HEAT * torch.log(-torch.log(chance.clamp_(1e-10, 1.0)) + 1e-20)
        actions = np.empty(len(positions), dtype=np.int64)
        self.take_likeliest(positions, seats, logits.cpu().numpy(), actions)
        return actions

    def take_likeliest(
        self,
        positions: NDArray[np.int16],
        seats: NDArray[np.int64],
        logits: NDArray[np.float32],
        actions: NDArray[np.int64],
    ) -> None:
        """Write the moves of all rows, every thread those of its own part."""
        ends = np.linspace(0, len(positions), len(self.ways) + 1).astype(int)
        parts = [slice(first, end) for first, end in pairwise(ends)]
        self.crew.run(
            [
                (
                    choose_all,
                    (positions[part], seats[part], logits[part], HASTE, ways, actions[part]),
                )
                for part, ways in zip(parts, self.ways, strict=True)
            ]
        )
