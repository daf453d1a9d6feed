"""What can be chosen about Deep-State Learning, and the two presets."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sandtable.errors import SandtableError
from sandtable.learning.recipes import config_field

__all__ = ["IMPROVED", "THESIS", "DslConfig", "check_config"]


@dataclass(frozen=True)
class DslConfig:
    """The thesis's values; what the thesis does not have is set so that it does nothing."""

    budget: int = config_field(5000, "States a search of the learner may look at.")
    games: int = config_field(100, "Games to play.")
    seed: int = config_field(0, "Same seed, same run.")
    simple_games: int = config_field(25, "Games before self-play alternates with the opponent.")
    simple_budget: int = config_field(10_000, "States the simple opponent may look at.")
    self_play_only: bool = config_field(False, "Never play the simple opponent (the ablation).")
    mutation: float = config_field(0.01, "Spread of what is added to a copy's parameters.")
    replay: int = config_field(1500, "Transitions that are remembered.")
    batch: int = config_field(15, "Transitions in a gradient step.")
    learning_rate: float = config_field(0.001, "Step size of Adam.")
    incentive: float = config_field(1.2, "Factor for moves that build or capture.")
    max_turns: int = config_field(100, "A game is drawn after so many turns.")
    levels: str = config_field("1 2 3 4 5", "The levels to train on.")
    # Ours:
    discount: float = config_field(1.0, "What the next move's reward is worth now.")
    steps: int = config_field(1, "Moves whose rewards are added up before Q* takes over.")
    gradient_steps: int = config_field(1, "Gradient steps after every move.")
    reward_scale: float = config_field(1.0, "Factor of all rewards.")
    win_reward: float = config_field(0.0, "Extra reward of a win, and the cost of a loss.")
    huber: bool = config_field(False, "Huber loss in place of the squared error.")
    both_seats: bool = config_field(False, "Play second in every other game, not always first.")
    both_sides: bool = config_field(False, "Learn from the opponent's moves too.")
    waiting_states: bool = config_field(False, "Value states before the opponent's moves too.")
    games_at_once: int = config_field(1, "Games played side by side, by the same network.")
    exploration: float = config_field(0.0, "Share of the learner's moves drawn at random.")
    mirror: bool = config_field(False, "Mirror a random half of every batch, left and right.")
    final_learning_rate: float = config_field(0.001, "Step size after the last game.")
    generated_levels: int = config_field(0, "Generated levels to train on besides.")
    watched_games: int = config_field(0, "Games of other agents to learn from before the first.")
    watched_budget: int = config_field(500, "States these agents may look at.")
    watched_steps: int = config_field(0, "Gradient steps on these games.")
    leaf_batch: int = config_field(256, "Leaves of a search in one call of the network.")


THESIS = DslConfig()

# Ours: see "What we changed to make it learn" in docs/games/skirmish/deep-state-learning.md.
IMPROVED = DslConfig(
    games=100,
    replay=400_000,
    batch=256,
    discount=0.9,
    steps=8,
    reward_scale=0.05,
    win_reward=20.0,
    huber=True,
    both_seats=True,
    both_sides=True,
    waiting_states=True,
    games_at_once=10,
    exploration=0.05,
    mirror=True,
    final_learning_rate=0.00005,
    generated_levels=95,
    watched_games=2000,
    watched_steps=10_000,
    leaf_batch=64,
)

AT_LEAST_ONE = (
    "budget",
    "games",
    "simple_budget",
    "replay",
    "batch",
    "steps",
    "gradient_steps",
    "games_at_once",
    "watched_budget",
    "leaf_batch",
)
NOT_NEGATIVE = (
    "seed",
    "simple_games",
    "mutation",
    "max_turns",
    "final_learning_rate",
    "generated_levels",
    "watched_games",
    "watched_steps",
)
SHARES = ("discount", "exploration")
ABOVE_ZERO = ("learning_rate", "incentive", "reward_scale")


def check_config(config: DslConfig) -> None:
    """Refuse numbers that make no sense, before anything is played."""
    rules: list[tuple[tuple[str, ...], str, Callable[[float], bool]]] = [
        (AT_LEAST_ONE, "is at least 1", lambda value: value >= 1),
        (NOT_NEGATIVE, "is 0 or more", lambda value: value >= 0),
        (SHARES, "lies between 0 and 1", lambda value: 0 <= value <= 1),
        (ABOVE_ZERO, "is above 0", lambda value: value > 0),
        (("win_reward",), "is a number", math.isfinite),
    ]
    for names, rule, kept in rules:
        for name in names:
            value = getattr(config, name)
            if not (math.isfinite(value) and kept(value)):
                raise SandtableError(f"--{name.replace('_', '-')} {rule}, got {value}")
    if not config.levels.split() and not config.generated_levels:
        raise SandtableError("there is nothing to train on: name --levels or --generated-levels")
