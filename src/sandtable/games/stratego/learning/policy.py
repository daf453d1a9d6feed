"""How the network of stratego/policy learns (strategy 1 of the 2015 paper): by looking on.

Read from top to bottom. A Monte Carlo player plays itself some thousand times; every move is an
example: what its seat saw, and which of all moves it made. A network is fitted to them by gradient
descent with momentum on the cross entropy. Some games are held out, to tell how often the network
names the very move. Everything follows from the seed, and a run goes on where it was broken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.games.stratego.learning.games import moves_of, play_some, rules_of
from sandtable.games.stratego.learning.parts import (
    BoardRun,
    check_numbers,
    export_run,
    held_out_shards,
)
from sandtable.learning.recipes import Control, Recipe, config_field
from sandtable.learning.shards import Arrays, joined, make_shards

__all__ = ["RECIPE", "PolicyConfig"]

GAMES_IN_SHARD = 4
PART = "moves"
WEIGHTS_FILE = "policy.onnx"
PIECES = 20  # into which the steps are cut, each with a word on how it goes


@dataclass(frozen=True)
class PolicyConfig:
    """What a run depends on."""

    games: int = config_field(4000, "Games of the player that is imitated.")
    player: str = config_field("stratego/baseline", "The player that is imitated.")
    long_share: float = config_field(0.0, "Share of games with long scouts.")
    held_out: float = config_field(0.03, "Share of games that only judge the network.")
    steps: int = config_field(40_000, "Steps of gradient descent.")
    batch: int = config_field(512, "Examples in a step.")
    learning_rate: float = config_field(0.05, "Of the first steps; it falls to nearly nothing.")
    momentum: float = config_field(0.9, "Of gradient descent.")
    decay: float = config_field(0.0001, "Share of the weights taken off in a step of rate 1.")
    seed: int = config_field(0, "Everything follows from it.")


def shards_of(config: PolicyConfig) -> int:
    """Return into how many shards the games go."""
    return -(-config.games // GAMES_IN_SHARD)


def make_moves(config: PolicyConfig, shard: int) -> Arrays:
    """Play the games of a shard; return the boards and moves. All games of one have equal rules."""
    first = shard * GAMES_IN_SHARD
    numbers = range(first, min(first + GAMES_IN_SHARD, config.games))
    game = rules_of(shard, config.long_share)
    games = play_some(game, [config.player] * 2, config.seed, numbers, 0.0)
    codes, moves = moves_of(game, config.seed, numbers, games)
    return {"codes": codes, "targets": moves}


def train(config: PolicyConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether it is finished."""
    check_numbers(config, ("games", "steps", "batch"), ("long_share", "held_out", "momentum"))
    run = BoardRun("policy", config, folder, control)
    with run.log:
        return play_all(run) and fit_all(run)


def play_all(run: BoardRun) -> bool:
    """Play all games whose shards are not there; say no when the run has to stop."""
    config, done, moves = run.config, 0, 0
    for made in make_shards(
        run.folder, PART, shards_of(config), lambda shard: make_moves(config, shard), run.control
    ):
        if made is None:
            return False
        done, moves = done + 1, moves + len(made[1]["targets"])
        if run.counters["step"] == 0:
            run.control.tell({"part": done - 1, "news": f"{moves} moves watched"})
    return True


def fit_all(run: BoardRun) -> bool:
    """Take all steps, piece by piece; say no when the run has to stop."""
    config = run.config
    shards = shards_of(config)
    out = held_out_shards(shards, config.held_out)
    judged = joined(run.folder, PART, out or shards, shards - out if out else 0)
    run.fitting.give(joined(run.folder, PART, shards - out))
    for piece in range(PIECES):
        total = config.steps * (piece + 1) // PIECES
        if run.counters["step"] >= total:
            continue
        loss = run.fit(total, config.steps, config.learning_rate, config.seed)
        if loss is None:
            return False
        judged_loss, right = run.fitting.judge(judged)
        run.tell(facts_of(run, shards + piece, loss, judged_loss, right))
        run.save()
    return True


def facts_of(run: BoardRun, part: int, loss: float, judged: float, right: float) -> dict[str, Any]:
    """Return what is worth telling after a piece of the steps."""
    return {
        "part": part,
        "step": run.counters["step"],
        "loss": round(loss, 4),
        "held_out_loss": round(judged, 4),
        "held_out_accuracy": round(right, 4),
        "examples": len(run.fitting.codes),
        "news": f"loss {loss:.3f}, held out {judged:.3f}, right moves {right:.1%}",
    }


RECIPE = Recipe(
    summary="The move network of Stratego (2015 paper, strategy 1), from games of Monte Carlo.",
    presets={"published": PolicyConfig()},
    train=train,
    export=lambda folder: export_run("policy", folder, WEIGHTS_FILE),
    unit="part",
    length=lambda config: shards_of(config) + PIECES,
)
