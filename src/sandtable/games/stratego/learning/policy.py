"""How the network of stratego/policy learns (strategy 1 of the 2015 paper): by looking on.

Read from top to bottom. A Monte Carlo player plays itself some thousand times; every move is an
example: what its seat saw, and which of all moves it made. A network is fitted to them by gradient
descent with momentum on the cross entropy. Some games are held out, to tell how often the network
names the very move. Everything follows from the seed, and a run goes on where it was broken off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sandtable.dice import training_seed
from sandtable.games.stratego.learning.board_config import BoardConfig
from sandtable.games.stratego.learning.fitting import BoardTraining, export_run, held_out_shards
from sandtable.games.stratego.learning.games import moves_of, play_some, rules_of
from sandtable.games.stratego.learning.networks import FULL, SHARED
from sandtable.learning.config import config_field
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run
from sandtable.learning.shards import Arrays, in_a_row, joined, make_shards

__all__ = ["RECIPE", "PolicyConfig"]

GAMES_IN_SHARD = 4
PART = "moves"
WEIGHTS_FILE = "policy.onnx"
PIECES = 20  # into which the steps are cut, each with a word on how it goes


@dataclass(frozen=True)
class PolicyConfig(BoardConfig):
    """What a run depends on."""

    games: int = config_field(400, "Games of the player that is imitated.", least=1)
    player: str = config_field("stratego/baseline", "The player that is imitated.")
    long_share: float = config_field(0.0, "Share of games with long scouts.", least=0, most=1)
    held_out: float = config_field(
        0.03, "Share of games that only judge the network.", least=0, most=1
    )
    steps: int = config_field(10_000, "Steps of gradient descent.", least=1)
    batch: int = config_field(512, "Examples in a step.", least=1)
    learning_rate: float = config_field(
        0.1, "Of the first steps; it falls to nearly nothing.", above=0
    )
    momentum: float = config_field(0.9, "Of gradient descent.", least=0, most=1)
    decay: float = config_field(
        0.0001, "Share of the weights taken off in a step of rate 1.", least=0
    )
    head: str = config_field(
        SHARED, "Linear layers that all squares share, or over all.", choices=(SHARED, FULL)
    )


# As literally as the paper tells; how many "several thousand" games are is our reading, and so is
# the number of steps: somewhat less than three passes over what 2,000 games give.
PUBLISHED = PolicyConfig(
    games=2000, ends="paper", mirror=False, head=FULL, layers=5, decay=0.001, steps=3_000
)
OF_VARIANTS = {
    "mini": PolicyConfig(variant="mini", games=3000, steps=6_000),
    "barrage": PolicyConfig(variant="barrage", games=800, steps=6_000),
    "duel": PolicyConfig(variant="duel", games=800, steps=6_000),
}
# One thing at a time is left out of a run that is small enough for two cores and some minutes.
SMALL = PolicyConfig(games=120, held_out=0.3, mirror=False, steps=2_000, batch=256)
BRIEF = replace(SMALL, steps=500)  # for curves, which need a training for every point
STUDIED = {
    "small": SMALL,
    "brief": BRIEF,
    "brief-full": replace(BRIEF, head=FULL),
    "mirrored": replace(SMALL, mirror=True),
    "full": replace(SMALL, head=FULL),
    "full-strong-decay": replace(SMALL, head=FULL, decay=0.01),
    "full-no-decay": replace(SMALL, head=FULL, decay=0.0),
    "strong-decay": replace(SMALL, decay=0.01),
    "no-decay": replace(SMALL, decay=0.0),
    "unturned": replace(SMALL, turned=False),
    "own-channels": replace(SMALL, channels="12"),
    "no-history": replace(SMALL, channels="126"),
}


def shards_of(config: PolicyConfig) -> int:
    """Return into how many shards the games go."""
    return -(-config.games // GAMES_IN_SHARD)


def games_of_shard(config: PolicyConfig, shard: int) -> list[Arrays]:
    """Play the games of a shard; return the boards and moves of each. All have equal rules."""
    first = shard * GAMES_IN_SHARD
    numbers = range(first, min(first + GAMES_IN_SHARD, config.games))
    game = rules_of(shard, config.long_share, config.variant, config.ends)
    seed = training_seed(config.seed)
    games = play_some(game, [config.player] * 2, seed, numbers, 0.0)
    examples: list[Arrays] = []
    for number, actions in zip(numbers, games, strict=True):
        alone = range(number, number + 1)
        codes, moves = moves_of(game, seed, alone, [actions], config.turned)
        examples.append({"codes": codes, "targets": moves})
    return examples


def make_moves(config: PolicyConfig, shard: int) -> Arrays:
    """Return the boards and moves of all games of a shard."""
    return in_a_row(games_of_shard(config, shard))


def train(config: PolicyConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether it is finished."""
    with Run(config, folder, control) as run:
        training = run.attach(BoardTraining("policy", config, run))
        return play_all(config, run, training) and fit_all(config, run, training)


def play_all(config: PolicyConfig, run: Run, training: BoardTraining) -> bool:
    """Play all games whose shards are not there; say no when the run has to stop."""
    done, moves = 0, 0
    for made in make_shards(
        run.folder, PART, shards_of(config), lambda shard: make_moves(config, shard), run.control
    ):
        if made is None:
            return False
        done, moves = done + 1, moves + len(made[1]["targets"])
        if training.counters["step"] == 0:
            run.control.report({"part": done - 1, "moves": moves})
    return True


def fit_all(config: PolicyConfig, run: Run, training: BoardTraining) -> bool:
    """Take all steps, piece by piece; say no when the run has to stop."""
    fitting, counters = training.fitting, training.counters
    shards = shards_of(config)
    out = held_out_shards(shards, config.held_out)
    judged = joined(run.folder, PART, out or shards, shards - out if out else 0)
    fitting.set_examples(joined(run.folder, PART, shards - out))
    for piece in range(PIECES):
        total = config.steps * (piece + 1) // PIECES
        if counters["step"] >= total:
            continue
        loss = training.fit(total, config.steps, config.learning_rate, config.seed)
        if loss is None:
            return False
        judged_loss, right = fitting.judge(judged)
        run.report(
            {
                "part": shards + piece,
                "step": counters["step"],
                "loss": round(loss, 4),
                "held_out_loss": round(judged_loss, 4),
                "held_out_accuracy": round(right, 4),
                "examples": len(fitting.codes),
            }
        )
    return True


def progress_line(metrics: Metrics) -> str:
    """Say in a few words how watching or learning goes.

    >>> progress_line({"part": 3, "moves": 812})
    '812 moves watched'
    """
    if "moves" in metrics:
        return f"{metrics['moves']} moves watched"
    judged = f"held out {metrics['held_out_loss']:.3f}"
    return f"loss {metrics['loss']:.3f}, {judged}, right moves {metrics['held_out_accuracy']:.1%}"


RECIPE = Recipe(
    summary="The move network of Stratego (2015 paper, strategy 1), from games of Monte Carlo.",
    presets={
        "published": PUBLISHED,
        "bundled": PolicyConfig(),
        **OF_VARIANTS,
        **STUDIED,
    },
    train=train,
    export=lambda folder: export_run("policy", folder, WEIGHTS_FILE),
    unit="part",
    length=lambda config: shards_of(config) + PIECES,
    progress_line=progress_line,
)
