"""Studies of neuro-evolution: each variant is evolved anew from several seeds and then measured."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.games.gravwell.learning.neuro_evolution.config import (
    COMPARED,
    NeuroEvolutionConfig,
)
from sandtable.games.gravwell.learning.neuro_evolution.recipe import NETWORKS_FILE, export, train
from sandtable.games.gravwell.studies.shares import INERT, more_is
from sandtable.learning.run import Control
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import Measurement, Study, Variant, score_against

__all__ = ["STUDIES", "evolved_share"]

REPORT = "Gravitas 2016"
SEEDS, QUICK_SEEDS, QUICK_GENERATIONS = 8, 2, 5  # an interval needs eight runs
GAMES, QUICK = 10_000, 200
OTHERS = ["gravwell/random-no-stop"] * 3
EVOLVED: dict[tuple[NeuroEvolutionConfig, int, int | None], tuple[float, int]] = {}  # just now


def evolved_share(preset: str, seed: int, settings: Settings, report: Report) -> tuple[float, int]:
    """Evolve networks and return the share of games they win, and of how many.

    All studies have the published run among theirs; a process evolves it once.
    """
    config = dataclasses.replace(COMPARED[preset], seed=seed)
    if settings.quick:
        config = dataclasses.replace(config, generations=QUICK_GENERATIONS)
    asked = (config, settings.seed, settings.games)
    if asked not in EVOLVED:
        EVOLVED[asked] = evolve(config, f"{preset}, seed {seed}: generations", settings, report)
    return EVOLVED[asked]


def evolve(
    config: NeuroEvolutionConfig, label: str, settings: Settings, report: Report
) -> tuple[float, int]:
    """Run one evolution to its end, and let its best networks play."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with report(label, config.generations) as progress:
            finished = train(config, folder, Control(report=lambda metrics: progress(1)))
        if not finished:
            raise KeyboardInterrupt
        export(folder)
        spec = f"gravwell/neuro-evolution:weights={folder / NETWORKS_FILE}"
        estimate = score_against(
            INERT, [spec, *OTHERS], settings, report, games=GAMES, quick=QUICK, share=True
        )
    return estimate.mean, estimate.count


def evolved(preset: str, title: str) -> Variant:
    """Return a variant that evolves networks from several seeds."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        seeds = range(1, 1 + (QUICK_SEEDS if settings.quick else SEEDS))
        shares, games = [], 0
        for seed in seeds:
            share, count = evolved_share(preset, seed, settings, report)
            shares.append(share)
            games += count
        over_runs = Measurement.of("games won, mean of runs", estimate_mean(np.array(shares)))
        mean = dataclasses.replace(over_runs, counted="runs")
        best = Measurement("games won, best run", max(shares), count=games // len(shares))
        return [mean, best]

    return Variant(preset, title, measure)


BASE = "equal dice for all, the best eight survive (as published)"
STUDIES: tuple[Study, ...] = (
    Study(
        "competition",
        "Three ways to compare networks",
        f"{REPORT}, section 3.3",
        "with equal seeds luck does not matter, so evolution gets further than with own seeds",
        (
            evolved("own-seeds", "(a) 280 games each, by end position, parents' scores kept"),
            evolved("against-parents", "(b) three copies against their parent, 280 games"),
            evolved("equal-seeds", "(c) equal seeds for all of a generation"),
        ),
        more_is("equal-seeds", "own-seeds", 1),
        minutes=6,
    ),
    Study(
        "selection",
        "Selection and crossover",
        f"{REPORT}, section 2.5",
        "tournament, truncation and proportional selection, and crossover by innovation numbers",
        (
            evolved("equal-seeds", BASE),
            evolved("tournament", "eight tournaments of six"),
            evolved("proportional", "chances in proportion to the score"),
            evolved("crossover", "truncation, half of the copies have two parents"),
        ),
        more_is("crossover", "equal-seeds", 1),
        minutes=8,
    ),
    Study(
        "outputs",
        "Operations and outputs",
        f"{REPORT}, section 3.3",
        "one output with a card's number would need a modulo that networks can hardly find",
        (
            evolved("equal-seeds", "a preference for each place"),
            evolved("index", "one output: the number of a card"),
            evolved("modes", "several modes, found by evolution"),
            evolved("division", "division and modulo among the operations"),
        ),
        more_is("equal-seeds", "index", 1),
        minutes=8,
    ),
    Study(
        "rivals",
        "Whom to evolve against",
        f"{REPORT}, section 6.1",
        "evolution against trees or Q-learners could succeed where random players made it fail",
        (
            evolved("equal-seeds", "against random players without stop"),
            evolved("against-trees", "against decision trees"),
            evolved("against-q-learning", "against Q-learners"),
        ),
        more_is("against-q-learning", "equal-seeds", 1),
        minutes=8,
    ),
)
