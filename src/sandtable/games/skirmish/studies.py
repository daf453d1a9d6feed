"""What the thesis says or leaves open about its method, tried by changing one thing at a time.

Every variant is a training with the preset ``small`` of ``sandtable train skirmish/dsl`` (where the
thesis claims something) or ``tiny`` (where it leaves a question open) and one change; there are two
of each kind, with other seeds. They are judged by the share of games won against the constant
opponent on generated levels that nobody has trained on.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.plan import MatchPlan, make_plan
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.games.skirmish.generator import judged_levels
from sandtable.games.skirmish.learning.dsl.config import SMALL, TINY, DslConfig
from sandtable.games.skirmish.side_by_side import play_side_by_side
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

if TYPE_CHECKING:
    from torch import nn

__all__ = ["STUDIES"]

SOURCE = "Moseley, Deep State-Value Estimation for Long-Term Planning, 2024"
NO_CLAIM = "not applicable"  # the thesis asks, and does not answer
TRAININGS = 2  # of each kind, with other seeds
LEVELS, FEWER_LEVELS, QUICK_LEVELS = 75, 40, 4  # to be judged on, from both sides
BUDGETS = (1000, 2500, 5000, 10_000)  # of the constant opponent, one after the other
WON = "per cent won"
SEATS = ("first", "second")


# --- one variant ---------------------------------------------------------------------------------


TRIED: dict[tuple[DslConfig, int, int], tuple[Measurement, ...]] = {}  # in this process


def measure(
    title: str, config: DslConfig, usual_levels: int, settings: Settings, report: Report
) -> Sequence[Measurement]:
    """Train a network, let it play, and give the share of games that it has won.

    Several studies have the same configuration among theirs; a process tries it once.
    """
    from sandtable.games.skirmish.learning.dsl.networks import parameter_count

    levels = QUICK_LEVELS if settings.quick else usual_levels
    if settings.quick:
        config = replace(config, games=2, watched_games=min(config.watched_games, 100))
        config = replace(config, watched_steps=min(config.watched_steps, 20))
    if settings.games:
        levels = max(2, settings.games // 2)
    tried = (config, settings.seed, levels)
    if tried in TRIED:
        return TRIED[tried]
    won = np.zeros((levels, len(SEATS)))
    network = trained_network(config, f"{title}: training", report)
    plans = judged_plans(settings.seed, levels)
    seats = [number % len(SEATS) for number in range(len(plans))]
    with report(f"{title}: games", len(plans)) as progress:
        for number, victory in play_side_by_side(plans, seats, config.budget, values_of(network)):
            won[number // len(SEATS), number % len(SEATS)] = victory
            progress(1)
    TRIED[tried] = (figure(won), Measurement("parameters", parameter_count(network)))
    return TRIED[tried]


def trained_network(config: DslConfig, label: str, report: Report) -> nn.Module:
    """Train a network to the end and return it."""
    from sandtable.games.skirmish.learning.dsl.networks import new_network
    from sandtable.games.skirmish.learning.dsl.recipe import train
    from sandtable.learning.run import Control, trained
    from sandtable.learning.torch_networks import load_network

    with TemporaryDirectory() as folder, report(label, config.games) as progress:
        train(config, Path(folder), Control(report=lambda metrics: progress(1)))
        network = new_network(0, config.network)
        load_network(network, trained(Path(folder)).arrays)
    return network


def values_of(network: nn.Module) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    """Return what values positions with a network, on a GPU where there is one."""
    from sandtable.games.skirmish.learning.dsl.learner import TorchValues
    from sandtable.learning.torch_networks import chosen_device

    device = chosen_device("auto")
    return TorchValues(network.to(device), device)


def judged_plans(seed: int, levels: int) -> list[MatchPlan]:
    """Return the games of a network: each level from both sides, the opponent's budget in turn.

    >>> judged_plans(seed=0, levels=2)[1].game
    'skirmish:both_empty=second,level=random-0,passes=first'
    """
    plans = []
    for number, level in enumerate(judged_levels(seed, levels)):
        for seat, name in enumerate(SEATS):
            budget = BUDGETS[(number + seat * len(BUDGETS) // 2) % len(BUDGETS)]
            agents = ["random", f"alphabeta:budget={budget},evaluation=constant,ordering=published"]
            other = SEATS[1 - seat]
            game = f"skirmish:both_empty=second,level=random-{level},passes={other}"
            plans.append(make_plan(game, agents if name == "first" else agents[::-1], 1, seed))
    return plans


def figure(won: NDArray[np.float64]) -> Measurement:
    """Return the share of all games won [level, seat]; a level is one draw, from both sides.

    >>> figure(np.array([[1.0, 0.0], [1.0, 1.0]])).value
    75.0
    """
    every = estimate_mean(100 * won.mean(axis=1), bounds=(0.0, 100.0))
    low, high = (None if math.isnan(end) else end for end in (every.low, every.high))
    return Measurement(WON, every.mean, low, high, won.size)


def variants(name: str, title: str, config: DslConfig) -> tuple[Variant, ...]:
    """Return the trainings with a configuration, each a variant that is kept by itself."""
    levels = FEWER_LEVELS if config.budget == TINY.budget else LEVELS
    return tuple(
        Variant(
            f"{name}-{number + 1}",
            f"{title}, training {number + 1}",
            functools.partial(measure, title, replace(config, seed=number), levels),
        )
        for number in range(TRAININGS)
    )


# --- what was found ------------------------------------------------------------------------------


def trainings(measured: Measured, name: str) -> list[Measurement]:
    """Return the shares that the trainings of one kind have won."""
    named = [f"{name}-{number + 1}" for number in range(TRAININGS)]
    return [next(each for each in measured[name] if each.quantity == WON) for name in named]


def lead(measured: Measured, name: str, other: str) -> tuple[float, float]:
    """Return by how many points one kind is ahead of another, and half the interval of that.

    All play on the same levels, which is not made use of: the interval is rather too wide.
    """
    both = [trainings(measured, each) for each in (name, other)]
    means = [sum(each.value for each in some) / len(some) for some in both]
    widths = [
        sum((each.high or 0.0) - (each.low or 0.0) for each in some) / (2 * len(some))
        for some in both
    ]
    return means[0] - means[1], math.hypot(*widths)


def by_training(measured: Measured, name: str) -> list[float]:
    """Return the shares alone."""
    return [each.value for each in trainings(measured, name)]


def is_ahead(measured: Measured, name: str, other: str) -> bool:
    """Say whether a variant is shown to be ahead: beyond the interval, and in every training."""
    points, width = lead(measured, name, other)
    return points > width and min(by_training(measured, name)) > max(by_training(measured, other))


def lead_words(measured: Measured, name: str, other: str) -> str:
    """Write a lead down."""
    points, width = lead(measured, name, other)
    both = [
        " and ".join(f"{value:.0f}" for value in by_training(measured, each))
        for each in (name, other)
    ]
    return (
        f"{points:+.1f} points ({points - width:+.1f} to {points + width:+.1f}; by training "
        f"{both[0]} against {both[1]} per cent)"
    )


def judge_opponents(measured: Measured) -> Finding:
    """Compare the thesis's choice of opponents with self-play alone."""
    mixed, simple = (lead_words(measured, name, "self-play") for name in ("mixed", "simple"))
    words = f"The thesis's opponents against self-play alone: {mixed}."
    words += f" The simple opponent alone against self-play alone: {simple}."
    if is_ahead(measured, "mixed", "self-play"):
        return Finding(AGREES, words)
    verdict = CONTRADICTS if is_ahead(measured, "self-play", "mixed") else CANNOT_BE_TOLD
    return Finding(verdict, words)


