"""Fitting a network of Stratego to boards: gradient descent with momentum, broken off anywhere.

The order of the examples is drawn anew for every epoch, from the seed alone, and if wanted every
second board on average is mirrored. So a run that goes on from a checkpoint takes the same steps as
one that was never broken off (on the CPU to the last bit). At the end is what the two recipes of
the 2015 paper share: a run of parts, data first and steps after it.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sandtable.games.stratego.agents.square_codes import mirrored_actions
from sandtable.games.stratego.learning.board_config import shape_of, shape_of_saved
from sandtable.games.stratego.learning.networks import (
    BoardNetwork,
    MoveNetwork,
    code_table,
    export_network,
    new_network,
    planes_of,
)
from sandtable.learning import checkpoints
from sandtable.learning.run import Run, notes_of, trained
from sandtable.learning.shards import Arrays
from sandtable.learning.torch_networks import chosen_device, load_network, network_arrays

__all__ = ["BoardTraining", "Fitting", "export_run", "held_out_shards"]

CLIPPED = 1.0  # the longest gradient a step takes
JUDGED_AT_ONCE = 4096
SECONDS_OF_STEPS = 5.0  # in a piece, about
STEPS_AT_FIRST = 50


class Fitting:
    """A network, its momentum, and the examples: codes [example, 100] and targets [example].

    Targets are moves (int16) for the network of moves, values (float32) for that of values.
    """

    def __init__(
        self,
        network: BoardNetwork,
        device: torch.device,
        momentum: float,
        decay: float = 0.0,
        mirror: bool = True,
    ) -> None:
        self.network = network.to(device)
        self.moves = isinstance(network, MoveNetwork)
        self.device, self.momentum, self.decay = device, momentum, decay
        self.mirror = mirror
        self.speeds = [torch.zeros_like(weight) for weight in network.parameters()]
        self.table = code_table(device)
        side = network.shape.side
        squares = np.arange(side * side).reshape(side, side)[:, ::-1].reshape(-1).copy()
        self.mirrored_squares = torch.from_numpy(squares).to(device)
        self.mirrored_actions = torch.from_numpy(mirrored_actions(side)).to(device)

    def set_examples(self, examples: Arrays) -> None:
        """Take in the examples to learn from."""
        self.codes = torch.from_numpy(examples["codes"]).to(self.device)
        self.targets = self.on_device(examples["targets"])

    def on_device(self, targets: NDArray[Any]) -> Tensor:
        """Return targets as numbers that torch takes as they are."""
        kind = np.int64 if self.moves else np.float32
        return torch.from_numpy(targets.astype(kind)).to(self.device)

    def steps_in_epoch(self, batch: int) -> int:
        """Return how many steps go once through the examples."""
        return max(1, len(self.codes) // batch)

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss of a batch."""
        if self.moves:
            return functional.cross_entropy(outputs, targets)
        return functional.mse_loss(outputs, targets)

    def run(
        self, seed: int, first: int, count: int, batch: int, rates: NDArray[np.float64]
    ) -> float:
        """Take steps number first, first + 1, ...; return their mean loss."""
        self.network.train()
        total = torch.zeros((), device=self.device)
        in_epoch = self.steps_in_epoch(batch)
        epoch, order, mirrored = -1, torch.empty(0), torch.empty(0)
        for step in range(first, first + count):
            if step // in_epoch != epoch:
                epoch = step // in_epoch
                order, mirrored = self.drawn_order(seed, epoch)
            place = step % in_epoch * batch
            chosen = order[place : place + batch]
            total += self.step(chosen, mirrored[place : place + batch], float(rates[step - first]))
        return float(total) / max(count, 1)

    def drawn_order(self, seed: int, epoch: int) -> tuple[Tensor, Tensor]:
        """Draw the order of the examples in an epoch, and which of them are mirrored."""
        random = np.random.Generator(np.random.PCG64([seed, epoch]))
        order = random.permutation(len(self.codes))
        mirrored = random.random(len(self.codes)) < (0.5 if self.mirror else 0.0)
        return torch.from_numpy(order).to(self.device), torch.from_numpy(mirrored).to(self.device)

    def step(self, chosen: Tensor, mirrored: Tensor, rate: float) -> Tensor:
        """Take one step down the gradient of a batch; return its loss."""
        codes, targets = self.codes[chosen], self.targets[chosen]
        codes = torch.where(mirrored[:, None], codes[:, self.mirrored_squares], codes)
        if self.moves:
            targets = torch.where(mirrored, self.mirrored_actions[targets], targets)
        loss = self.loss(self.network(planes_of(codes, self.table)), targets)
        parameters = list(self.network.parameters())
        slopes = torch.autograd.grad(loss, parameters)
        length = torch.sqrt(torch.stack([(slope**2).sum() for slope in slopes]).sum())
        scale = torch.clamp(CLIPPED / (length + 1e-6), max=1.0)
        with torch.no_grad():
            for parameter, speed, slope in zip(parameters, self.speeds, slopes, strict=True):
                speed.mul_(self.momentum).add_(slope * scale)
                speed.add_(parameter, alpha=self.decay)
                parameter.sub_(speed, alpha=rate)
        return loss.detach()

    def judge(self, examples: Arrays) -> tuple[float, float]:
        """Return loss on examples, and the share of right moves (of values: of right signs)."""
        self.network.eval()
        losses, right = 0.0, 0
        count = len(examples["codes"])
        for first in range(0, count, JUDGED_AT_ONCE):
            codes = torch.from_numpy(examples["codes"][first : first + JUDGED_AT_ONCE])
            targets = self.on_device(examples["targets"][first : first + JUDGED_AT_ONCE])
            with torch.no_grad():
                outputs = self.network(planes_of(codes.to(self.device), self.table))
                losses += float(self.loss(outputs, targets)) * len(targets)
            if self.moves:
                right += int((outputs.argmax(1) == targets).sum())
            else:
                right += int(((outputs > 0) == (targets > 0)).sum())
        return losses / max(count, 1), right / max(count, 1)

    def arrays(self) -> Arrays:
        """Return everything that is learned, for a checkpoint."""
        speeds = {
            f"speed/{number}": speed.cpu().numpy() for number, speed in enumerate(self.speeds)
        }
        return network_arrays(self.network, "network") | speeds

    def restore(self, arrays: checkpoints.Arrays) -> None:
        """Go back to such arrays."""
        load_network(self.network, arrays)
        for number, speed in enumerate(self.speeds):
            speed.copy_(torch.from_numpy(np.array(arrays[f"speed/{number}"])))


