"""How the champion of Gravwell learns: generations of games, and what became of each position.

Read from top to bottom (the games are in games.py, the gradients in fitting.py). In a generation
champions play with the networks of the one before and a small search. The value of a position is
then moved to a mix of the values met later in that game and of its result (temporal differences
with a trace), and the habits to the cards that were played. Each game is fitted once. Everything
follows from the seed; a run goes on exactly where its checkpoint left it.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.dice import stream_key
from sandtable.games.gravwell.agents.champion.network import load_weights, weights_named
from sandtable.games.gravwell.learning.champion.fitting import fit, new_learner, write_stopping
from sandtable.games.gravwell.learning.champion.games import (
    GravwellChampionConfig,
    Samples,
    new_samples,
    new_stops,
    play_generation,
)
from sandtable.games.gravwell.learning.champion.schools import usual_schools
from sandtable.learning.adam import Learner
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained

__all__ = ["RECIPE", "GravwellChampionConfig", "export", "train"]

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

    Return how many views were kept, and the totals of the games: learners' seats beside others
    and their wins, games and rounds.
    """
    rivals = load_weights(weights_named(config.rivals)) if config.rivals else learner.average
    first = generation * config.generation
    last = min(first + config.generation, config.games)
    key, kept, totals = np.uint64(stream_key(config.seed, "champion self-play")), 0, np.zeros(4)
    for begin in range(first, last, GAMES_AT_ONCE):
        if control.must_stop():
            return None
        count = min(GAMES_AT_ONCE, last - begin)
        kept = play_generation(
            begin,
            count,
            key,
            config.play,
            learner.average,
            rivals,
            usual_schools(),
            samples,
            kept,
            stops,
            totals,
        )
    return kept, totals


def fit_views(
    config: GravwellChampionConfig, generation: int, learner: Learner, samples: Samples, kept: int
) -> tuple[float, float]:
    """Fit to the views of a generation in a drawn order; return the mean losses."""
    cooling = 0.5 * (1.0 + math.cos(math.pi * generation / config.generations))
    rate = config.learning_rate * (0.05 + 0.95 * cooling)
    numbers = np.random.Generator(np.random.PCG64([config.seed, generation]))
    order = np.concatenate([numbers.permutation(kept) for _ in range(config.passes)])
    return fit(learner, samples, order, config.batch, rate)


# --- the run -------------------------------------------------------------------------------------


class ChampionInTraining:
    """The networks of a run, and how often Emergency Stops were used."""

    def __init__(self, config: GravwellChampionConfig) -> None:
        self.learner = new_learner(config.seed, config.start)
        self.stops = new_stops()
        self.counters = {"generations": 0, "steps": 0}

    def arrays(self) -> Arrays:
        """Return all that changes."""
        return {**self.learner.arrays(), "stops": self.stops}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays."""
        self.learner.restore(arrays, self.counters["steps"])
        self.stops = np.array(arrays["stops"])


def train(config: GravwellChampionConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    with Run(config, folder, control, seconds_between_saves=0.0) as run:
        state = run.attach(ChampionInTraining(config))
        learner, counters = state.learner, state.counters
        samples = new_samples(config.generation)
        while (generation := counters["generations"]) < config.generations:
            stops = state.stops * STOPS_KEPT
            played = play_games(config, generation, learner, samples, stops, control)
            if played is None:
                return False
            kept, totals = played
            losses = fit_views(config, generation, learner, samples, kept)
            write_stopping(learner, stops)
            state.stops = stops
            counters |= {"generations": generation + 1, "steps": learner.steps}
            games = min((generation + 1) * config.generation, config.games)
            run.report(metrics_of(config, games, kept, totals, losses))
    return True


def metrics_of(
    config: GravwellChampionConfig,
    games: int,
    kept: int,
    totals: NDArray[np.float64],
    losses: tuple[float, float],
) -> Metrics:
    """Return what is worth knowing about a generation."""
    share = float(totals[1] / max(totals[0], 1.0))
    return {
        "game": games - 1,
        "opponent": "champions" if config.rivals else "itself and random players",
        "loss": round(losses[0], 4),
        "habit_loss": round(losses[1], 4),
        "result": round(share, 3),
        "win_rate": round(share, 3),  # of learners in games with others
        "turns": round(6 * float(totals[3] / totals[2]), 1),
        "positions": kept,
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
    summary="self-play with temporal differences for gravwell/champion",
    presets={
        "champion": GravwellChampionConfig(),
        "response": GravwellChampionConfig(
            start="champion", rivals="champion", randomness=0.0, learning_rate=0.0003
        ),
    },
    train=train,
    export=export,
    responses={
        "gravwell/champion": (
            "response",
            "gravwell/champion:weights=FOLDER/champion.safetensors,randomness=0",
        )
    },
)
