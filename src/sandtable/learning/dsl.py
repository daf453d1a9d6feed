"""Deep-State Learning (2024 thesis, section 2), from the configuration down to the last game.

A network values states. Minimax with these values chooses the moves, and after every move and the
answer to it the network learns: Q(S0) towards r + Q*(S1), where S1 is the state after the answer,
r the simple utility of S1, and Q* the network as it was when the game began. A game that is over
has no further value: there the target is r alone. See docs/methods/deep-state-learning.md.
"""

from __future__ import annotations

import dataclasses
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from sandtable.agents.alphabeta import AlphaBeta
from sandtable.agents.skirmish.dsl import DeepSearch, Evaluate, think
from sandtable.compiled import kernel
from sandtable.dice import Dice, stream_key
from sandtable.errors import SandtableError
from sandtable.games.skirmish import rules
from sandtable.games.skirmish.planes import encode
from sandtable.learning.checkpoints import Checkpoint, load_newest, save
from sandtable.learning.dsl_games import Replay, Round, score, training_game, watch
from sandtable.learning.logs import Log
from sandtable.learning.networks import ValueNetwork, export_onnx, new_network
from sandtable.learning.recipes import Control, Recipe, check_same_config, config_field
from sandtable.learning.torch_values import TorchValues, chosen_device
from sandtable.types import State

__all__ = ["DslConfig", "recipe"]


@dataclass(frozen=True)
class DslConfig:
    """The thesis's values; what the thesis does not have is set so that it does nothing."""

    budget: int = config_field(5000, "States a search of the learner may look at.")
    games: int = config_field(100, "Games to play.")
    seed: int = config_field(0, "Same seed, same run.")
    simple_games: int = config_field(25, "Games before self-play alternates with the opponent.")
    simple_budget: int = config_field(10_000, "States the simple opponent may look at.")
    self_play_only: bool = config_field(False, "Never play the simple opponent (the ablation).")
    mutation: float = config_field(0.01, "Spread of what is added to a copy's parameters.")
    replay: int = config_field(1500, "Transitions that are remembered.")
    batch: int = config_field(15, "Transitions in a gradient step.")
    learning_rate: float = config_field(0.001, "Step size of Adam.")
    incentive: float = config_field(1.2, "Factor for moves that build or capture.")
    max_turns: int = config_field(100, "A game is drawn after so many turns.")
    levels: str = config_field("1 2 3 4 5", "The levels to train on.")
    # Ours:
    discount: float = config_field(1.0, "What the next move's reward is worth now.")
    steps: int = config_field(1, "Moves whose rewards are added up before Q* takes over.")
    gradient_steps: int = config_field(1, "Gradient steps after every move.")
    reward_scale: float = config_field(1.0, "Factor of all rewards.")
    win_reward: float = config_field(0.0, "Extra reward of a win, and the cost of a loss.")
    huber: bool = config_field(False, "Huber loss in place of the squared error.")
    both_seats: bool = config_field(False, "Play second in every other game, not always first.")
    both_sides: bool = config_field(False, "Learn from the opponent's moves too.")
    waiting_states: bool = config_field(False, "Value states before the opponent's moves too.")
    games_at_once: int = config_field(1, "Games played side by side, by the same network.")
    exploration: float = config_field(0.0, "Share of the learner's moves drawn at random.")
    mirror: bool = config_field(False, "Mirror a random half of every batch, left and right.")
    final_learning_rate: float = config_field(0.001, "Step size after the last game.")
    generated_levels: int = config_field(0, "Generated levels to train on besides.")
    watched_games: int = config_field(0, "Games of other agents to learn from before the first.")
    watched_budget: int = config_field(500, "States these agents may look at.")
    watched_steps: int = config_field(0, "Gradient steps on these games.")
    leaf_batch: int = config_field(256, "Leaves of a search in one call of the network.")


THESIS = DslConfig()

# Ours: see "What we changed to make it learn" in docs/methods/deep-state-learning.md.
IMPROVED = DslConfig(
    games=100,
    replay=400_000,
    batch=256,
    discount=0.9,
    steps=8,
    reward_scale=0.05,
    win_reward=20.0,
    huber=True,
    both_seats=True,
    both_sides=True,
    waiting_states=True,
    games_at_once=10,
    exploration=0.05,
    mirror=True,
    final_learning_rate=0.00005,
    generated_levels=95,
    watched_games=2000,
    watched_steps=10_000,
    leaf_batch=64,
)

WIN_RATE_GAMES = 20  # the last games that the progress bar tells of
SECONDS_BETWEEN_CHECKPOINTS = 20.0
WATCHED_STEPS_PER_TARGET = 50  # gradient steps on watched games before Q* follows


@kernel
def encode_all(
    positions: NDArray[np.int8], seats: NDArray[np.int8], planes: NDArray[np.float32]
) -> None:
    """Write boards [position, cell] as planes [position, 6, 8, 8], each seen by its seat."""
    for index in range(len(positions)):
        encode(positions[index], seats[index], planes[index])


