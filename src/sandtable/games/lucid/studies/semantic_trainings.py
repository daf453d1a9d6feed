"""Training networks of the semantic agent for a study, and playing with them."""

from __future__ import annotations

import functools
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.arena.statistics.beta import student_quantile
from sandtable.games.lucid.agents.expert.games import (
    BUNDLED_GAMES,
    ExpertGame,
    expert_game,
    read_expert_games,
)
from sandtable.games.lucid.agents.expert.group_examples import GroupExamples
from sandtable.games.lucid.learning.expert_database import record_games
from sandtable.games.lucid.learning.semantic import recipe as semantic
from sandtable.games.lucid.rules import BLUE_SEAT
from sandtable.games.lucid.studies.measuring import AXES_RED, blue_score
from sandtable.learning.run import Control
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import Measurement

__all__ = [
    "LARGE",
    "LEAST_TRAININGS",
    "LITERAL",
    "TRAININGS",
    "accuracies",
    "champion_games",
    "examples_of",
    "over_trainings",
    "score_of_training",
]

LEAST_TRAININGS = 5  # of an interval
LITERAL = "lucid/semantic:leftover=stay,paths=least-resistance,ranking=outputs"
TRAININGS = 8  # seeds
LARGE = 300  # games of the larger database
EXPERT = "lucid/champion-blue:weights=axes-red"  # who played them


@functools.cache
def champion_games(count: int) -> tuple[ExpertGame, ...]:
    """Return the 20 bundled games, or as many new ones of the champion as ours learnt from."""
    if count == 20:
        return tuple(read_expert_games(BUNDLED_GAMES))
    played = record_games(EXPERT, AXES_RED, BLUE_SEAT, range(count), seed=1)
    return tuple(expert_game(record) for record in played)


@functools.cache
def examples_of(config: semantic.SemanticConfig, count: int) -> GroupExamples:
    """Return the moves of the champion in so many games, as a configuration labels them."""
    plain = replace(config, examples=1, seed=0)
    if plain != config:
        return examples_of(plain, count)
    return semantic.read_examples(list(champion_games(count)), f"{count} games", config)


@contextmanager
def training_control(label: str, report: Report) -> Iterator[Control]:
    """Count the networks that are trained."""
    with report(label, semantic.CATEGORY_COUNT) as progress:
        yield Control(report=lambda metrics: progress(1))


def score_of_training(
    config: semantic.SemanticConfig,
    settings: Settings,
    report: Report,
    games: int,
    count: int = 20,
) -> Measurement:
    """Train networks from so many games of the champion, and play with them as published."""
    examples = examples_of(config, count)
    name = f"seed {config.seed}, {config.examples:,} examples"
    with training_control(f"training: {name}", report) as control:
        made = semantic.trained_networks(config, examples, "all", control)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "semantic.safetensors"
        path.write_bytes(weights_bytes(made.astype(np.float32).ravel(), {}))
        agent = f"{LITERAL},weights={path}"
        return blue_score(agent, settings, report, games, at=config.examples)


def accuracies(config: semantic.SemanticConfig, report: Report, count: int) -> tuple[float, float]:
    """Return the share of right answers on games held out and on those trained on."""
    examples = examples_of(config, count)
    out: NDArray[np.bool_] = semantic.held_out(examples, config)
    label = f"training: seed {config.seed}, {config.examples:,} examples"
    with training_control(label, report) as control:
        made = semantic.trained_networks(config, examples, "held out", control)
    return semantic.mean_accuracy(made, examples, out), semantic.mean_accuracy(made, examples, ~out)


def over_trainings(quantity: str, values: list[float], at: float | None = None) -> Measurement:
    """Return the mean of several trainings with Student's interval.

    Each value is a mean of very many games or moves, so a few of them are enough for that.
    """
    mean, count = float(np.mean(values)), len(values)
    if count < LEAST_TRAININGS:
        return Measurement(quantity, mean, count=count, counted="trainings", at=at)
    error = float(np.std(values, ddof=1)) / math.sqrt(count)
    margin = student_quantile(0.975, count - 1) * error
    ends = (mean - margin, mean + margin)
    return Measurement(quantity, mean, *ends, count=count, counted="trainings", at=at)