def judge_against(base: str, measured: Measured) -> Finding:
    """Set every kind beside the usual one; the thesis claims nothing."""
    kinds = dict.fromkeys(name.rpartition("-")[0] for name in measured)
    words = [
        f"{name} against {base}: {lead_words(measured, name, base)}"
        for name in kinds
        if name != base
    ]
    return Finding(NO_CLAIM, f"The thesis claims nothing. {'; '.join(words)}.")


def unwatching(config: DslConfig) -> DslConfig:
    """Return a configuration that watches nobody: watching would be an opponent too."""
    return replace(config, watched_games=0, watched_steps=0)


ALONE = unwatching(SMALL)
NEVER = 1_000_000  # games before self-play begins

STUDIES: tuple[Study, ...] = (
    Study(
        name="opponents",
        title="Opponents in training: simple ones, copies of itself, or both in turn",
        source=f"{SOURCE}, sections 2.3, 3.4 and 4",
        claim="choosing opponents (simple ones first, then in turn with copies of the network) is "
        "a vital improvement on self-play alone",
        variants=(
            *variants("mixed", "both in turn (thesis)", ALONE),
            *variants("self-play", "copies alone", replace(ALONE, self_play_only=True)),
            *variants("simple", "the simple opponent alone", replace(ALONE, simple_games=NEVER)),
        ),
        judge=judge_opponents,
        minutes=20,
    ),
    Study(
        name="networks",
        title="Kinds of networks, trained alike",
        source=f"{SOURCE}, section 4",
        claim="other architectures are left to later work",
        variants=(
            *variants("author", "residual, the author's layout", TINY),
            *variants(
                "quarters", "residual, quarters apart (ours)", replace(TINY, network="quarters")
            ),
            *variants("transformer", "transformer", replace(TINY, network="transformer")),
            *variants("perceptron", "perceptron", replace(TINY, network="perceptron")),
        ),
        judge=functools.partial(judge_against, "author"),
        minutes=18,
    ),
    Study(
        name="rewards",
        title="What is rewarded, and nothing else changed",
        source=f"{SOURCE}, section 4",
        claim="a more advanced reward is left to later work",
        variants=(
            *variants("utility", "utility (thesis)", replace(TINY, win_reward=0.0)),
            *variants("utility-win", "utility, and 20 for the result (ours)", TINY),
            *variants("material", "material undivided, and 20", replace(TINY, reward="material")),
            *variants("change", "change of the utility, and 20", replace(TINY, reward="change")),
            *variants("result", "20 for the result alone", replace(TINY, reward="result")),
        ),
        judge=functools.partial(judge_against, "utility"),
        minutes=11,
    ),
    Study(
        name="watching",
        title="Whose games are watched before the own ones",
        source="ours: the thesis watches nobody, and its constant opponent is the yardstick alone",
        claim="nothing; our preset watches the constant opponent too, which the thesis would not",
        variants=(
            *variants("nobody", "nobody", unwatching(TINY)),
            *variants("simple", "the simple opponent", TINY),
            *variants("both", "the constant opponent too", replace(TINY, watched="both")),
        ),
        judge=functools.partial(judge_against, "simple"),
        minutes=6,
    ),
)
