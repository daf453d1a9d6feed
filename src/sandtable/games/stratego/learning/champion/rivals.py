"""A rival for Stratego's champion in training: stratego/policy, in many games at once.

A player that only meets itself learns to beat players like itself. The move network of the 2015
paper comes from another school: it imitates Monte Carlo, and attacks far more.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.stratego.agents.policy.agent import likeliest
from sandtable.games.stratego.agents.square_codes import MOVES, TURNED_ACTIONS, write_codes
from sandtable.games.stratego.agents.value.progress import no_target_distances
from sandtable.games.stratego.layout import RED, SQUARES
from sandtable.games.stratego.learning.networks import (
    MoveNetwork,
    answers,
    code_table,
    read_network,
)

__all__ = ["Rival", "Workers"]

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
    target_distances: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> None:
    """Write the likeliest legal moves [n], as the movers see their boards."""
    for row in range(len(positions)):
        action = likeliest(
            positions[row], seats[row], logits[row : row + 1], haste, target_distances
        )
        actions[row] = action if seats[row] == RED else TURNED_ACTIONS[action]


class Workers:
    """Threads that share loops over rows, which run without Python's lock."""

    def __init__(self, threads: int) -> None:
        self.threads, self.pool = threads, ThreadPoolExecutor(threads)

    def share(self, rows: int, part: Callable[[int, int, int], Any]) -> None:
        """Call ``part`` for each thread: its number, its first row, and the one after its last."""
        ends = [rows * number // self.threads for number in range(self.threads + 1)]
        bounds = [(number, *pair) for number, pair in enumerate(pairwise(ends))]
        for each in [self.pool.submit(part, *which) for which in bounds]:
            each.result()


class Rival:
    """The move network, on the device; what is left to the processor is shared by threads."""

    def __init__(self, weights: str, device: torch.device, threads: int = 1) -> None:
        self.device = device
        network = read_network("policy", weights)
        assert isinstance(network, MoveNetwork)
        self.network = network.to(device).eval()
        self.table = code_table(device)
        self.target_distances = [no_target_distances() for _ in range(threads)]
        self.workers = Workers(threads)

    def choose(
        self, positions: NDArray[np.int16], seats: NDArray[np.int64], dice: torch.Generator
    ) -> NDArray[np.int64]:
        """Return a move for every position [n, POSITION_SIZE], as its mover sees the board."""
        codes = np.empty((len(positions), SQUARES), dtype=np.uint8)
        see_all(positions, seats, codes)
        with torch.no_grad():
            logits = answers(self.network, codes, self.table)
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

        def part(number: int, first: int, end: int) -> None:
            rows = slice(first, end)
            given = positions[rows], seats[rows], logits[rows]
            choose_all(*given, HASTE, self.target_distances[number], actions[rows])

        self.workers.share(len(positions), part)
