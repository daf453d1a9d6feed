"""Training Stratego's champion by self-play, from the configuration down to the last round.

The network plays itself, and older selves, in thousands of games side by side; after every few
moves it learns from them by a clipped policy gradient. The configuration and the stages of the run
are in config.py, the games are in games.py, the gradient steps in learner.py; here they are put
together to a run. See docs/games/stratego/champion.md.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch

from sandtable.games.stratego.learning.champion.config import CHAMPION, TINY, ChampionConfig
from sandtable.games.stratego.learning.champion.games import SelfPlay
from sandtable.games.stratego.learning.champion.learner import ChampionLearner
from sandtable.games.stratego.learning.champion.network import ChampionModel, export_onnx
from sandtable.learning.checkpoints import Arrays, Checkpoint
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained
from sandtable.learning.torch_networks import chosen_device, load_network

__all__ = ["RECIPE"]

SECONDS_BETWEEN_SAVES = 60.0
OTHERS = {"past": "older selves", "rival": "the rival", "searcher": "the searcher"}


class Training:
    """A learner and its games; they can be broken off after any round."""

    def __init__(self, config: ChampionConfig, control: Control) -> None:
        torch.set_num_threads(control.threads)
        device = chosen_device(control.device)
        self.config, self.learner = config, ChampionLearner(config, device)
        self.counters: dict[str, Any] = {"rounds": 0, "seconds": 0.0, "older": 0}
        self.games = SelfPlay(config, device, control.jobs)

    def arrays(self) -> Arrays:
        """Return the networks and the games."""
        self.counters["older"] = len(self.learner.older)
        arrays = self.learner.arrays()
        return arrays | {f"games/{name}": kept for name, kept in self.games.batch.saved().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such networks and games."""
        self.learner.restore(arrays, self.counters["older"])
        self.games.begin_round(self.counters["rounds"])
        prefix = "games/"
        self.games.batch.restore(
            {
                name.removeprefix(prefix): array
                for name, array in arrays.items()
                if name.startswith(prefix)
            }
        )

    def play_round(self) -> Metrics:
        """Play and learn; return what is worth knowing about the round."""
        began, number = time.perf_counter(), self.counters["rounds"]
        learner, games = self.learner, self.games
        learner.begin_round(number)
        played = games.play(learner.model, learner.past, number)
        losses = learner.learn(played, games, number)
        self.counters["rounds"] = number + 1
        self.counters["seconds"] += time.perf_counter() - began
        red, drawn, blue = (int(count) for count in games.results)
        games.results[:] = 0
        return {
            "round": number,
            **{name: round(loss, 5) for name, loss in losses.items()},
            "finished": red + drawn + blue,
            "draws": drawn,
            "red_wins": red,
            **self.results_against_others(),
            "rate": self.config.rate_in(number),
            "seconds": round(self.counters["seconds"], 3),
        }

    def results_against_others(self) -> dict[str, float]:
        """Return the games that ended against others and the points won in them; count anew."""
        results: dict[str, float] = {}
        for name, counts in self.games.against.items():
            results |= {f"{name}_points": float(counts[0]), f"{name}_games": int(counts[1])}
            counts[:] = 0
        return results


def train(config: ChampionConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether the last round has been played."""
    with Run(config, folder, control, SECONDS_BETWEEN_SAVES) as run:
        training = run.attach(Training(config, control))
        while training.counters["rounds"] < config.rounds:
            run.report(training.play_round())
            if control.must_stop() and training.counters["rounds"] < config.rounds:
                return False
    return True


def model_of(checkpoint: Checkpoint) -> ChampionModel:
    """Return the averaged network of a checkpoint, the one that plays."""
    model = ChampionModel(checkpoint.config["channels"], checkpoint.config["blocks"])
    load_network(model, checkpoint.arrays, "average")
    return model


def export(folder: Path) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint = trained(folder)
    path = folder / "weights.onnx"
    notes = notes_of(checkpoint) | {"rounds": str(checkpoint.counters["rounds"])}
    difference = export_onnx(model_of(checkpoint), path, notes)
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"


def progress_line(metrics: Metrics) -> str:
    """Say in a few words how learning goes."""
    text = (
        f"value error {metrics['value']:.3f}, hidden ranks {metrics['belief']:.3f}, variety "
        f"{metrics['entropy']:.2f}, {metrics['finished']} games ended, {metrics['draws']} drawn"
    )
    for name, words in OTHERS.items():
        if games := metrics.get(f"{name}_games"):
            text += f", {metrics[f'{name}_points'] / games:.0%} against {words}"
    return text


RECIPE = Recipe(
    summary="Stratego's champion: a network trained by self-play with a policy gradient.",
    presets={"champion": CHAMPION, "tiny": TINY},
    train=train,
    export=export,
    unit="round",
    length=lambda config: int(config.rounds),
    progress_line=progress_line,
)
