"""How the evaluator of Operation Lucid learns: temporal differences, generation by generation.

Read from top to bottom (the games: learning.lucid_games; the gradient: learning.lucid_fit). A
generation plays games with the network as it is; every position after a move gets a target, the
lambda-return of TD(lambda); the network is fitted to the positions of the generation, half of them
mirrored. The learner plays both sides against itself, and in some games Red alone against a Blue
out of a pool (learning.lucid_opponents); or one side against AxesRed or another network. Everything
follows from the seed, whatever the number of threads; a run goes on exactly where its checkpoint
left it.
"""

from __future__ import annotations

import dataclasses
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.dice import stream_key
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.evaluator.boards import FEATURES
from sandtable.games.lucid.agents.evaluator.network import (
    FIRST_WEIGHTS,
    HIDDEN,
    OUTPUT_BIAS,
    OUTPUT_WEIGHTS,
    PARAMETERS,
    SECOND_HIDDEN,
    SECOND_WEIGHTS,
)
from sandtable.games.lucid.agents.evaluator.weights_file import load_weights
from sandtable.games.lucid.learning.td.config import AXES_RED, ITSELF, TdConfig, check_config
from sandtable.games.lucid.learning.td.fit import fit_positions
from sandtable.games.lucid.learning.td.games import Positions, joined, play_some
from sandtable.games.lucid.learning.td.opponents import AXES_RED as AXES_RED_SCRIPT
from sandtable.games.lucid.learning.td.opponents import ITSELF as LEARNER
from sandtable.games.lucid.learning.td.opponents import RIVAL, Pool
from sandtable.games.lucid.learning.td.setting import HOW, NOT_PLAYED, Setting
from sandtable.learning.checkpoints import Checkpoint, load_newest, save
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, Recipe, check_same_config

__all__ = ["BLUE_RECIPE", "RED_RECIPE", "TD_RECIPE", "TdConfig", "export", "train"]

Parameters: TypeAlias = NDArray[np.float32]  # [PARAMETERS]
Networks: TypeAlias = NDArray[np.float32]  # [network, PARAMETERS]

ROWS = ("parameters", "momentum", "squares", "average", "older")  # of a Learner
OLDER_KEPT = 8  # older selves
OLDER_EVERY = 40  # generations between two of them
WEIGHTS_FILE = "weights.safetensors"
GAMES_AT_ONCE = 50  # of one thread, between questions whether to stop
CHECKPOINT_SECONDS = 20.0  # between two of them


# --- playing -------------------------------------------------------------------------------------


def setting_of(config: TdConfig, generation: int) -> Setting:
    """Return how the games of a generation are played."""
    played = generation * config.generation
    falling = 1.0 - played / config.scattered_first if config.scattered_first else 0.0
    other = AXES_RED_SCRIPT if config.opponent == AXES_RED else RIVAL
    return Setting(
        blue=LEARNER if config.learner in ("both", "blue") else other,
        red=LEARNER if config.learner in ("both", "red") else other,
        pool=Pool(config.scripted, config.rival_share, config.older),
        tries=config.tries,
        candidates=config.candidates,
        reply_tries=config.reply_tries,
        margin=config.margin,
        exploration=config.exploration,
        scattered=max(config.scattered, falling),
        field_red=config.field_red,
        trace=config.trace,
    )


def play_generation(
    config: TdConfig,
    generation: int,
    parameters: Parameters,
    networks: Networks,
    control: Control,
) -> Positions | None:
    """Play the games of a generation; None when the run has to stop meanwhile."""
    first = generation * config.generation
    last = min(first + config.generation, config.games)
    key = stream_key(config.seed, "lucid training")
    setting = setting_of(config, generation)

    def play(begin: int) -> Positions | None:
        if control.must_stop():
            return None
        count = min(GAMES_AT_ONCE, last - begin)
        return play_some(key, begin, count, parameters, networks, setting)

    with ThreadPoolExecutor(control.threads) as pool:
        parts = list(pool.map(play, range(first, last, GAMES_AT_ONCE)))
    whole = [part for part in parts if part is not None]
    return joined(whole) if len(whole) == len(parts) else None


