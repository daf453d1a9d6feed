"""How the champion of Skirmish learns: generations of self-play, and regression on their results.

Read from top to bottom (the games and the configuration: games.py). A
generation plays games against itself; after every search the position's features and the value of
the search are kept, and at the end of the game its result. The network is then fitted to a mix of
both (the result is the truth but noisy, the search looks ahead but believes the old network), over
the last few generations. Everything follows from the seed; a run goes on exactly where its
checkpoint left it.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.games.skirmish.agents.champion import evaluation
from sandtable.games.skirmish.agents.champion.features import FEATURES
from sandtable.games.skirmish.learning.champion.games import (
    FIELDS,
    ChampionConfig,
    Samples,
    blank_levels,
    joined,
    self_play,
)
from sandtable.learning.adam import Learner, Parameters, adam_step, follow
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained

__all__ = ["RECIPE", "ChampionConfig", "export", "train"]

WEIGHTS_FILE = "champion.safetensors"
SLOWEST = 0.002  # share by which the average follows the network in a step

# --- fitting -------------------------------------------------------------------------------------


def new_learner(seed: int, start: str = "") -> Learner:
    """Begin with small random weights and no bias, or with the weights of a file."""
    if start:
        return Learner.begin(evaluation.load_weights(Path(start).expanduser()))
    numbers = np.random.Generator(np.random.PCG64(seed))
    parameters = np.zeros(evaluation.PARAMETERS, dtype=np.float32)
    for begin, rows, columns in (
        (evaluation.FIRST_WEIGHTS, FEATURES, evaluation.HIDDEN),
        (evaluation.SECOND_WEIGHTS, evaluation.HIDDEN, evaluation.SECOND_HIDDEN),
        (evaluation.OUTPUT_WEIGHTS, evaluation.SECOND_HIDDEN, 1),
    ):
        drawn = numbers.standard_normal(rows * columns) * math.sqrt(1.0 / rows)
        parameters[begin : begin + rows * columns] = drawn
    return Learner.begin(parameters)


def gradient(
    parameters: Parameters, features: NDArray[np.float32], targets: NDArray[np.float32]
) -> tuple[float, Parameters]:
    """Return the loss of a batch, the cross entropy of win and loss, and its gradient."""
    network = evaluation.network_of(parameters)
    slope = np.zeros_like(parameters)
    into = evaluation.network_of(slope)
    hidden = np.maximum(features @ network.first + network.first_bias, 0.0)
    second = np.maximum(hidden @ network.second + network.second_bias, 0.0)
    estimates = np.tanh(second @ network.output[:-1] + network.output[-1])
    chance = np.clip((1.0 + estimates) / 2.0, 1e-6, 1.0 - 1e-6)
    wanted = (1.0 + targets) / 2.0
    loss = -float(np.mean(wanted * np.log(chance) + (1.0 - wanted) * np.log(1.0 - chance)))
    error = (estimates - targets) / np.float32(len(targets))  # the loss by the output's input
    into.output[:-1] = second.T @ error
    into.output[-1] = error.sum()
    back = np.outer(error, network.output[:-1]) * (second > 0)
    into.second[:] = hidden.T @ back
    into.second_bias[:] = back.sum(axis=0)
    back = (back @ network.second.T) * (hidden > 0)
    into.first[:] = features.T @ back
    into.first_bias[:] = back.sum(axis=0)
    return loss, slope


def fit(config: ChampionConfig, generation: int, learner: Learner, window: list[Samples]) -> float:
    """Fit the network to the window of samples; return the mean loss."""
    samples, share = joined(window), np.float32(config.result_share)
    targets = (share * samples.results + (1 - share) * samples.values).astype(np.float32)
    cooling = 0.5 * (1.0 + math.cos(math.pi * generation / config.generations))
    rate = config.learning_rate * (0.1 + 0.9 * cooling)
    numbers = np.random.Generator(np.random.PCG64([config.seed, generation]))
    losses = []
    for _ in range(config.epochs):
        order = numbers.permutation(len(targets))
        for begin in range(0, len(order) - config.batch + 1, config.batch):
            batch = order[begin : begin + config.batch]
            loss, slope = gradient(
                learner.parameters, samples.features[batch].astype(np.float32), targets[batch]
            )
            learner.steps += 1
            rows = learner.parameters, slope, learner.momentum, learner.squares
            adam_step(*rows, rate, learner.steps)
            follow(learner.average, learner.parameters, max(SLOWEST, 1.0 / learner.steps))
            losses.append(loss)
    return float(np.mean(losses))


# --- the run -------------------------------------------------------------------------------------


class ChampionInTraining:
    """The network of a run, and the positions of the last generations."""

    def __init__(self, config: ChampionConfig) -> None:
        self.learner = new_learner(config.seed, config.start)
        self.window: list[Samples] = []
        self.counters = {"generations": 0, "steps": 0, "window": 0}

    def arrays(self) -> Arrays:
        """Return all that changes."""
        samples = {
            f"window.{number}.{name}": array
            for number, samples in enumerate(self.window)
            for name, array in vars(samples).items()
        }
        return self.learner.arrays() | samples

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays."""
        self.learner.restore(arrays, self.counters["steps"])
        self.window = [
            Samples(*(np.array(arrays[f"window.{number}.{name}"]) for name in FIELDS))
            for number in range(self.counters["window"])
        ]


def train(config: ChampionConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    with Run(config, folder, control, seconds_between_saves=0.0) as run:
        state = run.attach(ChampionInTraining(config))
        learner, counters = state.learner, state.counters
        blanks = blank_levels(config)
        while (generation := counters["generations"]) < config.generations:
            samples = self_play(config, generation, learner.average, blanks, control)
            if samples is None:
                return False
            state.window = [*state.window, samples][-config.window :]
            loss = fit(config, generation, learner, state.window)
            counters |= {"generations": generation + 1, "steps": learner.steps}
            counters["window"] = len(state.window)
            run.report(metrics_of(samples, (generation + 1) * config.generation, loss))
    return True


def metrics_of(samples: Samples, games: int, loss: float) -> Metrics:
    """Return what is worth knowing about a generation."""
    results = samples.outcomes[:, 0]
    return {
        "game": games - 1,
        "opponent": "itself",
        "loss": round(loss, 4),
        "result": round(float(results.mean()), 3),
        "win_rate": round(float((results > 0).mean()), 3),  # of First
        "turns": round(float(samples.outcomes[:, 1].mean()) / 2, 1),
        "positions": len(samples.values),
    }


def export(folder: Path) -> str:
    """Write the weights for playing from the newest checkpoint."""
    checkpoint = trained(folder)
    notes = notes_of(checkpoint)
    notes["generations_done"] = str(checkpoint.counters["generations"])
    path = folder / WEIGHTS_FILE
    write_whole(path, weights_bytes(np.array(checkpoint.arrays["average"]), notes))
    return f"weights written to {path}"


RECIPE = Recipe(
    summary="self-play and regression for skirmish/champion",
    presets={"champion": ChampionConfig()},
    train=train,
    export=export,
)
