"""Deep-State Learning (2024 thesis, section 2), from the configuration down to the last game.

A network values states. Minimax with these values chooses the moves, and after every move and the
answer to it the network learns: Q(S0) towards r + Q*(S1), where S1 is the state after the answer,
r the simple utility of S1, and Q* the network as it was when the game began. A game that is over
has no further value: there the target is r alone. See docs/games/skirmish/deep-state-learning.md.

The configuration is in config.py, the games and the transitions they give in games.py, the
networks in networks.py, the gradient steps in learner.py; here they are put together to a run.
"""

from __future__ import annotations

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
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.dsl.agent import DeepSearch, Evaluate, run_searches
from sandtable.games.skirmish.learning.dsl.config import IMPROVED, SMALL, THESIS, TINY, DslConfig
from sandtable.games.skirmish.learning.dsl.games import (
    Round,
    score,
    training_game,
    watch,
)
from sandtable.games.skirmish.learning.dsl.learner import Learner
from sandtable.games.skirmish.learning.dsl.networks import export_onnx, new_network
from sandtable.learning.checkpoints import Arrays
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained
from sandtable.learning.torch_networks import chosen_device, load_network
from sandtable.types import State

__all__ = ["RECIPE", "export", "train"]

WIN_RATE_GAMES = 20  # the last games, of which the win rate is reported
ROUND_ARRAYS = ("positions", "tracks", "lengths", "reported")  # of a Round
WATCHED_STEPS_PER_TARGET = 50  # gradient steps on watched games before Q* follows


class Training:
    """A learner and its games; they can be broken off after any turn."""

    def __init__(self, config: DslConfig, run: Run) -> None:
        self.config, self.run = config, run
        torch.set_num_threads(run.control.threads)
        self.learner = Learner(config, chosen_device(run.control.device))
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
            "added": 0,  # transitions to the replay
            "gradient_steps": 0,
            "round": None,  # games of the round that goes on
        }

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
            while not self.round.reported.all():
                self.turn(self.round)
                if self.run.control.must_stop():
                    self.run.save()
                    return False
                self.run.save_if_due()
            self.counters["games"] += len(self.round.positions)
            self.round = None
            self.run.save()
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
            if self.run.control.must_stop():
                self.run.save()
                return False
            self.run.save_if_due()
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
            if position[layout.MOVER] == layout.OVER and not games.reported[index]:
                games.reported[index] = True
                self.run.report(self.metrics_of(games, index), may_save=False)

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
        run_searches(searches, values)
        for index, search in zip(indices, searches, strict=True):
            stray = games.stray_move(index, exploration)
            games.play(index, search.choice if stray is None else stray)

    def simple_move(self, position: NDArray[np.int16]) -> int:
        """Return the move of the thesis's simple opponent."""
        game = training_game(
            "1", self.config.max_turns, self.config.both_empty
        )  # the board is in the position
        budget = self.config.simple_budget
        opponent = AlphaBeta(budget=budget, evaluation="simple", ordering="published")
        return opponent.choose(State(game, position), Dice(0))

    def metrics_of(self, games: Round, index: int) -> Metrics:
        """Return what is worth knowing about a finished game."""
        result = score(games.positions[index], games.learner_seat(index))
        losses, results = self.counters["losses"], self.counters["results"]
        results.append((result + 1) / 2)
        del results[:-WIN_RATE_GAMES]
        metrics = {
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
        return metrics

    def arrays(self) -> Arrays:
        """Return all that changes, for a checkpoint."""
        self.counters |= {
            "added": self.learner.replay.added,
            "gradient_steps": self.learner.gradient_steps,
            "round": None if self.round is None else len(self.round.positions),
        }
        arrays = self.learner.arrays()
        if self.round is not None:
            for name in ROUND_ARRAYS:
                arrays[f"round/{name}"] = getattr(self.round, name)
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays."""
        self.learner.restore(
            {name: array for name, array in arrays.items() if not name.startswith("round/")},
            self.counters["added"],
            self.counters["gradient_steps"],
        )
        if self.counters["round"]:
            self.round = Round(self.config, self.counters["games"], self.learner.replay)
            for name in ROUND_ARRAYS:
                setattr(self.round, name, np.array(arrays[f"round/{name}"]))
            self.learner.mutate_copy(self.round.first)
            self.learner.set_learning_rate(self.round.first)


def train(config: DslConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether the last game has been played."""
    with Run(config, folder, control) as run:
        return run.attach(Training(config, run)).train()


def export(folder: Path) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint = trained(folder)
    network = new_network(0, checkpoint.config.get("network", "quarters"))
    load_network(network, checkpoint.arrays)
    path = folder / "weights.onnx"
    notes = notes_of(checkpoint) | {"games": str(checkpoint.counters["games"])}
    difference = export_onnx(network, path, notes)
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"


RECIPE = Recipe(
    summary="Deep-State Learning: a value network for Skirmish by DQN with minimax.",
    presets={"thesis": THESIS, "improved": IMPROVED, "small": SMALL, "tiny": TINY},
    train=train,
    export=export,
)
