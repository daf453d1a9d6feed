"""How the champion of Gravwell learns: generations of games, and what became of each position.

Read from top to bottom (the games and the fitting are in the modules beside it whose names begin
like its own). In a generation champions play with the networks of the one before and a small
search. The value of a position is then moved to a mix of the values met later in that game and of
its result (temporal differences with a trace), and the habits to the cards that were played. Each
game is fitted once. Everything follows from the seed; a run goes on exactly where its checkpoint
left it.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import safetensors  # noqa: F401 - checkpoints need it; so its absence is told before a run
from numpy.typing import NDArray

from sandtable.dice import stream_key
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.champion.weights_file import weights_bytes
from sandtable.games.gravwell.learning.champion.fitting import (
    Learner,
    fit,
    new_learner,
    write_stopping,
)
from sandtable.games.gravwell.learning.champion.games import (
    GravwellChampionConfig,
    Samples,
    new_samples,
    new_stops,
    play_generation,
)
from sandtable.learning.checkpoints import Checkpoint, load_newest, save
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, Recipe, check_same_config

__all__ = ["RECIPE", "GravwellChampionConfig", "export", "train"]

ROWS = ("parameters", "momentum", "squares", "average")  # of a Learner
WEIGHTS_FILE = "champion.safetensors"
GAMES_AT_ONCE = 20  # between questions whether to stop
STOPS_KEPT = 0.9  # of the counted Emergency Stops from one generation to the next

# --- a generation --------------------------------------------------------------------------------


def play_games(
    config: GravwellChampionConfig,
    generation: int,
    learner: Learner,
    samples: Samples,
    stops: NDArray[np.float64],
    control: Control,
) -> tuple[int, NDArray[np.float64]] | None:
    """Play the games of a generation; None when the run has to stop meanwhile.

    Return how many views were kept, and what is told of the games.
    """
    first = generation * config.generation
    last = min(first + config.generation, config.games)
    key, kept, told = np.uint64(stream_key(config.seed, "champion self-play")), 0, np.zeros(4)
    for begin in range(first, last, GAMES_AT_ONCE):
        if control.must_stop():
            return None
        count = min(GAMES_AT_ONCE, last - begin)
        kept = play_generation(
            begin, count, key, config.play, learner.average, samples, kept, stops, told
        )
    return kept, told


def fit_views(
    config: GravwellChampionConfig, generation: int, learner: Learner, samples: Samples, kept: int
) -> tuple[float, float]:
    """Fit to the views of a generation in a drawn order; return the mean losses."""
    cooling = 0.5 * (1.0 + math.cos(math.pi * generation / config.generations))
    rate = config.learning_rate * (0.05 + 0.95 * cooling)
    numbers = np.random.Generator(np.random.PCG64([config.seed, generation]))
    return fit(learner, samples, numbers.permutation(kept), config.batch, rate)


# --- the run -------------------------------------------------------------------------------------


def train(config: GravwellChampionConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    check_config(config)
    folder.mkdir(parents=True, exist_ok=True)
    learner, stops, done = resume(config, folder, control)
    samples = new_samples(config.generation)
    log = Log(folder, dataclasses.asdict(config), done)
    try:
        while done < config.generations:
            stops *= STOPS_KEPT
            played = play_games(config, done, learner, samples, stops, control)
            if played is None:
                return False
            kept, told = played
            losses = fit_views(config, done, learner, samples, kept)
            write_stopping(learner, stops)
            done += 1
            save(folder, checkpoint_of(config, learner, stops, done))
            facts = facts_of(min(done * config.generation, config.games), kept, told, losses)
            log.write(facts)
            control.tell(facts)
        return True
    finally:
        log.close()


def check_config(config: GravwellChampionConfig) -> None:
    """Refuse numbers that make no sense."""
    for name in ("games", "generation", "samples", "batch"):
        if getattr(config, name) < 1:
            raise SandtableError(f"{name} is at least 1, got {getattr(config, name)}")
    for name in ("randomness", "exploration", "trace", "random_games", "inert"):
        if not 0 <= getattr(config, name) <= 1:
            raise SandtableError(f"{name} lies between 0 and 1, got {getattr(config, name)}")
    shares = config.two_players, config.three_players
    if min(shares) < 0 or sum(shares) > 1:
        raise SandtableError("two_players and three_players are shares of all games")
    if not config.learning_rate > 0 or config.seed < 0:
        raise SandtableError("learning_rate is above 0 and seed 0 or more")


def facts_of(
    games: int, kept: int, told: NDArray[np.float64], losses: tuple[float, float]
) -> dict[str, Any]:
    """Return what is worth telling about a generation."""
    share = float(told[1] / max(told[0], 1.0))
    return {
        "game": games - 1,
        "opponent": "itself and random players",
        "loss": round(losses[0], 4),
        "habit_loss": round(losses[1], 4),
        "result": round(share, 3),
        "win_rate": round(share, 3),  # of champions in games with random players
        "turns": round(6 * float(told[3] / told[2]), 1),
        "positions": kept,
    }


def checkpoint_of(
    config: GravwellChampionConfig, learner: Learner, stops: NDArray[np.float64], done: int
) -> Checkpoint:
    """Put everything a run needs to go on into a checkpoint."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(learner, name) for name in ROWS}
    counters = {"generations": done, "steps": learner.steps}
    return Checkpoint(dataclasses.asdict(config), counters, {**arrays, "stops": stops})


def resume(
    config: GravwellChampionConfig, folder: Path, control: Control
) -> tuple[Learner, NDArray[np.float64], int]:
    """Return the learner, the counted stops and the finished generations to go on from."""
    checkpoint, warning = load_newest(folder)
    if warning:
        control.warn(warning)
    if checkpoint is None:
        return new_learner(config.seed), new_stops(), 0
    check_same_config(folder, config, checkpoint.config)
    if config.games != checkpoint.config["games"]:
        raise SandtableError(
            f"{folder} holds a run of {checkpoint.config['games']} games; the learning rate falls "
            f"over all of them, so their number cannot be changed to {config.games}"
        )
    arrays, counters = checkpoint.arrays, checkpoint.counters
    rows = {name: np.array(arrays[name]) for name in ROWS}
    return (
        Learner(**rows, steps=counters["steps"]),
        np.array(arrays["stops"]),
        counters["generations"],
    )


def export(folder: Path) -> str:
    """Write the weights for playing from the newest checkpoint."""
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    about = {name: str(value) for name, value in checkpoint.config.items()}
    about["generations_done"] = str(checkpoint.counters["generations"])
    path = folder / WEIGHTS_FILE
    path.write_bytes(weights_bytes(np.array(checkpoint.arrays["average"]), about))
    return f"weights written to {path}"


RECIPE = Recipe(
    summary="self-play with temporal differences for gravwell/champion",
    presets={"champion": GravwellChampionConfig()},
    train=train,
    export=export,
)