def falling_rates(first: int, count: int, total: int, rate: float) -> NDArray[np.float64]:
    """Return the rates of steps: after a short rise they fall along a cosine to nearly nothing."""
    steps = np.arange(first, first + count)
    rise = np.minimum(1.0, (steps + 1) / max(1, min(200, total // 10)))
    fall: NDArray[np.float64] = 0.01 + 0.99 * 0.5 * (1.0 + np.cos(math.pi * steps / max(total, 1)))
    return rate * rise * fall


# --- a run of parts ------------------------------------------------------------------------------


class BoardTraining:
    """A network that is being trained: data comes in shards on the disk, steps in pieces."""

    def __init__(self, kind: str, config: Any, run: Run) -> None:
        self.config, self.run = config, run
        torch.set_num_threads(run.control.threads)
        network = new_network(kind, config.seed, shape_of(kind, config))
        device = chosen_device(run.control.device)
        self.fitting = Fitting(network, device, config.momentum, config.decay, config.mirror)
        self.counters: dict[str, Any] = {"round": 0, "step": 0, "seconds": 0.0}
        self.began = time.monotonic()

    def arrays(self) -> checkpoints.Arrays:
        """Return everything that is learned."""
        now = time.monotonic()
        self.counters["seconds"] += now - self.began
        self.began = now
        return self.fitting.arrays()

    def restore(self, arrays: checkpoints.Arrays) -> None:
        """Go back to such arrays."""
        self.fitting.restore(arrays)

    def fit(self, until: int, total: int, rate: float, seed: int) -> float | None:
        """Take the steps up to ``until`` of ``total``; None when the run has to stop before.

        Return the mean loss of the last piece.
        """
        counters, loss, piece = self.counters, 0.0, STEPS_AT_FIRST
        while counters["step"] < until:  # saved before its last steps: they are reported first
            if self.run.control.must_stop():
                self.run.save()
                return None
            self.run.save_if_due()
            began = time.monotonic()
            first = counters["step"]
            count = min(piece, until - first)
            rates = falling_rates(first, count, total, rate)
            loss = self.fitting.run(seed, first, count, self.config.batch, rates)
            counters["step"] += count
            taken = max(time.monotonic() - began, 1e-3)
            piece = max(1, min(int(count * SECONDS_OF_STEPS / taken), 4 * count))
        return loss


def held_out_shards(shards: int, share: float) -> int:
    """Return how many of the last shards only judge; of a single one none, and it judges too.

    >>> held_out_shards(100, 0.05), held_out_shards(2, 0.05), held_out_shards(1, 0.05)
    (5, 1, 0)
    """
    return min(shards - 1, max(1, round(share * shards))) if shards > 1 else 0


def export_run(kind: str, folder: Path, name: str) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint = trained(folder)
    network = new_network(kind, 0, shape_of_saved(kind, checkpoint.config))
    load_network(network, checkpoint.arrays)
    path = folder / name
    notes = notes_of(checkpoint)
    notes |= {name: str(value) for name, value in checkpoint.counters.items()}
    difference = export_network(network, path, notes)
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"