# --- fitting -------------------------------------------------------------------------------------


@dataclass
class Learner:
    """The network and Adam's memory, each one row of numbers, and the average that is exported."""

    parameters: Parameters
    momentum: Parameters
    squares: Parameters
    average: Parameters
    older: Networks  # [OLDER_KEPT, PARAMETERS], the newest last; those before the first are zero
    older_known: int = 0
    steps: int = 0


def new_learner(config: TdConfig) -> Learner:
    """Begin with given weights, or with small random ones that expect a third of Blue to pass."""
    parameters = np.zeros(PARAMETERS, dtype=np.float32)
    numbers = np.random.Generator(np.random.PCG64(config.seed))
    for begin, rows, columns, spread in (
        (FIRST_WEIGHTS, FEATURES, HIDDEN, 0.15),
        (SECOND_WEIGHTS, HIDDEN, SECOND_HIDDEN, 1.0 / math.sqrt(HIDDEN)),
        (OUTPUT_WEIGHTS, SECOND_HIDDEN, 1, 1.0 / math.sqrt(SECOND_HIDDEN)),
    ):
        drawn = numbers.standard_normal(rows * columns) * spread
        parameters[begin : begin + rows * columns] = drawn
    parameters[OUTPUT_BIAS] = -0.5
    if config.weights:
        parameters = load_weights(config.weights)
    empty = np.zeros_like(parameters)
    older = np.zeros((OLDER_KEPT, PARAMETERS), dtype=np.float32)
    return Learner(parameters, empty.copy(), empty.copy(), parameters.copy(), older)


def remember_self(learner: Learner) -> None:
    """Keep the network as it is among the older selves."""
    learner.older[:-1] = learner.older[1:].copy()
    learner.older[-1] = learner.parameters
    learner.older_known = min(OLDER_KEPT, learner.older_known + 1)


def fit(config: TdConfig, generation: int, learner: Learner, positions: Positions) -> float:
    """Fit the network to the positions of a generation; return the mean square error."""
    numbers = np.random.Generator(np.random.PCG64([config.seed, generation]))
    count = len(positions.targets)
    order = np.concatenate([numbers.permutation(count) for _ in range(config.passes)])
    order = np.where(numbers.random(len(order)) < 0.5, order, -1 - order)  # these are mirrored
    cooling = 0.5 * (1.0 + math.cos(math.pi * generation / config.generations))
    rate = config.learning_rate * (config.final_rate + (1.0 - config.final_rate) * cooling)
    error = fit_positions(
        learner.parameters,
        learner.momentum,
        learner.squares,
        learner.steps,
        order,
        config.batch,
        rate,
        positions.boards,
        positions.facts,
        positions.targets,
    )
    learner.steps += len(order) // config.batch
    follow = max(0.02, 1.0 / (1 + generation))
    learner.average += np.float32(follow) * (learner.parameters - learner.average)
    return float(error)


# --- the run -------------------------------------------------------------------------------------


