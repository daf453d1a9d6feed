"""How the twelve networks of lucid/semantic learn from expert games (report, section 4.2.2).

Read from top to bottom. Every move of a force group of Blue in the database is an example: what
the group saw, and for each category whether the move belongs to it. A network is trained by
back-propagation on examples drawn at random. First a third of the games is held out, and the
accuracy on it is reported; then training begins anew on all of them, and these networks play. Whole
games are held out, since the moves of one resemble each other.
Everything follows from the seed, and a run goes on where it was broken off.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import LITERAL
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, ExpertGame, read_expert_games
from sandtable.games.lucid.agents.expert.group_examples import (
    LABELS,
    STATED,
    GroupExamples,
    categories_of,
    group_examples,
)
from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES, PATHS, USUAL_PATHS
from sandtable.games.lucid.agents.semantic import networks
from sandtable.games.lucid.learning.semantic.back_propagation import (
    accuracy,
    ceiling,
    draw_weights,
    learn_examples,
)
from sandtable.games.lucid.rules import DiceState
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.config import RunConfig, config_field
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained

__all__ = [
    "PUBLISHED",
    "RECIPE",
    "SemanticConfig",
    "export",
    "held_out",
    "mean_accuracy",
    "read_examples",
    "train",
    "trained_networks",
]

Numbers = NDArray[np.float64]

WEIGHTS_FILE = "semantic.safetensors"
ACCURACY_FILE = "accuracy.json"
BUNDLED = "bundled"
FEWEST_EXAMPLES = 60
PARTS = ("held out", "all")  # the two trainings of each category
SEATS = ("blue", "red")
CATEGORY_COUNT = len(categories_of(0))  # of either side
STEPS = len(PARTS) * CATEGORY_COUNT  # of a run
STEPS_AT_ONCE = 100_000


@dataclass(frozen=True)
class SemanticConfig(RunConfig):
    """What a run depends on."""

    database: str = config_field(BUNDLED, "file of expert games, or 'bundled'")
    seat: str = config_field("blue", "whose moves are learnt", choices=SEATS)
    labels: str = config_field(
        STATED,
        "those stated in the file, or by rules; what a person corrected stays",
        choices=LABELS,
    )
    paths: str = config_field(
        USUAL_PATHS, "which path to an exit is the best", choices=tuple(PATHS)
    )
    left_out: str = config_field(
        "", "a feature the networks do not get", choices=("", *FEATURE_NAMES)
    )
    examples: int = config_field(500_000, "examples shown to each network", least=1)
    learning_rate: float = config_field(0.3, "of back-propagation at the beginning", above=0)
    final_rate: float = config_field(0.02, "of back-propagation at the end", above=0)
    weight_range: float = config_field(
        0.2, "first weights lie between minus this and this", above=0
    )
    hold_out: float = config_field(
        1 / 3, "share of games held out for the first training", above=0, below=1
    )
    seed: int = config_field(0, "of all random numbers", least=0)


# --- examples ------------------------------------------------------------------------------------


def read_examples(
    games: list[ExpertGame], where: str, config: SemanticConfig | None = None
) -> GroupExamples:
    """Take the examples out of expert games; refuse databases too small to learn from."""
    config = config or SemanticConfig()
    examples = group_examples(games, SEATS.index(config.seat), config.labels, config.paths)
    if len(examples.features) < FEWEST_EXAMPLES:
        raise SandtableError(
            f"{where} has {len(games)} games with {len(examples.features)} labelled moves of force "
            f"groups of {config.seat}; at least {FEWEST_EXAMPLES} are needed: record more games "
            "with 'sandtable label'"
        )
    if config.left_out:
        examples.features[:, FEATURE_NAMES.index(config.left_out)] = 0.0
    return examples


def held_out(examples: GroupExamples, config: SemanticConfig) -> NDArray[np.bool_]:
    """Draw which games are held out, and return which examples are theirs."""
    known = np.unique(examples.games)
    if len(known) < 2:
        raise SandtableError("one game cannot be divided; record more games with 'sandtable label'")
    number = max(1, min(len(known) - 1, round(config.hold_out * len(known))))
    numbers = np.random.Generator(np.random.PCG64([config.seed, len(known)]))
    return np.isin(examples.games, numbers.permutation(known)[:number])


# --- the run -------------------------------------------------------------------------------------


class CategoryNetworks:
    """The networks of all categories, and how often each was right in both trainings."""

    def __init__(self, examples: int) -> None:
        self.networks = np.zeros((CATEGORY_COUNT, networks.PARAMETERS))
        self.accuracies = np.full((len(PARTS), CATEGORY_COUNT), math.nan)
        self.counters = {"done": 0, "examples": examples}

    def arrays(self) -> Arrays:
        """Return both."""
        return {"networks": self.networks, "accuracies": self.accuracies}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays."""
        self.networks[:], self.accuracies[:] = arrays["networks"], arrays["accuracies"]


def train(config: SemanticConfig, folder: Path, control: Control) -> bool:
    """Train category after category; return whether all were trained.

    A network whose training is broken off is trained again from its beginning, equally.
    """
    with Run(config, folder, control, seconds_between_saves=0.0) as run:
        path = BUNDLED_GAMES if config.database == BUNDLED else Path(config.database).expanduser()
        examples = read_examples(read_expert_games(path), str(path), config)
        state = run.attach(CategoryNetworks(len(examples.features)))
        while (step := state.counters["done"]) < STEPS:
            part, category = divmod(step, CATEGORY_COUNT)
            result = train_network(config, examples, part, category, control)
            if result is None:
                return False
            state.networks[category], metrics = result
            state.accuracies[part, category] = metrics["accuracy"]
            state.counters["done"] += 1
            run.report(metrics | {"step": step})
    return True


