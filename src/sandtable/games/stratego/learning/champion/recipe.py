"""Training Stratego's champion by self-play, from the configuration down to the last round.

The network plays itself, and older selves, in thousands of games side by side; after every few
moves it learns from them by a clipped policy gradient. The configuration is in
stratego_champion_config.py, the games are in stratego_champion_games.py, the gradient steps in
stratego_champion_learner.py; here they are put together to a run. See
docs/games/stratego/champion.md.
"""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sandtable.errors import SandtableError
from sandtable.games.stratego.learning.champion.config import (
    CHAMPION,
    TINY,
    ChampionConfig,
    check_config,
)
from sandtable.games.stratego.learning.champion.games import SelfPlay
from sandtable.games.stratego.learning.champion.learner import ChampionLearner
from sandtable.games.stratego.learning.champion.network import ChampionModel, export_onnx
from sandtable.learning.checkpoints import Checkpoint, load_newest, make_folder, save
from sandtable.learning.device import chosen_device
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, Recipe, check_same_config

__all__ = ["RECIPE"]

SECONDS_BETWEEN_CHECKPOINTS = 60.0
OTHERS = {"past": "older selves", "rival": "the rival", "searcher": "the searcher"}


class Run:
    """A training run that can be broken off after any round."""

    def __init__(self, config: ChampionConfig, folder: Path, control: Control) -> None:
        self.config, self.folder, self.control = config, folder, control
        torch.set_num_threads(control.threads)
        device = chosen_device(control.device)
        self.learner = ChampionLearner(config, device)
        self.counters: dict[str, Any] = {"rounds": 0, "seconds": 0.0, "older": 0, "logged": 0}
        self.saved_at = time.monotonic()
        checkpoint, warning = load_newest(folder)
        if warning:
            control.warn(warning)
        if checkpoint:
            check_same_config(folder, config, checkpoint.config, growing="rounds")
            self.counters = dict(checkpoint.counters)
        self.games = SelfPlay(config, device, control.jobs, self.counters["rounds"])
        if checkpoint:
            self.restore(checkpoint)
        self.log = Log(folder, dataclasses.asdict(config), self.counters["logged"])

    def train(self) -> bool:
        """Play and learn to the last round, or until told to stop; say whether it was the last."""
        while self.counters["rounds"] < self.config.rounds:
            self.round(self.counters["rounds"])
            stop = self.control.must_stop()
            if stop or time.monotonic() - self.saved_at > SECONDS_BETWEEN_CHECKPOINTS:
                self.save()
            if stop and self.counters["rounds"] < self.config.rounds:
                return False
        self.save()
        return True

    def round(self, number: int) -> None:
        """Play, learn and tell."""
        began = time.perf_counter()
        learner, games = self.learner, self.games
        learner.begin_round(number)
        played = games.play(learner.model, learner.past, number)
        losses = learner.learn(played, games, number)
        self.counters["rounds"] = number + 1
        self.counters["seconds"] += time.perf_counter() - began
        red, drawn, blue = (int(count) for count in games.results)
        games.results[:] = 0
        facts: dict[str, Any] = {
            "round": number,
            **{name: round(loss, 5) for name, loss in losses.items()},
            "finished": red + drawn + blue,
            "draws": drawn,
            "red_wins": red,
            **self.told_against(),
            "rate": self.config.rate_in(number),
            "seconds": round(self.counters["seconds"], 3),
        }
        self.log.write(facts)
        self.control.tell(facts)

    def told_against(self) -> dict[str, float]:
        """Return the games that ended against others and the points won in them; count anew."""
        facts: dict[str, float] = {}
        for name, counts in self.games.against.items():
            facts |= {f"{name}_points": float(counts[0]), f"{name}_games": int(counts[1])}
            counts[:] = 0
        return facts

    def save(self) -> None:
        """Write a checkpoint."""
        self.counters |= {"older": len(self.learner.older), "logged": self.log.lines}
        arrays = self.learner.arrays()
        arrays |= {f"games/{name}": kept for name, kept in self.games.batch.saved().items()}
        config = dataclasses.asdict(self.config)
        save(self.folder, Checkpoint(config, dict(self.counters), arrays))
        self.saved_at = time.monotonic()

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to the networks and games of a checkpoint."""
        self.learner.restore(checkpoint.arrays, self.counters["older"])
        prefix = "games/"
        self.games.batch.restore(
            {
                name.removeprefix(prefix): array
                for name, array in checkpoint.arrays.items()
                if name.startswith(prefix)
            }
        )


def train(config: ChampionConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether the last round has been played."""
    check_config(config)
    make_folder(folder)
    run = Run(config, folder, control)
    with run.log:
        return run.train()


def model_of(checkpoint: Checkpoint) -> ChampionModel:
    """Return the averaged network of a checkpoint, the one that plays."""
    model = ChampionModel(checkpoint.config["channels"], checkpoint.config["blocks"])
    prefix = "average/"
    model.load_state_dict(
        {
            name.removeprefix(prefix): torch.from_numpy(np.array(array))
            for name, array in checkpoint.arrays.items()
            if name.startswith(prefix)
        }
    )
    return model


def export(folder: Path) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    path = folder / "weights.onnx"
    notes = {name: str(value) for name, value in checkpoint.config.items()}
    rounds = str(checkpoint.counters["rounds"])
    difference = export_onnx(model_of(checkpoint), path, notes | {"rounds": rounds})
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"


def news(facts: dict[str, Any]) -> str:
    """Tell in a few words how learning goes."""
    text = (
        f"value error {facts['value']:.3f}, hidden ranks {facts['belief']:.3f}, "
        f"variety {facts['entropy']:.2f}, {facts['finished']} games ended, {facts['draws']} drawn"
    )
    for name, words in OTHERS.items():
        if games := facts.get(f"{name}_games"):
            text += f", {facts[f'{name}_points'] / games:.0%} against {words}"
    return text


RECIPE = Recipe(
    summary="Stratego's champion: a network trained by self-play with a policy gradient.",
    presets={"champion": CHAMPION, "tiny": TINY},
    train=train,
    export=export,
    unit="round",
    length=lambda config: int(config.rounds),
    told=news,
)
