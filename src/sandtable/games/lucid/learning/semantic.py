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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import weights_bytes
from sandtable.compiled import kernel
from sandtable.dice import Dice, below, uniform
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, ExpertGame, read_expert_games
from sandtable.games.lucid.agents.force_groups import FEATURE_SCALES, FEATURES
from sandtable.games.lucid.agents.semantic import networks
from sandtable.games.lucid.rules import DiceState
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.config import RunConfig, config_field
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained

__all__ = ["RECIPE", "Examples", "SemanticConfig", "export", "read_examples", "train"]

Numbers = NDArray[np.float64]

WEIGHTS_FILE = "semantic.safetensors"
ACCURACY_FILE = "accuracy.json"
BUNDLED = "bundled"
FEWEST_EXAMPLES = 60
PARTS = ("held out", "all")  # the two trainings of each category
STEPS = len(PARTS) * len(CATEGORIES)  # of a run
STEPS_AT_ONCE = 100_000


@dataclass(frozen=True)
class SemanticConfig(RunConfig):
    """What a run depends on."""

    database: str = config_field(BUNDLED, "file of expert games, or 'bundled'")
    examples: int = config_field(3_000_000, "examples shown to each network", least=1)
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


@dataclass(frozen=True)
class Examples:
    """The moves of all force groups of the database."""

    features: Numbers  # [example, feature], scaled
    targets: Numbers  # [example, category] 0 or 1
    games: NDArray[np.int64]  # [example] the number of its game


def read_examples(games: list[ExpertGame], where: str) -> Examples:
    """Take the examples out of expert games; refuse databases too small to learn from."""
    numbered_groups = [
        (number, group)
        for number, game in enumerate(games)
        for turn in game.turns
        for group in turn.groups
    ]
    groups = [group for _, group in numbered_groups]
    if len(groups) < FEWEST_EXAMPLES:
        raise SandtableError(
            f"{where} has {len(games)} games with {len(groups)} labelled moves of force groups; "
            f"at least {FEWEST_EXAMPLES} are needed: record more games with 'sandtable label'"
        )
    features = np.array([group.group.features for group in groups]) / FEATURE_SCALES
    targets = [[float(name in group.labels) for name in CATEGORIES] for group in groups]
    return Examples(
        features, np.array(targets), np.array([number for number, _ in numbered_groups])
    )


def held_out(examples: Examples, config: SemanticConfig) -> NDArray[np.bool_]:
    """Draw which games are held out, and return which examples are theirs."""
    known = np.unique(examples.games)
    if len(known) < 2:
        raise SandtableError("one game cannot be divided; record more games with 'sandtable label'")
    number = max(1, min(len(known) - 1, round(config.hold_out * len(known))))
    numbers = np.random.Generator(np.random.PCG64([config.seed, len(known)]))
    return np.isin(examples.games, numbers.permutation(known)[:number])


# --- back-propagation ----------------------------------------------------------------------------


@kernel
def draw_weights(network: Numbers, reach: float, dice: DiceState) -> None:
    """Fill a network with weights drawn evenly from minus reach to reach."""
    for index in range(networks.PARAMETERS):
        network[index] = reach * (2.0 * uniform(dice) - 1.0)


@kernel
def learn_example(
    network: Numbers, inputs: Numbers, target: float, rate: float, hidden: Numbers
) -> float:
    """Show one example and change the weights; return its loss.

    The loss is the cross entropy, whose slope by the output's sum is the plain difference.
    """
    answer = networks.forward(network, inputs, hidden)
    error = answer - target
    for unit in range(networks.HIDDEN):
        value = hidden[unit]
        back = error * network[networks.OUTPUT_WEIGHTS + unit] * value * (1.0 - value)
        network[networks.OUTPUT_WEIGHTS + unit] -= rate * error * value
        network[networks.FIRST_BIAS + unit] -= rate * back
        hidden[unit] = back
    network[networks.OUTPUT_BIAS] -= rate * error
    for feature in range(FEATURES):
        step = rate * inputs[feature]
        row = networks.FIRST_WEIGHTS + feature * networks.HIDDEN
        for unit in range(networks.HIDDEN):
            network[row + unit] -= step * hidden[unit]
    return float(-np.log(max(1e-12, 1.0 - abs(error))))