def category_names(config: SemanticConfig) -> tuple[str, ...]:
    """Return the categories that are learnt."""
    return categories_of(SEATS.index(config.seat))


def first_network(config: SemanticConfig, dice: DiceState) -> Numbers:
    """Return a network before training.

    A feature that is left out is 0 in all examples, so its weights never change: they begin at 0,
    and in play the network does not see it.
    """
    network = np.zeros(networks.PARAMETERS)
    draw_weights(network, config.weight_range, dice)
    if config.left_out:
        row = networks.FIRST_WEIGHTS + FEATURE_NAMES.index(config.left_out) * networks.HIDDEN
        network[row : row + networks.HIDDEN] = 0.0
    return network


def train_network(
    config: SemanticConfig, examples: GroupExamples, part: int, category: int, control: Control
) -> tuple[Numbers, Metrics] | None:
    """Train one network with or without the examples held out; None: it was broken off."""
    out = held_out(examples, config)
    learnt = ~out if part == 0 else np.ones_like(out)
    features = np.ascontiguousarray(examples.features[learnt])
    targets = np.ascontiguousarray(examples.targets[learnt, category])
    name = category_names(config)[category]
    dice = Dice(config.seed, f"semantic {PARTS[part]} {name}").array
    network = first_network(config, dice)
    rates = np.array([config.learning_rate, config.final_rate])
    loss = math.nan
    for first in range(0, config.examples, STEPS_AT_ONCE):
        if control.must_stop():
            return None
        count = min(STEPS_AT_ONCE, config.examples - first)
        loss = learn_examples(
            network, features, targets, first, count, config.examples, rates, dice
        )
    judged = out if part == 0 else learnt
    judged_features, judged_targets = examples.features[judged], examples.targets[judged, category]
    share = accuracy(network, judged_features, judged_targets)
    metrics = {
        "category": name,
        "trained_on": "the other games" if part == 0 else "all",
        "judged_on": "moves in games held out" if part == 0 else "training data",
        "examples": int(judged.sum()),
        "loss": round(loss, 5),
        "accuracy": round(share, 4),
        "ceiling": round(ceiling(judged_features, judged_targets), 4),
        "positive": round(float(judged_targets.mean()), 4),
    }
    return network, metrics


def trained_networks(
    config: SemanticConfig, examples: GroupExamples, part: str, control: Control
) -> Numbers:
    """Train all categories at once, without a folder, and return the networks.

    ``part`` is "all" or "held out", as in a run. KeyboardInterrupt if the run has to stop.
    """
    made = np.zeros((CATEGORY_COUNT, networks.PARAMETERS))
    for category in range(CATEGORY_COUNT):
        result = train_network(config, examples, PARTS.index(part), category, control)
        if result is None:
            raise KeyboardInterrupt
        made[category], metrics = result
        control.report(metrics)
    return made


def mean_accuracy(made: Numbers, examples: GroupExamples, chosen: NDArray[np.bool_]) -> float:
    """Return the share of right answers of all networks on some of the examples."""
    features, targets = examples.features[chosen], examples.targets[chosen]
    shares = [accuracy(each, features, targets[:, place]) for place, each in enumerate(made)]
    return float(np.mean(shares))


def progress_line(metrics: Metrics) -> str:
    """Write a training in a few words.

    >>> metrics = {"category": "attack", "accuracy": 0.9, "ceiling": 0.95, "examples": 60}
    >>> progress_line(metrics | {"judged_on": "training data"})
    'attack: 0.900 of 60 training data (at most 0.950 can be right)'
    """
    share = f"{metrics['accuracy']:.3f} of {metrics['examples']} {metrics['judged_on']}"
    return f"{metrics['category']}: {share} (at most {metrics['ceiling']:.3f} can be right)"


def export(folder: Path) -> str:
    """Write the networks for playing and the accuracies from a finished run."""
    checkpoint = trained(folder)
    if checkpoint.counters["done"] < STEPS:
        raise SandtableError(f"the run in {folder} is not finished; the same command goes on")
    notes = notes_of(checkpoint) | {"moves_of_groups": str(checkpoint.counters["examples"])}
    parameters = np.array(checkpoint.arrays["networks"]).astype(np.float32)
    path = folder / WEIGHTS_FILE
    write_whole(path, weights_bytes(parameters.ravel(), notes))
    shares = np.array(checkpoint.arrays["accuracies"])
    names = categories_of(SEATS.index(checkpoint.config.get("seat", SEATS[0])))
    table = {
        name: {"held_out": round(float(out), 4), "training_data": round(float(inside), 4)}
        for name, out, inside in zip(names, *shares, strict=True)
    }
    write_whole(folder / ACCURACY_FILE, (json.dumps(table, indent=2) + "\n").encode())
    mean_out, mean_in = (float(part.mean()) for part in shares)
    return (
        f"weights written to {path}; accuracy {mean_out:.3f} held out, {mean_in:.3f} on training "
        f"data ({ACCURACY_FILE} has every category)"
    )


# As the papers have it: 20 games, one or more labels for every move. Each is bundled.
PUBLISHED = SemanticConfig(labels=LITERAL, paths="least-resistance")

RECIPE = Recipe(
    summary="the twelve networks of lucid/semantic, from expert games",
    presets={
        "published": PUBLISHED,
        "published-19": replace(PUBLISHED, left_out="group density"),
        "ours": SemanticConfig(database="expert-300.jsonl"),
        "red": SemanticConfig(database="red-300.jsonl", seat="red"),
    },
    train=train,
    export=export,
    unit="step",
    length=lambda config: STEPS,
    progress_line=progress_line,
)
