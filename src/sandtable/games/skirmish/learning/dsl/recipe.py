"""Deep-State Learning (2024 thesis, section 2), from the configuration down to the last game.

A network values states. Minimax with these values chooses the moves, and after every move and the
answer to it the network learns: Q(S0) towards r + Q*(S1), where S1 is the state after the answer,
r the simple utility of S1, and Q* the network as it was when the game began. A game that is over
has no further value: there the target is r alone. See docs/games/skirmish/deep-state-learning.md.

The configuration is in dsl_config.py, the gradient steps are in dsl_learner.py, the games and the
transitions they give in dsl_games.py; here they are put together to a run.
"""

from __future__ import annotations

import dataclasses
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.agents.alphabeta.agent import AlphaBeta
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.dsl.agent import DeepSearch, Evaluate, think
from sandtable.games.skirmish.learning.dsl.config import IMPROVED, THESIS, DslConfig, check_config
from sandtable.games.skirmish.learning.dsl.games import Round, score, training_game, watch
from sandtable.games.skirmish.learning.dsl.learner import Learner
from sandtable.games.skirmish.learning.dsl.network import ValueNetwork, export_onnx
from sandtable.learning.checkpoints import Checkpoint, load_newest, make_folder, save
from sandtable.learning.device import chosen_device
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, Recipe, check_same_config
from sandtable.types import State

__all__ = ["recipe"]

WIN_RATE_GAMES = 20  # the last games that the progress bar tells of
SECONDS_BETWEEN_CHECKPOINTS = 20.0
WATCHED_STEPS_PER_TARGET = 50  # gradient steps on watched games before Q* follows


