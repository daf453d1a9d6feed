"""How the evaluator of Operation Lucid learns: temporal differences, generation by generation.

Read from top to bottom (what can be chosen: settings.py; the games: games.py; the gradient:
fitting.py). A generation plays games with the network as it is; every position after a move gets a
target, the lambda-return of TD(lambda); the network is fitted to the positions of the generation,
half of them mirrored. The learner plays both sides against itself, and in some games Red alone
against a Blue out of a pool; or one side against AxesRed or another network. Everything follows
from the seed, whatever the number of threads; a run goes on exactly where its checkpoint left it.
"""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.dice import stream_key
from sandtable.games.lucid.agents.evaluator import network
from sandtable.games.lucid.agents.evaluator.bitboards import FEATURES
from sandtable.games.lucid.agents.evaluator.network import HIDDEN, PARAMETERS, SECOND_HIDDEN
from sandtable.games.lucid.learning.td.fitting import fit_positions
from sandtable.games.lucid.learning.td.games import Positions, joined, play_some
from sandtable.games.lucid.learning.td.settings import (
    HOW,
    NOT_PLAYED,
    OPPONENT_AXES_RED,
    OPPONENT_ITSELF,
    TdConfig,
    setting_of,
)
from sandtable.learning.adam import Learner, Parameters, follow
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained

__all__ = ["BLUE_RECIPE", "RED_RECIPE", "TD_RECIPE", "TdConfig", "export", "train"]

Networks: TypeAlias = NDArray[np.float32]  # [network, PARAMETERS]

OLDER_KEPT = 8  # older selves
OLDER_EVERY = 40  # generations between two of them
WEIGHTS_FILE = "weights.safetensors"
GAMES_AT_ONCE = 50  # of one thread, between questions whether to stop
SECONDS_BETWEEN_SAVES = 20.0
SLOWEST = 0.02  # share by which the average follows the network in a generation


# --- playing -------------------------------------------------------------------------------------


