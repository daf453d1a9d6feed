"""What the two recipes of Stratego share: a run of parts, data first and steps after it.

Data comes in shards on the disk, steps in pieces; after every piece there is a checkpoint.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import torch

from sandtable.errors import SandtableError
from sandtable.games.stratego.learning.fitting import Fitting, falling_rates, load_network
from sandtable.games.stratego.learning.networks import export_network, new_network
from sandtable.learning.checkpoints import Checkpoint, load_newest, make_folder, save
from sandtable.learning.device import chosen_device
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, check_same_config

__all__ = ["BoardRun", "check_numbers", "export_run", "held_out_shards"]

SECONDS_OF_STEPS = 5.0  # in a piece, about
STEPS_AT_FIRST = 50
SECONDS_BETWEEN_CHECKPOINTS = 20.0


class BoardRun:
    """A network that is being trained in a folder, with its checkpoints and its log."""

    def __init__(
        self, kind: str, config: Any, folder: Path, control: Control, growing: str = ""
    ) -> None:
        self.config, self.folder, self.control = config, folder, control
        make_folder(folder)
        torch.set_num_threads(control.threads)
        network = new_network(kind, config.seed)
        device = chosen_device(control.device)
        self.fitting = Fitting(network, device, config.momentum, config.decay)
        self.counters: dict[str, Any] = {"round": 0, "step": 0, "seconds": 0.0, "logged": 0}
        self.began = self.saved_at = time.monotonic()
        checkpoint, warning = load_newest(folder)
        if warning:
            control.warn(warning)
        if checkpoint:
            check_same_config(folder, config, checkpoint.config, growing)
            self.counters = dict(checkpoint.counters)
            self.fitting.restore(dict(checkpoint.arrays))
        self.log = Log(folder, dataclasses.asdict(config), self.counters["logged"])
        if not checkpoint:
            self.save()  # from here on the folder knows its configuration

    def save(self) -> None:
        """Write a checkpoint."""
        now = time.monotonic()
        self.counters["seconds"] += now - self.began
        self.began = self.saved_at = now
        self.counters["logged"] = self.log.lines
        config = dataclasses.asdict(self.config)
        save(self.folder, Checkpoint(config, self.counters, self.fitting.arrays()))

    def tell(self, facts: dict[str, Any]) -> None:
        """Log something, and show it."""
        self.log.write(facts)
        self.control.tell(facts)

    def fit(self, until: int, total: int, rate: float, seed: int) -> float | None:
        """Take the steps up to ``until`` of ``total``; None when the run has to stop before.

        Return the mean loss of the last piece.
        """
        counters, loss, piece = self.counters, 0.0, STEPS_AT_FIRST
        while counters["step"] < until:
            began = time.monotonic()
            first = counters["step"]
            count = min(piece, until - first)
            rates = falling_rates(first, count, total, rate)
            loss = self.fitting.run(seed, first, count, self.config.batch, rates)
            counters["step"] += count
            taken = max(time.monotonic() - began, 1e-3)
            piece = max(1, min(int(count * SECONDS_OF_STEPS / taken), 4 * count))
            stop = self.control.must_stop()
            if stop or time.monotonic() - self.saved_at > SECONDS_BETWEEN_CHECKPOINTS:
                self.save()
            if stop:
                return None
        return loss


def held_out_shards(shards: int, share: float) -> int:
    """Return how many of the last shards only judge; of a single one none, and it judges too."""
    return min(shards - 1, max(1, round(share * shards))) if shards > 1 else 0


def export_run(kind: str, folder: Path, name: str) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    network = new_network(kind, 0)
    load_network(network, checkpoint.arrays)
    path = folder / name
    notes = {name: str(value) for name, value in checkpoint.config.items()}
    notes |= {name: str(value) for name, value in checkpoint.counters.items()}
    difference = export_network(network, path, notes)
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"


def check_numbers(config: Any, at_least_one: tuple[str, ...], shares: tuple[str, ...]) -> None:
    """Refuse numbers that make no sense."""
    for name in at_least_one:
        if getattr(config, name) < 1:
            raise SandtableError(f"{name} is at least 1, got {getattr(config, name)}")
    for name in shares:
        if not 0 <= getattr(config, name) <= 1:
            raise SandtableError(f"{name} lies between 0 and 1, got {getattr(config, name)}")
    if config.decay < 0:
        raise SandtableError(f"decay is 0 or more, got {config.decay}")
    if config.seed < 0 or not config.learning_rate > 0:
        raise SandtableError("seed is 0 or more, learning_rate above 0")
