"""Studies of how long the networks of the semantic agent are trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sandtable.games.lucid.learning.semantic.recipe import PUBLISHED
from sandtable.games.lucid.studies.figures import apart, words
from sandtable.games.lucid.studies.semantic_trainings import (
    LARGE,
    LEAST_TRAININGS,
    TRAININGS,
    accuracies,
    over_trainings,
    score_of_training,
)
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

__all__ = ["STUDIES"]

SECTION = "report of 2003, section 4.2.2"
LENGTHS = (3_000, 10_000, 30_000, 100_000, 500_000)  # the last is the published preset's
QUICK_TRAININGS, QUICK_LENGTHS = 2, LENGTHS[:3]


def accuracy_variant(name: str, title: str, count: int) -> Variant:
    """Return a variant that is the accuracy over the length of training, from so many games."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        figures = []
        seeds = range(QUICK_TRAININGS if settings.quick else TRAININGS)
        for length in QUICK_LENGTHS if settings.quick else LENGTHS:
            pairs = [
                accuracies(replace(PUBLISHED, examples=length, seed=seed), report, count)
                for seed in seeds
            ]
            for quantity, values in zip(
                ("right on games held out", "right on games trained on"),
                zip(*pairs, strict=True),
                strict=True,
            ):
                figures.append(over_trainings(quantity, list(values), length))
        return figures

    return Variant(name, title, measure)


def judge_accuracy(measured: Measured) -> Finding:
    """Say whether the accuracy on games held out falls again."""
    told, falls = [], False
    for name, figures in measured.items():
        out = [each for each in figures if each.quantity == "right on games held out"]
        best, last = max(out, key=lambda each: each.value), out[-1]
        falls |= apart(last, best) < 0
        told.append(
            f"{name}: best {words(best)} after {best.at:,.0f} examples, "
            f"{words(last)} after {last.at:,.0f}"
        )
    return Finding(CONTRADICTS if falls else AGREES, "; ".join(told) + ".")


ACCURACY = Study(
    name="semantic-accuracy",
    title="The networks of the semantic agent: accuracy over training",
    source=SECTION,
    claim="0.9 soon, about 0.95 on data held out, which does not fall when training goes on (so "
    "there is little danger of overfitting); about 0.99 on the training data.",
    variants=(
        accuracy_variant("twenty-games", "20 games", 20),
        accuracy_variant("three-hundred-games", "300 games", LARGE),
    ),
    judge=judge_accuracy,
    horizontal="examples shown to each network",
    logarithmic=True,
    minutes=6,
)


def fitting_variant(seed: int, count: int) -> Variant:
    """Return a variant that is the score over the length of one training."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        figures = []
        for length in QUICK_LENGTHS if settings.quick else LENGTHS:
            config = replace(PUBLISHED, examples=length, seed=seed)
            figures.append(score_of_training(config, settings, report, 400, count))
        return figures

    return Variant(f"seed-{seed}", f"training with seed {seed}", measure)


def judge_fitting(measured: Measured) -> Finding:
    """Compare the longest training with the best length, over all seeds."""
    by_length: dict[float, list[float]] = {}
    for figures in measured.values():
        for each in figures:
            by_length.setdefault(each.at or 0.0, []).append(each.value)
    means = {at: over_trainings("score", values, at) for at, values in by_length.items()}
    best, last = max(means.values(), key=lambda each: each.value), means[max(means)]
    sign = apart(last, best)
    told = ", ".join(f"{at:,.0f}: {words(each)}" for at, each in sorted(means.items()))
    return Finding(
        CONTRADICTS if sign < 0 else AGREES, f"mean of all trainings by examples {told}."
    )


def fitting_study(name: str, count: int) -> Study:
    """Return the study of the score over training, from so many games."""
    return Study(
        name=name,
        title=f"The semantic agent: score over training, from {count} games",
        source=SECTION,
        claim="there is little danger of overfitting, so training may go on (accuracy is meant; "
        "nothing is said of how the agent plays then).",
        variants=tuple(fitting_variant(seed, count) for seed in range(LEAST_TRAININGS)),
        judge=judge_fitting,
        horizontal="examples shown to each network",
        logarithmic=True,
        minutes=7,
    )


STUDIES: tuple[Study, ...] = (
    ACCURACY,
    fitting_study("semantic-fitting", 20),
    fitting_study("semantic-fitting-large", LARGE),
)