@kernel
def learn_examples(
    network: Numbers,
    features: Numbers,
    targets: Numbers,
    first: int,
    count: int,
    total: int,
    rates: Numbers,
    dice: DiceState,
) -> float:
    """Show examples drawn at random, from number ``first`` of ``total`` on; return the mean loss.

    The rate falls evenly on a logarithmic scale from the first of ``rates`` to the second.
    """
    hidden = np.empty(networks.HIDDEN)
    loss = 0.0
    for number in range(first, first + count):
        rate = rates[0] * (rates[1] / rates[0]) ** (number / total)
        example = below(dice, len(features))
        loss += learn_example(network, features[example], targets[example], rate, hidden)
    return loss / count


def accuracy(network: Numbers, features: Numbers, targets: Numbers) -> float:
    """Return the share of examples that a network classifies as the expert did."""
    hidden = np.empty(networks.HIDDEN)
    answers = np.array([networks.forward(network, inputs, hidden) for inputs in features])
    return float(np.mean((answers > networks.CHOSEN) == (targets > networks.CHOSEN)))


def ceiling(features: Numbers, targets: Numbers) -> float:
    """Return the best share that any classifier can reach on these examples.

    Groups that see the same twenty numbers must get the same answer, though the expert may have
    moved them differently.
    """
    _, same = np.unique(features, axis=0, return_inverse=True)
    counts = np.bincount(same.ravel())
    chosen = np.bincount(same.ravel(), weights=targets)
    return float(np.maximum(chosen, counts - chosen).sum() / len(targets))


# --- the run -------------------------------------------------------------------------------------


class CategoryNetworks:
    """The networks of all categories, and how often each was right in both trainings."""

    def __init__(self, examples: int) -> None:
        self.networks = np.zeros((len(CATEGORIES), networks.PARAMETERS))
        self.accuracies = np.full((len(PARTS), len(CATEGORIES)), math.nan)
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
        examples = read_examples(read_expert_games(path), str(path))
        state = run.attach(CategoryNetworks(len(examples.features)))
        while (step := state.counters["done"]) < STEPS:
            part, category = divmod(step, len(CATEGORIES))
            result = train_network(config, examples, part, category, control)
            if result is None:
                return False
            state.networks[category], metrics = result
            state.accuracies[part, category] = metrics["accuracy"]
            state.counters["done"] += 1
            run.report(metrics | {"step": step})
    return True


def train_network(
    config: SemanticConfig, examples: Examples, part: int, category: int, control: Control
) -> tuple[Numbers, Metrics] | None:
    """Train one network with or without the examples held out; None: it was broken off."""
    out = held_out(examples, config)
    learnt = ~out if part == 0 else np.ones_like(out)
    features = np.ascontiguousarray(examples.features[learnt])
    targets = np.ascontiguousarray(examples.targets[learnt, category])
    dice = Dice(config.seed, f"semantic {PARTS[part]} {CATEGORIES[category]}").array
    network = np.zeros(networks.PARAMETERS)
    draw_weights(network, config.weight_range, dice)
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
        "category": CATEGORIES[category],
        "trained_on": "the other games" if part == 0 else "all",
        "judged_on": "moves in games held out" if part == 0 else "training data",
        "examples": int(judged.sum()),
        "loss": round(loss, 5),
        "accuracy": round(share, 4),
        "ceiling": round(ceiling(judged_features, judged_targets), 4),
        "positive": round(float(judged_targets.mean()), 4),
    }
    return network, metrics


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
    table = {
        name: {"held_out": round(float(out), 4), "training_data": round(float(inside), 4)}
        for name, out, inside in zip(CATEGORIES, *shares, strict=True)
    }
    write_whole(folder / ACCURACY_FILE, (json.dumps(table, indent=2) + "\n").encode())
    mean_out, mean_in = (float(part.mean()) for part in shares)
    return (
        f"weights written to {path}; accuracy {mean_out:.3f} held out, {mean_in:.3f} on training "
        f"data ({ACCURACY_FILE} has every category)"
    )


RECIPE = Recipe(
    summary="the twelve networks of lucid/semantic, from expert games",
    presets={"published": SemanticConfig()},
    train=train,
    export=export,
    unit="step",
    length=lambda config: STEPS,
    progress_line=progress_line,
)
