"""How the network of stratego/value learns (strategy 2 of the 2015 paper): from random games.

Read from top to bottom. Games are played; a few positions of each are labelled by random games from
positions that one of the seats cannot tell apart: the share it wins less the share it loses. Only
clear ones are kept. A network is fitted to them by gradient descent with momentum on the squared
error. That is the published method, one round.

The preset ``loop`` closes the loop (the paper's future work): in more rounds the agent plays itself
with the network of the round before and learns from the positions it meets; the positions of
earlier rounds stay. The preset ``results`` labels positions by how their own game ended instead,
the first round's games being those of the move network. Everything follows from the seed, and a run
goes on where it was broken off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice, training_seed
from sandtable.games.stratego.learning.board_config import (
    KEEPS_SIZE,
    LOSES_EDGES,
    BoardConfig,
    side_of_variant,
)
from sandtable.games.stratego.learning.fitting import BoardTraining, export_run, held_out_shards
from sandtable.games.stratego.learning.games import (
    Drawn,
    label_positions,
    play_some,
    positions_of,
    rules_of,
    take_results,
)
from sandtable.games.stratego.learning.networks import export_network
from sandtable.learning.config import config_field
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run
from sandtable.learning.shards import Arrays, joined, make_shards

__all__ = ["RECIPE", "ValueConfig"]

WEIGHTS_FILE = "value.onnx"
BY_RANDOM_GAMES, BY_RESULTS = "random", "results"  # how positions are labelled
PIECES = 10  # into which the steps of a round are cut, each with a word on how it goes


@dataclass(frozen=True)
class ValueConfig(BoardConfig):
    """What a run depends on."""

    games: int = config_field(2224, "Games in the first round.", least=1)
    players: str = config_field(
        "stratego/baseline:samples=2 random", "Who plays in the first round, game by game."
    )
    first_noise: float = config_field(
        0.0, "Chance of a random move in the first round.", least=0, most=1
    )
    long_share: float = config_field(0.0, "Share of games with long scouts.", least=0, most=1)
    labels: str = config_field(
        BY_RANDOM_GAMES,
        "Positions are labelled by random games, or by results of their own.",
        choices=(BY_RANDOM_GAMES, BY_RESULTS),
    )
    candidates: int = config_field(24, "Positions drawn from a game.", least=1)
    kept: int = config_field(12, "Clear ones of them that are kept at most.", least=1)
    playouts: int = config_field(100, "Random games that label a position.", least=1)
    difference: float = config_field(
        0.2, "Between the shares won and lost, for a clear one.", least=0, most=1
    )
    rounds: int = config_field(
        1, "Rounds; from the second on the agent plays itself.", least=1, extendable=True
    )
    loop_games: int = config_field(300, "Games in a round from the second on.", least=1)
    agent: str = config_field("samples=4,attacks=1", "Options of the agent that plays itself.")
    beside: str = config_field("", "Others whose games are added in these rounds, in turn.")
    noise: float = config_field(
        0.05, "Chance of a random move in the games of these rounds.", least=0, most=1
    )
    held_out: float = config_field(
        0.05, "Share of games that only judge the network.", least=0, most=1
    )
    steps: int = config_field(16_000, "Steps of gradient descent in a round.", least=1)
    batch: int = config_field(128, "Positions in a step.", least=1)
    learning_rate: float = config_field(
        0.02, "Of a round's first steps; it falls to nearly 0.", above=0
    )
    momentum: float = config_field(0.9, "Of gradient descent.", least=0, most=1)
    decay: float = config_field(
        0.001, "Share of the weights taken off in a step of rate 1.", least=0
    )
    games_in_shard: int = config_field(4, "Games between two looks at whether to stop.", least=1)
    layers: int = config_field(5, "Convolutions.", least=1, most=20)
    padding: str = config_field(
        LOSES_EDGES,
        "Boards lose their edges, or keep their size.",
        choices=(LOSES_EDGES, KEEPS_SIZE),
    )


RESULTS = ValueConfig(
    games=16_000,
    steps=20_000,
    players="stratego/policy",
    first_noise=0.1,
    labels=BY_RESULTS,
    rounds=3,
    loop_games=4_000,
    beside="stratego/policy",
    batch=256,
    games_in_shard=40,
)

# As literally as the paper tells: 15,000 positions out of 2,500 games, six of a game at most.
PUBLISHED = ValueConfig(games=2500, kept=6, ends="paper", mirror=False, padding=KEEPS_SIZE)
OF_VARIANTS = {
    "mini": ValueConfig(variant="mini", games=4000, steps=8_000),
    "barrage": ValueConfig(variant="barrage", games=2500, steps=8_000),
    "duel": ValueConfig(variant="duel", games=2500, steps=8_000),
}
# One thing at a time is left out of a run that is small enough for two cores and some minutes.
SMALL = ValueConfig(
    games=600, playouts=40, held_out=0.2, steps=3_000, mirror=False, padding=KEEPS_SIZE
)
# A dozen networks are compared, some of them slow.
BRIEF = replace(SMALL, games=400, held_out=0.25, steps=500)
STUDIED = {
    "small": SMALL,
    "brief": BRIEF,
    "unfiltered": replace(BRIEF, difference=0.0),
    "unturned": replace(SMALL, turned=False),
    "own-channels": replace(SMALL, channels="12"),
    "no-history": replace(SMALL, channels="126"),
    "shrinking": replace(BRIEF, padding=LOSES_EDGES),
    "filter-1": replace(BRIEF, filter_size=1),
    "filter-5": replace(BRIEF, filter_size=5),
    "filter-7": replace(BRIEF, filter_size=7),
    "filters-8": replace(BRIEF, filters=8),
    "filters-16": replace(BRIEF, filters=16),
    "filters-64": replace(BRIEF, filters=64),
    "layers-1": replace(BRIEF, layers=1),
    "layers-2": replace(BRIEF, layers=2),
    "layers-3": replace(BRIEF, layers=3),
    "layers-8": replace(BRIEF, layers=8),
}


def games_of(config: ValueConfig, number: int) -> range:
    """Return the numbers of the games of a round."""
    if number == 0:
        return range(config.games)
    first = config.games + (number - 1) * config.loop_games
    return range(first, first + config.loop_games)


def shards_of(config: ValueConfig, number: int) -> int:
    """Return into how many shards the games of a round go."""
    return -(-len(games_of(config, number)) // config.games_in_shard)


def parts_before(config: ValueConfig, number: int) -> int:
    """Return how many parts, shards and pieces of steps, the rounds before one have."""
    return sum(shards_of(config, before) + PIECES for before in range(number))


def players_of(config: ValueConfig, folder: Path, number: int, shard: int) -> str:
    """Return who plays the games of a shard."""
    if number == 0:
        specs = config.players.split()
        return specs[shard % len(specs)]
    options = f",{config.agent}" if config.agent else ""
    itself = f"stratego/value:weights={round_file(folder, number - 1)}{options}"
    specs = [itself, *config.beside.split()]
    return specs[shard % len(specs)]


def round_file(folder: Path, number: int) -> Path:
    """Return the file of the network after a round."""
    return (folder / f"round-{number}.onnx").absolute()


def make_labels(config: ValueConfig, folder: Path, number: int, shard: int) -> Arrays:
    """Play the games of a shard of a round and label positions of them."""
    first = shard * config.games_in_shard
    numbers = games_of(config, number)[first : first + config.games_in_shard]
    game = rules_of(shard, config.long_share, config.variant, config.ends)
    player = players_of(config, folder, number, shard)
    noise = config.noise if number > 0 else config.first_noise
    seed = training_seed(config.seed)
    games = play_some(game, [player] * 2, seed, numbers, noise)
    drawn = positions_of(game, seed, numbers, games, config.candidates)
    squares = side_of_variant(config.variant) ** 2
    codes = np.zeros((len(games), config.kept, squares), dtype=np.uint8)
    labels = np.zeros((len(games), config.kept), dtype=np.float32)
    kept = [
        label_game(config, game_number, drawn[index], codes[index], labels[index])
        for index, game_number in enumerate(numbers)
    ]
    return {
        "codes": np.concatenate([codes[game, :count] for game, count in enumerate(kept)]),
        "targets": np.concatenate([labels[game, :count] for game, count in enumerate(kept)]),
    }


def label_game(
    config: ValueConfig,
    number: int,
    drawn: Drawn,
    codes: NDArray[np.uint8],
    labels: NDArray[np.float32],
) -> int:
    """Label positions of a game, each for a seat drawn by lot; return how many are kept."""
    random = np.random.Generator(np.random.PCG64([config.seed, number, 1]))
    order = random.permutation(len(drawn.positions))
    seats = random.integers(0, 2, len(drawn.positions))
    if config.labels == BY_RESULTS:
        positions, winner = drawn.positions[order], drawn.winner
        few = config.kept, config.turned
        return int(take_results(positions, seats, winner, *few, codes, labels))
    dice = Dice(config.seed, "labels", number).array
    wanted = config.playouts, config.kept, config.difference, config.turned
    return int(label_positions(drawn.positions[order], seats, *wanted, dice, codes, labels))


def train(config: ValueConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether it is finished."""
    with Run(config, folder, control) as run:
        training = run.attach(BoardTraining("value", config, run))
        while (number := training.counters["round"]) < config.rounds:
            if not (label_all(config, run, training) and fit_all(config, run, training)):
                return False
            path = round_file(folder, number)
            export_network(training.fitting.network, path, {"round": str(number)})
            training.counters |= {"round": number + 1, "step": 0}
            run.save()
    return True


