"""How the champion of Skirmish learns: generations of self-play, and regression on their results.

Read from top to bottom (the games and the configuration: games.py). A
generation plays games against itself; after every search the position's features and the value of
the search are kept, and at the end of the game its result. The network is then fitted to a mix of
both (the result is the truth but noisy, the search looks ahead but believes the old network), over
the last few generations. Everything follows from the seed; a run goes on exactly where its
checkpoint left it.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.games.skirmish.agents.champion.evaluation import (
    FIRST_WEIGHTS,
    HIDDEN,
    OUTPUT_WEIGHTS,
    PARAMETERS,
    SECOND_HIDDEN,
    SECOND_WEIGHTS,
    network_of,
)
from sandtable.games.skirmish.agents.champion.features import FEATURES
from sandtable.games.skirmish.agents.champion.weights_file import weights_bytes
from sandtable.games.skirmish.learning.champion.games import (
    FIELDS,
    ChampionConfig,
    Parameters,
    Samples,
    blank_levels,
    joined,
    self_play,
)
from sandtable.learning.checkpoints import (
    Checkpoint,
    load_newest,
    make_folder,
    save,
    write_whole,
)
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, Recipe, check_same_config

__all__ = ["RECIPE", "ChampionConfig", "export", "train"]

ROWS = ("parameters", "momentum", "squares", "average")  # of a Learner
WEIGHTS_FILE = "champion.safetensors"

# --- fitting -------------------------------------------------------------------------------------


@dataclass
class Learner:
    """The network and Adam's memory, each one row of numbers, and the average that plays."""

    parameters: Parameters
    momentum: Parameters
    squares: Parameters
    average: Parameters
    steps: int = 0


def new_learner(seed: int) -> Learner:
    """Begin with small random weights and no bias."""
    numbers = np.random.Generator(np.random.PCG64(seed))
    parameters = np.zeros(PARAMETERS, dtype=np.float32)
    for begin, rows, columns in (
        (FIRST_WEIGHTS, FEATURES, HIDDEN),
        (SECOND_WEIGHTS, HIDDEN, SECOND_HIDDEN),
        (OUTPUT_WEIGHTS, SECOND_HIDDEN, 1),
    ):
        drawn = numbers.standard_normal(rows * columns) * math.sqrt(1.0 / rows)
        parameters[begin : begin + rows * columns] = drawn
    empty = np.zeros_like(parameters)
    return Learner(parameters, empty.copy(), empty.copy(), parameters.copy())


def gradient(
    parameters: Parameters, features: NDArray[np.float32], targets: NDArray[np.float32]
) -> tuple[float, Parameters]:
    """Return the loss of a batch, the cross entropy of win and loss, and its gradient."""
    network = network_of(parameters)
    slope = np.zeros_like(parameters)
    into = network_of(slope)
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


def adam_step(learner: Learner, slope: Parameters, rate: float) -> None:
    """Go one step down the slope (Kingma and Ba 2015), and let the average follow."""
    learner.steps += 1
    learner.momentum += np.float32(0.1) * (slope - learner.momentum)
    learner.squares += np.float32(0.001) * (slope * slope - learner.squares)
    size = rate * math.sqrt(1.0 - 0.999**learner.steps) / (1.0 - 0.9**learner.steps)
    learner.parameters -= np.float32(size) * learner.momentum / (np.sqrt(learner.squares) + 1e-8)
    follow = max(0.002, 1.0 / learner.steps)
    learner.average += np.float32(follow) * (learner.parameters - learner.average)


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
            adam_step(learner, slope, rate)
            losses.append(loss)
    return float(np.mean(losses))


# --- the run -------------------------------------------------------------------------------------


def train(config: ChampionConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    check_config(config)
    make_folder(folder)
    learner, window, done = resume(config, folder, control)
    with Log(folder, dataclasses.asdict(config), done) as log:
        blanks = blank_levels(config)
        while done < config.generations:
            samples = self_play(config, done, learner.average, blanks, control)
            if samples is None:
                return False
            window = [*window, samples][-config.window :]
            loss = fit(config, done, learner, window)
            done += 1
            save(folder, checkpoint_of(config, learner, window, done))
            facts = facts_of(samples, done * config.generation, loss)
            log.write(facts)
            control.tell(facts)
        return True


def check_config(config: ChampionConfig) -> None:
    """Refuse numbers that make no sense."""
    for name in ("games", "generation", "budget", "levels", "window", "epochs", "batch"):
        if getattr(config, name) < 1:
            raise SandtableError(f"{name} is at least 1, got {getattr(config, name)}")
    for name in ("result_share", "random_later", "full_starts", "second_wins"):
        if not 0 <= getattr(config, name) <= 1:
            raise SandtableError(f"{name} lies between 0 and 1, got {getattr(config, name)}")
    if not config.learning_rate > 0 or config.random_first < 1 or config.seed < 0:
        raise SandtableError("learning_rate is above 0, random_first 1 or more, seed 0 or more")


def facts_of(samples: Samples, games: int, loss: float) -> dict[str, Any]:
    """Return what is worth telling about a generation."""
    results = samples.told[:, 0]
    return {
        "game": games - 1,
        "opponent": "itself",
        "loss": round(loss, 4),
        "result": round(float(results.mean()), 3),
        "win_rate": round(float((results > 0).mean()), 3),  # of First
        "turns": round(float(samples.told[:, 1].mean()) / 2, 1),
        "positions": len(samples.values),
    }


def checkpoint_of(
    config: ChampionConfig, learner: Learner, window: list[Samples], done: int
) -> Checkpoint:
    """Put everything a run needs to go on into a checkpoint."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(learner, name) for name in ROWS}
    for number, samples in enumerate(window):
        for name, array in vars(samples).items():
            arrays[f"window.{number}.{name}"] = array
    counters = {"generations": done, "steps": learner.steps, "window": len(window)}
    return Checkpoint(dataclasses.asdict(config), counters, arrays)


def resume(
    config: ChampionConfig, folder: Path, control: Control
) -> tuple[Learner, list[Samples], int]:
    """Return the learner, the window and the number of finished generations to go on from."""
    checkpoint, warning = load_newest(folder)
    if warning:
        control.warn(warning)
    if checkpoint is None:
        return new_learner(config.seed), [], 0
    check_same_config(folder, config, checkpoint.config)
    if config.games != checkpoint.config["games"]:
        raise SandtableError(
            f"{folder} holds a run of {checkpoint.config['games']} games; the learning rate falls "
            f"over all of them, so their number cannot be changed to {config.games}"
        )
    arrays, counters = checkpoint.arrays, checkpoint.counters
    rows = {name: np.array(arrays[name]) for name in ROWS}
    learner = Learner(**rows, steps=counters["steps"])
    window = [
        Samples(*(np.array(arrays[f"window.{number}.{name}"]) for name in FIELDS))
        for number in range(counters["window"])
    ]
    return learner, window, counters["generations"]


def export(folder: Path) -> str:
    """Write the weights for playing from the newest checkpoint."""
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    about = {name: str(value) for name, value in checkpoint.config.items()}
    about["generations_done"] = str(checkpoint.counters["generations"])
    path = folder / WEIGHTS_FILE
    write_whole(path, weights_bytes(np.array(checkpoint.arrays["average"]), about))
    return f"weights written to {path}"


RECIPE = Recipe(
    summary="self-play and regression for skirmish/champion",
    presets={"champion": ChampionConfig()},
    train=train,
    export=export,
)