class Learner:
    """The network Q, the target Q*, and the gradient steps between them."""

    def __init__(self, config: DslConfig, device: torch.device) -> None:
        self.config = config
        self.device = device
        self.network = new_network(stream_key(config.seed, "network") >> 1).to(device)
        self.target = new_network(0).to(device)
        self.copy = new_network(0).to(device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.replay = Replay(config.replay)
        self.values = TorchValues(self.network, device)
        self.copy_values = TorchValues(self.copy, device)
        self.gradient_steps = 0

    def begin_round(self, number: int) -> None:
        """Copy Q to Q*, mutate a copy for self-play, and set the step size."""
        self.target.load_state_dict(self.network.state_dict())
        self.mutate_copy(number)
        self.set_learning_rate(number)

    def set_learning_rate(self, number: int) -> None:
        """Let the step size fall evenly from the first game to the last."""
        first, last = self.config.learning_rate, self.config.final_learning_rate
        for group in self.optimiser.param_groups:
            group["lr"] = first + (last - first) * number / self.config.games

    def mutate_copy(self, number: int) -> None:
        """Set the copy to Q* plus noise, another number for each parameter."""
        generator = torch.Generator().manual_seed(
            stream_key(self.config.seed, f"mutation {number}") >> 1
        )
        self.copy.load_state_dict(self.target.state_dict())
        with torch.no_grad():
            for parameter in self.copy.parameters():
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.add_(self.config.mutation * noise.to(self.device))
        self.copy_values.refresh()

    def learn(self, moves: int) -> float | None:
        """Take the gradient steps for so many moves; return the mean loss."""
        config = self.config
        if self.replay.added < config.batch or not moves:
            return None
        losses = [self.gradient_step() for _ in range(moves * config.gradient_steps)]
        self.values.refresh()
        return float(torch.stack(losses).mean())

    def gradient_step(self) -> torch.Tensor:
        """Move Q(S0) towards r + Q*(S1) for one batch; return the loss."""
        config = self.config
        dice = Dice(config.seed, "replay", self.gradient_steps)
        drawn = self.replay.draw(config.batch, dice)
        self.gradient_steps += 1
        gain = torch.from_numpy(drawn["gain"]).to(self.device)
        factor = torch.from_numpy(drawn["factor"]).to(self.device)
        self.target.eval()
        with torch.no_grad():
            target = gain + factor * self.target(self.planes(drawn["last"], drawn["seat"]))
        self.network.train()
        planes = self.planes(drawn["first"], drawn["seat"])
        if config.mirror:  # which ones does not matter, since the batch is drawn at random
            planes[::2] = planes[::2].flip(3)
        value = self.network(planes)
        loss = (functional.huber_loss if config.huber else functional.mse_loss)(value, target)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return loss.detach()

    def planes(self, positions: NDArray[np.int8], seats: NDArray[np.int8]) -> torch.Tensor:
        """Return positions as a tensor on the device."""
        planes = np.empty((len(positions), 6, 8, 8), dtype=np.float32)
        encode_all(positions, seats, planes)
        return torch.from_numpy(planes).to(self.device)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that a checkpoint must hold of the learner."""
        named = {"network": self.network.state_dict(), "target": self.target.state_dict()}
        for number, state in self.optimiser.state_dict()["state"].items():
            named[f"optimiser.{number}"] = state
        arrays = {
            f"{part}/{name}": tensor.cpu().numpy()
            for part, tensors in named.items()
            for name, tensor in tensors.items()
        }
        filled = min(self.replay.added, len(self.replay))
        return arrays | {f"replay/{k}": v[:filled] for k, v in self.replay.arrays.items()}

    def restore(self, arrays: Any, added: int, gradient_steps: int) -> None:
        """Take the learner back to what ``arrays`` returned."""
        parts: dict[str, dict[str, torch.Tensor]] = {}
        for key, array in arrays.items():
            part, _, name = key.partition("/")
            parts.setdefault(part, {})[name] = torch.from_numpy(np.array(array))
        self.network.load_state_dict(parts["network"])
        self.target.load_state_dict(parts["target"])
        whole = self.optimiser.state_dict()
        kept = [part for part in parts if part.startswith("optimiser.")]
        whole["state"] = {int(part.partition(".")[2]): parts[part] for part in kept}
        self.optimiser.load_state_dict(whole)
        for name, tensor in parts["replay"].items():
            self.replay.arrays[name][: len(tensor)] = tensor.numpy()
        self.replay.added = added
        self.gradient_steps = gradient_steps
        self.values.refresh()


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
            if position[rules.MOVER] == rules.OVER and not games.told[index]:
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
            "turns": int(games.positions[index, rules.PLAYED] + 1) // 2,
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
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(config, folder, control)
    finished = run.train()
    run.log.close()
    return finished


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