class Run:
    """A training run that can be broken off after any turn."""

    def __init__(self, config: DslConfig, folder: Path, control: Control) -> None:
        self.config, self.folder, self.control = config, folder, control
        torch.set_num_threads(control.threads)
        self.learner = Learner(config, chosen_device(control.device))
        self.searches = [
            DeepSearch(config.budget, config.leaf_batch, config.incentive)
            for _ in range(config.games_at_once)
        ]
        self.threads = ThreadPoolExecutor(os.cpu_count() or 1)
        self.round: Round | None = None
        self.counters: dict[str, Any] = {
            "games": 0,  # in finished rounds
            "moves": 0,
            "losses": [],  # since the last finished game
            "results": [],  # of the last games, 1 for a win
            "seconds": 0.0,
        }
        self.saved_at = time.monotonic()
        checkpoint, warning = load_newest(folder)
        if warning:
            control.warn(warning)
        if checkpoint:
            check_same_config(folder, config, checkpoint.config)
            self.restore(checkpoint)
        self.log = Log(folder, dataclasses.asdict(config), self.counters.get("logged", 0))

    def train(self) -> bool:
        """Play and learn to the last game, or until told to stop; say whether it was the last."""
        if not self.watch():
            return False
        while self.counters["games"] < self.config.games:
            if self.round is None:
                self.round = Round(self.config, self.counters["games"], self.learner.replay)
                self.learner.begin_round(self.round.first)
                self.round.set_up()
                self.opponents_move(self.round)
            while not self.round.told.all():
                self.turn(self.round)
                if self.control.must_stop():
                    self.save()
                    return False
                if time.monotonic() - self.saved_at > SECONDS_BETWEEN_CHECKPOINTS:
                    self.save()
            self.counters["games"] += len(self.round.positions)
            self.round = None
            self.save()
        return True

    def watch(self) -> bool:
        """Learn from the games of others, if there are any; say no when told to stop."""
        config, learner = self.config, self.learner
        if config.watched_games and not learner.replay.added:
            watch(config, learner.replay, self.threads)
        while learner.gradient_steps < config.watched_steps:
            if learner.gradient_steps % WATCHED_STEPS_PER_TARGET == 0:
                learner.target.load_state_dict(learner.network.state_dict())
            learner.gradient_step()
            late = time.monotonic() - self.saved_at > SECONDS_BETWEEN_CHECKPOINTS
            if late or self.control.must_stop():
                self.save()
            if self.control.must_stop():
                return False
        learner.values.refresh()
        return True

    def turn(self, games: Round) -> None:
        """Let the learner move in every game and its opponents answer; then learn."""
        began = time.perf_counter()
        own = games.waiting_for(learner=True)
        self.move(games, own, self.learner.values, self.config.exploration)
        self.opponents_move(games)
        self.counters["moves"] += len(own)
        loss = self.learner.learn(len(own))
        if loss is not None:
            self.counters["losses"].append(loss)
        self.counters["seconds"] += time.perf_counter() - began
        for index, position in enumerate(games.positions):
            if position[layout.MOVER] == layout.OVER and not games.told[index]:
                games.told[index] = True
                self.tell(games, index)

    def opponents_move(self, games: Round) -> None:
        """Let the mutated copy and the simple opponent move where they are to move."""
        waiting = games.waiting_for(learner=False)
        copies = [index for index in waiting if games.is_self_play(index)]
        self.move(games, copies, self.learner.copy_values, 0.0)
        simple = [index for index in waiting if not games.is_self_play(index)]
        answers = self.threads.map(self.simple_move, [games.positions[index] for index in simple])
        for index, action in zip(simple, list(answers), strict=True):
            games.play(index, action)

    def move(self, games: Round, indices: list[int], values: Evaluate, exploration: float) -> None:
        """Choose moves by deep minimax, in all these games at once, and play them."""
        searches = self.searches[: len(indices)]
        for index, search in zip(indices, searches, strict=True):
            search.begin(games.positions[index])
        think(searches, values)
        for index, search in zip(indices, searches, strict=True):
            stray = games.stray_move(index, exploration)
            games.play(index, search.choice if stray is None else stray)

    def simple_move(self, position: NDArray[np.int16]) -> int:
        """Return the move of the thesis's simple opponent."""
        game = training_game("1", self.config.max_turns)  # the board is in the position
        budget = self.config.simple_budget
        opponent = AlphaBeta(budget=budget, evaluation="simple", ordering="published")
        return opponent.choose(State(game, position), Dice(0))

    def tell(self, games: Round, index: int) -> None:
        """Log a finished game."""
        result = score(games.positions[index], games.learner_seat(index))
        losses, results = self.counters["losses"], self.counters["results"]
        results.append((result + 1) / 2)
        del results[:-WIN_RATE_GAMES]
        facts = {
            "game": games.first + index,
            "opponent": "copy" if games.is_self_play(index) else "simple",
            "result": result,
            "turns": int(games.positions[index, layout.PLAYED] + 1) // 2,
            "loss": float(np.mean(losses)) if losses else None,
            "win_rate": float(np.mean(results)),
            "moves": self.counters["moves"],
            "gradient_steps": self.learner.gradient_steps,
            "seconds": round(self.counters["seconds"], 3),
        }
        losses.clear()
        self.log.write(facts)
        self.control.tell(facts)

    def save(self) -> None:
        """Write a checkpoint."""
        counters = self.counters | {
            "added": self.learner.replay.added,
            "gradient_steps": self.learner.gradient_steps,
            "logged": self.log.lines,
            "round": None if self.round is None else len(self.round.positions),
        }
        arrays = self.learner.arrays()
        if self.round is not None:
            for name in ("positions", "tracks", "lengths", "told"):
                arrays[f"round/{name}"] = getattr(self.round, name)
        save(self.folder, Checkpoint(dataclasses.asdict(self.config), counters, arrays))
        self.saved_at = time.monotonic()

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint."""
        self.counters = dict(checkpoint.counters)
        self.learner.restore(
            {k: v for k, v in checkpoint.arrays.items() if not k.startswith("round/")},
            self.counters["added"],
            self.counters["gradient_steps"],
        )
        if self.counters.pop("round"):
            self.round = Round(self.config, self.counters["games"], self.learner.replay)
            for name in ("positions", "tracks", "lengths", "told"):
                setattr(self.round, name, np.array(checkpoint.arrays[f"round/{name}"]))
            self.learner.mutate_copy(self.round.first)
            self.learner.set_learning_rate(self.round.first)


def train(config: DslConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether the last game has been played."""
    check_config(config)
    make_folder(folder)
    run = Run(config, folder, control)
    with run.log:
        return run.train()


def export(folder: Path) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    network = ValueNetwork()
    prefix = "network/"
    network.load_state_dict(
        {
            name.removeprefix(prefix): torch.from_numpy(np.array(array))
            for name, array in checkpoint.arrays.items()
            if name.startswith(prefix)
        }
    )
    path = folder / "weights.onnx"
    config = checkpoint.config
    notes = {name: str(value) for name, value in config.items()}
    difference = export_onnx(network, path, notes | {"games": str(checkpoint.counters["games"])})
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"


recipe = Recipe(
    summary="Deep-State Learning: a value network for Skirmish by DQN with minimax.",
    presets={"thesis": THESIS, "improved": IMPROVED},
    train=train,
    export=export,
)