def label_all(config: ValueConfig, run: Run, training: BoardTraining) -> bool:
    """Make the shards of the round that are not there; say no when the run has to stop."""
    number, done, positions = training.counters["round"], 0, 0
    for made in make_shards(
        run.folder,
        f"round-{number}",
        shards_of(config, number),
        lambda shard: make_labels(config, run.folder, number, shard),
        run.control,
    ):
        if made is None:
            return False
        done, positions = done + 1, positions + len(made[1]["targets"])
        if training.counters["step"] == 0:
            part = parts_before(config, number) + done - 1
            run.control.report({"part": part, "round": number + 1, "positions": positions})
    return True


def fit_all(config: ValueConfig, run: Run, training: BoardTraining) -> bool:
    """Take all steps of a round, piece by piece; say no when the run has to stop."""
    fitting, number = training.fitting, training.counters["round"]
    learned, judged = examples_of(config, run.folder, number)
    fitting.set_examples(learned)
    for piece in range(PIECES):
        total = config.steps * (piece + 1) // PIECES
        if training.counters["step"] >= total:
            continue
        seed = config.seed + 1000 * number
        loss = training.fit(total, config.steps, config.learning_rate, seed)
        if loss is None:
            return False
        judged_loss, right = fitting.judge(judged)
        run.report(
            {
                "part": parts_before(config, number) + shards_of(config, number) + piece,
                "round": number + 1,
                "step": training.counters["step"],
                "loss": round(loss, 5),
                "held_out_loss": round(judged_loss, 5),
                "held_out_signs": round(right, 4),
                "examples": len(fitting.codes),
            }
        )
    return True