def play_generation(
    config: TdConfig, generation: int, parameters: Parameters, networks: Networks, control: Control
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
    finished = [part for part in parts if part is not None]
    return joined(finished) if len(finished) == len(parts) else None


# --- fitting -------------------------------------------------------------------------------------


class TdLearner:
    """The network with Adam's memory and the average that is exported, and older selves."""

    def __init__(self, config: TdConfig) -> None:
        self.rows = Learner.begin(first_parameters(config))
        self.older = np.zeros((OLDER_KEPT, PARAMETERS), dtype=np.float32)  # the newest last
        self.counters = {"generations": 0, "steps": 0, "older_known": 0}

    def arrays(self) -> Arrays:
        """Return all that changes."""
        return {**self.rows.arrays(), "older": self.older}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays."""
        self.rows.restore(arrays, self.counters["steps"])
        self.older[:] = arrays["older"]

    def known_selves(self) -> Networks:
        """Return the older selves there are."""
        return self.older[OLDER_KEPT - self.counters["older_known"] :]

    def remember_self(self) -> None:
        """Keep the network as it is among the older selves."""
        self.older[:-1] = self.older[1:].copy()
        self.older[-1] = self.rows.parameters
        self.counters["older_known"] = min(OLDER_KEPT, self.counters["older_known"] + 1)


def first_parameters(config: TdConfig) -> Parameters:
    """Begin with given weights, or with small random ones that expect a third of Blue to pass."""
    parameters = np.zeros(PARAMETERS, dtype=np.float32)
    numbers = np.random.Generator(np.random.PCG64(config.seed))
    for begin, rows, columns, spread in (
        (network.FIRST_WEIGHTS, FEATURES, HIDDEN, 0.15),
        (network.SECOND_WEIGHTS, HIDDEN, SECOND_HIDDEN, 1.0 / math.sqrt(HIDDEN)),
        (network.OUTPUT_WEIGHTS, SECOND_HIDDEN, 1, 1.0 / math.sqrt(SECOND_HIDDEN)),
    ):
        drawn = numbers.standard_normal(rows * columns) * spread
        parameters[begin : begin + rows * columns] = drawn
    parameters[network.OUTPUT_BIAS] = -0.5
    return network.load_weights(config.weights) if config.weights else parameters


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
    follow(learner.average, learner.parameters, max(SLOWEST, 1.0 / (1 + generation)))
    return float(error)


# --- the run -------------------------------------------------------------------------------------


def train(config: TdConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    with Run(config, folder, control, SECONDS_BETWEEN_SAVES) as run:
        fixed = fixed_opponent(config)
        state = run.attach(TdLearner(config))
        learner, counters = state.rows, state.counters
        while (generation := counters["generations"]) < config.generations:
            networks = np.concatenate([fixed[np.newaxis], state.known_selves()])
            positions = play_generation(config, generation, learner.parameters, networks, control)
            if positions is None:
                return False
            error = fit(config, generation, learner, positions)
            counters |= {"generations": generation + 1, "steps": learner.steps}
            if config.older > 0 and counters["generations"] % OLDER_EVERY == 0:
                state.remember_self()
            run.report(metrics_of(config, positions, generation, error))
    return True


def fixed_opponent(config: TdConfig) -> Parameters:
    """Return the network that stays as it is and plays against the learner; zeros: none does."""
    name = config.rival if config.learner == "both" else config.opponent
    if name in ("", OPPONENT_ITSELF, OPPONENT_AXES_RED):
        return np.zeros(PARAMETERS, dtype=np.float32)
    return network.load_weights(name)


def metrics_of(config: TdConfig, positions: Positions, generation: int, error: float) -> Metrics:
    """Return what is worth knowing about a generation."""
    setting = setting_of(config, generation)
    turns = np.count_nonzero(positions.facts[:, HOW] != NOT_PLAYED)
    return {
        "game": min((generation + 1) * config.generation, config.games) - 1,
        "opponent": config.opponent,
        "loss": round(error, 4),
        "result": round(float(positions.scores.mean()), 3),
        "turns": round(turns / len(positions.scores), 1),
        "scattered": round(setting.scattered, 3),
    }


def progress_line(metrics: Metrics) -> str:
    """Say in a few words how a run is going.

    >>> progress_line({"result": 4.25, "loss": 0.0312})
    'mean score 4.25, square error 0.0312'
    """
    return f"mean score {metrics['result']:g}, square error {metrics['loss']:.3g}"


def export(folder: Path) -> str:
    """Write the weights for playing from the newest checkpoint."""
    checkpoint = trained(folder)
    notes = notes_of(checkpoint)
    notes["generations_done"] = str(checkpoint.counters["generations"])
    path = folder / WEIGHTS_FILE
    write_whole(path, weights_bytes(np.array(checkpoint.arrays["average"]), notes))
    return f"weights written to {path}"


# --- the recipes ---------------------------------------------------------------------------------

SELF_PLAY = TdConfig()
AGAINST_AXES_RED = TdConfig(learner="blue", opponent=OPPONENT_AXES_RED, field_red=0.0)


def recipe(
    summary: str, responses: dict[str, tuple[str, str]] | None = None, **presets: TdConfig
) -> Recipe:
    """Return a recipe with these presets, whose names are written with hyphens."""
    named = {name.replace("_", "-"): config for name, config in presets.items()}
    return Recipe(
        summary=f"temporal differences for {summary}",
        presets=named,
        train=train,
        export=export,
        progress_line=progress_line,
        responses=responses or {},
    )


def best_response(learner: str) -> TdConfig:
    """Return how a side learns to beat the champion of the other.

    Both look ahead, and the learner knows how the other one's network answers.
    """
    return TdConfig(
        learner=learner,
        opponent="champions",
        weights="champions",
        games=60_000,
        generation=500,
        scattered_first=0,
        exploration=0.05,
        tries=4,
        candidates=3,
        reply_tries=1,
        opponent_looks=True,
        knows_opponent=True,
        learning_rate=0.0015,
    )


TD_RECIPE = recipe("the evaluator of lucid", self_play=SELF_PLAY, axes_red=AGAINST_AXES_RED)
BLUE_RECIPE = recipe(
    "lucid/champion-blue",
    responses={
        "lucid/champion-red": (
            "best-response",
            f"lucid/champion-blue:expects=champions,weights=FOLDER/{WEIGHTS_FILE}",
        )
    },
    champion=dataclasses.replace(AGAINST_AXES_RED, games=500_000, tries=3),
    look_ahead=dataclasses.replace(
        AGAINST_AXES_RED,
        weights="axes-red",
        games=45_500,
        generation=500,
        tries=8,
        candidates=6,
        scattered_first=0,
        learning_rate=0.001,
    ),
    best_response=best_response("blue"),
)
RED_RECIPE = recipe(
    "lucid/champion-red",
    responses={
        "lucid/champion-blue": (
            "best-response",
            f"lucid/champion-red:expects=champions,weights=FOLDER/{WEIGHTS_FILE}",
        )
    },
    champion=dataclasses.replace(
        SELF_PLAY,
        games=500_000,
        tries=3,
        scripted=0.15,
        rival="axes-red",
        rival_share=0.15,
        older=0.2,
    ),
    best_response=best_response("red"),
)
