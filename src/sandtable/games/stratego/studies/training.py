"""Training curves of the bundled networks: the loss over the steps, learned from and held out.

Measuring one trains the network again as its preset says; what is kept is the log of the run from
which the bundled network comes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

__all__ = ["TRAINING_STUDIES", "figures_of_log"]

PAPER = "Smith, Learning to Play Stratego with Convolutional Neural Networks, 2015"
LEARNED, HELD_OUT = "learned from", "held out"
LOSSES = {"policy": "cross entropy", "value": "squared error"}
PRESETS = {
    "published": "as described",
    "bundled": "ours",
    "mini": "mini",
    "barrage": "barrage",
    "duel": "duel",
}
CLOSE = 0.05  # of the loss: by so much the two losses differ in the paper, on average
QUICK = {"games": 8, "steps": 20}


def figures_of_log(path: Path, kind: str) -> list[Measurement]:
    """Return the losses that the log of a run tells, by step."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        if "held_out_loss" not in told:
            continue
        at, examples = float(told["step"]), int(told["examples"])
        what = "moves" if kind == "policy" else "positions"
        for part, name in ((LEARNED, "loss"), (HELD_OUT, "held_out_loss")):
            quantity = f"{LOSSES[kind]}, {part}"
            count = examples if part == LEARNED else 0
            found.append(Measurement(quantity, told[name], count=count, counted=what, at=at))
    return found


def train_again(kind: str, preset: str, settings: Settings, report: Report) -> list[Measurement]:
    """Train a network as its preset says, and read its log."""
    from sandtable.learning.recipes import load_recipe
    from sandtable.learning.run import Control, Metrics

    recipe = load_recipe(f"stratego/{kind}")
    config = replace(recipe.presets[preset], seed=settings.seed)
    config = replace(config, **QUICK) if settings.quick else config
    length = recipe.length(config)
    with (
        tempfile.TemporaryDirectory() as folder,
        report(f"{kind} {preset}: parts of the training", length) as progress,
    ):

        def told(metrics: Metrics) -> None:
            progress(1)

        control = Control(device="auto", report=told, jobs=settings.jobs or 1)
        if not recipe.train(config, Path(folder), control):
            raise KeyboardInterrupt
        return figures_of_log(Path(folder) / "metrics.jsonl", kind)


def last(figures: Sequence[Measurement], part: str) -> float:
    """Return the last loss of a curve."""
    return [each.value for each in figures if each.quantity.endswith(part)][-1]


def judge(measured: Measured) -> Finding:
    """Look how far the loss on games held out is above that on those learned from."""
    ends = {
        name: (last(figures, LEARNED), last(figures, HELD_OUT))
        for name, figures in measured.items()
    }
    words = ", ".join(f"{name} {ours:.3g} and {out:.3g}" for name, (ours, out) in ends.items())
    learned, held_out = ends["published"]
    verdict = AGREES if held_out <= (1 + CLOSE) * learned else CONTRADICTS
    return Finding(verdict, f"Loss at the end, {LEARNED} and {HELD_OUT}: {words}.")


def training_study(kind: str, what: str, place: str) -> Study:
    """Return the curves of the networks of one kind."""
    return Study(
        f"training-{what}",
        f"Stratego: training of the networks of {what}",
        f"{PAPER}, {place}",
        "training loss falls, and that on the validation set stays within about 5 per cent of it",
        tuple(
            Variant(preset, title, partial(train_again, kind, preset))
            for preset, title in PRESETS.items()
        ),
        judge,
        horizontal="steps",
        minutes=60,
    )


TRAINING_STUDIES = (
    training_study("policy", "moves", "section 4.1"),
    training_study("value", "values", "figure 5"),
)