def examples_of(config: ValueConfig, folder: Path, last: int) -> tuple[Arrays, Arrays]:
    """Return the positions of all rounds up to one: those to learn from, and those held out."""
    learned, judged = [], []
    for number in range(last + 1):
        shards = shards_of(config, number)
        out = held_out_shards(shards, config.held_out)
        part = f"round-{number}"
        learned.append(joined(folder, part, shards - out))
        judged.append(joined(folder, part, out or shards, shards - out if out else 0))
    return concatenated(learned), concatenated(judged)


def concatenated(parts: list[Arrays]) -> Arrays:
    """Put the arrays of several rounds one behind the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def progress_line(metrics: Metrics) -> str:
    """Say in a few words how labelling or learning goes.

    >>> progress_line({"part": 3, "round": 1, "positions": 812})
    'round 1: 812 positions'
    """
    if "positions" in metrics:
        return f"round {metrics['round']}: {metrics['positions']} positions"
    judged = f"held out {metrics['held_out_loss']:.4f}, signs {metrics['held_out_signs']:.1%}"
    return f"round {metrics['round']}: loss {metrics['loss']:.4f}, {judged}"


RECIPE = Recipe(
    summary="The value network of Stratego (2015 paper, strategy 2), from random games.",
    presets={
        "published": PUBLISHED,
        "bundled": ValueConfig(),
        "loop": ValueConfig(rounds=3, loop_games=180),
        "results": RESULTS,
        **OF_VARIANTS,
        **STUDIED,
    },
    train=train,
    export=lambda folder: export_run("value", folder, WEIGHTS_FILE),
    unit="part",
    length=lambda config: parts_before(config, config.rounds),
    progress_line=progress_line,
)