def train(config: TdConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    check_config(config)
    fixed = fixed_opponent(config)
    folder.mkdir(parents=True, exist_ok=True)
    learner, done = resume(config, folder, control)
    log = Log(folder, dataclasses.asdict(config), done)
    saved_at = time.monotonic()
    try:
        while done < config.generations:
            older = learner.older[OLDER_KEPT - learner.older_known :]
            networks = np.concatenate([fixed[np.newaxis], older])
            positions = play_generation(config, done, learner.parameters, networks, control)
            if positions is None:
                save(folder, checkpoint_of(config, learner, done))
                return False
            error = fit(config, done, learner, positions)
            done += 1
            if config.older > 0 and done % OLDER_EVERY == 0:
                remember_self(learner)
            if done == config.generations or time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                save(folder, checkpoint_of(config, learner, done))
                saved_at = time.monotonic()
            facts = facts_of(config, positions, done, error)
            log.write(facts)
            control.tell(facts)
        return True
    finally:
        log.close()


def fixed_opponent(config: TdConfig) -> Parameters:
    """Return the network that stays as it is and plays against the learner; zeros: none does."""
    name = config.rival if config.learner == "both" else config.opponent
    if name in ("", ITSELF, AXES_RED):
        return np.zeros(PARAMETERS, dtype=np.float32)
    return load_weights(name)


def facts_of(config: TdConfig, positions: Positions, done: int, error: float) -> dict[str, Any]:
    """Return what is worth telling about a generation."""
    setting = setting_of(config, done - 1)
    turns = np.count_nonzero(positions.facts[:, HOW] != NOT_PLAYED)
    return {
        "game": min(done * config.generation, config.games) - 1,
        "opponent": config.opponent,
        "loss": round(error, 4),
        "result": round(float(positions.scores.mean()), 3),
        "turns": round(turns / len(positions.scores), 1),
        "scattered": round(setting.scattered, 3),
    }


def told(facts: dict[str, Any]) -> str:
    """Say in a few words how a run is going."""
    return f"mean score {facts['result']:g}, square error {facts['loss']:.3g}"


def checkpoint_of(config: TdConfig, learner: Learner, done: int) -> Checkpoint:
    """Put everything a run needs to go on into a checkpoint."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(learner, name) for name in ROWS}
    counters = {
        "generations": done,
        "steps": learner.steps,
        "older_known": learner.older_known,
    }
    return Checkpoint(dataclasses.asdict(config), counters, arrays)


def resume(config: TdConfig, folder: Path, control: Control) -> tuple[Learner, int]:
    """Return the learner and the number of finished generations to go on from."""
    checkpoint, warning = load_newest(folder)
    if warning:
        control.warn(warning)
    if checkpoint is None:
        return new_learner(config), 0
    found = {**dataclasses.asdict(TdConfig()), **checkpoint.config}  # options may be newer
    check_same_config(folder, config, found)
    if config.games != checkpoint.config["games"]:
        raise SandtableError(
            f"{folder} holds a run of {checkpoint.config['games']} games; the learning rate falls "
            f"over all of them, so their number cannot be changed to {config.games}"
        )
    rows = {name: np.array(checkpoint.arrays[name]) for name in ROWS}
    counters = checkpoint.counters
    learner = Learner(**rows, older_known=counters["older_known"], steps=counters["steps"])
    return learner, checkpoint.counters["generations"]


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


# --- the recipes ---------------------------------------------------------------------------------

SELF_PLAY = TdConfig()
AGAINST_AXES_RED = TdConfig(learner="blue", opponent=AXES_RED, field_red=0.0)

TD_RECIPE = Recipe(
    summary="temporal differences for the evaluator of lucid",
    presets={"self-play": SELF_PLAY, "axes-red": AGAINST_AXES_RED},
    train=train,
    export=export,
    told=told,
)
BLUE_RECIPE = Recipe(
    summary="temporal differences for lucid/champion-blue",
    presets={
        "champion": dataclasses.replace(AGAINST_AXES_RED, games=500_000, tries=3),
        "look-ahead": dataclasses.replace(
            AGAINST_AXES_RED,
            weights="champion-blue",
            games=45_500,
            generation=500,
            tries=8,
            candidates=6,
            scattered_first=0,
            learning_rate=0.001,
        ),
        "best-response": TdConfig(
            learner="blue",
            opponent="champion-red",
            weights="champion-blue",
            games=200_000,
            scattered_first=10_000,
            tries=3,
        ),
    },
    train=train,
    export=export,
    told=told,
)
RED_RECIPE = Recipe(
    summary="temporal differences for lucid/champion-red",
    presets={
        "champion": dataclasses.replace(
            SELF_PLAY,
            games=500_000,
            tries=3,
            scripted=0.15,
            rival="champion-blue",
            rival_share=0.15,
            older=0.2,
        ),
        "best-response": TdConfig(
            learner="red",
            opponent="champion-blue",
            weights="champion-red",
            games=200_000,
            scattered_first=10_000,
            tries=3,
        ),
    },
    train=train,
    export=export,
    told=told,
)
